"""Which row a read of an array sees, once each iteration of a loop has one of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, GE, I32, I64, Expr, const
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_queries import ahead_exactly
from lifter.ir.effects import Effect, LoopInfo, domain, loads, sites
from lifter.ir.names import array_of, time_of
from lifter.transforms.storage.expand_rings.row_layout import No, Place, Rows
from lifter.transforms.stores.eliminate_overwritten_stores import solved


class Reads(Rows):
    """What reads of the array see."""

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

    def overlapping(self) -> bool:
        """Whether two stores of one iteration may meet at an element."""
        pairs = ((a, b) for i, a in enumerate(self.own) for b in self.own[:i])
        return any(self.may_meet(b, a, a.order, self.places[a.order].element, True) for a, b in pairs)

    def seen(self, index: Poly, time: int, site: Effect | None) -> Poly:
        """Where a read finds its element in the array that has a row for each iteration."""
        place = self.place(index)
        if site is not None and self.within(site):
            row = self.seen_within(place, site, time)
        elif time <= self.first:
            row = self.row_before(place.row, site.loops if site is not None else ())
        elif time > self.last and self.round == 1:
            row = self.loop.trip
            around = domain(site.loops) if site is not None else []
            self.whole &= self.stored(place.element, row - Poly.constant(1), around)
        else:
            raise No
        if self.round > 1:
            self.keeps_to_row(place.element, site.loops if site is not None else ())
        return self.width * (row + Poly.constant(self.shift)) + place.element

    def carries(self) -> bool:
        """Whether an iteration of the loop reads what an earlier one has stored, but for stores that add to what their
        own elements hold, no two of them to the same: these are updates as they stand."""
        reads = [(e, n) for e in self.inside for x in sites(e) for n in loads(x)
                 if array_of(n) == self.name]
        single = len(self.own) == 1 or len({e.index.constant_value() for e in self.own} - {None}) == len(self.own)
        if single and all(e.array == self.name and to_poly(n.index) == e.index for e, n in reads):
            return False
        ours = ((e, self.place(to_poly(n.index)), time_of(n)) for e, n in reads)
        return any(self.latest(place, e, time) < self.newest for e, place, time in ours)

    def latest(self, place: Place, site: Effect, time: int) -> int:
        """How far ahead of the loop's counter the row is that was the last one stored to, when a read looks at it."""
        offset = self.newest
        if self.round > 1:
            offset -= (self.newest - self.number(place.row)) % self.round
        seen = offset < self.newest or any(self.may_meet(s, site, time, place.element, True) for s in self.own)
        return offset if seen else offset - self.round

    def seen_within(self, place: Place, site: Effect, time: int) -> Poly:
        counter = Poly.variable(self.loop.counter, I32)
        newest, offset = self.newest, self.latest(place, site, time)
        if offset == newest and site.array != self.name and self.stored_again(site, time, place):
            raise No
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
            tests = [ahead_exactly(c, around, self.holds) for c in (clauses(s.guard) if s.guard is not None else [])]
            asked = [*found.values(), *ends, *(t.substitute({**moved, **found}) for t in tests if t is not None)]
            if None not in tests and all(self.holds(given, p) for p in asked):
                return True
        return False

    def stored_again(self, site: Effect, time: int, place: Place) -> bool:
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
                raise No
            least = least.substitute({loop.counter: Poly()})
            most = most.substitute({loop.counter: Poly.constant(max(trip or 1, 1) - 1)})
        low, high = least.constant_value(), most.constant_value()
        if low is None or high is None:
            raise No
        back = (self.newest - 1 - high) // self.round * self.round
        if low + back < self.newest - self.round:
            raise No
        return row + Poly.constant(back)
