"""Which elements of an array that is only updated may be touched: a box around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from lifter.bounds import Interval, Unbounded, interval
from lifter.effects import Effect, loads, split_tag
from lifter.loops import Function
from lifter.poly import Poly, poly_max, poly_min, to_poly
from lifter.summary import Dim, Layout, dim_names
from synth.terminals import NoMapping, coordinates
from verifier.contract import ContractBuilder


class Irregular(Exception):
    """The range of an update's address is not known; `effect` is the update."""

    def __init__(self, effect: Effect, reason: str) -> None:
        super().__init__(reason)
        self.effect = effect


def touched(function: Function, array: str, updates: Sequence[Effect], contract: ContractBuilder) -> Layout:
    """The box of all that updates may touch: rows and columns where that can be seen, else one row.

    Raises Irregular."""
    ends: list[Interval] = []
    for e in updates:
        env = _counters(e)
        try:
            ends += [interval(p, env, contract.non_negative) for p in _places(e)]
        except Unbounded as problem:
            raise Irregular(e, str(problem)) from None
    one = Dim(dim_names(function)[0], Poly(), Poly(), Poly.constant(1))
    return _in_rows(function, array, updates, contract) or Layout(array, Poly(), (_around(one, ends),))


def _places(e: Effect) -> list[Poly]:
    """Where an update writes, and where it reads its own array."""
    return [e.index, *(to_poly(n.index) for n in loads(e.value) if split_tag(n.name)[0] == e.array)]


def _counters(e: Effect) -> dict[str, Interval]:
    return {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in e.loops}


def _around(d: Dim, ends: Sequence[Interval]) -> Dim:
    """The dimension from the least to the greatest of several coordinates."""
    low, high = reduce(poly_min, (a for a, _ in ends)), reduce(poly_max, (b for _, b in ends))
    return replace(d, min=low, extent=high - low + Poly.constant(1))


def _in_rows(
    function: Function, array: str, updates: Sequence[Effect], contract: ContractBuilder
) -> Layout | None:
    """The box as rows, where one stride moves the addresses from row to row and the contract can ask that rows be as
    long as the box."""
    steps = [e.index.coefficient(c) for e in updates for c in e.counters]
    strides = {s for s in steps if s is not None and s.constant_value() is None}
    data = any(loads(a) for e in updates for p in _places(e) for a in p.atoms().values())
    if data or len(strides) != 1 or None in steps:
        return None
    units = zip(dim_names(function), (Poly.constant(1), *strides), strict=False)
    rows = Layout(array, Poly(), tuple(Dim(name, Poly(), Poly(), step) for name, step in units))
    try:
        ends = [
            [interval(c, _counters(e), contract.non_negative) for c in coordinates(p, rows, ())]
            for e in updates
            for p in _places(e)
        ]
    except (NoMapping, Unbounded):
        return None
    dims = tuple(_around(d, [places[k] for places in ends]) for k, d in enumerate(rows.dims))
    found = replace(rows, dims=dims)
    return found if contract.layout(found) else None
