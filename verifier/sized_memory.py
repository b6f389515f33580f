"""Memory whose number of elements is known: containers, arrays inside structures, copies of rows, results."""

from __future__ import annotations

from collections.abc import Mapping

from lifter.algebra.polynomial import Poly
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Layout


def room(function: Function, defined: Mapping[str, Poly], layout: Layout, point: tuple[Poly, ...]) -> list[Poly]:
    """Polynomials that are all at least zero where the element at a point lies in its array's memory.

    First what bounds it from below, then, as many, what bounds it from above.  In rows each row by itself: its number,
    then the place inside it."""
    factors = [_factor(function, defined, f) for f in function.sizes[layout.array]]
    row = Poly.constant(1)
    for f in factors[1:]:
        row = row * f
    one = Poly.constant(1)
    lower: list[Poly] = []
    upper: list[Poly] = []
    rest, size = layout.offset, factors[0] * row
    outer = [k for k, d in enumerate(layout.dims) if d.stride is not None and d.stride == row]
    if layout.array in function.rows and len(outer) == 1 and row.constant_value() is None:
        lower.append(point[outer[0]])
        upper.append(factors[0] - point[outer[0]] - one)
        size = row
    else:
        outer = []
    for k, (d, c) in enumerate(zip(layout.dims, point, strict=True)):
        if d.stride is not None and k not in outer:
            rest = rest + d.stride * c
    return [*lower, rest, *upper, size - rest - one]


def room_of_box(function: Function, defined: Mapping[str, Poly], layout: Layout) -> list[Poly]:
    """Polynomials that are all at least zero where a box lies in its array's memory, by its first and last element."""
    first = tuple(d.min for d in layout.dims)
    last = tuple(d.min + d.extent - Poly.constant(1) for d in layout.dims)
    low, high = (room(function, defined, layout, point) for point in (first, last))
    half = len(low) // 2
    return [*low[:half], *high[half:]]


def _factor(function: Function, defined: Mapping[str, Poly], factor: str | int) -> Poly:
    if isinstance(factor, int):
        return Poly.constant(factor)
    known = defined.get(factor)
    if known is not None:
        return known
    return Poly.variable(factor, next(p.type for p in function.params if p.name == factor))
