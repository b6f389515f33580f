"""The verification conditions of one path of a summary (DESIGN section 4): quantifier-free, over symbolic counters."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from halide_core.ir.expr import (
    BOOL,
    GE,
    I32,
    I64,
    LT,
    And,
    Call,
    CallType,
    Expr,
    Load,
    Or,
    Select,
    Variable,
    children,
    const,
    const_value,
    with_children,
)
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.types import Type
from lifter.effects import Effect, LoopInfo, Path, loads
from lifter.fold import conjunction, fold, negate
from lifter.loops import Function
from lifter.poly import Obligation, Poly, floor_div, from_poly, poly_text, to_poly
from lifter.pure_calls import inline_all, inline_call
from lifter.summary import Definition, EffectMap, FuncSummary, InputSummary, Layout, PathSummary
from verifier.lemmas import apply_steps, decide_lemma, lemma_query, same_exactly
from verifier.normal import normal_form
from verifier.reads import Group, Unresolved, conditions_over, meeting, mentions, see, sure_loads, unconditional_loads
from verifier.replay import differs
from verifier.smt import Answer, IndexEncoder, Proved, Query, ValueEncoder, prove


@dataclass(frozen=True, slots=True)
class Condition:
    """One verification condition.  `query` is None where normalisation of polynomials has decided it already;
    `holds` is then the decision."""

    stage: str
    name: str
    text: str
    query: Query | None = None
    holds: bool = False
    text_query: str | None = None
    decided: Answer | None = None
    """The answer, where the same question has been decided in this process already."""
    line: int = 0
    replay: Callable[[Mapping[str, int]], bool] | None = None
    """Whether a counterexample, evaluated, really refutes the condition."""
    names: tuple[tuple[str, str], ...] = ()
    """(symbol, name in the source) of what a counterexample should show."""

    def portable(self, with_text: bool) -> Condition:
        """The same without solver objects; the query as SMT-LIB text if asked."""
        return replace(self, query=None, decided=None, replay=None, text_query=self.smt2() if with_text else None)

    def smt2(self) -> str | None:
        """SMT-LIB 2 text that asserts the negation; None where no solver was needed."""
        return self.query.smt2() if self.query is not None else self.text_query


def groups_of(summary: PathSummary, path: Path) -> list[Group]:
    """The groups of effects that the Funcs of a summary account for."""
    by_order = {e.order: e for e in path.effects}
    groups = []
    for f in summary.funcs:
        count = sum(d.stride is None for d in f.layout.dims)
        orders = frozenset(f.orders())
        first = by_order[min(orders)] if orders else None
        private = first.counters[:count] if first is not None else ()
        updates = frozenset(m.order for d in f.definitions if d.update for m in d.maps)
        groups.append(Group(f.name, f.layout.array, orders, private, updates))
    return groups


class PathConditions:
    """Generates the conditions for one path."""

    def __init__(self, function: Function, path: Path, summary: PathSummary) -> None:
        self.function = function
        self.path = path
        self.summary = summary
        self.index = IndexEncoder()
        self.groups = groups_of(summary, path)
        self.by_order = {e.order: e for e in path.effects}
        self.out: list[Condition] = []
        self._keyed: dict[tuple[int, int | None], Expr] = {}
        self._sure: dict[tuple[int, str], list[tuple[Poly, tuple[Expr, ...]]]] = {}
        stated = [i.condition for i in summary.contract if i.condition is not None]
        self.contract = [self.index.expr(c) for c in (*stated, *summary.conditions) if self.index.faithful(c)]
        self.contract += [
            self.index.poly(i.bound) <= (1 << 62 if "int64" in i.text else 1 << 30)
            for i in summary.contract
            if i.bound is not None
        ]
        plain = [i.condition for i in summary.contract if i.condition is not None and i.kind != "overflow"]
        self.plain = [self.index.expr(c) for c in (*plain, *summary.conditions) if self.index.faithful(c)]
        self.known = plain

    def generate(self) -> list[Condition]:
        """All conditions; a structural misfit is a condition that does not hold, with the reason."""
        self.structure()
        self.loops()
        self.obligations()
        for f in self.summary.funcs:
            self.layout(f)
            for d in f.definitions:
                self.definition(f, d)
        self.result()
        return self.out

    # Helpers.

    def add(self, stage: str, name: str, text: str, assumptions: list[Any], goal: Any, line: int = 0) -> None:
        query = Query((*self.contract, *self.index.facts, *assumptions), goal)
        shown = [(p.name, p.name) for p in self.function.params if not p.pointer]
        shown += [(loop.counter, loop.variable) for loop, _, _ in self.path.trips if loop.variable]
        self.out.append(Condition(stage, name, text, query, line=line, names=tuple(shown)))

    def say(self, text: str, site: Effect | None) -> str:
        """`text` with iteration counters under the names of the source's loop variables."""
        for loop in sorted(site.loops if site is not None else (), key=lambda x: -len(x.counter)):
            text = text.replace(loop.counter, loop.variable or f"iteration{loop.counter.removeprefix('k.')}")
        return text

    def decide(self, stage: str, name: str, text: str, holds: bool) -> None:
        self.out.append(Condition(stage, name, text, None, holds))

    def domain(self, loops: tuple[LoopInfo, ...], rename: Mapping[str, Poly] | None = None) -> list[Any]:
        """0 <= counter < trip for each loop, counters renamed."""
        rename = rename or {}
        out = []
        for loop in loops:
            k = rename.get(loop.counter, Poly.variable(loop.counter, I32))
            trip = loop.trip.substitute(rename)
            out.append(self.index.poly(k) >= 0)
            out.append(self.index.poly(k) < self.index.poly(trip))
        return out

    def assume(self, condition: Expr | None) -> list[Any]:
        """A condition as an assumption, where it means over Z what it means in C++."""
        if condition is None or loads(condition) or not self.index.faithful(condition):
            return []
        return [self.index.expr(condition)]

    def guard(self, e: Effect, m: EffectMap | None, rename: Mapping[str, Poly] | None = None) -> list[Any]:
        if e.guard is None or (m is not None and m.guard_in_value):
            return []
        guard = e.guard
        if rename:
            guard = substitute(guard, {n: from_poly(p, I32) for n, p in rename.items()})
        if not self.index.faithful(guard):
            return [self.index.any_of([])] if rename else []
        return [self.index.expr(guard)]

    # Conditions on the shape of the summary.

    def structure(self) -> None:
        seen: dict[int, str] = {}
        for f in self.summary.funcs:
            for d in f.definitions:
                for m in d.maps:
                    e = self.by_order.get(m.order)
                    fits = (
                        e is not None
                        and m.order not in seen
                        and e.array == f.layout.array
                        and len(m.coords) == len(f.layout.dims)
                        and len(m.rvars) == len(d.rdom)
                        and f.type == e.value.type
                    )
                    seen[m.order] = f.name
                    self.decide(f.name, "accounts", f"{f.name} accounts for line {e.line if e else '?'}", fits)
        outputs = {p.name for p in self.function.params if p.pointer}
        for e in self.path.effects:
            if e.order not in seen and e.array in outputs:
                self.decide(e.array, "nothing-else", f"the store in line {e.line} is in the summary", False)
        last: dict[str, str] = {}
        for g in sorted((g for g in self.groups if g.orders), key=lambda g: max(g.orders)):
            last[g.array] = g.name
        self.overwritten(outputs)
        for f in self.summary.funcs:
            is_output = f.layout.array in outputs
            self.decide(f.name, "output", f"{f.name} is an output", f.output == is_output or not is_output)
            if f.layout.array in outputs:
                self.decide(
                    f.name,
                    "observable",
                    f"{f.name} has a place in memory for each point",
                    all(d.stride is not None for d in f.layout.dims),
                )
            names = [d.name for d in f.layout.dims]
            self.decide(f.name, "dimensions", "the dimensions have distinct names", len(set(names)) == len(names))

    def overwritten(self, outputs: set[str]) -> None:
        """Of several Funcs on one array the caller sees the last: it must cover all that the ones before it wrote."""
        for earlier, later in itertools.combinations(self.summary.funcs, 2):
            a, b = earlier.layout, later.layout
            if a.array != b.array or a.array not in outputs:
                continue
            alike = a.offset == b.offset and [d.stride for d in a.dims] == [d.stride for d in b.dims]
            self.decide(
                later.name, "overwrites", f"{later.name} lies where {earlier.name} lay", alike and not later.undefined
            )
            if not alike:
                continue
            for one, two in zip(a.dims, b.dims, strict=True):
                first, last = self.index.poly(one.min), self.index.poly(one.min + one.extent)
                start, end = self.index.poly(two.min), self.index.poly(two.min + two.extent)
                self.add(
                    later.name,
                    "overwrites",
                    f"{later.name} covers {earlier.name} along {one.name}",
                    [],
                    self.index.all_of([start <= first, last <= end]),
                )

    def loops(self) -> None:
        """Each loop runs exactly as often as its trip count says."""
        for info, around, guard in self.path.trips:
            assumptions = self.domain(around)
            assumptions += self.assume(guard)
            where = f"line {info.line}"
            trip = self.index.poly(info.trip)
            self.add(
                "loops", "trip", f"{where}: {poly_text(info.trip)} iterations are not negative", assumptions, trip >= 0
            )
            self.add(
                "loops",
                "fits",
                f"{where}: {poly_text(info.trip)} iterations fit 32-bit coordinates",
                assumptions,
                trip < 1 << 31,
            )
            if info.condition is None:
                continue
            inside = [*assumptions, *self.domain((info,))]
            if info.first_unconditional:  # tested after each iteration but the last
                inside.append(self.index.symbol(info.counter) < trip - 1)
            self.add(
                "loops",
                "runs",
                f"{where}: the loop goes on before iteration {poly_text(info.trip)}",
                inside,
                self.index.loop_condition(info.condition),
            )
            at_end = info.trip - Poly.constant(1) if info.first_unconditional else info.trip
            final = substitute(info.condition, {info.counter: from_poly(at_end, I32)})
            self.add(
                "loops",
                "stops",
                f"{where}: the loop stops after {poly_text(info.trip)} iterations",
                assumptions,
                self.index.negate(self.index.loop_condition(final)),
            )

    def obligations(self) -> None:
        """Index arithmetic means what integers mean."""
        seen: set[tuple[object, ...]] = set()
        for found in self.path.obligations:
            o = found.obligation
            identity = (
                o.poly,
                o.type,
                tuple(loop.counter for loop in found.loops),
                None if found.guard is None else key(found.guard),
            )
            if identity in seen:
                continue
            seen.add(identity)
            self.obligation(o, found.loops, found.guard, found.line)

    def obligation(self, o: Obligation, loops: tuple[LoopInfo, ...], guard: Expr | None, line: int) -> None:
        assumptions = self.domain(loops)
        assumptions += self.assume(guard)
        p = self.index.poly(o.poly)
        if o.type is None:
            self.add("loops", "sign", f"line {line}: {o.poly} is not negative", assumptions, p >= 0)
            return
        if o.type.is_int() and o.type.bits >= 32:
            return  # signed overflow is undefined in the original; the contract excludes it
        self.add(
            "loops",
            "wrap",
            f"line {line}: {o.poly} fits {o.type}",
            assumptions,
            self.index.all_of([p >= o.type.min(), p <= o.type.max()]),
        )

    # Conditions on one Func.

    def layout(self, f: FuncSummary) -> None:
        """Distinct points have distinct locations: each stride spans the whole dimension below it."""
        dims = [d for d in f.layout.dims if d.stride is not None]
        for inner, outer in itertools.pairwise(dims):
            assert inner.stride is not None and outer.stride is not None
            span = inner.extent * inner.stride
            self.add(
                f.name,
                "distinct",
                f"{poly_text(span)} <= {poly_text(outer.stride)}: no two points of {f.name} share a location",
                [],
                self.index.poly(span) <= self.index.poly(outer.stride),
            )
        if dims:
            assert dims[0].stride is not None
            self.add(
                f.name,
                "distinct",
                f"the stride of {dims[0].name} is positive",
                [],
                self.index.poly(dims[0].stride) >= 1,
            )
        for d in f.layout.dims:
            self.add(f.name, "extent", f"the extent of {d.name} is not negative", [], self.index.poly(d.extent) >= 0)

    def in_box(self, f: FuncSummary | InputSummary, coords: tuple[Poly, ...]) -> list[Any]:
        out = []
        for d, c in zip(f.layout.dims, coords, strict=True):
            out.append(self.index.poly(c) >= self.index.poly(d.min))
            out.append(self.index.poly(c) < self.index.poly(d.min + d.extent))
        return out

    def definition(self, f: FuncSummary, d: Definition, values: bool = True) -> None:
        """Everything about one definition; without `values` not whether it computes what is written."""
        if not d.update:
            self.region(f, d)
        self.chain(f, d)
        for m in d.maps:
            e = self.by_order.get(m.order)
            if e is None or len(m.coords) != len(f.layout.dims) or len(m.rvars) != len(d.rdom):
                continue
            if d.update:
                self.private(f, e, m)
                self.update_point(f, d, e, m)
            if values:
                self.values(f, d, e, m)
            else:
                self.reads(f, e, m)

    def private(self, f: FuncSummary, e: Effect, m: EffectMap) -> None:
        group = next(g for g in self.groups if g.name == f.name)
        private = tuple(Poly.variable(c, I32) for c in group.private)
        fits = e.counters[: len(private)] == group.private and f.layout.private(m.coords) == private[::-1]
        self.decide(f.name, "private", f"line {e.line}: one {f.name} for each iteration around it", fits)

    def region(self, f: FuncSummary, d: Definition) -> None:
        """The locations that a pure definition's stores write are exactly the points of the region of interest."""
        for m in d.maps:
            e = self.by_order.get(m.order)
            if e is None or len(m.coords) != len(f.layout.dims):
                continue
            self.private(f, e, m)
            where = f"line {e.line}"
            self.decide(
                f.name,
                "address",
                f"{where}: the location written is {f.name}({_point(m.coords)})",
                f.layout.index(m.coords) == e.index,
            )
            inside = [*self.domain(e.loops), *self.guard(e, m)]
            self.add(
                f.name,
                "inside",
                f"{where}: every point written lies in the region of interest",
                inside,
                self.index.all_of(self.in_box(f, m.coords)),
            )
        self.coverage(f, d)

    def coverage(self, f: FuncSummary, d: Definition) -> None:
        """Every point of the region is written: a witness for each."""
        dims = {dim.name: Poly.variable(dim.name, I32) for dim in f.layout.dims}
        coords = tuple(dims.values())
        ways = []
        for m in d.maps:
            e = self.by_order.get(m.order)
            if e is None or set(m.inverse) != set(e.counters):
                continue
            here = self.domain(e.loops, m.inverse) + self.guard(e, m, m.inverse)
            for c, wanted in zip(m.coords, coords, strict=True):
                here.append(self.index.poly(c.substitute(m.inverse)) == self.index.poly(wanted))
            ways.append(self.index.all_of(here))
        self.add(
            f.name,
            "covered",
            f"every point of the region of interest of {f.name} is written",
            self.in_box(f, coords),
            self.index.any_of(ways),
        )

    def update_point(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> None:
        """An update walks its reduction domain in the order of the loops, and the pure variables independently."""
        where = f"line {e.line}"
        self.decide(f.name, "one-effect", f"{where}: an update stands for one store", len(d.maps) == 1)
        pure = {dim.name: c for dim, c in zip(f.layout.dims, m.coords, strict=True) if _is_var(d, f, dim.name)}
        used = [loop.counter for loop in e.loops]
        rnames = [_single_variable(p) for p in m.rvars]
        pure_counters = {name: _counter_of(c, set(used)) for name, c in pure.items()}
        rest = [c for c in used if c not in pure_counters.values()]
        self.decide(
            f.name,
            "order",
            f"{where}: the reduction domain runs in the order of the loops",
            rnames == rest[::-1] and len(set(pure_counters.values())) == len(pure),
        )
        trips = {loop.counter: loop.trip for loop in e.loops}
        for r, p in zip(d.rdom, m.rvars, strict=True):
            name = _single_variable(p)
            self.decide(
                f.name,
                "rdom",
                f"{where}: {r.name} runs over {poly_text(r.extent)}",
                name in trips and trips[name] == r.extent,
            )
        for dim in f.layout.dims:
            counter = pure_counters.get(dim.name)
            if dim.name in pure:
                covers = counter is not None and counter in trips and trips[counter] == dim.extent
                shifted = counter is not None and pure[dim.name] - Poly.variable(counter, I32) == dim.min
                self.decide(f.name, "pure", f"{where}: {dim.name} runs over its whole extent", covers and shifted)
        for n in (n for x in (d.value, *d.args) for n in post_order(x)):
            if isinstance(n, Call) and n.call_type is CallType.HALIDE and n.name == f.name:
                apart = all(
                    isinstance(a, Variable) and a.name == dim.name
                    for a, dim in zip(n.args, f.layout.dims, strict=True)
                    if dim.name in pure
                )
                text = f"{where}: {f.name} reads itself at the point's own pure coordinates"
                self.decide(f.name, "pure", text, apart)
        own = next(g for g in self.groups if e.order in g.orders)
        other = meeting(own, e, e.index, self.path)
        line = "" if other is None else f" (line {other.line})"
        text = f"{where}: no other store of the same loop{line} may meet it"
        self.decide(f.name, "order", text, other is None)
        guard_ok = e.guard is None or m.guard_in_value
        self.decide(f.name, "guard", f"{where}: the update says what happens where it does not apply", guard_ok)
        values = self.instance(f, d, m)
        coords = tuple(to_poly(substitute_calls(substitute(a, values), self, f, e)) for a in d.args)
        try:
            index = self.keyed(from_poly(e.index), e)
        except Unresolved as problem:
            self.decide(f.name, "reads", f"{where}: {problem}", False)
            return
        self.decide(
            f.name,
            "address",
            f"{where}: the location written is {f.name}({_point(coords)})",
            f.layout.index(coords) == to_poly(index),
        )
        self.add(
            f.name,
            "inside",
            f"{where}: every point updated lies in the region of interest",
            self.domain(e.loops),
            self.index.all_of(self.in_box(f, coords)),
        )

    # Values.

    def instance(self, f: FuncSummary, d: Definition, m: EffectMap) -> dict[str, Expr]:
        """The definition's coordinates at one iteration of an effect."""
        values: dict[str, Expr] = {}
        for dim, c in zip(f.layout.dims, m.coords, strict=True):
            values[dim.name] = from_poly(c, I32)
        for r, p in zip(d.rdom, m.rvars, strict=True):
            values[r.name] = from_poly(p, I32)
        return values

    def keyed(self, e: Expr, site: Effect | None) -> Expr:
        """`e` with every Load renamed after what it sees, so that equal reads are equal expressions."""
        identity = (key(e), None if site is None else site.order)
        if identity not in self._keyed:
            self._keyed[identity] = self._renamed(e, site)
        return self._keyed[identity]

    def _renamed(self, e: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Load) and "@" in n.name:
                seen = see(n, site, self.path, self.groups)
                version = seen.group.name if seen.group is not None else "initial"
                if seen.rivals and site is not None:
                    self.not_yet_written(n, site, seen.index, seen.rivals)
                return _read(n, seen.array, version, seen.index, seen.private)
            return n

        return transform(e, rewrite)

    def not_yet_written(self, load: Load, site: Effect, index: Poly, rivals: tuple[Effect, ...]) -> None:
        """No store of the same nest has written the location that `load` reads by the time it reads it."""
        _, time = load.name.rsplit("@", 1)
        for rival in rivals:
            rename = {c: Poly.variable(c + "'", I32) for c in rival.counters}
            other = [*self.domain(rival.loops, rename), *self.applies(rival, rename)]
            here = [*self.domain(site.loops), *self.applies(site, {})]
            before = []
            shared = 0
            while (
                shared < min(len(site.counters), len(rival.counters))
                and site.counters[shared] == rival.counters[shared]
            ):
                equal = [self.index.symbol(c + "'") == self.index.symbol(c) for c in site.counters[:shared]]
                c = site.counters[shared]
                before.append(self.index.all_of([*equal, self.index.symbol(c + "'") < self.index.symbol(c)]))
                shared += 1
            if rival.order < int(time):
                equal = [self.index.symbol(c + "'") == self.index.symbol(c) for c in site.counters[:shared]]
                before.append(self.index.all_of(equal))
            target = self.meets(rival, rename, index)
            self.add(
                rival.array,
                "not-yet-written",
                self.say(f"line {site.line}: {rival.array}[{index}] is read before line {rival.line} writes it", site),
                [*here, *other, self.index.any_of(before)],
                self.index.negate(target),
                site.line,
            )

    def applies(self, e: Effect, rename: Mapping[str, Poly]) -> list[Any]:
        """That an effect's guard on counters and parameters holds, in an iteration whose counters are renamed; nothing
        where its definition covers the iterations too in which it does not."""
        maps = [m for f in self.summary.funcs for d in f.definitions for m in d.maps if m.order == e.order]
        if e.guard is None or loads(e.guard) or any(m.guard_in_value for m in maps):
            return []
        return self.assume(substitute(e.guard, {n: from_poly(p, I32) for n, p in rename.items()}))

    def meets(self, rival: Effect, rename: Mapping[str, Poly], index: Poly) -> Any:
        """Whether the rival writes element `index`: compared by coordinates where the layout of the array is known to
        give distinct points distinct locations, else by element."""
        for f in self.summary.funcs:
            for d in f.definitions:
                for m in d.maps:
                    if m.order != rival.order or d.update:
                        continue
                    found = self.coordinates(f, index)
                    if found is None:
                        continue
                    same = [
                        self.index.poly(c.substitute(rename)) == self.index.poly(w)
                        for c, w in zip(m.coords, found, strict=True)
                    ]
                    outside = self.index.negate(self.index.all_of(self.in_box(f, found)))
                    strict = self.index.poly(rival.index.substitute(rename)) == self.index.poly(index)
                    # inside the box equal elements are equal points; outside, fall back on the elements
                    return self.index.any_of([self.index.all_of(same), self.index.all_of([outside, strict])])
        return self.index.poly(rival.index.substitute(rename)) == self.index.poly(index)

    def coordinates(self, f: FuncSummary, index: Poly) -> tuple[Poly, ...] | None:
        """Coordinates with `layout.index(coordinates) == index`, if division by the strides finds them."""
        rest = index - f.layout.offset
        coords: list[Poly] = []
        for dim in reversed(f.layout.dims):
            if dim.stride is None:
                return None
            q, rest = rest.divide_by(dim.stride)
            coords.append(q)
        return tuple(reversed(coords)) if rest.is_zero() else None

    def values(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> None:
        """The value written is the summary's expression; every terminal is defined where it is read."""
        if self.value(f, d, e, m):
            self.terminals(f, d, e, m, self.instance(f, d, m), _written(e, m))

    def value(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> bool:
        """The value written is the summary's expression.  False where a read sees no one thing."""
        where = f"line {e.line}"
        left = self.reads(f, e, m)
        if left is None:
            return False
        instance = self.instance(f, d, m)
        right = self.read_calls(substitute(d.origin if d.origin is not None else d.value, instance), f, e)
        right = self.unclamp(right, left, [*self.domain(e.loops), *self.guard(e, m)])
        self.equal_values(
            f.name,
            f"{where}: the value written is the summary's expression",
            left,
            right,
            counters_in_range(e.loops),
            e.line,
        )
        return True

    def reads(self, f: FuncSummary, e: Effect, m: EffectMap) -> Expr | None:
        """What is written, over what its reads see; None where one of them sees no one thing."""
        try:
            return self.keyed(_written(e, m), e)
        except Unresolved as problem:
            self.decide(f.name, "reads", f"line {e.line}: {problem}", False)
            return None

    def unclamp(self, e: Expr, original: Expr, inside: list[Any]) -> Expr:
        """Reads under a condition whose address is, under that condition, one that the original reads: `original`'s
        read in their place.  (`select(x > 0, src(max(x - 1, 0)), ...)` reads src(x - 1) where it matters.)"""
        there = {key(n): n for n in post_order(original) if isinstance(n, Load)}
        choices = {key(n.condition): n.condition for n in post_order(original) if isinstance(n, Select)}
        if all(key(n) in there for n in post_order(e) if isinstance(n, Load)):
            return e

        def visit(n: Expr, assumptions: list[Any]) -> Expr:
            if isinstance(n, Select):
                known = self.known_here(n.condition, assumptions)
                if known is not None:
                    return visit(n.true_value if known else n.false_value, assumptions)
                condition = visit(n.condition, assumptions)
                yes = visit(n.true_value, [*assumptions, *self.assume_known(n.condition, True, assumptions)])
                no = visit(n.false_value, [*assumptions, *self.assume_known(n.condition, False, assumptions)])
                return Select(n.type, condition, yes, no)
            if isinstance(n, Load) and key(n) not in there:
                same = self.one_of(n, list(there.values()), choices, assumptions)
                if same is not None:
                    return same
            return with_children(n, tuple(visit(c, assumptions) for c in children(n)))

        return visit(e, inside)

    def assume_known(self, condition: Expr, holds: bool, assumptions: list[Any]) -> list[Any]:
        """Conjuncts of a condition that are about counters and parameters, and mean over Z what they say."""
        if isinstance(condition, And) and holds:
            return [c for x in (condition.a, condition.b) for c in self.assume_known(x, True, assumptions)]
        if isinstance(condition, Or) and not holds:
            return [c for x in (condition.a, condition.b) for c in self.assume_known(x, False, assumptions)]
        if loads(condition) or not self.exact(condition, assumptions):
            return []
        encoded = self.index.expr(condition)
        return [encoded if holds else self.index.negate(encoded)]

    def one_of(
        self, load: Load, reads: list[Load], choices: Mapping[int, Expr], assumptions: list[Any]
    ) -> Expr | None:
        """The one of the original's `reads` that `load` is; or the one of two that it is by one of the original's
        `choices` (src(max(x - 1, 0)) where the original reads src[x - 1] if x > 0, else src[x])."""
        rivals = [n for n in reads if n.name == load.name]
        for n in rivals:
            if self.same_element(load, n, assumptions):
                return n
        for condition in choices.values():
            found = []
            for holds in (True, False):
                known = self.assume_known(condition, holds, assumptions)
                case = [*assumptions, *known]
                found.append(next((n for n in rivals if known and self.same_element(load, n, case)), None))
            if found[0] is not None and found[1] is not None:
                return Select(load.type, condition, found[0], found[1])
        return None

    def exact(self, condition: Expr, assumptions: list[Any]) -> bool:
        """Whether no arithmetic in a condition of the summary wraps: there signed overflow is no one's promise."""
        given = (*self.contract, *self.index.facts, *assumptions)
        for o in self.index.obligations(condition):
            p = self.index.poly(o.poly)
            least = 0 if o.type is None else o.type.min()
            goal = [p >= least] if o.type is None else [p >= least, p <= o.type.max()]
            if not isinstance(prove(Query(given, self.index.all_of(goal)), 2.0), Proved):
                return False
        return not any(n.type.is_float() for n in post_order(condition))

    def known_here(self, condition: Expr, assumptions: list[Any]) -> bool | None:
        """Whether a condition about counters and parameters always holds, or never does; None if neither is proved."""
        value = const_value(fold(condition))
        if value is not None:
            return bool(value)
        if loads(condition) or not self.exact(condition, assumptions):
            return None
        goal = self.index.expr(condition)
        given = (*self.contract, *self.index.facts, *assumptions)
        for answer, wanted in ((True, goal), (False, self.index.negate(goal))):
            if isinstance(prove(Query(given, wanted), 2.0), Proved):
                return answer
        return None

    def same_element(self, a: Load, b: Load, assumptions: list[Any]) -> bool:
        goal = self.index.poly(to_poly(a.index) - to_poly(b.index)) == 0
        # Without what bounds products of sizes: it does not tell elements apart, and is slow to refute.
        return isinstance(prove(Query((*self.plain, *self.index.facts, *assumptions), goal), 2.0), Proved)

    def equal_values(
        self, stage: str, text: str, left: Expr, right: Expr, inside: Sequence[Expr] = (), line: int = 0
    ) -> None:
        if same_exactly(left, right, (*self.known, *inside, *self.summary.conditions), self.inline):
            self.decide(stage, "value", text, True)
            return
        a, b = normal_form(left), normal_form(right)
        encoder = ValueEncoder(self.inline)
        facts = [encoder.encode(normal_form(c)) for c in (*self.known, *inside)]
        facts += [encoder.encode(normal_form(c)) for c in self.summary.conditions]
        query = Query(tuple(facts), encoder.equal(a, b))
        inlined = [inline_all(x, self.function.functions) for x in (a, b)]
        self.out.append(
            Condition(
                stage, "value", text, query, line=line, replay=lambda model: differs(inlined[0], inlined[1], model)
            )
        )

    def inline(self, call: Call) -> Expr | None:
        return inline_call(call, self.function.functions)

    def chain(self, f: FuncSummary, d: Definition) -> None:
        """The steps from the expression as found to the one in the summary are equalities."""
        if d.origin is None:
            return
        facts = [i.condition for i in self.summary.contract if i.condition is not None and i.kind == "assert"]
        for number, (old, new) in enumerate(d.steps, 1):
            query = lemma_query(old, new, facts, self.inline)
            decided = decide_lemma(old, new, facts, self.inline)
            self.out.append(Condition(f.name, "lemma", f"step {number}: {old} == {new}", query, decided=decided))
        end = apply_steps(d.origin, d.steps)
        self.decide(
            f.name, "chain", "the steps lead from the expression found to the summary's", key(end) == key(d.value)
        )

    def read_calls(self, e: Expr, f: FuncSummary, site: Effect | None) -> Expr:
        """`e` with Func and image calls replaced by keyed reads of the elements they denote."""
        layouts = self.summary.layouts()

        def rewrite(n: Expr) -> Expr:
            if not isinstance(n, Call) or n.call_type not in (CallType.HALIDE, CallType.IMAGE):
                return n
            layout = layouts[n.name]
            coords = tuple(to_poly(a) for a in n.args)
            version = n.name if n.call_type is CallType.HALIDE else "initial"
            private = layout.private(coords)[::-1]
            return _read(n, layout.array, version, layout.index(coords), private)

        return transform(e, rewrite)

    def terminals(
        self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap, instance: Mapping[str, Expr], original: Expr
    ) -> None:
        inside = [*self.domain(e.loops), *self.guard(e, m)]
        unconditional = unconditional_loads(original)
        safe: dict[int, Expr] = {}
        for load in loads(original):
            if key(load) in unconditional or not self.guarded_read(original, load, e):
                seen = self.keyed(load, e)
                safe[key(seen)] = seen
        for other in self.path.effects:  # what the same iteration reads for other stores
            if other.loops == e.loops and other.order != e.order and _applies_with(other, e):
                free = unconditional_loads(other.value)
                seen_too = [self.keyed(n, other) for n in loads(other.value) if key(n) in free]
                safe |= {key(n): n for n in seen_too}
        for n in post_order(d.value):
            if not isinstance(n, Call):
                continue
            if n.call_type is CallType.HALIDE and self.summary.func(n.name).undefined:
                # what such a Func holds is the caller's memory: it is touched only where the original touches it
                here = self.read_calls(substitute(n, instance), f, e)
                text = f"line {e.line}: {n.name} is read by the original too"
                self.decide(f.name, "readable", text, key(here) in safe)
            if n.call_type is CallType.HALIDE:
                producer = self.summary.func(n.name)
                args = [self.read_calls(substitute(a, instance), f, e) for a in n.args]
                coords = tuple(to_poly(a) for a in args)
                text = f"line {e.line}: {n.name}({_point(coords)}) is read within what has been written to {n.name}"
                self.add(
                    f.name,
                    "defined",
                    self.say(text, e),
                    inside,
                    self.index.all_of(self.in_box(producer, coords)),
                    e.line,
                )
            elif n.call_type is CallType.IMAGE:
                self.within(f, e, n, instance, inside)
                self.readable(f, d, e, n, instance, safe, inside)

    def within(
        self, f: FuncSummary, e: Effect, call: Call, instance: Mapping[str, Expr], inside: list[Any]
    ) -> None:
        """An image is read inside its box: the run-time checks of overlap rest on it."""
        image = next(i for i in self.summary.inputs if i.name == call.name)
        args = [inline_all(substitute(a, instance), self.function.functions) for a in call.args]
        coords = tuple(to_poly(self.read_calls(a, f, e)) for a in args)
        text = self.say(f"line {e.line}: {call.name}({_point(coords)}) lies in the box of {call.name}", e)
        self.add(f.name, "within", text, inside, self.index.all_of(self.in_box(image, coords)), e.line)

    def readable(
        self,
        f: FuncSummary,
        d: Definition,
        e: Effect,
        call: Call,
        instance: Mapping[str, Expr],
        safe: Mapping[int, Expr],
        inside: list[Any],
    ) -> None:
        """The lifted code reads nothing that the original does not read: in the same iteration, or in another one."""
        here = self.read_calls(substitute(call, instance), f, e)
        if key(here) in safe:
            self.decide(f.name, "readable", f"line {e.line}: {call.name} is read by the original too", True)
            return
        layout = self.summary.layouts()[call.name]
        target = tuple(to_poly(self.read_calls(substitute(a, instance), f, e)) for a in call.args)
        ways = []
        if isinstance(here, Load):
            place = self.index.poly(to_poly(here.index))
            same = [n for n in safe.values() if isinstance(n, Load) and n.name == here.name]
            ways += [self.index.poly(to_poly(n.index)) == place for n in same]
        for other in self.path.effects:
            if other.guard is None or (self.index.faithful(other.guard) and not loads(other.guard)):
                sure = self.sure_reads(other, layout.array)
                ways += [self.reached(other, layout, index, target, given) for index, given in sure]
        text = f"line {e.line}: {call.name}({_point(target)}) is read by the original too"
        exactly = Query((*self.contract, *self.index.facts, *inside), self.index.any_of(ways))
        if not isinstance(prove(exactly, 2.0), Proved):
            text = f"line {e.line}: {call.name}({_point(target)}) lies between elements that the original reads"
            ways = [self.between(e, layout, target)]
        self.add(f.name, "readable", self.say(text, e), inside, self.index.any_of(ways), e.line)

    def sure_reads(self, e: Effect, array: str) -> list[tuple[Poly, tuple[Expr, ...]]]:
        """Elements of an array, as it was given, that an effect reads in every iteration in which conditions on
        counters and parameters hold."""
        asked = (e.order, array)
        if asked not in self._sure:
            self._sure[asked] = []
            for load, given in sure_loads(e.value):
                seen = self.keyed(load, e)
                if isinstance(seen, Load) and seen.name == f"{array}#initial":
                    self._sure[asked].append((to_poly(seen.index), given))
        return self._sure[asked]

    def between(self, e: Effect, layout: Layout, target: tuple[Poly, ...]) -> Any:
        """Whether an element lies between two that the original reads, or between the one that its pointer points to
        and a later one: an array has no holes, so that it can be read."""
        place = layout.index(target)
        lows, highs = [self.index.poly(place) >= 0], []
        for other in self.path.effects:
            if other.guard is not None and (loads(other.guard) or not self.index.faithful(other.guard)):
                continue
            for index, given in self.sure_reads(other, layout.array):
                for rename in _instants(other, e):
                    when = [*self.domain(other.loops, rename), *self.guard(other, None, rename)]
                    when += self.holding(given, rename)
                    ahead = self.index.poly(index.substitute(rename) - place)
                    lows.append(self.index.all_of([*when, ahead <= 0]))
                    highs.append(self.index.all_of([*when, ahead >= 0]))
        return self.index.all_of([self.index.any_of(lows), self.index.any_of(highs)])

    def holding(self, conditions: tuple[Expr, ...], rename: Mapping[str, Poly]) -> list[Any]:
        """Conditions on counters and parameters, the counters renamed, as assumptions; false where one is not exact."""
        out = []
        for c in conditions:
            renamed = substitute(c, {n: from_poly(p, I32) for n, p in rename.items()})
            out.append(self.index.expr(renamed) if self.index.faithful(renamed) else self.index.any_of([]))
        return out

    def reached(
        self, e: Effect, layout: Layout, index: Poly, target: tuple[Poly, ...], given: tuple[Expr, ...] = ()
    ) -> Any:
        """Whether an unconditional read at `index` passes over `target` in some iteration of its effect, which it
        does where each of its coordinates is a multiple of one counter plus a constant, the target is one of those
        places, lies in that counter's range, and the effect's guard holds there."""
        rest = index - layout.offset
        coords: list[Poly] = []
        for dim in reversed(layout.dims):
            assert dim.stride is not None
            q, rest = rest.divide_by(dim.stride)
            coords.append(q)
        if not rest.is_zero():
            return self.index.any_of([])
        rename: dict[str, Poly] = {}
        conditions = []
        for c, t in zip(reversed(coords), target, strict=True):
            counters = [k for k in e.counters if k in c.names()]
            if not counters:
                conditions.append(self.index.poly(c) == self.index.poly(t))
                continue
            k = counters[0]
            coefficient = c.coefficient(k)
            factor = coefficient.constant_value() if coefficient is not None else None
            if len(counters) > 1 or k in rename or not factor:
                return self.index.any_of([])
            rest = c - Poly.variable(k, I32).scale(int(factor))
            if rest.names() & set(e.counters):
                return self.index.any_of([])
            distance = t - rest if factor > 0 else rest - t
            rename[k] = floor_div(distance, abs(int(factor)))
            if abs(factor) != 1:
                conditions.append(self.index.poly(c.substitute({k: rename[k]})) == self.index.poly(t))
        left = [c for c in e.counters if c not in rename]
        if left:  # iterations that read the same element again: the first will do
            rename.update({c: Poly() for c in left})
        when = [*self.domain(e.loops, rename), *self.guard(e, None, rename), *self.holding(given, rename)]
        return self.index.all_of([*conditions, *when])

    def guarded_read(self, value: Expr, load: Load, e: Effect) -> bool:
        """Whether not the data alone, but counters or parameters too, say whether `load` is evaluated."""
        counters = set(e.counters)
        over = conditions_over(value, key(load))
        return any(not loads(c) or (mentions(c, counters) and not self.up_to_data(c, e)) for c in over)

    def up_to_data(self, condition: Expr, e: Effect) -> bool:
        """Whether the data alone decide a condition that mentions counters too (`bits[x >> 3] & (128 >> (x & 7))`):
        in every iteration it holds if all that is read is one certain value, and fails if it is another."""
        read, inside = loads(condition), counters_in_range(e.loops)
        if not read or any(not n.type.is_int_or_uint() for n in read):
            return False
        answers: set[bool] = set()
        for of_type in (lambda t: const(t.max(), t), lambda t: const(0, t), lambda t: const(1, t)):
            fixed = transform(condition, partial(_for_loads, of_type))
            for wanted in {True, False} - answers:
                goal = fixed if wanted else negate(fixed)
                if isinstance(decide_lemma(goal, const(1, BOOL), inside, self.inline), Proved):
                    answers.add(wanted)
        return answers == {True, False}

    def result(self) -> None:
        """The return value."""
        if self.path.result is None:
            self.decide("result", "return", "nothing is returned", self.summary.result is None)
            return
        if self.summary.result is None:
            self.decide("result", "return", "the return value is in the summary", False)
            return
        try:
            left = self.keyed(self.path.result, None)
        except Unresolved as problem:
            self.decide("result", "reads", str(problem), False)
            return
        for n in post_order(self.summary.result):
            if isinstance(n, Call) and n.call_type is CallType.HALIDE:
                coords = tuple(to_poly(a) for a in n.args)
                self.add(
                    "result",
                    "defined",
                    f"{n.name}({_point(coords)}) has been computed",
                    [],
                    self.index.all_of(self.in_box(self.summary.func(n.name), coords)),
                )
        right = (
            self.read_calls(self.summary.result, self.summary.funcs[0], None)
            if self.summary.funcs
            else (self.summary.result)
        )
        self.equal_values("result", "the return value is the summary's", left, right)


def _instants(other: Effect, e: Effect) -> list[dict[str, Poly]]:
    """Iterations of an effect in which it may read about what `e` reads: the very same one, and the first and the last
    of each loop that the two do not share."""
    shared = 0
    while shared < min(len(other.counters), len(e.counters)) and other.counters[shared] == e.counters[shared]:
        shared += 1
    out: list[dict[str, Poly]] = [{}] if shared == len(other.counters) else []
    for common in dict.fromkeys((shared, 0)):
        first: dict[str, Poly] = {}
        last: dict[str, Poly] = {}
        for loop in other.loops[common:]:
            first[loop.counter] = Poly()
            last[loop.counter] = loop.trip.substitute(last) - Poly.constant(1)
        out += [r for r in (first, last) if r]
    return out


def _written(e: Effect, m: EffectMap) -> Expr:
    """The value of a store, what the element held where the guard says so included."""
    if e.guard is None or not m.guard_in_value:
        return e.value
    return Select(e.value.type, e.guard, e.value, Load(e.value.type, f"{e.array}@{e.order}", from_poly(e.index)))


def substitute_calls(e: Expr, conditions: PathConditions, f: FuncSummary, site: Effect) -> Expr:
    """Calls inside a left-hand side as keyed reads."""
    return conditions.read_calls(e, f, site)


def _read(n: Expr, array: str, version: str, index: Poly, private: tuple[Poly, ...]) -> Load:
    suffix = "".join(f"|{p}" for p in private)
    return Load(n.type, f"{array}#{version}{suffix}", from_poly(index, I64))


def _point(coords: tuple[Poly, ...]) -> str:
    return ", ".join(poly_text(c) for c in coords)


def _is_var(d: Definition, f: FuncSummary, name: str) -> bool:
    position = [dim.name for dim in f.layout.dims].index(name)
    a = d.args[position]
    return isinstance(a, Variable) and a.name == name


def _single_variable(p: Poly) -> str | None:
    atoms = list(p.atoms().values())
    if len(atoms) == 1 and isinstance(atoms[0], Variable) and p == Poly.variable(atoms[0].name, atoms[0].type):
        return atoms[0].name
    return None


def _counter_of(p: Poly, counters: set[str]) -> str | None:
    used = [c for c in counters if c in p.names()]
    if len(used) != 1:
        return None
    rest = p - Poly.variable(used[0], I32)
    return used[0] if not rest.names() & counters else None


def _for_loads(of_type: Callable[[Type], Expr], e: Expr) -> Expr:
    return of_type(e.type) if isinstance(e, Load) else e


def counters_in_range(loops: tuple[LoopInfo, ...]) -> list[Expr]:
    """0 <= counter < trip in 32-bit arithmetic, where the trip count is a polynomial: its value is below 2**31 by the
    contract, so that its wrapping evaluation is exact."""
    out: list[Expr] = []
    for loop in loops:
        k = Variable(I32, loop.counter)
        out.append(GE(BOOL, k, const(0, I32)))
        if all(isinstance(a, Variable) for a in loop.trip.atoms().values()):
            out.append(LT(BOOL, k, from_poly(loop.trip, I32)))
    return out


def _applies_with(other: Effect, e: Effect) -> bool:
    """Whether an effect of the same iteration applies wherever `e` does."""
    return other.guard is None or (e.guard is not None and key(other.guard) == key(e.guard))


def guarded(value: Expr, guard: Expr | None) -> Expr:
    """`guard` implies `value`, as an expression."""
    return value if guard is None else fold(Or(BOOL, negate(guard), value))


__all__ = ["Condition", "PathConditions", "conjunction", "groups_of", "guarded"]
