"""Scans: a value carried through a loop that uses it in every iteration becomes an array over the iterations.

    s = a; for (k...) { s = f(s, k); out[k] = g(s); }
becomes
    s[0..n] = a; for (k'...) s[k' + 1] = f(s[k'], k'); for (k...) out[k] = g(s[k + 1]);
(the iterations of several loops are numbered through) so that the loop falls into stages: the recurrence, an ordered
update over an RDom, and what uses it.
The meaning of every effect is kept: element k + 1 of the array is the cell after iteration k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, Load, Select
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import Pairs, may_come_first
from lifter.ir.effect_edits import Edit, Site, opened, reindex, remap, renamed, restate, retime, widen
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.names import array_of, is_read, time_of, timed, unused


def expand_scalars(path: Path) -> Edit | None:
    """A cell that is updated once an iteration and used in the same loop made an array."""
    for name, info in path.arrays.items():
        if info.cell:
            split = _split(path, name)
            if split is not None:
                return split
            update = _scan(path, name)
            if update is not None:
                return _expanded(path, update)
    return None


def widen_starts(path: Path) -> Edit | None:
    """The first element of a local array, from which a recurrence computes all others, given to all of them first:
    t[0] = a; for (k < n) t[k + 1] = f(t[k]).  Each is overwritten before it is read."""
    for place, e in enumerate(path.effects):
        following = next((f for f in path.effects[place + 1 :] if f.array == e.array or _reads_array(f, e.array)), None)
        if e.array not in path.arrays or following is None or not _continues(e, following):
            continue
        if not all(_is_behind(f, following) for f in path.effects if f is not following):
            continue
        last = following.loops[-1]
        return widen(path, e, LoopInfo(f"{last.counter}f", last.trip + Poly.constant(1), e.line))
    return None


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


def _split(path: Path, cell: str) -> Edit | None:
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
    carried = unused(cell + "_carried", path.arrays, "_")
    # What the loop reads before it stores anything sees the copy.
    room = opened(path, start, lambda n, site: array_of(n) == cell and loop in site.counters)

    def place(array: str, index: Poly, site: Site, time: int | None) -> tuple[str, Poly]:
        behind = time is not None and time > update.order + 1
        return carried if behind or loop in site.counters else array, index

    copied = Load(update.value.type, timed(cell, start), from_poly(Poly()))
    copy = Effect(carried, Poly(), copied, None, update.loops[:-1], start, before[-1].line)
    info = replace(path.arrays[cell], name=carried)
    return restate(remap(room, {cell}, place, {carried: info}), {}, [copy])


def _reads(e: Effect) -> list[Load]:
    found = [*loads(e.value), *(n for a in e.index.atoms().values() for n in loads(a))]
    if e.guard is not None:
        found += loads(e.guard)
    return [n for n in found if is_read(n)]


def _always(path: Path, update: Effect) -> Edit:
    """An update made in each iteration: where its guard fails, the cell keeps its value."""
    if update.guard is None:
        return Edit.on(path)
    kept = Load(update.value.type, timed(update.array, update.order), from_poly(Poly()))
    value = Select(update.value.type, update.guard, update.value, kept)
    return restate(path, {update.order: replace(update, value=value, guard=None)})


def _expanded(path: Path, update: Effect) -> Edit:
    """A cell as an array with an element for what it holds before the first iteration, and after each."""
    cell, first = update.array, next(e for e in path.effects if e.array == update.array)
    through = update.loops[len(first.loops) :]
    loop = through[0]
    number, total = Poly(), Poly.constant(1)  # of the iteration, and of all
    for x in through:
        number, total = number * x.trip + Poly.variable(x.counter, I32), total * x.trip

    def element(array: str, _index: Poly, site: Site, time: int | None) -> tuple[str, Poly]:
        after = site.effect is not first if time is None else time > update.order
        if loop.counter in site.counters:
            return array, number + Poly.constant(1 if after else 0)
        return array, total if after else Poly()

    plain = _always(path, update)
    longer = replace(path.arrays[cell], cell=False, size=total + Poly.constant(1))
    edit = _before_loop(remap(plain, {cell}, element, {cell: longer}), cell, update.order, loop)
    moved = next(e for e in edit.path.effects if e.array == cell and loop.counter in e.counters)
    suffix = "s"
    while any(t.counter == loop.counter + suffix for t, *_ in path.trips):
        suffix += "s"
    edit = reindex(edit, {moved.order: renamed(moved, {x.counter: x.counter + suffix for x in through})})
    edit = edit.needs(_apart(path, update, through))
    # A value kept for the next iteration only is made of no other such value: nothing needs to be there before it.
    if not any(array_of(n) == cell for n in _reads(plain.effect(update.order))):
        return edit
    start = next(e for e in edit.path.effects if e.array == cell)
    return widen(edit, start, LoopInfo(loop.counter + "i", total + Poly.constant(1), first.line))


def _apart(path: Path, update: Effect, through: Sequence[LoopInfo]) -> Pairs:
    """What must not be the same memory for an update to be made in all iterations before the loop's other effects: what
    it reads, and what these store to an element that a later iteration reads, or may read."""
    inside = [e for e in path.effects if through[0].counter in e.counters and e.array not in path.arrays]
    found = set[frozenset[str]]()
    for n in _reads(update):
        array = array_of(n)
        for e in inside if array not in path.arrays else ():
            same = replace(n, name=timed(e.array, time_of(n)))
            alike = len(through) == 1 and n.type.bits == e.value.type.bits
            if array != e.array and not (alike and may_come_first(same, e, through[0].counter)):
                found.add(frozenset((array, e.array)))
    return frozenset(found)


def _before_loop(edit: Edit, cell: str, order: int, loop: LoopInfo) -> Edit:
    """The update of a cell, which has `order`, made before the loop's other effects."""
    update = edit.effect(order)
    rest = [e for e in edit.path.effects if e is not update]
    position = next(i for i, e in enumerate(rest) if loop.counter in e.counters)
    start = max((e.order for e in rest[:position]), default=-1)

    def sees(n: Load, site: Site, e: Effect) -> bool:
        time = time_of(n)
        # What comes before the loop sees the cell's first value, in whichever element it lies.
        before = time <= order and loop.counter not in site.counters
        if array_of(n) != cell or before:
            return e.order < time and e is not update
        return e is update if site.effect is not update else e.order <= start

    return retime(edit, [*rest[:position], update, *rest[position:]], sees)
