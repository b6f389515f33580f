"""What a pointer of a composed pipeline points to: memory as Funcs over boxes of its elements, and reads of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, I32, Expr, const
from halide_core.ir.types import Type
from lifter.algebra.fold import all_hold
from lifter.support.errors import LiftError

_OVERLAP = "rows that overlap each other in memory cannot be composed"


class ComposeError(LiftError):
    """A document that cannot be composed; the text says which call, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Box:
    """Elements offset + sum of stride * coordinate, each coordinate from min on, innermost first."""

    offset: int
    dims: tuple[tuple[int, int, int], ...]
    """(min, extent, stride) of each."""

    def is_empty(self) -> bool:
        return any(extent <= 0 for _, extent, _ in self.dims)

    def span(self) -> tuple[int, int]:
        """The first element and the one past the last."""
        low = self.offset + sum(m * s for m, _, s in self.dims)
        return low, low + sum((extent - 1) * stride for _, extent, stride in self.dims) + 1

    def is_dense(self) -> bool:
        """Whether every element of the span is in the box."""
        first, end = self.span()
        count = 1
        for _, extent, _ in self.dims:
            count *= extent
        return self.apart() and count == end - first

    def apart(self) -> bool:
        """Whether different coordinates are different elements: no row reaches into the next."""
        ladder = sorted(self.dims, key=lambda d: d[2])
        reach = 0
        for _, extent, stride in ladder:
            if stride <= reach and extent > 1:
                return False
            reach += (extent - 1) * stride
        return True


@dataclass(frozen=True, slots=True)
class Layer:
    """`value` gives the elements of `box` over its coordinates."""

    box: Box
    value: Callable[[tuple[Expr, ...]], Expr]


@dataclass(frozen=True, slots=True)
class Memory:
    """The elements of the last layer that has them; what a pointer points to is element 0."""

    type: Type
    layers: tuple[Layer, ...]
    name: str

    def over(self, layer: Layer) -> Memory:
        """This memory after `layer` has been written to it."""
        return Memory(self.type, (*self.layers, layer), self.name)

    def reader(self, box: Box) -> Callable[[tuple[Expr, ...]], Expr]:
        """The elements of `box`, over its coordinates.  Raises ComposeError where one is in no layer."""
        if box.is_empty():
            return lambda _: E.const(0, self.type)
        for k in range(len(self.layers) - 1, -1, -1):
            shifts = _inside(box, self.layers[k].box)
            if shifts is not None:
                return _stacked(self.layers[k], shifts, self.layers[k + 1 :], box)
        raise ComposeError(f"'{self.name}' is read outside of what it holds: {box} of {[x.box for x in self.layers]}")


_Place = Callable[[tuple[Expr, ...]], tuple[Expr, ...]]


def _stacked(bottom: Layer, place: _Place, above: Sequence[Layer], box: Box) -> Callable[[tuple[Expr, ...]], Expr]:
    """What is read of `box`, all of which lies in `bottom`, where layers above it hold some of it."""

    def value(coords: tuple[Expr, ...]) -> Expr:
        out = bottom.value(place(coords))
        for layer in above:
            if layer.box.is_empty():
                continue
            held, tests = _digits(coords, box, layer.box)
            out = E.Select(out.type, all_hold(tests), layer.value(tuple(held)), out)
        return out

    return value


def _inside(inner: Box, outer: Box) -> _Place | None:
    """The coordinates in `outer` of those in `inner`, where all of it lies inside."""
    if not outer.apart():
        raise ComposeError(_OVERLAP)
    if (place := _shifted(inner, outer)) is not None:
        return place
    first, end = inner.span()
    start, stop = outer.span()
    if outer.is_dense() and start <= first and end <= stop:
        # A row of elements, cut into rows of pixels.
        return lambda coords: tuple(_digits(coords, inner, outer)[0])
    return None


def _shifted(inner: Box, outer: Box) -> _Place | None:
    """The same where coordinates differ by constants only."""
    order = sorted(range(len(outer.dims)), key=lambda d: -outer.dims[d][2])
    rest = inner.offset - outer.offset
    source: list[int | None] = [None] * len(outer.dims)
    used: set[int] = set()
    for d in order:
        stride = outer.dims[d][2]
        for k, (_, _, mine) in enumerate(inner.dims):
            if k not in used and mine == stride:
                source[d] = k
                used.add(k)
                break
    if any(k not in used and extent > 1 for k, (_, extent, _) in enumerate(inner.dims)):
        return None
    # Dimensions of one element stand still, wherever they are.
    rest += sum(low * stride for k, (low, _, stride) in enumerate(inner.dims) if k not in used)
    shifts = _shifts(rest, order, source, inner, outer)
    if shifts is None:
        return None

    def place(coords: tuple[Expr, ...]) -> tuple[Expr, ...]:
        out = []
        for d, k in enumerate(source):
            base = const(0, I32) if k is None else coords[k]
            out.append(E.Add(I32, base, const(shifts[d], I32)) if shifts[d] else base)
        return tuple(out)

    return place


def _shifts(
    rest: int, order: Sequence[int], source: Sequence[int | None], inner: Box, outer: Box
) -> dict[int, int] | None:
    """By how much coordinates of `outer` are greater, `rest` elements in all, so that those of `inner` lie inside."""
    if not order:
        return None if rest else {}
    d, *others = order
    stride = outer.dims[d][2]
    for shift in (rest // stride, rest // stride + 1):
        if _fits(d, shift, source, inner, outer):
            found = _shifts(rest - shift * stride, others, source, inner, outer)
            if found is not None:
                return {d: shift, **found}
    return None


def _fits(d: int, shift: int, source: Sequence[int | None], inner: Box, outer: Box) -> bool:
    low, extent, _ = outer.dims[d]
    k = source[d]
    first, count = (0, 1) if k is None else inner.dims[k][:2]
    return low <= first + shift and first + count + shift <= low + extent


def _digits(coords: tuple[Expr, ...], box: Box, layer: Box) -> tuple[list[Expr], list[Expr]]:
    """(Coordinates, tests): where in `layer` an element of `box` would be, and whether it is there at all."""
    if not layer.apart():
        raise ComposeError(_OVERLAP)
    rest: Expr = const(box.offset - layer.offset - sum(low * stride for low, _, stride in layer.dims), I32)
    for c, (_, _, stride) in zip(coords, box.dims, strict=True):
        rest = E.Add(I32, rest, E.Mul(I32, c, const(stride, I32)))
    out: dict[int, Expr] = {}
    tests: list[Expr] = []
    for d in sorted(range(len(layer.dims)), key=lambda d: -layer.dims[d][2]):
        low, extent, stride = layer.dims[d]
        digit = E.Div(I32, rest, const(stride, I32)) if stride != 1 else rest
        rest = E.Mod(I32, rest, const(stride, I32)) if stride != 1 else const(0, I32)
        first, last = const(0, I32), const(extent - 1, I32)
        tests += [E.LE(BOOL, first, digit), E.LE(BOOL, digit, last)]
        # What lies elsewhere is not used, and must not be read.
        out[d] = E.Add(I32, E.Max(I32, E.Min(I32, digit, last), first), const(low, I32))
    tests.append(E.EQ(BOOL, rest, const(0, I32)))
    return [out[d] for d in range(len(layer.dims))], tests
