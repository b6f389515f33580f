"""Rows that are worked on in strips, by way of an array that holds a strip of them, as whole rows.

    for (k < ceil(n / 64)) {
        for (x < min(64, n - 64 * k)) t[x] = f(src[64 * k + x]);
        for (x < min(64, n - 64 * k)) dst[64 * k + x] = g(t[x]);
    }
becomes
    for (x < n) t[x] = f(src[x]);
    for (x < n) dst[x] = g(t[x]);

The array becomes as long as a row, or as several rows that it holds.  Strips of an even length may be taken by pairs,
with what an odd row leaves over.  What is written must not be what is read, which is noted (`Path.apart`).  The loops
stay among `Path.trips`, where their counts are proved."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from halide_core.ir import structural
from halide_core.ir.expr import BOOL, I32, I64, NE, Div, Expr, const, intrinsic
from halide_core.ir.structural import key
from lifter.algebra.parity_select import by_parity
from lifter.algebra.polynomial import Poly, atom_of, ceil_div, floor_div, from_poly, smaller_of, to_poly
from lifter.ir.dependence import Turn, blocks_apart, memory_apart
from lifter.ir.effect_edits import (
    Domain,
    Edit,
    Site,
    only_addresses,
    reindex,
    remap,
    restate,
    without_notes,
)
from lifter.ir.effects import Effect, LoopInfo, Path, arrays_in, loads, sites, values_of
from lifter.ir.names import array_of


class _Stays(Exception):
    """The loops are of another kind."""


@dataclass(frozen=True, slots=True)
class _Strip:
    """The strips of a loop over a row of `row` elements, `length` in all but the last; `here`: how many in one."""

    outer: LoopInfo
    length: int
    row: Poly
    here: Expr

    def each(self, e: Effect) -> int:
        """How many elements an iteration of a store's innermost loop takes; 0 for what an odd row leaves over."""
        if e.loops[-1] == self.outer:
            pairs = floor_div(Poly.atom(self.here), 2).scale(2)
            one_more = pairs + Poly.constant(1)
            all_ = by_parity(e.guard, from_poly(one_more), from_poly(pairs)) if e.guard is not None else None
            if all_ is not None and to_poly(all_) == Poly.atom(self.here) and self.length % 2 == 0:
                return 0
        elif e.guard is None:
            whole = Poly.atom(self.here)
            for count in (1, 2, 4):
                if self.length % count == 0 and e.loops[-1].trip == floor_div(whole, count):
                    return count
        raise _Stays


def undo_strip_mining(path: Path) -> Edit | None:
    """One such loop joined."""
    for outer in dict.fromkeys(loop for e in path.effects for loop in e.loops):
        try:
            return _joined(path, outer, [e for e in path.effects if outer in e.loops])
        except _Stays:
            continue
    return None


def _joined(path: Path, outer: LoopInfo, inside: list[Effect]) -> Edit:
    before = inside[0].loops[: inside[0].loops.index(outer)]
    if any(e.loops[: len(before) + 1] != (*before, outer) or len(e.loops) > len(before) + 2 for e in inside):
        raise _Stays
    strip = _strip(outer, inside[0].loops[-1])
    each = {e.order: strip.each(e) for e in inside}
    local = {e.array for e in inside if e.array in path.arrays}
    if not local:
        raise _Stays
    rows = {a: _Rows(path, a, strip, inside, each) for a in sorted(local)}
    used = {loop.counter for loop, _, _ in path.trips}
    names = (n for n in (f"{outer.counter}s{i}" for i in itertools.count()) if n not in used)
    loops = {
        loop: LoopInfo(next(names), floor_div(strip.row, each[e.order]), loop.line)
        for e in inside for loop in e.loops[len(before) + 1 :]
    }
    longer = {n: replace(path.arrays[n], size=r.size, loops=before) for n, r in rows.items()}
    written = {e.array for e in inside} - local
    bounds = [a for e in inside for loop in e.loops for a in loop.trip.atoms().values()]
    read = arrays_in([*(x for e in inside for x in sites(e)), *bounds]) - local
    apart = memory_apart(written, read)
    if apart is None or not all(_may_take_turns([e for e in inside if e.array == a], each) for a in written):
        raise _Stays
    guard = next((g for loop, _, g in path.trips if loop == outer), None)
    strips = _Strips(strip, rows, loops)
    plain = restate(path, {e.order: strips.stated(e, each[e.order]) for e in inside})
    placed = remap(plain, rows, strips.element, longer)
    domains = {e.order: strips.domain(placed.effect(e.order), each[e.order]) for e in inside}
    return reindex(without_notes(placed, outer), domains, guard).needs(apart)


def _may_take_turns(stores: Sequence[Effect], each: dict[int, int]) -> bool:
    """Whether stores to one array may be made strip by strip or each for the whole row."""
    if len(stores) == 1:
        return True
    if any(each[e.order] == 0 for e in stores[:-1]):  # what an odd row leaves over is in the last strip
        return False
    turns: list[Turn] = []
    for e in stores:
        taken = each[e.order]
        if taken:
            counter = e.loops[-1].counter
            step = e.index.coefficient(counter)
            value = step.constant_value() if step is not None else None
            if not value:
                return False
            turns.append(Turn(e.index.substitute({counter: Poly()}), int(value), taken))
    return blocks_apart(turns)


