"""Sums that are kept in the lanes of registers, as sums of their own.

    lane0 = lane1 = 0;
    for (k < n / 2) { lane0 += s[2 * k]; lane1 += s[2 * k + 1]; }
    if (n & 1) { lane0 += 0 ? s[n - 2] : 0; lane1 += 1 ? s[n - 1] : 0; }
    out = lane0 + lane1;
becomes
    sum = 0; for (x < n) sum += s[x]; out = sum;

Integers are added modulo a power of two, in whatever order, so the lanes that a sum is taken of are one number from the
start; where they are narrower than the sum, they are proved not to wrap."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import BOOL, GE, I32, I64, Add, Cast, Expr, Load, Select, const, make_bool
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.types import Type
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.algebra.value_ranges import ranges
from lifter.ir.dependence import Pairs, memory_apart, undisturbed
from lifter.ir.effect_edits import Edit, Origin, joined, noted, restate, without_arrays
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, loads, reads_in, reads_of, sites, values_of
from lifter.ir.names import any_counter, array_of, is_read, new_counters, split_tag, time_of, timed
from lifter.transforms.domains.merge_lanes_into_rows import extended, over_row, settled
from lifter.transforms.reroll.lanes import Lanes

_LEAST_LANES = 4
_MOST_TURNS = 8


@dataclass(frozen=True, slots=True)
class _Event:
    """What happens to one lane at one place: it is set to, or goes on by, the sum of `addends`."""

    effect: Effect
    adds: bool
    addends: tuple[Expr, ...]


def reroll_reduction_lanes(path: Path, follows: Follows) -> Edit | None:
    """The lanes of one such sum as one.  Narrow lanes ask for sizes at which they do not wrap, where that does not
    follow from the path's conditions."""
    edit = _read_back(path)
    totals = sorted(_totals(edit.path), key=lambda found: found[1][0].type.bits < found[0].type.bits)
    for total, cells in totals:
        found = _Joining(edit, cells, total, follows).joined()
        if found is not None:
            return found
    return edit if edit.path is not path else None


def _read_back(path: Path) -> Edit:
    """`path` where what is read of a cell behind a store under a guard is read of it, not chosen by the guard."""
    edit = Edit.on(path)
    for e in path.effects:
        if e.guard is not None and e.array in path.arrays and path.arrays[e.array].cell:
            changed = _read_behind(edit.path.effects, e)
            edit = restate(edit, changed) if changed else edit
    seen = {e.order: _under_guard(e) for e in _seen(edit.path)}
    changed = {e.order: x for e in edit.path.effects if (x := seen.get(e.order)) is not e}
    return restate(edit, changed) if changed else edit


def _read_behind(effects: Sequence[Effect], e: Effect) -> dict[int, Effect | None]:
    """Effects behind a store under a guard that choose by it between what it stores and what was there: they read it.
    `e` is the store as it was at first, for its value stands in them so."""
    own = reads_of(e.array, e.value)
    times = [x.order for x in effects if x.array == e.array]
    if e.guard is None or len(own) != 1 or any(time_of(own[0]) <= t < e.order for t in times):
        return {}
    chosen = key(Select(e.value.type, e.guard, e.value, own[0]))
    until = min((t for t in times if t > e.order), default=None)
    after = replace(own[0], name=timed(e.array, e.order + 1))
    behind = (x for x in effects if x.loops == e.loops and x.order > e.order and (until is None or x.order <= until))
    found = ((x, transform(x.value, lambda n: after if key(n) == chosen else n)) for x in behind)
    return {x.order: replace(x, value=value) for x, value in found if key(value) != key(x.value)}


def _under_guard(e: Effect) -> Effect:
    """A store whose value does not ask for its guard."""
    if e.guard is None:
        return e
    number = key(e.guard)
    value = transform(e.value, lambda n: make_bool(True) if key(n) == number else fold_node(n))
    return e if key(value) == key(e.value) else replace(e, value=value)


