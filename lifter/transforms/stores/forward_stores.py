"""Several stores to one element in one iteration, between which other elements are read, as one store.

    if (x > 0) d[y*w + x] = min(d[y*w + x], d[y*w + x - 1] + 1);
    if (y > 0) d[y*w + x] = min(d[y*w + x], d[(y - 1)*w + x] + 1);

The second one reads what the first one has made of its own element, and other elements, which are others for certain:
their distance is never zero where the loops run, or a stride, of which that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, I64, NE, Expr, Load, Or, Select, const
from halide_core.ir.structural import key, transform
from lifter.algebra.fold import fold_node, is_true
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.dependence import undisturbed
from lifter.ir.effect_edits import Edit, Origin, joined
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import Effect, Path, domain, loads, values_of
from lifter.ir.names import array_of, time_of, timed


def forward_stores(path: Path, follows: Follows) -> Edit | None:
    """Two such stores as one."""
    found = (_joined(path, first, second, follows) for first, second in _pairs(path.effects))
    return next((edit for edit in found if edit is not None), None)


def _pairs(effects: Sequence[Effect]) -> list[tuple[Effect, Effect]]:
    """Stores to an array each with the next one, if that is to the same element in the same iteration."""
    last: dict[str, Effect] = {}
    out = []
    for e in effects:
        before = last.get(e.array)
        if before is not None and before.loops == e.loops and e.loops and before.index == e.index:
            out.append((before, e))
        last[e.array] = e
    return out


def _joined(path: Path, first: Effect, second: Effect, follows: Follows) -> Edit | None:
    if any(map(reads_memory, second.index.atoms().values())):
        return None
    others = [e for e in path.effects if e is not first and e is not second]
    if not undisturbed((first, second), others, list(values_of(path))):
        return None
    asked: list[Expr] = []
    sees = [n for x in _of(second) for n in loads(x) if _sees(n, first)]
    for n in sees:
        distance = to_poly(n.index) - second.index
        if distance.is_zero():
            continue
        nonzero = _never_zero(distance, path, second, follows)
        if nonzero is None:
            return None
        asked += nonzero
    before = Load(first.value.type, timed(first.array, first.order), from_poly(first.index))
    made = first.value if first.guard is None else Select(first.value.type, first.guard, first.value, before)

    def rewrite(n: Expr) -> Expr:
        own = isinstance(n, Load) and _sees(n, first) and to_poly(n.index) == second.index
        return made if own else n

    value = transform(second.value, rewrite)
    guard = None if second.guard is None else transform(second.guard, rewrite)
    if guard is not None:
        value = Select(value.type, guard, value, made)
        guard = None if first.guard is None else fold_node(Or(BOOL, first.guard, guard))
    if guard is not None and loads(guard):
        return None
    one = replace(
        second, value=value, guard=None if guard is None or is_true(guard) else guard,
        rewritten=first.rewritten or second.rewritten or bool(loads(value)),
    )
    known = {key(c): c for c in asked}.values()
    return joined(path, {second.order: one}, {second.order: [Origin(second.order)]}, {first.order}).needs(asserts=known)


def _of(e: Effect) -> list[Expr]:
    return [e.value, *([e.guard] if e.guard is not None else [])]


def _sees(n: Load, e: Effect) -> bool:
    """Whether a Load is of the array that a store is to, after it."""
    return array_of(n) == e.array and time_of(n) > e.order


def _never_zero(distance: Poly, path: Path, e: Effect, follows: Follows) -> list[Expr] | None:
    """What must be asked for so that a distance between elements is not zero in any iteration; None if that is not for
    parameters to say."""
    number = distance.constant_value()
    if number is not None:
        return [] if number else None
    given = [*path.conditions, *(c for c, _ in path.asserts), *domain(e.loops)]
    if any(follows(given, p - Poly.constant(1)) for p in (distance, distance.scale(-1))):
        return []
    counters = set(e.counters)
    if distance.names() & counters or any(map(reads_memory, distance.atoms().values())) or len(distance.terms) > 1:
        return None
    return [NE(BOOL, from_poly(distance, I64), const(0, I64))]


__all__ = ["forward_stores"]
