"""Loops whose iterations take turns: `for (i = 0; i < 2 * n; i++) dst[i < n ? i : size - 2 * n + i] = ...`.

`for (; c;) body` is `for (; t && c;) body` and then `for (; c;) body`, whatever `t` is.  With a condition `t` of the
body that holds up to some iteration and never again, the first loop knows that it holds and the second one that it
does not, and each store has a plain address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from halide_core.ir.expr import GE, GT, LE, LT, And, Expr, Load, Not, Or, Select
from halide_core.ir.structural import contains, key, post_order, variables
from lifter.algebra.fold import negate, parts
from lifter.algebra.polynomial import Obligation, Poly, atom_of, to_poly
from lifter.ir import loop_ir as L
from lifter.symexec.trip_counts import NoTrip, trip_count

MOST_TURNS = 6

Fact = tuple[Expr, bool]
"""A condition of the source, and whether it holds in every iteration."""


def turn_of(index: Poly) -> Expr | None:
    """The condition, on counters and parameters, of a choice in an address."""
    for m in index.terms:
        for e in map(atom_of, m):
            if isinstance(e, Select) and not contains(e.condition, Load):
                return e.condition
    return None


def turning_points(loop: L.Loop) -> list[Expr]:
    """The comparisons in a loop's body, outside the loops in it, of what only its step changes."""
    assigned = {s.name for s in L.walk((*loop.prelude, *loop.body)) if isinstance(s, L.Assign)}
    stepped = {s.name for s in L.walk(loop.step) if isinstance(s, L.Assign)}
    found: dict[int, Expr] = {}
    for condition in _conditions(loop.body):
        for part in parts(condition, And, Or, Not):
            names = variables(part)
            plain = isinstance(part, LT | LE | GT | GE) and not contains(part, Load)
            if plain and names & stepped and not names & assigned:
                found.setdefault(key(part), part)
    return list(found.values())[:MOST_TURNS]


def _conditions(body: Sequence[L.Stmt]) -> list[Expr]:
    out: list[Expr] = []
    for s in body:
        if isinstance(s, L.If):
            out += [s.condition, *_conditions(s.then), *_conditions(s.otherwise)]
        for e in L.expressions(s) if not isinstance(s, L.Loop | L.If) else ():
            out += [n.condition for n in post_order(e) if isinstance(n, Select)]
    return out


def run_of(
    condition: Expr, evaluate: Callable[[Expr], Expr], counter: str, heads: Mapping[str, Poly]
) -> tuple[Expr, Poly] | None:
    """(what holds in the first iterations and not in the others: `condition` or its contrary; how many these are)."""
    for t in (condition, negate(condition)):
        try:
            return t, trip_count(evaluate(t), heads, counter)
        except NoTrip:
            continue
    return None


def contrary(value: Expr) -> list[Obligation]:
    """What must hold for a comparison of integers not to hold, read over the integers."""
    assert isinstance(value, LT | LE | GT | GE)
    found: list[Obligation] = []
    a, b = to_poly(value.a, found), to_poly(value.b, found)
    if isinstance(value, GT | GE):
        a, b = b, a
    distance = a - b if isinstance(value, LT | GT) else a - b - Poly.constant(1)
    return [*found, Obligation(distance, None)]
