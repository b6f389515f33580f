"""Coordinates of reads held to what the original reads.

One expression for a whole region reads at points where the original does not: the body's formula at an odd tail, the
neighbour beyond a border. Where small concrete runs show that, the coordinates are clamped to an end of what the
original reads, as one would write it in Halide (`src(min(2*x + 1, width - 1))`). The verifier decides whether that is
enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halide_core.ir import expr as E
from halide_core.ir.expr import Expr, Load
from halide_core.ir.structural import key, variables
from lifter.algebra.fold import clauses, parts
from lifter.algebra.polynomial import Poly, ahead_of, from_poly, to_poly
from lifter.algebra.symbolic_intervals import Unbounded, interval
from lifter.ir.effects import Effect, Path, loads
from lifter.ir.names import array_of, is_address, timed
from lifter.ir.summary import FuncSummary, InputSummary, Layout
from synth.read_bounds.clamp_site import Site
from synth.read_bounds.original_reads import Places, apart
from synth.region.coordinates import NoMapping
from synth.region.row_coordinates import counters, image_coordinates
from synth.sampling.samples import Env, NotConcrete, compiled, compiled_poly, visited
from verifier.memory_states import Group, Unresolved, read_beforehand, see, sure_loads, unconditional_loads


@dataclass(slots=True)
class Clamper:
    """Clamps the reads of one path's Funcs.  `samples`: values of the parameters, as `apart` makes them; `tables`: the
    sizes of the constant tables."""

    path: Path
    groups: list[Group]
    samples: list[Env]
    inputs: Mapping[str, InputSummary]
    non_negative: Callable[[Poly], bool]
    follows: Callable[[Poly], bool]
    tables: Mapping[str, int]
    kept: frozenset[int] = frozenset()
    """Orders of the effects whose elements keep what they hold where a guard fails: the definitions read it."""
    places: dict[str, list[Places]] = field(default_factory=dict)
    """For each image and sample, what the original reads as it was given."""
    known_ends: dict[str, list[tuple[list[Poly], list[Poly]]]] = field(default_factory=dict)

    def clamped(self, f: FuncSummary, funcs: Mapping[str, FuncSummary]) -> FuncSummary:
        """`f` with the reads of images, and of the earlier Funcs `funcs`, clamped where they need it."""
        definitions = []
        for d in f.definitions:
            effects = [e for e in self.path.effects if e.order in {m.order for m in d.maps}]
            guarded = any(unconditional_loads(e.value) < {key(n) for n in loads(e.value)} for e in effects)
            value = Site(self, f, d, funcs).value() if guarded or len(effects) > 1 else d.value
            definitions.append(replace(d, value=value))
        return replace(f, definitions=tuple(definitions))

    def read_by_original(self, image: InputSummary) -> list[Places]:
        """For each sample the coordinates in an image that are read whatever the data are, with the first and the last
        of their elements."""
        if image.name not in self.places:
            found = [Places() for _ in self.samples]
            seen: set[tuple[object, ...]] = set()
            points: dict[tuple[object, ...], list[list[Env]]] = {}
            for e, index, given in self.sure_reads(image.layout.array):
                domain = (e.loops, None if e.guard is None else key(e.guard))
                what = (domain, index, *map(key, given))
                if what in seen or self.asks_of_pointers(given):
                    continue
                seen.add(what)
                try:
                    found_at = image_coordinates(index, image.layout, counters(e.loops), self.follows)
                    place = [compiled_poly(c) for c in found_at]
                    element, tests = compiled_poly(index), [compiled(c) for c in given]
                    if domain not in points:
                        points[domain] = [list(visited(e, env)) for env in self.samples]
                    for k, here in enumerate(points[domain]):
                        for point in here:
                            if all(test(point) for test in tests):
                                found[k].add(tuple(c(point) for c in place), element(point))
                except (NoMapping, NotConcrete):
                    continue
            self.places[image.name] = found
        return self.places[image.name]

    def asks_of_pointers(self, given: tuple[Expr, ...]) -> bool:
        """Whether a read depends on addresses that the samples do not have: it is not sure there."""
        asked = {n for c in given for n in variables(c) if is_address(n)}
        return any(not asked <= env.keys() for env in self.samples)

    def sure_reads(self, array: str) -> Iterator[tuple[Effect, Poly, tuple[Expr, ...]]]:
        """Effects with the addresses that their iterations read, as they were given, and the conditions under which."""
        for e in self.path.effects:
            reads = list(sure_loads(e.value)) if e.guard is None or not loads(e.guard) else []
            if e.order in self.kept:
                own = Load(e.value.type, timed(e.array, e.order), from_poly(e.index))
                yield from self.as_given(own, array, replace(e, guard=None), ())
            for load, given in reads:
                yield from self.as_given(load, array, e, given)
        yield from read_beforehand(self.path, array)

    def as_given(
        self, load: Load, array: str, e: Effect, given: tuple[Expr, ...]
    ) -> Iterator[tuple[Effect, Poly, tuple[Expr, ...]]]:
        """A Load of an array, if it reads what the array held when it was given."""
        if array_of(load) != array:
            return
        try:
            seen = see(load, e, self.path, self.groups)
        except Unresolved:
            return
        if seen.group is None:
            yield e, seen.index, given

    def ends(self, layout: Layout) -> list[tuple[list[Poly], list[Poly]]]:
        """For each dimension of an image the least and the greatest coordinates that single reads run over."""
        if layout.array in self.known_ends:
            return self.known_ends[layout.array]
        out: list[tuple[list[Poly], list[Poly]]] = [([], []) for _ in layout.dims]
        for e, index, given in self.sure_reads(layout.array):
            env = {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in e.loops}
            try:
                place = image_coordinates(index, layout, env, self.follows)
                ranges = [interval(c, env, self.non_negative) for c in place]
            except (NoMapping, Unbounded):
                continue
            for (lows, highs), (low, high) in zip(out, ranges, strict=True):
                if low not in lows:
                    lows.append(low)
                if high not in highs:
                    highs.append(high)
            held = (*given, *parts(e.guard))
            for (lows, highs), c in zip(out, place, strict=True):
                for end in _fixed_by(c, given, set(e.counters)):
                    lows += [end] if end not in lows else []
                    highs += [end] if end not in highs else []
                for into, end in _bounded_by(c, held, set(e.counters), lows, highs):
                    into += [end] if end not in into else []
        self.known_ends[layout.array] = out
        return out


def _fixed_by(coordinate: Poly, given: Sequence[Expr], counters: set[str]) -> Iterator[Poly]:
    """What a coordinate is where equations with counters hold: the last row, read where there is no next one."""
    for c in given:
        if isinstance(c, E.EQ) and c.a.type.is_int_or_uint():
            a, b = to_poly(c.a), to_poly(c.b)
            for p, q in ((a, b), (b, a)):
                apart = (coordinate - p).constant_value()
                if apart is not None and not q.names() & counters:
                    yield q + Poly.constant(int(apart))


def _bounded_by(
    coordinate: Poly, given: Sequence[Expr], counters: set[str], lows: list[Poly], highs: list[Poly]
) -> Iterator[tuple[list[Poly], Poly]]:
    """What bounds a coordinate that moves with counters where comparisons of these hold: rows from `y - by` on, read
    where by <= y."""
    for c in (part for whole in given for part in clauses(whole)):
        ahead = ahead_of(c)
        if ahead is not None and ahead.names() & counters & coordinate.names():
            for into, rest in ((lows, coordinate - ahead), (highs, coordinate + ahead)):
                if not rest.names() & counters:
                    yield into, rest


__all__ = ["Clamper", "apart"]
