"""Local arrays that carry values from one iteration of a loop to later ones: rings of rows, rows of sums.

    for (y) { row[y % 3][x] = f(x, y);   out[y][x] = g(row[y % 3][x], row[(y - 1) % 3][x], row[(y - 2) % 3][x]); }
    for (y) { out[y][x] = g(sum[x]);   sum[x] += f(x, y); }
become arrays with rows of their own for each iteration, of which the loop's other stores read what is done:
    for (y) rows[y][x] = f(x, y);                   for (y) out[y][x] = g(rows[y][x], rows[y - 1][x], rows[y - 2][x]);
    for (y) sums[y + 1][x] = sums[y][x] + f(x, y);  for (y) out[y][x] = g(sums[y][x]);

A read sees the row that was the latest to be stored to in its place.  Where that is an earlier iteration's, it is
proved here that no store of its own iteration comes to the element before it; where it is its own iteration's, or
one that a store has left out, the row has no value there yet, and the proof of the whole (`defined`) fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import BOOL, GE, I32, I64, LE, Div, Expr, Load, children, const, const_value
from halide_core.ir.structural import transform, variables
from lifter.alone import first_alone, shared
from lifter.copies import without_copies
from lifter.covered import solved
from lifter.effects import Effect, Follows, LoopInfo, Path, domain, least, loads, sites, spaced, split_tag, values_of
from lifter.fold import clauses
from lifter.joined import joined, padded
from lifter.poly import Obligation, Poly, ahead_of, from_poly, to_poly


class _No(Exception):
    """The array is not one of these, or not seen to be."""


def without_carried(path: Path, follows: Follows) -> Path:
    """`path` with a row for each iteration in place of such arrays."""
    with_rows: list[str] = []
    for name, info in path.arrays.items():
        if not info.cell and info.size is not None:
            found = next(_with_rows(path, name, follows), None)
            if found is not None:
                path = found
                with_rows.append(name)
    path = _in_order(path, with_rows, follows)
    for name in with_rows:
        path = _without_idle_rows(path, name, follows)
    return path


def _in_order(path: Path, names: list[str], follows: Follows) -> Path:
    """`path` with the stores to arrays that have a row for each iteration in loops of their own, where that is known to
    be the same; those first that are not made of others.  What these arrays and something else are made of gets a row
    for each iteration too."""
    for name in names:
        last = [e for e in path.effects if e.array == name][-1]
        loop = last.loops[len(path.arrays[name].loops)]
        found = first_alone(path, name, loop)
        if found is not None:
            return _in_order(found, names, follows)
        for other in shared(path, name, loop) - set(names):
            expanded = next(_with_rows(path, other, follows, True), None)
            if expanded is not None:
                names.append(other)
                return _in_order(expanded, names, follows)
    return path


def _with_rows(path: Path, name: str, follows: Follows, any_array: bool = False) -> Iterator[Path]:
    """`path` with rows for an array that carries values, or for `any_array`; at last with what keeps its elements that
    an iteration does not store to."""
    partial: Path | None = None
    for variant in _variants(path, name, follows, any_array):
        try:
            carried = _Carried(variant, name, follows)
            found = carried.expanded()
        except _No:
            continue
        if carried.whole:
            yield found
        partial = partial or found
    if partial is not None:
        yield partial


def _variants(path: Path, name: str, follows: Follows, any_array: bool) -> Iterator[Path]:
    try:
        carried = _Carried(path, name, follows)
        if carried.round == 1 and not any_array and not carried.carries():
            return
        path = without_copies(path, name, follows)
        carried = _Carried(path, name, follows)
        overlapping = carried.overlapping()
    except _No:
        return
    if not overlapping or carried.round > 1:
        yield path
    for size in (None, path.arrays[name].size) if carried.round == 1 else ():
        one = joined(path, carried.own, carried.depth, size)
        if one is not None:
            yield one[0]
    if carried.round > 1:
        whole = carried.padded()
        if whole is not None:
            yield whole
    elif overlapping:
        yield path


def _remainders(index: Poly, counter: str) -> Iterator[tuple[int, Poly]]:
    """(Rows, their length) where an index has a row that is counted by a loop, modulo how many there are."""
    for atom, e in index.atoms().items():
        if isinstance(e, Div) and to_poly(e.a).coefficient(counter) == Poly.constant(1):
            rows = const_value(e.b)
            length = index.factor(atom)
            if isinstance(rows, int) and rows > 1 and length is not None:
                width, rest = length.scale(-1).divide(Poly.constant(rows))
                if rest.is_zero():
                    yield rows, width.scale(-1) if all(c < 0 for c in width.terms.values()) else width


def _span(element: Poly, inner: LoopInfo) -> tuple[Poly, Poly] | None:
    """The first of the elements that a loop goes over one by one, and the one after the last, if they are always the
    same."""
    start = element.substitute({inner.counter: Poly()})
    if element - start != Poly.variable(inner.counter, I32) or _over_counters(start) or _over_counters(inner.trip):
        return None
    return start, start + inner.trip


def _over_counters(p: Poly) -> bool:
    return any(name.startswith("k.") for name in p.names())


@dataclass(frozen=True, slots=True)
class _Place:
    """An element of an array of rows: which row, counted on without going round, and which element of it."""

    row: Poly
    element: Poly


class _Carried:
    def __init__(self, path: Path, name: str, follows: Follows) -> None:
        self.path, self.name, self.follows = path, name, follows
        self.info = path.arrays[name]
        self.depth = len(self.info.loops)
        self.stores = [e for e in path.effects if e.array == name]
        if not self.stores or len(self.stores[-1].loops) <= self.depth:
            raise _No
        self.loop = self.stores[-1].loops[self.depth]
        self.inside = [e for e in path.effects if self.within(e)]
        self.first, self.last = min(e.order for e in self.inside), max(e.order for e in self.inside)
        self.own = [e for e in self.stores if self.within(e)]
        self.before = [e for e in self.stores if e.order < self.first]
        if len(self.own) + len(self.before) < len(self.stores):
            raise _No
        self.given = [*path.conditions, *(c for c, _ in path.asserts)]
        self.asked: list[Expr] = []
        self.counts = [GE(BOOL, from_poly(t), const(0, I64)) for t in dict.fromkeys(t.trip for t, _, _ in path.trips)
                       if not _over_counters(t)]
        self.shift = -(1 << 30)
        self.rows_before: set[int] = set()
        """The rows that are stored to before the loop."""
        self.short = False
        """Whether rows before the loop's own are read that are not among them."""
        self.round, self.width = self.ring()
        self.origin = Poly()
        self.places = {e.order: self.place(e.index) for e in self.own}
        if self.round > 1 and not all(self.fits(self.places[e.order].element, e.loops) for e in self.own):
            self.origin = self.start()
            self.places = {e.order: self.place(e.index) for e in self.own}
        if any(self.loop.counter in p.element.names() for p in self.places.values()):
            raise _No  # it goes on with the loop as it is
        self.newest = 1 if self.round == 1 else self.numbers()
        self.whole = True
        """Whether each element that is read is known to have been given its value in the row that it is read of."""

    def within(self, e: Effect) -> bool:
        return len(e.loops) > self.depth and e.loops[self.depth].counter == self.loop.counter

    # Rows and elements.

    def ring(self) -> tuple[int, Poly]:
        """How many rows there are, and how far apart: one, as long as the array, unless they are counted in a round."""
        found = {r for e in self.own for r in _remainders(e.index, self.loop.counter)}
        if not found:
            assert self.info.size is not None
            return 1, self.info.size
        if len(found) > 1:
            raise _No
        return found.pop()

    def fits(self, element: Poly, loops: tuple[LoopInfo, ...]) -> bool:
        return self.follows([*self.given, *domain(loops)], self.width - element - Poly.constant(1))

    def start(self) -> Poly:
        """Where the first row begins, if it is not where the array does: memory that is aligned by hand."""
        first = [p.element.substitute({c: Poly() for c in p.element.names() if c.startswith("k.")})
                 for p in self.places.values()]
        return Poly.constant(max(0, min((int(v) for p in first if (v := p.constant_value()) is not None), default=0)))

    def place(self, index: Poly) -> _Place:
        if self.round == 1:
            return _Place(Poly(), index)
        index = index - self.origin
        for atom, e in index.atoms().items():
            if not isinstance(e, Div) or const_value(e.b) != self.round:
                continue
            number = to_poly(e.a)
            rest = number - Poly.atom(e).scale(self.round)
            for row, start in ((rest, 0), (rest.scale(-1), self.round - 1)):  # the rows up and down
                element = index - self.width * (row + Poly.constant(start))
                if atom not in element.atoms():
                    if start:
                        number = Poly.constant(start) - number
                    return self.checked(_Place(self.upwards(number), element))
        row, element = index.divide_by(self.width)
        return self.checked(_Place(row, element))

    def upwards(self, row: Poly) -> Poly:
        """A row's number where it goes on by one in each iteration, modulo the round."""
        step = row.coefficient(self.loop.counter)
        value = step.constant_value() if step is not None else None
        if value is None or value == 0:
            return row
        if (value - 1) % self.round:
            raise _No
        return row - Poly.variable(self.loop.counter, I32).scale(value - 1)

    def checked(self, place: _Place) -> _Place:
        if any(loads(a) for p in (place.row, place.element) for a in p.atoms().values()):
            raise _No
        return place

    def holds(self, given: Sequence[Expr], p: Poly) -> bool:
        """Whether a polynomial is not negative where `given` holds: for all calls, or for those in which no loop is to
        run less than no times, as every contract says."""
        given = [c for c in (*self.given, *self.asked, *given) if not loads(c)]
        if self.follows(given, p):
            return True
        for more in (*([c] for c in self.counts), self.counts):
            if more and self.follows([*given, *more], p):
                self.asked += more
                return True
        return False

    def keeps_to_row(self, element: Poly, loops: Sequence[LoopInfo]) -> None:
        """Asks that an element lies in its row: by proof, or of the caller."""
        for p in (element, self.width - element - Poly.constant(1)):
            if self.holds(domain(loops), p):
                continue
            low = p
            for loop in reversed(loops):
                step = low.coefficient(loop.counter)
                sign = step.constant_value() if step is not None else None
                if sign is None:
                    raise _No
                end = Poly() if sign >= 0 else loop.trip - Poly.constant(1)
                low = low.substitute({loop.counter: end})
            if _over_counters(low):
                raise _No
            more = Poly({m: c for m, c in low.terms.items() if c > 0})
            self.asked.append(LE(BOOL, from_poly(more - low), from_poly(more)))

    def number(self, row: Poly) -> int:
        """The constant part of a row's number in the loop, which goes on by one in each iteration."""
        offset = (row - Poly.variable(self.loop.counter, I32)).constant_value()
        if offset is None:
            raise _No
        return offset

    # What a read sees.

    def may_meet(self, store: Effect, site: Effect, time: int, element: Poly, before: bool) -> bool:
        """Whether a store of the same iteration may come to an element before it is read there, or after it."""
        shared = self.depth + 1
        while store.counters[shared : shared + 1] == site.counters[shared : shared + 1] != ():
            shared += 1
        own = store.loops[self.depth + 1 :]
        in_turn = (store.order < time) == before
        if not in_turn and shared == self.depth + 1:
            return False
        names = {loop.counter: Poly.variable(f"{loop.counter}b", I32) for loop in own}
        loops = [replace(x, counter=f"{x.counter}b", trip=x.trip.substitute(names)) for x in own]
        given = [*domain((*site.loops, *loops)), *([site.guard] if site.guard is not None else [])]
        if shared == self.depth + 2 == len(store.loops):  # the same iteration of the loop inside, or one on its side
            counter = own[0].counter
            behind = Poly.variable(counter, I32) - names[counter]
            behind = (behind if before else behind.scale(-1)) - Poly.constant(int(not in_turn))
            given.append(GE(BOOL, from_poly(behind), const(0, I64)))
        ahead = element - self.places[store.order].element.substitute(names)
        return not any(self.holds(given, p - Poly.constant(1)) for p in (ahead, ahead.scale(-1)))

    def seen(self, n: Load, site: Effect | None) -> Poly:
        """Where a read finds its element in the array that has a row for each iteration."""
        _, time = split_tag(n.name)
        place = self.place(to_poly(n.index))
        if site is not None and self.within(site):
            row = self.seen_within(place, site, time)
        elif time <= self.first:
            row = self.row_before(place.row, site.loops if site is not None else ())
        elif time > self.last and self.round == 1:
            row = self.loop.trip
            around = domain(site.loops) if site is not None else []
            self.whole &= self.stored(place.element, row - Poly.constant(1), around)
        else:
            raise _No
        if self.round > 1:
            self.keeps_to_row(place.element, site.loops if site is not None else ())
        return self.width * (row + Poly.constant(self.shift)) + place.element

    def carries(self) -> bool:
        """Whether an iteration of the loop reads what an earlier one has stored."""
        reads = ((e, n) for e in self.inside for x in sites(e) for n in loads(x))
        ours = ((e, self.place(to_poly(n.index)), split_tag(n.name)[1]) for e, n in reads
                if n.name.rpartition("@")[0] == self.name)
        return any(self.latest(place, e, time) < self.newest for e, place, time in ours)

    def latest(self, place: _Place, site: Effect, time: int) -> int:
        """How far ahead of the loop's counter the row is that was the last one stored to, when a read looks at it."""
        offset = self.newest
        if self.round > 1:
            offset -= (self.newest - self.number(place.row)) % self.round
        seen = offset < self.newest or any(self.may_meet(s, site, time, place.element, True) for s in self.own)
        return offset if seen else offset - self.round

    def seen_within(self, place: _Place, site: Effect, time: int) -> Poly:
        counter = Poly.variable(self.loop.counter, I32)
        newest, offset = self.newest, self.latest(place, site, time)
        if offset == newest and site.array != self.name and self.stored_again(site, time, place):
            raise _No
        back = newest - offset
        given = [*domain(site.loops), *(clauses(site.guard) if site.guard is not None else [])]
        self.whole &= self.stored(place.element, counter - Poly.constant(back), given, time if back == 0 else None)
        if not set(range(offset, newest)) <= self.rows_before and not self.holds(given, counter - Poly.constant(back)):
            self.short = True
        return counter + Poly.constant(offset)

    def stored(self, element: Poly, iteration: Poly, given: list[Expr], time: int | None = None) -> bool:
        """Whether an iteration of the loop, if it is one, is known to store to an element; by a `time` within it."""
        moved = {self.loop.counter: iteration}
        given = [*given, GE(BOOL, from_poly(iteration), const(0, I64))]
        for s in self.own:
            if time is not None and s.order >= time:
                continue
            inner = s.loops[self.depth + 1 :]
            target = self.places[s.order].element.substitute(moved)
            found = solved(element, target, inner) if inner else {} if target == element else None
            if found is None:
                continue
            ends = [x.trip.substitute({**moved, **found}) - found[x.counter] - Poly.constant(1) for x in inner]
            around = [*given, *domain(s.loops)]
            tests = [_ahead(c, around, self.holds) for c in (clauses(s.guard) if s.guard is not None else [])]
            asked = [*found.values(), *ends, *(t.substitute({**moved, **found}) for t in tests if t is not None)]
            if None not in tests and all(self.holds(given, p) for p in asked):
                return True
        return False

    def stored_again(self, site: Effect, time: int, place: _Place) -> bool:
        """Whether what a read sees of its own iteration may not be what this one leaves."""
        return any(self.may_meet(s, site, time, place.element, False) for s in self.own)

    def row_before(self, row: Poly, loops: Sequence[LoopInfo]) -> Poly:
        """Which row a store before the loop, or a read, means: one of the last before the loop's first."""
        if self.round == 1:
            return Poly()
        least = most = row
        for loop in loops:
            step = row.coefficient(loop.counter)
            trip = loop.trip.constant_value()
            if step is None or (step != Poly() and (step != Poly.constant(1) or trip is None)):
                raise _No
            least = least.substitute({loop.counter: Poly()})
            most = most.substitute({loop.counter: Poly.constant(max(trip or 1, 1) - 1)})
        low, high = least.constant_value(), most.constant_value()
        if low is None or high is None:
            raise _No
        back = (self.newest - 1 - high) // self.round * self.round
        if low + back < self.newest - self.round:
            raise _No
        return row + Poly.constant(back)

    # The array with a row for each iteration.

    def expanded(self) -> Path:
        fill = self.before[0] if self.before and self.fills_all(self.before[0]) else None
        if fill is not None and (self.round > 1 or self.overwritten(self.before)):
            self.drop(fill)
        starts = [self.row_before(self.place(e.index).row, e.loops) for e in self.before]
        for start, e in zip(starts, self.before, strict=True):
            trips = {x.counter: x.trip.constant_value() or 0 for x in e.loops if x.counter in start.names()}
            rows = [start.substitute({c: Poly.constant(i) for c in trips}) for i in range(max([1, *trips.values()]))]
            self.rows_before |= {int(r) for p in rows if (r := p.constant_value()) is not None}
        for e in (*self.before, *self.own):
            if self.round > 1:
                self.keeps_to_row(self.place(e.index).element, e.loops)
        moved = self.all_moved()
        missing: list[int] = []
        if self.whole and self.short and fill is not None and self.round > 1:
            missing = [r for r in range(self.newest - self.round, self.newest) if r not in self.rows_before]
            if missing and min(missing) < -self.shift:
                self.shift = -min(missing)
                moved = self.all_moved()
        self.result = transform(self.path.result, self._placed) if self.path.result is not None else None
        path = self.with_effects([moved[e.order] for e in self.path.effects])
        if fill is not None and missing:
            path = self.filled(path, fill, missing)
        recurs = any(self.reads_own(e) for e in self.own)
        return self.widened(path) if self.whole and recurs else path

    def all_moved(self) -> dict[int, Effect]:
        self.shift = max(self.shift, -min([self.newest, *self.rows_before]))
        return {e.order: self.moved(e) for e in self.path.effects}

    def padded(self) -> Path | None:
        """The path with the array's stores as stores to whole rows, if what these leave out stays as it was filled."""
        fill = self.before[0] if self.before and self.fills_all(self.before[0]) else None
        if fill is None or len(self.own) > 1:
            return None
        stores = [*self.before[1:], *self.own]
        elements = [self.place(e.index).element for e in stores]
        spans = [_span(element, e.loops[-1]) for element, e in zip(elements, stores, strict=True) if e.loops]
        if len(spans) < len(stores) or spans[-1] is None:
            return None
        start, end = spans[-1]
        for span in spans:
            if span is None or not all(self.follows(self.given, p) for p in (span[0] - start, end - span[1])):
                return None
        return padded(self.path, stores, elements, self.width, fill.value, self.depth)

    def reads_own(self, e: Effect) -> bool:
        return any(n.name.rpartition("@")[0] == self.name for x in sites(e) for n in loads(x))

    def filled(self, path: Path, fill: Effect, rows: list[int]) -> Path:
        """`path` with rows before the loop's own, to which nothing else is stored, as what fills the array has them."""
        path = spaced(path, len(rows))  # the fill's own time is free
        around = fill.loops[: self.depth]
        effects, trips = list(path.effects), list(path.trips)
        for i, row in enumerate(rows):
            cells = LoopInfo(f"{self.loop.counter}e{i}", self.width, fill.line)
            index = self.width.scale(row + self.shift) + Poly.variable(cells.counter, I32)
            effects.append(replace(fill, index=index, loops=(*around, cells), order=fill.order * len(rows) + i))
            trips.append((cells, around, None))
        return replace(path, effects=tuple(sorted(effects, key=lambda e: e.order)), trips=tuple(trips))

    def widened(self, path: Path) -> Path:
        """`path` where what is stored to the last row before the loop's own is stored to those as well: they are stored
        over before they are read."""
        last = self.width.scale(self.newest - 1 + self.shift)
        effects, trips = list(path.effects), list(path.trips)
        first = next(i for i, e in enumerate(effects) if self.within(e))
        for i, e in enumerate(effects[:first]):
            inside = e.index - last
            if e.array != self.name or self.reads_own(e) or not self.in_row(inside, e.loops):
                continue
            if e.guard is not None:
                raise _No
            rows = LoopInfo(f"{self.loop.counter}f{i}", self.loop.trip + Poly.constant(1), e.line)
            trips.append((rows, e.loops[: self.depth], None))
            index = e.index + self.width * Poly.variable(rows.counter, I32)
            effects[i] = replace(e, index=index, loops=(*e.loops[: self.depth], rows, *e.loops[self.depth :]))
        return replace(path, effects=tuple(effects), trips=tuple(trips))

    def in_row(self, element: Poly, loops: tuple[LoopInfo, ...]) -> bool:
        """Whether an element lies in the first row."""
        ends = (element, self.width - element - Poly.constant(1))
        return all(self.holds(domain(loops), p) for p in ends)

    def numbers(self) -> int:
        found = {self.number(self.places[e.order].row) for e in self.own}
        if len(found) > 1:
            raise _No
        return found.pop()

    def fills_all(self, e: Effect) -> bool:
        """Whether a store gives all of the array one constant, before anything else."""
        if e.order != self.stores[0].order or len(e.loops) != self.depth + 1 or e.guard is not None or loads(e.value):
            return False
        return e.loops[-1].trip == self.info.size and e.counters[-1] not in variables(e.value)

    def overwritten(self, stores: list[Effect]) -> bool:
        """Whether the second store gives all of the array other values."""
        first, second = stores[0], (stores[1] if len(stores) > 1 else None)
        if second is None or second.guard is not None or len(second.loops) != len(first.loops):
            return False
        names = {second.counters[-1]: Poly.variable(first.counters[-1], I32)}
        same = second.loops[-1].trip == first.loops[-1].trip and second.index.substitute(names) == first.index
        return same and not any(n.name.rpartition("@")[0] == self.name for n in loads(second.value))

    def drop(self, e: Effect) -> None:
        self.before.remove(e)
        self.stores.remove(e)
        self.path = replace(self.path, effects=tuple(x for x in self.path.effects if x is not e))

    def overlapping(self) -> bool:
        """Whether two stores of one iteration may meet at an element."""
        pairs = ((a, b) for i, a in enumerate(self.own) for b in self.own[:i])
        return any(self.may_meet(b, a, a.order, self.places[a.order].element, True) for a, b in pairs)

    def moved(self, e: Effect) -> Effect:
        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Load) and n.name.rpartition("@")[0] == self.name:
                return Load(n.type, n.name, from_poly(self.seen(n, e)))
            return n

        index = e.index
        if e.array == self.name:
            place = self.place(e.index)
            if self.within(e):
                row = Poly.variable(self.loop.counter, I32) + Poly.constant(self.newest)
            else:
                row = self.row_before(place.row, e.loops)
            index = self.width * (row + Poly.constant(self.shift)) + place.element
        elif any(n.name.rpartition("@")[0] == self.name for a in index.atoms().values() for n in loads(a)):
            index = to_poly(transform(from_poly(index), rewrite))
        guard = transform(e.guard, rewrite) if e.guard is not None else None
        return replace(e, index=index, value=transform(e.value, rewrite), guard=guard)

    def with_effects(self, effects: list[Effect]) -> Path:
        path = self.path
        fixed = list(values_of(replace(path, result=None)))
        fixed += [a for o in path.obligations for a in o.obligation.poly.atoms().values()]
        fixed += [o.guard for o in path.obligations if o.guard is not None]
        if any(n.name.rpartition("@")[0] == self.name for x in fixed for n in loads(x)):
            raise _No
        assert self.info.size is not None
        rows = self.loop.trip + Poly.constant(self.newest + self.shift)
        arrays = {**path.arrays, self.name: replace(self.info, size=self.width * rows)}
        reads = tuple(self.known(path.reads))
        asserts = (*path.asserts, *((c, 0) for c in least(self.asked, self.given, self.follows)))
        out = replace(path, effects=tuple(effects), result=self.result, arrays=arrays, reads=reads, asserts=asserts)
        return out

    def known(self, reads: Sequence[Effect]) -> Iterator[Effect]:
        """What values of variables and conditions read; what is not known of it is not said."""
        for r in reads:
            try:
                yield self.moved(r)
            except _No:
                continue

    def _placed(self, n: Expr) -> Expr:
        if isinstance(n, Load) and n.name.rpartition("@")[0] == self.name:
            return Load(n.type, n.name, from_poly(self.seen(n, None)))
        return n


