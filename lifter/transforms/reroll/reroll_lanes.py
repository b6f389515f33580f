"""Stores of a register's lanes as one store in a loop over the lanes.

    dst[16*i] = f(src[16*i]); dst[16*i + 1] = f(src[16*i + 1]); ...
becomes
    for (j < 16) dst[16*i + j] = f(src[16*i + j]);

What is stored stays the same: the elements differ, and none of the values reads an element of another lane after it has
been stored.  Of values that come in turns (the bytes of pixels) each turn has a store of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import (
    BOOL,
    I32,
    And,
    Call,
    CallType,
    Expr,
    Load,
    Or,
    Select,
    Variable,
    children,
    const,
)
from halide_core.ir.structural import key, post_order, same, transform, variables
from lifter.algebra.fold import fold_node, negate
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import reads_of_others
from lifter.ir.effect_edits import Edit, Origin, joined, noted, restate
from lifter.ir.effects import Effect, LoopInfo, Path, loads, loads_of, reads_of
from lifter.ir.names import array_of, is_read, new_counters, split_tag
from lifter.simd.simplify import simplify_node
from lifter.transforms.reroll.lanes import Lanes

_Site = tuple[tuple[str, ...], int | None]
"""The counters and the guard of an effect."""

_LEAST_LANES = 4
_MOST_TURNS = 8
_ENDS = [(0, 0), *((first, last) for n in (1, 2, 3, 4) for first, last in ((n, 0), (0, n), (n, n)))]
"""How many lanes at either end may have values of their own, as borders have: those of a pixel."""


def reroll_lanes(path: Path) -> Edit | None:
    """Such stores in loops."""
    used = {loop.counter for loop, _, _ in path.trips} | {c for e in (*path.effects, *path.reads) for c in e.counters}
    numbers = new_counters(used)
    rolling = _Rolling(path)
    edit = Edit.on(path)
    for lanes in _runs(path.effects):
        counter = next(numbers) if len(lanes) >= _LEAST_LANES else ""
        rolled = rolling.rolled(lanes, counter) if counter else None
        if rolled is not None:
            gone = {e.order for e in lanes} - rolled.alone
            edit = joined(edit, rolled.stores, rolled.origins, gone, {counter: lanes[0].guard})
    masked = {e.order: x for e in edit.path.effects if (x := _masked(e, path.effects)) is not e}
    if masked:
        edit = restate(edit, masked)
    notes = list(_reads(path.reads, numbers))
    if [_said(e) for e in notes] != [_said(e) for e in path.reads]:
        edit = noted(edit, notes)
    return edit if edit.path is not path else None


def _said(e: Effect) -> tuple[tuple[str, ...], int]:
    return e.counters, key(e.value)


def _reads(reads: Sequence[Effect], numbers: Iterator[str]) -> Iterator[Effect]:
    """What values of variables and conditions read, each element once, those of lanes in loops: the time and what is
    computed of them says nothing."""
    places: dict[_Site, dict[tuple[str, Poly], Effect]] = {}
    seen: dict[_Site, set[int]] = {}
    for e in reads:
        site = (e.counters, None if e.guard is None else key(e.guard))
        here, known = places.setdefault(site, {}), seen.setdefault(site, set())
        for part in _parts(e.value):
            if key(part) in known:
                continue
            known.add(key(part))
            if isinstance(part, Load):
                here.setdefault(_place(part), replace(e, value=part))
            else:
                yield replace(e, value=part)
    for here in places.values():
        rows: dict[tuple[str, Poly], list[tuple[int, Effect]]] = {}
        for (array, index), e in here.items():
            start = index.terms.get((), 0)
            rows.setdefault((array, index - Poly.constant(start)), []).append((start, e))
        for (_, row), found in rows.items():
            for run in _consecutive(sorted(found, key=lambda x: x[0])):
                start, e = run[0]
                assert isinstance(e.value, Load)
                if len(run) < _LEAST_LANES:
                    yield from (x for _, x in run)
                    continue
                loop = LoopInfo(next(numbers), Poly.constant(len(run)), e.line)
                index = row + Poly.constant(start) + Poly.variable(loop.counter, I32)
                yield replace(e, value=replace(e.value, index=from_poly(index)), loops=(*e.loops, loop))


def _parts(e: Expr) -> Iterator[Expr]:
    """What is read in all of an expression: its Loads, and its choices among some."""
    stack = [e]
    while stack:
        n = stack.pop()
        if isinstance(n, Load):
            yield n
            stack.append(n.index)
        elif isinstance(n, Select | And | Or):
            if loads(n):
                yield n
        else:
            stack += children(n)


def _place(load: Load) -> tuple[str, Poly]:
    return array_of(load), to_poly(load.index)


def _consecutive(places: list[tuple[int, Effect]]) -> Iterator[list[tuple[int, Effect]]]:
    run: list[tuple[int, Effect]] = []
    for place in places:
        if run and place[0] != run[-1][0] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _runs(effects: Sequence[Effect]) -> Iterator[list[Effect]]:
    """Neighbouring stores of one array in one iteration, to elements that lie a constant apart."""
    run: list[Effect] = []
    for e in effects:
        if run and not _beside(run[0], e):
            yield run
            run = []
        run.append(e)
    if run:
        yield run


def _beside(a: Effect, b: Effect) -> bool:
    guards = [None if e.guard is None else key(e.guard) for e in (a, b)]
    apart = b.index.distance_from(a.index)
    return a.array == b.array and a.counters == b.counters and guards[0] == guards[1] and apart is not None


def _masked(e: Effect, all_effects: Sequence[Effect]) -> Effect:
    """A store that gives an element back what it held unless a condition on counters and parameters holds, as a store
    under that condition: a row's last register, masked where it overlaps the one before."""
    own = [n for n in _own_reads(e, e.value) if to_poly(n.index) == e.index]
    if not own or not _still_there(own[0], e, all_effects):
        return e
    conditions = [n.condition for n in post_order(e.value) if isinstance(n, Select) and not loads(n.condition)]
    for c in {key(c): c for c in conditions}.values():
        for when in (c, negate(c)):
            if _is_that(_given(e.value, when, False), own[0]):
                guard = when if e.guard is None else fold_node(And(BOOL, e.guard, when))
                return replace(e, value=_given(e.value, when, True), guard=guard)
    return e


