"""CUDA's driver as compiled programs find it, as LLVM IR: libcuda, loaded when it is first needed, and the primary
context of one device, which CuPy, PyTorch and CUDA's own run time use too."""

from __future__ import annotations

import re

LIBRARY = "libcuda.so.1"
# What is called of it, in the order of `@hl.cuda.driver`.
FUNCTIONS = (
    "cuInit", "cuDeviceGet", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
    "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxSynchronize", "cuStreamSynchronize", "cuMemAlloc_v2",
    "cuMemFree_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpy2D_v2", "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2", "cuMemcpy2DAsync_v2", "cuMemcpyDtoD_v2", "cuMemcpyDtoDAsync_v2", "cuMemAllocHost_v2",
    "cuMemFreeHost", "cuModuleLoadDataEx", "cuModuleUnload", "cuModuleGetFunction", "cuFuncSetAttribute",
    "cuLaunchKernel", "cuGetErrorName", "cuGetErrorString",
)  # fmt: skip
# halide_error_code_t.
OUT_OF_MEMORY, COPY_TO_HOST, COPY_TO_DEVICE, DEVICE_MALLOC = -11, -14, -15, -16
SYNC, DEVICE_FREE, NO_INTERFACE, NO_SYMBOL, RUN = -17, -18, -19, -21, -23
DEVICE_ERROR, HOST_IS_NULL, INTERFACE_ALONE, BOTH_DIRTY, DEVICE_COPY, OTHER_INTERFACE = -29, -34, -36, -37, -39, -42
# The context that is passed where a failure is no error: nothing is said of it.
QUIET = "@hl.quiet"


def linked(text: str) -> str:
    """`text` with `$f`, the place of the driver's function f, and `$name.f`, its name, spelled out."""

    def place(m: re.Match[str]) -> str:
        number = FUNCTIONS.index(m[2])
        return f"@hl.cuda.name.{number}" if m[1] else f"getelementptr (i8, ptr @hl.cuda.driver, i64 {8 * number})"

    return re.sub(r"\$(name\.)?(cu\w+)", place, text)


def constant(name: str, text: str) -> str:
    """A string that all objects of a program share."""
    data = text.encode() + b"\0"
    body = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
    return f'@{name} = linkonce_odr hidden unnamed_addr constant [{len(data)} x i8] c"{body}"'


_NAMES = "\n".join(constant(f"hl.cuda.name.{k}", n) for k, n in enumerate(FUNCTIONS))
_COUNT = len(FUNCTIONS)