def _ahead(guard: Expr, given: list[Expr], follows: Follows) -> Poly | None:
    """What is zero or more where a guard holds, if that is known not to wrap."""
    met: list[Obligation] = []
    ahead = ahead_of(guard)
    for x in children(guard):
        to_poly(x, met)
    for o in met:
        if o.type is None or o.type.is_uint():  # what is signed does not overflow in a program that is right
            above = Poly.constant(o.type.max()) - o.poly if o.type is not None and o.type.bits < 64 else Poly()
            if not follows(given, o.poly) or not follows(given, above):
                return None
    return ahead


def _without_idle_rows(path: Path, name: str, follows: Follows) -> Path:
    """`path` where a loop of one store, whose guard fails in all iterations after one in which it has failed, ends."""
    for e in path.effects:
        if e.array != name or e.guard is None:
            continue
        given = [*path.conditions, *(c for c, _ in path.asserts)]
        ahead = _ahead(e.guard, [*given, *domain(e.loops)], follows)
        for loop in e.loops if ahead is not None else ():
            assert ahead is not None
            if any(x is not e and loop.counter in x.counters for x in path.effects):
                break
            trip = ahead + Poly.variable(loop.counter, I32) + Poly.constant(1)
            if loop.counter in trip.names() or not follows(given, loop.trip - trip):
                continue
            shorter = LoopInfo(loop.counter, trip, loop.line)
            loops = tuple(shorter if x is loop else x for x in e.loops)
            effects = tuple(replace(x, guard=None, loops=loops) if x is e else x for x in path.effects)
            trips = tuple((shorter, *t[1:]) if t[0] == loop else t for t in path.trips)
            return replace(path, effects=effects, trips=trips)
    return path


__all__ = ["without_carried"]
