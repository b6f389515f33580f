"""What is compiled for: architecture, operating system and CPU features, in Halide's notation."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from halide_core.errors import HalideError
from halide_core.ir.types import Type
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


class Target:
    """Architecture, operating system, bits and features: Target("x86-64-linux-avx2"), Target("host"), or
    Target(os, arch, bits, [tune], [features]).  Code is made for x86 and ARM of 64 bits under Linux."""

    def __init__(self, name: str | TargetOS = "host", *parts: Any) -> None:
        if isinstance(name, TargetOS):
            arch, bits = parts[0], int(parts[1])
            tune = next((p for p in parts[2:] if isinstance(p, TargetProcessorTune)), None)
            features = next((p for p in parts[2:] if isinstance(p, list | tuple)), [])
            words = [arch.value, str(bits), name.value, *([tune.value] if tune else []), *(f.value for f in features)]
            name = "-".join(words)
        self._parse(name)

    def _parse(self, name: str) -> None:
        parts = name.split("-")
        self._host = parts[0] == "host"
        self.features: frozenset[str]
        self.processor_tune = TargetProcessorTune.TuneGeneric
        if self._host:
            self.arch = TargetArch.X86 if "x86" in llvm.get_process_triple() else TargetArch.ARM
            self.bits, self.os = 64, TargetOS.Linux
            features = set(_host_features()) | set(parts[1:])
        else:
            if len(parts) < 3 or parts[0] not in _ARCHES or parts[1] != "64" or parts[2] != "linux":
                raise HalideError(
                    f"Target {name!r} is not understood; write it as x86-64-linux-avx2, arm-64-linux or host"
                )
            self.arch, self.bits, self.os = TargetArch(parts[0]), int(parts[1]), TargetOS(parts[2])
            features = set(parts[3:])
        tunes = [f for f in features if f in {t.value for t in TargetProcessorTune}]
        if tunes:
            self.processor_tune = TargetProcessorTune(tunes[0])
            features -= set(tunes)
        unknown = features - set(_X86_FEATURES) - _OTHER
        if unknown:
            raise HalideError(f"Target {name!r} has unknown features: {', '.join(sorted(unknown))}")
        self.features = frozenset(features)

    @staticmethod
    def validate_target_string(name: str) -> bool:
        """Whether Target(name) exists."""
        try:
            Target(name)
        except HalideError:
            return False
        return True

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
        return type.bits <= 64

    def supports_device_api(self, device: DeviceAPI) -> bool:
        return device is DeviceAPI.Host

    def has_feature(self, feature: object) -> bool:
        return _feature(feature) in self._implied()

    def _implied(self) -> set[str]:
        """The features, and those without which they do not come."""
        return {g for f in self.features for g in (f, *_IMPLIED.get(f, []))}

    @property
    def triple(self) -> str:
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
    def has_masks(self) -> bool:
        """Whether loads and stores of any element size take a mask (AVX-512BW)."""
        return self.vector_bytes == 64

    def natural_vector_size(self, type_: Type) -> int:
        """Lanes of a type (a Type) in one vector register."""
        return self.vector_bytes // max(1, type_.bytes())

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
