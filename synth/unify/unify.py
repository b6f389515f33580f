"""One expression for all the stores of a region: unrolled bodies, remainders, interleaved channels, peeled columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Expr, Load, Select
from halide_core.ir.structural import key, post_order, substitute, transform
from lifter.algebra.fold import all_hold
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.summary import EffectMap, Layout
from synth.terminals.terminals import generalise
from synth.unify.by_range import by_range
from synth.unify.stores import Store, Tests, canonical, covers, reads, with_reads


def unify(stores: Sequence[Store], layout: Layout, phases: bool, tests: Tests) -> Expr | None:
    """An expression that is each store's value where it stores, or None.

    `phases`: also by the remainder of a coordinate, such as select(x % 2 == 0, ..., ...)."""
    if len({key(v) for v, _ in stores}) == 1:
        return stores[0][0]
    found = _of_alike(stores, layout, tests)
    if found is None:
        found = _by_proof(stores, layout, tests)
    if found is None:
        found = _by_constant(stores, layout, phases, tests)
    if found is None:
        found = _by_place(stores, layout, phases, tests)
    if found is None:
        found = by_range(stores, layout, tests, partial(unify, layout=layout, phases=phases, tests=tests))
    return _by_phase(stores, layout, phases, tests) if found is None and phases else found


def _reads_alike(general: Load, load: Load, m: EffectMap, names: list[str], tests: Tests) -> bool:
    """Whether a read is `load` wherever an effect stores: by its form, or where the effect is seen to store."""
    if covers(general, load, m, names):
        return True
    return general.name == load.name and tests.same_place(to_poly(general.index), to_poly(load.index), m)


def _by_reads(stores: Sequence[Store], layout: Layout, tests: Tests) -> Expr | None:
    """Values that differ in what they read only: for each read, the coordinates of one store that suit all, or those
    rounded down to the step of the body (the chroma of a pair of pixels)."""
    walks = [reads(v) for v, _ in stores]
    if any(w is None for w in walks) or len({w[0] for w in walks if w is not None}) != 1:
        return None
    names = [d.name for d in layout.dims]
    columns = list(zip(*(w[1] for w in walks if w is not None), strict=True))
    chosen: list[Load] = []
    for column in columns:
        rounded = (_rounded(n, m, names) for n, (_, m) in zip(column, stores, strict=True))
        candidates = [*column, *itertools.chain.from_iterable(rounded)]
        best = next(
            (
                c for c in candidates
                if all(_reads_alike(c, n, m, names, tests) for n, (_, m) in zip(column, stores, strict=True))
            ),
            None,
        )
        if best is None:
            return None
        chosen.append(best)
    return with_reads(stores[0][0], iter(chosen))


def _by_proof(stores: Sequence[Store], layout: Layout, tests: Tests) -> Expr | None:
    """Stores that compute one thing in different ways (a vector body in 16 bits and a remainder in 32): of those that
    are alike one expression, which is proved equal to those of the others."""
    alike: dict[int, list[Store]] = {}
    for s in stores:
        walk = reads(s[0])
        if walk is None:
            return None
        alike.setdefault(walk[0], []).append(s)
    if not 1 < len(alike) <= _MOST_WAYS:
        return None
    ways: list[Expr] = []
    for group in sorted(alike.values(), key=len, reverse=True):
        general = _of_alike(group, layout, tests)
        if general is None:
            return None
        ways.append(transform(general, canonical))
    first = ways[0]
    return first if all(tests.equal(first, other) for other in ways[1:]) else None


_MOST_WAYS = 4


def _of_alike(stores: Sequence[Store], layout: Layout, tests: Tests) -> Expr | None:
    """One expression for stores whose values differ in what they read only."""
    names = [d.name for d in layout.dims]
    for general in {key(v): v for v, _ in stores}.values():
        if all(covers(general, v, m, names) for v, m in stores):
            return general
    return _by_reads(stores, layout, tests)


def _rounded(n: Load, m: EffectMap, names: list[str]) -> Iterator[Load]:
    """`n` with a coordinate x = k*i + r written as k*(x/k) + r."""
    for position, name in enumerate(names):
        phase = _phase(m, position)
        if phase is not None:
            step, rest = phase
            floor = E.Div(I32, E.Variable(I32, name), E.const(step, I32))
            value = E.Add(I32, E.Mul(I32, floor, E.const(step, I32)), E.const(rest, I32))
            changed = E.with_children(n, (from_poly(to_poly(substitute(n.index, {name: value}))),))
            assert isinstance(changed, Load)
            yield changed


def _by_constant(stores: Sequence[Store], layout: Layout, phases: bool, tests: Tests) -> Expr | None:
    """Along a dimension where every store has a constant coordinate (channels): one expression for each."""
    for position, d in enumerate(layout.dims):
        points = [m.coords[position].constant_value() for _, m in stores]
        groups: dict[int, list[Store]] = {}
        for point, s in zip(points, stores, strict=True):
            if point is not None:
                groups.setdefault(int(point), []).append(s)
        numbered = _each(groups, layout, phases, tests) if None not in points else None
        if numbered is not None:
            shared = generalise(numbered, d.name)
            return shared if shared is not None else _choose(numbered, E.Variable(I32, d.name))
    return None


def _each(
    groups: dict[int, list[Store]], layout: Layout, phases: bool, tests: Tests
) -> list[tuple[int, Expr]] | None:
    """One expression for each of several groups; None where there is a single one, or one has none."""
    if len(groups) < 2:
        return None
    numbered: list[tuple[int, Expr]] = []
    for point, group in sorted(groups.items()):
        value = unify(group, layout, phases, tests)
        if value is None:
            return None
        numbered.append((point, value))
    return numbered


def _choose(values: list[tuple[int, Expr]], selector: Expr) -> Expr:
    """select(selector == c0, v0, select(selector == c1, v1, ...)); equal values share a branch at the end."""
    result = values[-1][1]
    for c, v in reversed(values[:-1]):
        if key(v) != key(result):
            result = Select(v.type, E.EQ(E.BOOL, selector, E.const(c, I32)), v, result)
    return result


def _by_place(stores: Sequence[Store], layout: Layout, phases: bool, tests: Tests) -> Expr | None:
    """Stores at fixed places (the first and the last column) beside those of the loop between them:
    select(x == first, ..., select(x == last, ..., inside))."""
    # Where all stores have one coordinate it tells none of them apart.
    apart = [k for k in range(len(layout.dims)) if len({m.coords[k] for _, m in stores}) > 1]
    at = [[k for k in apart if not m.coords[k].names() & set(m.inverse)] for _, m in stores]
    ways = [apart]
    if len(apart) > 1 and any(len(a) > 1 for a in at) and len({len(a) for a in at}) > 1:
        ways = [*([k] for k in apart if not _shared(k, stores, tests)), apart]  # corners beside rows and columns
    found = [v for way in ways if (v := _by_places_along(way, stores, layout, phases, tests)) is not None]
    return min(found, key=lambda v: len(list(post_order(v))), default=None)


def _shared(position: int, stores: Sequence[Store], tests: Tests) -> bool:
    """Whether stores go over the place along a dimension that another one has for its own (an image's last pixel is
    in the last column of all rows)."""
    fixed = [m.coords[position] for _, m in stores if not m.coords[position].names() & set(m.inverse)]
    moving = [tests.ends(m, position) for _, m in stores if m.coords[position].names() & set(m.inverse)]
    one = Poly.constant(1)
    return any(
        not tests.before(last, p) and not tests.before(p + one, first)
        for first, last in filter(None, moving)
        for p in fixed
    )


def _by_places_along(
    apart: Sequence[int], stores: Sequence[Store], layout: Layout, phases: bool, tests: Tests
) -> Expr | None:
    fixed: dict[int, tuple[Expr, list[Store]]] = {}
    inside: list[Store] = []
    for value, m in stores:
        here: list[Expr] = [
            E.EQ(E.BOOL, E.Variable(I32, layout.dims[k].name), from_poly(m.coords[k], I32))
            for k in apart
            if not m.coords[k].names() & set(m.inverse)
        ]
        if here:
            test = all_hold([*here, *tests.guard(m)])
            fixed.setdefault(key(test), (test, []))[1].append((value, m))
        else:
            inside.append((value, m))
    if not fixed or not inside:
        return None
    result = unify(inside, layout, phases, tests)
    if result is None:
        return None
    names = [d.name for d in layout.dims]
    between = result
    for test, here_too in fixed.values():
        if all(covers(between, value, m, names) for value, m in here_too):
            continue  # as a row's last register does, which overlaps the one before
        at_place = unify(here_too, layout, phases, tests)
        if at_place is None or any(_goes_over(m, later, apart, tests) for _, m in here_too for _, later in inside):
            return None
        result = Select(at_place.type, test, at_place, result)
    return result


def _goes_over(m: EffectMap, later: EffectMap, apart: Sequence[int], tests: Tests) -> bool:
    """Whether a store goes over the fixed place of an earlier one, as far as dimensions tell: what is there is its
    own."""
    if later.order < m.order:
        return False
    one = Poly.constant(1)
    for k in apart:
        p, ends = m.coords[k], tests.ends(later, k)
        if p.names() & set(m.inverse):
            continue
        if ends is None or tests.before(ends[1], p) or tests.before(p + one, ends[0]):
            return False
    return True


def _by_phase(stores: Sequence[Store], layout: Layout, phases: bool, tests: Tests) -> Expr | None:
    """Along a dimension where the stores' coordinates are k*i + r with the same k: one expression for each r.  A row's
    last register, which starts where parameters say, has the remainders that small runs show."""
    for position, d in enumerate(layout.dims):
        found = [_phase(m, position) for _, m in stores]
        steps = {p[0] for p in found if p is not None}
        if len(steps) != 1:
            continue
        (step,) = steps
        groups: dict[int, list[Store]] = {}
        for p, s in zip(found, stores, strict=True):
            rest = p[1] if p is not None else tests.remainder(s[1], position, step)
            if rest is None:
                break
            groups.setdefault(rest, []).append(s)
        else:
            numbered = _each(groups, layout, phases, tests)
            if numbered is not None:
                return _choose(numbered, E.Mod(I32, E.Variable(I32, d.name), E.const(step, I32)))
    return None


def _phase(m: EffectMap, position: int) -> tuple[int, int] | None:
    """(k, r) of a coordinate k*i + r over the counters."""
    c = m.coords[position]
    counters = c.names() & set(m.inverse)
    factors = []
    for name in counters:
        f = c.coefficient(name)
        value = f.constant_value() if f is not None else None
        if value is None:
            return None
        factors.append(abs(value))
    rest = c
    for name in counters:
        f = c.coefficient(name)
        assert f is not None
        rest = rest - f * type(c).variable(name, I32)
    offset = rest.constant_value()
    if offset is None or not factors or min(factors) < 2 or any(f % min(factors) for f in factors):
        return None
    return min(factors), int(offset) % min(factors)
