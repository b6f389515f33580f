"""Whether the iterations of the old effects and those of the new ones are each other's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly
from verifier.rewritings.accesses import Image
from verifier.rewritings.facts import Facts, Formula


def unchanged(image: Image) -> bool:
    """Whether an effect stands in the loops that it stood in."""
    old, new = image.old.loops, image.new.loops
    return not image.origin.back and not image.origin.here and [(x.counter, x.trip) for x in old] == [
        (x.counter, x.trip) for x in new
    ]


def all_are_old(images: Sequence[Image], facts: Facts) -> bool:
    """Whether each iteration of one new effect, which does the work of some old ones, is an iteration of one of these.
    Each image's guard has been compared."""
    if len(images) == 1 and unchanged(images[0]):
        return True
    new = images[0].new
    inside = [facts.inside(new.loops, {}), facts.guarded(new.guard, {})]
    return facts.follows(inside, facts.index.any_of([_comes_from(i, facts) for i in images]))


def _comes_from(image: Image, facts: Facts) -> Formula:
    """That an iteration of the new effect is one of the old one's, by the counters that the origin says."""
    back = {c: image.origin.back.get(c, Poly.variable(c, I32)) for c in image.old.counters}
    again = [
        facts.same(turn.substitute(back), Poly.variable(c, I32))
        for c, turn in zip(image.new.counters, image.turns, strict=True)
    ]
    return facts.index.all_of([facts.inside(image.old.loops, back), *again])


def all_are_made(images: Iterable[Image], facts: Facts) -> bool:
    """Whether each iteration of one old effect is one of a new one's."""
    every = list(images)
    if len(every) == 1 and unchanged(every[0]):
        return True
    if not all(set(i.old.counters) <= {*i.origin.back, *i.new.counters} for i in every):
        return False  # iterations that are one now
    old = every[0].old
    inside = [facts.inside(old.loops, {}), facts.guarded(old.guard, {})]
    return facts.follows(inside, facts.index.any_of([_is_made(i, facts) for i in every]))


def _is_made(image: Image, facts: Facts) -> Formula:
    turns = dict(zip(image.new.counters, image.turns, strict=True))
    back = {c: image.origin.back.get(c, Poly.variable(c, I32)).substitute(turns) for c in image.old.counters}
    again = [facts.same(p, Poly.variable(c, I32)) for c, p in back.items()]
    return facts.index.all_of([facts.inside(image.new.loops, turns), *again])