def _seen(path: Path) -> list[Effect]:
    """The effects without stores to cells that start anew before they are read: in each iteration of the loops of such
    a store one without conditions comes first, and what is read lies between them."""
    out = list(path.effects)
    elsewhere = arrays_in(values_of(path))
    for e in path.effects:
        starts = [x.order for x in out if x.array == e.array and x.loops == e.loops and _sets(x) and x.order < e.order]
        if e.array not in path.arrays or not path.arrays[e.array].cell or not starts or e.array in elsewhere:
            continue
        readers = ((x, split_tag(n.name)) for x in out for s in sites(x) for n in reads_in(s))
        mine = [(x, time) for x, (array, time) in readers if array == e.array]
        if all(max(starts) < time <= e.order and x.loops[: len(e.loops)] == e.loops for x, time in mine):
            out = [x for x in out if x is not e]
    return out


def _sets(e: Effect) -> bool:
    """Whether a store gives its element a value of its own, whatever it held."""
    return e.guard is None and e.array not in arrays_in([e.value])


def _totals(path: Path) -> Iterator[tuple[Expr, list[Load]]]:
    """Sums of several cells, the largest first."""
    local = {n for n, info in path.arrays.items() if info.cell}
    seen: set[int] = set()
    values = [e.value for e in path.effects] + ([path.result] if path.result is not None else [])
    for value in values:
        for n in reversed(list(post_order(value))):
            if key(n) in seen or not isinstance(n, Add) or not n.type.is_int_or_uint():
                continue
            seen |= {key(m) for m in _inside(n)}
            cells = [c for a in addends(n, n.type) if (c := _cell(a, local)) is not None]
            for bits in sorted({c.type.bits for c in cells}, reverse=True):
                same = [c for c in cells if c.type.bits == bits]
                if len(same) > 1 and len({c.name for c in same}) == len(same):
                    yield n, same


def _inside(e: Expr) -> Iterator[Expr]:
    """The nodes that a sum is made of, but for its addends."""
    yield e
    if isinstance(e, Add):
        yield from _inside(e.a)
        yield from _inside(e.b)
    elif isinstance(e, Cast):
        yield from _inside(e.value)


