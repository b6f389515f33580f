"""Additions to an array that stand several times in a loop's body, and once in the loop for what is left, as one loop.

    for (k < n/2) { d[2*k + j] += s[2*k]; d[2*k + 1 + j] += s[2*k + 1]; }  for (m < n%2) d[2*(n/2) + m + j] += ...
becomes
    for (c < n) d[c + j] += s[c];

where loops around it (over j) come back to the same elements: in other cases the stores make up a region as they are.
The elements are met in the same order, and both loops stay among `Path.trips`, where their counts are proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Load
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import undisturbed
from lifter.ir.effect_edits import timeless
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, loads, values_of
from lifter.ir.names import array_of


def roll_additions(path: Path) -> Path:
    """`path` with such loops joined."""
    effects = list(path.effects)
    for place, last in enumerate(effects):
        bodies: list[Effect] = []
        for e in reversed(effects[:place]):
            if e.array != last.array or (bodies and e.counters != bodies[-1].counters):
                break
            bodies.append(e)
        rolled = _rolled(path, bodies[::-1], last)
        if rolled is not None:
            kept = [rolled if e is last else e for e in effects if all(e is not b for b in bodies)]
            trips = (*path.trips, (rolled.loops[-1], rolled.loops[:-1], rolled.guard))
            return roll_additions(replace(path, effects=tuple(kept), trips=trips))
    return path


def _rolled(path: Path, bodies: Sequence[Effect], last: Effect) -> Effect | None:
    """The one store for those of a body and of the remainder after it."""
    if len(bodies) < 2 or not last.loops or bodies[0].loops[:-1] != last.loops[:-1]:
        return None
    if bodies[0].counters == last.counters or not _comes_back(last):
        return None
    many, rest = bodies[0].loops[-1], last.loops[-1]
    if rest.counter in many.trip.names() or any(e.guard is not None for e in (*bodies, last)):
        return None
    if not _apart_from_others(path, bodies, last):
        return None
    count = Poly.constant(len(bodies))
    k = Poly.variable(many.counter, I32)
    for j, e in enumerate(bodies):
        here = count * (k - many.trip) + Poly.constant(j)
        if e.loops != bodies[0].loops or not _same(e, _at(last, rest.counter, here)):
            return None
    loop = LoopInfo(rest.counter + "r", count * many.trip + rest.trip, last.line)
    out = _at(last, rest.counter, Poly.variable(loop.counter, I32) - count * many.trip)
    return replace(out, loops=(*last.loops[:-1], loop))


def _comes_back(e: Effect) -> bool:
    """Whether a store adds to its element, and a loop around the innermost one moves it along the same elements."""
    own = [to_poly(n.index) for n in loads(e.value) if array_of(n) == e.array]
    step = e.index.coefficient(e.counters[-1])
    if not own or any(p != e.index for p in own) or step is None or not step.constant_value():
        return False
    around = (e.index.coefficient(c) for c in e.counters[:-1])
    return any(s is not None and s.constant_value() for s in around)


def _apart_from_others(path: Path, bodies: Sequence[Effect], last: Effect) -> bool:
    """Whether nothing else reads the array while it is added to, and nothing writes what is added."""
    mine = (*bodies, last)
    others = [e for e in path.effects if not any(e is m for m in mine)]
    read = arrays_in(e.value for e in mine) | {last.array}
    if any(e.array in read and set(e.counters) & set(last.counters) for e in others):
        return False
    return undisturbed(mine, others, values_of(path))


def _at(e: Effect, counter: str, place: Poly) -> Effect:
    """A store in the iteration `place` of its innermost loop."""

    def moved(n: Expr) -> Expr:
        return replace(n, index=from_poly(to_poly(n.index).substitute({counter: place}))) if isinstance(n, Load) else n

    return replace(e, index=e.index.substitute({counter: place}), value=transform(e.value, moved))


def _same(a: Effect, b: Effect) -> bool:
    """Whether two stores compute the same at the same place, whatever the times of their reads."""
    return a.index == b.index and key(timeless(a.value)) == key(timeless(b.value))
