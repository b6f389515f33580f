"""Intervals of floating-point values whose ends are expressions: of coordinates that are scaled and rounded.

Every operation here is monotonic, and so is its rounding: the ends are computed as the values are.  A NaN on the way,
or a value that no int32 can hold, is noticed when the program runs: a coordinate's interval is then all that a region
may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import BOOL, I32, CallType, Expr, FloatImm, const, const_value
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type

# Beyond all coordinates, and no further apart than an int32 can tell.
_FAR = 1 << 29
_ROUNDED = ("floor", "ceil", "round", "trunc", "sqrt")


class Ends(NamedTuple):
    """The least and the greatest value.  Where a value is NaN, one of them is no finite number when it is computed."""

    low: Expr
    high: Expr


def float_ends(e: Expr, interval: Callable[[Expr], Interval], only_clamped: bool = False) -> Ends | None:
    """The ends of the float `e`, None where they cannot be told.  `interval` gives those of the integers in it, and
    those of the Variables, which are (v, v) where they do not vary.  `only_clamped`: those that clamps leave of
    anything, a NaN too."""
    known: dict[int, Ends | None] = {}
    # What is not bounded itself may be by a clamp.
    half: dict[int, tuple[Expr | None, Expr | None]] = {}
    for n in post_order(e):
        if n.type.is_float():
            chosen = isinstance(n, ir.Min | ir.Max)
            known[id(n)] = None if only_clamped and chosen else _ends(n, known, interval)
            if known[id(n)] is None and isinstance(n, ir.Min | ir.Max):
                low, high = half[id(n)] = _half(n, known[id(n.b)], half.get(id(n.a), (None, None)))
                known[id(n)] = None if low is None or high is None else Ends(low, high)
    return known[id(e)]


def _half(
    e: ir.Min | ir.Max, limit: Ends | None, inner: tuple[Expr | None, Expr | None]
) -> tuple[Expr | None, Expr | None]:
    """The ends of the greater or the less of anything and `limit`, which is what a NaN becomes."""
    if limit is None:
        return None, None
    low, high = inner
    if isinstance(e, ir.Min):
        return None if low is None else _of_both(ir.Min, low, limit.low), limit.high
    return limit.low, None if high is None else _of_both(ir.Max, high, limit.high)


def _ends(e: Expr, known: dict[int, Ends | None], interval: Callable[[Expr], Interval]) -> Ends | None:
    t = e.type
    match e:
        case FloatImm():
            return Ends(e, e)
        case ir.Variable():
            low, high = interval(e)
            return None if low is None or high is None else Ends(low, high)
        case ir.Cast() if not e.value.type.is_float():
            low, high = interval(e.value)
            return None if low is None or high is None else Ends(ir.Cast(t, low), ir.Cast(t, high))
        case ir.Select(condition=ir.NE(a=left, b=right), false_value=ir.Min() | ir.Max() as chosen) if left is right:
            return known[id(chosen)]  # `_of_both`
        case ir.Call(call_type=CallType.INTRINSIC, name="abs") if (of := known.get(id(e.args[0]))) is not None:
            return Ends(const(0.0, t), _of_both(ir.Max, *(ir.with_children(e, (x,)) for x in of)))
    parts = [known.get(id(c)) for c in ir.children(e)]
    a, b = (parts[0], parts[-1]) if parts else (None, None)
    if a is None or b is None:
        return None
    match e:
        case ir.Cast():
            return Ends(ir.Cast(t, a.low), ir.Cast(t, a.high))
        case ir.Add():
            return Ends(ir.Add(t, a.low, b.low), ir.Add(t, a.high, b.high))
        case ir.Sub():
            return Ends(ir.Sub(t, a.low, b.high), ir.Sub(t, a.high, b.low))
        case ir.Mul() if _is_point(b):
            return _by(ir.Mul, t, a, b.low)
        case ir.Mul() if _is_point(a):
            return _by(ir.Mul, t, b, a.low)
        case ir.Div() if _is_point(b):
            return _by(ir.Div, t, a, b.low)
        case ir.Min() | ir.Max():
            return Ends(_of_both(type(e), a.low, b.low), _of_both(type(e), a.high, b.high))
        case ir.Call(call_type=CallType.INTRINSIC, name="likely" | "strict_float"):
            return a
        case ir.Call() if e.name.split("_f")[0] in _ROUNDED and len(parts) == 1:
            return Ends(ir.with_children(e, (a.low,)), ir.with_children(e, (a.high,)))
    return None


def _by(op: type[ir.Mul] | type[ir.Div], t: Type, a: Ends, factor: Expr) -> Ends:
    """`a` times or divided by one value, which may turn it round."""
    low, high = op(t, a.low, factor), op(t, a.high, factor)
    value = const_value(factor)
    if value is not None:
        return Ends(low, high) if value >= 0 else Ends(high, low)
    return Ends(_of_both(ir.Min, low, high), _of_both(ir.Max, low, high))


def _of_both(op: type[ir.Min] | type[ir.Max], a: Expr, b: Expr) -> Expr:
    """The least or the greatest of two, NaN if one of them is: the second operand is what the nodes leave of one."""
    if key(a) == key(b):
        return a
    if const_value(a) is not None:
        return op(a.type, a, b)
    if const_value(b) is not None:
        return op(a.type, b, a)
    return ir.Select(a.type, ir.NE(BOOL, a, a), a, op(a.type, a, b))


def _is_point(ends: Ends) -> bool:
    return key(ends.low) == key(ends.high)


def truncated(value: Ends, least: Expr, greatest: Expr, otherwise: Interval = (None, None)) -> Interval:
    """The int32 coordinates that values between two ends are truncated to.  A value outside of int32 gives the least
    one, so that both ends must be inside for either to count; else the interval is that of `otherwise`."""
    t = value.low.type
    limit = float(1 << 31)
    inside = ir.And(BOOL, ir.GE(BOOL, least, FloatImm(t, -limit)), ir.LT(BOOL, greatest, FloatImm(t, limit)))
    low, high = (const(far, I32) if x is None else x for x, far in zip(otherwise, (-_FAR, _FAR), strict=True))
    return (
        ir.Select(I32, inside, ir.Cast(I32, value.low), low),
        ir.Select(I32, inside, ir.Cast(I32, value.high), high),
    )


class Truncated(NamedTuple):
    """What `truncated` gave one end of: the float, what must be inside of int32, and what it is otherwise."""

    value: Expr
    least: Expr
    greatest: Expr
    otherwise: Expr
    is_low: bool


def truncated_from(e: ir.Select) -> Truncated | None:
    """The parts of an end that `truncated` gave, else None."""
    match e:
        case ir.Select(
            condition=ir.And(a=ir.GE(a=least, b=FloatImm()), b=ir.LT(a=greatest, b=FloatImm())),
            true_value=ir.Cast(value=value),
            false_value=otherwise,
        ) if value.type.is_float():
            far = _far(otherwise)
            return None if far is None else Truncated(value, least, greatest, otherwise, far < 0)
    return None


def _far(e: Expr) -> int | None:
    if isinstance(e, ir.Select):
        inner = truncated_from(e)
        return None if inner is None else -_FAR if inner.is_low else _FAR
    return e.value if isinstance(e, ir.IntImm) and abs(e.value) == _FAR else None


def within_reach(low: Expr, high: Expr) -> Expr | None:
    """That an interval is not what is left of a float that is no int32; None where none has a part in it."""
    ends = (low, high)
    if not any(isinstance(n, ir.Select) and _far(n.false_value) is not None for x in ends for n in post_order(x)):
        return None
    near = const(_FAR // 2, I32)
    return ir.And(BOOL, ir.LT(BOOL, const(-_FAR // 2, I32), low), ir.LT(BOOL, high, near))
