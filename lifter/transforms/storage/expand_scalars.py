"""Scans: a value carried through a loop that uses it in every iteration becomes an array over the iterations.

    s = a; for (k...) { s = f(s, k); out[k] = g(s); }
becomes
    s[0..n] = a; for (k'...) s[k' + 1] = f(s[k'], k'); for (k...) out[k] = g(s[k + 1]);
(the iterations of several loops are numbered through) so that the loop falls into stages: the recurrence, an ordered
update over an RDom, and what uses it.
The meaning of every effect is kept: element k + 1 of the array is the cell after iteration k.
"""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load, Select, Variable
from halide_core.ir.structural import substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import may_come_first
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.names import array_of, is_read, split_tag, timed


def expand_scans(path: Path) -> Path:
    """`path` with every cell that is updated once an iteration and used in the same loop made an array."""
    for name, info in path.arrays.items():
        if info.cell:
            split = _split(path, name)
            if split is not None:
                return expand_scans(split)
            update = _scan(path, name)
            if update is not None:
                return expand_scans(_expand(*_always(path, update)))
    return path


def widen_starts(path: Path) -> Path:
    """`path` where the first element of a local array, from which a recurrence computes all others, is given to all of
    them first: t[0] = a; for (k < n) t[k + 1] = f(t[k]).  Each is overwritten before it is read."""
    trips = list(path.trips)
    effects = list(path.effects)
    for place, e in enumerate(path.effects):
        following = next((f for f in path.effects[place + 1 :] if f.array == e.array or _reads_array(f, e.array)), None)
        if e.array not in path.arrays or following is None or not _continues(e, following):
            continue
        if not all(_is_behind(f, following) for f in path.effects if f is not following):
            continue
        last = following.loops[-1]
        many = LoopInfo(f"{last.counter}f", last.trip + Poly.constant(1), e.line)
        trips.append((many, e.loops, None))
        effects[place] = replace(e, index=e.index + Poly.variable(many.counter, I32), loops=(*e.loops, many))
    return replace(path, effects=tuple(effects), trips=tuple(trips)) if len(trips) > len(path.trips) else path


def _reads_array(e: Effect, array: str) -> bool:
    return any(array_of(n) == array for n in _reads(e))


def _continues(first: Effect, scan: Effect) -> bool:
    """Whether `scan` computes the elements behind that of `first`, each from the one before it."""
    if first.array != scan.array or first.guard is not None or scan.guard is not None:
        return False
    if not scan.loops or scan.loops[:-1] != first.loops or _reads_array(first, first.array):
        return False
    counter = scan.counters[-1]
    start = scan.index.substitute({counter: Poly()})
    if scan.index - start != Poly.variable(counter, I32) or start - first.index != Poly.constant(1):
        return False
    own = {to_poly(n.index) for n in _reads(scan) if array_of(n) == scan.array}
    return own == {scan.index - Poly.constant(1)}


def _is_behind(e: Effect, scan: Effect) -> bool:
    """Whether an effect reads only what the scan has computed, if they share its loop: what comes later has no value
    yet, and must not get one."""
    if scan.counters[-1] not in e.counters:
        return True
    written = scan.index if e.order > scan.order else scan.index - Poly.constant(1)
    reads = [to_poly(n.index) for n in _reads(e) if array_of(n) == scan.array]
    ahead = [written.distance_from(r) for r in reads]
    return all(a is not None and a >= 0 for a in ahead)


def _scan(path: Path, cell: str) -> Effect | None:
    writes = [e for e in path.effects if e.array == cell]
    if len(writes) != 2 or not all(e.index.is_zero() for e in writes):
        return None
    first, update = writes
    depth = len(first.loops)
    if len(update.loops) <= depth:
        return None
    if update.counters[:depth] != first.counters or not _starts_anew(path, cell, first):
        return None
    outer, *others = update.loops[depth:]
    inside = [e for e in path.effects if outer.counter in e.counters and e.order != update.order]
    users = [e for e in inside if any(array_of(n) == cell for n in _reads(e))]
    if not users:
        return None
    if others:
        if any(e.loops[: len(update.loops)] != update.loops for e in users):
            return None
        if any(x.trip.names() & set(update.counters) or _reads_trip(x) for x in (outer, *others)):
            return None
        stored = {e.array for e in inside}
        return update if not any(array_of(n) in stored for n in _reads(update)) else None
    if not all(may_come_first(n, e, outer.counter) for n in _reads(update) for e in inside):
        return None
    return update


def _reads_trip(loop: LoopInfo) -> bool:
    return any(loads(a) for a in loop.trip.atoms().values())


def _starts_anew(path: Path, cell: str, first: Effect) -> bool:
    """Whether each iteration of the loops around a cell's first write begins with it, so that no value is carried from
    one to the next."""
    around = first.counters[:1]
    if first.guard is not None or (around and any(array_of(n) == cell for n in _reads(first))):
        return False
    earlier = [e for e in path.effects if around and e.counters[:1] == around and e.order < first.order]
    return not any(array_of(n) == cell for e in earlier for n in _reads(e))


