"""What is compiled for: architecture, operating system and CPU features, in Halide's notation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from halide_core.errors import ArgumentError, HalideError, ValueNotTaken
from halide_core.ir.types import Float, Handle, Int, Type, UInt
from halide_core.vocabulary import DeviceAPI, TargetArch, TargetFeature, TargetOS, TargetProcessorTune

# Halide's feature -> LLVM's features.
_X86_FEATURES = {
    "sse41": ["sse4.1", "ssse3"],
    "avx": ["avx", "popcnt"],
    "avx2": ["avx2", "avx", "bmi", "bmi2", "lzcnt", "popcnt"],
    "fma": ["fma"],
    "f16c": ["f16c"],
    "avx512": ["avx512f", "avx512cd"],
    "avx512_skylake": ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx2", "avx", "fma", "f16c"],
    "avx512_cannonlake": ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512ifma"],
    "avx512_zen4": [
        "avx512f",
        "avx512cd",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512ifma",
        "avx512vnni",
        "avx512bitalg",
        "avx512vpopcntdq",
        "avx512bf16",
    ],
    "avx512_sapphirerapids": ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512vbmi2"],
}
_IMPLIED = {
    "avx": ["sse41"],
    "avx2": ["avx", "sse41"],
    "avx512_skylake": ["avx2", "avx", "sse41", "fma", "f16c"],
    "avx512_cannonlake": ["avx512_skylake", "avx2", "avx", "sse41", "fma", "f16c"],
    "avx512_zen4": ["avx512_cannonlake", "avx512_skylake", "avx2", "avx", "sse41", "fma", "f16c"],
}
_ARCHES = {"x86": "x86_64", "arm": "aarch64"}
# Features without an LLVM counterpart, which are accepted and kept.
_OTHER = {f.value for f in TargetFeature}
_BITS = {"32", "64"}
_ARCH_NAMES, _OS_NAMES, _TUNE_NAMES = ({str(v) for v in kind} for kind in (TargetArch, TargetOS, TargetProcessorTune))
_DEVICE_FEATURES = {
    DeviceAPI.CUDA: TargetFeature.CUDA,
    DeviceAPI.OpenCL: TargetFeature.OpenCL,
    DeviceAPI.Metal: TargetFeature.Metal,
    DeviceAPI.Hexagon: TargetFeature.HVX_128,
    DeviceAPI.Vulkan: TargetFeature.Vulkan,
}
# Types that are not computed with on devices unless further features say so.
_LACKING = {
    TargetFeature.OpenCL: (Float(64),),
    TargetFeature.Metal: (Float(64), Int(64), UInt(64), Handle()),
    TargetFeature.D3D12Compute: (Float(64), Int(64), UInt(64), Handle()),
    TargetFeature.WebGPU: (Float(64), Int(64), UInt(64), Handle()),
    TargetFeature.Vulkan: (Float(64), Float(16), Int(64), UInt(64), Int(8), UInt(8)),
}


class Target:
    """Architecture, operating system, bits and features: Target("x86-64-linux-avx2"), Target("host"), Target(os, arch,
    bits, [tune], [features]), or Target(), of which nothing is known and for which "host" is taken.

    Any target has a name and can be asked about its features; code is made for x86 and ARM of 64 bits under Linux."""

    arch: TargetArch
    os: TargetOS
    bits: int
    processor_tune: TargetProcessorTune
    features: frozenset[str]

    def __init__(self, name: str | TargetOS | None = None, *parts: Any) -> None:
        self._host = False
        self.arch, self.os, self.bits = TargetArch.ArchUnknown, TargetOS.OSUnknown, 0
        self.processor_tune, self.features = TargetProcessorTune.TuneGeneric, frozenset()
        if isinstance(name, TargetOS):
            self._put_together(name, parts)
        elif name is not None:
            self._parse(name or "host")

    def _put_together(self, os: TargetOS, parts: Sequence[Any]) -> None:
        features = next((p for p in parts[2:] if isinstance(p, list | tuple)), [])
        if len(parts) < 2 or not all(isinstance(f, TargetFeature) for f in features):
            raise ArgumentError(
                "Target(): incompatible constructor arguments; it takes a TargetOS, a TargetArch, the bits, a "
                "TargetProcessorTune or none, and a list of TargetFeatures or none"
            )
        self.arch, self.os, self.bits = parts[0], os, int(parts[1])
        self.processor_tune = next((p for p in parts[2:] if isinstance(p, TargetProcessorTune)), self.processor_tune)
        self.features = frozenset(str(f.value) for f in features)

    def _parse(self, name: str) -> None:
        words = name.split("-")
        features: set[str] = set()
        if words[0] == "host":
            del words[0]
            self._host = True
            self.arch = TargetArch.X86 if "x86" in llvm.get_process_triple() else TargetArch.ARM
            self.bits, self.os = 64, TargetOS.Linux
            features = set(_host_features())
        unknown: list[str] = []
        for word in words:
            if word in _BITS:
                self.bits = int(word)
            elif word in _ARCH_NAMES:
                self.arch = TargetArch(word)
            elif word in _OS_NAMES:
                self.os = TargetOS(word)
            elif word in _TUNE_NAMES:
                self.processor_tune = TargetProcessorTune(word)
            elif word in _X86_FEATURES or word in _OTHER or word.startswith("vector_bits_"):
                features.add(word)
            else:
                unknown.append(word)
        known = self.bits and self.arch is not TargetArch.ArchUnknown and self.os is not TargetOS.OSUnknown
        if unknown or not known:
            what = f"; {', '.join(unknown)} is neither a part nor a feature of one" if unknown else ""
            raise ValueNotTaken(
                f"Target {name!r} is not understood{what}; write it as arch-bits-os-feature..., such as "
                "x86-64-linux-avx2 or arm-64-linux, or as host"
            )
        self.features = frozenset(features)

    @property
    def is_unknown(self) -> bool:
        """Whether it says too little to make code for it."""
        return self.arch is TargetArch.ArchUnknown or self.os is TargetOS.OSUnknown or not self.bits

    @staticmethod
    def validate_target_string(name: str) -> bool:
        """Whether Target(name) exists."""
        try:
            Target(name)
        except HalideError:
            return False
        return bool(name)

    def _with(self, features: frozenset[str]) -> Target:
        out = Target.__new__(Target)
        out.__dict__.update(self.__dict__)
        out.features = features
        # The CPU's own list would bring back what was taken away.
        out._host = self._host and features >= self.features
        return out

    def with_feature(self, feature: Any) -> Target:
        """This target and `feature`."""
        return self._with(self.features | {_feature(feature)})

    def without_feature(self, feature: Any) -> Target:
        """This target less `feature`."""
        return self._with(self.features - {_feature(feature)})

    def set_feature(self, f: Any, value: bool = True) -> None:
        """Adds or takes away a feature."""
        self.__dict__.update((self.with_feature(f) if value else self.without_feature(f)).__dict__)

    def set_features(self, features: Iterable[Any], value: bool = True) -> None:
        for f in features:
            self.set_feature(f, value)

    def features_any_of(self, features: Iterable[Any]) -> bool:
        return any(self.has_feature(f) for f in features)

    def features_all_of(self, features: Iterable[Any]) -> bool:
        return all(self.has_feature(f) for f in features)

    def has_gpu_feature(self) -> bool:
        gpus = {"cuda", "opencl", "metal", "d3d12compute", "vulkan", "webgpu"}
        return bool(self.features & gpus)

    def has_large_buffers(self) -> bool:
        return self.bits == 64 and "large_buffers" in self.features

    def maximum_buffer_size(self) -> int:
        """The greatest size of a buffer in bytes that Halide allows."""
        return (1 << 63) - 1 if self.has_large_buffers() else (1 << 31) - 1

    def supported(self) -> bool:
        return True

    def supports_type(self, type: Type, device: DeviceAPI | None = None) -> bool:
        """Whether values of the type can be computed; on `device`, else on all devices that the target names."""
        lacks = [_LACKING[f] for f in _devices(self, device) if f in _LACKING]
        return type.bits <= 64 and all(type.element_of() not in types for types in lacks)

    def supports_device_api(self, device: DeviceAPI) -> bool:
        """Whether the target names the device; it says nothing of this machine."""
        if device is DeviceAPI.Default_GPU:
            return self.has_gpu_feature()
        feature = _DEVICE_FEATURES.get(device)
        return device is DeviceAPI.Host or (feature is not None and self.has_feature(feature))

    def has_feature(self, feature: object) -> bool:
        return _feature(feature) in self.features

    def _implied(self) -> set[str]:
        """The features, and those without which they do not come."""
        return {g for f in self.features for g in (f, *_IMPLIED.get(f, []))}

    def check_compiled(self) -> None:
        """Raises HalideError where no code is made for the target."""
        if self.arch not in _ARCHES or self.bits != 64 or self.os is not TargetOS.Linux:
            raise HalideError(f"No code is made for the target {self}, only for x86 and ARM of 64 bits under Linux")

    @property
    def triple(self) -> str:
        self.check_compiled()
        return f"{_ARCHES[self.arch]}-unknown-linux-gnu"

    @property
    def cpu(self) -> str:
        if self._host:
            return str(llvm.get_host_cpu_name())
        return "x86-64" if self.arch == "x86" else "generic"

    @property
    def llvm_features(self) -> str:
        """Features for LLVM, comma separated with signs."""
        if self._host:
            return str(llvm.get_host_cpu_features().flatten())
        names = sorted({x for f in self._implied() for x in _X86_FEATURES.get(f, [])})
        return ",".join(f"+{n}" for n in names)

    @property
    def vector_bytes(self) -> int:
        """Width of a vector register in bytes."""
        if self.arch == "arm":
            return 16
        if any(
            f in self.features for f in ("avx512_skylake", "avx512_cannonlake", "avx512_zen4", "avx512_sapphirerapids")
        ):
            return 64
        return 32 if "avx2" in self._implied() else 16

    @property
    def psad_bytes(self) -> int:
        """Width in bytes of psadbw, 0 where there is none."""
        return self.vector_bytes if self.arch == "x86" else 0

    @property
    def permutes_bytes(self) -> bool:
        """Whether there are permutations of 64 and 128 bytes (AVX-512 VBMI)."""
        return bool(self.features & {"avx512_cannonlake", "avx512_zen4", "avx512_sapphirerapids"})

    @property
    def fuses(self) -> bool:
        """Whether it multiplies and adds in one instruction with one rounding; LLVM takes that to come with AVX-512."""
        features = self.llvm_features.split(",")
        return self.arch is TargetArch.ARM or "+fma" in features or "+avx512f" in features

    @property
    def has_masks(self) -> bool:
        """Whether loads and stores of any element size take a mask (AVX-512BW)."""
        return self.vector_bytes == 64

    @property
    def gathers_words(self) -> bool:
        """Whether words of 32 bits are gathered faster than bytes are loaded one by one: 16 at once."""
        return self.vector_bytes == 64

    @property
    def slow_mask_bytes(self) -> int:
        """Width of a register that is stored under a mask of its elements only slowly (vmaskmov), 0 for none."""
        return self.vector_bytes if "avx" in self._implied() and not self.has_masks else 0

    def natural_vector_size(self, type: Type) -> int:
        """Lanes of a type (a Type) in one vector register."""
        if self.is_unknown:
            raise HalideError("natural_vector_size cannot be used on a Target with Unknown values.")
        width, features = self.vector_bytes, self._implied()
        if self.arch is TargetArch.X86 and width < 64:
            # The first AVX has wide registers for floats only, and so has the first AVX-512.
            if any(f.startswith("avx512") for f in features):
                width = 64 if type.is_float() else 32
            elif "avx" in features and type.is_float():
                width = 32
        return width // max(1, type.bytes())

    def to_string(self) -> str:
        tune = [] if self.processor_tune is TargetProcessorTune.TuneGeneric else [self.processor_tune.value]
        return "-".join([self.arch.value, str(self.bits), self.os.value, *tune, *sorted(self.features)])

    __str__ = to_string

    def __repr__(self) -> str:
        return f"<halide.Target {self.to_string()}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return hash(self.identity())

    def identity(self) -> tuple[str, bool]:
        """What tells this target from others, as it is now."""
        return self.to_string(), self._host


def _devices(target: Target, device: DeviceAPI | None) -> list[TargetFeature]:
    """The features of the devices meant, those of `target` for None and for the default one."""
    if device is None or device is DeviceAPI.Default_GPU:
        return [f for f in _LACKING if target.has_feature(f)]
    return [_DEVICE_FEATURES[device]] if device in _DEVICE_FEATURES else []


def target_feature_for_device_api(device: DeviceAPI) -> TargetFeature | None:
    """The feature of targets with the device; None of the host."""
    return _DEVICE_FEATURES.get(device)


def chosen(target: Target | None) -> Target:
    """The target to make code for where one may be given."""
    return Target("host") if target is None or target.is_unknown else target


@cache
def _host_identity() -> tuple[str, bool]:
    return Target("host").identity()


def chosen_identity(target: Target | None) -> tuple[str, bool]:
    """`chosen(target).identity()`, which for this machine stays what it is."""
    return _host_identity() if target is None else chosen(target).identity()


def _feature(feature: Any) -> str:
    return str(feature.value if isinstance(feature, TargetFeature) else feature).lower()


@cache
def _host_features() -> tuple[str, ...]:
    present = {name for name, on in llvm.get_host_cpu_features().items() if on}
    return tuple(f for f, needed in _X86_FEATURES.items() if set(needed) <= present)


def get_host_target() -> Target:
    """The machine that this runs on."""
    return Target("host")


def get_jit_target_from_environment() -> Target:
    """HL_JIT_TARGET, or this machine."""
    return Target(os.environ.get("HL_JIT_TARGET") or "host")


def get_target_from_environment() -> Target:
    """HL_TARGET, or this machine."""
    return Target(os.environ.get("HL_TARGET") or "host")


def host_supports_target_device(target: Target) -> bool:
    """Whether the devices that `target` names can be used here: those without a GPU."""
    return not target.has_gpu_feature()