def addends(e: Expr, t: Type) -> list[Expr]:
    """What `e` is the sum of, modulo the range of `t`: through conversions that keep the bits, and those from sums that
    do not wrap."""
    if isinstance(e, Add) and e.type.bits == t.bits:
        return [*addends(e.a, t), *addends(e.b, t)]
    if isinstance(e, Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
        inner = e.value
        if e.type.bits == t.bits and inner.type.bits == t.bits:
            return addends(inner, t)
        if isinstance(inner, Add) and e.type.bits == t.bits and inner.type.bits < t.bits:
            known = ranges(inner, {})
            (low_a, high_a), (low_b, high_b) = known[id(inner.a)], known[id(inner.b)]
            if inner.type.min() <= low_a + low_b and high_a + high_b <= inner.type.max():
                return [*addends(Cast(e.type, inner.a), t), *addends(Cast(e.type, inner.b), t)]
    return [e]


def _cell(e: Expr, local: set[str]) -> Load | None:
    """The cell that an addend is, its bits kept or with others before them; the cell's type is that by which it is
    read."""
    t, wide = e.type, False
    while isinstance(e, Cast) and e.value.type.bits <= e.type.bits and not e.value.type.is_bool():
        if e.value.type.bits < e.type.bits:
            if wide:
                return None
            t, wide = e.value.type, True
        e = e.value
    if is_read(e) and array_of(e) in local and to_poly(e.index).is_zero():
        return replace(e, type=t)
    return None


class _Joining:
    """Cells that a sum, `total`, is taken of."""

    def __init__(self, edit: Edit, cells: list[Load], total: Expr, follows: Follows) -> None:
        self.edit, self.total, self.follows = edit, total, follows
        path = self.path = edit.path
        self.cells = [array_of(c) for c in cells]
        self.times = [time_of(c) for c in cells]
        self.read_as = {c.type for c in cells}
        self.narrow = cells[0].type if cells[0].type.bits < total.type.bits else None
        self.type = cells[0].type if self.narrow is None else total.type
        self.bits = cells[0].type.bits
        used = {loop.counter for loop, _, _ in path.trips} | {c for e in path.effects for c in e.counters}
        self.numbers = new_counters(used)
        self.written = {e.array for e in path.effects}

    def joined(self) -> Edit | None:
        if len(set(self.cells)) < len(self.cells) or not self.read_once():
            return None
        lanes = [self.events(c) for c in self.cells]
        found = [events for events in lanes if events]
        if len(found) < len(lanes) or len({len(events) for events in found}) > 1:
            return None
        columns: list[Sequence[_Event]] = list(zip(*found, strict=True))
        if not all(_one_place(column) for column in columns) or not self.in_step(found):
            return None
        asked: list[Expr] = []
        if self.narrow is not None:
            if len(self.read_as) > 1:
                return None  # the same bits are not the same number
            bounds = [self.least_room(events, self.narrow) for events in found]
            if any(b is None for b in bounds):
                return None
            asked = [c for b in bounds if b is not None for c in b]
            columns = [[self.widened(e, self.narrow) for e in column] for column in columns]
        sums = [self.event(column) for column in columns]
        mine = {id(e.effect) for events in found for e in events}
        others = [e for e in self.path.effects if id(e) not in mine]
        elsewhere = [replace(e, value=transform(e.value, self.as_one)) for e in others]
        seen = [e for e in others if any(key(n) == key(self.total) for n in post_order(e.value))]
        around = {loop for e in (*seen, *(s.effect for s in sums if not s.adds)) for loop in e.loops}
        sums = _rows(sums, elsewhere, [transform(x, self.as_one) for x in values_of(self.path)], around)
        apart = self.apart(found, {loop for s in sums for loop in s.effect.loops})
        if apart is None:
            return None
        return self.put(sums, others).needs(apart, asked)

    def apart(self, lanes: Sequence[Sequence[_Event]], kept: set[LoopInfo]) -> Pairs | None:
        """What must be apart for the sum to leave the loops that are not `kept`: what it reads, and what else is stored
        in them; None where that is the same array."""
        events = [e for events in lanes for e in events]
        mine = {id(e.effect) for e in events}
        left = {loop for e in events for loop in e.effect.loops} - kept
        read = arrays_in(a for e in events for a in e.addends)
        stored = {e.array for e in self.path.effects if id(e) not in mine and left & set(e.loops)}
        return memory_apart(stored, read, self.path.arrays)

    def least_room(self, events: Sequence[_Event], t: Type) -> list[Expr] | None:
        """What must hold for a lane not to leave the range of `t`, beside what is known; None where that is not known
        over the parameters."""
        low, high, around = Poly(), Poly(), len(events[0].effect.loops)
        if events[0].adds or not all(e.adds for e in events[1:]):
            return None
        if any(e.effect.loops[:around] != events[0].effect.loops for e in events):
            return None
        for event in events:
            times = Poly.constant(1)
            for loop in event.effect.loops[around:]:
                times = times * loop.trip
            if times.names() & set(event.effect.counters):
                return None
            for a in event.addends:
                least, most = ranges(a, {})[id(a)]
                low, high = low + times.scale(min(least, 0)), high + times.scale(max(most, 0))
        given = [*self.path.conditions, *(c for c, _ in self.path.asserts)]
        out: list[Expr] = []
        for room in (low - Poly.constant(t.min()), Poly.constant(t.max()) - high):
            if not self.follows([*given, *out], room):
                if any(loads(a) for a in room.atoms().values()) or any_counter(room.names()):
                    return None
                out.append(GE(BOOL, from_poly(room), const(0, I64)))
        return out

    def widened(self, event: _Event, t: Type) -> _Event:
        """What happens to a lane in the range of the sum."""
        return replace(event, addends=tuple(self.wide(a, t) for a in event.addends))

    def wide(self, e: Expr, t: Type) -> Expr:
        return fold_node(Cast(self.type, e if e.type == t else fold_node(Cast(t, e))))

    def read_once(self) -> bool:
        """Whether the cells are read in the sum and in what they are updated with, and nowhere else."""
        wanted = {key(c) for a in addends(self.total, self.total.type) if (c := _cell(a, set(self.cells))) is not None}
        where = [e for e in self.path.effects if any(key(n) == key(self.total) for n in post_order(e.value))]
        for e in self.path.effects:
            value = transform(e.value, self.without_total)
            own = {e.array} if e.array in self.cells else set()
            for x in (value, *(x for x in sites(e) if x is not e.value)):
                if arrays_in([x]) & (set(self.cells) - own):
                    return False
        rest = [transform(x, self.without_total) for x in values_of(self.path)]
        if arrays_in(rest) & set(self.cells):
            return False
        return bool(wanted) and (bool(where) or self.path.result is not None)

    def without_total(self, n: Expr) -> Expr:
        return const(0, n.type) if key(n) == key(self.total) else n

    def as_one(self, n: Expr) -> Expr:
        whole = Load(self.type, timed(self.cells[0], max(self.times)), const(0, I64))
        return fold_node(Cast(n.type, whole)) if key(n) == key(self.total) else n

    def events(self, cell: str) -> list[_Event] | None:
        """What happens to a cell, in order."""
        out: list[_Event] = []
        for e in self.path.effects:
            if e.array != cell:
                continue
            parts = addends(e.value, e.value.type)
            own = [a for a in parts if (c := _cell(a, {cell})) is not None and c.type.bits == e.value.type.bits]
            rest = [a for a in parts if all(a is not o for o in own)]
            if not e.index.is_zero() or e.value.type.bits != self.bits or len(own) > 1:
                return None
            if arrays_in(rest) & set(self.cells):
                return None
            if own:
                before = [x.effect.order for x in out]
                time = split_tag(_cell(own[0], {cell}).name)[1]  # type: ignore[union-attr]
                if not (before and max(before) < time <= e.order):
                    return None
            out.append(_Event(e, bool(own), tuple(rest)))
        return out if out == sorted(out, key=lambda x: x.effect.order) else None

    def in_step(self, lanes: Sequence[Sequence[_Event]]) -> bool:
        """Whether the sum is taken of all cells after the same things have happened to them."""
        seen = {
            tuple(e.effect.order < time for e in events) for events, time in zip(lanes, self.times, strict=True)
        }
        ordered = all(
            max(e.effect.order for e in a) < min(e.effect.order for e in b)
            for a, b in itertools.pairwise(zip(*lanes, strict=True))
        )
        return len(seen) == 1 and ordered

    def event(self, column: Sequence[_Event]) -> _Event:
        """What happens to the sum where something happens to each lane, in a loop over the lanes if it is the same."""
        last = max((e.effect for e in column), key=lambda e: e.order)
        last = replace(last, array=self.cells[0])
        parts = [a for e in column for a in e.addends]
        if not column[0].adds:
            return _Event(last, False, tuple(parts))
        for ordered in (parts, sorted(parts, key=_first_element)):
            found = self.in_turns(ordered)
            if found is not None:
                counter, count, body = found
                loop = LoopInfo(counter, Poly.constant(count), last.line)
                return _Event(replace(last, loops=(*last.loops, loop)), True, (body,))
        return _Event(last, True, tuple(parts))

    def in_turns(self, parts: Sequence[Expr]) -> tuple[str, int, Expr] | None:
        """A counter, how often it counts, and what over it has `parts` as its values."""
        counter = next(self.numbers)
        for turns in range(1, _MOST_TURNS + 1):
            if len(parts) % turns or len(parts) // turns < _LEAST_LANES:
                continue
            bodies = [self.one(parts[c::turns], counter) for c in range(turns)]
            found = [b for b in bodies if b is not None]
            if len(found) == turns:
                return counter, len(parts) // turns, total_of(found, self.type)
        return None

    def one(self, lanes: Sequence[Expr], counter: str) -> Expr | None:
        """What the lanes are over a counter; the last one may be simpler than the others, as a mask is that lets it
        through in any case."""
        found = Lanes(self.written, counter).one(lanes)
        if found is None:
            found = Lanes(self.written, counter).one(lanes[:-1])
            if found is not None:
                last = substitute(found, {counter: const(len(lanes) - 1, I32)})
                if key(settled(last)) != key(settled(lanes[-1])):
                    return None
        return found

    def put(self, sums: Sequence[_Event], others: Sequence[Effect]) -> Edit:
        """The path with the sum in place of its lanes."""
        cell, path = self.cells[0], self.path
        time = max(self.times)
        whole = Load(self.type, timed(cell, time), const(0, I64))
        rest = [a for a in addends(self.total, self.total.type) if _cell(a, set(self.cells)) is None]
        now = total_of([whole, *rest], self.total.type)

        def put(n: Expr) -> Expr:
            return now if key(n) == key(self.total) else n

        def unread(n: Expr) -> Expr:
            cell_ = is_read(n) and array_of(n) in self.cells
            return const(0, n.type) if cell_ else n

        stores: dict[int, Effect] = {}
        for event in sums:
            e = event.effect
            own = Load(self.type, timed(cell, e.order), const(0, I64))
            parts = [own, *event.addends] if event.adds else list(event.addends)
            stores[e.order] = replace(e, value=transform(total_of(parts, self.type), put))
        origins: dict[int, tuple[Origin, ...]] = dict.fromkeys(stores, ())
        gone = {e.order for e in path.effects} - {e.order for e in others}
        guards = {x.counter: e.guard for e in stores.values() for x in e.loops}
        edit = joined(noted(self.edit, [replace(r, value=transform(r.value, unread)) for r in path.reads]),
                      stores, origins, gone, guards)
        result = None if path.result is None else transform(path.result, put)
        seen = {e.order: replace(e, value=transform(e.value, put)) for e in others}
        return without_arrays(restate(edit, seen, result=result), self.cells[1:])


def _one_place(column: Sequence[_Event]) -> bool:
    """Whether what happens to each lane happens in the same iterations."""
    first = column[0]
    guard = None if first.effect.guard is None else key(first.effect.guard)
    return all(
        e.adds == first.adds and e.effect.loops == first.effect.loops
        and (None if e.effect.guard is None else key(e.effect.guard)) == guard
        for e in column
    )


def _rows(
    sums: list[_Event], others: Sequence[Effect], values: Sequence[Expr], kept: set[LoopInfo]
) -> list[_Event]:
    """What is added lane by lane, in loops over the elements of rows, with what is left of these.  The loops that are
    `kept` stay: in them the sum starts anew, or is read."""
    out: list[_Event] = []
    for event in sums:
        if event.adds and len(event.addends) == 1:
            effect, body = event.effect, event.addends[0]
            if kept.isdisjoint(effect.loops[-2:]):
                effect, body = over_row(effect, body)
            event = _Event(effect, True, (body,))
            before = out[-1] if out else None
            if before is not None and before.adds and len(before.addends) == 1:
                longer = extended(before.effect, before.addends[0], effect, body)
                if longer is not None and undisturbed([before.effect, effect], others, values):
                    out[-1] = _Event(longer, True, before.addends)
                    continue
        out.append(event)
    return out


def total_of(parts: Sequence[Expr], t: Type) -> Expr:
    """The sum of some numbers, modulo the range of `t`."""
    out = const(0, t)
    for a in parts:
        out = fold_node(Add(t, out, a if a.type == t else fold_node(Cast(t, a))))
    return out


def _first_element(e: Expr) -> int:
    """The lowest of the constant distances at which an expression reads."""
    return min((to_poly(n.index).terms.get((), 0) for n in loads(e)), default=0)


__all__ = ["reroll_reduction_lanes"]
