"""The vocabulary of targets, outputs and arguments, by Halide's names."""

from __future__ import annotations

import enum


class TargetArch(enum.StrEnum):
    """Architectures; code is made for x86 and ARM."""

    ArchUnknown = "arch_unknown"
    X86 = "x86"
    ARM = "arm"
    Hexagon = "hexagon"
    POWERPC = "powerpc"
    RISCV = "riscv"
    WebAssembly = "wasm"


class TargetOS(enum.StrEnum):
    """Operating systems; code is made for Linux."""

    OSUnknown = "os_unknown"
    Linux = "linux"
    Windows = "windows"
    OSX = "osx"
    Android = "android"
    IOS = "ios"
    QuRT = "qurt"
    NoOS = "noos"
    wasmrt = "wasmrt"


class TargetProcessorTune(enum.StrEnum):
    """Processors to tune for; recorded, and without effect here."""

    TuneGeneric = "tune_generic"
    TuneK8 = "tune_k8"
    TuneK8_SSE3 = "tune_k8_sse3"
    TuneAMDFam10 = "tune_amdfam10"
    TuneBtVer1 = "tune_btver1"
    TuneBdVer1 = "tune_bdver1"
    TuneBdVer2 = "tune_bdver2"
    TuneBdVer3 = "tune_bdver3"
    TuneBdVer4 = "tune_bdver4"
    TuneBtVer2 = "tune_btver2"
    TuneZnVer1 = "tune_znver1"
    TuneZnVer2 = "tune_znver2"
    TuneZnVer3 = "tune_znver3"
    TuneZnVer4 = "tune_znver4"
    TuneZnVer5 = "tune_znver5"


class OutputFileType(enum.Enum):
    """What a compilation can write."""

    assembly = ".s"
    bitcode = ".bc"
    c_header = ".h"
    c_source = ".halide_generated.cpp"
    compiler_log = ".halide_compiler_log"
    cpp_stub = ".stub.h"
    featurization = ".featurization"
    function_info_header = ".function_info.h"
    hlpipe = ".hlpipe"
    llvm_assembly = ".ll"
    object = ".o"
    python_extension = ".py.cpp"
    pytorch_wrapper = ".pytorch.h"
    registration = ".registration.cpp"
    schedule = ".schedule.h"
    static_library = ".a"
    stmt = ".stmt"
    conceptual_stmt = ".conceptual.stmt"
    stmt_html = ".stmt.html"
    conceptual_stmt_html = ".conceptual.stmt.html"
    device_code = ".device_code"


class StmtOutputFormat(enum.Enum):
    """How a statement is written."""

    Text = 0
    HTML = 1


class LinkageType(enum.Enum):
    """Who can call a compiled function."""

    External = 0
    ExternalPlusMetadata = 1
    ExternalPlusArgv = 2
    Internal = 3


class NameMangling(enum.Enum):
    """How a symbol is spelled."""

    Default = 0
    C = 1
    CPlusPlus = 2


class DeviceAPI(enum.Enum):
    """Where code runs; here on the host."""

    Host = 1
    Default_GPU = 2
    CUDA = 3
    OpenCL = 4
    Metal = 5
    Hexagon = 6
    Vulkan = 9


class ArgumentKind(enum.Enum):
    """The role of an argument of a compiled function."""

    InputScalar = 0
    InputBuffer = 1
    OutputBuffer = 2



