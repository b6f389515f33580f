"""What is added to a value where a condition holds.

    if (a) sum += f; if (b) sum += g; ...
is sum + (a ? f : 0) + (b ? g : 0) ..., which has as many terms as conditions; as choices between sums, each in both
arms of the next, it would have one for each way through them."""

from __future__ import annotations

from halide_core.ir.expr import GE, GT, LE, LT, Add, Cast, Expr, Max, Min, Select, const
from halide_core.ir.structural import contains, key
from halide_core.ir.types import Type
from lifter.algebra.fold import fold_node, negate


def added_where(condition: Expr, yes: Expr, no: Expr) -> Expr | None:
    """`condition ? yes : no` where one is the other with something added, or the smaller or larger of both, and the
    other is made by choices itself; None for anything else."""
    if not yes.type.is_int_or_uint() or yes.type.is_bool():
        return None
    for more, less, where in ((yes, no, condition), (no, yes, negate(condition))):
        more = extremum(more)
        if isinstance(more, Add | Min | Max) and contains(less, Select):
            for own, other in ((more.a, more.b), (more.b, more.a)):
                if key(own) == key(less):
                    return fold_node(type(more)(more.type, less, _or_nothing(type(more), where, other)))
    return None


def extremum(e: Expr) -> Expr:
    """A choice of the smaller or larger of two integers by that name: v < least ? v : least."""
    if not isinstance(e, Select) or not isinstance(e.condition, LT | LE | GT | GE) or not e.type.is_int_or_uint():
        return e
    a, b = (_narrow(side, e.type) for side in (e.condition.a, e.condition.b))
    low, high = (a, b) if isinstance(e.condition, LT | LE) else (b, a)
    if key(e.true_value) == key(low) and key(e.false_value) == key(high):
        return Min(e.type, a, b)
    if key(e.true_value) == key(high) and key(e.false_value) == key(low):
        return Max(e.type, a, b)
    return e


def _narrow(e: Expr, t: Type) -> Expr:
    """A number that was promoted to be compared, as it was before."""
    return e.value if isinstance(e, Cast) and e.value.type == t and e.type.can_represent(t) else e


def _or_nothing(kind: type[Add | Min | Max], where: Expr, e: Expr) -> Expr:
    t = e.type
    nothing = {Add: 0, Min: t.max(), Max: t.min()}[kind]
    return fold_node(Select(t, where, e, const(nothing, t)))


__all__ = ["added_where"]
