"""Choices by the parity of a number, as polynomials."""

from __future__ import annotations

from halide_core.ir.expr import (
    EQ,
    GT,
    LT,
    NE,
    Call,
    Cast,
    Div,
    Expr,
    Mod,
    Variable,
    const_value,
)
from lifter.algebra.polynomial import Obligation, Poly, atom_of, exact, floor_div, to_poly


def by_parity(condition: Expr, a: Expr, b: Expr, met: list[Obligation] | None = None) -> Expr | None:
    """select(condition, a, b) where `condition` asks whether some n is odd and the arms differ as n and n/2*2 do: an
    index that a remainder moves on by one is n whether there is a remainder or not.  What reading the arms as numbers
    rests on goes to `met`."""
    odd = _asks_odd(condition)
    if odd is None or a.type != b.type or not a.type.is_int() or a.type.bits < 32:
        return None
    n, when = odd
    if_odd, if_even = (to_poly(a), to_poly(b)) if when else (to_poly(b), to_poly(a))
    step = (if_odd - if_even).constant_value()
    (half,) = floor_div(n, 2).terms.items() if len(floor_div(n, 2).terms) == 1 else (((), 0),)
    if not step or half[1] != 1 or if_even.terms.get(half[0]) != 2 * step:
        return None
    for arm in (a, b) if met is not None else ():
        to_poly(arm, met)
    return exact(if_even - Poly({half[0]: 2 * step}) + n.scale(step), a.type)


def _asks_odd(condition: Expr) -> tuple[Poly, bool] | None:
    """(n, whether the condition holds where n is odd) of `(n & 1) != 0` and the like."""
    if isinstance(condition, Cast) and condition.type.is_bool():
        return _low_bit(condition.value, True)
    if isinstance(condition, LT | GT) and condition.a.type.is_int() and condition.a.type.bits >= 32:
        less, more = (condition.a, condition.b) if isinstance(condition, LT) else (condition.b, condition.a)
        return _over_pairs(to_poly(more) - to_poly(less))
    if not isinstance(condition, EQ | NE):
        return None
    for side, other in ((condition.a, condition.b), (condition.b, condition.a)):
        value = const_value(other)
        if value in (0, 1):
            found = _low_bit(side, isinstance(condition, EQ) == (value == 1))
            if found is not None:
                return found
    return None


def _over_pairs(p: Poly) -> tuple[Poly, bool] | None:
    """(n, True) where `p` is n - n/2*2: what `i < n` asks after a loop over pairs."""
    for m, c in p.terms.items():
        e = atom_of(m[0]) if len(m) == 1 and c == -2 else None
        n = p - Poly({m: c})
        if isinstance(e, Div) and floor_div(n, 2) == Poly({m: 1}):
            return n, True
    return None


def _low_bit(e: Expr, when: bool) -> tuple[Poly, bool] | None:
    if isinstance(e, Mod) and e.type.is_int() and e.type.bits >= 32 and const_value(e.b) == 2:
        return to_poly(e.a), when
    if isinstance(e, Call) and e.name == "bitwise_and" and e.type.bits >= 32:
        for n, mask in (e.args, e.args[::-1]):
            # Unsigned sums wrap, and are then no polynomials.
            if const_value(mask) == 1 and (e.type.is_int() or isinstance(n, Variable)):
                return to_poly(n), when
    return None
