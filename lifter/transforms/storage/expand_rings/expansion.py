"""The array with a row for each iteration, in place of the one whose rows are stored to again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effect_edits import renamed, spaced
from lifter.ir.effect_queries import least
from lifter.ir.effects import Effect, LoopInfo, Path, loads, values_of
from lifter.ir.names import array_of
from lifter.transforms.storage.expand_rings.row_layout import No, span
from lifter.transforms.storage.expand_rings.row_reads import Reads
from lifter.transforms.storage.merge_row_stores import padded


class Expansion(Reads):
    """Puts that array in the place of the other."""

    def expanded(self) -> Path:
        """The path with the array in the other's place.  Raises No."""
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
        if self.short and fill is not None and self.round > 1:
            missing = [r for r in range(self.newest - self.round, self.newest) if r not in self.rows_before]
            if missing and min(missing) < -self.shift:
                self.shift = -min(missing)
                moved = self.all_moved()
        self.result = transform(self.path.result, self._placed) if self.path.result is not None else None
        path = self.with_effects([moved[e.order] for e in self.path.effects])
        if not self.whole:
            raise No
        if fill is not None and missing:
            path = self.filled(path, fill, missing)
        recurs = any(self.reads_own(e) for e in self.own)
        return self.widened(path) if recurs else path

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
        spans = [span(element, e.loops[-1]) for element, e in zip(elements, stores, strict=True) if e.loops]
        if len(spans) < len(stores) or spans[-1] is None:
            return None
        start, end = spans[-1]
        for found in spans:
            if found is None or not all(self.follows(self.given, p) for p in (found[0] - start, end - found[1])):
                return None
        return padded(self.path, stores, elements, self.width, fill.value, self.depth)

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
                raise No
            rows = LoopInfo(f"{self.loop.counter}f{i}", self.loop.trip + Poly.constant(1), e.line)
            around = (*e.loops[: self.depth], rows)
            e = renamed(e, {x.counter: f"{x.counter}f{i}" for x in e.loops[self.depth :]})
            inner = e.loops[self.depth :]
            trips.append((rows, around[:-1], None))
            trips += [(x, (*around, *inner[:k]), None) for k, x in enumerate(inner)]
            index = e.index + self.width * Poly.variable(rows.counter, I32)
            effects[i] = replace(e, index=index, loops=(*around, *inner))
        return replace(path, effects=tuple(effects), trips=tuple(trips))

    def moved(self, e: Effect) -> Effect:
        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Load) and array_of(n) == self.name:
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
        elif any(array_of(n) == self.name for a in index.atoms().values() for n in loads(a)):
            index = to_poly(transform(from_poly(index), rewrite))
        guard = transform(e.guard, rewrite) if e.guard is not None else None
        return replace(e, index=index, value=transform(e.value, rewrite), guard=guard)

    def with_effects(self, effects: list[Effect]) -> Path:
        path = self.path
        fixed = list(values_of(replace(path, result=None)))
        fixed += [a for o in path.obligations for a in o.obligation.poly.atoms().values()]
        fixed += [o.guard for o in path.obligations if o.guard is not None]
        if any(array_of(n) == self.name for x in fixed for n in loads(x)):
            raise No
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
            except No:
                continue

    def _placed(self, n: Expr) -> Expr:
        if isinstance(n, Load) and array_of(n) == self.name:
            return Load(n.type, n.name, from_poly(self.seen(n, None)))
        return n
