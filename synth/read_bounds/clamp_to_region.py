"""Coordinates at which earlier stages are read, held to their regions where bounds inference would ask for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, Call, Expr, Max, Min, Select
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Definition, Dim, FuncSummary
from synth.region.coordinates import coordinate
from verifier.conditions.demanded import Demand, demands
from verifier.smt import IndexEncoder, Proved, Query, prove

Holds = Callable[[Poly], bool]
"""Whether a polynomial over parameters is not negative."""
Same = Callable[[FuncSummary, Definition, Expr, Expr], bool]


@dataclass(frozen=True, slots=True)
class SameCoordinate:
    """Whether two coordinates are one over the box of a definition, where `given` holds.  seconds: for the proof."""

    given: tuple[Expr, ...]
    seconds: float

    def __call__(self, f: FuncSummary, d: Definition, a: Expr, b: Expr) -> bool:
        index = IndexEncoder()
        given = [index.given(c) for c in self.given]
        ends = [(x.name, x.min, x.min + x.extent) for x in f.layout.dims]
        ends += [(r.name, Poly(), r.extent) for r in d.rdom]
        for name, low, high in ends:
            at = index.symbol(name)
            given += [at >= index.poly(low), at < index.poly(high)]
        goal = index.expr(a) == index.expr(b)
        return isinstance(prove(Query((*given, *index.facts), goal), self.seconds), Proved)


def within(
    f: FuncSummary, funcs: list[FuncSummary], function: Function, non_negative: Holds, same: Same
) -> FuncSummary:
    """`f` with such reads clamped.  `same`: whether two coordinates are one over the box of a definition."""
    by_name = {g.name: g for g in funcs}
    definitions = []
    for d in f.definitions:
        beyond: dict[int, list[Demand | None]] = {}
        for needed in demands(function, f, d, by_name, non_negative):
            dims = by_name[needed.call.name].layout.dims
            found = beyond.setdefault(key(needed.call), [None] * len(dims))
            if not _inside(needed, non_negative):
                found[dims.index(needed.dim)] = needed

        def clamped(n: Expr, d: Definition = d, beyond: dict[int, list[Demand | None]] = beyond) -> Expr:
            wanted = beyond.get(key(n), [])
            if not isinstance(n, Call) or not any(wanted):
                return n
            args = [a if w is None else _held(f, d, a, w.dim, same) for a, w in zip(n.args, wanted, strict=True)]
            return replace(n, args=tuple(args))

        if any(any(w) for w in beyond.values()):
            where = None if d.where is None else transform(d.where, clamped)
            args = tuple(transform(a, clamped) for a in d.args)
            d = replace(d, value=transform(d.value, clamped), args=args, where=where)
        definitions.append(d)
    return replace(f, definitions=tuple(definitions))


def asks_beyond(f: FuncSummary, funcs: list[FuncSummary], function: Function, non_negative: Holds) -> bool:
    """Whether more may be computed of other Funcs than their regions."""
    by_name = {g.name: g for g in funcs}
    return not all(
        _inside(needed, non_negative)
        for d in f.definitions
        for needed in demands(function, f, d, by_name, non_negative)
    )


def _inside(needed: Demand, non_negative: Holds) -> bool:
    if needed.ends is None:
        return False
    low, high = needed.ends
    last = needed.dim.min + needed.dim.extent - Poly.constant(1)
    return non_negative(low - needed.dim.min) and non_negative(last - high)


def _held(f: FuncSummary, d: Definition, a: Expr, dim: Dim, same: Same) -> Expr:
    """A coordinate clamped to the region: one arm of a choice, where that is the same, or all of it."""
    low, high = coordinate(dim.min), from_poly(dim.min + dim.extent - Poly.constant(1), I32)
    arms = (a.true_value, a.false_value) if isinstance(a, Select) else ()
    for arm in arms:
        for held in (Min(I32, arm, high), Max(I32, arm, low)):
            if same(f, d, a, held):
                return held
    return Max(I32, Min(I32, a, high), low)


__all__ = ["SameCoordinate", "asks_beyond", "within"]
