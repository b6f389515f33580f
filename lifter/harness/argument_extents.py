"""What the layouts of a summary's images ask of its parameters: lengths of rows, lowest and highest elements."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate as evaluate_expr
from lifter.algebra.polynomial import Poly, atom_of
from lifter.ir.summary import Layout, PathSummary

Scalars = dict[str, int | float]


class NoArguments(Exception):
    """No arguments could be made up; the text says why."""


def layouts_of(path: PathSummary) -> Iterable[Layout]:
    yield from (f.layout for f in path.funcs if f.output)
    yield from (i.layout for i in path.inputs)


def row_length(layout: Layout, stride: str, scalars: Scalars) -> int:
    """What `stride` must be for the dimensions inside it to fit, by the strides known so far."""
    length = 1
    for d in layout.dims:
        if d.stride is None:
            continue
        if stride in d.stride.names():
            return length
        length = max(length, number(d.min + d.extent, scalars) * abs(number(d.stride, scalars)))
    return 1


def corners_of(layout: Layout, scalars: Scalars) -> tuple[int, int]:
    """The lowest and the highest element of a box; the highest is below the lowest where it is empty."""
    low = high = number(layout.offset, scalars)
    for d in layout.dims:
        if d.stride is None:
            continue
        extent = number(d.extent, scalars)
        if extent <= 0:
            return 0, -1
        stride, first = number(d.stride, scalars), number(d.min, scalars)
        ends = sorted((stride * first, stride * (first + extent - 1)))
        low, high = low + ends[0], high + ends[1]
    return low, high


def number(p: Poly, scalars: Scalars) -> int:
    try:
        return sum(c * prod(int(evaluate_expr(atom_of(a), scalars)) for a in m) for m, c in p.terms.items())
    except HalideError:
        raise NoArguments(f"the extent {p} depends on the images' contents") from None
