"""Whether the iterations of the old effects and those of the new ones are each other's."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from halide_core.ir.expr import BOOL, I32, Or, make_bool
from lifter.algebra.polynomial import Poly
from lifter.ir.effect_edits import at
from lifter.ir.effects import loads
from verifier.rewritings.accesses import Image
from verifier.rewritings.facts import Facts, Formula
from verifier.rewritings.values import Said, implies

TRUE = make_bool(True)


def unchanged(image: Image) -> bool:
    """Whether an effect stands in the loops that it stood in."""
    old, new = image.old.loops, image.new.loops
    return not image.origin.back and not image.origin.here and [(x.counter, x.trip) for x in old] == [
        (x.counter, x.trip) for x in new
    ]


def all_are_old(images: Sequence[tuple[Image, Said]], facts: Facts) -> bool:
    """Whether each iteration of one new effect, which does the work of some old ones, is an iteration of one of
    these."""
    (first, _), *others = images
    new = first.new
    inside = [facts.inside(new.loops, {}), facts.guarded(new.guard, {})]
    if all(s.exact for _, s in images):
        if not others and unchanged(first):
            return True
        return facts.follows(inside, facts.index.any_of([_comes_from(i, facts) for i, _ in images]))
    if all(implies(s.now, s.was) for _, s in images):
        return unchanged(first) or facts.follows(inside, facts.index.any_of([_comes_from(i, facts) for i, _ in images]))
    if not others or not all(unchanged(i) or facts.follows(inside, _comes_from(i, facts)) for i, _ in images):
        return False
    conditions = [TRUE if i.old.guard is None else at(i.old.guard, i.origin.back) for i, _ in images]
    given = TRUE if new.guard is None else new.guard
    if any(map(loads, (given, *conditions))):
        return False
    return implies(given, reduce(lambda a, b: Or(BOOL, a, b), conditions))


def _comes_from(image: Image, facts: Facts) -> Formula:
    """That an iteration of the new effect is one of the old one's, by the counters that the origin says."""
    back = {c: image.origin.back.get(c, Poly.variable(c, I32)) for c in image.old.counters}
    again = [
        facts.same(turn.substitute(back), Poly.variable(c, I32))
        for c, turn in zip(image.new.counters, image.turns, strict=True)
    ]
    return facts.index.all_of([facts.inside(image.old.loops, back), *again])


def all_are_made(images: Sequence[tuple[Image, Said]], facts: Facts) -> bool:
    """Whether each iteration of one old effect is one of a new one's, or gives its element what is there."""
    (first, said), *others = images
    old = first.old
    if not all(set(old.counters) <= {*i.origin.back, *i.new.counters} for i, _ in images):
        return False  # iterations that are one now
    inside = [facts.inside(old.loops, {}), facts.guarded(old.guard, {})]
    if all(s.exact for _, s in images):
        if not others and unchanged(first):
            return True
        return facts.follows(inside, facts.index.any_of([is_made(i, facts) for i, _ in images]))
    if others or not (unchanged(first) or facts.follows(inside, is_made(first, facts))):
        return False
    return said.kept is not None or implies(said.was, said.now)


def is_made(image: Image, facts: Facts) -> Formula:
    """That an iteration of the old effect is one of the new one's."""
    turns = dict(zip(image.new.counters, image.turns, strict=True))
    back = {c: image.origin.back.get(c, Poly.variable(c, I32)).substitute(turns) for c in image.old.counters}
    again = [facts.same(p, Poly.variable(c, I32)) for c, p in back.items()]
    return facts.index.all_of([facts.inside(image.new.loops, turns), *again])
