"""Loops over all elements of a plane as loops over its rows and columns, where other loops see rows and columns.

    for (i < w * h) grey[i] = ...;  for (y < h) for (x < w) ... grey[y * w + x] ...
becomes
    for (y < h) for (x < w) grey[y * w + x] = ...;  ...

The elements, their order and what is stored stay the same wherever w and h are not negative, which the trip counts of
the new loops say; the flat loop stays among `Path.trips`, where its own count is proved."""

from __future__ import annotations

from collections.abc import Iterator

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Monomial, Poly, quotient, to_poly
from lifter.ir.effect_edits import Domain, Edit, reindex
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.names import array_of, is_read

MOST_SPLITS = 24


def delinearize(path: Path) -> Edit | None:
    """One such loop split."""
    found = next(_splits(path), None)
    return _split(path, *found) if found is not None else None


def _splits(path: Path) -> Iterator[tuple[LoopInfo, Poly, Poly]]:
    """(Loop, how many rows, their length)."""
    for info in dict.fromkeys(loop for e in path.effects for loop in e.loops):
        inside = [e for e in path.effects if info.counter in e.counters]
        if any(info.counter in loop.trip.names() for e in inside for loop in e.loops):
            continue
        steps = _steps(inside, info.counter)
        if steps is None:
            continue
        for length in _strides(path, info.counter, steps):
            rows, rest = info.trip.divide_by(length)
            if rest.is_zero() and rows.constant_value() is None:
                yield info, rows, length


def _accesses(e: Effect) -> list[tuple[str, Poly]]:
    """The arrays that an effect writes and reads, with the elements."""
    reads = [*loads(e.value), *(loads(e.guard) if e.guard is not None else [])]
    return [(e.array, e.index), *((array_of(n), to_poly(n.index)) for n in reads if is_read(n))]


def _steps(inside: list[Effect], counter: str) -> dict[str, int] | None:
    """By how many elements of each array the loop goes on; None where that is not one number, or where one iteration
    needs what another has written."""
    steps: dict[str, int] = {}
    written: dict[str, set[Poly]] = {}
    for e in inside:
        written.setdefault(e.array, set()).add(e.index)
    for e in inside:
        for array, index in _accesses(e):
            coefficient = index.coefficient(counter)
            if coefficient is None and array not in written:  # looked up by what the data say
                continue
            step = coefficient.constant_value() if coefficient is not None else None
            if step is None or (step and steps.setdefault(array, step) != step):
                return None
            own = written.get(array)
            if own is not None and index not in own and (step or any(p.coefficient(counter) != Poly() for p in own)):
                return None
    return steps


def _strides(path: Path, counter: str, steps: dict[str, int]) -> list[Poly]:
    """Distances of rows in the loop's arrays elsewhere, in iterations of the loop."""
    found: dict[Poly, None] = {}
    for e in path.effects:
        if counter in e.counters:
            continue
        for array, index in _accesses(e):
            if not steps.get(array):
                continue
            # What multiplies a counter, or a coordinate made of counters (a clamp, a cell).
            strides: dict[int, dict[Monomial, int]] = {}
            for monomial, c in index.terms.items():
                varying = [a for a in monomial if not Poly({(a,): 1}).names().isdisjoint(e.counters)]
                rest = tuple(a for a in monomial if a not in varying)
                if len(varying) == 1:
                    strides.setdefault(varying[0], {})[rest] = c
            for terms in strides.values():
                step = steps[array]
                if any(terms) and all(c % step == 0 for c in terms.values()):
                    found[Poly({m: abs(c // step) if len(terms) == 1 else c // step for m, c in terms.items()})] = None
    return sorted(found, key=lambda p: (-len(p.terms), str(p)))


def _split(path: Path, info: LoopInfo, rows: Poly, length: Poly) -> Edit:
    outer, inner = LoopInfo(f"{info.counter}y", rows, info.line), LoopInfo(f"{info.counter}x", length, info.line)
    place = Poly.variable(outer.counter, I32) * length + Poly.variable(inner.counter, I32)
    flat = Poly.variable(info.counter, I32)
    number = quotient(flat, length)
    here = {outer.counter: number, inner.counter: flat - number * length}
    nest = {info: (outer, inner)}

    def loops(old: tuple[LoopInfo, ...]) -> tuple[LoopInfo, ...]:
        return tuple(x for loop in old for x in nest.get(loop, (loop,)))

    inside = (e for e in path.effects if info.counter in e.counters)
    domains = {e.order: Domain(loops(e.loops), {info.counter: place}, here) for e in inside}
    guard = next((g for i, _, g in path.trips if i == info), None)
    return reindex(path, domains, guard, nest)
