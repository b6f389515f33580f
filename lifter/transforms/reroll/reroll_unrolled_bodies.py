"""Loops whose bodies do the work of several iterations, with what they leave over, as plain loops.

    for (i < n / 2) { dst[2 * i] = f(src[2 * i]); dst[2 * i + 1] = f(src[2 * i + 1]); }
    if (n & 1) dst[n / 2 * 2] = f(src[n / 2 * 2]);
becomes
    for (i < n) dst[i] = f(src[i]);

The iterations in one body store to different elements, and none reads what another one stores.  Where that cannot be
seen of two arrays, which may be the same memory, they are noted to be `apart`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from halide_core.ir.expr import I32, Expr, Load
from halide_core.ir.structural import key, transform, variables
from lifter.algebra.fold import parts
from lifter.algebra.parity_select import by_parity
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import differ, undisturbed
from lifter.ir.effect_edits import timeless
from lifter.ir.effects import Effect, LoopInfo, loads, reads_in
from lifter.ir.names import split_tag

_MOST_UNITS = 8
Apart = set[frozenset[str]]
"""Pairs of arrays that are not the same memory."""
Change = Callable[[Poly], Poly]


class _NoForm(Exception):
    """The counter stands where iterations cannot be told from each other."""


@dataclass(frozen=True, slots=True)
class _Store:
    """A store with its element and value over the counter of the plain loop."""

    effect: Effect
    index: Poly
    value: Expr

    def same(self, other: _Store) -> bool:
        """Whether two stores are one but for the times of what they read."""
        return self.effect.array == other.effect.array and self.index == other.index and (
            key(timeless(self.value)) == key(timeless(other.value))
        )


def rolled(
    effects: Sequence[Effect], others: Sequence[Effect], values: Sequence[Expr], counter: Callable[[], str],
    apart: Apart,
) -> list[Effect]:
    """`effects` with such loops as plain ones, whose counters `counter` names.  `others`, `values`: what else is stored
    and read."""
    out: list[Effect] = []
    runs = list(_runs(effects))
    for position, body in enumerate(runs):
        after = runs[position + 1] if position + 1 < len(runs) else []
        loop = body[0].loops[-1] if body and body[0].loops else None
        if loop is None or not after or sum(loop in e.loops for e in effects) != len(body):
            out += body
            continue
        found = _plain(body, after, counter, apart)
        if found is None:
            out += body
            continue
        stores, left = found
        mine = [*body, *after[:left]]
        if not undisturbed(mine, [e for e in (*others, *effects) if not any(e is m for m in mine)], values):
            out += body
            continue
        out += stores
        runs[position + 1] = after[left:]
    return out


def _runs(effects: Sequence[Effect]) -> Iterator[list[Effect]]:
    """Neighbours in the same loops under the same guard."""
    run: list[Effect] = []
    for e in effects:
        if run and (run[0].loops != e.loops or _number(run[0].guard) != _number(e.guard)):
            yield run
            run = []
        run.append(e)
    if run:
        yield run


def _number(guard: Expr | None) -> int | None:
    return None if guard is None else key(guard)


def _plain(
    body: list[Effect], after: list[Effect], counter: Callable[[], str], apart: Apart
) -> tuple[list[Effect], int] | None:
    """The stores of the plain loop, and how many effects of `after` are among them."""
    loop = body[0].loops[-1]
    places = [x for e in (*body, *after[: len(body)]) for x in (*e.index.atoms().values(), e.guard) if x is not None]
    if any(loads(x) for x in (*places, *loop.trip.atoms().values())):
        return None
    name = ""
    for count in range(2, _MOST_UNITS + 1):
        if len(body) % count:
            continue
        name = name or counter()
        place = Poly.variable(name, I32)
        units = _units(body, loop.counter, count, place)
        needed = _separate(units) if units is not None else None
        if units is None or needed is None:
            continue
        first, whole = units[0], loop.trip.scale(count)
        rest = _rest(first, body[0], after, name, whole)
        if rest is None:
            continue
        trip, left = rest
        last = _separate([left])
        if last is None:
            continue
        if _reads_before(left, body):
            continue
        apart |= needed | last
        loops = (*body[0].loops[:-1], LoopInfo(name, trip, loop.line))
        again = any(e.rewritten for e in (*body, *(s.effect for s in left)))
        return [
            replace(s.effect, index=s.index, value=s.value, loops=loops, rewritten=again) for s in first
        ], len(left)
    return None


def _reads_before(left: Sequence[_Store], body: Sequence[Effect]) -> bool:
    """Whether what is left over reads what the body stores as it was before the loop or in it."""
    stored, end = {e.array for e in body}, max(e.order for e in body)
    times = (split_tag(n.name) for s in left for n in reads_in(s.effect.value))
    return any(array in stored and time <= end for array, time in times)


def _units(body: list[Effect], counter: str, count: int, place: Poly) -> list[list[_Store]] | None:
    """The stores of each of the `count` iterations in one body, over that iteration's number, `place`."""
    changes = [partial(_spread, counter=counter, count=count, unit=unit, place=place) for unit in range(count)]
    units: list[list[_Store]] = [[] for _ in range(count)]
    left = list(body)
    while left:
        first = _store(left.pop(0), counter, changes[0])
        if first is None:
            return None
        units[0].append(first)
        for unit in range(1, count):
            for e in left:
                if e.array != first.effect.array or _changed(e.index, changes[unit]) != first.index:
                    continue
                other = _store(e, counter, changes[unit])
                if other is not None and other.same(first):
                    units[unit].append(other)
                    left.remove(e)
                    break
            else:
                return None
    return units