def _still_there(load: Load, e: Effect, all_effects: Sequence[Effect]) -> bool:
    """Whether what an effect reads of its own element, or of those of its lanes, is what is there when it stores: what
    has been stored to the array meanwhile, as it stood before lanes became loops, went to other lanes."""
    _, time = split_tag(load.name)
    first = next(x for x in all_effects if x.order == e.order)
    meanwhile = [x for x in all_effects if x.array == e.array and time <= x.order < e.order]
    if any(not _beside(first, x) for x in meanwhile):
        return False
    lanes = [x.index for x in (*meanwhile, first)]
    if e.counters != first.counters:
        lanes += [x.index for x in all_effects if x.order > e.order and x.array == e.array and _beside(first, x)]
    return len(set(lanes)) == len(lanes)


def _is_that(value: Expr, own: Load) -> bool:
    """Whether a value is what the element holds: by its form, or for each of the values that it may have (a blend by a
    weight of zero)."""
    if same(value, own):
        return True
    if value.type != own.type or not own.type.is_int_or_uint() or own.type.bits > 16:
        return False
    held = Variable(own.type, "held")
    value = transform(value, lambda n: held if key(n) == key(own) else n)
    if variables(value) != {"held"} or loads(value) or any(_named(n) for n in post_order(value)):
        return False
    all_values = np.arange(own.type.min(), own.type.max() + 1).astype(dtype_of(own.type))
    return bool(np.array_equal(evaluate(value, {"held": all_values}), all_values))


def _named(n: Expr) -> bool:
    return isinstance(n, Call) and n.call_type is not CallType.INTRINSIC


def _given(value: Expr, condition: Expr, holds: bool) -> Expr:
    """A value where a condition holds, or does not."""
    yes, no = key(condition), key(negate(condition))

    def decided(n: Expr) -> Expr:
        found = key(n) if n.type.is_bool() else -1
        return const(int(holds == (found == yes)), BOOL) if found in (yes, no) else simplify_node(n)

    return transform(value, decided)


@dataclass(frozen=True, slots=True)
class _Rolled:
    """The stores of a loop over lanes, by their order, and the orders of those that stay by themselves."""

    stores: dict[int, Effect]
    origins: dict[int, list[Origin]]
    alone: set[int]


class _Rolling:
    def __init__(self, path: Path) -> None:
        self.written = {e.array for e in path.effects}
        self.tags: dict[str, set[int]] = {}
        for n in loads_of(path):
            if is_read(n):
                array, tag = split_tag(n.name)
                self.tags.setdefault(array, set()).add(tag)

    def rolled(self, lanes: list[Effect], counter: str) -> _Rolled | None:
        """A loop over lanes in place of their stores; None where they are not alike."""
        lanes = sorted(lanes, key=lambda e: e.index.terms.get((), 0))
        first, count = lanes[0], len(lanes)
        if any(e.index.distance_from(first.index) != k for k, e in enumerate(lanes)):
            return None
        orders = [e.order for e in lanes]
        if any(min(orders) < t <= max(orders) for t in self.tags.get(first.array, ())):
            return None
        if any(reads_of_others(e) for e in lanes):
            return None
        for skipped, left in _ENDS:
            inner = lanes[skipped : count - left]
            found = self.in_turns(inner, counter)
            if found is not None:
                break
        else:
            return None
        alone = {e.order for e in (*lanes[:skipped], *lanes[count - left :])}
        turns = len(found)
        loop = LoopInfo(counter, Poly.constant(len(inner) // len(found)), first.line)
        lane = Poly.variable(counter, I32).scale(len(found))
        again = any(e.rewritten for e in inner)
        loops = (*first.loops, loop)
        stores, origins = dict[int, Effect](), dict[int, list[Origin]]()
        for turn, (e, value) in enumerate(zip(inner, found, strict=False)):
            stores[e.order] = replace(e, index=e.index + lane, value=value, loops=loops, rewritten=again)
            own = inner[turn::turns]
            origins[e.order] = [Origin(x.order, {}, {counter: Poly.constant(n)}) for n, x in enumerate(own)]
        return _Rolled(stores, origins, alone)

    def in_turns(self, lanes: list[Effect], counter: str) -> list[Expr] | None:
        """The values of lanes that come in turns, over the counter."""
        count = len(lanes)
        for turns in range(1, _MOST_TURNS + 1):
            if count % turns == 0 and count // turns >= _LEAST_LANES:
                values = [Lanes(self.written, counter).one([e.value for e in lanes[c::turns]]) for c in range(turns)]
                found = [v for v in values if v is not None]
                if len(found) == turns:
                    return found
        return None


def _own_reads(e: Effect, x: Expr) -> list[Load]:
    """What an expression of an effect reads of the array that the effect stores to."""
    return reads_of(e.array, x)


__all__ = ["reroll_lanes"]