def _split(path: Path, cell: str) -> Path | None:
    """A cell that is computed first (a sum over a window) and then carried through a loop, as two: what is carried
    starts as a copy of what was computed."""
    writes = [e for e in path.effects if e.array == cell]
    if len(writes) < 3 or not all(e.index.is_zero() for e in writes):
        return None
    *before, update = writes
    if not update.counters or any(update.counters[-1] in e.counters for e in before):
        return None
    loop, around = update.counters[-1], update.counters[:-1]
    if any(e.counters[: len(around)] != around for e in before):
        return None
    inside = [e for e in path.effects if loop in e.counters]
    start = min(e.order for e in inside)
    if any(e.order > start for e in before) or before[0].counters != around:
        return None
    if around and not _starts_anew(path, cell, before[0]):
        return None
    if not any(array_of(n) == cell for e in inside if e is not update for n in _reads(e)):
        return None
    carried = cell + "_carried"
    while carried in path.arrays:
        carried += "_"

    def retag(e: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if not is_read(n):
                return n
            array, time = split_tag(n.name)
            after = time > update.order or (site is not None and loop in site.counters)
            name = carried if array == cell and after else array
            return Load(n.type, timed(name, time + (time > start or name == carried)), n.index)

        return transform(e, rewrite)

    def moved(e: Effect) -> Effect:
        index = to_poly(retag(from_poly(e.index), e)) if e.index.terms else e.index
        guard = retag(e.guard, e) if e.guard is not None else None
        array = carried if e is update else e.array
        order = e.order + (e.order >= start)
        return replace(e, array=array, index=index, value=retag(e.value, e), guard=guard, order=order)

    effects = [moved(e) for e in path.effects]
    place = next(i for i, e in enumerate(effects) if e.order > start)
    copied = Load(update.value.type, timed(cell, start), from_poly(Poly()))
    effects.insert(place, Effect(carried, Poly(), copied, None, update.loops[:-1], start, before[-1].line))
    result = retag(path.result, None) if path.result is not None else None
    arrays = {**path.arrays, carried: replace(path.arrays[cell], name=carried)}
    return replace(path, effects=tuple(effects), result=result, arrays=arrays)


def _reads(e: Effect) -> list[Load]:
    found = [*loads(e.value), *(n for a in e.index.atoms().values() for n in loads(a))]
    if e.guard is not None:
        found += loads(e.guard)
    return [n for n in found if is_read(n)]


def _always(path: Path, update: Effect) -> tuple[Path, str, Effect]:
    """The path with an update that is made in each iteration: where its guard fails, the cell keeps its value."""
    if update.guard is None:
        return path, update.array, update
    kept = Load(update.value.type, timed(update.array, update.order), from_poly(Poly()))
    plain = replace(update, value=Select(update.value.type, update.guard, update.value, kept), guard=None)
    return replace(path, effects=tuple(plain if e is update else e for e in path.effects)), update.array, plain


def _expand(path: Path, cell: str, update: Effect) -> Path:
    first = next(e for e in path.effects if e.array == cell)
    around, through = update.loops[: len(first.loops)], update.loops[len(first.loops) :]
    loop = through[0]
    suffix = "s"
    while any(t.counter == loop.counter + suffix for t, *_ in path.trips):
        suffix += "s"
    fresh = tuple(LoopInfo(x.counter + suffix, x.trip, x.line) for x in through)
    number, total = Poly(), Poly.constant(1)  # of the iteration, and of all
    for x in through:
        number, total = number * x.trip + Poly.variable(x.counter, I32), total * x.trip
    many = LoopInfo(loop.counter + "i", total + Poly.constant(1), first.line)

    rest = [e for e in path.effects if e.order != update.order]
    position = next(i for i, e in enumerate(rest) if loop.counter in e.counters)
    sequence = [*rest[:position], update, *rest[position:]]
    new_order = {e.order: i for i, e in enumerate(sequence)}

    def tag(old: int) -> int:
        seen = [new_order[e.order] for e in path.effects if e.order < old and e.order != update.order]
        return max(seen, default=-1) + 1

    def element(site: Effect | None, time: int) -> Poly:
        if site is not None and loop.counter in site.counters:
            after = Poly.constant(1 if time > update.order else 0)
            return number + after
        return total if time > update.order else Poly()

    def retag(e: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if not is_read(n):
                return n
            array, time = split_tag(n.name)
            if array != cell:
                return Load(n.type, timed(array, tag(time)), n.index)
            own = site is not None and site.order == update.order
            # what comes before the loop sees the cell's first value, in whichever element it lies
            seen = new_order[update.order] + (0 if own else 1)
            if site is not None and loop.counter not in site.counters and time <= update.order:
                seen = tag(time)
            return Load(n.type, timed(cell, seen), from_poly(element(site, time)))

        return transform(e, rewrite)

    # A value kept for the next iteration only is made of no other such value: nothing needs to be there before it.
    delayed = not any(array_of(n) == cell for n in _reads(update))

    def moved(e: Effect) -> Effect:
        value = retag(e.value, e)
        guard = retag(e.guard, e) if e.guard is not None else None
        index = to_poly(retag(from_poly(e.index), e)) if e.index.terms else e.index
        out = replace(e, value=value, guard=guard, index=index, order=new_order[e.order])
        if e.order == first.order and not delayed:
            return replace(out, index=Poly.variable(many.counter, I32), loops=(*e.loops, many))
        if e.order == update.order:
            rename: dict[str, Expr] = {x.counter: Variable(I32, x.counter + suffix) for x in through}
            return replace(
                out,
                index=number.substitute({x.counter: Poly.variable(x.counter + suffix, I32) for x in through})
                + Poly.constant(1),
                value=substitute(value, rename),
                guard=substitute(guard, rename) if guard is not None else None,
                loops=(*around, *fresh),
            )
        return out

    effects = tuple(moved(e) for e in sequence)
    result = retag(path.result, None) if path.result is not None else None
    arrays = {**path.arrays, cell: replace(path.arrays[cell], cell=False, size=total + Poly.constant(1))}
    new = [(x, (*around, *fresh[:i]), None) for i, x in enumerate(fresh)]
    trips = (*path.trips, *new, *(() if delayed else ((many, first.loops, None),)))
    return replace(path, effects=effects, result=result, arrays=arrays, trips=trips)
