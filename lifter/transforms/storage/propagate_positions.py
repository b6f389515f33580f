"""Local arrays that hold positions, as these positions where they are read.

    for (k < n) at[k] = k * stride;   ...   s[at[i] + x]      becomes      s[i * stride + x]

All elements are given by one store, element k the same function of k, and are read later in the same iterations of the
loops around.  That only such elements are read is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.ir.expr import I32, I64, Expr, Load
from halide_core.ir.structural import transform
from lifter.algebra.polynomial import Obligation, Poly, exact, from_poly, to_poly
from lifter.ir.effect_edits import Edit, Site, with_values
from lifter.ir.effects import Effect, FoundObligation, Path, loads, sites
from lifter.ir.names import array_of, is_read, time_of


@dataclass(frozen=True, slots=True)
class _Positions:
    """A local array's elements: that of number `counter` is `value`."""

    store: Effect
    first: Poly
    """The index of the first element."""
    value: Poly

    @property
    def array(self) -> str:
        return self.store.array

    @property
    def counter(self) -> str:
        return self.store.counters[-1]


def propagate_positions(path: Path) -> Edit | None:
    """The reads of one such array replaced."""
    for name in path.arrays:
        found = _positions(path, name)
        if found is not None and _read_later(path, found):
            return _replaced(path, found)
    return None


def _positions(path: Path, name: str) -> _Positions | None:
    stores = [e for e in path.effects if e.array == name]
    if len(stores) != 1 or path.arrays[name].cell:
        return None
    (e,) = stores
    if e.guard is not None or not e.loops or e.value.type not in (I32, I64) or loads(e.value):
        return None
    first = e.index - Poly.variable(e.counters[-1], I32)
    value = to_poly(e.value)
    addressed = any(array_of(n) == name for x in path.effects for a in _places(x) for n in loads(a))
    if not addressed or first.names() & set(e.counters) or len(path.arrays[name].loops) >= len(e.loops):
        return None
    return _Positions(e, first, value)


def _places(e: Effect) -> list[Expr]:
    """The addresses of an effect's store and reads."""
    return [from_poly(e.index), *(n.index for x in sites(e) for n in loads(x))]


def _read_later(path: Path, p: _Positions) -> bool:
    """Whether all reads of the array see the store: in the loops around it, after it."""
    around = p.store.loops[:-1]
    everything = [*path.effects, *path.reads]
    if path.result is not None and any(array_of(n) == p.array for n in loads(path.result)):
        return False
    for e in everything:
        read = [n for x in sites(e) for n in loads(x) if array_of(n) == p.array]
        if any(array_of(n) == p.array for loop in e.loops for a in loop.trip.atoms().values() for n in loads(a)):
            return False
        if read and (e.loops[: len(around)] != around or p.store.loops[-1] in e.loops):
            return False
        if any(time_of(n) <= p.store.order for n in read):
            return False
    return True


def _replaced(path: Path, p: _Positions) -> Edit:
    def value(n: Load, _site: Site) -> Expr:
        return exact(p.value.substitute({p.counter: to_poly(n.index) - p.first}), n.type)

    size, e = path.arrays[p.array].size, p.store
    asked: list[FoundObligation] = []
    if size is not None:  # where it is stored beyond its end the original does what it likes
        asked.append(FoundObligation(Obligation(size - Poly.constant(1) - e.index, None), e.loops, e.guard, e.line))
    for e in path.effects:
        for n in {n.index: n for x in sites(e) for n in loads(x) if array_of(n) == p.array}.values():
            index = transform(n.index, lambda m: value(m, Site()) if is_read(m) and array_of(m) == p.array else m)
            place = to_poly(index) - p.first
            for room in (place, p.store.loops[-1].trip - Poly.constant(1) - place):
                asked.append(FoundObligation(Obligation(room, None), e.loops, e.guard, e.line))
    return with_values(path, {p.array}, value).needs(obligations=asked)


__all__ = ["propagate_positions"]
