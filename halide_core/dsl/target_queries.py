"""Expressions about the target, answered when a pipeline is lowered for one."""

from __future__ import annotations

from halide_core.ir.expr import I32, Call, CallType, Expr, StringImm
from halide_core.ir.named_calls import ARCH, BITS, FEATURE, NATURAL_VECTOR, OS
from halide_core.ir.types import Bool, Handle, Type
from halide_core.vocabulary import TargetArch, TargetFeature, TargetOS


def _query(name: str, type_: Type, text: str) -> Expr:
    return Call(type_, name, (StringImm(Handle(), text),), CallType.EXTERN)


def target_arch_is(arch: TargetArch) -> Expr:
    """Whether the target has this architecture."""
    return _query(ARCH, Bool(), arch.value)


def target_os_is(os: TargetOS) -> Expr:
    """Whether the target runs this operating system."""
    return _query(OS, Bool(), os.value)


def target_has_feature(feature: TargetFeature) -> Expr:
    """Whether the target has this feature."""
    return _query(FEATURE, Bool(), feature.value)


def target_bits() -> Expr:
    """The bits of the target's addresses."""
    return _query(BITS, I32, "")


def target_natural_vector_size(type: Type) -> Expr:
    """The lanes of `type` in a vector register of the target."""
    return _query(NATURAL_VECTOR, I32, str(int(type.bytes())))
