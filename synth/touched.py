"""Which elements of an array that is only updated may be touched: a box around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from lifter.bounds import Interval, Unbounded
from lifter.effects import Effect, loads, own_reads
from lifter.loops import Function
from lifter.poly import Poly, poly_max, poly_min
from lifter.summary import Dim, Layout, dim_names
from synth.rows import ends, in_own_rows
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
    span: list[Interval] = []
    for e in updates:
        try:
            span += ends(tuple(_places(e)), e.loops, contract.non_negative)
        except Unbounded as problem:
            raise Irregular(e, str(problem)) from None
    one = Dim(dim_names(function)[0], Poly(), Poly(), Poly.constant(1))
    return _in_rows(function, array, updates, contract) or Layout(array, Poly(), (_around(one, span),))


def _places(e: Effect) -> list[Poly]:
    """Where an update writes, and where it reads its own array."""
    return [e.index, *own_reads(e)]


def _around(d: Dim, span: Sequence[Interval]) -> Dim:
    """The dimension from the least to the greatest of several coordinates."""
    low, high = reduce(poly_min, (a for a, _ in span)), reduce(poly_max, (b for _, b in span))
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
    (stride,) = strides
    extents = (stride, Poly())
    rows = Layout(
        array, Poly(), tuple(Dim(name, Poly(), n, step) for (name, step), n in zip(units, extents, strict=True))
    )

    def place(p: Poly, e: Effect) -> tuple[Poly, ...]:
        divided = coordinates(p, rows, ())
        return in_own_rows(divided, divided, rows, e.loops, contract.non_negative)

    try:
        found = [ends(place(p, e), e.loops, contract.non_negative) for e in updates for p in _places(e)]
    except (NoMapping, Unbounded):
        return None
    around = [_around(d, [places[k] for places in found]) for k, d in enumerate(rows.dims)]
    dims = tuple(replace(d, min=contract.settled(d.min), extent=contract.settled(d.extent)) for d in around)
    box = replace(rows, dims=dims)
    return box if contract.layout(box) else None
