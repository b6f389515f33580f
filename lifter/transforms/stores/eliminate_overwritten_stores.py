"""Stores of whole words and registers that reach beyond what they are for, which a later iteration stores over.

    for (k < n / 4) { store 16 bytes at d + 12 * k, of which 12 count }   store what is left at d + n / 4 * 12
    for (k < n) { store 4 bytes at d + 3 * k, of which the last is the next one's first }

What is stored over before anything reads it is left out: wholly, or in all iterations of a loop but its last, behind
which the store then stands.  The array must not be one that is read (`Path.apart`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Expr, const
from lifter.algebra.polynomial import Poly, from_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.dependence import differ, memory_apart
from lifter.ir.effect_edits import Domain, Edit, Origin, in_domain, joined, left_to_original, restate, spaced
from lifter.ir.effect_queries import Follows, ahead_exactly
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, domain, loads_of
from lifter.ir.names import array_of, is_read

_ONE = Poly.constant(1)


def eliminate_overwritten_stores(path: Path, follows: Follows) -> list[Edit]:
    """The path without such stores: two paths where it has to be told whether a loop has a last iteration."""
    read = {array_of(n) for n in loads_of(path) if is_read(n)}
    outside = read - path.arrays.keys()
    edits = [_with_ends_apart(path, read)]
    done: list[Edit] = []
    while edits:
        edit = edits.pop()
        found = _next(edit.path, read, follows)
        if found is None:
            done.append(edit)
            continue
        e, instead = found
        pairs = memory_apart({e.array}, outside)
        assert pairs is not None  # what is read is not looked at
        edit = edit.needs(pairs)
        edits += [restate(edit, {e.order: None})] if instead is None else _behind_loop(edit, e, instead, follows)
    return done


def _with_ends_apart(path: Path, read: Collection[str]) -> Edit:
    """Copies of a fixed length, where the next one starts before they end (`memcpy(d, s, 4); d += 3`), as
    the elements up to there and single ones behind."""
    long = [(e, n) for e in path.effects if e.array not in read and (n := _step_within(e)) is not None]
    if not long:
        return Edit.on(path)
    most = max(int(e.loops[-1].trip.constant_value() or 0) - n for e, n in long)
    edit = spaced(path, most + 1)
    stores: dict[int, Effect] = {}
    origins: dict[int, list[Origin]] = {}
    for whole, first in ((edit.effect(e.order * (most + 1)), n) for e, n in long):
        inner = whole.loops[-1]
        short = LoopInfo(inner.counter + "s", Poly.constant(first), whole.line)
        own = Domain((*whole.loops[:-1], short), {inner.counter: Poly.variable(short.counter, I32)},
                     {short.counter: Poly.variable(inner.counter, I32)})
        stores[whole.order] = in_domain(whole, own)
        origins[whole.order] = [Origin(whole.order, own.back, own.here)]
        for k in range(first, int(inner.trip.constant_value() or 0)):
            order, alone = whole.order + 1 + k - first, _in_iteration(whole, Poly.constant(k))
            stores[order] = replace(in_domain(whole, alone), order=order)
            origins[order] = [Origin(whole.order, alone.back)]
    return joined(edit, stores, origins, ())


_MOST = 32


def _step_within(e: Effect) -> int | None:
    """How far a store's elements of a loop of few iterations move in the next iteration of the loop around, if that is
    less than how many there are."""
    if len(e.loops) < 2 or e.guard is not None:
        return None
    inner, outer = e.loops[-1], e.loops[-2]
    length, step = inner.trip.constant_value(), e.index.coefficient(outer.counter)
    by = step.constant_value() if step is not None else None
    if length is None or by is None or not 0 < by < length <= _MOST:
        return None
    return int(by) if e.index.coefficient(inner.counter) == _ONE else None


def _next(path: Path, read: Collection[str], follows: Follows) -> tuple[Effect, int | None] | None:
    """A store that another one covers in the next iteration of a loop, with the depth of that loop where the store of
    the last iteration stays."""
    again = _Again(path)
    for e in path.effects:
        if e.array in read or e.array in path.arrays or any(map(reads_memory, e.index.atoms().values())):
            continue
        for depth in _covered_in(e, again, follows):
            if _covered_behind(e, depth, path, follows):
                return e, None
            if _may_stand_behind(e, depth, path):
                return e, depth
    return None


class _Again:
    """What the stores of a path write in the next iteration of a loop, looked up by where."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: dict[tuple[str, tuple[LoopInfo, ...]], tuple[dict[Poly, list[Effect]], list[_Place]]] = {}

    def covers(self, e: Effect, depth: int, follows: Follows) -> bool:
        """Whether another store writes there what `e` writes in this iteration of its loop at `depth`."""
        around = e.loops[: depth + 1]
        next_one = {around[-1].counter: Poly.variable(around[-1].counter, I32) + _ONE}
        where = e.array, around
        if where not in self._found:
            places: dict[Poly, list[Effect]] = {}
            others: list[_Place] = []
            for x in self.path.effects:
                if x.array != e.array or x.guard is not None or x.loops[: depth + 1] != around:
                    continue
                if len(x.loops) == depth + 1:
                    places.setdefault(x.index.substitute(next_one), []).append(x)
                elif (place := _Place.of(x, next_one, depth + 1)) is not None:
                    others.append(place)
            self._found[where] = places, others
        places, others = self._found[where]
        if any(x is not e for x in places.get(e.index, ())):
            return True
        return any(p.reaches(e, e.index, self.path, follows) for p in others if p.store is not e)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a store writes, in iterations of its own loops beyond those that it shares with another one."""

    store: Effect
    own: tuple[LoopInfo, ...]
    moved: Mapping[str, Poly]
    """The counters of the shared loops."""
    start: Poly
    """The index where its own loops are at zero."""
    steps: dict[str, Poly]

    @staticmethod
    def of(x: Effect, moved: Mapping[str, Poly], shared: int) -> _Place | None:
        """None where no iteration is found for an element."""
        own, index = x.loops[shared:], x.index.substitute(moved)
        steps = _steps(index, own)
        return None if steps is None else _Place(x, own, moved, index.substitute(dict.fromkeys(steps, Poly())), steps)

    def reaches(self, e: Effect, target: Poly, path: Path, follows: Follows) -> bool:
        """Whether the element `target`, of each of e's iterations, is written."""
        found = _divided(target - self.start, self.steps)
        if found is None:
            return False
        if not self.own:
            return True
        given = [*path.conditions, *(c for c, _ in path.asserts), *domain(e.loops)]
        if e.guard is not None:
            given.append(e.guard)
        return all(
            follows(given, value) and follows(given, loop.trip.substitute({**self.moved, **found}) - value - _ONE)
            for loop, value in ((loop, found[loop.counter]) for loop in self.own)
        )


