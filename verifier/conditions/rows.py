"""Conditions on images behind arrays of pointers to rows: which rows there are is known from what the original touches.

A drop-in reads the pointers to all rows of a box, and no others."""

from __future__ import annotations

from typing import Any

from halide_core.ir.expr import I64, Expr
from halide_core.ir.structural import variables
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.effects import Effect, loads
from lifter.ir.names import address_name
from lifter.ir.row_tables import rows_of
from lifter.ir.summary import FuncSummary, InputSummary
from verifier.conditions.reads import ReadConditions


class RowConditions(ReadConditions):
    """The first and the last row of each box."""

    def row_distances(self) -> None:
        """Neither what is computed, nor how often, nor which path is taken speaks of where rows lie: what the distance
        is where none of them is touched nobody knows, and two of them may lie at any distance where one is."""
        tables = self.function.row_tables
        if not tables:
            return
        unknown = {*tables.values(), *map(address_name, tables)}
        s = self.summary
        expressions = [*s.conditions, *([s.result] if s.result is not None else [])]
        expressions += [e for f in s.funcs for d in f.definitions for e in d.expressions()]
        layouts = [*(f.layout for f in s.funcs), *(i.layout for i in s.inputs)]
        sizes = [p for layout in layouts for d in layout.dims for p in (d.min, d.extent)]
        sizes += [r.extent for f in s.funcs for d in f.definitions for r in d.rdom]
        sizes += [info.trip for info, _, _ in self.path.trips]
        named = frozenset().union(*map(variables, expressions), *(p.names() for p in sizes))
        text = f"nothing is computed from where the rows of {', '.join(sorted(tables))} lie"
        self.decide("rows", "rows", text, not named & unknown)

    def row_pointers(self, f: FuncSummary | InputSummary) -> None:
        """The original touches the first and the last row of a box that is not empty: their pointers are there."""
        pitch = self.function.row_tables.get(f.layout.array)
        if pitch is None or any(d.stride is None for d in f.layout.dims):
            return
        text = f"the first and the last row of {f.name} are touched by the original"
        if rows_of(f.layout, pitch) is None:
            self.decide(f.name, "rows", text, False)
            return
        rows = rows_of(f.layout, pitch)
        there = [self.index.poly(d.extent) >= 1 for d in f.layout.dims]
        for row in dict.fromkeys(rows or ()):
            self.add(f.name, "rows", text, there, self.index.any_of(self.touching(f.layout.array, pitch, row)))

    def touching(self, array: str, pitch: str, row: Poly) -> list[Any]:
        """That the original touches an element of a row, for each read and store that iterations are sure to make, in
        the first and in the last iterations of their loops."""
        touched: list[tuple[Effect, Poly, tuple[Expr, ...]]] = []
        for e in self.certain():
            touched += [(e, index, given) for index, given in self.sure_reads(e, array)]
            if e.array == array and not loads(from_poly(e.index)):
                touched.append((e, e.index, ()))
        touched += self.beforehand(array)
        ways = []
        for e, index, given in touched:
            here, rest = index.divide_by(Poly.variable(pitch, I64))
            if pitch in here.names() | rest.names():
                continue
            first = {loop.counter: Poly() for loop in e.loops}
            last: dict[str, Poly] = {}
            for loop in e.loops:
                last[loop.counter] = loop.trip.substitute(last) - Poly.constant(1)
            moving = {n: p for n, p in last.items() if n in here.names()}
            conditions = given if e.guard is None else (e.guard, *given)
            for at in (first, last, first | moving):
                when = [*self.domain(e.loops, at), *self.holding(conditions, at)]
                same = self.index.poly(here.substitute(at)) == self.index.poly(row)
                ways.append(self.index.all_of([same, *when]))
        return ways


__all__ = ["RowConditions"]
