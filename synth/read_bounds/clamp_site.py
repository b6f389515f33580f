"""Which clamps one definition's reads need: tried at points of small runs."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Expr, Select, const_value
from halide_core.ir.structural import contains, key
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.algebra.symbolic_intervals import Unbounded, interval
from lifter.algebra.value_ranges import ranges
from lifter.ir.effects import Effect, loads
from lifter.ir.summary import Definition, EffectMap, FuncSummary, InputSummary
from synth.read_bounds.clamp_by_condition import reads_own_point
from synth.region.coordinates import NoMapping
from synth.region.row_coordinates import counters, image_coordinates
from synth.sampling.samples import Env, NotConcrete, compiled, compiled_poly, visited
from verifier.memory_states import mentions, sure_loads

if TYPE_CHECKING:
    from synth.read_bounds.clamp import Clamper
    from synth.read_bounds.original_reads import Places

Ends = tuple[Expr | None, Expr | None]
"""The least and the greatest coordinate, where it is clamped."""
Allowed = Callable[[tuple[int, ...], Env], bool]
"""Whether a place may be read, under given values of the parameters."""

Test = Callable[[Env], bool]
Numbers = npt.NDArray[np.int64]

_MOST_POINTS = 400
_MOST_VARIANTS = 400
# What a coordinate of an image may be over one of the Func's.
_FACTORS, _STEPS = (1, 2, 3, 4), (0, 1, -1)


@dataclass(frozen=True, slots=True)
class _Around:
    """The conditions on coordinates under which a part of an expression matters."""

    equal: Mapping[str, Poly] = field(default_factory=dict)
    """Coordinates that have one value only."""
    tests: tuple[Test, ...] = ()
    corner: Mapping[str, Poly] = field(default_factory=dict)
    """A place of several coordinates that an arm leaves out: the last pixel of the last row."""

    def chosen(self, condition: Expr, holds: bool, names: set[str]) -> _Around:
        """What is known in an arm of a choice; this object itself where that is no more than before."""
        equal = {**self.equal, **_equalities(condition, names)} if holds else self.equal
        tests = self.tests
        corner = self.corner
        if not holds and len(here := _equalities(condition, names)) > 1:
            corner = {**corner, **here}
        if mentions(condition, names):
            with contextlib.suppress(NotConcrete):
                test = compiled(condition)
                tests = (*tests, test if holds else lambda point: not test(point))
        same = equal == self.equal and tests is self.tests and corner == self.corner
        return self if same else _Around(equal, tests, corner)


@dataclass(slots=True)
class Site:
    """One definition."""

    clamper: Clamper
    f: FuncSummary
    d: Definition
    funcs: Mapping[str, FuncSummary]
    points: list[list[Env]] = field(default_factory=list)
    known: dict[int, Numbers] = field(default_factory=dict)
    """Expressions at all points of all samples."""
    ways: dict[tuple[object, ...], list[Ends]] = field(default_factory=dict)
    """How to clamp a coordinate of an image."""
    masked: dict[str, list[dict[tuple[int, ...], set[tuple[int, ...]]]]] = field(default_factory=dict)
    known_spans: dict[str, list[tuple[Numbers, Numbers]]] = field(default_factory=dict)
    plain: dict[int, bool] = field(default_factory=dict)
    """Reads that were asked whether they may stay as they are."""

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
            own = self.d.where is not None and reads_own_point(e, self.f, self.d)
            out: Expr = e if own else self._clamped(e, around)
        elif isinstance(e, Select):
            names = self._names()
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
        box = self._box(call) if call.call_type is CallType.IMAGE else None
        if box is not None:
            return replace(call, args=tuple(self._inside(a, *ends) for a, ends in zip(call.args, box, strict=True)))
        if (call.call_type is CallType.HALIDE and self._is_inside(call)) or self._as_it_stands(call):
            return call
        # Rather what is read than what lies between, and rather the same read where it does not matter too.
        for everywhere, between in itertools.product((True, False) if around.tests else (True,), (False, True)):
            allowed = self._allowed(call, between)
            if allowed is None:
                return call
            tests = () if everywhere else around.tests
            try:
                spans = None if between else self._spans(call)
                for base, variant in itertools.islice(self._variants(call, around, spans), _MOST_VARIANTS):
                    if self._suits(base, variant, allowed, tests):
                        return variant
            except (NotConcrete, ZeroDivisionError):
                return call  # a coordinate made of data
        return call

    def _as_it_stands(self, call: Call) -> bool:
        """Whether a read stays within what is allowed at all points: many are made in several arms of choices."""
        if key(call) not in self.plain:
            allowed = self._allowed(call, False)
            try:
                self.plain[key(call)] = allowed is not None and self._suits(call, call, allowed, ())
            except (NotConcrete, ZeroDivisionError):
                self.plain[key(call)] = False
        return self.plain[key(call)]

    def _is_inside(self, call: Call) -> bool:
        """Whether all points read elements of an earlier Func that are there."""
        if self._box(call) is None or any(_made_of_data(a) for a in call.args):
            return False
        with contextlib.suppress(NotConcrete, ZeroDivisionError):
            places = zip(map(self._at_points, call.args), self._spans(call), strict=True)
            return all(bool(((low <= a) & (a <= high)).all()) for a, (low, high) in places)
        return False

    def _inside(self, a: Expr, low: Poly, high: Poly) -> Expr:
        """A coordinate of a constant table, clamped unless it is plain to see that it lies inside: small runs do not
        tell how large it may be where the element does not matter."""
        one = Poly.constant(1)
        env = {x.name: (x.min, x.min + x.extent - one) for x in self.f.layout.dims}
        env |= {r.name: (Poly(), r.extent - one) for r in self.d.rdom}
        non_negative = self.clamper.non_negative
        by_type = ranges(a, {})[id(a)]
        if low.constant_value() == 0 and by_type[0] >= 0 and non_negative(high - Poly.constant(by_type[1])):
            return a
        try:
            least, most = interval(to_poly(a), env, non_negative)
        except Unbounded:
            least, most = low - one, high + one
        first = None if non_negative(least - low) else from_poly(low, I32)
        last = None if non_negative(high - most) else from_poly(high, I32)
        return _held(a, first, last)

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
        known = self._box(call)
        if known is not None:
            box = [(compiled_poly(low), compiled_poly(high)) for low, high in known]

            def inside(place: tuple[int, ...], env: Env) -> bool:
                return all(low(env) <= p <= high(env) for p, (low, high) in zip(place, box, strict=True))

            return [inside] * len(self.points)
        if call.call_type is CallType.HALIDE:
            return None
        image = next((i for i in self.clamper.inputs.values() if i.name == call.name), None)
        if image is None or not image.layout.dims:
            return None
        places, by_point = self.clamper.read_by_original(image), self._up_to_data(image)
        if not any(p.coordinates for p in places) and not any(by_point):
            return None
        origin = compiled_poly(image.layout.offset)
        strides = [compiled_poly(x.stride) for x in image.layout.dims if x.stride is not None]

        def within(read: Places, at_points: Mapping[tuple[int, ...], set[tuple[int, ...]]]) -> Allowed:
            def test(place: tuple[int, ...], env: Env) -> bool:
                if place in read.coordinates:
                    return True
                if at_points and place in at_points.get(tuple(env[x.name] for x in self.f.layout.dims), ()):
                    return True
                if not between:
                    return False
                at = origin(env) + sum(s(env) * p for s, p in zip(strides, place, strict=True))
                return read.first <= at <= read.last

            return test

        return list(map(within, places, by_point))

    def _up_to_data(self, image: InputSummary) -> list[dict[tuple[int, ...], set[tuple[int, ...]]]]:
        """For each sample and each point the places of an image that the iteration which makes it reads where the data
        let it: under a mask."""
        if image.name not in self.masked:
            found: list[dict[tuple[int, ...], set[tuple[int, ...]]]] = [{} for _ in self.points]
            self.masked[image.name] = found
            effects = {e.order: e for e in self.clamper.path.effects}
            for m in () if self.d.rdom else self.d.maps:
                e = effects[m.order]
                sure = {key(load) for load, _ in sure_loads(e.value)}
                if e.guard is not None and loads(e.guard):
                    e, sure = replace(e, guard=None), set()
                for load, given in sure_loads(e.value, lambda _: True):
                    if key(load) in sure:
                        continue
                    for _, index, _ in self.clamper.as_given(load, image.layout.array, e, ()):
                        with contextlib.suppress(NoMapping, NotConcrete):
                            place = image_coordinates(
                                index, image.layout, counters(e.loops), self.clamper.follows
                            )
                            self._note(found, e, m, place, given)
        return self.masked[image.name]

    def _note(
        self,
        found: list[dict[tuple[int, ...], set[tuple[int, ...]]]],
        e: Effect,
        m: EffectMap,
        place: tuple[Poly, ...],
        given: tuple[Expr, ...],
    ) -> None:
        tests = [compiled(c) for c in given]
        at, read = [compiled_poly(c) for c in m.coords], [compiled_poly(c) for c in place]
        for into, env in zip(found, self.clamper.samples, strict=True):
            for here in visited(e, env):
                if all(test(here) for test in tests):
                    into.setdefault(tuple(c(here) for c in at), set()).add(tuple(c(here) for c in read))

    def _box(self, call: Call) -> list[tuple[Poly, Poly]] | None:
        """The first and the last coordinates of what may be read throughout: an earlier Func, a constant table."""
        if call.call_type is CallType.IMAGE:
            array = next((i.layout.array for i in self.clamper.inputs.values() if i.name == call.name), "")
            size = self.clamper.tables.get(array)
            return [(Poly(), Poly.constant(size - 1))] if size and len(call.args) == 1 else None
        own = call.name == self.f.name
        producer = self.f if own else self.funcs.get(call.name)
        if producer is None or (producer.undefined and not own):
            return None
        return [(x.min, x.min + x.extent - Poly.constant(1)) for x in producer.layout.dims]

    def _spans(self, call: Call) -> list[tuple[Numbers, Numbers]]:
        """For each coordinate of a read the least and the greatest that is allowed, at each point."""
        if call.name not in self.known_spans:
            self.known_spans[call.name] = self._found_spans(call)
        return self.known_spans[call.name]

    def _found_spans(self, call: Call) -> list[tuple[Numbers, Numbers]]:
        many = [len(here) for here in self.points]
        box = self._box(call)
        if box is not None:
            return [(self._at_points(from_poly(a)), self._at_points(from_poly(b))) for a, b in box]
        image = next(i for i in self.clamper.inputs.values() if i.name == call.name)
        read = zip(self.clamper.read_by_original(image), self._up_to_data(image), strict=True)
        found = [zip(*p.coordinates.union(*at_points.values()), strict=True) for p, at_points in read]
        spans = [[(min(c), max(c)) for c in one] or [(1, 0)] * len(call.args) for one in found]
        return [
            (np.repeat([s[k][0] for s in spans], many), np.repeat([s[k][1] for s in spans], many))
            for k in range(len(call.args))
        ]

    def _at_points(self, e: Expr) -> Numbers:
        number = key(e)
        if number not in self.known:
            value = compiled(e)
            if mentions(e, self._names()):
                self.known[number] = np.array([value(point) for here in self.points for point in here], np.int64)
            else:
                once = np.array([value(here[0]) if here else 0 for here in self.points], np.int64)
                self.known[number] = np.repeat(once, [len(here) for here in self.points])
        return self.known[number]

    def _names(self) -> set[str]:
        return {x.name for x in self.f.layout.dims} | {r.name for r in self.d.rdom}

    def _distinct(self, a: Expr, options: Sequence[Ends], span: tuple[Numbers, Numbers] | None) -> list[Ends]:
        """The ways to clamp a coordinate that differ at some point, and stay within its span."""
        plain = self._at_points(a)
        ends = {key(e): self._at_points(e) for option in options for e in option if e is not None}
        out: dict[bytes, Ends] = {}
        for low, high in options:
            held = plain if high is None else np.minimum(plain, ends[key(high)])
            held = held if low is None else np.maximum(held, ends[key(low)])
            if span is None or bool(((held >= span[0]) & (held <= span[1])).all()):
                out.setdefault(held.tobytes(), (low, high))
        return list(out.values())

    def _variants(
        self, call: Call, around: _Around, spans: Sequence[tuple[Numbers, Numbers]] | None
    ) -> Iterator[tuple[Call, Call]]:
        """The read itself; over the coordinates that have a known value here; and both with coordinates clamped, as few
        as may be.  Each with what is clamped."""
        bases = [call.args]
        relative = tuple(_relative(a, around.equal) for a in call.args)
        if all(key(a) == key(b) for a, b in zip(relative, call.args, strict=True)):
            relative = self._over_known(call.args, around)
        if any(key(a) != key(b) for a, b in zip(relative, call.args, strict=True)):
            bases.append(relative)
        names, ends = self._names(), self._ends(call)
        choices: list[list[list[Ends]]] = []
        for args in bases:
            yield replace(call, args=args), replace(call, args=args)
            options: list[list[Ends]] = []
            for k, (a, (lows, highs)) in enumerate(zip(args, ends, strict=True)):
                asked = (call.name, k, key(a), spans is None, *sorted(around.corner))
                mine: list[Ends] = self.ways.get(asked, [(None, None)])
                if asked not in self.ways and mentions(a, names) and not _made_of_data(a):
                    own_lows, own_highs = self._own_ends(a)
                    lo = [from_poly(p, I32) for p in dict.fromkeys([*own_lows, *lows])]
                    hi = [from_poly(p, I32) for p in dict.fromkeys([*own_highs, *highs])]
                    inner = {x.name for x in self.f.layout.dims[: k + 1]}
                    rows = {n: p for n, p in around.corner.items() if n not in inner and not mentions(a, {n})}
                    lo += _of_rows(lo, rows)
                    hi += _of_rows(hi, rows)
                    mine += [(None, h) for h in hi] + [(low, None) for low in lo]
                    mine += list(itertools.product(lo, hi))
                    mine = self._distinct(a, mine, spans[k] if spans is not None else None)
                self.ways[asked] = mine
                options.append(mine)
            choices.append(options)
        for count in range(1, len(call.args) + 1):
            for args, options in zip(bases, choices, strict=True):
                for chosen in itertools.product(*options):
                    if sum(low is not None or high is not None for low, high in chosen) == count:
                        held = tuple(_held(a, *c) for a, c in zip(args, chosen, strict=True))
                        yield replace(call, args=args), replace(call, args=held)

    def _over_known(self, args: tuple[Expr, ...], around: _Around) -> tuple[Expr, ...]:
        """Coordinates that parameters alone give, over a coordinate that has a known value here, where small runs show
        that they are a multiple of it: width/2*2 as 2*x in the last column, where width is odd."""
        if not around.equal:
            return args
        here = np.array([all(t(point) for t in around.tests) for one in self.points for point in one])
        if not here.any():
            return args
        out = []
        for a in args:
            fixed = const_value(a) is None and not mentions(a, self._names()) and not _made_of_data(a)
            forms = itertools.product(sorted(around.equal), _FACTORS, _STEPS) if fixed else ()
            over = (from_poly(Poly.variable(n, I32).scale(k) + Poly.constant(b), I32) for n, k, b in forms)
            same = (e for e in over if bool((self._at_points(e) == self._at_points(a))[here].all()))
            out.append(next(same, a))
        return tuple(out)

    def _own_ends(self, a: Expr) -> tuple[list[Poly], list[Poly]]:
        """The ends of the region of interest, for a neighbour along one of its dimensions."""
        p = to_poly(a)
        for x in self.f.layout.dims:
            if (p - Poly.variable(x.name, I32)).constant_value() is not None:
                return [x.min], [x.min + x.extent - Poly.constant(1)]
        return [], []

    def _ends(self, call: Call) -> list[tuple[list[Poly], list[Poly]]]:
        box = self._box(call)
        if box is not None:
            return [([low], [high]) for low, high in box]
        image = next(i for i in self.clamper.inputs.values() if i.name == call.name)
        return self.clamper.ends(image.layout)


def _of_rows(ends: Sequence[Expr], rows: Mapping[str, Poly]) -> list[Expr]:
    """Ends of a coordinate that are others in some row than elsewhere."""
    tests = [E.EQ(E.BOOL, E.Variable(I32, name), from_poly(at, I32)) for name, at in sorted(rows.items())]
    return [Select(I32, test, here, other) for test in tests for here, other in itertools.permutations(ends, 2)]


def _made_of_data(e: Expr) -> bool:
    return contains(e, Call)


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
