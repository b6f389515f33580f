"""Stores to local arrays taken out of a loop into one of their own before it."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Load
from lifter.ir.dependence import memory_apart
from lifter.ir.effect_edits import Edit, Site, reindex, renamed, renamed_loops, retime, with_arrays
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, sites
from lifter.ir.names import time_of, unused


def first_alone(path: Path, name: str, loop: LoopInfo) -> Edit | None:
    """The stores to a local array that stand in a loop, and those to other local arrays that they need, in
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
    outside = {a for e in moving for a in _read(e) if a not in path.arrays}
    apart = memory_apart({e.array for e in staying}, outside, path.arrays)
    if apart is None:
        return None
    start, end = min(e.order for e in inside), max(e.order for e in inside)
    before = [e for e in path.effects if e.order < start]
    behind = [e for e in path.effects if e.order > end]
    first = {id(e) for e in moving}
    later = {id(e) for e in staying}

    def sees(n: Load, site: Site, e: Effect) -> bool:
        early, late = id(site.effect) in first, id(site.effect) in later
        return (late and id(e) in first) or (e.order < time_of(n) and not (early and id(e) in later))

    edit = retime(path, [*before, *moving, *staying, *behind], sees)
    names = _fresh(path, moving, loop)
    moved = edit.path.effects[len(before) : len(before) + len(moving)]
    edit = reindex(edit, {e.order: renamed(e, names) for e in moved})
    own = {a: replace(path.arrays[a], loops=renamed_loops(path.arrays[a].loops, names)) for a in temporary}
    return with_arrays(edit, own).needs(apart)


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
                names[counter] = unused(f"{counter}r", used)
                used.add(names[counter])
    return names


__all__ = ["first_alone", "shared"]