DRIVER = linked(f"""
declare ptr @dlopen(ptr, i32) nounwind
declare ptr @dlsym(ptr, ptr) nounwind
declare ptr @dlerror() nounwind
declare i32 @snprintf(ptr, i64, ptr, ...) nounwind
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare ptr @getenv(ptr) nounwind
declare i32 @atoi(ptr) nounwind

{_NAMES}
{constant("hl.cuda.library", LIBRARY)}
{constant("hl.cuda.unknown", "an error without a name")}
{constant("hl.cuda.failed.format", "CUDA: %s failed: %s (%s)")}
{constant("hl.cuda.absent.format", "There is no CUDA driver to run kernels with: %s")}
{constant("hl.cuda.lacks.format", f"CUDA: {LIBRARY} has no function %s")}
{constant("hl.cuda.number.name", "HL_GPU_DEVICE")}
@hl.cuda.names = linkonce_odr hidden constant [{_COUNT} x ptr] [
  {", ".join(f"ptr @hl.cuda.name.{k}" for k in range(_COUNT))}
]
@hl.cuda.driver = linkonce_odr hidden global [{_COUNT} x ptr] zeroinitializer
; Whether the two below are there.
@hl.cuda.is_open = linkonce_odr hidden global i32 0
@hl.cuda.context = linkonce_odr hidden global ptr null
@hl.cuda.device = linkonce_odr hidden global i32 0
@hl.cuda.opening = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
; The number of the device that was asked for, else negative.
@hl.cuda.number = linkonce_odr hidden global i32 -1
{QUIET} = linkonce_odr hidden global i8 0

define weak void @halide_set_gpu_device(i32 %number) nounwind {{
  store atomic i32 %number, ptr @hl.cuda.number monotonic, align 4
  ret void
}}

define weak i32 @halide_get_gpu_device(ptr %context) nounwind {{
  %set = load atomic i32, ptr @hl.cuda.number monotonic, align 4
  %known = icmp sge i32 %set, 0
  br i1 %known, label %said, label %ask
said:
  ret i32 %set
ask:
  %text = call ptr @getenv(ptr @hl.cuda.number.name)
  %none = icmp eq ptr %text, null
  br i1 %none, label %first, label %read
read:
  %number = call i32 @atoi(ptr %text)
  %whole = icmp sgt i32 %number, 0
  %chosen = select i1 %whole, i32 %number, i32 0
  ret i32 %chosen
first:
  ret i32 0
}}

; The stream that kernels and copies are put into: a program may define this function itself.
define weak i32 @halide_cuda_get_stream(ptr %context, ptr %cuda, ptr %stream) nounwind {{
  store ptr null, ptr %stream
  ret i32 0
}}

define linkonce_odr hidden void @hl.cuda.say(ptr %context, ptr %message) nounwind {{
  %quiet = icmp eq ptr %context, {QUIET}
  br i1 %quiet, label %end, label %loud
loud:
  call void @halide_error(ptr %context, ptr %message)
  br label %end
end:
  ret void
}}

define linkonce_odr hidden void @hl.cuda.say_of(ptr %context, ptr %format, ptr %what) nounwind {{
  %text = alloca [512 x i8]
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 512, ptr %format, ptr %what)
  call void @hl.cuda.say(ptr %context, ptr %text)
  ret void
}}

; Reports that the driver's function %name answered %status; returns %code.
define linkonce_odr hidden i32 @hl.cuda.failed(ptr %context, ptr %name, i32 %status, i32 %code) nounwind cold {{
  %text = alloca [512 x i8]
  %short.p = alloca ptr
  %long.p = alloca ptr
  store ptr null, ptr %short.p
  store ptr null, ptr %long.p
  %f = load ptr, ptr $cuGetErrorName
  %s = call i32 %f(i32 %status, ptr %short.p)
  %g = load ptr, ptr $cuGetErrorString
  %t = call i32 %g(i32 %status, ptr %long.p)
  %short0 = load ptr, ptr %short.p
  %no.short = icmp eq ptr %short0, null
  %short = select i1 %no.short, ptr @hl.cuda.unknown, ptr %short0
  %long0 = load ptr, ptr %long.p
  %no.long = icmp eq ptr %long0, null
  %long = select i1 %no.long, ptr @hl.cuda.unknown, ptr %long0
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 512, ptr @hl.cuda.failed.format, ptr %name, ptr %short,
      ptr %long)
  call void @hl.cuda.say(ptr %context, ptr %text)
  ret i32 %code
}}

; Finds the driver's functions and a context; whoever calls holds the lock.
define linkonce_odr hidden i32 @hl.cuda.open(ptr %context) nounwind noinline {{
entry:
  %device.p = alloca i32
  %cuda.p = alloca ptr
  %library = call ptr @dlopen(ptr @hl.cuda.library, i32 2)
  %absent = icmp eq ptr %library, null
  br i1 %absent, label %nothing, label %find
nothing:
  %why = call ptr @dlerror()
  call void @hl.cuda.say_of(ptr %context, ptr @hl.cuda.absent.format, ptr %why)
  ret i32 {NO_SYMBOL}
find:
  %k = phi i64 [ 0, %entry ], [ %next, %found ]
  %name.p = getelementptr ptr, ptr @hl.cuda.names, i64 %k
  %name = load ptr, ptr %name.p
  %function = call ptr @dlsym(ptr %library, ptr %name)
  %missing = icmp eq ptr %function, null
  br i1 %missing, label %lacks, label %found
lacks:
  call void @hl.cuda.say_of(ptr %context, ptr @hl.cuda.lacks.format, ptr %name)
  ret i32 {NO_SYMBOL}
found:
  %place = getelementptr ptr, ptr @hl.cuda.driver, i64 %k
  store ptr %function, ptr %place
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, {_COUNT}
  br i1 %more, label %find, label %begin
begin:
  %init = load ptr, ptr $cuInit
  %s1 = call i32 %init(i32 0)
  %bad1 = icmp ne i32 %s1, 0
  br i1 %bad1, label %failed, label %choose
choose:
  %number = call i32 @halide_get_gpu_device(ptr %context)
  %get = load ptr, ptr $cuDeviceGet
  %s2 = call i32 %get(ptr %device.p, i32 %number)
  %bad2 = icmp ne i32 %s2, 0
  br i1 %bad2, label %failed, label %retain
retain:
  %device = load i32, ptr %device.p
  %keep = load ptr, ptr $cuDevicePrimaryCtxRetain
  %s3 = call i32 %keep(ptr %cuda.p, i32 %device)
  %bad3 = icmp ne i32 %s3, 0
  br i1 %bad3, label %failed, label %done
done:
  %cuda = load ptr, ptr %cuda.p
  store ptr %cuda, ptr @hl.cuda.context
  store i32 %device, ptr @hl.cuda.device
  store atomic i32 1, ptr @hl.cuda.is_open release, align 4
  ret i32 0
failed:
  %which = phi ptr [ $name.cuInit, %begin ], [ $name.cuDeviceGet, %choose ], [ $name.cuDevicePrimaryCtxRetain, %retain ]
  %status = phi i32 [ %s1, %begin ], [ %s2, %choose ], [ %s3, %retain ]
  %code = call i32 @hl.cuda.failed(ptr %context, ptr %which, i32 %status, i32 {DEVICE_ERROR})
  ret i32 %code
}}

define linkonce_odr hidden i32 @hl.cuda.ready(ptr %context) nounwind {{
  %is = load atomic i32, ptr @hl.cuda.is_open acquire, align 4
  %open = icmp ne i32 %is, 0
  br i1 %open, label %yes, label %wait
wait:
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.opening)
  %is2 = load atomic i32, ptr @hl.cuda.is_open acquire, align 4
  %open2 = icmp ne i32 %is2, 0
  br i1 %open2, label %end, label %try
try:
  %tried = call i32 @hl.cuda.open(ptr %context)
  br label %end
end:
  %code = phi i32 [ 0, %wait ], [ %tried, %try ]
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.opening)
  ret i32 %code
yes:
  ret i32 0
}}

; Has calls of the driver mean our context, until @hl.cuda.leave has the one from before back.
define linkonce_odr hidden i32 @hl.cuda.enter(ptr %context) nounwind {{
  %code = call i32 @hl.cuda.ready(ptr %context)
  %bad = icmp ne i32 %code, 0
  br i1 %bad, label %away, label %push
away:
  ret i32 %code
push:
  %cuda = load ptr, ptr @hl.cuda.context
  %f = load ptr, ptr $cuCtxPushCurrent_v2
  %s = call i32 %f(ptr %cuda)
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %report, label %fine
report:
  %r = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuCtxPushCurrent_v2, i32 %s, i32 {DEVICE_ERROR})
  ret i32 %r
fine:
  ret i32 0
}}

define linkonce_odr hidden void @hl.cuda.leave() nounwind {{
  %old = alloca ptr
  %f = load ptr, ptr $cuCtxPopCurrent_v2
  %s = call i32 %f(ptr %old)
  ret void
}}

; The stream to use, in our context; its code where there is none.
define linkonce_odr hidden i32 @hl.cuda.stream(ptr %context, ptr %stream) nounwind {{
  %cuda = load ptr, ptr @hl.cuda.context
  store ptr null, ptr %stream
  %code = call i32 @halide_cuda_get_stream(ptr %context, ptr %cuda, ptr %stream)
  ret i32 %code
}}
""")
