"""Conditions on images behind arrays of pointers to rows: which rows there are is known from what the original touches.

A drop-in reads the pointers to all rows of a box, and no others."""

from __future__ import annotations

from lifter.algebra.polynomial import Poly
from lifter.ir.row_tables import rows_of
from lifter.ir.summary import FuncSummary, InputSummary
from verifier.conditions.reads import ReadConditions


class RowConditions(ReadConditions):
    """The first and the last row of each box."""

    def row_pointers(self, f: FuncSummary | InputSummary) -> None:
        """The original touches the first and the last row of a box that is not empty: their pointers are there."""
        pitch = self.function.row_tables.get(f.layout.array)
        if pitch is None or any(d.stride is None for d in f.layout.dims):
            return
        text = f"the first and the last row of {f.name} are touched by the original"
        if rows_of(f.layout, pitch) is None:
            self.decide(f.name, "rows", text, False)
            return
        one = Poly.constant(1)
        there = [self.index.poly(d.extent) >= 1 for d in f.layout.dims]
        for corner in (
            tuple(d.min for d in f.layout.dims), tuple(d.min + d.extent - one for d in f.layout.dims)
        ):
            ways = self.touched_elsewhere(f.layout, corner)
            self.add(f.name, "rows", text, there, self.index.any_of(ways))


__all__ = ["RowConditions"]
