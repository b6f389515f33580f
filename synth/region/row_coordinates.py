"""Addresses that run against their rows: an element of the row that they stay in, not one left of the row above.

`w*y + w - 1 - x` is (w - 1 - x, y), and not (-1 - x, y + 1): where only a whole row more, or less, puts a coordinate
inside of what is stored or read, that row is taken from the next coordinate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from lifter.algebra.polynomial import Poly, floor_div
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval
from lifter.ir.effects import Effect, LoopInfo
from lifter.ir.summary import Layout
from synth.region.coordinates import coordinates

Sign = Callable[[Poly], bool]
"""Whether a polynomial is known not to be negative."""


_TURNS = (0, 1, -1)


def in_own_rows(
    coords: tuple[Poly, ...],
    over_counters: tuple[Poly, ...],
    layout: Layout,
    loops: tuple[LoopInfo, ...],
    non_negative: Sign,
    near: tuple[Poly, ...] | None = None,
) -> tuple[Poly, ...]:
    """`coords` of an element of a Func, found by division by the strides, so carried.  `over_counters` are the same
    coordinates over the counters of the `loops`; `near` those that it has as a neighbour of another one, which it is
    given where it lies inside neither as it stands nor so carried."""
    inside = [(d.min, d.min + d.extent - Poly.constant(1)) for d in layout.dims]
    return _carried(coords, over_counters, layout, inside, counters(loops), non_negative, near, several=True)


def beside(index: Poly, e: Effect, layout: Layout, non_negative: Sign) -> tuple[Poly, ...] | None:
    """The coordinates, over counters, of an address always as far from the one that an effect stores to: of the left
    neighbour of (w - 1 - x, y) they are (w - 2 - x, y).  Raises NoMapping."""
    distance = index - e.index
    if distance.names() & set(e.counters) or any(d.stride is None for d in layout.dims):
        return None
    own = coordinates(e.index, layout, ())
    own = in_own_rows(own, own, layout, e.loops, non_negative)
    apart = coordinates(distance + layout.offset, layout, ())
    return tuple(a + b for a, b in zip(own, apart, strict=True))


def image_coordinates(
    index: Poly, layout: Layout, env: Mapping[str, Interval], non_negative: Sign
) -> tuple[Poly, ...]:
    """Coordinates of an address in an image whose rows begin where `layout` says, where variables run over the
    intervals of `env`.  Raises NoMapping."""
    found = coordinates(index, layout, ())
    rows = [_row(layout, k) for k in range(len(layout.dims))]
    inside = [
        (d.min, d.min + row - Poly.constant(1)) if row is not None else None
        for d, row in zip(layout.dims, rows, strict=True)
    ]
    return _carried(found, found, layout, inside, env, non_negative)


def with_row_starts(
    layout: Layout, reads: Iterable[tuple[Poly, Mapping[str, Interval]]], non_negative: Sign
) -> Layout:
    """The layout of an image with the coordinates at which its rows begin: 0, or left of it where all reads together,
    addresses with what their variables run over, stay in one row so.  The four pixels on either side of an edge,
    `p[y*stride - 4]` to `p[y*stride + 3]`, lie in row y; `p[y*w + w - 1]` beside a whole row of w is its last one.
    Raises NoMapping."""
    ends: list[list[Interval]] = [[] for _ in layout.dims]
    for index, env in reads:
        try:
            here = [interval(c, env, non_negative) for c in coordinates(index, layout, ())]
        except Unbounded:
            return layout
        for known, own in zip(ends, here, strict=True):
            known.append(own)
    dims = [
        replace(d, min=Poly.constant(_row_start(known, _row(layout, k))))
        for k, (d, known) in enumerate(zip(layout.dims, ends, strict=True))
    ]
    return replace(layout, dims=tuple(dims))


def _row_start(ends: list[Interval], row: Poly | None) -> int:
    """The least of the ends, if it is a constant below 0 and a row that begins there has all of them."""
    if row is None:
        return 0
    lows = [low.constant_value() for low, _ in ends]
    least = min((low for low in lows if isinstance(low, int)), default=0)
    length = row.constant_value()
    for _, high in ends:
        last = high.constant_value()
        if isinstance(length, int) and (not isinstance(last, int) or last - least >= length):
            return 0
        if high.names() & row.names():
            return 0
    return least if least < 0 and all(isinstance(low, int) for low in lows) else 0


def ends(coords: tuple[Poly, ...], loops: tuple[LoopInfo, ...], non_negative: Sign) -> list[Interval]:
    """The least and the greatest of each coordinate, over the counters of the `loops`.  Raises Unbounded."""
    return [interval(c, counters(loops), non_negative) for c in coords]


def counters(loops: tuple[LoopInfo, ...]) -> dict[str, Interval]:
    """What the counters of loops run over."""
    return {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in loops}


def _row(layout: Layout, k: int) -> Poly | None:
    """How many elements along a dimension the next one's stride spans."""
    inner, outer = layout.dims[k].stride, layout.dims[k + 1].stride if k + 1 < len(layout.dims) else None
    return outer.exact_quotient(inner) if inner is not None and outer is not None else None


