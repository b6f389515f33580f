"""Masks of AVX-512: numbers with a bit for each lane."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import (
    BOOL,
    NE,
    And,
    Call,
    Cast,
    Expr,
    Or,
    Select,
    const,
    const_value,
    intrinsic,
    make_bool,
)
from halide_core.ir.types import UInt
from lifter.algebra.fold import fold_node, negate
from lifter.simd.lane_operations import Vector, converted


def of_bits(conditions: Sequence[Expr]) -> Expr:
    """The mask of lanes for which conditions hold."""
    t = UInt(max(len(conditions), 8))
    out: Expr = const(0, t)
    for i, c in enumerate(conditions):
        out = intrinsic("bitwise_or", t, out, Select(t, c, const(1 << i, t), const(0, t)))
    return out


def bit(mask: Expr, i: int) -> Expr:
    """Whether a mask has a lane's bit."""
    value = const_value(mask)
    if value is not None:
        return make_bool(bool(int(value) >> i & 1))
    number = converted(UInt(mask.type.bits), mask)
    one = const(1 << i, number.type)
    return NE(BOOL, intrinsic("bitwise_and", number.type, number, one), const(0, number.type))


def chosen(mask: Expr, yes: Vector, no: Vector) -> list[Expr]:
    """Lane by lane, by the bits of a mask."""
    return [Select(a.type, bit(mask, i), a, b) for i, (a, b) in enumerate(zip(yes, no, strict=True))]


def bit_of(e: Expr, i: int) -> Expr | None:
    """The condition under which an integer has a bit, where it is put together of choices between constants; else
    None."""
    value = const_value(e)
    if value is not None:
        return make_bool(bool(int(value) >> i & 1))
    if i >= e.type.bits:
        return make_bool(False) if e.type.is_uint() else None
    if isinstance(e, Cast) and e.value.type.is_uint():
        return bit_of(e.value, i)
    if isinstance(e, Select):
        yes, no = bit_of(e.true_value, i), bit_of(e.false_value, i)
        if yes is None or no is None:
            return None
        return _chosen_bit(e.condition, yes, no)
    if not isinstance(e, Call) or len(e.args) not in (1, 2):
        return None
    return _bit_of_call(e, i)


def _bit_of_call(e: Call, i: int) -> Expr | None:
    if e.name in ("shift_left", "shift_right"):
        by = const_value(e.args[1])
        if by is None or not 0 <= int(by) < e.type.bits or not e.type.is_uint():
            return None
        at = i - int(by) if e.name == "shift_left" else i + int(by)
        return make_bool(False) if at < 0 else bit_of(e.args[0], at)
    parts = [bit_of(a, i) for a in e.args]
    known = [p for p in parts if p is not None]
    if len(known) != len(parts):
        return None
    if e.name == "bitwise_not":
        return negate(known[0])
    if e.name == "bitwise_and":
        return fold_node(And(BOOL, *known))
    if e.name == "bitwise_or":
        return fold_node(Or(BOOL, *known))
    if e.name == "bitwise_xor":
        return _chosen_bit(known[0], negate(known[1]), known[1])
    return None


def _chosen_bit(condition: Expr, yes: Expr, no: Expr) -> Expr:
    return fold_node(Or(BOOL, fold_node(And(BOOL, condition, yes)), fold_node(And(BOOL, negate(condition), no))))
