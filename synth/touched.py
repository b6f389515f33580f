"""Which elements of an array that is only added to may be touched, as rows and columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from lifter.bounds import Interval, Unbounded, interval
from lifter.effects import Effect, loads
from lifter.loops import Function
from lifter.poly import Poly
from lifter.summary import Dim, Layout, dim_names
from synth.terminals import NoMapping, coordinates
from verifier.contract import ContractBuilder


def in_rows(
    function: Function, array: str, e: Effect, env: Mapping[str, Interval], contract: ContractBuilder
) -> Layout | None:
    """The box of an update's address over the counters in `env`, where one stride moves it from row to row and the
    contract can ask that rows be as long as the box; None where it is as well seen as one row."""
    steps = [e.index.coefficient(c) for c in e.counters]
    strides = {s for s in steps if s is not None and s.constant_value() is None}
    if len(strides) != 1 or None in steps or any(loads(a) for a in e.index.atoms().values()):
        return None
    units = zip(dim_names(function), (Poly.constant(1), *strides), strict=False)
    rows = Layout(array, Poly(), tuple(Dim(name, Poly(), Poly(), step) for name, step in units))
    try:
        ends = [interval(c, env, contract.non_negative) for c in coordinates(e.index, rows, ())]
    except (NoMapping, Unbounded):
        return None
    extents = [(low, high - low + Poly.constant(1)) for low, high in ends]
    dims = tuple(replace(d, min=low, extent=n) for d, (low, n) in zip(rows.dims, extents, strict=True))
    found = replace(rows, dims=dims)
    return found if contract.layout(found) else None
