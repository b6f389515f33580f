"""Stores that are left out, since others store to their elements before anything reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import Effect, Path, arrays_in, loads, sites
from lifter.transforms.stores.eliminate_overwritten_stores import solved
from verifier.rewritings.accesses import Place
from verifier.rewritings.facts import Facts, Formula
from verifier.rewritings.order import alike, shared_turns, tie

_ONE = Poly.constant(1)


def is_unread(array: str, paths: Sequence[Path]) -> bool:
    """Whether nothing in these paths reads what is stored to an array, so that only the last store to an element
    counts; the pairs of arrays that are apart are those of the last path."""
    read = {a for p in paths for e in (*p.effects, *p.reads) for a in arrays_in(sites(e))}
    read |= {a for p in paths if p.result is not None for a in arrays_in([p.result])}
    return not any(alike(array, other, paths[-1].apart, paths[0].arrays) for other in read)


def stored_over(e: Effect, effects: Sequence[Effect], made: Sequence[Formula], facts: Facts) -> bool:
    """Whether each iteration of a store that is not `made` any more is stored over by a later one of some store."""
    if any(loads(a) for a in e.index.atoms().values()):
        return False
    given = [facts.inside(e.loops, {}), facts.guarded(e.guard, {}), *map(facts.index.negate, made)]
    others = (x for x in effects if x.array == e.array and x.guard is None and x.value.type == e.value.type)
    places = ((x, at) for x in others for at in _candidates(x, e) if _near(e.index - x.index.substitute(at)))
    found = [_later(e, x, at, facts) for x, at in places]
    return facts.follows(given, facts.index.any_of(found))


def _near(distance: Poly) -> bool:
    """Whether a distance may be zero, as far as is worth asking: strides do not help."""
    return distance.is_zero() or (distance.constant_value() is None and all(len(m) < 2 for m in distance.terms))


def _later(e: Effect, x: Effect, at: dict[str, Poly], facts: Facts) -> Formula:
    """That an iteration of a store is to the element of another one, behind it."""
    inside = [f for loop in x.loops for f in (
        facts.at_least(at[loop.counter], 0), facts.at_least(loop.trip.substitute(at) - at[loop.counter], 1)
    )]
    first, second = _place(e), _place(x).renamed(at)
    behind = facts.earlier(shared_turns(first, second), tie(first, second))
    return facts.index.all_of([*inside, facts.same(first.index, second.index), behind])


def _place(e: Effect) -> Place:
    turns = tuple(Poly.variable(c, I32) for c in e.counters)
    return Place(e.array, e.index, e.counters, turns, e.order, None)


def _candidates(x: Effect, e: Effect) -> Iterator[dict[str, Poly]]:
    """Iterations of a store that may be to the same element: with the loops around both as they are, or one of them an
    iteration further."""
    shared = 0
    while x.counters[shared : shared + 1] == e.counters[shared : shared + 1] != ():
        shared += 1
    for kept in range(shared + 1):
        for further in (False, True) if kept < shared else (False,):
            at = {c: Poly.variable(c, I32) for c in x.counters[:kept]}
            if further:
                at[x.counters[kept]] = Poly.variable(x.counters[kept], I32) + _ONE
            own = x.loops[len(at) :]
            index = x.index.substitute(at)
            moving = [loop for loop in own if loop.counter in index.names()]
            found = solved(e.index, index, moving) if moving else {}
            if found is not None:
                yield at | {loop.counter: Poly() for loop in own} | found
