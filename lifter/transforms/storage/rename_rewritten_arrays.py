"""Local arrays that a loop computes anew from what they hold, as an array for each time.

    int t[64] = ...;   for (i < 8) { a = t[i] + t[i + 56]; b = t[i] - t[i + 56]; t[i] = a; t[i + 56] = b; }
becomes
    for (i < 8) { u[i] = t[i] + t[i + 56]; u[i + 56] = t[i] - t[i + 56]; }
where all that the loop reads of the array was there before it, and it stores all that was.  What comes behind the loop
reads the new array.  Of an output it is what was stored before the loop that goes to an array of its own: the caller
sees the last values only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.dependence import may_come_first, memory_apart
from lifter.ir.effect_edits import Edit, Site, remap
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path, arrays_in, reads_of, sites, values_of
from lifter.ir.names import time_of, unused

_MOST = 4096
"""Elements of an array that are looked at one by one."""


def rename_rewritten_arrays(path: Path) -> Edit | None:
    """One such array renamed from the loop on."""
    for name, info in path.arrays.items():
        if info.cell:
            continue
        stores = [e for e in path.effects if e.array == name]
        for around in dict.fromkeys(e.loops for e in stores):
            group = [e for e in stores if e.loops == around]
            earlier = [e for e in stores if e.order < group[0].order]
            depth = len(around) - 1
            new = earlier and (around[:-1] == info.loops or _starts_anew(path, info, around[:-1], earlier, stores))
            if new and _computes_anew(path, name, group, stores) and _covers(depth, group, earlier):
                return _renamed(path, info, group)
    for name in {e.array: None for e in path.effects if e.array not in path.arrays}:
        first = _first_version(path, name)
        if first is not None:
            return first
    return None


def _first_version(path: Path, name: str) -> Edit | None:
    """What is stored to an output, all of which a later loop reads and stores anew, in an array of its own;
    None where there is nothing like it."""
    stores = [e for e in path.effects if e.array == name]
    for around in dict.fromkeys(e.loops for e in stores if len(e.loops) == 1):
        group = [e for e in stores if e.loops == around]
        earlier = [e for e in stores if e.order < group[0].order]
        if not earlier or any(e.guard is not None for e in earlier):
            continue
        if not _computes_anew(path, name, group, stores) or not _covers(0, group, earlier):
            continue
        seeing = [(e, n) for e in path.effects for x in sites(e) for n in reads_of(name, x)]
        seeing = [(e, n) for e, n in seeing if around[0].counter in e.counters or time_of(n) <= group[0].order]
        behind = [e.counters[:1] for e in earlier]
        if any(time_of(n) <= earlier[-1].order or (e.counters and e.counters[:1] in behind) for e, n in seeing):
            continue
        there = [_elements(e.index, e.loops) for e in earlier]
        read = [_elements(to_poly(n.index), e.loops) for e, n in seeing]
        given = {k for elements in there if elements is not None for k in elements}
        if not read or any(r is None or not r <= given for r in read) or min(given) < 0:
            continue
        others = arrays_in([x for e in path.effects for x in sites(e)]) - {name}
        apart = memory_apart({name}, others, path.arrays)
        if apart is not None:
            fresh = _fresh(path, f"{name}_before")
            info = ArrayInfo(fresh, Poly.constant(max(given) + 1), (), earlier[0].line)
            return _moved(path, name, info, _before(group[0].order), _inside(around[0], group[0].order)).needs(apart)
    return None


def _computes_anew(path: Path, name: str, group: Sequence[Effect], stores: Sequence[Effect]) -> bool:
    """Whether the stores of a loop make an array's elements of those that were there before the loop."""
    around = group[0].loops
    if not around or any(e.guard is not None for e in group):
        return False
    loop, first, last = around[-1], group[0].order, group[-1].order
    own = {e.order for e in group}
    if any(first < e.order < last and e.order not in own for e in stores):
        return False
    inside = [e for e in path.effects if loop.counter in e.counters]
    if any(e.array == name and e.order not in own for e in inside):
        return False
    reading = [(e, n) for e in inside for x in sites(e) for n in reads_of(name, x)]
    if any(e.loops != around for e, _ in reading):
        return False
    if not reading and all(time_of(n) > first for e in path.effects for x in sites(e) for n in reads_of(name, x)):
        return False  # nothing looks at what was there
    asked = (x.trip for e in path.effects for x in e.loops)
    fixed = {n for p in asked for n in arrays_in(p.atoms().values())} | arrays_in(values_of(replace(path, result=None)))
    return name not in fixed and all(
        may_come_first(n, s, loop.counter) or _too_far(s, to_poly(n.index), loop) for _, n in reading for s in group
    )