class TargetFeature(enum.StrEnum):
    """Features by their names in target strings; those of machines that are not compiled for are known by name only."""

    JIT = "jit"
    Debug = "debug"
    EnableBacktraces = "enable_backtraces"
    NoAsserts = "no_asserts"
    NoBoundsQuery = "no_bounds_query"
    SSE41 = "sse41"
    AVX = "avx"
    AVX2 = "avx2"
    AVXVNNI = "avxvnni"
    FMA = "fma"
    FMA4 = "fma4"
    F16C = "f16c"
    ARMv7s = "armv7s"
    NoNEON = "no_neon"
    VSX = "vsx"
    POWER_ARCH_2_07 = "power_arch_2_07"
    CUDA = "cuda"
    CUDACapability30 = "cuda_capability_30"
    CUDACapability32 = "cuda_capability_32"
    CUDACapability35 = "cuda_capability_35"
    CUDACapability50 = "cuda_capability_50"
    CUDACapability61 = "cuda_capability_61"
    CUDACapability70 = "cuda_capability_70"
    CUDACapability75 = "cuda_capability_75"
    CUDACapability80 = "cuda_capability_80"
    CUDACapability86 = "cuda_capability_86"
    OpenCL = "opencl"
    CLDoubles = "cl_doubles"
    CLHalf = "cl_half"
    CLAtomics64 = "cl_atomics64"
    EGL = "egl"
    UserContext = "user_context"
    Profile = "profile"
    NoRuntime = "no_runtime"
    Metal = "metal"
    CPlusPlusMangling = "c_plus_plus_name_mangling"
    LargeBuffers = "large_buffers"
    HexagonDma = "hexagon_dma"
    HVX_128 = "hvx_128"
    HVX = "hvx"
    HVX_v62 = "hvx_v62"
    HVX_v65 = "hvx_v65"
    HVX_v66 = "hvx_v66"
    HVX_v68 = "hvx_v68"
    FuzzFloatStores = "fuzz_float_stores"
    SoftFloatABI = "soft_float_abi"
    MSAN = "msan"
    AVX512 = "avx512"
    AVX512_KNL = "avx512_knl"
    AVX512_Skylake = "avx512_skylake"
    AVX512_Cannonlake = "avx512_cannonlake"
    AVX512_SapphireRapids = "avx512_sapphirerapids"
    AVX512_Zen4 = "avx512_zen4"
    AVX512_Zen5 = "avx512_zen5"
    TraceLoads = "trace_loads"
    TraceStores = "trace_stores"
    TraceRealizations = "trace_realizations"
    TracePipeline = "trace_pipeline"
    D3D12Compute = "d3d12compute"
    StrictFloat = "strict_float"
    TSAN = "tsan"
    ASAN = "asan"
    CheckUnsafePromises = "check_unsafe_promises"
    EmbedBitcode = "embed_bitcode"
    EnableLLVMLoopOpt = "enable_llvm_loop_opt"
    WasmMvpOnly = "wasm_mvponly"
    WasmSimd128 = "wasm_simd128"
    WasmThreads = "wasm_threads"
    WasmBulkMemory = "wasm_bulk_memory"
    WebGPU = "webgpu"
    SVE = "sve"
    SVE2 = "sve2"
    ARMDotProd = "arm_dot_prod"
    ARMFp16 = "arm_fp16"
    LLVMLargeCodeModel = "llvm_large_code_model"
    RVV = "rvv"
    ARMv8a = "armv8a"
    ARMv81a = "armv81a"
    ARMv82a = "armv82a"
    ARMv83a = "armv83a"
    ARMv84a = "armv84a"
    ARMv85a = "armv85a"
    ARMv86a = "armv86a"
    ARMv87a = "armv87a"
    ARMv88a = "armv88a"
    ARMv89a = "armv89a"
    SanitizerCoverage = "sanitizer_coverage"
    ProfileByTimer = "profile_by_timer"
    SPIRV = "spirv"
    Vulkan = "vulkan"
    VulkanInt8 = "vk_int8"
    VulkanInt16 = "vk_int16"
    VulkanInt64 = "vk_int64"
    VulkanFloat16 = "vk_float16"
    VulkanFloat64 = "vk_float64"
    VulkanV10 = "vk_v10"
    VulkanV12 = "vk_v12"
    VulkanV13 = "vk_v13"
    Semihosting = "semihosting"
    AVX10_1 = "avx10_1"
    X86APX = "x86apx"
    Simulator = "simulator"
