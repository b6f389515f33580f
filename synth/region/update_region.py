"""Which elements of an array that is only updated may be touched: a box around them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce

from halide_core.ir.expr import NE, Expr
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly, ahead_of, poly_max, poly_min, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.ir.effect_queries import own_reads
from lifter.ir.effects import Effect, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of
from lifter.ir.summary import Dim, Layout, dim_names
from synth.region.coordinates import NoMapping, coordinates
from synth.region.row_coordinates import Sign, beside, counters, in_own_rows
from verifier.contract import ContractBuilder
from verifier.memory_states import sure_loads


class Irregular(Exception):
    """The range of an update's address is not known; `effect` is the update."""

    def __init__(self, effect: Effect, reason: str) -> None:
        super().__init__(reason)
        self.effect = effect


def touched(
    function: Function, array: str, updates: Sequence[Effect], contract: ContractBuilder, where: bool = False
) -> Layout:
    """The box of all that updates may touch: rows and columns where that can be seen, else one row.  `where`: where
    their guards do not hold they touch nothing.

    Raises Irregular."""
    rows = _in_rows(function, array, updates, contract, where)
    if rows is not None:
        return rows
    span: list[Interval] = []
    for e in updates:
        try:
            span += (end for (end,) in _ends(e, lambda p, _: (p,), contract, where))
        except Unbounded as problem:
            raise Irregular(e, str(problem)) from None
    one = Dim(dim_names(function)[0], Poly(), Poly(), Poly.constant(1))
    return Layout(array, Poly(), (_around(one, span),))


def _places(e: Effect) -> list[Poly]:
    """Where an update writes, and where it reads its own array."""
    return [e.index, *own_reads(e)]


def _ends(
    e: Effect, place: Callable[[Poly, Effect], tuple[Poly, ...]], contract: ContractBuilder, where: bool
) -> Iterator[list[Interval]]:
    """The least and the greatest of the coordinates of each address that an update touches: of what it reads
    only where there is a row above, those with a row above.  Raises Unbounded."""
    within = counters(e.loops)
    given: dict[Poly, list[tuple[Expr, ...]]] = {}
    for x in (e.value, *([e.guard] if e.guard is not None else [])):
        for load, when in sure_loads(x, lambda _: True):
            if array_of(load) == e.array:
                guard = (e.guard,) if x is e.value and e.guard is not None else ()
                given.setdefault(to_poly(load.index), []).append((*when, *guard))
    for p in _places(e):
        coords = place(p, e)
        always = (e.guard,) if where and e.guard is not None else ()
        for conditions in given.get(p, [always]) if p != e.index else [always]:
            held = [clause for c in conditions for clause in clauses(c) if where or not loads(c)]
            yield [_narrowed(c, held, within, contract, where) for c in coords]


def _narrowed(
    coordinate: Poly, held: Sequence[Expr], within: dict[str, Interval], contract: ContractBuilder, where: bool
) -> Interval:
    """What a coordinate runs over where comparisons hold too: y - 1 where y > 0.  Raises Unbounded."""
    lows, highs = [], []
    for condition in held:
        ahead = _ahead(condition, within, contract.follows)
        if ahead is not None and ahead.names() & coordinate.names() & within.keys():
            lows += [p for p in (coordinate - ahead,) if not p.names() & within.keys()]
            highs += [p for p in (coordinate + ahead,) if not p.names() & within.keys()]
    try:
        low, high = interval(coordinate, within, contract.follows if where else contract.non_negative)
    except Unbounded:
        if not lows or not highs:
            raise
        low, high = lows[0], highs[0]
    for least in lows:
        low = low if contract.follows(low - least) else least
    for most in highs:
        high = high if contract.follows(most - high) else most
    return low, high


def _ahead(condition: Expr, within: dict[str, Interval], follows: Sign) -> Poly | None:
    """What is zero or more where a comparison holds: of one that is never less than zero, also where it differs from
    it."""
    if not isinstance(condition, NE) or not condition.a.type.is_int_or_uint():
        return ahead_of(condition)
    apart = to_poly(condition.a) - to_poly(condition.b)
    for p in (apart, apart.scale(-1)):
        try:
            if follows(interval(p, within, follows)[0]):
                return p - Poly.constant(1)
        except Unbounded:
            continue
    return None


def _around(d: Dim, span: Sequence[Interval]) -> Dim:
    """The dimension from the least to the greatest of several coordinates."""
    low, high = reduce(poly_min, (a for a, _ in span)), reduce(poly_max, (b for _, b in span))
    return replace(d, min=low, extent=high - low + Poly.constant(1))


def _forwards(step: Poly) -> Poly:
    """The stride of a step, which may go from the last row to the first."""
    return step.scale(-1) if all(c < 0 for c in step.terms.values()) else step


def _steps(e: Effect) -> list[Poly | None]:
    """What multiplies each part of an address that varies in the loops, counters and quotients of them; None where that
    varies too."""
    within = set(e.counters)
    varying = [number for number, a in e.index.atoms().items() if Poly.atom(a).names() & within]
    found = [e.index.factor(number) for number in varying]
    return [None if f is None or f.names() & within else f for f in found]


def _in_rows(
    function: Function, array: str, updates: Sequence[Effect], contract: ContractBuilder, where: bool
) -> Layout | None:
    """The box as rows, where one stride moves the addresses from row to row and the contract can ask that rows be as
    long as the box."""
    steps = [s for e in updates for s in _steps(e)]
    strides = {_forwards(s) for s in steps if s is not None and s.constant_value() is None}
    data = any(loads(a) for e in updates for p in _places(e) for a in p.atoms().values())
    if data or len(strides) != 1 or None in steps:
        return None
    units = zip(dim_names(function), (Poly.constant(1), *strides), strict=False)
    (stride,) = strides
    extents = (stride, Poly())
    rows = Layout(
        array, Poly(), tuple(Dim(name, Poly(), n, step) for (name, step), n in zip(units, extents, strict=True))
    )

    sign = contract.follows if where else contract.non_negative

    def place(p: Poly, e: Effect) -> tuple[Poly, ...]:
        divided = coordinates(p, rows, ())
        near = beside(p, e, rows, sign)
        return in_own_rows(divided, divided, rows, e.loops, sign, near)

    try:
        found = [places for e in updates for places in _ends(e, place, contract, where)]
    except (NoMapping, Unbounded):
        return None
    around = [_around(d, [places[k] for places in found]) for k, d in enumerate(rows.dims)]
    dims = tuple(replace(d, min=contract.settled(d.min), extent=contract.settled(d.extent)) for d in around)
    box = replace(rows, dims=dims)
    return box if contract.layout(box) else None
