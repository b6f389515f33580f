"""Local arrays that a loop computes anew from what they hold, as an array for each time.

    int t[64] = ...;   for (i < 8) { a = t[i] + t[i + 56]; b = t[i] - t[i + 56]; t[i] = a; t[i + 56] = b; }
becomes
    for (i < 8) { u[i] = t[i] + t[i + 56]; u[i + 56] = t[i] - t[i + 56]; }
where all that the loop reads of the array was there before it, and it stores all that was.  What comes behind the loop
reads the new array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, Expr
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import may_come_first
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path, arrays_in, reads_of, sites, values_of
from lifter.ir.names import is_read, split_tag, time_of, timed

_MOST = 4096
"""Elements of an array that are looked at one by one."""


def with_versions(path: Path) -> Path:
    """`path` with such arrays renamed from the loop on."""
    for name, info in path.arrays.items():
        if info.cell:
            continue
        stores = [e for e in path.effects if e.array == name]
        for around in dict.fromkeys(e.loops for e in stores):
            group = [e for e in stores if e.loops == around]
            earlier = [e for e in stores if e.order < group[0].order]
            depth = len(around) - 1
            new = earlier and (around[:-1] == info.loops or _starts_anew(path, info, around[:-1], earlier, stores))
            if new and _computes_anew(path, info, group, stores) and _covers(depth, group, earlier):
                return with_versions(_renamed(path, info, group))
    return path


def _computes_anew(path: Path, info: ArrayInfo, group: Sequence[Effect], stores: Sequence[Effect]) -> bool:
    """Whether the stores of a loop make an array's elements of those that were there before the loop."""
    around = group[0].loops
    if not around or any(e.guard is not None for e in group):
        return False
    loop, first, last = around[-1], group[0].order, group[-1].order
    if any(first < e.order < last and e not in group for e in stores):
        return False
    inside = [e for e in path.effects if loop.counter in e.counters]
    if any(e.array == info.name and e not in group for e in inside):
        return False
    reading = [(e, n) for e in inside for x in sites(e) for n in reads_of(info.name, x)]
    if not reading or any(e.loops != around for e, _ in reading):
        return False
    asked = (x.trip for e in path.effects for x in e.loops)
    fixed = {n for p in asked for n in arrays_in(p.atoms().values())} | arrays_in(values_of(replace(path, result=None)))
    return info.name not in fixed and all(
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
    new, old = ([_elements(e, depth) for e in effects] for effects in (group, earlier))
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


def _elements(e: Effect, depth: int) -> frozenset[int] | None:
    """The elements that a store's loops inside of `depth` others come to, where these are known numbers."""
    found = {e.index}
    for loop in e.loops[depth:]:
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


def _renamed(path: Path, info: ArrayInfo, group: Sequence[Effect]) -> Path:
    loop, last = group[-1].loops[-1], group[-1].order
    fresh = f"{info.name}_again"
    while fresh in path.arrays:
        fresh += "_"

    def behind(inside: bool) -> Callable[[Expr], Expr]:
        """Reads behind the loop, of the new array."""

        def rewrite(n: Expr) -> Expr:
            if not is_read(n) or inside:
                return n
            array, time = split_tag(n.name)
            return replace(n, name=timed(fresh, time)) if array == info.name and time > last else n

        return rewrite

    def moved(e: Effect) -> Effect:
        rewrite = behind(loop.counter in e.counters)
        index = to_poly(transform(from_poly(e.index), rewrite)) if arrays_in(e.index.atoms().values()) else e.index
        guard = transform(e.guard, rewrite) if e.guard is not None else None
        later = e.array == info.name and e.order >= group[0].order
        array = fresh if later else e.array
        return replace(e, array=array, index=index, value=transform(e.value, rewrite), guard=guard)

    return replace(
        path,
        effects=tuple(map(moved, path.effects)),
        reads=tuple(map(moved, path.reads)),
        result=transform(path.result, behind(False)) if path.result is not None else None,
        arrays={**path.arrays, fresh: replace(info, name=fresh)},
    )
