"""Coordinates of reads held to what the original reads.

One expression for a whole region reads at points where the original does not: the body's formula at an odd tail, the
neighbour beyond a border. Where small concrete runs show that, the coordinates are clamped to an end of what the
original reads, as one would write it in Halide (`src(min(2*x + 1, width - 1))`). The verifier decides whether that is
enough."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Expr, Load, Select, const_value
from halide_core.ir.structural import key, post_order, variables
from lifter.bounds import Unbounded, interval
from lifter.effects import Effect, Path, loads
from lifter.poly import Poly, from_poly, to_poly
from lifter.summary import Definition, FuncSummary, InputSummary, Layout
from synth.samples import Env, NotConcrete, compiled, compiled_poly, visited
from synth.terminals import NoMapping, coordinates
from verifier.reads import Group, Unresolved, mentions, read_beforehand, see, sure_loads, unconditional_loads

Ends = tuple[Expr | None, Expr | None]
"""The least and the greatest coordinate, where it is clamped."""
Allowed = Callable[[tuple[int, ...], Env], bool]
"""Whether a place may be read, under given values of the parameters."""

Test = Callable[[Env], bool]

_MOST_POINTS = 400
_MOST_VARIANTS = 400


def apart(samples: list[Env], path: Path) -> list[Env]:
    """The samples with far larger values of what only addresses depend on (a stride), so that rows do not meet."""
    fixed: set[str] = set()
    for info, _, guard in path.trips:
        fixed |= info.trip.names()
        fixed |= variables(guard) if guard is not None else set()
    for e in path.effects:
        fixed |= variables(e.guard) if e.guard is not None else set()
    for c in (*path.conditions, *(c for c, _ in path.asserts)):
        fixed |= variables(c)
    free: set[str] = set()
    for e in path.effects:
        for p in (e.index, *(to_poly(n.index) for n in loads(e.value))):
            free |= p.names() - fixed
    far = {name: (k + 1) * 1000 for k, name in enumerate(sorted(free))}
    return [{n: v + far.get(n, 0) for n, v in env.items()} for env in samples]


@dataclass(slots=True)
class Places:
    """Coordinates read, and the range of their elements, from the one that the pointer points to."""

    coordinates: set[tuple[int, ...]] = field(default_factory=set)
    first: int = 0
    last: int = -1

    def add(self, place: tuple[int, ...], element: int) -> None:
        self.coordinates.add(place)
        self.first, self.last = min(self.first, element), max(self.last, element)


@dataclass(slots=True)
class Clamper:
    """Clamps the reads of one path's Funcs.  `samples`: values of the parameters, as `apart` makes them."""

    path: Path
    groups: list[Group]
    samples: list[Env]
    inputs: Mapping[str, InputSummary]
    non_negative: Callable[[Poly], bool]
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
            guarded = any(key(n) not in unconditional_loads(e.value) for e in effects for n in loads(e.value))
            value = _Site(self, f, d, funcs).value() if guarded or len(effects) > 1 else d.value
            definitions.append(replace(d, value=value))
        return replace(f, definitions=tuple(definitions))

    def read_by_original(self, image: InputSummary) -> list[Places]:
        """For each sample the coordinates in an image that are read whatever the data are, with the first and the last
        of their elements."""
        if image.name not in self.places:
            found = [Places() for _ in self.samples]
            for e, index, given in self.sure_reads(image.layout.array):
                try:
                    place = [compiled_poly(c) for c in coordinates(index, image.layout, ())]
                    element, tests = compiled_poly(index), [compiled(c) for c in given]
                    for k, env in enumerate(self.samples):
                        for here in visited(e, env):
                            if all(test(here) for test in tests):
                                found[k].add(tuple(c(here) for c in place), element(here))
                except (NoMapping, NotConcrete):
                    continue
            self.places[image.name] = found
        return self.places[image.name]

    def sure_reads(self, array: str) -> Iterator[tuple[Effect, Poly, tuple[Expr, ...]]]:
        """Effects with the addresses that their iterations read, as they were given, and the conditions under which."""
        for e in self.path.effects:
            reads = list(sure_loads(e.value)) if e.guard is None or not loads(e.guard) else []
            if e.order in self.kept:
                own = Load(e.value.type, f"{e.array}@{e.order}", from_poly(e.index))
                yield from self._as_given(own, array, replace(e, guard=None), ())
            for load, given in reads:
                yield from self._as_given(load, array, e, given)
        yield from read_beforehand(self.path, array)

    def _as_given(
        self, load: Load, array: str, e: Effect, given: tuple[Expr, ...]
    ) -> Iterator[tuple[Effect, Poly, tuple[Expr, ...]]]:
        if load.name.rpartition("@")[0] != array:
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
                place = coordinates(index, layout, ())
                ranges = [interval(c, env, self.non_negative) for c in place]
            except (NoMapping, Unbounded):
                continue
            for (lows, highs), (low, high) in zip(out, ranges, strict=True):
                if low not in lows:
                    lows.append(low)
                if high not in highs:
                    highs.append(high)
            for (lows, highs), c in zip(out, place, strict=True):
                for end in _fixed_by(c, given, set(e.counters)):
                    lows += [end] if end not in lows else []
                    highs += [end] if end not in highs else []
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