def _covered_in(e: Effect, again: _Again, follows: Follows) -> Iterator[int]:
    """The depths of the loops, inner ones first, in whose next iteration each element that a store writes is written
    again."""
    for depth in range(len(e.loops) - 1, -1, -1):
        counter = e.loops[depth].counter
        if any(counter in loop.trip.names() for loop in e.loops[depth + 1 :]):
            continue  # other elements in other iterations
        if again.covers(e, depth, follows):
            yield depth


def _covered_behind(e: Effect, depth: int, path: Path, follows: Follows) -> bool:
    """Whether what a loop's last iteration writes is written again behind the loop."""
    last = e.index.substitute({e.loops[depth].counter: e.loops[depth].trip - _ONE})
    behind = (x for x in path.effects if x.array == e.array and x.guard is None and x is not e and x.order > e.order)
    behind = (x for x in behind if x.loops[:depth] == e.loops[:depth])
    behind = (x for x in behind if x.loops[: depth + 1] != e.loops[: depth + 1])
    places = (_Place.of(x, {}, depth) for x in behind)
    return any(p is not None and p.reaches(e, last, path, follows) for p in places)


def _may_stand_behind(e: Effect, depth: int, path: Path) -> bool:
    """Whether the store of a loop's last iteration may as well stand behind the loop: what it stores is not read from
    what is stored to, and no other store of or among the loop's writes the same element later."""
    stored = {x.array for x in path.effects}
    if e.guard is not None or arrays_in([e.value]) & stored:
        return False
    inside = e.loops[: depth + 1]
    end = max(x.order for x in path.effects if x.loops[: depth + 1] == inside)
    later = (x for x in path.effects if x.array == e.array and e.order < x.order <= end)
    return len(e.loops) == depth + 1 and all(x.loops == e.loops and differ(x.index, e.index) for x in later)