def _strip(outer: LoopInfo, inner: LoopInfo) -> _Strip:
    """The strips, of which `inner` runs over the elements of one."""
    (monomial, factor), *others = inner.trip.terms.items() or [((), 0)]
    here = atom_of(monomial[0]) if not others and factor == 1 and len(monomial) == 1 else None
    parts = smaller_of(here) if here is not None else None
    for one, left in (parts, parts[::-1]) if parts is not None else ():
        length = one.constant_value()
        step = left.coefficient(outer.counter)
        if here is None or length is None or length < 1 or step is None or step.constant_value() != -length:
            continue
        row = left + Poly.variable(outer.counter, I32).scale(length)
        if ceil_div(row, length) == outer.trip:
            return _Strip(outer, length, row, here)
    raise _Stays


class _Rows:
    """The rows of a local array that holds a strip of each, one behind the other."""

    def __init__(self, path: Path, array: str, strip: _Strip, inside: Sequence[Effect], each: dict[int, int]) -> None:
        info = path.arrays[array]
        size = info.size.constant_value() if info.size is not None else None
        others = [x for e in path.effects for x in sites(e) if x is not e.value] + list(values_of(path))
        if info.cell or size is None or any(array_of(n) == array for x in others for n in loads(x)):
            raise _Stays
        self.strip = strip
        self.step = 0
        places: list[tuple[Poly, int]] = []
        for e in path.effects:
            mine = [e.index] if e.array == array else []
            mine += [to_poly(n.index) for n in loads(e.value) if array_of(n) == array]
            if mine and not any(e is i for i in inside):
                raise _Stays
            for place in mine:
                places.append((place, each[e.order]))
                if each[e.order]:
                    self.learn(place.coefficient(e.loops[-1].counter), each[e.order])
        if not self.step:
            raise _Stays
        self.count = -(-size // (self.step * strip.length))
        self.size = strip.row.scale(self.step * self.count)
        for place, taken in places:
            start = place.terms.get((), 0) % (self.step * strip.length)
            if self.count > 1 and start >= self.step * max(taken, 1):
                raise _Stays

    def learn(self, step: Poly | None, each: int) -> None:
        """Takes note of how far a loop goes on that takes `each` elements an iteration."""
        value = step.constant_value() if step is not None else None
        if value is None or value < 1 or value % each or self.step not in (0, value // each):
            raise _Stays
        self.step = value // each

    def element(self, place: Poly) -> Poly:
        """Where an element of a strip's array lies in the rows."""
        section = self.step * self.strip.length
        number = place.terms.get((), 0) // section if self.count > 1 else 0
        start = Poly.variable(self.strip.outer.counter, I32).scale(section) - Poly.constant(number * section)
        return place + start + self.strip.row.scale(self.step * number)


class _Strips:
    def __init__(self, strip: _Strip, rows: dict[str, _Rows], loops: dict[LoopInfo, LoopInfo]) -> None:
        self.strip, self.rows, self.loops = strip, rows, loops

    def stated(self, e: Effect, each: int) -> Effect:
        """A store of a strip without what only the last strip asks for."""
        strip = self.strip
        if each:
            return replace(e, guard=None)
        t = strip.here.type
        guard = NE(BOOL, intrinsic("bitwise_and", t, from_poly(strip.row, t), const(1, t)), const(0, t))
        return replace(e, index=to_poly(self.of_last(from_poly(e.index))), value=self.of_last(e.value), guard=guard)

    def element(self, array: str, index: Poly, _site: Site, _time: int | None) -> tuple[str, Poly]:
        return array, self.rows[array].element(index)

    def domain(self, e: Effect, each: int) -> Domain:
        """The domain of a store of a strip in the row."""
        strip, counter = self.strip, self.strip.outer.counter
        around = e.loops[: e.loops.index(strip.outer)]
        if each:
            old, whole = e.loops[-1], self.loops[e.loops[-1]]
            x, length = Poly.variable(whole.counter, I32), strip.length // each
            number = to_poly(Div(I64, from_poly(x), const(length, I64)))
            back = {counter: number, old.counter: x - number.scale(length)}
            here = Poly.variable(counter, I32).scale(length) + Poly.variable(old.counter, I32)
            domain = Domain((*around, whole), back, {whole.counter: here})
        else:
            number = to_poly(Div(I64, from_poly(strip.row), const(strip.length, I64)))
            domain = Domain(around, {counter: number})
        if not only_addresses(e.value, domain.back):
            raise _Stays
        for index in (e.index, *(to_poly(n.index) for n in loads(e.value))):
            moved = index.substitute(domain.back)
            if moved.names() & set(domain.back) or any(key(a) in number.atoms() for a in moved.atoms().values()):
                raise _Stays
        return domain

    def of_last(self, e: Expr) -> Expr:
        """An expression of the last strip, which is not a full one."""
        left = self.strip.row - Poly.variable(self.strip.outer.counter, I32).scale(self.strip.length)
        number = key(self.strip.here)
        return structural.replace(e, lambda n: from_poly(left, n.type) if key(n) == number else None)


__all__ = ["undo_strip_mining"]
