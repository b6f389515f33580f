"""Two loops of which a condition runs one or the other, over the same elements, as one loop with a choice.

    if (row < 0) for (x < w) d[x] = 0;  else for (x < w) d[x] = s[x];
becomes
    for (x < w) d[x] = row < 0 ? 0 : s[x];

Both loops stay among `Path.trips`, where the count of each is proved under its own condition."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import I32, Expr, Select
from halide_core.ir.structural import key, variables
from lifter.algebra.fold import conjunction, negate, parts
from lifter.algebra.polynomial import Poly
from lifter.ir.dependence import may_wait
from lifter.ir.effect_edits import Edit, Origin, at, joined
from lifter.ir.effects import Effect, Path, loads


def fuse_complementary_stores(path: Path) -> Edit | None:
    """Two such loops joined: what the first stores is stored where the second does it."""
    for place, second in enumerate(path.effects):
        first = next((e for e in reversed(path.effects[:place]) if _are_arms(path, e, second)), None)
        if first is not None:
            return _merged(path, first, second)
    return None


def _are_arms(path: Path, first: Effect, second: Effect) -> bool:
    if first.array != second.array or first.value.type != second.value.type or first.guard is None:
        return False
    if len(first.loops) != len(second.loops) or first.counters == second.counters:
        return False
    choice = _choice(first, second)
    if choice is None or loads(choice) or variables(choice) & (_inner(first, second) | _inner(second, first)):
        return False
    names = _renaming(first, second)
    trips = [loop.trip.substitute(names) for loop in first.loops]
    if trips != [loop.trip for loop in second.loops] or first.index.substitute(names) != second.index:
        return False
    if any(loads(a) for a in second.index.atoms().values()):
        return False
    return may_wait(path, first, second)


def _choice(first: Effect, second: Effect) -> Expr | None:
    """The condition under which the first of two stores is made and not the second, where that is all that their guards
    differ in."""
    one, two = ({key(c): c for c in parts(e.guard)} for e in (first, second))
    mine, other = (conjunction([c for k, c in a.items() if k not in b]) for a, b in ((one, two), (two, one)))
    if mine is None or other is None:
        return None
    return mine if key(negate(mine)) == key(other) or key(negate(other)) == key(mine) else None


def _inner(e: Effect, other: Effect) -> set[str]:
    """Counters of loops that the other one is not in."""
    return set(e.counters) - set(other.counters)


def _renaming(first: Effect, second: Effect) -> dict[str, Poly]:
    return {a: Poly.variable(b, I32) for a, b in zip(first.counters, second.counters, strict=True) if a != b}


def _merged(path: Path, first: Effect, second: Effect) -> Edit:
    choice = _choice(first, second)
    assert choice is not None
    shared = {key(c) for c in parts(first.guard)}
    guard = conjunction([c for c in parts(second.guard) if key(c) in shared])
    back = _renaming(first, second)
    here = {b: Poly.variable(a, I32) for a, b in zip(first.counters, second.counters, strict=True) if a != b}
    value = Select(second.value.type, choice, at(first.value, back), second.value)
    one = replace(second, value=value, guard=guard, rewritten=first.rewritten or second.rewritten)
    origins = {second.order: [Origin(first.order, back, here), Origin(second.order)]}
    return joined(path, {second.order: one}, origins, {first.order})