def _carried(
    coords: tuple[Poly, ...],
    over_counters: tuple[Poly, ...],
    layout: Layout,
    inside: Iterable[Interval | None],
    env: Mapping[str, Interval],
    non_negative: Sign,
    near: tuple[Poly, ...] | None = None,
    several: bool = False,
) -> tuple[Poly, ...]:
    """`several`: elements one after the other run through several rows where they are not in one."""
    out, raw = list(coords), list(over_counters)
    for k, box in enumerate(inside):
        row = _row(layout, k)
        if row is None or box is None:
            continue
        turns = _turns(raw[k], row, box, env, non_negative)
        found = [t for t in turns if _lies(raw[k] + row.scale(t), box, env, non_negative)]
        if not found and near is not None:
            found = [t for t in _TURNS if raw[k] + row.scale(t) == near[k]]
        for turn in found[:1]:
            for places in (out, raw):
                places[k] = places[k] + row.scale(turn)
                places[k + 1] = places[k + 1] - Poly.constant(turn)
        length = row.constant_value()
        if several and not found and isinstance(length, int) and _runs_on(raw[k], box, env, non_negative):
            for places in (out, raw):
                rows = floor_div(places[k] - box[0], length)
                places[k] = places[k] - rows.scale(length)
                places[k + 1] = places[k + 1] + rows
    return tuple(out)


def _runs_on(p: Poly, box: Interval, env: Mapping[str, Interval], non_negative: Sign) -> bool:
    """Whether a coordinate begins in the row and leaves it, by a number of elements that is known."""
    try:
        low, high = interval(p, env, non_negative)
    except Unbounded:
        return False
    beyond = (high - box[1]).constant_value()
    return non_negative(low - box[0]) and isinstance(beyond, int) and beyond > 0


def _turns(p: Poly, row: Poly, box: Interval, env: Mapping[str, Interval], non_negative: Sign) -> tuple[int, ...]:
    """How many whole rows more may put a coordinate inside: as many as its least value asks for, if that is known."""
    length = row.constant_value()
    try:
        before = (interval(p, env, non_negative)[0] - box[0]).constant_value()
    except Unbounded:
        return _TURNS
    if not isinstance(length, int) or not isinstance(before, int) or length <= 0:
        return _TURNS
    return tuple(dict.fromkeys((*_TURNS, -(before // length))))


def _lies(p: Poly, box: Interval, env: Mapping[str, Interval], non_negative: Sign) -> bool:
    try:
        low, high = interval(p, env, non_negative)
    except Unbounded:
        return False
    return non_negative(low - box[0]) and non_negative(box[1] - high)
