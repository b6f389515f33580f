"""Local arrays that hold positions, as these positions where they are read.

    for (k < n) at[k] = k * stride;   ...   s[at[i] + x]      becomes      s[i * stride + x]

All elements are given by one store, element k the same function of k, and are read later in the same iterations of the
loops around.  That only such elements are read is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from halide_core.ir.expr import I32, I64, Expr
from halide_core.ir.structural import key, transform
from lifter.algebra.polynomial import Obligation, Poly, exact, from_poly, to_poly
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


def with_positions(path: Path) -> Path:
    """`path` with such reads replaced, array after array."""
    for name in path.arrays:
        found = _positions(path, name)
        if found is not None and _read_later(path, found):
            path = _replaced(path, found)
    return path


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


def _replaced(path: Path, p: _Positions) -> Path:
    def rewrite(n: Expr) -> Expr:
        if not is_read(n) or array_of(n) != p.array:
            return n
        return exact(p.value.substitute({p.counter: to_poly(n.index) - p.first}), n.type)

    def poly(q: Poly) -> Poly:
        return to_poly(transform(from_poly(q), rewrite)) if any(loads(a) for a in q.atoms().values()) else q

    def optional(e: Expr | None) -> Expr | None:
        return None if e is None else transform(e, rewrite)

    def moved(e: Effect) -> Effect:
        return replace(e, index=poly(e.index), value=transform(e.value, rewrite), guard=optional(e.guard))

    size, e = path.arrays[p.array].size, p.store
    asked: list[FoundObligation] = []
    if size is not None:  # where it is stored beyond its end the original does what it likes
        asked.append(FoundObligation(Obligation(size - Poly.constant(1) - e.index, None), e.loops, e.guard, e.line))
    for e in path.effects:
        for n in {n.index: n for x in sites(e) for n in loads(x) if array_of(n) == p.array}.values():
            place = poly(to_poly(n.index)) - p.first
            for room in (place, p.store.loops[-1].trip - Poly.constant(1) - place):
                asked.append(FoundObligation(Obligation(room, None), e.loops, e.guard, e.line))
    met = []
    for o in path.obligations:
        held = tuple(transform(c, rewrite) for c in o.obligation.conditions)
        obligation = replace(o.obligation, poly=poly(o.obligation.poly), conditions=held, chosen=tuple(map(key, held)))
        met.append(replace(o, obligation=obligation, guard=optional(o.guard)))
    effects = tuple(moved(e) for e in path.effects if e is not p.store)
    reads = tuple(moved(e) for e in path.reads)
    arrays = {n: a for n, a in path.arrays.items() if n != p.array}
    return replace(path, effects=effects, reads=reads, arrays=arrays, obligations=(*met, *asked))


__all__ = ["with_positions"]
