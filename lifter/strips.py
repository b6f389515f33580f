"""Rows that are worked on in strips, by way of an array that holds a strip of them, as whole rows.

    for (k < ceil(n / 64)) {
        for (x < min(64, n - 64 * k)) t[x] = f(src[64 * k + x]);
        for (x < min(64, n - 64 * k)) dst[64 * k + x] = g(t[x]);
    }
becomes
    for (x < n) t[x] = f(src[x]);
    for (x < n) dst[x] = g(t[x]);

The array becomes as long as a row.  What is written must not be what is read, which is noted (`Path.apart`).  The loops
stay among `Path.trips`, where their counts are proved."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, I64, Div, Expr, Load, const
from halide_core.ir.structural import transform, variables
from lifter.effects import ArrayInfo, Effect, LoopInfo, Path, loads, split_tag
from lifter.poly import Poly, atom_of, ceil_div, from_poly, smaller_of, to_poly


class _Stays(Exception):
    """The loops are of another kind."""


def join_strips(path: Path) -> Path:
    """`path` with such loops joined."""
    for outer in dict.fromkeys(loop for e in path.effects for loop in e.loops):
        inside = [e for e in path.effects if outer in e.loops]
        try:
            return join_strips(_joined(path, outer, inside))
        except _Stays:
            continue
    return path


def _joined(path: Path, outer: LoopInfo, inside: list[Effect]) -> Path:
    before = inside[0].loops[: inside[0].loops.index(outer)]
    inner = list(dict.fromkeys(e.loops[-1] for e in inside))
    if outer in inner or any(e.loops[:-1] != (*before, outer) or e.guard is not None for e in inside):
        raise _Stays
    length, rest = _strip(outer, inner[0])
    if any(_strip(outer, loop) != (length, rest) for loop in inner):
        raise _Stays
    local = {e.array for e in inside if e.array in path.arrays}
    if not local:
        raise _Stays
    steps = {a: _step(path, a, outer, inside, length) for a in local}
    used = {loop.counter for loop, _, _ in path.trips}
    names = (n for n in (f"{outer.counter}s{i}" for i in itertools.count()) if n not in used)
    loops = {loop: LoopInfo(next(names), rest, loop.line) for loop in inner}
    strips = _Strips(outer, length, steps)
    effects = tuple(strips.moved(e, loops) if outer in e.loops else e for e in path.effects)
    reads = tuple(r for r in path.reads if outer not in r.loops)
    longer = {n: replace(path.arrays[n], size=rest.scale(step), loops=before) for n, step in steps.items()}
    written = {e.array for e in inside} - local
    read = {split_tag(n.name)[0] for e in inside for n in loads(e.value) if "@" in n.name} - local
    if written & read:
        raise _Stays
    apart = path.apart | {frozenset((w, r)) for w in written for r in read}
    guard = next((g for loop, _, g in path.trips if loop == outer), None)
    trips = (*path.trips, *((loop, before, guard) for loop in loops.values()))
    return replace(path, effects=effects, reads=reads, arrays=path.arrays | longer, apart=apart, trips=trips)


def _strip(outer: LoopInfo, inner: LoopInfo) -> tuple[int, Poly]:
    """How long a strip is, and how long the row, of which `inner` runs over the elements of one."""
    (monomial, factor), *others = inner.trip.terms.items() or [((), 0)]
    parts = smaller_of(atom_of(monomial[0])) if not others and factor == 1 and len(monomial) == 1 else None
    for one, left in (parts, parts[::-1]) if parts is not None else ():
        length = one.constant_value()
        step = left.coefficient(outer.counter)
        if length is None or length < 1 or step is None or step.constant_value() != -length:
            continue
        row = left + Poly.variable(outer.counter, I32).scale(length)
        if ceil_div(row, length) == outer.trip:
            return length, row
    raise _Stays


def _step(path: Path, array: str, outer: LoopInfo, inside: Sequence[Effect], length: int) -> int:
    """How many elements of a local array, which has a strip's, each iteration over a strip uses."""
    info: ArrayInfo = path.arrays[array]
    size = info.size.constant_value() if info.size is not None else None
    sites = [(e, e.index) for e in path.effects if e.array == array]
    sites += [(e, to_poly(n.index)) for e in path.effects for n in loads(e.value) if split_tag(n.name)[0] == array]
    others = [x for e in path.effects for x in (e.guard, *e.index.atoms().values()) if x is not None]
    others += [x for x in (path.result,) if x is not None]
    if info.cell or size is None or any(split_tag(n.name)[0] == array for x in others for n in loads(x)):
        raise _Stays
    steps = set()
    for e, place in sites:
        step = place.coefficient(e.loops[-1].counter) if any(e is i for i in inside) else None
        if step is None or step.constant_value() is None or outer.counter in place.names():
            raise _Stays
        steps.add(step.constant_value())
    (step_, *more) = sorted(steps, key=str)
    if more or step_ is None or step_ < 1 or size > step_ * length:
        raise _Stays
    return int(step_)


class _Strips:
    def __init__(self, outer: LoopInfo, length: int, steps: dict[str, int]) -> None:
        self.outer, self.length, self.steps = outer, length, steps

    def moved(self, e: Effect, loops: dict[LoopInfo, LoopInfo]) -> Effect:
        """A store of a strip as one of the row."""
        old, new = e.loops[-1], loops[e.loops[-1]]
        x = Poly.variable(new.counter, I32)
        strip = to_poly(Div(I64, from_poly(x), const(self.length, I64)))
        places = {self.outer.counter: strip, old.counter: x - strip.scale(self.length)}

        def element(array: str, index: Poly) -> Poly:
            if array in self.steps:
                index = index + Poly.variable(self.outer.counter, I32).scale(self.steps[array] * self.length)
            moved = index.substitute(places)
            if moved.atoms().keys() & strip.atoms().keys():
                raise _Stays
            return moved

        def read(n: Expr) -> Expr:
            if not isinstance(n, Load) or "@" not in n.name:
                return n
            return replace(n, index=from_poly(element(split_tag(n.name)[0], to_poly(n.index))))

        value = transform(e.value, read)
        if variables(value) & set(places):
            raise _Stays
        return replace(e, index=element(e.array, e.index), value=value, loops=(*e.loops[:-2], new))


__all__ = ["join_strips"]
