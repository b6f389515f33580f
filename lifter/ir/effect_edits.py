"""Edits of paths that more than one rewriting makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load, Variable, make_bool
from halide_core.ir.structural import substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effects import Effect, FoundObligation, LoopInfo, Path, loads
from lifter.ir.names import array_of, is_read, split_tag, timed


def timeless(e: Expr) -> Expr:
    """An expression whose Loads name no time and have their indices as polynomials."""

    def rewrite(n: Expr) -> Expr:
        if not isinstance(n, Load):
            return n
        return replace(n, name=array_of(n), index=from_poly(to_poly(n.index)))

    return transform(e, rewrite)


def spaced(path: Path, times: int) -> Path:
    """`path` with room for `times` effects at the time of each."""

    def later(x: Expr) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if not is_read(n):
                return n
            array, time = split_tag(n.name)
            return replace(n, name=timed(array, time * times))

        return transform(x, rewrite)

    def poly(p: Poly) -> Poly:
        return to_poly(later(from_poly(p))) if any(loads(a) for a in p.atoms().values()) else p

    def around(loops: tuple[LoopInfo, ...]) -> tuple[LoopInfo, ...]:
        return tuple(replace(x, trip=poly(x.trip)) for x in loops)

    def optional(x: Expr | None) -> Expr | None:
        return later(x) if x is not None else None

    def moved(e: Effect) -> Effect:
        index, value, order = poly(e.index), later(e.value), e.order * times
        return replace(e, index=index, value=value, guard=optional(e.guard), loops=around(e.loops), order=order)

    def found(o: FoundObligation) -> FoundObligation:
        obligation = replace(o.obligation, poly=poly(o.obligation.poly))
        return replace(o, obligation=obligation, loops=around(o.loops), guard=optional(o.guard))

    return replace(
        path,
        conditions=tuple(map(later, path.conditions)),
        effects=tuple(map(moved, path.effects)),
        arrays={n: replace(a, loops=around(a.loops)) for n, a in path.arrays.items()},
        obligations=tuple(map(found, path.obligations)),
        trips=tuple((around((x,))[0], around(outer), optional(g)) for x, outer, g in path.trips),
        result=optional(path.result),
        reads=tuple(map(moved, path.reads)),
    )


def left_to_original(path: Path) -> Path:
    """A path that does nothing and that no contract allows."""
    return replace(path, effects=(), trips=(), obligations=(), reads=(), arrays={}, asserts=((make_bool(False), 0),))


def renamed(e: Effect, counters: Mapping[str, str]) -> Effect:
    """An effect in loops of its own: `counters` gives the new names of some of its loops' counters."""
    polys = {old: Poly.variable(new, I32) for old, new in counters.items()}
    variables = {old: Variable(I32, new) for old, new in counters.items()}

    def around(x: LoopInfo) -> LoopInfo:
        trip = x.trip.substitute(polys)
        if x.counter not in counters:
            return replace(x, trip=trip)
        return replace(x, counter=counters[x.counter], trip=trip, condition=None)

    return replace(
        e,
        index=e.index.substitute(polys),
        value=substitute(e.value, variables),
        guard=None if e.guard is None else substitute(e.guard, variables),
        loops=tuple(map(around, e.loops)),
    )
