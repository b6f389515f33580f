"""Sums that are flushed after each block of a row, as sums over the row.

    for (b < ceil(n / 256)) {
        part = 0;
        for (c < min(256, n - 256 * b)) part += s[256 * b + c];
        sum += part;
    }
becomes
    for (x < n) sum += s[x];

Integers are added modulo a power of two, in whatever order; a part that is narrower than the sum does not wrap within a
block.  How often the loops run is proved; they stay among `Path.trips`, where the verifier looks at their counts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import (
    BOOL,
    GE,
    I32,
    I64,
    LE,
    LT,
    Add,
    Cast,
    Expr,
    Load,
    Max,
    Min,
    Select,
    const,
    const_value,
)
from halide_core.ir.structural import key, post_order, transform, variables
from halide_core.ir.structural import replace as replaced
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import Obligation, Poly, from_poly, poly_max, to_poly
from lifter.algebra.value_ranges import ranges
from lifter.algebra.wrapping import reads_memory
from lifter.ir.dependence import memory_apart
from lifter.ir.effect_edits import Edit, at, joined, only_addresses, recounted, without_notes
from lifter.ir.effect_queries import Follows, hold
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, domain, loads, sites, values_of
from lifter.ir.names import any_counter, array_of, is_read, split_tag, time_of


class _Stays(Exception):
    """The loops are of another kind."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A local sum: set to zero for each block, added to in the block's loop, read where it is flushed."""

    array: str
    addends: tuple[Expr, ...]
    inner: LoopInfo
    last: int
    """The order of the last addition."""


def undo_blocked_reductions(
    path: Path, follows: Follows, inlined: Callable[[Expr], Expr] = lambda e: e
) -> Edit | None:
    """One such loop joined.  inlined: puts what the source's own functions compute for their calls."""
    for outer in dict.fromkeys(loop for e in path.effects for loop in e.loops):
        try:
            return _joined(path, outer, follows, inlined)
        except _Stays:
            continue
    return None


def _joined(path: Path, outer: LoopInfo, follows: Follows, inlined: Callable[[Expr], Expr]) -> Edit:
    inside = sorted((e for e in path.effects if outer in e.loops), key=lambda e: e.order)
    orders = {e.order for e in inside}
    before = inside[0].loops[: inside[0].loops.index(outer)]
    if any(e.guard is not None or e.loops[: len(before) + 1] != (*before, outer) for e in inside):
        raise _Stays
    parts = {p.array: p for p in _parts(path, inside, outer)}
    flushes = [e for e in inside if e.array not in parts]
    sums = {e.array for e in flushes}
    if not parts or not flushes or len(sums) < len(flushes) or any(e.loops[-1] != outer for e in flushes):
        raise _Stays
    inner = next(iter(parts.values())).inner
    if any(p.inner != inner for p in parts.values()):
        raise _Stays
    if any(outer.counter in e.index.names() for e in flushes):
        raise _Stays
    stored = {e.array for e in inside}
    read = arrays_in(a for p in parts.values() for a in p.addends)
    apart = memory_apart(stored, read, path.arrays)
    if apart is None:
        raise _Stays
    step = _step(parts.values(), outer, inner)
    given = [*path.conditions, *domain(before)]
    here = _plain(inlined(from_poly(inner.trip)))
    condition = inlined(inner.condition) if inner.condition is not None else None
    short = replace(inner, trip=here[0], condition=condition)
    row = _row(outer, here, step, given, follows)
    used = {loop.counter for loop, _, _ in path.trips}
    name = next(n for n in (f"{outer.counter}b{i}" for i in itertools.count()) if n not in used)
    whole = LoopInfo(name, row, outer.line)
    flushed = {
        e.order: replace(e, value=_flushed(e, parts, step, outer, inner, name), loops=(*before, whole)) for e in flushes
    }
    guard = next((g for loop, _, g in path.trips if loop == outer), None)
    counted = recounted(without_notes(path, outer), {inner: _counted(short, [*given, *domain([outer])], follows)})
    return joined(counted, flushed, {order: () for order in flushed}, orders, {name: guard}).needs(apart)


