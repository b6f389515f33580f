"""Images behind arrays of pointers to their rows (`uint8_t **rows`), which lie at one distance from each other."""

from __future__ import annotations

from halide_core.ir.expr import I64
from lifter.algebra.polynomial import Poly
from lifter.ir.summary import Layout


def rows_of(layout: Layout, pitch: str) -> tuple[Poly, Poly] | None:
    """The first and the last row of a box, where `pitch` is the distance of rows; None where it is no box of rows."""
    one, step = Poly.constant(1), Poly.variable(pitch, I64)
    low, rest = layout.offset.divide_by(step)
    high = low
    if pitch in low.names() | rest.names():
        return None
    for d in layout.dims:
        if d.stride is None:
            continue
        times, rest = d.stride.divide_by(step)
        if pitch in rest.names() | times.names() | d.min.names() | d.extent.names():
            return None
        if times.is_zero():
            continue
        each = times.constant_value()
        if each is None or not rest.is_zero():
            return None
        ends = d.min.scale(each), (d.min + d.extent - one).scale(each)
        low, high = low + ends[each < 0], high + ends[each > 0]
    return low, high


__all__ = ["rows_of"]