@dataclass(frozen=True, slots=True)
class _Around:
    """The conditions on coordinates under which a part of an expression matters."""

    equal: Mapping[str, Poly] = field(default_factory=dict)
    """Coordinates that have one value only."""
    tests: tuple[Test, ...] = ()

    def chosen(self, condition: Expr, holds: bool, names: set[str]) -> _Around:
        """What is known in an arm of a choice; this object itself where that is no more than before."""
        equal = {**self.equal, **_equalities(condition, names)} if holds else self.equal
        tests = self.tests
        if mentions(condition, names):
            with contextlib.suppress(NotConcrete):
                test = compiled(condition)
                tests = (*tests, test if holds else lambda point: not test(point))
        return self if equal == self.equal and tests is self.tests else _Around(equal, tests)


@dataclass(slots=True)
class _Site:
    """One definition."""

    clamper: Clamper
    f: FuncSummary
    d: Definition
    funcs: Mapping[str, FuncSummary]
    points: list[list[Env]] = field(default_factory=list)

    def value(self) -> Expr:
        try:
            self.points = [self._points(env) for env in self.clamper.samples]
        except NotConcrete:
            return self.d.value
        return self._visit(self.d.value, _Around(), {})

    def _points(self, env: Env) -> list[Env]:
        """Points of the definition's domain, all or evenly spread with both ends."""
        names: list[str] = []
        ranges: list[Sequence[int]] = []
        for x in self.f.layout.dims:
            low = compiled_poly(x.min)(env)
            names.append(x.name)
            ranges.append(range(low, low + compiled_poly(x.extent)(env)))
        for r in self.d.rdom:
            names.append(r.name)
            ranges.append(range(compiled_poly(r.extent)(env)))
        while True:
            total = 1
            for one in ranges:
                total *= len(one)
            if total <= _MOST_POINTS:
                break
            longest = max(range(len(ranges)), key=lambda k: len(ranges[k]))
            ranges[longest] = sorted({*ranges[longest][::2], ranges[longest][-1]})
        return [{**env, **dict(zip(names, values, strict=True))} for values in itertools.product(*ranges)]

    def _visit(self, e: Expr, around: _Around, memo: dict[int, Expr]) -> Expr:
        """`e` with its reads clamped; `around`: what is known where `e` matters."""
        found = memo.get(id(e))
        if found is not None:
            return found
        if isinstance(e, Call) and e.call_type in (CallType.IMAGE, CallType.HALIDE):
            out: Expr = self._clamped(e, around)
        elif isinstance(e, Select):
            names = {x.name for x in self.f.layout.dims}
            arms = []
            for arm, holds in ((e.true_value, True), (e.false_value, False)):
                inner = around.chosen(e.condition, holds, names)
                arms.append(self._visit(arm, inner, memo if inner is around else {}))
            out = E.with_children(e, (self._visit(e.condition, around, memo), *arms))
        else:
            out = E.with_children(e, tuple(self._visit(c, around, memo) for c in E.children(e)))
        memo[id(e)] = out
        return out

    def _clamped(self, call: Call, around: _Around) -> Call:
        # Rather what is read than what lies between, and rather the same read where it does not matter too.
        for everywhere, between in itertools.product((True, False) if around.tests else (True,), (False, True)):
            allowed = self._allowed(call, between)
            if allowed is None:
                return call
            tests = () if everywhere else around.tests
            try:
                for base, variant in itertools.islice(self._variants(call, around.equal), _MOST_VARIANTS):
                    if self._suits(base, variant, allowed, tests):
                        return variant
            except (NotConcrete, ZeroDivisionError):
                return call  # a coordinate made of data
        return call

    def _suits(self, base: Call, variant: Call, allowed: Sequence[Allowed], tests: Sequence[Test]) -> bool:
        """Whether a read stays within what is allowed, and is the one of `base` wherever that is and `tests` hold."""
        before, after = ([compiled(a) for a in c.args] for c in (base, variant))
        for ok, here in zip(allowed, self.points, strict=True):
            for point in here:
                place = tuple(t(point) for t in after)
                if not ok(place, point):
                    return False
                wanted = tuple(t(point) for t in before)
                if wanted != place and ok(wanted, point) and all(test(point) for test in tests):
                    return False
        return True

    def _allowed(self, call: Call, between: bool) -> list[Allowed] | None:
        """For each sample, whether a place may be read; `between`: also one between elements that are."""
        if call.call_type is CallType.HALIDE:
            producer = self.funcs.get(call.name)
            if producer is None or producer.undefined:
                return None
            box = [
                (compiled_poly(x.min), compiled_poly(x.min + x.extent)) for x in producer.layout.dims
            ]

            def inside(place: tuple[int, ...], env: Env) -> bool:
                return all(low(env) <= p < high(env) for p, (low, high) in zip(place, box, strict=True))

            return [inside] * len(self.points)
        image = next((i for i in self.clamper.inputs.values() if i.name == call.name), None)
        if image is None or not image.layout.dims:
            return None
        places = self.clamper.read_by_original(image)
        if not any(p.coordinates for p in places):
            return None
        origin = compiled_poly(image.layout.offset)
        strides = [compiled_poly(x.stride) for x in image.layout.dims if x.stride is not None]

        def within(read: Places) -> Allowed:
            def test(place: tuple[int, ...], env: Env) -> bool:
                if place in read.coordinates or not between:
                    return place in read.coordinates
                at = origin(env) + sum(s(env) * p for s, p in zip(strides, place, strict=True))
                return read.first <= at <= read.last

            return test

        return [within(read) for read in places]

    def _variants(self, call: Call, equal: Mapping[str, Poly]) -> Iterator[tuple[Call, Call]]:
        """The read itself; over the coordinates that have a known value here; and both with coordinates clamped, as few
        as may be.  Each with what is clamped."""
        bases = [call.args]
        relative = tuple(_relative(a, equal) for a in call.args)
        if any(key(a) != key(b) for a, b in zip(relative, call.args, strict=True)):
            bases.append(relative)
        names = {x.name for x in self.f.layout.dims} | {r.name for r in self.d.rdom}
        ends = self._ends(call)
        choices: list[list[list[Ends]]] = []
        for args in bases:
            yield replace(call, args=args), replace(call, args=args)
            options: list[list[Ends]] = []
            for a, (lows, highs) in zip(args, ends, strict=True):
                mine: list[Ends] = [(None, None)]
                if mentions(a, names) and not any(isinstance(n, Call) for n in post_order(a)):
                    own_lows, own_highs = self._own_ends(a)
                    lo = [from_poly(p, I32) for p in dict.fromkeys([*own_lows, *lows])]
                    hi = [from_poly(p, I32) for p in dict.fromkeys([*own_highs, *highs])]
                    mine += [(None, h) for h in hi] + [(low, None) for low in lo]
                    mine += list(itertools.product(lo, hi))
                options.append(mine)
            choices.append(options)
        for count in range(1, len(call.args) + 1):
            for args, options in zip(bases, choices, strict=True):
                for chosen in itertools.product(*options):
                    if sum(low is not None or high is not None for low, high in chosen) == count:
                        held = tuple(_held(a, *c) for a, c in zip(args, chosen, strict=True))
                        yield replace(call, args=args), replace(call, args=held)

    def _own_ends(self, a: Expr) -> tuple[list[Poly], list[Poly]]:
        """The ends of the region of interest, for a neighbour along one of its dimensions."""
        p = to_poly(a)
        for x in self.f.layout.dims:
            if (p - Poly.variable(x.name, I32)).constant_value() is not None:
                return [x.min], [x.min + x.extent - Poly.constant(1)]
        return [], []

    def _ends(self, call: Call) -> list[tuple[list[Poly], list[Poly]]]:
        if call.call_type is CallType.HALIDE:
            dims = self.funcs[call.name].layout.dims
            return [([x.min], [x.min + x.extent - Poly.constant(1)]) for x in dims]
        image = next(i for i in self.clamper.inputs.values() if i.name == call.name)
        return self.clamper.ends(image.layout)


