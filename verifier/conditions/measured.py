"""Conditions on arrays whose least and greatest value an adapter measures at each call: what it looks at is what the
original reads of them, all of it and nothing else.

The original is not clamped.  It does what the path with clamps does where no value that it reads lies beyond the ends:
every read of the path lies in the box of the array, which is measured.  And memory is measured that the original reads,
so that it is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from halide_core.ir.expr import I32, Expr
from halide_core.ir.structural import key, variables
from lifter.algebra.polynomial import Poly, from_poly, poly_text, to_poly
from lifter.ir.effects import LoopInfo, loads
from lifter.ir.loop_ir import Measured
from lifter.ir.names import array_of
from lifter.ir.summary import InputSummary, Layout
from verifier.conditions.base import Condition
from verifier.conditions.reads import ReadConditions
from verifier.memory_states import sure_loads
from verifier.smt import Query

Site = tuple[Poly, tuple[LoopInfo, ...], list[Any], int]
"""An element that the path reads, the loops around, what holds there, and the line."""


class MeasuredConditions(ReadConditions):
    """The reads of measured arrays, and the boxes that are measured."""

    def measured(self) -> None:
        """For each array of which ends are measured: the conditions above."""
        for array in dict.fromkeys(m.array for m in self.function.measured):
            boxes = [i for i in self.summary.inputs if i.layout.array == array]
            sites = list(self._sites(array))
            if len(boxes) > 1 or (sites and not boxes):
                self.decide(array, "measured", f"all that is read of {array} is measured", False)
            elif sites and self._known_before(boxes[0]):
                self._read_within(boxes[0], sites)
                for m in self.function.measured:
                    if m.array == array:
                        self._measured_is_read(boxes[0], m)

    def _known_before(self, image: InputSummary) -> bool:
        """Whether what is measured is known before it is; the condition that does not hold where not."""
        layout = image.layout
        over = {n for d in layout.dims for p in (d.min, d.extent) for n in p.names()} | layout.offset.names()
        over |= {n for d in layout.dims if d.stride is not None for n in d.stride.names()}
        over |= {n for c in self.summary.conditions for n in variables(c)}
        known = over.isdisjoint(self.function.measured_ends) and all(d.stride is not None for d in layout.dims)
        if not known:
            self.decide(image.name, "measured", f"what is measured of {image.name} is known before it is", False)
        return known

    def _read_within(self, image: InputSummary, sites: Iterable[Site]) -> None:
        """Every read of the path lies in the box.  (Which of the numbers side by side in it one is, is known of the
        source's text: there no arithmetic wraps.)"""
        for index, loops, given, line in sites:
            coords = _coordinates(index, image.layout)
            text = f"line {line}: {image.name} at {poly_text(index)} is measured"
            if coords is None:
                self.decide(image.name, "measured", text, False)
                continue
            inside = self.index.all_of(self.within_dims(image.layout.dims, coords))
            self.add(image.name, "measured", text, [*self.domain(loops), *given], inside, line)

    def _measured_is_read(self, image: InputSummary, m: Measured) -> None:
        """The original reads every element that is measured, wherever what is asked before that holds."""
        layout = image.layout
        anywhere = tuple(Poly.variable(f"anywhere.{d.name}", I32) for d in layout.dims)
        ways = self.in_other_iterations(layout, anywhere)
        ways += [self.reached(e, layout, index, anywhere, given) for e, index, given in self.beforehand(layout.array)]
        for e in self.certain():  # what says where a store lands is read where it is made
            places = [to_poly(n.index) for n in loads(from_poly(e.index)) if array_of(n) == layout.array]
            ways += [self.reached(e, layout, index, anywhere) for index in places]
        for e in self.path.effects:  # and what says whether it is made in each iteration
            for n, when in sure_loads(e.guard) if e.guard is not None else ():
                if array_of(n) == layout.array:
                    ways.append(self.reached(replace(e, guard=None), layout, to_poly(n.index), anywhere, when))
        given = [*self._stated_without(self.function.measured_ends), *self.index.facts]
        given += self.within_dims(layout.dims, anywhere)
        if m.step > 1:
            one = Poly.variable("anywhere.one", I32).scale(m.step) + Poly.constant(m.first)
            given.append(self.index.poly(layout.index(anywhere)) == self.index.poly(one))
        text = f"every element of {image.name} of which {m.least} and {m.most} are ends is read by the original"
        self.out.append(Condition(image.name, "measured", text, Query(tuple(given), self.index.any_of(ways))))

    def _stated_without(self, ends: frozenset[str]) -> list[Any]:
        """What an adapter asks before it measures: conditions and items of the contract that do not speak of the
        ends, and that there is something to do at all."""
        asked = [*self.summary.conditions, *(i.condition for i in self.summary.contract if i.condition is not None)]
        some = [self.index.poly(p) >= 1 for p in self.summary.sizes_without(ends)]
        return [*some, *(self.index.given(c) for c in asked if variables(c).isdisjoint(ends))]

    def _sites(self, array: str) -> Iterator[Site]:
        """Where the path reads an array: the element, the loops around, what holds there, and the line."""
        seen: set[tuple[Poly, tuple[str, ...], int | None]] = set()
        for e in (*self.path.effects, *self.path.reads):
            values = [e.value, from_poly(e.index), *([e.guard] if e.guard is not None else [])]
            for index in (to_poly(n.index) for v in values for n in loads(v) if array_of(n) == array):
                site = index, e.counters, None if e.guard is None else key(e.guard)
                if site not in seen:
                    seen.add(site)
                    yield index, e.loops, self.assume(e.guard), e.line
        rest: list[Expr] = [*self.path.conditions, *(c for c, _ in self.path.asserts)]
        rest += [self.path.result] if self.path.result is not None else []
        rest += [from_poly(loop.trip) for loop, _, _ in self.path.trips]
        for n in (n for v in rest for n in loads(v) if array_of(n) == array):
            yield to_poly(n.index), (), [], self.function.line


def _coordinates(index: Poly, layout: Layout) -> tuple[Poly, ...] | None:
    """The point of a layout at an element; None where its coordinates are no multiples of the strides."""
    rest, out = index - layout.offset, []
    for d in reversed(layout.dims):
        assert d.stride is not None
        q, rest = rest.divide_by(d.stride)
        out.append(q)
    return tuple(reversed(out)) if rest.is_zero() else None


__all__ = ["MeasuredConditions"]
