"""Steps of a variable that data choose, where all that can be chosen are one number: a pointer that each arm moves on
by its pixel's elements, counted in one way or the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from halide_core.ir.expr import BOOL, EQ, I64, Add, Expr, Select, Sub, children, const, with_children
from halide_core.ir.structural import contains, key
from lifter.algebra.polynomial import Obligation, Poly, from_poly, to_poly

_MOST = 16
"""Arms that are looked at."""


def agreeing_step(
    after: Expr, head: Expr, fixed: Callable[[Poly], bool], met: list[Obligation]
) -> tuple[Poly, list[Expr]] | None:
    """By how much a variable goes on in every arm, and what that asks of parameters: that the arms' steps are one;
    what must hold for them to be these numbers is added to `met`.  None where they are not one, are not `fixed`, or an
    arm leaves the variable as it is."""
    found = _arms(after)
    if found is None or len(found) < 2:
        return None
    asked: list[Obligation] = []
    steps = list(dict.fromkeys(to_poly(arm, asked) - to_poly(head) for arm in found))
    first = min(steps, key=lambda p: (len(p.terms), str(p)))
    apart = [p - first for p in steps if p != first]
    if first.is_zero() or not all(map(fixed, steps)) or any(p.constant_value() is not None for p in apart):
        return None
    met += asked
    return first, [EQ(BOOL, from_poly(p), const(0, I64)) for p in apart]


def _arms(e: Expr) -> list[Expr] | None:
    """What an expression may be by the choices in it; None where that is too much."""
    if isinstance(e, Select):
        both = [_arms(e.true_value), _arms(e.false_value)]
        found = None if None in both else [arm for arms in both for arm in arms or ()]
    elif isinstance(e, Add | Sub) and contains(e, Select):
        parts = [_arms(c) for c in children(e)]
        found = None if None in parts else [with_children(e, c) for c in itertools.product(*(p or () for p in parts))]
    else:
        return [e]
    if found is None:
        return None
    known = list({key(arm): arm for arm in found}.values())
    return known if len(known) <= _MOST else None
