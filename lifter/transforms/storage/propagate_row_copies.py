"""Rows of a local array that are copies of other rows of it: memcpy(second, first, n) after the first is filled."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Load
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir.effect_edits import Edit, in_domain, joined, renamed, spaced
from lifter.ir.effect_queries import Follows
from lifter.ir.effects import Effect, Path, arrays_in, domain, loads, sites
from lifter.ir.names import any_counter, array_of


def propagate_row_copies(path: Path, name: str, follows: Follows) -> Edit | None:
    """One such copy made by the stores that fill the row which is copied."""
    for e in path.effects:
        source = _source(e, name, len(path.arrays[name].loops))
        originals = _originals(path, e, source, follows) if source is not None else None
        if source is not None and originals:
            return _replaced(path, e, source, originals)
    return None


def _source(e: Effect, name: str, depth: int) -> Poly | None:
    """How far behind an element lies what a store copies to it, going over elements one by one."""
    if e.array != name or e.guard is not None or not isinstance(e.value, Load) or len(e.loops) != depth + 1:
        return None
    if array_of(e.value) != name or e.index.coefficient(e.counters[-1]) != Poly.constant(1):
        return None
    behind = e.index - to_poly(e.value.index)
    return behind if not any_counter(behind.names()) else None


def _originals(path: Path, copy: Effect, behind: Poly, follows: Follows) -> list[Effect] | None:
    """The stores that fill what is copied: all those to the array before, each within the copied range."""
    before = [e for e in path.effects if e.array == copy.array and e.order < copy.order]
    start = copy.index.substitute({copy.counters[-1]: Poly()}) - behind
    end = start + copy.loops[-1].trip
    for e in before:
        given = [*path.conditions, *(c for c, _ in path.asserts), *domain(e.loops)]
        inside = (e.index - start, end - e.index - Poly.constant(1))
        if e.loops[: len(copy.loops) - 1] != copy.loops[:-1] or _reads(e, copy.array):
            return None
        if e.guard is not None or not all(follows(given, p) for p in inside):
            return None
        read = arrays_in(sites(e))
        if any(x.array in read and e.order <= x.order < copy.order for x in path.effects):
            return None
    return before


def _reads(e: Effect, array: str) -> bool:
    return any(array_of(n) == array for x in sites(e) for n in loads(x))


def _replaced(path: Path, copy: Effect, behind: Poly, originals: list[Effect]) -> Edit:
    room = len(originals)
    edit = spaced(path, room)
    stores: dict[int, Effect] = {}
    for i, original in enumerate(originals):
        e = edit.effect(original.order * room)
        names = {c: f"{c}c{copy.order}" for c in e.counters[len(copy.loops) - 1 :]}
        order = copy.order * room + i
        own = in_domain(e, renamed(e, names))
        stores[order] = replace(own, index=own.index + behind, order=order)
    return joined(edit, stores, dict.fromkeys(stores, ()), {copy.order * room})


__all__ = ["propagate_row_copies"]
