"""Addresses that run against their rows: an element of the row that they stay in, not one left of the row above."""

from __future__ import annotations

from collections.abc import Callable

from lifter.bounds import Interval, Unbounded, interval
from lifter.effects import LoopInfo
from lifter.poly import Poly
from lifter.summary import Layout


def in_own_rows(
    coords: tuple[Poly, ...],
    over_counters: tuple[Poly, ...],
    layout: Layout,
    loops: tuple[LoopInfo, ...],
    non_negative: Callable[[Poly], bool],
) -> tuple[Poly, ...]:
    """`coords` of an element, found by division by the strides, with a whole row taken from one coordinate and given to
    the one below it where only that puts this one inside of the Func: `w*y + w - 1 - x` is (w - 1 - x, y), and not
    (-1 - x, y + 1).  `over_counters` are the same coordinates over the counters of the `loops`."""
    env = _counters(loops)
    out, raw = list(coords), list(over_counters)
    for k in range(len(layout.dims) - 1):
        inner, outer = layout.dims[k], layout.dims[k + 1]
        if inner.stride is None or outer.stride is None:
            break
        row = outer.stride.exact_quotient(inner.stride)
        if row is None or not raw[k].names() & set(env):
            continue
        first, last = inner.min, inner.min + inner.extent - Poly.constant(1)
        for turns in (0, 1, -1):
            moved = raw[k] + row.scale(turns)
            if _inside(moved, (first, last), env, non_negative):
                for places in (out, raw):
                    places[k] = places[k] + row.scale(turns)
                    places[k + 1] = places[k + 1] - Poly.constant(turns)
                break
    return tuple(out)


def ends(
    coords: tuple[Poly, ...], loops: tuple[LoopInfo, ...], non_negative: Callable[[Poly], bool]
) -> list[Interval]:
    """The least and the greatest of each coordinate, over the counters of the `loops`.  Raises Unbounded."""
    return [interval(c, _counters(loops), non_negative) for c in coords]


def _counters(loops: tuple[LoopInfo, ...]) -> dict[str, Interval]:
    return {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in loops}


def _inside(
    p: Poly, ends: Interval, env: dict[str, Interval], non_negative: Callable[[Poly], bool]
) -> bool:
    try:
        low, high = interval(p, env, non_negative)
    except Unbounded:
        return False
    return non_negative(low - ends[0]) and non_negative(ends[1] - high)
