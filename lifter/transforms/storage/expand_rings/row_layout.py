"""An array as rows, of which a loop stores to one in each iteration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from halide_core.ir.expr import BOOL, GE, I32, I64, LE, Div, Expr, const, const_value
from halide_core.ir.structural import variables
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import Edit, restate
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import Effect, LoopInfo, Path, domain, loads, sites
from lifter.ir.names import any_counter, array_of, is_counter


class No(Exception):
    """The array is not one of these, or not seen to be."""


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


def span(element: Poly, inner: LoopInfo) -> tuple[Poly, Poly] | None:
    """The first of the elements that a loop goes over one by one, and the one after the last, if they are always the
    same."""
    start = element.substitute({inner.counter: Poly()})
    if element - start != Poly.variable(inner.counter, I32) or over_counters(start) or over_counters(inner.trip):
        return None
    return start, start + inner.trip


def over_counters(p: Poly) -> bool:
    return any_counter(p.names())


@dataclass(frozen=True, slots=True)
class Place:
    """An element of an array of rows: which row, counted on without going round, and which element of it."""

    row: Poly
    element: Poly


class Rows:
    """A local array, the loop in which it is last stored to, and how its elements lie in rows.  Raises No."""

    def __init__(self, path: Path, name: str, follows: Follows) -> None:
        self.edit, self.path, self.name, self.follows = Edit.on(path), path, name, follows
        self.info = path.arrays[name]
        self.depth = len(self.info.loops)
        self.stores = [e for e in path.effects if e.array == name]
        if not self.stores or len(self.stores[-1].loops) <= self.depth:
            raise No
        self.loop = self.stores[-1].loops[self.depth]
        self.inside = [e for e in path.effects if self.within(e)]
        self.first, self.last = min(e.order for e in self.inside), max(e.order for e in self.inside)
        self.own = [e for e in self.stores if self.within(e)]
        self.before = [e for e in self.stores if e.order < self.first]
        if len(self.own) + len(self.before) < len(self.stores):
            raise No
        self.given = [*path.conditions, *(c for c, _ in path.asserts)]
        self.asked: list[Expr] = []
        self.counts = [GE(BOOL, from_poly(t), const(0, I64)) for t in dict.fromkeys(t.trip for t, _, _ in path.trips)
                       if not over_counters(t)]
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
            raise No  # it goes on with the loop as it is
        self.newest = 1 if self.round == 1 else self.numbers()
        self.whole = True
        """Whether each element that is read is known to have been given its value in the row that it is read of."""

    def within(self, e: Effect) -> bool:
        return len(e.loops) > self.depth and e.loops[self.depth].counter == self.loop.counter

    def ring(self) -> tuple[int, Poly]:
        """How many rows there are, and how far apart: one, as long as the array, unless they are counted in a round."""
        found = {r for e in self.own for r in _remainders(e.index, self.loop.counter)}
        if not found:
            assert self.info.size is not None
            return 1, self.info.size
        if len(found) > 1:
            raise No
        return found.pop()

    def fits(self, element: Poly, loops: tuple[LoopInfo, ...]) -> bool:
        return self.follows([*self.given, *domain(loops)], self.width - element - Poly.constant(1))

    def start(self) -> Poly:
        """Where the first row begins, if it is not where the array does: memory that is aligned by hand."""
        first = [p.element.substitute({c: Poly() for c in p.element.names() if is_counter(c)})
                 for p in self.places.values()]
        return Poly.constant(max(0, min((int(v) for p in first if (v := p.constant_value()) is not None), default=0)))

    def place(self, index: Poly) -> Place:
        if self.round == 1:
            return Place(Poly(), index)
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
                    return self.checked(Place(self.upwards(number), element))
        row, element = index.divide_by(self.width)
        return self.checked(Place(row, element))

    def upwards(self, row: Poly) -> Poly:
        """A row's number where it goes on by one in each iteration, modulo the round."""
        step = row.coefficient(self.loop.counter)
        value = step.constant_value() if step is not None else None
        if value is None or value == 0:
            return row
        if (value - 1) % self.round:
            raise No
        return row - Poly.variable(self.loop.counter, I32).scale(value - 1)

    def checked(self, place: Place) -> Place:
        if any(loads(a) for p in (place.row, place.element) for a in p.atoms().values()):
            raise No
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
                    raise No
                end = Poly() if sign >= 0 else loop.trip - Poly.constant(1)
                low = low.substitute({loop.counter: end})
            if over_counters(low):
                raise No
            more = Poly({m: c for m, c in low.terms.items() if c > 0})
            self.asked.append(LE(BOOL, from_poly(more - low), from_poly(more)))

    def in_row(self, element: Poly, loops: tuple[LoopInfo, ...]) -> bool:
        """Whether an element lies in the first row."""
        ends = (element, self.width - element - Poly.constant(1))
        return all(self.holds(domain(loops), p) for p in ends)

    def number(self, row: Poly) -> int:
        """The constant part of a row's number in the loop, which goes on by one in each iteration."""
        offset = (row - Poly.variable(self.loop.counter, I32)).constant_value()
        if offset is None:
            raise No
        return offset

    def numbers(self) -> int:
        found = {self.number(self.places[e.order].row) for e in self.own}
        if len(found) > 1:
            raise No
        return found.pop()

    def reads_own(self, e: Effect) -> bool:
        return any(array_of(n) == self.name for x in sites(e) for n in loads(x))

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
        return same and not any(array_of(n) == self.name for n in loads(second.value))

    def drop(self, e: Effect) -> None:
        self.before.remove(e)
        self.stores.remove(e)
        self.edit = restate(self.edit, {e.order: None})
        self.path = self.edit.path
