"""Stores to rows of a local array: several to the same elements in one iteration of a loop as one, and those to parts
of rows as stores to whole rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, GE, I32, LT, Expr, Load, Select
from halide_core.ir.structural import transform
from lifter.algebra.fold import conjunction
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.dependence import read_elsewhere, undisturbed
from lifter.ir.effect_edits import Edit, at, joined
from lifter.ir.effects import Effect, LoopInfo, Path, loads, values_of
from lifter.ir.names import array_of, timed, unused


def merged(path: Path, stores: Sequence[Effect], depth: int, size: Poly | None) -> Edit | None:
    """`stores`, of which each goes over elements one by one inside of the loop at `depth`, as one over the same
    elements, or over all `size` of the array.  Elements that none of them is made to keep what they have.  None where
    they are made of other elements of the array, or are looked at in between."""
    first, last = stores[0], stores[-1]
    around = first.loops[: depth + 1]
    spans = [_span(e, around) for e in stores]
    others = [e for e in path.effects if all(e is not s for s in stores)]
    if not undisturbed(stores, others, list(values_of(path))) or any(read_elsewhere(s, others, depth) for s in stores):
        return None
    start, trip = spans[0] if spans[0] is not None else (None, None)
    if size is not None:
        start, trip = Poly(), size
    if start is None or trip is None or any(s is None or (size is None and s != (start, trip)) for s in spans):
        return None
    info = LoopInfo(_fresh(path, first), trip, last.line)
    element = Poly.variable(info.counter, I32) + start
    value: Expr = Load(first.value.type, timed(first.array, first.order), from_poly(element))
    for e, span in zip(stores, spans, strict=True):
        assert span is not None
        found = _stored(e, element, span, value, size is None, len(e.loops) == len(around))
        if found is None:
            return None
        value = found
    one = Effect(first.array, element, value, None, (*around, info), last.order, last.line)
    return joined(path, {last.order: one}, {last.order: ()}, {e.order for e in stores})


def padded(
    path: Path, stores: Sequence[Effect], elements: Sequence[Poly], width: Poly, rest: Expr, depth: int
) -> Edit | None:
    """`stores`, which go over some `elements` of a row of an array one by one, as stores to whole rows, of which all
    other elements are `rest`."""
    others = [e for e in path.effects if all(e is not s for s in stores)]
    if any(read_elsewhere(s, others, depth) for s in stores):
        return None
    new: dict[int, Effect] = {}
    for e, element in zip(stores, elements, strict=True):
        if not e.loops or e.guard is not None:
            return None
        *around, inner = e.loops
        start = element.substitute({inner.counter: Poly()})
        one_by_one = Poly.variable(inner.counter, I32)
        if element - start != one_by_one or e.index.coefficient(inner.counter) != Poly.constant(1):
            return None
        info = LoopInfo(_fresh(path, e), width, e.line)
        position = Poly.variable(info.counter, I32)
        here = {inner.counter: position - start}
        inside: list[Expr] = [
            GE(BOOL, from_poly(position), from_poly(start)),
            LT(BOOL, from_poly(position), from_poly(start + inner.trip)),
        ]
        value = at(e.value, here)
        test = conjunction(inside)
        assert test is not None
        index = e.index.substitute(here)
        new[e.order] = replace(e, index=index, value=Select(value.type, test, value, rest), loops=(*around, info))
    return joined(path, new, dict.fromkeys(new, ()), ())


def _span(e: Effect, around: tuple[LoopInfo, ...]) -> tuple[Poly, Poly] | None:
    """The first element that a store goes over, and how many."""
    if e.loops[: len(around)] != around or len(e.loops) > len(around) + 1:
        return None
    if len(e.loops) == len(around):
        return e.index, Poly.constant(1)
    counter = e.counters[-1]
    start = e.index.substitute({counter: Poly()})
    return (start, e.loops[-1].trip) if e.index - start == Poly.variable(counter, I32) else None


def _stored(e: Effect, element: Poly, span: tuple[Poly, Poly], before: Expr, whole: bool, alone: bool) -> Expr | None:
    """What an element is after a store, if it was `before`; `alone`: the store is to one element."""
    start, trip = span
    own = start if alone else element
    here = {} if alone else {e.counters[-1]: element - start}

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Load) and array_of(n) == e.array and to_poly(n.index) == own:
            return before
        return n

    def known(x: Expr) -> Expr | None:
        x = at(x, here)
        reads = [n for n in loads(x) if array_of(n) == e.array]
        return transform(x, rewrite) if all(to_poly(n.index) == own for n in reads) else None

    conditions: list[Expr] = []
    if not whole:
        conditions = [
            GE(BOOL, from_poly(element), from_poly(start)),
            LT(BOOL, from_poly(element), from_poly(start + trip)),
        ]
    if e.guard is not None:
        guard = known(e.guard)
        if guard is None:
            return None
        conditions.append(guard)
    value = known(e.value)
    if value is None:
        return None
    guard = conjunction(conditions)
    return value if guard is None else Select(value.type, guard, value, before)


def _fresh(path: Path, e: Effect) -> str:
    used = {info.counter for info, _, _ in path.trips} | {c for x in path.effects for c in x.counters}
    return unused(f"{e.counters[-1]}j", used)


__all__ = ["merged", "padded"]
