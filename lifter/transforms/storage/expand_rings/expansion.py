"""The array with a row for each iteration, in place of the one whose rows are stored to again and again."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.ir.effect_edits import Edit, Site, Unknown, reindex, remap, renamed, restate, spaced, widen
from lifter.ir.effect_queries import least
from lifter.ir.effects import Effect, LoopInfo, arrays_in, values_of
from lifter.transforms.storage.expand_rings.row_layout import No, span
from lifter.transforms.storage.expand_rings.row_reads import Reads
from lifter.transforms.storage.merge_row_stores import padded


class Expansion(Reads):
    """Puts that array in the place of the other."""

    def expanded(self) -> Edit:
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
        edit = self.moved()
        missing: list[int] = []
        if self.short and fill is not None and self.round > 1:
            missing = [r for r in range(self.newest - self.round, self.newest) if r not in self.rows_before]
            if missing and min(missing) < -self.shift:
                self.shift = -min(missing)
                edit = self.moved()
        if not self.whole:
            raise No
        edit = edit.needs(asserts=least(self.asked, self.given, self.follows))
        if fill is not None and missing:
            edit = self.filled(edit, fill, missing)
        recurs = any(self.reads_own(e) for e in self.own)
        return self.widened(edit) if recurs else edit

    def padded(self) -> Edit | None:
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

    def filled(self, edit: Edit, fill: Effect, rows: list[int]) -> Edit:
        """Rows before the loop's own, to which nothing else is stored, as what fills the array has them."""
        around = fill.loops[: self.depth]
        stores: list[Effect] = []
        for i, row in enumerate(rows):
            cells = LoopInfo(f"{self.loop.counter}e{i}", self.width, fill.line)
            index = self.width.scale(row + self.shift) + Poly.variable(cells.counter, I32)
            stores.append(replace(fill, index=index, loops=(*around, cells), order=fill.order * len(rows) + i))
        return restate(spaced(edit, len(rows)), {}, stores)  # the fill's own time is free

    def widened(self, edit: Edit) -> Edit:
        """What is stored to the last row before the loop's own stored to those as well: they are stored over before
        they are read."""
        last = self.width.scale(self.newest - 1 + self.shift)
        effects = edit.path.effects
        first = next(i for i, e in enumerate(effects) if self.within(e))
        for i, e in enumerate(effects[:first]):
            inside = e.index - last
            if e.array != self.name or self.reads_own(e) or not self.in_row(inside, e.loops):
                continue
            if e.guard is not None:
                raise No
            rows = LoopInfo(f"{self.loop.counter}f{i}", self.loop.trip + Poly.constant(1), e.line)
            edit = widen(edit, e, rows, self.width, self.depth)
            names = {x.counter: f"{x.counter}f{i}" for x in e.loops[self.depth :]}
            edit = reindex(edit, {e.order: renamed(edit.effect(e.order), names)})
        return edit

    def moved(self) -> Edit:
        """The array's stores and reads in its rows.  Raises No."""
        self.shift = max(self.shift, -min([self.newest, *self.rows_before]))
        fixed = list(values_of(replace(self.path, result=None)))
        fixed += [a for o in self.path.obligations for a in o.obligation.poly.atoms().values()]
        fixed += [o.guard for o in self.path.obligations if o.guard is not None]
        if self.name in arrays_in(fixed):
            raise No
        rows = self.loop.trip + Poly.constant(self.newest + self.shift)
        return remap(self.edit, {self.name}, self.placed, {self.name: replace(self.info, size=self.width * rows)})

    def placed(self, array: str, index: Poly, site: Site, time: int | None) -> tuple[str, Poly]:
        """Where an access finds its element."""
        e = site.effect
        if time is not None:
            try:
                return array, self.seen(index, time, e)
            except No:
                if e is not None and not e.array:
                    raise Unknown(array) from None
                raise
        assert e is not None
        place = self.place(index)
        if self.within(e):
            row = Poly.variable(self.loop.counter, I32) + Poly.constant(self.newest)
        else:
            row = self.row_before(place.row, e.loops)
        return array, self.width * (row + Poly.constant(self.shift)) + place.element
