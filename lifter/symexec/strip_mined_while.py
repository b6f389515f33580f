"""Rows taken in pieces: `while (width > 0) { n = min(width, 64); ...; src += n; width -= n; }`.

All pieces are of full length but the last, after which the loop ends: before any iteration that runs, each step was a
full one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.ir.expr import GE, GT, LE, LT, Expr, Variable, const
from halide_core.ir.structural import key, replace
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly, atom_of, smaller_of, to_poly


@dataclass(frozen=True, slots=True)
class Pieces:
    """`length` is how long a piece is in an iteration, `whole` in all but the last."""

    length: Expr
    whole: int

    def full(self, e: Expr) -> Expr:
        """An expression of an iteration, of one that is not the last."""
        number = key(self.length)
        return replace(e, lambda n: const(self.whole, n.type) if key(n) == number else None)


def pieces(after: Mapping[str, Expr], heads: Mapping[str, Variable], condition: Expr) -> Pieces | None:
    """The pieces that a loop takes what is left in, while `condition` says that something is: `after` and `heads` are
    what the variables are at the end and at the start of an iteration."""
    one = Poly.constant(1)
    for v, head in heads.items():
        if not head.type.is_int():
            continue
        left = to_poly(head)
        taken = left - to_poly(after[v])
        if len(taken.terms) != 1:
            continue
        ((monomial, factor),) = taken.terms.items()
        length = atom_of(monomial[0]) if len(monomial) == 1 and factor == 1 else None
        whole = _least_of(length, left) if length is not None else None
        if length is not None and whole is not None and any(_room(c) == left - one for c in clauses(condition)):
            return Pieces(length, whole)
    return None


def _least_of(e: Expr, left: Poly) -> int | None:
    """The positive constant of which and `left` an expression is the smaller."""
    arms = smaller_of(e)
    for one, other in (arms, arms[::-1]) if arms is not None else ():
        whole = one.constant_value()
        if other == left and whole is not None and whole > 0:
            return whole
    return None


def _room(c: Expr) -> Poly | None:
    """What is not negative where a comparison holds."""
    if not isinstance(c, LT | LE | GT | GE) or not c.a.type.is_int():
        return None
    a, b = to_poly(c.a), to_poly(c.b)
    low, high = (a, b) if isinstance(c, LT | LE) else (b, a)
    return high - low - Poly.constant(1 if isinstance(c, LT | GT) else 0)


__all__ = ["Pieces", "pieces"]
