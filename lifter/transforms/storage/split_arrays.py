"""Local arrays of several parts, each of which pointers of its own run over, as an array for each part.

    int *a = buffer, *b = buffer + w;   for (x < w) { a[x] = f(x); b[x] = g(x); }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from halide_core.ir.expr import BOOL, GE, GT, I32, I64, LE, Expr, Load, const
from halide_core.ir.structural import variables
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.algebra.symbolic_intervals import Unbounded, interval
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effect_edits import Edit, Origin, Site, Unknown, joined, remap, spaced
from lifter.ir.effect_queries import Follows, least
from lifter.ir.effects import ArrayInfo, Effect, LoopInfo, Path, loads, sites, values_of
from lifter.ir.names import any_counter, array_of, unused

_MOST = 24
"""Accesses of one array that are looked at."""
_FEW = 8
"""Parts of one length, or accesses that are compared with each other."""
_LARGE = 1 << 20


def split_arrays(path: Path, follows: Follows) -> Edit | None:
    """An array for each part of local arrays that the accesses to it keep to."""
    edit = Edit.on(path)
    for name, info in path.arrays.items():
        if info.cell or info.size is None:
            continue
        fill = _fill(edit.path, name)
        accesses = _accesses(edit.path, name, fill, follows)
        if accesses is None or len({a.index for a in accesses}) < 2:
            continue
        found = _Divider(edit.path, accesses, fill, info.size, follows).found()
        if found is not None:
            edit = _split(edit, name, fill is not None, found)
    return edit if edit.path is not path else None


@dataclass(frozen=True, slots=True)
class _Access:
    index: Poly
    loops: tuple[LoopInfo, ...]
    least: Poly
    most: Poly


@dataclass(frozen=True, slots=True)
class _Part:
    """Elements from `start` on, `length` of them, and the accesses to them."""

    start: Poly
    length: Poly
    accesses: list[_Access]


@dataclass(frozen=True, slots=True)
class _Division:
    parts: list[_Part]
    asked: list[Expr]
    """What it rests on."""


def _fill(path: Path, name: str) -> Effect | None:
    """The store that gives all elements one constant before anything else, if there is one."""
    e = next((e for e in path.effects if e.array == name), None)
    if e is None or len(e.loops) != len(path.arrays[name].loops) + 1 or e.guard is not None:
        return None
    counter = e.counters[-1]
    one_by_one = e.index.coefficient(counter) == Poly.constant(1)
    return e if one_by_one and not loads(e.value) and counter not in variables(e.value) else None


def _accesses(path: Path, name: str, fill: Effect | None, follows: Follows) -> list[_Access] | None:
    """Where an array is written and read but for the `fill`, and between which elements; None where it is not known."""
    places: dict[tuple[Poly, tuple[LoopInfo, ...]], None] = {}
    for e in path.effects:
        if e.array == name and e is not fill:
            places[e.index, e.loops] = None
        places |= {(to_poly(n.index), e.loops): None for x in sites(e) for n in _reads(x, name)}
    if path.result is not None:
        places |= {(to_poly(n.index), ()): None for n in _reads(path.result, name)}
    if len(places) > _MOST or any(_reads(x, name) for x in _elsewhere(path)):
        return None
    found: list[_Access] = []
    for index, loops in places:
        if any(reads_memory(a) for a in index.atoms().values()):
            return None
        run = _run(loops)
        try:
            ends = _ends(index, loops, lambda p, run=run: follows([*path.conditions, *run], p))  # type: ignore[misc]
        except Unbounded:
            return None
        found.append(_Access(index, loops, *ends))
    return found


def _reads(x: Expr, name: str) -> list[Load]:
    return [n for n in loads(x) if array_of(n) == name]


def _elsewhere(path: Path) -> Iterator[Expr]:
    """What of a path may read and is not rewritten here."""
    yield from values_of(replace(path, result=None))
    for o in path.obligations:
        yield from o.obligation.poly.atoms().values()
        if o.guard is not None:
            yield o.guard


def _run(loops: Sequence[LoopInfo]) -> list[Expr]:
    """That each loop runs."""
    return [GT(BOOL, from_poly(x.trip), const(0, I64)) for x in loops]


def _ends(index: Poly, loops: tuple[LoopInfo, ...], positive: Callable[[Poly], bool]) -> tuple[Poly, Poly]:
    """The first and the last element, over the parameters.  Raises Unbounded."""
    inside = {x.counter: (Poly(), x.trip - Poly.constant(1)) for x in loops}
    low = high = index
    for _ in loops:
        low, high = interval(low, inside, positive)[0], interval(high, inside, positive)[1]
    if (low.names() | high.names()) & inside.keys():
        raise Unbounded(str(index))
    return low, high


class _Divider:
    def __init__(
        self, path: Path, accesses: list[_Access], fill: Effect | None, size: Poly, follows: Follows
    ) -> None:
        self.path, self.accesses, self.fill, self.size, self.follows = path, accesses, fill, size, follows
        self.given = [*path.conditions, *(c for c, _ in path.asserts if not loads(c))]
        self.sizes = _sizes(path)

    def found(self) -> _Division | None:
        """The parts, if there are several; of one length first."""
        lengths = list(self.lengths())
        for may_ask in (False, True):
            for start, length in lengths:
                division = self.even(start, length, may_ask)
                if division is not None:
                    return division
        return self.uneven() if self.fill is None and len(self.accesses) <= _FEW else None

    def lengths(self) -> Iterator[tuple[Poly, Poly]]:
        """(Start, length) of parts that may be: an array, or what is filled, is so many times a length; or what one
        loop stores lies so far apart."""
        spans = [(Poly(), self.size)]
        if self.fill is not None:
            spans.append((self.fill.index.substitute({self.fill.counters[-1]: Poly()}), self.fill.loops[-1].trip))
        for start, size in spans:
            count = gcd(*size.terms.values()) if size.terms else 0
            if count > 1:
                yield start, size.divide(Poly.constant(count))[0]
        first = next((a.least for a in self.accesses if all(self.behind(b, a) for b in self.accesses)), None)
        stores = {(e.index, e.loops) for e in self.path.effects}
        ours = [a for a in self.accesses if (a.index, a.loops) in stores]
        apart = Counter(b.index - a.index for a in ours for b in ours if a.loops == b.loops and a is not b)
        for p, _ in apart.most_common() if first is not None else ():
            if all(c > 0 for m, c in p.terms.items() if m) and p.constant_value() is None:
                assert first is not None
                yield first, p

    def behind(self, b: _Access, a: _Access) -> bool:
        return self.follows([*self.given, *_run(a.loops), *_run(b.loops), *self.sizes], b.least - a.least)

    def even(self, start: Poly, length: Poly, may_ask: bool) -> _Division | None:
        if length.constant_value() is not None:
            return None
        parts: dict[int, _Part] = {}
        asked: list[Expr] = []
        for a in self.accesses:
            number = (a.least - start).divide_by(length)[0].constant_value()
            if number is None:
                return None
            near = [n for n in (number, number - 1, number + 1) if 0 <= n <= _FEW]
            needs = [(n, self.inside(a, start + length.scale(n), length, asked, False)) for n in near]
            if may_ask and number in near:
                needs.append((number, self.inside(a, start + length.scale(number), length, asked, True)))
            found = next(((n, more) for n, more in needs if more is not None), None)
            if found is None:
                return None
            asked += found[1]
            parts.setdefault(found[0], _Part(start + length.scale(found[0]), length, [])).accesses.append(a)
        filled = self.fill is None or self.covers(self.fill, list(parts.values()), asked)
        if len(parts) < 2 or not filled:
            return None
        return _Division([parts[i] for i in sorted(parts)], least(asked, self.given, self.follows))

    def inside(self, a: _Access, start: Poly, length: Poly, asked: list[Expr], may_ask: bool) -> list[Expr] | None:
        """What has an access keep to the elements from `start` on."""
        out: list[Expr] = []
        for p in (a.least - start, start + length - Poly.constant(1) - a.most):
            needed = self.needed(p, [*asked, *_run(a.loops)], may_ask)
            if needed is None:
                return None
            out += needed
        return out

    def needed(self, p: Poly, given: list[Expr], may_ask: bool) -> list[Expr] | None:
        """What has a polynomial not be negative: nothing more than is known, a loop's count, or that it is asked."""
        given = [*self.given, *given]
        if self.follows(given, p):
            return []
        if len(self.sizes) and self.follows([*given, *self.sizes], p):
            return next(([c] for c in self.sizes if self.follows([*given, c], p)), self.sizes)
        if may_ask and _likely(p):
            more = Poly({m: c for m, c in p.terms.items() if c > 0})
            return [LE(BOOL, from_poly(more - p), from_poly(more))]
        return None

    def covers(self, fill: Effect, parts: list[_Part], asked: list[Expr]) -> bool:
        low = fill.index.substitute({fill.counters[-1]: Poly()})
        high = low + fill.loops[-1].trip
        ends = [q for p in parts for q in (p.start - low, high - p.start - p.length)]
        return all(self.follows([*self.given, *asked, *self.sizes], q) for q in ends)

    def uneven(self) -> _Division | None:
        """Parts that no access reaches out of, each up to the next one's start."""

        def before(a: _Access, b: _Access) -> bool:
            """Whether the elements of one access lie before those of the other, if both are made."""
            return self.follows([*self.given, *_run(a.loops), *_run(b.loops)], b.least - a.most - Poly.constant(1))

        groups: list[list[_Access]] = []
        for a in self.accesses:
            meeting = [g for g in groups if any(_adjoin(a, b) or (not before(a, b) and not before(b, a)) for b in g)]
            groups = [g for g in groups if all(g is not m for m in meeting)]
            groups.append([a, *(b for g in meeting for b in g)])
        firsts = [next((a.least for a in g if all(self.behind(b, a) for b in g)), None) for g in groups]
        starts = [p for p in firsts if p is not None]
        if len(groups) < 2 or len(starts) < len(groups):
            return None
        known = [*self.given, *self.sizes]
        parts = []
        for g, start in zip(groups, starts, strict=True):
            later = [p for p in (*starts, self.size) if p != start and self.follows(known, p - start)]
            end = next((p for p in later if all(self.follows(known, q - p) for q in later)), self.size)
            parts.append(_Part(start, end - start, g))
        return _Division(parts, [])