def _counted(inner: LoopInfo, given: Sequence[Expr], follows: Follows) -> LoopInfo:
    """The blocks' loop, which nothing is said with any more, as it was read, and without negative counts: there may be
    blocks behind the row's end."""
    if follows(given, inner.trip):
        return inner
    return replace(inner, trip=poly_max(inner.trip, Poly()))


def _parts(path: Path, inside: Sequence[Effect], outer: LoopInfo) -> Iterator[_Part]:
    """The local sums of a loop's blocks."""
    orders = {e.order for e in inside}
    outside = [x for e in path.effects if e.order not in orders for x in sites(e)]
    read_elsewhere = arrays_in([*outside, *values_of(path)])
    stored_elsewhere = {e.array for e in path.effects if e.order not in orders}
    for array in dict.fromkeys(e.array for e in inside):
        own = [e for e in inside if e.array == array]
        first, rest = own[0], own[1:]
        if array not in path.arrays or array in stored_elsewhere or array in read_elsewhere or not rest:
            continue
        if const_value(first.value) != 0 or first.loops[-1] != outer or not first.value.type.is_int_or_uint():
            continue
        inner = rest[0].loops[-1]
        if any(e.loops != (*first.loops, inner) or e.index != first.index for e in rest):
            continue
        if first.index.names() & set(rest[0].counters):
            continue
        addends = [_added(e, own) for e in rest]
        if all(x is not None for x in addends):
            yield _Part(array, tuple(a for each in addends for a in each or ()), inner, rest[-1].order)


def _added(e: Effect, stores: Sequence[Effect]) -> list[Expr] | None:
    """What is added, modulo the type's power of two, to the element stored to, as the last of `stores` has left it;
    None where something else is stored."""
    t = e.value.type
    if not t.is_int_or_uint() or t.is_bool():
        return None
    times, others = 0, []
    stack = [e.value]
    while stack:
        n = stack.pop()
        while isinstance(n, Cast) and n.value.type.is_int_or_uint() and min(n.type.bits, n.value.type.bits) >= t.bits:
            n = n.value
        if isinstance(n, Add) and n.type.is_int_or_uint() and n.type.bits >= t.bits:
            stack += [n.b, n.a]
        elif isinstance(n, Load) and array_of(n) == e.array and to_poly(n.index) == e.index:
            times += 1
            if any(time_of(n) <= s.order < e.order for s in stores):
                return None
        else:
            others.append(n if n.type == t else fold_node(Cast(t, n)))
    again = e.array in arrays_in(others)
    return others if times == 1 and not again else None