def _spread(p: Poly, counter: str, count: int, unit: int, place: Poly) -> Poly:
    """An element of iteration `unit` of a body over the number of the iteration, counted through all bodies."""
    step = p.coefficient(counter)
    if step is None or any(c % count for c in step.terms.values()):
        raise _NoForm
    each = Poly({m: c // count for m, c in step.terms.items()})
    return p - step * Poly.variable(counter, I32) + each * (place - Poly.constant(unit))


def _changed(p: Poly, change: Change) -> Poly | None:
    try:
        return change(p)
    except _NoForm:
        return None


def _store(e: Effect, counter: str, change: Change) -> _Store | None:
    def moved(n: Expr) -> Expr:
        return replace(n, index=from_poly(change(to_poly(n.index)))) if isinstance(n, Load) else n

    try:
        index, value = change(e.index), transform(e.value, moved)
    except _NoForm:
        return None
    left = variables(value) | (variables(e.guard) if e.guard is not None else set())
    return None if counter in left or counter in index.names() else _Store(e, index, value)


def _rest(
    first: list[_Store], body: Effect, after: list[Effect], counter: str, whole: Poly
) -> tuple[Poly, list[_Store]] | None:
    """How many iterations the plain loop has, and those of the stores in `after` that belong to it: one iteration that
    a condition on what is left lets through, or a loop over what is left."""
    left = after[: len(first)]
    outer = body.loops[:-1]
    here: Change = _itself
    if left[0].loops == outer:
        before = {key(c) for c in parts(body.guard)}
        own = [c for c in parts(left[0].guard) if key(c) not in before]
        if len(own) != 1 or len(parts(left[0].guard)) != len(before) + 1:
            return None
        number = by_parity(own[0], from_poly(whole + Poly.constant(1)), from_poly(whole))
        if number is None:
            return None
        trip, place = to_poly(number), whole
        here = _odd(whole, trip - Poly.constant(1))
    elif left[0].loops[:-1] == outer and _number(left[0].guard) == _number(body.guard) and len(after) == len(first):
        loop = left[0].loops[-1]
        trip, place = whole + loop.trip, whole + Poly.variable(loop.counter, I32)
    else:
        return None
    stores = [s for s in (_store(e, "", here) for e in left) if s is not None]
    for s in first:
        wanted = _store(
            replace(s.effect, index=s.index, value=s.value), counter, lambda p: here(p.substitute({counter: place}))
        )
        if wanted is None or not any(x.same(wanted) for x in stores):
            return None
    return (trip, stores) if len(stores) == len(first) else None


def _itself(p: Poly) -> Poly:
    return p


def _odd(whole: Poly, value: Poly) -> Change:
    """How elements are written where what rounded down to pairs is `whole`, 2 * (n / 2), is `value`, n - 1."""
    halves = [(m, c) for m, c in whole.terms.items() if c == 2 and len(m) == 1]
    if len(halves) != 1:
        return _itself
    (half, _), = halves
    pair = value - (whole - Poly({half: 2}))

    def change(p: Poly) -> Poly:
        out = Poly()
        for m, c in p.terms.items():
            rest = list(m)
            if half[0] in rest and c % 2 == 0:
                rest.remove(half[0])
                out = out + Poly({tuple(rest): c // 2}) * pair
            else:
                out = out + Poly({m: c})
        return out

    return change


def _separate(units: list[list[_Store]]) -> Apart | None:
    """The pairs of arrays that must be apart for no iteration in a body to store what another one stores or reads, or
    what it reads later itself; None where that holds for no arrays."""
    apart: Apart = set()
    for number, unit in enumerate(units):
        for s in unit:
            for other, others in enumerate(units):
                for o in others:
                    same_array = s.effect.array == o.effect.array
                    if number != other and same_array and not differ(s.effect.index, o.effect.index):
                        return None
                    for n in loads(s.effect.value):
                        array, time = split_tag(n.name)
                        distance = to_poly(n.index).distance_from(o.effect.index)
                        meets = distance is None or (distance == 0 and (number != other or time > o.effect.order))
                        if array == o.effect.array and meets:
                            return None
                        if array != o.effect.array and (meets or n.type.bits != o.effect.value.type.bits):
                            apart.add(frozenset((array, o.effect.array)))
    return apart
