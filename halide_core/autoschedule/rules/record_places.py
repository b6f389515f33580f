"""Places of extremes, found in vectors.

    most(x) = a; most(r + 1) = max(most(r), e(r)); where() = b; where() = select(e(r) > most(r), v(r), where())

walks along all values one after the other, and keeps a running maximum of each.  The last step at which a value is
greater than all before it is the first one that has the greatest value of all, so that it becomes

    top() = a; top() = max(top(), e(r))
    first() = a large number; first() = min(first(), select(e(r) == top(), r, first()))
    where() = select(top() > a, v(first()), b)

which are reductions in any order.  The same for minima, along two dimensions, and for each of some rows.  Floats are
compared as they were: a value that is no number is never greater, and where `a` is none nothing is; of two zeros none
is, and only which of them it is would be lost, so that `top` serves comparisons alone.  Their maxima are taken lane by
lane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from halide_core.dsl.variables import DOMAINS
from halide_core.function import Definition, Dim, Function, LoopLevel, ReductionDomain, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, Call, CallType, Expr, Variable, const
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, key, nodes, substitute, variables
from halide_core.ir.sums import difference, linear_terms
from halide_core.passes.realization_order import definition_expressions

_LANES = 8
"""Maxima of floats that are taken side by side."""


def find_record_places(order: list[Function], outputs: list[Function]) -> None:
    """Rewrites such Funcs of `order` where nothing else reads the running extremes."""
    holding = {level.func for g in order for level in (g.compute, g.store) if level is not None}
    for f in (f for f in order if f not in outputs):
        records = _records(f)
        readers = [g for g in order if g is not f and any(True for _ in _reads(g, f))]
        # In whose loops others are computed keeps them.
        if records is None or not readers or any(g.name in holding for g in (f, *readers)):
            continue
        found = [_place(g, records) for g in readers]
        if all(found):
            maker = _Maker(records)
            for place in found:
                assert place is not None
                maker.rewrite(place)


@dataclass(frozen=True, slots=True)
class _Records:
    """A Func that holds running extremes: `function`(..., at + 1, ...) is the `greater` of its element at `at` and
    `value`, or the less; `along`: the dimension of these elements, `start` what the first one is."""

    function: Function
    along: int
    at: Expr
    value: Expr
    start: Expr
    greater: bool
    domain: ReductionDomain

    @property
    def names(self) -> list[str]:
        return [n for n, _, _ in self.domain.variables]

    def beats(self, a: Expr, b: Expr) -> Expr:
        return ir.GT(BOOL, a, b) if self.greater else ir.LT(BOOL, a, b)


@dataclass(frozen=True, slots=True)
class _Place:
    """A Func whose one update keeps `what` of the last step that set a record, by the domain of the records;
    `elements`: which running extremes, but for the place along them."""

    function: Function
    what: Expr
    elements: tuple[Expr, ...]


def _reads(g: Function, f: Function) -> Iterator[Call]:
    """Calls of `f` in the definitions of `g`."""
    for d in g.definitions():
        for e in definition_expressions(d):
            yield from (n for n in nodes(e, Call) if n.target is f)


def _plain_update(f: Function) -> Definition | None:
    """The one update of a Func of one value that has nothing but definitions."""
    if f.pure is None or f.extern is not None or len(f.updates) != 1 or len(f.types) != 1:
        return None
    d = f.updates[0]
    plain = d.domain is not None and not d.domain.predicates and 1 <= len(d.domain.variables) <= 2
    return d if plain and not d.schedule.splits and not f.pure.schedule.splits else None


def _records(f: Function) -> _Records | None:
    d = _plain_update(f)
    if d is None or d.domain is None or f.pure is None or not f.types[0].is_scalar() or f.types[0].is_bool():
        return None
    found = _kept(d.values[0], f)
    moved = [k for k, (a, n) in enumerate(zip(d.args, f.args, strict=True)) if not _is_named(a, n)]
    if found is None or len(moved) != 1 or f.args[moved[0]] in variables(f.pure.values[0]):
        return None
    value, before, greater = found
    k = moved[0]
    others = all(_is_named(a, n) for j, (a, n) in enumerate(zip(before.args, f.args, strict=True)) if j != k)
    at = before.args[k]
    steps = others and difference(d.args[k], at) == 1 and _counts(at, d.domain)
    if not steps or any(n.target is f for n in nodes(value, Call)) or f.args[k] in variables(value):
        return None
    return _Records(f, k, at, value, f.pure.values[0], greater, d.domain)


def _is_named(e: Expr, name: str) -> bool:
    return isinstance(e, Variable) and e.name == name


def _kept(e: Expr, f: Function) -> tuple[Expr, Call, bool] | None:
    """(value, running extreme, whether the greater one is kept) of max(f(..), value), of min, and of a choice of the
    value where it is the greater or the lesser one."""
    if isinstance(e, ir.Min | ir.Max) and not e.type.is_float():
        for mine, other in ((e.a, e.b), (e.b, e.a)):
            if isinstance(mine, Call) and mine.target is f:
                return other, mine, isinstance(e, ir.Max)
    if isinstance(e, ir.Select) and isinstance(e.false_value, Call) and e.false_value.target is f:
        greater = _beaten(e.condition, e.true_value, e.false_value)
        return None if greater is None else (e.true_value, e.false_value, greater)
    return None


def _beaten(condition: Expr, value: Expr, before: Expr) -> bool | None:
    """True for value > before, False for value < before, None for what is neither."""
    if not isinstance(condition, ir.LT | ir.GT):
        return None
    sides = key(condition.a), key(condition.b)
    if sides not in ((key(value), key(before)), (key(before), key(value))):
        return None
    return isinstance(condition, ir.GT) == (sides[0] == key(value))


def _counts(at: Expr, domain: ReductionDomain) -> bool:
    """Whether `at` goes up by one from step to step of the domain, whose first variable is the innermost."""
    names = {n for n, _, _ in domain.variables}
    left = [linear_terms(simplify(at - p))[0] for p in (_position(domain), _position(domain, turned=True))]
    return any(not any(variables(t) & names for t, _ in terms.values()) for terms in left)


def _position(domain: ReductionDomain, turned: bool = False) -> Expr:
    """How many steps of the domain come before one, but for what is the same for all; `turned`: the factors of products
    the other way round, which terms of sums are told apart by."""
    total: Expr = const(0, I32)
    for name, _, extent in reversed(domain.variables):
        total = (extent * total if turned else total * extent) + Variable(I32, name)
    return simplify(total)


def _place(g: Function, records: _Records) -> _Place | None:
    """What `g` keeps of records, where that is all that it reads of their Func."""
    d = _plain_update(g)
    if d is None or d.domain is None or not all(_is_named(a, n) for a, n in zip(d.args, g.args, strict=True)):
        return None
    chosen, ours = d.values[0], records.domain.variables
    if not isinstance(chosen, ir.Select) or len(d.domain.variables) != len(ours):
        return None
    mine = {n: Variable(I32, own) for (n, _, _), (own, _, _) in zip(d.domain.variables, ours, strict=True)}
    kept = chosen.false_value
    own = isinstance(kept, Call) and kept.target is g and all(
        _is_named(a, n) for a, n in zip(kept.args, g.args, strict=True)
    )
    calls = list(_reads(g, records.function))
    if not own or not calls or len({key(c) for c in calls}) != 1:
        return None
    before, what = calls[0], substitute(chosen.true_value, mine)
    at = simplify(substitute(before.args[records.along], mine))
    elements = tuple(a for k, a in enumerate(before.args) if k != records.along)
    names = [a for k, a in enumerate(records.function.args) if k != records.along]
    value = substitute(records.value, dict(zip(names, elements, strict=True)))
    same = _same_ranges(d.domain, records.domain) and difference(at, records.at) == 0
    same = same and _beaten(substitute(chosen.condition, mine), value, substitute(before, mine)) is records.greater
    free = not any(variables(a) & set(records.names) or contains(a, Call) for a in elements)
    inside = not contains(what, Call) and not contains(what, ir.Load)
    return _Place(g, what, elements) if same and free and inside else None


def _same_ranges(a: ReductionDomain, b: ReductionDomain) -> bool:
    ends = [[(key(simplify(low)), key(simplify(n))) for _, low, n in domain.variables] for domain in (a, b)]
    return ends[0] == ends[1]


class _Maker:
    """Makes what the places of some records are computed of."""

    def __init__(self, records: _Records) -> None:
        self.records = records
        self.name = records.function.name
        self.args = [a for k, a in enumerate(records.function.args) if k != records.along]
        self.top = self._extreme()
        self.first = self._first()

    def rewrite(self, place: _Place) -> None:
        """Has the Func of a place choose by the first step that has the extreme of all."""
        g, records = place.function, self.records
        assert g.pure is not None
        made = self.top, self.first
        top, position = (Call(f.types[0], f.name, place.elements, CallType.HALIDE, 0, f) for f in made)
        bound: dict[str, Expr] = {}
        left: Expr = position
        for k, (name, low, extent) in enumerate(records.domain.variables):
            last = k == len(records.domain.variables) - 1
            bound[name] = low + (left if last else ir.Mod(I32, left, extent))
            left = ir.Div(I32, left, extent)
        start = substitute(records.start, dict(zip(self.args, place.elements, strict=True)))
        value = ir.Select(g.types[0], records.beats(top, start), substitute(place.what, bound), g.pure.values[0])
        g.pure = Definition(g.pure.args, (value,), g.pure.schedule)
        g.updates = []

    def _variables(self) -> tuple[Expr, ...]:
        return tuple(Variable(I32, a) for a in self.args)

    def _made(self, suffix: str, args: list[str], start: Expr) -> Function:
        """A Func at the root with a pure definition."""
        f = Function(f"{self.name}${suffix}")
        f.args = tuple(args)
        f.storage_order = list(args)
        f.pure = Definition(
            tuple(Variable(I32, a) for a in args), (start,), StageSchedule([Dim(a) for a in args])
        )
        f.compute = f.store = LoopLevel()
        return f

    def _domain(self, suffix: str, ranges: list[tuple[str, Expr, Expr]]) -> tuple[ReductionDomain, Mapping[str, Expr]]:
        """A domain over `ranges`, and its variables by the names that these had."""
        new = {n: f"{n}${self.name}${suffix}" for n, _, _ in ranges}
        domain = ReductionDomain(f"{self.name}${suffix}$dom", tuple((new[n], low, e) for n, low, e in ranges), [])
        DOMAINS.update(dict.fromkeys(new.values(), domain))
        return domain, {n: Variable(I32, new[n]) for n in new}

    def _update(self, f: Function, args: tuple[Expr, ...], value: Expr, domain: ReductionDomain) -> None:
        pure = [a.name for a in args if isinstance(a, Variable)]
        dims = [Dim(n) for n, _, _ in domain.variables] + [Dim(n) for n in pure]
        f.updates.append(Definition(args, (value,), StageSchedule(dims), domain))

    def _better(self, value: Expr, before: Expr) -> Expr:
        """The value where it sets a record, else what was there before."""
        if not value.type.is_float():
            return (ir.Max if self.records.greater else ir.Min)(value.type, before, value)
        return ir.Select(value.type, self.records.beats(value, before), value, before)

    def _extreme(self) -> Function:
        records, args = self.records, self._variables()
        f = self._made("most", self.args, records.start)
        own = Call(records.value.type, f.name, args, CallType.HALIDE, 0, f)
        ranges = list(records.domain.variables)
        if not records.value.type.is_float():
            domain, renamed = self._domain("most", ranges)
            self._update(f, args, self._better(substitute(records.value, renamed), own), domain)
            return f
        inner, low, extent = ranges[0]
        blocks = simplify(ir.Div(I32, ir.Max(I32, extent, const(0, I32)), const(_LANES, I32)))
        lanes = self._lanes(ranges, blocks)
        domain, renamed = self._domain("lane", [("lane", const(0, I32), const(_LANES, I32))])
        lane = Call(own.type, lanes.name, (renamed["lane"], *args), CallType.HALIDE, 0, lanes)
        self._update(f, args, self._better(lane, own), domain)
        done = simplify(blocks * _LANES)
        domain, renamed = self._domain("rest", [(inner, low + done, simplify(extent - done)), *ranges[1:]])
        self._update(f, args, self._better(substitute(records.value, renamed), own), domain)
        return f

    def _lanes(self, ranges: list[tuple[str, Expr, Expr]], blocks: Expr) -> Function:
        """The extremes of every so many values, of as many as whole blocks hold."""
        records, (inner, low, _) = self.records, ranges[0]
        lane = f"lane${self.name}"
        f = self._made("lanes", [lane, *self.args], records.start)
        f.bounds[lane] = const(0, I32), const(_LANES, I32)
        domain, renamed = self._domain("block", [(inner, const(0, I32), blocks), *ranges[1:]])
        place = Variable(I32, lane) + renamed[inner] * _LANES + low
        value = substitute(records.value, {**renamed, inner: place})
        args = (Variable(I32, lane), *self._variables())
        own = Call(value.type, f.name, args, CallType.HALIDE, 0, f)
        self._update(f, args, self._better(value, own), domain)
        return f

    def _first(self) -> Function:
        records, args = self.records, self._variables()
        f = self._made("first", self.args, const(I32.max(), I32))
        domain, renamed = self._domain("first", list(records.domain.variables))
        from_zero = {n: Variable(I32, n) - low for n, low, _ in records.domain.variables}
        position = simplify(substitute(_position(records.domain), from_zero))
        own = Call(I32, f.name, args, CallType.HALIDE, 0, f)
        top = Call(records.value.type, self.top.name, args, CallType.HALIDE, 0, self.top)
        found = ir.EQ(BOOL, records.value, top)
        step = ir.Select(I32, found, position, const(I32.max(), I32))
        self._update(f, args, ir.Min(I32, own, substitute(step, renamed)), domain)
        return f
