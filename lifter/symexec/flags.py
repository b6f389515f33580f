"""Flags that a loop sets and never takes back: `found = true`, in every iteration or under a condition that does not
change with them."""

from __future__ import annotations

from halide_core.ir.expr import BOOL, I32, LT, And, Expr, Load, Or, Select, Variable, const, const_value, make_bool
from halide_core.ir.structural import contains, post_order
from lifter.algebra.fold import fold
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.names import is_counter, is_undefined
from lifter.symexec.state import State


def set_when(after: Expr, head: Variable, placeholders: set[str], s: State) -> Expr | None:
    """When each iteration sets a flag whose value it leaves is `after`, over the one that it finds, `head`; None where
    it does anything else, or where that differs from iteration to iteration."""
    if not after.type.is_bool():
        return None
    match after:
        case Or(a=a, b=b) if _is(b, head) or _is(a, head):
            when = a if _is(b, head) else b
        case Select() if _is(after.false_value, head) and const_value(after.true_value):
            when = after.condition
        case _:
            if const_value(after) is None or not const_value(after):
                return None
            when = make_bool(True)
    return when if _stays(when, placeholders, s) else None


def raised(before: Expr, when: Expr, iterations: Expr) -> Expr:
    """The flag after so many iterations."""
    begun = LT(BOOL, const(0, I32), iterations)
    return fold(Or(BOOL, before, And(BOOL, begun, when)))


def after_all(before: Expr, when: Expr, trip: Poly) -> Expr:
    """The flag after the loop."""
    return raised(before, when, from_poly(trip, I32))


def _is(e: Expr, head: Variable) -> bool:
    return isinstance(e, Variable) and e.name == head.name


def _stays(when: Expr, placeholders: set[str], s: State) -> bool:
    if contains(when, Load):
        return False
    known = {loop.counter for loop in s.loops}
    names = {n.name for n in post_order(when) if isinstance(n, Variable)}
    return not any(n in placeholders or is_undefined(n) or (is_counter(n) and n not in known) for n in names)