def _starts_anew(
    path: Path, info: ArrayInfo, around: tuple[LoopInfo, ...], earlier: Sequence[Effect], stores: Sequence[Effect]
) -> bool:
    """Whether an array that is declared outside of loops is given all of its values in each of their iterations before
    any of them is read, so that it may as well be declared inside."""
    last = max(e.order for e in earlier)
    using = [e for e in path.effects if e.array == info.name or any(reads_of(info.name, x) for x in sites(e))]
    times = [time_of(n) for e in using for x in sites(e) for n in reads_of(info.name, x)]
    if any(e.loops[: len(around)] != around for e in using) or any(t <= last for t in times):
        return False
    if any(e.guard is not None for e in earlier) or info.name in arrays_in(values_of(path)):
        return False
    return _covers(len(around), earlier, stores)


def _covers(depth: int, group: Sequence[Effect], earlier: Sequence[Effect]) -> bool:
    """Whether every element that some stores give a value is stored by a group, in the same iteration of `depth`
    loops."""
    if len(group) == 1 and all(_over(e, depth) == _over(group[0], depth) is not None for e in earlier):
        return True
    new, old = ([_elements(e.index, e.loops[depth:]) for e in effects] for effects in (group, earlier))
    known = [x for x in (*new, *old) if x is not None]
    if len(known) < len(new) + len(old):
        return False
    return set().union(*known[len(new) :]) <= set().union(*known[: len(new)])


def _over(e: Effect, depth: int) -> tuple[Poly, Poly] | None:
    """How often the one loop inside of `depth` others runs, and the index over a counter of one name."""
    if len(e.loops) != depth + 1:
        return None
    loop = e.loops[depth]
    return loop.trip, e.index.substitute({loop.counter: Poly.variable("", I32)})


def _elements(index: Poly, loops: Sequence[LoopInfo]) -> frozenset[int] | None:
    """The elements that an index comes to in some loops, where these are known numbers."""
    found = {index}
    for loop in loops:
        trip = loop.trip.constant_value()
        if not isinstance(trip, int) or trip * len(found) > _MOST:
            return None
        found = {p.substitute({loop.counter: Poly.constant(k)}) for p in found for k in range(trip)}
    values = [p.constant_value() for p in found]
    return frozenset(v for v in values if isinstance(v, int)) if all(isinstance(v, int) for v in values) else None


def _too_far(store: Effect, read: Poly, loop: LoopInfo) -> bool:
    """Whether a store and a read meet only where they lie further apart than the loop runs."""
    step, other = store.index.coefficient(loop.counter), read.coefficient(loop.counter)
    trip, distance = loop.trip.constant_value(), store.index.distance_from(read)
    if step is None or step != other or not isinstance(trip, int) or distance is None:
        return False
    by = step.constant_value()
    return isinstance(by, int) and distance != 0 and abs(distance) >= abs(by) * trip


def _renamed(path: Path, info: ArrayInfo, group: Sequence[Effect]) -> Edit:
    """`path` with a new array from the loop of the stores `group` on."""
    loop, last, fresh = group[-1].loops[-1], group[-1].order, _fresh(path, f"{info.name}_again")
    return _moved(
        path, info.name, replace(info, name=fresh), lambda e: e.order >= group[0].order,
        lambda site, time: time > last and loop.counter not in site.counters,
    )


def _before(order: int) -> Callable[[Effect], bool]:
    return lambda e: e.order < order


def _inside(loop: LoopInfo, first: int) -> Callable[[Site, int], bool]:
    return lambda site, time: site.effect is not None and (loop.counter in site.counters or time <= first)


def _fresh(path: Path, fresh: str) -> str:
    return unused(fresh, {*path.arrays, *(e.array for e in path.effects)}, "_")


def _moved(
    path: Path, name: str, fresh: ArrayInfo, stored: Callable[[Effect], bool], seen: Callable[[Site, int], bool]
) -> Edit:
    """`path` with some stores to an array, and the reads that see these, by where they stand and their time, of another
    array."""

    def place(array: str, index: Poly, site: Site, time: int | None) -> tuple[str, Poly]:
        if time is None:
            assert site.effect is not None
            return fresh.name if stored(site.effect) else array, index
        return fresh.name if seen(site, time) else array, index

    return remap(path, {name}, place, {fresh.name: fresh})
