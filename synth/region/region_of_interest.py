"""Stage one: the region of interest and the dimensions of what a group of stores writes (paper, section 4.1).

Candidates for the dimensions come from the strides found in the addresses; candidates for the bounds are enumerated
from the grammar  IntExpr := intvar | const | IntExpr op IntExpr  against the points written in small instances.  What
symbolic execution suggests is only tried first.  The verifier decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from halide_core.ir import expr as E
from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly, atom_of, ceil_div, floor_div, poly_max, poly_min, quotient, sign_of, to_poly
from lifter.ir.effects import Effect
from lifter.ir.loop_ir import Function
from lifter.ir.summary import Dim, EffectMap, Layout, dim_names
from synth.sampling.samples import Env, NotConcrete, compiled_poly, parameters, visited


@dataclass(frozen=True, slots=True)
class Region:
    """A candidate: the layout and how each effect lies in it."""

    layout: Layout
    maps: tuple[EffectMap, ...]


FIRST = "no candidate strides"


class NoRegion(Exception):
    """No region of interest; the text says why."""


@dataclass(slots=True)
class RoiStatistics:
    """How much was searched."""

    strides_tried: int = 0
    bounds_tried: int = 0


def regions(
    function: Function,
    array: str,
    effects: list[Effect],
    private: tuple[str, ...],
    samples: list[Env],
    suggestions: bool,
    statistics: RoiStatistics,
) -> Iterator[Region]:
    """Candidate regions for a group of stores, the simplest first."""
    reason = FIRST
    origins, pool = [Poly()], Pool(function, effects)
    if not (common := _common_start(effects)).is_zero():
        origins.append(common)
    for origin in origins:
        for strides in stride_sets(effects, private):
            statistics.strides_tried += 1
            try:
                yield from _with_strides(
                    pool, array, effects, private, strides, samples, suggestions, statistics, origin
                )
            except NoRegion as problem:
                reason = str(problem) if reason == FIRST else reason
    raise NoRegion(reason)


def _common_start(effects: list[Effect]) -> Poly:
    """What the parameters add to the addresses of all stores alike: where a rectangle starts within its image."""
    starts = [e.index.substitute({c: Poly() for c in e.counters}) for e in effects]
    first = starts[0] - Poly.constant(starts[0].terms.get((), 0))
    return first if all((s - first).constant_value() is not None for s in starts) else Poly()


def stride_sets(effects: list[Effect], private: tuple[str, ...]) -> list[list[Poly]]:
    """Sets of strides to try, each innermost first: those of the loops; then, where stores of one body start apart by
    parameters (two rows in one iteration, but also a row's last element), with that distance for a stride."""
    sets = _stride_sets(effects, private, [])
    sets = [*(whole for x in sets if (whole := _without_tiles(x, effects)) != x), *sets]
    apart = _starts_apart(effects)
    return [*sets, *(x for x in _stride_sets(effects, private, apart) if x not in sets)] if apart else sets


def _without_tiles(strides: list[Poly], effects: list[Effect]) -> list[Poly]:
    """Strides without those from tile to tile, of a parameter's size: of loops over tiles and over what lies inside
    one, which ends with the image."""
    tiled = {s * size for e in effects for s, size in _tiles(e)}
    return [s for s in strides if s not in tiled]


def _tiles(e: Effect) -> Iterator[tuple[Poly, Poly]]:
    """(stride, size) where a loop goes on by `size` strides of one inside it, which runs as often or less."""
    steps = {c: s for c in e.counters if (s := e.index.coefficient(c)) is not None and not s.is_zero()}
    for outer, inner in itertools.permutations(steps, 2):
        size = steps[outer].exact_quotient(steps[inner])
        if size is None or size.constant_value() is not None or outer not in _trip(e, inner).names():
            continue
        yield steps[inner], size


def _stride_sets(effects: list[Effect], private: tuple[str, ...], apart: list[Poly]) -> list[list[Poly]]:
    """All symbolic strides, with ever more of the constant ones."""
    constants: set[int] = set()
    symbolic: dict[tuple[int, ...], tuple[Poly, int]] = {}
    offsets: set[int] = set()
    for e in effects:
        for c in e.counters:
            if c in private:
                continue
            coefficient = e.index.coefficient(c)
            if coefficient is None or coefficient.is_zero():
                continue
            value = coefficient.constant_value()
            if value is not None:
                constants.add(abs(value))
            else:
                _add_symbolic(symbolic, coefficient)
        offsets.add(e.index.terms.get((), 0))
    for start in apart:
        _add_symbolic(symbolic, start)
    _share_offsets(symbolic, effects)
    base = min(offsets, default=0)
    spread = {o - base for o in offsets if o != base}
    smallest = _gcd([*constants, *spread]) or 1
    ladder = sorted(
        (Poly.constant(0) + s for s, _ in symbolic.values()), key=lambda s: (max(len(m) for m in s.terms), str(s))
    )
    # Of a loop over several pixels an iteration, also the stride of one pixel.
    steps = {c // n for c in constants for n in (2, 4, 8, 16) if c % n == 0 and c // n in spread}
    rest_constants = sorted(c for c in constants | steps if c > smallest and c % smallest == 0)
    sets: list[list[Poly]] = []
    for count in range(len(rest_constants) + 1):
        for chosen in itertools.combinations(rest_constants, count):
            if all(b % a == 0 for a, b in itertools.pairwise(chosen)):
                sets.append([Poly.constant(c) for c in (smallest, *chosen)] + ladder)
    if not constants and not spread and ladder:  # a column: nothing varies along the innermost dimension
        sets.insert(0, ladder)
    if not constants and not spread and not ladder:
        sets = [[]]
    return sets


def _starts_apart(effects: list[Effect]) -> list[Poly]:
    """By how many parameters' worth of elements stores of one body lie apart: two rows written in one iteration."""
    starts = [e.index.substitute({c: Poly() for c in e.counters}) for e in effects]
    apart = [s - starts[0] for s in starts]
    symbolic = [p - Poly.constant(p.terms.get((), 0)) for p in apart]
    return [p for p in dict.fromkeys(symbolic) if not p.is_zero()]


def _add_symbolic(symbolic: dict[tuple[int, ...], tuple[Poly, int]], coefficient: Poly) -> None:
    """Records a stride such as 16*rowBytes under its monomials, keeping the largest common divisor."""
    divisor = _gcd([abs(c) for c in coefficient.terms.values()])
    sign = sign_of(coefficient)
    shape = tuple(sorted(itertools.chain.from_iterable((len(m), *m) for m in coefficient.terms)))
    primitive = Poly({m: sign * c // divisor for m, c in coefficient.terms.items()})
    old = symbolic.get(shape)
    common = _gcd([divisor, old[1]]) if old else divisor
    symbolic[shape] = (primitive.scale(common), common)


def _share_offsets(symbolic: dict[tuple[int, ...], tuple[Poly, int]], effects: list[Effect]) -> None:
    """Stores at different multiples of a symbolic stride (rows 2*y and 2*y + 1) refine it."""
    for shape, (stride, common) in list(symbolic.items()):
        if len(stride.terms) != 1:
            continue
        (m, _), *_ = stride.terms.items()
        multiples = {e.index.terms.get(m, 0) for e in effects}
        base = min(multiples)
        refined = _gcd([common, *(x - base for x in multiples)])
        symbolic[shape] = (Poly({m: refined}), refined)


def _gcd(values: list[int]) -> int:
    import math

    return math.gcd(*values) if values else 0


def _with_strides(
    pool: Pool,
    array: str,
    effects: list[Effect],
    private: tuple[str, ...],
    strides: list[Poly],
    samples: list[Env],
    suggestions: bool,
    statistics: RoiStatistics,
    origin: Poly,
) -> Iterator[Region]:
    coordinates, remainder = _coordinates(effects, strides, origin)
    hulls = _hulls_of_rows(effects, coordinates, private, samples, strides)
    names = pool.names
    inverses = {e.order: invert(e, coordinates[e.order], private, names) for e in effects}
    per_dim = _bounds(pool, hulls, len(strides), suggestions, statistics)
    for bounds in itertools.islice(itertools.product(*per_dim), 12):
        dims = [Dim(names[d], low, high - low, strides[d]) for d, (low, high) in enumerate(bounds)]
        for position, counter in enumerate(reversed(private)):
            loop = next(loop for loop in effects[0].loops if loop.counter == counter)
            dims.append(Dim(names[len(strides) + position], Poly(), loop.trip, None))
        tail = tuple(Poly.variable(c, I32) for c in reversed(private))
        maps = []
        for e in effects:
            coords = (*coordinates[e.order], *tail)
            inverse = dict(inverses[e.order])
            for dim, counter in zip(dims[len(strides) :], reversed(private), strict=True):
                inverse[counter] = Poly.variable(dim.name, I32)
            maps.append(EffectMap(e.order, coords, (), inverse))
        yield Region(Layout(array, origin + remainder, tuple(dims)), tuple(maps))


def _coordinates(effects: list[Effect], strides: list[Poly], origin: Poly) -> tuple[dict[int, list[Poly]], Poly]:
    """The address of each store as coordinates along the strides, and the rest, which all of them share."""
    coordinates: dict[int, list[Poly]] = {}
    remainder: Poly | None = None
    for e in effects:
        rest = e.index - origin
        found: list[Poly] = []
        for s in reversed(strides):
            if s == Poly.constant(1):
                q, rest = rest, Poly()
            else:
                q, rest = _divide(rest, s, e)
            found.append(q)
        if rest.names() & set(e.counters):
            raise NoRegion(f"the address {e.index} is not a sum of strides times coordinates")
        if remainder is None:
            remainder = rest
        elif remainder != rest:
            raise NoRegion("the stores start at different offsets")
        coordinates[e.order] = found[::-1]
    return coordinates, remainder or Poly()


def _hulls_of_rows(
    effects: list[Effect], coordinates: dict[int, list[Poly]], private: tuple[str, ...], samples: list[Env],
    strides: list[Poly],
) -> list[tuple[Env, Hull]]:
    """The boxes that the stores cover; coordinates that reach beyond a row are carried into the next first."""
    try:
        hulls = _hulls(effects, coordinates, private, samples)
    except NoRegion:
        # Of elements exchanged from both ends of a row one store runs against it.
        if not any([_carry_alone(e, coordinates, private, samples, strides) for e in effects]):
            raise
        hulls = _hulls(effects, coordinates, private, samples)
    for d in range(len(strides) - 1):
        if _carry(coordinates, hulls, strides, d):
            hulls = _hulls(effects, coordinates, private, samples)
    return hulls


def _bounds(
    pool: Pool, hulls: list[tuple[Env, Hull]], count: int, suggestions: bool, statistics: RoiStatistics
) -> list[list[tuple[Poly, Poly]]]:
    """For each of `count` dimensions the lower and upper bounds that fit all samples, the likeliest first."""
    environments = [env for env, _ in hulls]
    per_dim: list[list[tuple[Poly, Poly]]] = []
    for d in range(count):
        lows = pool.matching(environments, [h[d][0] for _, h in hulls], suggestions, statistics)
        highs = pool.matching(environments, [h[d][1] + 1 for _, h in hulls], suggestions, statistics)
        if not lows or not highs:
            raise NoRegion(f"no bounds found for dimension {d}")
        per_dim.append([(low, high) for low in lows[:2] for high in highs[:3]])
    return per_dim


def _divide(rest: Poly, stride: Poly, e: Effect) -> tuple[Poly, Poly]:
    """Quotient and remainder by a stride; for a constant one, only what varies in its steps goes into the quotient."""
    if stride.constant_value() is None:
        return rest.divide_by(stride)
    quotient, remainder = rest.divide(stride)
    return quotient, remainder


Hull = list[tuple[int, int]]


def _hulls(
    effects: list[Effect], coordinates: dict[int, list[Poly]], private: tuple[str, ...], samples: list[Env]
) -> list[tuple[Env, Hull]]:
    """Per sample, smallest and largest coordinate written along each dimension; the box must be full."""
    out: list[tuple[Env, Hull]] = []
    for env in samples:
        hull = _hull(effects, coordinates, private, env)
        if hull is not None:
            out.append((env, hull))
    if not out:
        raise NoRegion("no small instance of the loops writes anything")
    return out


def _hull(effects: list[Effect], coordinates: dict[int, list[Poly]], private: tuple[str, ...], env: Env) -> Hull | None:
    groups: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    try:
        for e in effects:
            functions = [compiled_poly(c) for c in coordinates[e.order]]
            for point in visited(e, env):
                outer = tuple(point[c] for c in private)
                groups.setdefault(outer, set()).add(tuple(f(point) for f in functions))
    except NotConcrete as problem:
        raise NoRegion(str(problem)) from None
    hull: Hull | None = None
    for written in groups.values():
        here = [(min(c), max(c)) for c in zip(*written, strict=True)]
        size = 1
        for low, high in here:
            size *= high - low + 1
        if size != len(written) or (hull is not None and hull != here):
            raise NoRegion("the points written do not fill a box")
        hull = here
    return hull


def _carry(coordinates: dict[int, list[Poly]], hulls: list[tuple[Env, Hull]], strides: list[Poly], d: int) -> bool:
    """Moves whole strides between neighbouring dimensions where a coordinate would always be below zero although one
    stride more is not: `cols - 1 - c` in rows of `cols` elements divides to (r + 1, -1 - c)."""
    quotient, rest = strides[d + 1].divide_by(strides[d])
    if not rest.is_zero():
        return False
    step = compiled_poly(quotient)
    if not all(h[d][1] < 0 <= h[d][0] + step(env) for env, h in hulls):
        return False
    for coords in coordinates.values():
        coords[d] = coords[d] + quotient
        coords[d + 1] = coords[d + 1] - Poly.constant(1)
    return True


def _carry_alone(
    e: Effect, coordinates: dict[int, list[Poly]], private: tuple[str, ...], samples: list[Env], strides: list[Poly]
) -> bool:
    """The same for one store, whose own points fill a box."""
    carried = False
    for d in range(len(strides) - 1):
        own = {e.order: coordinates[e.order]}
        carried |= _carry(own, _hulls([e], own, private, samples), strides, d)
    return carried


def invert(e: Effect, coords: list[Poly], private: tuple[str, ...], names: tuple[str, ...]) -> dict[str, Poly]:
    """Each counter as a function of the coordinates: the witness that a point is written.

    Along each dimension the coordinate is a mixed-radix number of its counters, the largest factor first."""
    out: dict[str, Poly] = {}
    for d, c in enumerate(coords):
        rest = Poly.variable(names[d], I32)
        factors = []
        for counter in e.counters:
            if counter in private:
                continue
            f = c.coefficient(counter)
            value = f.constant_value() if f is not None else None
            if value:
                factors.append((abs(value), value, counter))
        digits, c, rest = _tile_digits(e, c, rest, {counter for *_, counter in factors})
        out |= digits
        base = c.substitute({counter: Poly() for _, _, counter in factors})
        negative = bool(factors) and max(factors)[1] < 0
        last = {counter: _trip(e, counter) - Poly.constant(1) for _, f, counter in factors if (f < 0) != negative}
        for _, value, counter in factors:
            if counter in last:  # tiles from the end whose elements go forwards: those are counted from their last
                if last[counter].names() & set(e.counters):
                    raise NoRegion("a dimension runs forwards and backwards at once")
                base = base + last[counter].scale(value)
        rest = rest - base
        if factors:
            # Stores of one body at x = k*i + r have one witness, x/k; at x = n - k*i - r it is (n - x - 1)/k.
            start, step = base.terms.get((), 0), min(size for size, _, _ in factors)
            rest, start = (rest.scale(-1), -1 - start) if negative else (rest, start)
            rest = rest + Poly.constant(start % step)
        for size, _, counter in sorted(factors, reverse=True):
            digit = floor_div(rest, size)
            out[counter] = last[counter] - digit if counter in last else digit
            rest = rest - digit.scale(size)
    missing = [c for c in e.counters if c not in out and c not in private]
    for name in missing:
        if _trip(e, name).constant_value() == 1:
            out[name] = Poly()
        else:
            raise NoRegion("the same location is written in several iterations")
    return _over_coordinates(out)


def _over_coordinates(found: dict[str, Poly]) -> dict[str, Poly]:
    """Counters that others are part of, as where a row goes on depends on the row, over the coordinates alone."""
    for _ in found:
        if not any(p.names() & found.keys() for p in found.values()):
            break
        found = {name: p.substitute({n: found[n] for n in p.names() & found.keys()}) for name, p in found.items()}
    return found


def _tile_digits(e: Effect, c: Poly, rest: Poly, inside: set[str]) -> tuple[dict[str, Poly], Poly, Poly]:
    """Counters of tiles of a parameter's size along the coordinate `c`, of which `rest` is the value; the coordinate
    and the value inside a tile."""
    out: dict[str, Poly] = {}
    origin = c.substitute({k: Poly() for k in e.counters})
    for counter in e.counters:
        size = _tile(e, c, counter, inside)
        if size is not None:
            out[counter] = quotient(rest - origin, size)
            c, rest = c - size * Poly.variable(counter, I32), rest - size * out[counter]
    return out, c, rest


def _tile(e: Effect, coordinate: Poly, counter: str, inside: set[str]) -> Poly | None:
    """The size of the tiles that a counter counts along a coordinate: a parameter, of which a loop inside it runs up to
    as many iterations."""
    size = coordinate.coefficient(counter)
    if size is None or size.is_zero() or size.constant_value() is not None:
        return None
    return size if any(counter in _trip(e, k).names() for k in inside) else None


def _trip(e: Effect, counter: str) -> Poly:
    return next(loop.trip for loop in e.loops if loop.counter == counter)


class Pool:
    """Bound expressions by size, matched against their values in samples."""

    def __init__(self, function: Function, effects: list[Effect]) -> None:
        self.names = dim_names(function)
        atoms: dict[Poly, None] = {}
        for name, type_ in parameters(function).items():
            atoms[Poly.variable(name, type_)] = None
        constants: set[int] = {0, 1, 2}
        self.suggested: dict[Poly, None] = {}
        for e in effects:
            for loop in e.loops:
                self.suggested[loop.trip] = None
                for number in loop.trip.atoms():
                    a = atom_of(number)
                    if not (Poly.atom(a).names() & set(e.counters)):
                        atoms[Poly.atom(a)] = None
                    for side in E.children(a):
                        p = to_poly(side)
                        if not (p.names() & set(e.counters)):
                            self.suggested[p] = None
                constants |= {abs(c) for m, c in loop.trip.terms.items()}
            constants |= {abs(e.index.terms.get((), 0))}
            for found in e.index.atoms().values():
                atoms[Poly.atom(found)] = None
        counters = {c for e in effects for c in e.counters}
        self.suggested = {p: None for p in self.suggested if not p.names() & counters}
        self.atoms = [a for a in atoms if not a.names() & counters]
        self.constants = sorted(c for c in constants if c <= 4096)
        self._made: dict[bool, tuple[list[tuple[Poly, Callable[[Env], int] | None]], Iterator[Poly]]] = {}

    def candidates(self, suggestions: bool) -> Iterator[tuple[Poly, Callable[[Env], int] | None]]:
        """IntExpr, the smallest first, every polynomial once, and what it is in a sample, None where it has no number.
        They are made once, as far as anyone has come to them."""
        made, rest = self._made.setdefault(suggestions, ([], self._distinct(suggestions)))
        for number in itertools.count():
            if number == len(made):
                p = next(rest, None)
                if p is None:
                    return
                try:
                    made.append((p, compiled_poly(p)))
                except NotConcrete:
                    made.append((p, None))
            yield made[number]

    def _distinct(self, suggestions: bool) -> Iterator[Poly]:
        seen: set[Poly] = set()
        for p in self._all(suggestions):
            if p not in seen:
                seen.add(p)
                yield p

    def _all(self, suggestions: bool) -> Iterator[Poly]:
        leaves = [Poly.constant(c) for c in self.constants] + self.atoms
        if suggestions:
            yield Poly()
            for p in self.suggested:
                yield p
                for c in self.constants:
                    yield p + Poly.constant(c)
                    yield p - Poly.constant(c)
        yield from leaves
        pairs: list[Poly] = []
        for a, b in itertools.product(leaves, repeat=2):
            pairs += [a + b, a - b, a * b, poly_min(a, b), poly_max(a, b)]
        for a in self.atoms:
            pairs += [floor_div(a, c) for c in self.constants if c > 1]
            pairs += [ceil_div(a, c) for c in self.constants if c > 1]
        yield from pairs
        for a, b in itertools.product(pairs, leaves):
            yield a + b
            yield a - b
            yield a * b

    def matching(
        self, samples: list[Env], values: list[int], suggestions: bool, statistics: RoiStatistics, limit: int = 3
    ) -> list[Poly]:
        """The first candidates that have the given value in every sample."""
        # One value in all samples is rather a number than what is one in small samples only.
        constant = suggestions and len(values) > 1 and len(set(values)) == 1 and values[0] >= 0
        found = [Poly.constant(values[0])] if constant else []
        for tried, (p, f) in enumerate(self.candidates(suggestions)):
            statistics.bounds_tried += 1
            if f is None or p in found:
                continue
            try:
                if all(f(env) == value for env, value in zip(samples, values, strict=True)):
                    found.append(p)
            except (KeyError, ZeroDivisionError):
                continue
            if len(found) >= limit or (found and tried > 400):
                break
        return found
