"""The value of a vector register: one expression for each lane, lane 0 (the lowest bits) first.

The lanes have the type that the register was last used with; `as_type` gives the same bits as lanes of another type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halide_core.interp.expr import dtype_of
from halide_core.ir.expr import Cast, Expr, Reinterpret, const, const_value, intrinsic, with_children
from halide_core.ir.structural import cached
from halide_core.ir.types import Type, UInt
from lifter.simd.simplify import simplify_node


@dataclass(frozen=True, slots=True)
class Lanes:
    """A register; all parts have one type."""

    parts: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return self.parts[0].type

    @property
    def bits(self) -> int:
        return len(self.parts) * self.type.bits


def simplified(parts: Sequence[Expr]) -> Lanes:
    """A register with the rules of `simplify` applied to each lane."""
    return Lanes(tuple(cached(_SIMPLIFIED, e, _simplified) for e in parts))


def _simplified(n: Expr, inner: list[Expr]) -> Expr:
    return simplify_node(with_children(n, tuple(inner)))


_SIMPLIFIED: dict[int, Expr] = {}
"""By the keys of expressions: most of what a register holds is part of what the next one does."""


def is_constant(v: Lanes) -> bool:
    return all(const_value(e) is not None for e in v.parts)


def zeros(bits: int, t: Type) -> tuple[Expr, ...]:
    """`bits` zero bits as lanes of a type."""
    return (const(0, t),) * (bits // t.bits)


def cast(e: Expr, t: Type) -> Expr:
    """`e` as an integer of another type, wrapping."""
    return e if e.type == t else simplify_node(Cast(t, e))


def reinterpret(e: Expr, t: Type) -> Expr:
    """The bits of `e` as a type of the same width."""
    if e.type == t:
        return e
    if not e.type.is_float() and not t.is_float():
        return cast(e, t)
    value = const_value(e)
    if value is not None:
        bits = np.array(value, dtype=dtype_of(e.type)).view(dtype_of(t))
        if not t.is_float() or np.isfinite(bits):
            return const(bits.item(), t)
    return simplify_node(Reinterpret(t, e))


def as_type(v: Lanes, t: Type) -> Lanes:
    """The same bits as lanes of type `t`."""
    if v.type == t:
        return v
    if v.type.bits == t.bits:
        return Lanes(tuple(reinterpret(e, t) for e in v.parts))
    parts = [reinterpret(e, UInt(v.type.bits)) for e in v.parts]
    while parts[0].type.bits < t.bits:
        parts = [join(low, high) for low, high in zip(parts[::2], parts[1::2], strict=True)]
    while parts[0].type.bits > t.bits:
        parts = [half for e in parts for half in split(e)]
    return simplified([reinterpret(e, t) for e in parts])


def join(low: Expr, high: Expr) -> Expr:
    """The unsigned integer of twice the bits made of two unsigned halves."""
    bits = low.type.bits
    wide = UInt(2 * bits)
    shifted = simplify_node(intrinsic("shift_left", wide, cast(high, wide), const(bits, wide)))
    return simplify_node(intrinsic("bitwise_or", wide, cast(low, wide), shifted))


def split(e: Expr) -> tuple[Expr, Expr]:
    """The low and the high half of an unsigned integer."""
    bits = e.type.bits // 2
    shifted = simplify_node(intrinsic("shift_right", e.type, e, const(bits, e.type)))
    return cast(e, UInt(bits)), cast(shifted, UInt(bits))


def finest(values: Sequence[Lanes], most: int = 64) -> Type:
    """The type in which registers meet for an operation on their bits: that of those with the narrowest lanes that are
    not constants, of at most `most` bits."""
    types = [v.type for v in values if not is_constant(v)] or [v.type for v in values]
    narrowest = min(t.bits for t in types)
    if narrowest > most:
        return UInt(most)
    return next(t for t in types if t.bits == narrowest)
