"""Whether what is read of local arrays that are kept in another way is what was read of them.

For each read and each store that may be the last one before it, to its element: after the rewriting the store is to the
read's new element, before it, and no store to that element comes in between.  That it is the last one is used as far as
it says that certain other stores, in the read's iteration or the one before, are not in between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.ir.effect_edits import at as placed
from lifter.ir.effects import Effect, LoopInfo, loads
from lifter.transforms.stores.eliminate_overwritten_stores import solved
from verifier.rewritings.accesses import Access, Place
from verifier.rewritings.facts import Facts, Formula
from verifier.rewritings.order import shared_turns, tie

_ONE = Poly.constant(1)
_Counters = dict[str, Poly]


@dataclass(frozen=True, slots=True)
class Storage:
    """The accesses to a local array, and the stores that the rewriting adds to those of it or leaves out."""

    life: tuple[str, ...]
    """The loops in each iteration of which it is new."""
    lives: Mapping[str, tuple[str, ...]]
    """Those of the arrays that its elements are kept in."""
    accesses: Sequence[Access]
    gone: Sequence[Access]
    """Stores that are not made any more; what is said of their new place is of no account."""
    added: Sequence[Effect]
    """New effects that have iterations which do no old one's work."""

    @property
    def stores(self) -> list[Access]:
        return [a for a in (*self.accesses, *self.gone) if a.stores]

    @property
    def reads(self) -> list[Access]:
        return [a for a in self.accesses if not a.stores]


def misplaced(storage: Storage, facts: Facts) -> str:
    """The first read that may find something else, as text; empty where there is none."""
    for a in (*storage.accesses, *storage.gone):
        if a.by_data or (a.image is not None and a.image.by_new):
            return f"{a.old.array}[{a.old.index}] of order {a.old.order}"
    for read in storage.reads:
        for number, store in enumerate(storage.stores):
            question = Question(storage, read, store, facts)
            left_out = number >= len(storage.stores) - len(storage.gone)
            if not question.is_found(left_out) or not (left_out or question.stays_last()):
                return f"{read.old.array}[{read.old.index}] of order {read.old.order} by order {store.old.order}"
    return ""


class Question:
    """Whether a read finds what a store has stored, where that is the last one to the element before it."""

    def __init__(self, storage: Storage, read: Access, store: Access, facts: Facts) -> None:
        self.storage, self.read, self.facts = storage, read, facts
        self.names = _others(store.loops, "!")
        self.store, self.old, self.new = store, store.old.renamed(self.names), store.new.renamed(self.names)
        self.given = [
            facts.inside(read.loops, {}), facts.guarded(read.guard, {}), _within(store.loops, self.names, facts),
            facts.guarded(store.guard, self.names), *self.meets(self.old),
        ]
        self.given += [self.not_between(u, at) for u in storage.stores for at in _candidates(u, read)]

    def meets(self, old: Place) -> list[Formula]:
        """That a store is to the read's element, before it."""
        facts, read = self.facts, self.read.old
        turns = shared_turns(old, read)
        alive = [facts.same(a, b) for a, b in turns[: len(self.storage.life)]]
        return [facts.same(old.index, read.index), *alive, facts.earlier(turns, tie(old, read))]

    def not_between(self, u: Access, at: _Counters) -> Formula:
        """That an iteration of a store, if it is to the element and before the read, is not behind the last one."""
        facts, other = self.facts, u.old.renamed(at)
        if u.guard is not None and (loads(u.guard) or not facts.index.faithful(u.guard)):
            return facts.index.all_of([])
        there = facts.index.all_of([_within(u.loops, at, facts), *self.meets(other)])
        if u.guard is not None:
            there = facts.index.all_of([there, facts.index.expr(placed(u.guard, at))])
        behind = facts.earlier(shared_turns(self.old, other), tie(self.old, other))
        return facts.index.implies(there, facts.index.negate(behind))

    def is_found(self, left_out: bool) -> bool:
        """Whether the store is to the read's new element, before it; one that is left out is never the last one."""
        facts, read = self.facts, self.read.new
        if left_out:
            return facts.follows(self.given, facts.index.any_of([]))
        if self.new.array != read.array:
            return facts.follows(self.given, facts.index.any_of([]))
        turns = shared_turns(self.new, read)
        alive = [facts.same(a, b) for a, b in turns[: len(self.storage.lives[read.array])]]
        if len(alive) < len(self.storage.lives[read.array]):
            return False
        goal = [facts.same(self.new.index, read.index), facts.earlier(turns, tie(self.new, read)), *alive]
        return facts.follows(self.given, facts.index.all_of(goal))

    def stays_last(self) -> bool:
        """Whether no other store to the new element comes in between."""
        return all(self.is_not_between(*x) for x in self.others())

    def others(self) -> Iterator[tuple[Place, list[Formula]]]:
        """The stores after the rewriting, and what is known of an iteration of each."""
        facts = self.facts
        for a in self.storage.accesses:
            if a.stores:
                names = _others(a.loops, "!!")
                yield a.new.renamed(names), [
                    _within(a.loops, names, facts), facts.guarded(a.guard, names), self.not_between(a, names)
                ]
        for e in self.storage.added:
            names = _others(e.loops, "!!")
            turns = tuple(names[c] for c in e.counters)
            place = Place(e.array, e.index.substitute(names), e.counters, turns, e.order, None)
            yield place, [_within(e.loops, names, facts), facts.guarded(e.guard, names)]

    def is_not_between(self, other: Place, known: list[Formula]) -> bool:
        facts, read = self.facts, self.read.new
        if other.array != read.array:
            return True
        before = [facts.same(other.index, read.index), facts.earlier(shared_turns(other, read), tie(other, read))]
        behind = facts.earlier(shared_turns(self.new, other), tie(self.new, other))
        return facts.follows([*self.given, *known, *before], facts.index.negate(behind))


def _others(loops: Sequence[LoopInfo], mark: str) -> _Counters:
    """Names for the counters of another iteration."""
    return {x.counter: Poly.variable(x.counter + mark, I32) for x in loops}


def _within(loops: Sequence[LoopInfo], at: Mapping[str, Poly], facts: Facts) -> Formula:
    found: list[Formula] = []
    for x in loops:
        counter = at[x.counter]
        found += [facts.at_least(counter, 0), facts.at_least(x.trip.substitute(at) - counter, 1)]
    return facts.index.all_of(found)


def _candidates(u: Access, read: Access) -> Iterator[_Counters]:
    """Iterations of a store that may be to the read's element: in the iteration of the loops around both, or in the one
    before it of one of these."""
    shared = 0
    while u.old.loops[shared : shared + 1] == read.old.loops[shared : shared + 1] != ():
        shared += 1
    for depth, by in ((None, 0), *((d, b) for d in range(shared - 1, -1, -1) for b in (1, 2, 3))):
        kept = shared if depth is None else depth
        at = {c: Poly.variable(c, I32) for c in u.old.loops[:kept]}
        if depth is not None:
            counter = u.old.loops[depth]
            at[counter] = Poly.variable(counter, I32) - Poly.constant(by)
        own = u.loops[kept + (depth is not None) :]
        index = u.old.index.substitute(at)
        moving = [x for x in own if x.counter in index.names()]
        found = solved(read.old.index, index, moving) if moving else {}
        if found is None or (not moving and (read.old.index - index).constant_value() not in (0, None)):
            continue
        at |= found
        for x in own:
            if x.counter not in at:
                at[x.counter] = x.trip.substitute(at) - _ONE
        yield at
