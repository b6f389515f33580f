"""Stores to local arrays taken out of a loop into one of their own before it."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load, Variable
from halide_core.ir.structural import substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import memory_apart
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, sites
from lifter.ir.names import is_read, split_tag, timed


def first_alone(path: Path, name: str, loop: LoopInfo) -> Path | None:
    """`path` with the stores to a local array that stand in a loop, and those to other local arrays that they need, in
    a loop of their own before it; None where they need what else the loop stores, or nothing else is left in it.

    The loop's other effects then see the array as it is after all iterations, which must be what they saw."""
    inside = [e for e in path.effects if loop.counter in e.counters]
    arrays = _needed(path, name, inside)
    if arrays is None:
        return None
    moving = [e for e in inside if e.array in arrays]
    staying = [e for e in inside if e.array not in arrays]
    temporary = arrays - {name}
    if not staying or shared(path, name, loop):
        return None
    start, end = min(e.order for e in inside), max(e.order for e in inside)
    before = [e for e in path.effects if e.order < start]
    behind = [e for e in path.effects if e.order > end]
    new_order = {e.order: i for i, e in enumerate((*before, *moving, *staying, *behind))}
    names = _fresh(path, moving, loop)
    first = {e.order for e in moving}
    later = {e.order for e in staying}

    def time(old: int, site: Effect | None) -> int:
        early, late = (site is not None and site.order in orders for orders in (first, later))
        seen = [e.order for e in path.effects if e.order < old and not (early and e.order in later)]
        if late:
            seen += first
        return max((new_order[o] for o in seen), default=-1) + 1

    def retimed(x: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if is_read(n):
                array, old = split_tag(n.name)
                return Load(n.type, timed(array, time(old, site)), n.index)
            return n

        x = transform(x, rewrite)
        if site is None or site.order not in first:
            return x
        return substitute(x, {a: Variable(I32, b) for a, b in names.items()})

    polys = {a: Poly.variable(b, I32) for a, b in names.items()}

    def renamed(around: tuple[LoopInfo, ...]) -> tuple[LoopInfo, ...]:
        return tuple(
            LoopInfo(names[x.counter], x.trip.substitute(polys), x.line) if x.counter in names else x for x in around
        )

    def moved(e: Effect) -> Effect:
        guard = retimed(e.guard, e) if e.guard is not None else None
        index = to_poly(retimed(from_poly(e.index), e))
        loops = renamed(e.loops) if e.order in first else e.loops
        return replace(e, index=index, value=retimed(e.value, e), guard=guard, loops=loops, order=new_order[e.order])

    effects = tuple(moved(e) for e in (*before, *moving, *staying, *behind))
    result = retimed(path.result, None) if path.result is not None else None
    trips = {}
    for e in moving:
        for depth, x in enumerate(e.loops):
            if x.counter in names:
                trips[names[x.counter]] = (renamed((x,))[0], renamed(e.loops[:depth]), None)
    own = {a: replace(path.arrays[a], loops=renamed(path.arrays[a].loops)) for a in temporary}
    outside = {a for e in moving for a in _read(e) if a not in path.arrays}
    apart = memory_apart({e.array for e in staying}, outside, path.arrays)
    if apart is None:
        return None
    return replace(
        path, effects=effects, result=result, arrays={**path.arrays, **own}, trips=(*path.trips, *trips.values()),
        apart=path.apart | apart,
    )


def shared(path: Path, name: str, loop: LoopInfo) -> set[str]:
    """The other local arrays of which a loop makes an array, and something else."""
    inside = [e for e in path.effects if loop.counter in e.counters]
    arrays = _needed(path, name, inside) or set()
    return {a for e in inside if e.array not in arrays for a in _read(e)} & (arrays - {name})


def _read(e: Effect) -> set[str]:
    return arrays_in(sites(e))


def _needed(path: Path, name: str, inside: list[Effect]) -> set[str] | None:
    """The arrays stored to in a loop that one of them is made of; None where one is not local."""
    stored = {e.array for e in inside}
    found, work = set[str](), [name]
    while work:
        array = work.pop()
        if array in found:
            continue
        if array not in path.arrays:
            return None
        found.add(array)
        work += [a for e in inside if e.array == array for a in _read(e) if a in stored]
    return found


def _fresh(path: Path, moving: list[Effect], loop: LoopInfo) -> dict[str, str]:
    """Names for the counters of loops, from `loop` inwards, that no loop has yet."""
    used = {info.counter for info, _, _ in path.trips} | {c for e in path.effects for c in e.counters}
    names: dict[str, str] = {}
    for e in moving:
        for counter in e.counters[e.counters.index(loop.counter) :]:
            if counter not in names:
                fresh = f"{counter}r"
                while fresh in used:
                    fresh += "r"
                names[counter] = fresh
                used.add(fresh)
    return names


__all__ = ["first_alone", "shared"]
