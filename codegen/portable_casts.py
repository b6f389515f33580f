"""Conversions of floats to integers that hold for all floats, as the language defines them.

What does not fit is undefined in Halide, whose compiler makes use of that."""

from __future__ import annotations

import math

from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, Cast, Expr, Select, const, intrinsic
from halide_core.ir.operators import cast_to
from halide_core.ir.types import Int, Type, UInt


def from_float(t: Type, v: Expr, within: tuple[float, float]) -> Expr:
    """`v`, which lies `within` (ends may be infinite, and then it may be NaN), as an integer of type `t`."""
    if t == UInt(64):
        return _to_uint64(v)
    wide = Int(64) if t in (Int(64), UInt(32)) else Int(32)
    number = _held(wide, v, within)
    if t == wide:
        return number
    return converted(t, number)


def converted(t: Type, e: Expr) -> Expr:
    """An integer as one of type `t`.

    Of one that was a float the package makes a conversion of the float to `t`, which is undefined where that does not
    hold it: other operations between the two keep it from that."""
    if not (isinstance(e, Cast) and e.value.type.is_float()) or t.can_represent(e.type):
        return cast_to(t, e)
    if t.bits < e.type.bits:
        return Cast(t, intrinsic("bitwise_and", e.type, e, const((1 << t.bits) - 1, e.type)))
    wide = cast_to(Int(t.bits), e)
    moved = intrinsic("bitwise_xor", wide.type, wide, const(wide.type.min(), wide.type))
    return intrinsic("bitwise_xor", t, Cast(t, moved), const(1 << (t.bits - 1), t))


def _held(t: Type, v: Expr, within: tuple[float, float]) -> Expr:
    """Signed: truncated where that fits, else the least number of the type."""
    limit = float(1 << (t.bits - 1))
    if -limit - 1 < within[0] and within[1] < limit and not math.isinf(within[1]):
        return Cast(t, v)
    size = intrinsic("abs", v.type, v)
    fits = E.LT(BOOL, size, const(limit, v.type))
    return Cast(t, Select(v.type, fits, v, const(-limit, v.type)))


def _to_uint64(v: Expr) -> Expr:
    half, t = float(1 << 63), UInt(64)
    everywhere = (-math.inf, math.inf)
    small = converted(t, _held(Int(64), v, everywhere))
    above = converted(t, _held(Int(64), E.Sub(v.type, v, const(half, v.type)), everywhere))
    large = E.Add(t, above, const(1 << 63, t))
    return Select(t, E.LT(BOOL, v, const(half, v.type)), small, large)
