"""The verification conditions of one path of a summary (DESIGN section 4): quantifier-free, over symbolic counters."""

from __future__ import annotations

import itertools
from typing import Any

from halide_core.ir.expr import I32, Call, CallType, Expr, Variable
from halide_core.ir.structural import key, post_order, substitute, variables
from lifter.algebra.polynomial import Obligation, Poly, from_poly, poly_text, to_poly
from lifter.algebra.value_ranges import ranges
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effects import Effect, LoopInfo
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.summary import Definition, EffectMap, FuncSummary, InputSummary, Layout
from verifier.conditions.assumed import differ, unstated
from verifier.conditions.base import Condition, point_text
from verifier.conditions.coordinate_width import granted, sums
from verifier.conditions.demanded import demands
from verifier.conditions.location import LocatedConditions
from verifier.conditions.measured import MeasuredConditions
from verifier.conditions.rows import RowConditions
from verifier.conditions.values import ValueConditions
from verifier.contract import index_text_of
from verifier.memory_states import Unresolved, meeting
from verifier.smt import Answer, Proved, Query, Refuted, prove


class PathConditions(ValueConditions, LocatedConditions, RowConditions, MeasuredConditions):
    """Generates the conditions for one path: its structure, loops, layouts, regions and updates here."""

    def generate(self) -> list[Condition]:
        """All conditions; a structural misfit is a condition that does not hold, with the reason."""
        self.possible()
        self.assumed()
        self.more_than_once()
        self.structure()
        self.row_distances()
        try:
            self.meaning()
        except Unresolved as problem:  # of stores that the summary leaves out
            self.decide("summary", "accounts", str(problem), False)
        return self.out

    def meaning(self) -> None:
        """The conditions on loops, places and values."""
        self.loops()
        self.obligations()
        for f in self.summary.funcs:
            self.layout(f)
            self.located(f)
            self.row_pointers(f)
            for d in f.definitions:
                self.definition(f, d)
        for i in self.summary.inputs:
            self.located(i)
            self.row_pointers(i)
        self.measured()
        self.result()

    def possible(self) -> None:
        """The contract can hold: from one that contradicts itself anything would follow.  (A path that its own
        conditions or the source's asserts keep from being taken is another matter.)"""
        never = self.index.any_of([])

        def answer(given: list[Any]) -> Answer:
            return prove(Query((*given, *self.index.facts), never), 2.0)

        holds = isinstance(answer(self.plain), Refuted) or isinstance(answer(self.unasked()), Proved)
        self.decide("contract", "possible", "the contract can hold", holds)

    def assumed(self) -> None:
        """What the path was executed under follows from the contract."""
        layouts: dict[str, list[Layout]] = {}
        boxes: list[FuncSummary | InputSummary] = [*self.summary.funcs, *self.summary.inputs]
        for box in boxes:
            layouts.setdefault(box.layout.array, []).append(box.layout)
        for c in unstated(self.path, self.summary.contract):
            text = f"{index_text_of(c)}: the path rests on it"
            if differ(c, self.summary.contract, layouts, lambda p: self.non_negative(p, [])):
                self.decide("contract", "assumed", text, True)
                continue
            fits, read = self.index.reading(c)
            self.add("contract", "assumed", text, [], self.index.all_of([*fits, read]))

    def unasked(self) -> list[Any]:
        """What holds on this path without anything that the lifter asks of the caller."""
        stated = [i.condition for i in self.summary.contract if i.condition is not None and not i.inferred]
        return [self.index.given(c) for c in (*self.summary.conditions, *stated)]

    def more_than_once(self) -> None:
        """The contract leaves each loop more than one iteration: one that allows a single one, where the source allows
        more, speaks of a special case of the function."""
        if not any(i.inferred and i.condition is not None for i in self.summary.contract):
            return
        for info, around, guard in self.path.trips:
            if info.trip.constant_value() is not None:
                continue
            inside = [*self.domain(around), *self.assume(guard)]
            trip = self.index.poly(info.trip)

            def answer(given: list[Any], most: int, trip: Any = trip, inside: list[Any] = inside) -> Answer:
                return prove(Query((*given, *self.index.facts, *inside), trip <= most), 2.0)

            if isinstance(answer(self.plain, 1), Refuted):  # by an example with two iterations
                continue
            if not isinstance(answer(self.plain, 0), Proved) and not isinstance(answer(self.unasked(), 1), Proved):
                text = f"line {info.line}: the contract leaves the loop more than one iteration"
                self.decide("contract", "more-than-once", text, False)

    def scope(self, f: FuncSummary) -> None:
        """What a Func is made of: parameters of the function, its dimensions, and what its updates walk."""
        known = {p.name for p in self.function.params} | set(self.function.defined)
        bounds = [p for d in f.layout.dims for p in (d.min, d.extent, *([d.stride] if d.stride is not None else []))]
        names = f.layout.offset.names().union(*(p.names() for p in bounds))
        dims = {d.name for d in f.layout.dims}
        for d in f.definitions:
            walked = {r.name for r in d.rdom}
            names = names.union(*(r.extent.names() for r in d.rdom))
            names |= frozenset().union(*map(variables, d.expressions())) - dims - walked
        foreign = names - known
        told = f" and of {', '.join(sorted(foreign))}" if foreign else ""
        self.decide(f.name, "scope", f"{f.name} is made of parameters and its dimensions{told}", not foreign)

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
        for one, two in itertools.combinations((g for g in self.groups if g.orders), 2):
            if one.array == two.array:
                apart = max(one.orders) < min(two.orders) or max(two.orders) < min(one.orders)
                self.decide(two.name, "order", f"all of {one.name} is stored before {two.name}, or after it", apart)
        for f in self.summary.funcs:
            self.scope(f)
            self.in_turn(f)
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

    def in_turn(self, f: FuncSummary) -> None:
        """Each definition stands for stores, and they are in the original's order."""
        for d in f.definitions:
            self.decide(f.name, "accounts", f"a definition of {f.name} stands for stores", bool(d.maps))
        for before, after in itertools.pairwise(f.definitions):
            last = max((m.order for m in before.maps), default=-1)
            text = f"the definitions of {f.name} stand in the order of the stores"
            self.decide(f.name, "order", text, all(m.order > last for m in after.maps))

    def definition(self, f: FuncSummary, d: Definition, values: bool = True) -> None:
        """Everything about one definition; without `values` not whether it computes what is written."""
        if not d.update:
            self.decide(f.name, "guard", f"{f.name} is defined throughout its region", d.where is None)
            self.region(f, d)
        if values:
            self.chain(f, d)
            self.fitting(f, d)
            self.demanded(f, d)
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

    def fitting(self, f: FuncSummary, d: Definition) -> None:
        """Coordinates are computed without overflow, wherever the definition is evaluated."""
        promised = granted(self.path, d)
        inside = []
        for x in f.layout.dims:
            at = self.index.symbol(x.name)
            inside += [at >= self.index.poly(x.min), at < self.index.poly(x.min + x.extent)]
        for r in d.rdom:
            at = self.index.symbol(r.name)
            inside += [at >= 0, at < self.index.poly(r.extent)]
        for p, with_remainders in sums(self.function, d):
            if p in promised:
                continue
            value, data = self.index.poly(with_remainders), []
            for atom in p.atoms().values():
                if reads_memory(atom):
                    low, high = ranges(atom, {})[id(atom)]
                    data += [self.index.expr(atom) >= low, self.index.expr(atom) <= high]
            fits = self.index.all_of([value >= I32.min(), value <= I32.max()])
            self.add(f.name, "fits", f"{poly_text(p)} fits 32 bits in {f.name}", [*inside, *data], fits)

    def demanded(self, f: FuncSummary, d: Definition) -> None:
        """What bounds inference makes Halide compute of earlier Funcs lies in their regions."""
        funcs = {g.name: g for g in self.summary.funcs}
        # Where the one output is empty nothing runs at all.
        outputs = [g for g in self.summary.funcs if g.output]
        alone = self.summary.result is None and len(outputs) == 1
        extents = [x.extent for x in outputs[0].layout.dims] if alone else []
        some = [self.index.poly(p) >= 1 for p in extents]
        for needed in demands(self.function, f, d, funcs, lambda p: self.non_negative(p, some)):
            call, dim = needed.call, needed.dim
            text = f"{call.name} is computed within its region along {dim.name} for {f.name}"
            if needed.ends is None:
                self.decide(f.name, "demanded", text, False)
                continue
            low, high = (self.index.poly(p) for p in needed.ends)
            first, after = self.index.poly(dim.min), self.index.poly(dim.min + dim.extent)
            self.add(f.name, "demanded", text, some, self.index.all_of([low >= first, high < after]))

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
                f"{where}: the location written is {f.name}({point_text(m.coords)})",
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

    def inlined(self, p: Poly) -> Poly:
        """A coordinate with the pure functions in it written out."""
        calls = any(isinstance(n, Call) and n.call_type is CallType.FUNCTION for n in post_order(from_poly(p)))
        return to_poly(inline_all(from_poly(p), self.function.functions)) if calls else p

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
        self.own_coordinates(f, d, set(pure), where)
        own = next(g for g in self.groups if e.order in g.orders)
        other = meeting(own, e, e.index, self.path, self.stands_apart)
        line = "" if other is None else f" (line {other.line})"
        text = f"{where}: no other store of the same loop{line} may meet it"
        self.decide(f.name, "order", text, other is None)
        guard_ok = e.guard is None or m.guard_in_value if d.where is None else not m.guard_in_value
        self.decide(f.name, "guard", f"{where}: the update says what happens where it does not apply", guard_ok)
        if d.where is not None:
            self.applied(f, d, e, m)
        self.updated_place(f, d, e, m)

    def own_coordinates(self, f: FuncSummary, d: Definition, pure: set[str], where: str) -> None:
        """An update reads its own Func along pure dimensions at its own point only."""
        for n in (n for x in d.expressions() for n in post_order(x)):
            if isinstance(n, Call) and n.call_type is CallType.HALIDE and n.name == f.name:
                apart = all(
                    isinstance(a, Variable) and a.name == dim.name
                    for a, dim in zip(n.args, f.layout.dims, strict=True)
                    if dim.name in pure
                )
                text = f"{where}: {f.name} reads itself at the point's own pure coordinates"
                self.decide(f.name, "pure", text, apart)

    def updated_place(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> None:
        """An update is to the location that the store writes, inside of the region."""
        where = f"line {e.line}"
        values = self.instance(f, d, m)
        coords = tuple(to_poly(self.read_calls(substitute(a, values))) for a in d.args)
        try:
            index = self.keyed(from_poly(e.index), e)
        except Unresolved as problem:
            self.decide(f.name, "reads", f"{where}: {problem}", False)
            return
        text = f"{where}: the location written is {f.name}({point_text(coords)})"
        found = self.coordinates(f, to_poly(index)) if d.where is not None else None
        if found is None:
            self.decide(f.name, "address", text, f.layout.index(coords) == to_poly(index))
        else:
            same = [self.index.poly(a) == self.index.poly(b) for a, b in zip(coords, found, strict=True)]
            self.add(f.name, "address", text, [*self.domain(e.loops), *self.guard(e, m)], self.index.all_of(same))
        self.add(
            f.name,
            "inside",
            f"{where}: every point updated lies in the region of interest",
            [*self.domain(e.loops), *self.guard(e, m)],
            self.index.all_of(self.in_box(f, tuple(map(self.inlined, coords)))),
        )


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
