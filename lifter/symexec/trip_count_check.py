"""Whether a loop runs as often as its trip count says, where nothing later proves it: in an arm that goes, because the
other one does the same (`path_merging`)."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, NE, Cast, Expr, Variable, const
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly, ahead_of, from_poly, to_poly
from lifter.ir.effect_queries import Follows, compares_integers
from lifter.ir.effects import LoopInfo


def counted(info: LoopInfo, around: Sequence[LoopInfo], given: Sequence[Expr], follows: Follows) -> bool:
    """Whether a loop goes on in each of its iterations and stops after them, for all parameters for which `given`
    holds."""
    if info.condition is None:
        return True
    domain = [c for loop in around for c in _runs(loop)]
    one, trip = Poly.constant(1), info.trip
    last = trip - one if info.first_unconditional else trip
    inside = [*given, *domain, *_runs(info), LT(BOOL, Cast(I64, Variable(I32, info.counter)), from_poly(last))]
    parts = clauses(info.condition)
    if not all(_holds(c, inside, follows) for c in parts):
        return False
    here = {info.counter: last}
    return any(_fails(c, here, [*given, *domain, GE(BOOL, from_poly(trip), const(0, I64))], follows) for c in parts)


def _runs(loop: LoopInfo) -> tuple[Expr, Expr]:
    counter = Variable(I32, loop.counter)
    return GE(BOOL, counter, const(0, I32)), LT(BOOL, Cast(I64, counter), from_poly(loop.trip))


def _holds(condition: Expr, given: Sequence[Expr], follows: Follows) -> bool:
    if not compares_integers(condition, {}, given, follows):
        return False
    one, difference = Poly.constant(1), _difference(condition)
    if difference is not None:  # is not zero
        return follows(given, difference - one) or follows(given, difference.scale(-1) - one)
    ahead = ahead_of(condition)
    return ahead is not None and follows(given, ahead)


def _fails(condition: Expr, here: dict[str, Poly], given: Sequence[Expr], follows: Follows) -> bool:
    if not compares_integers(condition, here, given, follows):
        return False
    difference = _difference(condition)
    if difference is not None:
        return difference.substitute(here).is_zero()
    ahead = ahead_of(condition)
    return ahead is not None and follows(given, Poly.constant(-1) - ahead.substitute(here))


def _difference(condition: Expr) -> Poly | None:
    """What must not be zero for a condition to hold, if it is of that kind."""
    if isinstance(condition, NE) and condition.a.type.is_int_or_uint():
        return to_poly(condition.a) - to_poly(condition.b)
    if isinstance(condition, Cast) and condition.type.is_bool():
        return to_poly(condition.value)
    return None


__all__ = ["counted"]