def _held(a: Expr, low: Expr | None, high: Expr | None) -> Expr:
    if high is not None:
        a = E.Min(I32, a, high)
    return a if low is None else E.Max(I32, a, low)


def _equalities(condition: Expr, names: set[str]) -> dict[str, Poly]:
    """Coordinates that have a value given by parameters wherever `condition` holds."""
    if isinstance(condition, E.And):
        return _equalities(condition.a, names) | _equalities(condition.b, names)
    if isinstance(condition, E.EQ):
        for a, b in ((condition.a, condition.b), (condition.b, condition.a)):
            if isinstance(a, E.Variable) and a.name in names and const_value(b) is None:
                return {a.name: to_poly(b)}
    return {}


def _relative(a: Expr, equal: Mapping[str, Poly]) -> Expr:
    """A coordinate in which what a dimension equals is written as that dimension: width/2*2 as 2*x where x is
    width/2."""
    p = to_poly(a)
    for name, value in equal.items():
        p = _solved(p, value, Poly.variable(name, I32))
    return from_poly(p, I32)


def _solved(p: Poly, value: Poly, x: Poly) -> Poly:
    """`p` with one of the atoms that `value` is a sum of replaced, so that `value` is `x`."""
    for monomial, coefficient in value.terms.items():
        if len(monomial) == 1 and coefficient in (1, -1):
            rest = value - Poly({monomial: coefficient})
            wanted = (x - rest).scale(coefficient)
            factor = p.terms.get(monomial)
            if factor:
                return p - Poly({monomial: factor}) + wanted.scale(factor)
    return p


__all__ = ["Clamper", "apart"]