def _behind_loop(edit: Edit, e: Effect, depth: int, follows: Follows) -> list[Edit]:
    """A store made in the last iteration of its innermost loop only, behind that loop; or the two paths on which that
    loop runs, and does not."""
    path, loop = edit.path, e.loops[depth]
    last = loop.trip - _ONE
    runs = GE(BOOL, from_poly(last), const(0, I64))
    guard = None
    if not follows([*path.conditions, *domain(e.loops[:depth])], last):
        if not any(x.counter in last.names() for x in e.loops) and not any(map(reads_memory, last.atoms().values())):
            running = _with_fewer_guards(edit.needs(conditions=[runs]), follows)
            idle = edit.needs(conditions=[LT(BOOL, from_poly(last), const(0, I64))])
            nothing = all(loop in x.loops for x in path.effects)
            stores: dict[int, Effect | None] = {x.order: None for x in path.effects}
            return [running, restate(idle, stores) if nothing else left_to_original(idle)]
        guard = runs
    end = max(x.order for x in path.effects if x.loops[: depth + 1] == e.loops[: depth + 1])
    rest = spaced(edit, 2)
    alone = _in_iteration(e, last)
    moved = replace(in_domain(rest.effect(2 * e.order), alone), guard=guard, order=2 * end + 1)
    return [joined(rest, {moved.order: moved}, {moved.order: [Origin(2 * e.order, alone.back)]}, {2 * e.order})]


def _in_iteration(e: Effect, iteration: Poly) -> Domain:
    """A store in one iteration of its innermost loop alone."""
    return Domain(e.loops[:-1], {e.counters[-1]: iteration})


def _with_fewer_guards(edit: Edit, follows: Follows) -> Edit:
    """The path without guards that its conditions imply."""
    path = edit.path

    def holds(guard: Expr) -> bool:
        ahead = ahead_exactly(guard, path.conditions, follows)
        return ahead is not None and follows(path.conditions, ahead)

    implied = (e for e in path.effects if e.guard is not None and holds(e.guard))
    return restate(edit, {e.order: replace(e, guard=None) for e in implied})


def solved(target: Poly, index: Poly, own: Sequence[LoopInfo]) -> dict[str, Poly] | None:
    """Values of the loops' counters with which `index` is `target`."""
    steps = _steps(index, own)
    return None if steps is None else _divided(target - index.substitute(dict.fromkeys(steps, Poly())), steps)


def _steps(index: Poly, own: Sequence[LoopInfo]) -> dict[str, Poly] | None:
    """How far an index moves with each of the loops, larger steps first; None where it does not with one of them."""
    steps = {loop.counter: p for loop in own if (p := index.coefficient(loop.counter)) is not None and not p.is_zero()}
    if len(steps) < len(own):
        return None
    # Rows first: a row's stride does not divide what lies within the row.
    return dict(sorted(steps.items(), key=lambda item: item[1].constant_value() is not None))


def _divided(rest: Poly, steps: Mapping[str, Poly]) -> dict[str, Poly] | None:
    found: dict[str, Poly] = {}
    for name, step in steps.items():
        found[name], rest = rest.divide_by(step)
    return found if rest.is_zero() else None


__all__ = ["eliminate_overwritten_stores", "solved"]