def _step(parts: Iterable[_Part], outer: LoopInfo, inner: LoopInfo) -> int:
    """How many iterations of the inner loop one of the outer one is: the same for all that is read."""
    found: set[int] = set()
    for p in parts:
        for a in p.addends:
            for n in loads(a):
                index = to_poly(n.index)
                far, near = (index.coefficient(loop.counter) for loop in (outer, inner))
                if far is None or near is None:
                    raise _Stays
                if near.is_zero() and far.is_zero():
                    continue
                a_, b_ = far.constant_value(), near.constant_value()
                if a_ is None or not b_ or a_ % b_ or a_ // b_ < 1:
                    raise _Stays
                found.add(int(a_ // b_))
    if len(found) != 1:
        raise _Stays
    return found.pop()


def _row(
    outer: LoopInfo, here: tuple[Poly, list[Obligation]], step: int, given: Sequence[Expr], follows: Follows
) -> Poly:
    """How many iterations of the inner loop, which runs `here`, there are in all: `step` in each of the outer one's
    but the last.

    There are no more than coordinates, which every contract asks of a loop whose count is over parameters."""
    start = Poly.variable(outer.counter, I32).scale(step)
    plain, met = here
    for row in _candidates(plain + start, outer.counter):
        if any(map(reads_memory, row.atoms().values())):
            continue
        few = list(given)
        if not any_counter(row.names()):
            few.append(LE(BOOL, from_poly(row), const(I32.max(), I64)))
        inside = [*few, *domain([outer])]
        left = row - start
        beyond = left - Poly.constant(step)
        full = [*inside, GE(BOOL, from_poly(beyond), const(0, I64))]
        last = [*inside, LT(BOOL, from_poly(beyond), const(0, I64))]
        if (
            hold(met, {}, inside, follows)
            and follows(inside, Poly.constant(step) - plain)
            and follows(few, outer.trip.scale(step) - row)
            and follows(full, plain - Poly.constant(step))
            and follows(last, plain - left)
            and follows(last, left - plain)
        ):
            return row
    raise _Stays


def _plain(e: Expr) -> tuple[Poly, list[Obligation]]:
    """`e` with the numbers of minima and maxima read as integers, and what must hold for that."""
    met: list[Obligation] = []

    def tidy(n: Expr) -> Expr:
        if isinstance(n, Min | Max) and n.type.is_int_or_uint():
            return type(n)(I64, from_poly(to_poly(n.a, met)), from_poly(to_poly(n.b, met)))
        if isinstance(n, Cast) and n.type == I64 and isinstance(n.value, Min | Max) and n.value.type == I64:
            return n.value
        return n

    return to_poly(transform(e, tidy), met), met


def _candidates(end: Poly, counter: str) -> Iterator[Poly]:
    """What an end of blocks may be in the last one: its smaller numbers without those that move with the blocks."""
    e = from_poly(end)
    choices = [n for n in post_order(e) if isinstance(n, Min | Max | Select) and counter in variables(n)]
    for n in choices:
        arms = (n.true_value, n.false_value) if isinstance(n, Select) else (n.a, n.b)
        for arm in arms:
            if counter not in variables(arm):
                row = to_poly(_with(e, n, arm))
                if counter not in row.names():
                    yield row


def _with(e: Expr, old: Expr, new: Expr) -> Expr:
    return replaced(e, lambda n: new if key(n) == key(old) else None)


def _flushed(
    e: Effect, parts: dict[str, _Part], step: int, outer: LoopInfo, inner: LoopInfo, counter: str
) -> Expr:
    """What a sum goes on by in one iteration of the whole row."""
    terms = _added(e, [e])
    if terms is None:
        raise _Stays
    own = next(n for n in loads(e.value) if array_of(n) == e.array)
    total: Expr = own
    for term in terms:
        casts: list[Expr] = []
        n = term
        while isinstance(n, Cast):
            casts.append(n)
            n = n.value
        if not is_read(n):
            raise _Stays
        array, time = split_tag(n.name)
        part = parts.get(array)
        steps = [n.type, *(c.type for c in reversed(casts))]
        if part is None or not part.last < time <= e.order or not all(t.is_int_or_uint() for t in steps):
            raise _Stays
        modulo = all(b.bits <= a.bits for a, b in itertools.pairwise(steps))
        least, most = _interval(part, step)
        if not modulo and not all(t.min() <= least and most <= t.max() for t in steps):
            raise _Stays
        for a in part.addends:
            moved = _over_row(a, step, outer, inner, counter)
            for t in steps:
                moved = moved if moved.type == t else fold_node(Cast(t, moved))
            total = Add(total.type, total, moved)
    return total


def _interval(part: _Part, step: int) -> tuple[int, int]:
    """Between what a block's sum lies at any time, over the integers."""
    low = high = 0
    for a in part.addends:
        least, most = ranges(a, {})[id(a)]
        low, high = low + min(least, 0), high + max(most, 0)
    return low * step, high * step


def _over_row(e: Expr, step: int, outer: LoopInfo, inner: LoopInfo, counter: str) -> Expr:
    """An addend at an iteration of the whole row."""
    to = {outer.counter: Poly(), inner.counter: Poly.variable(counter, I32)}
    if not only_addresses(e, to):
        raise _Stays
    return at(e, to)


__all__ = ["undo_blocked_reductions"]
