"""Rows of a local array that are copies of other rows of it: memcpy(second, first, n) after the first is filled."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Load, Variable
from halide_core.ir.structural import substitute
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effect_edits import spaced
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, domain, loads, sites
from lifter.ir.names import any_counter, array_of


def without_copies(path: Path, name: str, follows: Follows) -> Path:
    """`path` where such a copy is made by the stores that fill the row which is copied."""
    for e in path.effects:
        source = _source(e, name, len(path.arrays[name].loops))
        originals = _originals(path, e, source, follows) if source is not None else None
        if source is not None and originals:
            return without_copies(_replaced(path, e, source, originals), name, follows)
    return path


def _source(e: Effect, name: str, depth: int) -> Poly | None:
    """How far behind an element lies what a store copies to it, going over elements one by one."""
    if e.array != name or e.guard is not None or not isinstance(e.value, Load) or len(e.loops) != depth + 1:
        return None
    if array_of(e.value) != name or e.index.coefficient(e.counters[-1]) != Poly.constant(1):
        return None
    behind = e.index - to_poly(e.value.index)
    return behind if not any_counter(behind.names()) else None


def _originals(path: Path, copy: Effect, behind: Poly, follows: Follows) -> list[Effect] | None:
    """The stores that fill what is copied: all those to the array before, each within the copied range."""
    before = [e for e in path.effects if e.array == copy.array and e.order < copy.order]
    start = copy.index.substitute({copy.counters[-1]: Poly()}) - behind
    end = start + copy.loops[-1].trip
    for e in before:
        given = [*path.conditions, *(c for c, _ in path.asserts), *domain(e.loops)]
        inside = (e.index - start, end - e.index - Poly.constant(1))
        if e.loops[: len(copy.loops) - 1] != copy.loops[:-1] or _reads(e, copy.array):
            return None
        if e.guard is not None or not all(follows(given, p) for p in inside):
            return None
        read = arrays_in(sites(e))
        if any(x.array in read and e.order <= x.order < copy.order for x in path.effects):
            return None
    return before


def _reads(e: Effect, array: str) -> bool:
    return any(array_of(n) == array for x in sites(e) for n in loads(x))


def _replaced(path: Path, copy: Effect, behind: Poly, originals: list[Effect]) -> Path:
    orders = {e.order for e in originals}
    room = len(originals)
    path = spaced(path, room)
    effects: list[Effect] = []
    trips = list(path.trips)
    for e in path.effects:
        if e.order != copy.order * room:
            effects.append(e)
            continue
        for i, original in enumerate(x for x in path.effects if x.order // room in orders and x.order % room == 0):
            names = {c: f"{c}c{copy.order}" for c in original.counters[len(copy.loops) - 1 :]}
            effects.append(_renamed(original, names, behind, e.order + i))
            trips += [
                (x, effects[-1].loops[:depth], None)
                for depth, x in enumerate(effects[-1].loops)
                if x.counter in names.values()
            ]
    return replace(path, effects=tuple(effects), trips=tuple(trips))


def _renamed(e: Effect, names: dict[str, str], behind: Poly, order: int) -> Effect:
    polys = {old: Poly.variable(new, I32) for old, new in names.items()}
    value = substitute(e.value, {old: Variable(I32, new) for old, new in names.items()})
    loops = tuple(
        LoopInfo(names[x.counter], x.trip.substitute(polys), x.line) if x.counter in names else x for x in e.loops
    )
    return replace(e, index=e.index.substitute(polys) + behind, value=value, loops=loops, order=order)


__all__ = ["without_copies"]
