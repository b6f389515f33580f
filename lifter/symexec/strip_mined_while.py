"""Rows taken in pieces: `while (width > 0) { n = min(width, 64); ...; src += n; width -= n; }`, and
`while (done < width) { n = min(width - done, 64); ...; done += n; }`.

All pieces are of full length but the last, after which the loop ends: before any iteration that runs, each step was a
full one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.ir.expr import GE, GT, LE, LT, Expr, Min, Select, Variable, const
from halide_core.ir.structural import replace
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly, atom_of, smaller_of, to_poly


@dataclass(frozen=True, slots=True)
class Pieces:
    """`length` is how long a piece is in an iteration, `whole` in all but the last."""

    length: Expr
    whole: int

    def full(self, e: Expr) -> Expr:
        """An expression of an iteration, of one that is not the last."""
        length = Poly.atom(self.length)

        def rewrite(n: Expr) -> Expr | None:
            return const(self.whole, n.type) if isinstance(n, Min | Select) and to_poly(n) == length else None

        return replace(e, rewrite)


def pieces(after: Mapping[str, Expr], heads: Mapping[str, Variable], condition: Expr) -> Pieces | None:
    """The pieces that a loop takes what is left in, while `condition` says that something is: `after` and `heads` are
    what the variables are at the end and at the start of an iteration."""
    ends = {h.name: to_poly(after[v]) for v, h in heads.items() if h.type.is_int() and after[v].type.is_int()}
    for head in heads.values():
        if head.name not in ends:
            continue
        step = ends[head.name] - to_poly(head)
        if len(step.terms) != 1:
            continue
        ((monomial, factor),) = step.terms.items()
        length = atom_of(monomial[0]) if len(monomial) == 1 and abs(factor) == 1 else None
        found = _least_of(length) if length is not None else None
        if length is None or found is None:
            continue
        whole, left = found
        known = left.names() & {h.name for h in heads.values()} <= ends.keys()
        taken = known and left - left.substitute(ends) == Poly.atom(length)
        if taken and any(_room(c) == left - Poly.constant(1) for c in clauses(condition)):
            return Pieces(length, whole)
    return None


def _least_of(e: Expr) -> tuple[int, Poly] | None:
    """The positive constant, and the other number, of which an expression is the smaller one."""
    arms = smaller_of(e)
    for one, other in (arms, arms[::-1]) if arms is not None else ():
        whole = one.constant_value()
        if whole is not None and whole > 0:
            return whole, other
    return None


def _room(c: Expr) -> Poly | None:
    """What is not negative where a comparison holds."""
    if not isinstance(c, LT | LE | GT | GE) or not c.a.type.is_int():
        return None
    a, b = to_poly(c.a), to_poly(c.b)
    low, high = (a, b) if isinstance(c, LT | LE) else (b, a)
    return high - low - Poly.constant(1 if isinstance(c, LT | GT) else 0)


__all__ = ["Pieces", "pieces"]
