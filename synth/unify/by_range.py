"""One expression for stores that take turns along a dimension: borders as wide as a parameter says (the first and the
last pixel of rows of any number of channels) beside what lies between them.

Where the pieces differ in what they read only, the choice is made in the coordinates, src(x + select(x < n, 0, -n)),
so that what is computed of the reads stands there once."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Expr, Load, Select
from halide_core.ir.structural import key
from lifter.algebra.anti_unify import INSIDE, AntiUnifier, Inside
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.summary import Layout
from synth.unify.stores import Store, Tests, covers

MOST_PIECES = 32

Ends = tuple[Poly, Poly]
"""The first coordinate of a piece, and the one after its last."""


def by_range(
    stores: Sequence[Store], layout: Layout, tests: Tests, unified: Callable[[Sequence[Store]], Expr | None]
) -> Expr | None:
    """The expression, or None where the stores are no pieces of one dimension.  `unified`: one expression for the
    stores of a piece."""
    for position, d in enumerate(layout.dims):
        pieces = _pieces(stores, position, tests)
        if pieces is None:
            continue
        values = [unified(group) for _, group in pieces]
        if any(v is None for v in values):
            continue
        x = E.Variable(I32, d.name)
        tests_of_pieces = [E.LT(E.BOOL, x, from_poly(ends[1], I32)) for ends, _ in pieces[:-1]]
        found = [v for v in values if v is not None]
        shared = _by_coordinates(found, [group for _, group in pieces], tests_of_pieces, layout, d.name)
        return shared if shared is not None else _chain(tests_of_pieces, found)
    return None


def _pieces(stores: Sequence[Store], position: int, tests: Tests) -> list[tuple[Ends, list[Store]]] | None:
    """The stores by the range of their coordinates along a dimension, in order; None where the ranges meet."""
    groups: dict[Ends, list[Store]] = {}
    for s in stores:
        ends = tests.ends(s[1], position)
        if ends is None:
            return None
        groups.setdefault(ends, []).append(s)
    if not 2 <= len(groups) <= MOST_PIECES:
        return None

    def order(a: Ends, b: Ends) -> int:
        return -1 if tests.before(a[1], b[0]) else 1

    ordered = sorted(groups, key=functools.cmp_to_key(order))
    if not all(tests.before(a[1], b[0]) for a, b in itertools.pairwise(ordered)):
        return None
    return [(ends, groups[ends]) for ends in ordered]


def _chain(conditions: Sequence[Expr], values: Sequence[Expr]) -> Expr:
    """select(c0, v0, select(c1, v1, ...)); equal neighbours share a branch."""
    result = values[-1]
    for condition, value in zip(reversed(conditions), reversed(values[:-1]), strict=True):
        if key(value) != key(result):
            result = Select(value.type, condition, value, result)
    return result


def _by_coordinates(
    values: Sequence[Expr], groups: Sequence[Sequence[Store]], conditions: Sequence[Expr], layout: Layout, name: str
) -> Expr | None:
    """One expression with reads whose coordinates are choices, where the values differ in these only."""
    names = [d.name for d in layout.dims]

    def differing(column: Sequence[Expr]) -> Expr | Inside | None:
        first = column[0]
        if isinstance(first, Load) and first.name.endswith("#"):
            return read([n for n in column if isinstance(n, Load) and n.name == first.name])
        return INSIDE

    def read(column: list[Load]) -> Expr | None:
        if len(column) != len(values):
            return None
        for c in column:
            if all(covers(c, n, m, names) for n, group in zip(column, groups, strict=True) for _, m in group):
                return c
        return _choice(column, conditions, name)

    return AntiUnifier(differing).one(values)


def _choice(column: Sequence[Load], conditions: Sequence[Expr], name: str) -> Load:
    """One read for those of all pieces: what their addresses share, and a choice of the rest."""
    places = [to_poly(n.index) for n in column]
    shared = {
        m: c for m, c in places[0].terms.items()
        if all(p.terms.get(m) == c for p in places) and not (len(m) == 1 and Poly({m: c}).names() == {name})
    }
    rests = [p - Poly(shared) for p in places]
    choice = _chain(conditions, [from_poly(p, I32) for p in rests])
    index = from_poly(Poly(shared) + to_poly(choice))
    found = E.with_children(column[0], (index,))
    assert isinstance(found, Load)
    return found
