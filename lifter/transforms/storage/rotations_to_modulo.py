"""Variables that change places in every iteration, as pointers to rows do (t = a; a = b; b = c; c = t), and numbers of
rows that go round: i = 1 - i, i = (i + 1) % 3, if (++i == 3) i = 0.

After k iterations each is what the k-th one after it was at first.  Where these lie at equal distances (rows of one
array), that is a remainder: a = first + step * ((place + k) % 3)."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, I64, Div, Expr, Load, const, const_value
from halide_core.ir.structural import transform, variables
from lifter.algebra.fold import fold
from lifter.algebra.polynomial import Obligation, Poly, exact, from_poly, to_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effect_edits import Edit, Site, Unknown, with_values
from lifter.ir.effect_queries import promised
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, loads, values_of
from lifter.ir.names import array_of, is_read, split_tag, time_of

_MOST_VALUES = 8


def rotations_to_modulo(path: Path) -> Edit | None:
    """Such variables of one loop as what they are in each iteration."""
    loops = {e.loops: None for e in path.effects if e.loops and _is_cell(path, e.array)}
    for around in loops:
        for cycle in _cycles(path, around):
            forms = _forms(path, cycle, around[-1])
            found = _replaced(path, cycle, around, forms, len(cycle)) if forms is not None else None
            if found is not None:
                return found
    for name, info in path.arrays.items():
        number = _going_round(path, name) if info.cell else None
        if number is not None:
            update, form, count = number
            replaced = _replaced(path, [update], update.loops, form, count)
            if replaced is not None:
                return replaced
    return None


def _going_round(path: Path, cell: str) -> tuple[Effect, tuple[Poly, Poly, int], int] | None:
    """(Update, forms, period) of a number that is made of itself alone in each iteration, and comes round soon."""
    writes = _writes(path, cell)
    if len(writes) != 2:
        return None
    first, update = writes
    start = const_value(first.value)
    outside = update.loops and first.loops == update.loops[:-1] and first.order < update.order
    if not outside or first.guard is not None or update.guard is not None or not isinstance(start, int):
        return None
    reads = loads(update.value)
    if variables(update.value) or not reads or not update.value.type.is_int_or_uint():
        return None
    if any(array_of(n) != cell or time_of(n) > update.order for n in reads if is_read(n)):
        return None
    values = [start]
    while len(values) <= _MOST_VALUES:
        after = _after(update.value, values[-1])
        if after is None:
            return None
        if after == start:
            break
        values.append(after)
    count = len(values)
    if not 1 < count <= _MOST_VALUES:
        return None
    for step in (1, -1, *range(2, count)):
        low = min(values) if step > 0 else max(values)
        for place in range(count):
            if all(v == low + step * ((place + k) % count) for k, v in enumerate(values)):
                return update, (Poly.constant(low), Poly.constant(step), place), count
    return None


def _after(value: Expr, now: int) -> int | None:
    """What a number becomes."""

    def read(n: Expr) -> Expr:
        return const(now, value.type) if isinstance(n, Load) else n

    found = const_value(fold(transform(value, read)))
    return found if isinstance(found, int) else None


def _is_cell(path: Path, array: str) -> bool:
    return array in path.arrays and path.arrays[array].cell


def _writes(path: Path, cell: str) -> list[Effect]:
    return [e for e in path.effects if e.array == cell]


def _cycles(path: Path, around: tuple[LoopInfo, ...]) -> list[list[Effect]]:
    """Updates of cells by each other in a loop, in the order in which values go: each by the next one, the last by the
    first."""
    updates: dict[str, Effect] = {}
    for e in path.effects:
        if e.loops == around and _is_cell(path, e.array) and len(_writes(path, e.array)) == 2:
            updates[e.array] = e
    follows: dict[str, str] = {}
    for name, e in updates.items():
        if e.guard is None and is_read(e.value):
            source, time = split_tag(e.value.name)
            if source in updates and time <= updates[source].order:  # before that one changes
                follows[name] = source
    found: list[list[Effect]] = []
    left = dict(follows)
    while left:
        start = next(iter(left))
        cycle = [start]
        while cycle[-1] in left and (following := left.pop(cycle[-1])) != start:
            cycle.append(following)
        if follows.get(cycle[-1]) == start and len(set(cycle)) == len(cycle) > 1:
            found.append([updates[name] for name in cycle])
    return found


def _forms(path: Path, cycle: list[Effect], loop: LoopInfo) -> tuple[Poly, Poly, int] | None:
    """(First, step, place of the cycle's first variable): the variable at place p is first + step * p at the start."""
    starts: list[Poly] = []
    depth = len(cycle[0].loops) - 1
    for update in cycle:
        first = next(e for e in path.effects if e.array == update.array)
        outside = first.loops == update.loops[:depth] and first.order < update.order and first.guard is None
        if not outside or loads(first.value) or loop.counter in to_poly(first.value).names():
            return None
        met: list[Obligation] = []
        starts.append(to_poly(first.value, met))
        if not all(map(promised, met)):
            return None
    if any(reads_memory(a) for p in starts for a in p.atoms().values()):
        return None
    count = len(starts)
    found: list[tuple[Poly, Poly, int]] = []
    for place in range(count):
        ordered = starts[place:] + starts[:place]
        step = ordered[1] - ordered[0]
        if all(ordered[i + 1] - ordered[i] == step for i in range(count - 1)):
            found.append((ordered[0], step, (count - place) % count))
    upwards = (f for f in found if all(c > 0 for c in f[1].terms.values()))
    return next(upwards, found[0] if found else None)


def _replaced(
    path: Path, cycle: list[Effect], around: tuple[LoopInfo, ...], forms: tuple[Poly, Poly, int], count: int
) -> Edit | None:
    first, step, place = forms
    places = {e.array: (place + i) % count for i, e in enumerate(cycle)}
    orders = {e.array: e.order for e in cycle}
    given = {e.array: _writes(path, e.array)[0].order for e in cycle}
    loop, outside = around[-1], tuple(x.counter for x in around[:-1])
    if arrays_in(values_of(replace(path, result=None))) & set(places):
        return None  # in how often a loop runs, say

    def value(n: Load, site: Site) -> Expr:
        cell, time = split_tag(n.name)
        if time <= given[cell] or site.counters[: len(outside)] != outside:
            raise _Elsewhere  # what another iteration of a loop around has left
        inside = loop.counter in site.counters
        if time <= orders[cell] and not inside:
            return exact(first + step.scale(places[cell]), n.type)  # before the loop
        done = Poly.variable(loop.counter, I32) if inside else loop.trip
        if inside and time > orders[cell]:
            done = done + Poly.constant(1)
        number = done + Poly.constant(places[cell])
        whole = to_poly(Div(I64, from_poly(number, I64), const(count, I64)))
        return exact(first + step * (number - whole.scale(count)), n.type)

    try:
        return with_values(path, places, value)
    except _Elsewhere:
        return None


class _Elsewhere(Unknown):
    """A variable is read where its form is not known."""


__all__ = ["rotations_to_modulo"]
