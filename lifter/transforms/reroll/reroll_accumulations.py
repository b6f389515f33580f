"""Additions to an array that stand several times in a loop's body, and once in the loop for what is left, as one loop.

    for (k < n/2) { d[2*k + j] += s[2*k]; d[2*k + 1 + j] += s[2*k + 1]; }  for (m < n%2) d[2*(n/2) + m + j] += ...
becomes
    for (c < n) d[c + j] += s[c];

where loops around it (over j) come back to the same elements: in other cases the stores make up a region as they are.
The elements are met in the same order, and both loops stay among `Path.trips`, where their counts are proved."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import I32
from halide_core.ir.structural import key
from lifter.algebra.polynomial import Poly, floor_div, to_poly
from lifter.ir.dependence import undisturbed
from lifter.ir.effect_edits import Domain, Edit, Origin, in_domain, joined, timeless
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, loads, values_of
from lifter.ir.names import array_of


def reroll_accumulations(path: Path) -> Edit | None:
    """One such loop joined."""
    effects = path.effects
    for place, last in enumerate(effects):
        bodies: list[Effect] = []
        for e in reversed(effects[:place]):
            if e.array != last.array or (bodies and e.counters != bodies[-1].counters):
                break
            bodies.append(e)
        edit = _rolled(path, bodies[::-1], last)
        if edit is not None:
            return edit
    return None


def _rolled(path: Path, bodies: Sequence[Effect], last: Effect) -> Edit | None:
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
        here = {rest.counter: count * (k - many.trip) + Poly.constant(j)}
        if e.loops != bodies[0].loops or not _same(e, in_domain(last, Domain(last.loops, here))):
            return None
    loop = LoopInfo(rest.counter + "r", count * many.trip + rest.trip, last.line)
    c = Poly.variable(loop.counter, I32)
    back = {rest.counter: c - count * many.trip}
    origins = [
        Origin(e.order, {many.counter: floor_div(c - Poly.constant(j), len(bodies))},
               {loop.counter: count * k + Poly.constant(j)})
        for j, e in enumerate(bodies)
    ]
    origins.append(Origin(last.order, back, {loop.counter: Poly.variable(rest.counter, I32) + count * many.trip}))
    out = in_domain(last, Domain((*last.loops[:-1], loop), back))
    return joined(path, {last.order: out}, {last.order: origins}, {e.order for e in bodies})


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


def _same(a: Effect, b: Effect) -> bool:
    """Whether two stores compute the same at the same place, whatever the times of their reads."""
    return a.index == b.index and key(timeless(a.value)) == key(timeless(b.value))
