"""Elements between those that a loop writes, which stay: stored as they are, so that what is written is a box.

    q[0] <-> q[2] of three channels                  q[1] = q[1]
    row[y] <-> row[h - 1 - y] for y < h / 2          row[h / 2] = row[h / 2] where h is odd
    registers 0, 1 and 3 of a block, where they lie  register 2 as it is

Such a store changes nothing, at whatever time; and the memory is there, for the same iteration, or the loop that the
element lies in the middle of, touches elements on both sides of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, EQ, GE, And, Load
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.effect_edits import Edit, in_domain, renamed, restate
from lifter.ir.effects import Effect, Path, loads
from lifter.ir.names import timed

_MOST = 16
"""Elements of one iteration that are filled in."""
_MOST_OF_BLOCKS = 64
"""Registers, or single elements, of a block that are."""


def add_identity_stores(path: Path, outputs: Sequence[str]) -> Edit | None:
    """Stores of such elements; None where there are none."""
    found: list[Effect] = []
    groups: dict[tuple[str, tuple[str, ...]], list[Effect]] = {}
    for e in path.effects:
        plain = e.guard is None and not any(loads(a) for a in e.index.atoms().values())
        if e.array in outputs and plain:
            groups.setdefault((e.array, e.counters), []).append(e)
    order = max((e.order for e in path.effects), default=0)
    for group in groups.values():
        for kept in (*_of_pixels(group), *_of_blocks(group), *_in_the_middle(group)):
            order += 1
            read = Load(kept.value.type, timed(kept.array, order), from_poly(kept.index))
            found.append(replace(kept, value=read, order=order))
    return restate(path, {}, found) if found else None


def _of_pixels(group: Sequence[Effect]) -> Iterator[Effect]:
    """Elements between those of one iteration, where iterations do not reach into each other."""
    first = group[0]
    apart = [e.index.distance_from(first.index) for e in group]
    offsets = {d for d in apart if d is not None}
    steps = [abs(s) for c in first.counters if (p := first.index.coefficient(c)) and (s := p.constant_value())]
    if len(offsets) < 2 or None in apart or not steps or max(offsets) - min(offsets) >= min(steps):
        return
    missing = [d for d in range(min(offsets), max(offsets)) if d not in offsets]
    for d in missing if len(missing) <= _MOST else ():
        yield replace(first, index=first.index + Poly.constant(d), line=group[-1].line)


def _of_blocks(group: Sequence[Effect]) -> Iterator[Effect]:
    """Registers, or single elements, of a block of which some are written: iterations make up one of them, whole."""
    first = group[0]
    trips = {loop.counter: loop.trip.constant_value() for loop in first.loops}
    steps = {c: p.constant_value() for c in trips if (p := first.index.coefficient(c)) is not None}
    size = 1
    for c in sorted(trips, key=lambda c: steps.get(c) or 0):
        trip = trips[c]
        if steps.get(c) != size or trip is None or any(e.loops != first.loops for e in group):
            return
        size *= trip
    apart = {e.index.distance_from(first.index) for e in group}
    offsets = {d for d in apart if d is not None and d % size == 0}
    missing = [d for d in range(min(offsets), max(offsets), size) if d not in offsets] if len(offsets) > 1 else []
    if len(offsets) < len(apart) or len(missing) > _MOST_OF_BLOCKS:
        return
    for d in missing:
        yield replace(first, index=first.index + Poly.constant(d), line=group[-1].line)


def _in_the_middle(group: Sequence[Effect]) -> Iterator[Effect]:
    """What two stores that move towards each other leave between them: the element that the one would be at in the
    iteration after the last, if that is where the other one would be."""
    for a, b in itertools.combinations(group, 2):
        for depth, loop in enumerate(a.loops):
            step, back = a.index.coefficient(loop.counter), b.index.coefficient(loop.counter)
            if step is None or back is None or step.is_zero() or step + back != Poly():
                continue
            rest = (*a.loops[:depth], *a.loops[depth + 1 :])
            if any(loop.counter in other.trip.names() for other in rest) or loop.trip.names() & set(a.counters):
                continue
            after = {loop.counter: loop.trip}
            apart, rest_of = (a.index - b.index).substitute(after).divide_by(step)
            if not rest_of.is_zero() or apart.names() & set(a.counters):
                continue
            meet = EQ(BOOL, from_poly(apart), from_poly(Poly()))
            runs = GE(BOOL, from_poly(loop.trip - Poly.constant(1)), from_poly(Poly()))
            kept = replace(a, index=a.index.substitute(after), guard=And(BOOL, runs, meet), loops=rest)
            yield in_domain(kept, renamed(kept, {c: f"{c}b" for c in kept.counters}))
            break


__all__ = ["add_identity_stores"]
