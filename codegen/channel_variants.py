"""Pixels of as many channels as a parameter says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from codegen.plan import PathPlan
from lifter.algebra.polynomial import Poly
from lifter.ir.loop_ir import Param
from lifter.ir.summary import Layout

_USUAL = (1, 3, 4)


def channel_counts(plan: PathPlan, params: Sequence[Param]) -> list[tuple[str, int]]:
    """The parameter that says how many channels the pixels of all outputs have, with each usual value: rows of so few
    elements are worth loops of their own."""
    integers = {p.name: p for p in params if not p.pointer and p.type.is_int_or_uint()}
    found = [_channels(o.layout, integers.values()) for o in plan.outputs]
    if len({name for name, _ in found}) != 1 or found[0][0] == "":
        return []
    least = min(extra for _, extra in found)
    return [(found[0][0], n) for n in _USUAL if n + least >= 1]


def _channels(layout: Layout, params: Iterable[Param]) -> tuple[str, int]:
    """(parameter, what is added to it) of the first dimension's extent, where that parameter is a pixel's size."""
    if len(layout.dims) < 2 or layout.dims[0].stride != Poly.constant(1) or layout.dims[1].stride is None:
        return "", 0
    for p in params:
        size = Poly.variable(p.name, p.type)
        extra = (layout.dims[0].extent - size).constant_value()
        if layout.dims[1].stride == size and extra is not None:
            return p.name, extra
    return "", 0
