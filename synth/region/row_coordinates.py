"""Addresses that run against their rows: an element of the row that they stay in, not one left of the row above.

`w*y + w - 1 - x` is (w - 1 - x, y), and not (-1 - x, y + 1): where only a whole row more, or less, puts a coordinate
inside of what is stored or read, that row is taken from the next coordinate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

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
    """Coordinates of an address in an image whose rows begin at 0, where variables run over the intervals of `env`.
    Raises NoMapping."""
    found = coordinates(index, layout, ())
    rows = [_row(layout, k) for k in range(len(layout.dims))]
    inside = [(Poly(), row - Poly.constant(1)) if row is not None else None for row in rows]
    return _carried(found, found, layout, inside, env, non_negative)


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
