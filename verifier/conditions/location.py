"""Where the elements of an image lie: on this rest the checks for overlap and the arithmetic of addresses."""

from __future__ import annotations

from typing import Any

from halide_core.ir.types import Int
from lifter.algebra.polynomial import Poly, poly_text
from lifter.ir.summary import FuncSummary, InputSummary
from verifier.conditions.base import Conditions
from verifier.contract import at_least_zero_text, index_type, over_parameters
from verifier.sized_memory import room_of_box

_ONE = Poly.constant(1)


class LocatedConditions(Conditions):
    """Conditions on the memory of Funcs and images."""

    def located(self, f: FuncSummary | InputSummary) -> None:
        """The elements of the box lie between its first and its last one, and their indices fit the type that the
        original computes indices in."""
        layout = f.layout
        dims = [d for d in layout.dims if d.stride is not None]
        if layout.array not in {p.name for p in self.function.params if p.pointer}:
            return
        some = [self.index.poly(d.extent) >= 1 for d in dims]
        for d in dims:
            assert d.stride is not None
            if d.stride.constant_value() is None:
                text = f"{poly_text(d.stride)} >= 0: {f.name} lies between its first and its last element"
                self.add(f.name, "located", text, some, self.index.poly(d.stride) >= 0)
        if layout.array in self.function.sizes:
            for p in room_of_box(self.function, self.path.defined, layout):
                text = f"{at_least_zero_text(p)}: {f.name} lies in its array's memory"
                self.add(f.name, "located", text, some, self.index.poly(p) >= 0)
        narrow = index_type(self.function, self.path)
        if narrow == Int(64):
            self.bounds_fit(f, some)
        for corner in layout.corners():
            if not any(len(m) > 1 for m in corner.terms) or not over_parameters(corner, self.function):
                continue
            place = self.index.poly(corner)
            text = f"{f.name} at index {poly_text(corner)} fits {narrow}"
            fits = self.index.all_of([place >= narrow.min(), place <= narrow.max()])
            self.add(f.name, "located", text, some, fits)

    def bounds_fit(self, f: FuncSummary | InputSummary, some: list[Any]) -> None:
        """Sizes of 64 bits: the ends of the box fit the 32 bits of coordinates."""
        for d in f.layout.dims:
            for p in (d.min, d.extent, d.min + d.extent - _ONE):
                if p.constant_value() is not None or not over_parameters(p, self.function):
                    continue
                value = self.index.poly(p)
                fits = self.index.all_of([value >= Int(32).min(), value <= Int(32).max()])
                self.add(f.name, "located", f"{poly_text(p)}, a bound of {f.name}, fits {Int(32)}", some, fits)
