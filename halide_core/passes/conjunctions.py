"""Conjunctions of comparisons, without those that others imply."""

from __future__ import annotations

from collections.abc import Iterable

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, I64, Expr, make_bool
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key
from halide_core.ir.sums import linear_terms

_COMPARISONS = (ir.LT, ir.LE, ir.GT, ir.GE)


def strictest(tests: Iterable[Expr]) -> list[Expr]:
    """`tests` without comparisons of sums that two others imply: x + 1 < w between x < w and x + 2 < w.

    Both ends are kept, not the stricter one alone: where x + 2 overflows, x does not."""
    kept: dict[object, tuple[tuple[int, Expr], tuple[int, Expr]]] = {}
    for t in tests:
        number: object = key(t)
        slack = 0
        if isinstance(t, _COMPARISONS) and t.a.type in (I32, I64):
            a, b = (t.a, t.b) if isinstance(t, ir.LT | ir.LE) else (t.b, t.a)
            # What must not be negative.
            terms, constant = linear_terms(wide(ir.Sub(a.type, b, a)))
            slack = constant - (1 if isinstance(t, ir.LT | ir.GT) else 0)
            number = tuple(sorted((k, f) for k, (_, f) in terms.items()))
        here = slack, t
        least, most = kept.get(number, (here, here))
        kept[number] = here if slack < least[0] else least, here if slack > most[0] else most
    return [t for least, most in kept.values() for t in ((least[1],) if least is most else (least[1], most[1]))]


def all_of(tests: Iterable[Expr]) -> Expr:
    """Their conjunction, simplified."""
    condition: Expr = make_bool(True)
    for t in tests:
        condition = simplify(ir.And(BOOL, condition, t))
    return condition


def operands(e: Expr, of: type[Expr]) -> list[Expr]:
    """The operands of a conjunction or disjunction of any number."""
    return [p for c in ir.children(e) for p in operands(c, of)] if isinstance(e, of) else [e]


def wide(e: Expr) -> Expr:
    """A coordinate as an int64, whose sums do not wrap."""
    return ir.Cast(I64, e) if e.type == I32 else e
