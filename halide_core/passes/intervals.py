"""Intervals with ends that are expressions: joined, cut, and chosen between."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import I32, Expr, const_value, make_bool
from halide_core.ir.sums import difference
from halide_core.ir.types import Type


def least(values: list[Expr | None]) -> Expr | None:
    return _of_all(ir.Min, values)


def greatest(values: list[Expr | None]) -> Expr | None:
    return _of_all(ir.Max, values)


def _of_all(op: type[ir.Min] | type[ir.Max], values: list[Expr | None]) -> Expr | None:
    """The least or the greatest; None where one is unbounded."""
    out: Expr | None = None
    for v in values:
        if v is None:
            return None
        out = v if out is None else _one_of(op, out, v)
    return out


def _one_of(op: type[ir.Min] | type[ir.Max], a: Expr, b: Expr) -> Expr:
    """The less or the greater of two, which are mostly a constant apart."""
    apart = difference(a, b) if a.type == I32 and b.type == I32 else None
    return op(b.type, a, b) if apart is None else a if (apart <= 0) == (op is ir.Min) else b


def union(a: Interval, b: Interval) -> Interval:
    """The smallest interval around both."""
    return least([a[0], b[0]]), greatest([a[1], b[1]])


def intersect(a: Interval, b: Interval) -> Interval:
    """The points in both."""
    low = b[0] if a[0] is None else a[0] if b[0] is None else ir.Max(a[0].type, a[0], b[0])
    high = b[1] if a[1] is None else a[1] if b[1] is None else ir.Min(a[1].type, a[1], b[1])
    return low, high


def choice(t: Type, condition: Interval, yes: Interval, no: Interval) -> Interval:
    """Whatever the condition is: one arm, where it is certain or out of the question, both in between.  Asked again
    when the program runs, tile by tile."""
    certain, possible = _ends_of(condition)
    near = [a is not None and b is not None and difference(a, b) is not None for a, b in zip(yes, no, strict=True)]
    if all(near):
        return union(yes, no)  # which one it is matters little, and would be in the way

    def arm(holds: Expr, end: int) -> Expr | None:
        known = const_value(holds)
        if known is not None:
            return (yes if known else no)[end]
        a, b = yes[end], no[end]
        return None if a is None or b is None else ir.Select(t, holds, a, b)

    low, high = ([arm(certain, end), arm(possible, end)] for end in (0, 1))
    return least(low), greatest(high)


ORDERED = ir.LT | ir.LE | ir.GT | ir.GE


def truth(e: Expr, parts: list[Interval]) -> Interval:
    """Whether a condition on coordinates holds everywhere, and whether anywhere."""
    match e:
        case ir.Not():
            certain, possible = _ends_of(parts[0])
            return ir.Not(e.type, possible), ir.Not(e.type, certain)
        case ir.And() | ir.Or():
            (a_certain, a_possible), (b_certain, b_possible) = map(_ends_of, parts)
            return type(e)(e.type, a_certain, b_certain), type(e)(e.type, a_possible, b_possible)
        case ir.LT() | ir.LE() if e.a.type == I32:
            (a_low, a_high), (b_low, b_high) = parts
        case ir.GT() | ir.GE() if e.a.type == I32:
            (b_low, b_high), (a_low, a_high) = parts
        case _:
            return make_bool(False), make_bool(True)
    less = ir.LT if isinstance(e, ir.LT | ir.GT) else ir.LE
    return (
        make_bool(False) if a_high is None or b_low is None else less(e.type, a_high, b_low),
        make_bool(True) if a_low is None or b_high is None else less(e.type, a_low, b_high),
    )


def _ends_of(condition: Interval) -> tuple[Expr, Expr]:
    """The interval of a condition, false to true where nothing is known of it."""
    certain, possible = condition
    return make_bool(False) if certain is None else certain, make_bool(True) if possible is None else possible
