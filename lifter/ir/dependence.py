"""Whether stores and reads may change places: the one place where a rewriting asks that moves effects in time.

In one iteration of the loops that two effects share, their orders say which comes first, and the time of a read says
what it sees. Between iterations the shared loops say it. What cannot be told is answered as if the effects met.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from halide_core.ir.expr import Expr, Load
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effects import Effect, Path, arrays_in, loads, reads_in, reads_of, sites, values_of
from lifter.ir.names import split_tag

Pairs = frozenset[frozenset[str]]
"""Pairs of arrays that are not the same memory (`Path.apart`)."""


# Within one iteration


def undisturbed(group: Sequence[Effect], others: Sequence[Effect], values: Iterable[Expr]) -> bool:
    """Whether stores that stand at several times may as well all stand where the last one does, or, if they read the
    same arrays, where any one of them does, for what is not among them: none of the `others` stores to the same array
    in between, or to what the group reads between two of these reads, and neither do they or `values` read in between
    what the group stores."""
    first, last = min(e.order for e in group), max(e.order for e in group)
    stored = {e.array for e in group}
    times: dict[str, list[int]] = {}
    for e in group:
        for array, time in _seen(sites(e)):
            times.setdefault(array, []).append(time)
    for e in others:
        if e.array in stored and first < e.order < last:
            return False
        read = times.get(e.array)
        if read is not None and min(read) <= e.order < max(read):
            return False
    seen = _seen([*(x for e in others for x in sites(e)), *values])
    return not any(array in stored and first < time <= last for array, time in seen)


def differ(a: Poly, b: Poly) -> bool:
    """Whether two indices are of different elements wherever both have the same counters."""
    distance = a.distance_from(b)
    return distance is not None and distance != 0


def may_wait(path: Path, first: Effect, second: Effect) -> bool:
    """Whether a store may be made at the time of a later one to the same element, in the loops of that one, where only
    one of the two is made: nothing looks at the array meanwhile, but for the two at their own element, and nothing that
    they read is written in the loops of either."""
    own = set(first.counters) ^ set(second.counters)
    others = [e for e in path.effects if e is not first and e is not second]
    written = {e.array for e in others if own & set(e.counters)}
    for e in (first, second):
        for n in loads(e.value):
            array, time = split_tag(n.name)
            if array in written or (array == first.array and (time > e.order or to_poly(n.index) != e.index)):
                return False
    if any(e.array == first.array and first.order < e.order < second.order for e in others):
        return False
    looking = [x for e in (*others, first) for x in (*sites(e), *_bounds(e))]
    return not any(a == first.array and first.order < time <= second.order
                   for a, time in _seen([*looking, *values_of(path)]))


# Between iterations


@dataclass(frozen=True, slots=True)
class Meeting:
    """In which iterations of a loop two accesses to an array meet at an element."""

    known: bool
    ahead: int | None = None
    """By how many iterations the first access comes behind the second; None, if known: they never meet."""

    @staticmethod
    def of(first: Poly, second: Poly, loop: str) -> Meeting:
        """Of accesses at two indices, the other counters of which are the same."""
        steps = [p.coefficient(loop) for p in (first, second)]
        if steps[0] is None or steps[0] != steps[1]:
            return Meeting(False)
        if any(loads(a) for p in (first, second) for a in p.atoms().values()):
            return Meeting(False)
        step, distance = steps[0].constant_value(), first.distance_from(second)
        if not step or distance is None:
            return Meeting(False)
        # (first - second) * step + distance == 0
        return Meeting(True) if distance % step else Meeting(True, int(-distance // step))


def may_come_first(read: Load, store: Effect, loop: str) -> bool:
    """Whether a read is the same if it is made in all iterations of a loop before the store is made in any: no earlier
    iteration, and nothing earlier in the same one, has stored to the element."""
    array, time = split_tag(read.name)
    if array != store.array:
        return True
    meeting = Meeting.of(store.index, to_poly(read.index), loop)
    if not meeting.known:
        return False
    if meeting.ahead is None:
        return True
    return store.order >= time if meeting.ahead == 0 else meeting.ahead > 0


def read_elsewhere(store: Effect, others: Iterable[Effect], depth: int) -> bool:
    """Whether a loop inside of the one at `depth`, around a store and another effect, has one of the two read elements
    that the other one stores in another iteration."""
    inner = set(store.counters[depth + 1 :])
    return any(
        inner & set(e.counters) and (_reads_other(e, store) or _reads_other(store, e)) for e in others
    )


def reads_of_others(e: Effect) -> bool:
    """Whether a store reads an element of its array that is not the one it stores to, or decides by one whether it
    stores, or where."""
    shared = [*e.index.atoms().values(), *([e.guard] if e.guard is not None else [])]
    return e.array in arrays_in(shared) or any(to_poly(n.index) != e.index for n in reads_of(e.array, e.value))


@dataclass(frozen=True, slots=True)
class Turn:
    """A store of a loop over blocks of a row: where its innermost loop begins, how far that goes on, and how many
    elements of the row it takes each time."""

    start: Poly
    step: int
    taken: int


def blocks_apart(turns: Sequence[Turn]) -> bool:
    """Whether no two of the stores, to one array, meet at an element in different blocks, so that they may all be made
    in turn: each element of the row has its own place, as wide as the loops go on by, which all of them keep to."""
    widths = {Fraction(t.step, t.taken) for t in turns}
    if len(widths) > 1:
        return False
    ups = [t.start if t.step > 0 else t.start.scale(-1) for t in turns]
    starts = [(p - ups[0]).constant_value() for p in ups]
    known = [s for s in starts if s is not None]
    if len(known) < len(starts):
        return False
    return all(s - min(known) < abs(min(widths)) * t.taken for s, t in zip(known, turns, strict=True))


def memory_apart(stored: Collection[str], read: Collection[str], local: Collection[str] = ()) -> Pairs | None:
    """What must not be the same memory for stores to some arrays and reads of others to be made in any order; None
    where an array is among both. Local arrays are memory of their own."""
    if set(stored) & set(read):
        return None
    return frozenset(frozenset((s, r)) for s in stored if s not in local for r in read if r not in local)


def _reads_other(e: Effect, store: Effect) -> bool:
    return any(to_poly(n.index) != store.index for x in sites(e) for n in reads_of(store.array, x))


def _seen(values: Iterable[Expr]) -> list[tuple[str, int]]:
    return [split_tag(n.name) for x in values for n in reads_in(x)]


def _bounds(e: Effect) -> list[Expr]:
    return [a for loop in e.loops for a in loop.trip.atoms().values()]
