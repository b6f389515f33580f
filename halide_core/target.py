"""What is compiled for: architecture, operating system and CPU features, in Halide's notation."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm

from halide_core.errors import HalideError
from halide_core.ir.types import Type

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
_OTHER = {"no_asserts", "no_bounds_query", "no_runtime", "jit", "user_context", "strict_float", "debug"}


class Target:
    """Architecture, operating system, bits and features, as in "x86-64-linux-avx2"."""

    def __init__(self, name: str = "host") -> None:
        parts = name.split("-")
        self._host = parts[0] == "host"
        self.features: frozenset[str]
        if self._host:
            self.arch, self.bits, self.os = "x86" if "x86" in llvm.get_process_triple() else "arm", 64, "linux"
            extra = parts[1:]
            features = set(_host_features()) | set(extra)
        else:
            if len(parts) < 3 or parts[0] not in _ARCHES or parts[1] != "64":
                raise HalideError(
                    f"Target {name!r} is not understood; write it as x86-64-linux-avx2, arm-64-linux or host"
                )
            self.arch, self.bits, self.os = parts[0], int(parts[1]), parts[2]
            features = set(parts[3:])
            for f in tuple(features):
                features |= set(_IMPLIED.get(f, []))
        unknown = features - set(_X86_FEATURES) - _OTHER
        if unknown:
            raise HalideError(f"Target {name!r} has unknown features: {', '.join(sorted(unknown))}")
        self.features = frozenset(features)

    def has_feature(self, feature: object) -> bool:
        return str(getattr(feature, "name", feature)).lower() in self.features

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
        names = sorted({x for f in self.features for x in _X86_FEATURES.get(f, [])})
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
        return 32 if "avx2" in self.features else 16

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
        return "-".join([self.arch, str(self.bits), self.os, *sorted(self.features)])

    __str__ = to_string

    def __repr__(self) -> str:
        return f"Target({self.to_string()!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self.to_string() == other.to_string() and self._host == other._host

    def __hash__(self) -> int:
        return hash(self.to_string())


@cache
def _host_features() -> tuple[str, ...]:
    present = {name for name, on in llvm.get_host_cpu_features().items() if on}
    return tuple(f for f, needed in _X86_FEATURES.items() if set(needed) <= present)


def get_host_target() -> Target:
    """The machine that this runs on."""
    return Target("host")


def get_jit_target_from_environment() -> Target:
    return Target("host")
