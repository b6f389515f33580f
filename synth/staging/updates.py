"""Updates: over which variables a store that adds to what is there, or goes on from it, runs; and where elements of its
Func lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.algebra.symbolic_intervals import Unbounded
from lifter.ir.effect_queries import own_reads
from lifter.ir.effects import Effect, LoopInfo
from lifter.ir.summary import EffectMap, Layout, RDim
from synth.failure import NotFound
from synth.region.coordinates import NoMapping, coordinates
from synth.region.row_coordinates import Sign, beside, ends, in_own_rows

R_NAMES = ("r.x", "r.y", "r.z", "r.w")

MOVING_BOUNDS = "the bounds of a reduction depend on an outer loop"

Update = tuple[EffectMap, tuple[RDim, ...]]


def updates(
    effects: Sequence[Effect], layout: Layout, private: tuple[str, ...], follows: Sign, where: bool = False
) -> list[Update]:
    """The iteration domain of each update: pure variables where a coordinate is a whole dimension, the rest an RDom in
    the order of the loops.  `where`: updates under a guard, in loops, are made where it holds, and walk an
    RDom only.  Raises NotFound."""
    out = []
    for e in effects:
        counters = [c for c in e.counters if c not in private]
        trips = {loop.counter: loop.trip for loop in e.loops}
        tail = tuple(Poly.variable(c, I32) for c in reversed(private))
        applied = where and e.guard is not None and bool(counters)
        pure = {} if applied else _pure_axes(e, layout, counters, follows)
        rest = [c for c in counters if c not in pure.values()]
        if len(rest) > len(R_NAMES):
            raise NotFound("roi", "a reduction over more than four loops", e.line)
        inner_first = rest[::-1]
        rdom = tuple(RDim(R_NAMES[i], trips[c]) for i, c in enumerate(inner_first))
        if any(r.extent.names() & set(e.counters) for r in rdom):
            raise NotFound("roi", MOVING_BOUNDS, e.line)
        coords = []
        for d in layout.dims:
            if d.stride is None:
                continue
            coords.append(Poly.variable(pure[d.name], I32) + d.min if d.name in pure else Poly())
        inverse = {c: Poly.variable(R_NAMES[i], I32) for i, c in enumerate(inner_first)}
        for d in layout.dims:
            if d.name in pure:
                inverse[pure[d.name]] = Poly.variable(d.name, I32) - d.min
        hidden = [d for d in layout.dims if d.stride is None]
        for d, c in zip(hidden, reversed(private), strict=True):
            inverse[c] = Poly.variable(d.name, I32)
        rvars = tuple(Poly.variable(c, I32) for c in inner_first)
        m = EffectMap(e.order, (*coords, *tail), rvars, inverse, guard_in_value=e.guard is not None and not applied)
        out.append((m, rdom))
    return out


def _pure_axes(e: Effect, layout: Layout, counters: list[str], follows: Sign) -> dict[str, str]:
    """Dimensions that an update runs over whole, with their counters: where it reads its array, it does so at its
    own coordinate along them, as a scan down columns does along the rows."""
    hidden = tuple(Poly() for d in layout.dims if d.stride is None)
    trips = {loop.counter: loop.trip for loop in e.loops}
    out: dict[str, str] = {}
    try:
        coords = place(e.index, e.index, layout, hidden, e, follows)
        read = [place(r, r, layout, hidden, e, follows) for r in own_reads(e)]
    except NoMapping:
        return {}
    for position, (d, c) in enumerate(zip(layout.dims, coords, strict=True)):
        for k in counters:
            whole = c == Poly.variable(k, I32) + d.min and trips[k] == d.extent
            if whole and k not in out.values() and all(r[position] == c for r in read):
                out[d.name] = k
    return out


def place(
    index: Poly,
    over_counters: Poly,
    layout: Layout,
    private: tuple[Poly, ...],
    e: Effect | None,
    follows: Sign,
    axes: Mapping[str, Poly] | None = None,
) -> tuple[Poly, ...]:
    """Coordinates of a Func's element, at an address over the dimensions that is another one over the counters around
    effect `e`, where the dimensions are `axes`.  Raises NoMapping."""
    found = coordinates(index, layout, private)
    if e is None:
        return found
    near = beside(over_counters, e, layout, follows) if e.array == layout.array else None
    same = tuple(c.substitute(axes or {}) for c in found)
    if all(d.stride is not None for d in layout.dims) and layout.index(same) == over_counters:
        return in_own_rows(found, same, layout, e.loops, follows, near)
    return in_own_rows(found, coordinates(over_counters, layout, private), layout, e.loops, follows, near)


def stand_apart(
    e: Effect, site: Effect, index: Poly, layout: Layout, follows: Sign, same: Collection[str]
) -> bool:
    """Whether a store `e` to a Func is never, where some counters are the `same`, to the element at `index` that
    another one, `site`, writes or reads."""
    if any(d.stride is None for d in layout.dims):
        return False
    try:
        one = ends(place(e.index, e.index, layout, (), e, follows), _without(e.loops, same), follows)
        other = ends(place(index, index, layout, (), site, follows), _without(site.loops, same), follows)
    except (NoMapping, Unbounded):
        return False
    gaps = [d for a, b in zip(one, other, strict=True) for d in (a[0] - b[1], b[0] - a[1])]
    return any(follows(d - Poly.constant(1)) for d in gaps)


def _without(loops: Sequence[LoopInfo], counters: Collection[str]) -> tuple[LoopInfo, ...]:
    return tuple(loop for loop in loops if loop.counter not in counters)