def _likely(p: Poly) -> bool:
    """Whether a polynomial over sizes is positive where these are large, so that it may be asked of the caller."""
    value = p.substitute({n: Poly.constant(_LARGE) for n in p.names()}).constant_value()
    return value is not None and value > 0 and not any(reads_memory(a) for a in p.atoms().values())


def _adjoin(a: _Access, b: _Access) -> bool:
    """Whether the elements of one access begin where those of the other end, as columns taken out of a loop do."""
    one = Poly.constant(1)
    return a.most + one == b.least or b.most + one == a.least


def _split(edit: Edit, name: str, filled: bool, division: _Division) -> Edit:
    edit = spaced(edit, len(division.parts)) if filled else edit
    fill = _fill(edit.path, name) if filled else None
    known = edit.path.arrays
    infos: dict[str, ArrayInfo] = {}
    starts: dict[tuple[Poly, tuple[LoopInfo, ...]], tuple[str, Poly]] = {}
    for i, part in enumerate(division.parts):
        own = unused(f"{name}_{i}", {*known, *infos}, "_") if i else name
        infos[own] = replace(known[name], name=own, size=part.length)
        starts |= {(a.index, a.loops): (own, part.start) for a in part.accesses}

    def place(array: str, index: Poly, site: Site, time: int | None) -> tuple[str, Poly]:
        if time is None and site.effect is fill:
            return array, index
        if site.effect is not None and not site.effect.array:
            raise Unknown(array)
        own, start = starts[index, site.loops]
        return own, index - start

    edit = remap(edit, {name}, place, infos).needs(asserts=division.asked)
    parts = list(zip(infos, division.parts, strict=True))
    return edit if fill is None else _filled(edit, edit.effect(fill.order), parts)


def _filled(edit: Edit, fill: Effect, parts: Sequence[tuple[str, _Part]]) -> Edit:
    """The store that gives all elements of an array a constant, as one for each part."""
    inner = fill.loops[-1]
    first = fill.index.substitute({inner.counter: Poly()})
    stores: dict[int, Effect] = {}
    origins: dict[int, list[Origin]] = {}
    for i, (own, part) in enumerate(parts):
        loop = LoopInfo(f"{inner.counter}p{i}", part.length, fill.line)
        x, loops, order = Poly.variable(loop.counter, I32), (*fill.loops[:-1], loop), fill.order + i
        stores[order] = replace(fill, array=own, index=x, loops=loops, order=order)
        back, here = part.start - first + x, Poly.variable(inner.counter, I32) - part.start + first
        origins[order] = [Origin(fill.order, {inner.counter: back}, {loop.counter: here})]
    return joined(edit, stores, origins, {fill.order})


def _sizes(path: Path) -> list[Expr]:
    """That no loop over sizes is to run less than no times."""
    parameters = [t.trip for t, _, _ in path.trips if not any_counter(t.trip.names())]
    return [GE(BOOL, from_poly(p), const(0, I64)) for p in dict.fromkeys(parameters)]


__all__ = ["split_arrays"]
