"""Whether accesses to elements that stay where they are keep their order: then reads see the stores that they saw, and
the last store to an element is the one that it was."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from lifter.ir.dependence import Pairs
from verifier.rewritings.accesses import Access, Place
from verifier.rewritings.facts import Facts, Formula


def disturbed(accesses: Sequence[Access], apart: Pairs, local: Mapping[str, tuple[str, ...]], facts: Facts) -> str:
    """The first pair of accesses that may change places although they meet, as text; empty where there is none.

    `local`: the loops in each iteration of which a local array is new."""
    stores = [a for a in accesses if a.stores]
    reads = [a for a in accesses if not a.stores]
    pairs = [*itertools.product(stores, reads), *itertools.combinations_with_replacement(stores, 2)]
    for a, b in pairs:
        if alike(a.old.array, b.old.array, apart, local) and not _keep_order(a, b, facts):
            first, second = (f"{x.array}[{x.index}]" for x in (a.old, b.old))
            return f"{a.old.order} and {b.old.order}: {first} and {second}"
    return ""


def alike(a: str, b: str, apart: Pairs, local: Collection[str]) -> bool:
    """Whether two arrays may be the same memory."""
    return a == b or (a not in local and b not in local and frozenset((a, b)) not in apart)


def _keep_order(a: Access, b: Access, facts: Facts) -> bool:
    """Whether a store and another access that meet do so in the order that they did."""
    other = {x.counter: Poly.variable(f"{x.counter}!", I32) for x in b.loops}
    before = _settled(tie(a.old, b.old), shared_turns(a.old, b.old.renamed(other)))
    after = _settled(tie(a.new, b.new), shared_turns(a.new, b.new.renamed(other)))
    # A read of other memory, which may be the same, may come to see a store: then they are not taken to be the same.
    one_way = a.old.array != b.old.array and not b.stores
    if before[1] == after[1] and (before[0] == after[0] or (one_way and after[0])):
        return True
    if _never_meet_in_one(a, b, before[1], after[1]):
        return True
    given = [facts.inside(a.loops, {}), facts.guarded(a.guard, {}), *_of_other(b, other, facts)]
    if (a.old.array == b.old.array or a.bits == b.bits) and not (a.by_data or b.by_data):
        given.append(facts.same(a.old.index, b.old.index.substitute(other)))
    first, then = facts.earlier(before[1], before[0]), facts.earlier(after[1], after[0])
    if not facts.follows([*given, first], then):
        return False
    if b.stores:
        second = facts.earlier([(y, x) for x, y in before[1]], tie(b.old, a.old))
        return facts.follows([*given, second], facts.earlier([(y, x) for x, y in after[1]], tie(b.new, a.new)))
    return one_way or facts.follows([*given, then], first)


def _never_meet_in_one(
    a: Access, b: Access, before: Sequence[tuple[Poly, Poly]], after: Sequence[tuple[Poly, Poly]]
) -> bool:
    """Whether two accesses whose loops are as they were change places in one iteration at the most, in which they are
    at different elements."""
    if list(after[: len(before)]) != list(before) or len(before) < max(len(a.old.loops), len(b.old.loops)):
        return False
    if (a.old.array != b.old.array and a.bits != b.bits) or a.by_data or b.by_data:
        return False
    if a.image is None or b.image is None or a.image.by_new or b.image.by_new:
        return False  # their counters are not the old ones
    distance = (a.old.index - b.old.index).constant_value()
    return distance is not None and distance != 0


def _settled(tie: bool, turns: Sequence[tuple[Poly, Poly]]) -> tuple[bool, list[tuple[Poly, Poly]]]:
    """The turns without the innermost ones that are known numbers, as lanes are: these say which comes first."""
    left = list(turns)
    while left and (ahead := left[-1][1].distance_from(left[-1][0])) is not None:
        tie = tie if ahead == 0 else ahead > 0
        left.pop()
    return tie, left


def _of_other(b: Access, names: Mapping[str, Poly], facts: Facts) -> list[Formula]:
    loops = [(Poly.variable(x.counter, I32).substitute(names), x.trip.substitute(names)) for x in b.loops]
    found = [f for c, trip in loops for f in (facts.at_least(c, 0), facts.at_least(trip - c, 1))]
    return [*found, facts.guarded(b.guard, names)]


def tie(a: Place, b: Place) -> bool:
    """Whether a store comes before another access of the same iteration."""
    return a.order < (b.order if b.time is None else b.time)


def shared_turns(a: Place, b: Place) -> list[tuple[Poly, Poly]]:
    """The turns of the loops around both."""
    found: list[tuple[Poly, Poly]] = []
    for x, y, p, q in zip(a.loops, b.loops, a.turns, b.turns, strict=False):
        if x != y:
            break
        found.append((p, q))
    return found
