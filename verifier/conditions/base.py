"""One verification condition, and what all kinds of them are made of: domains, guards, keyed reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from halide_core.ir.expr import BOOL, GE, I32, I64, LT, Call, CallType, Expr, Load, Variable, const
from halide_core.ir.structural import key, substitute, transform
from lifter.algebra.polynomial import Poly, from_poly, poly_text, to_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from lifter.ir.inline_pure_calls import inline_call
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of, is_read, time_of
from lifter.ir.summary import Definition, Dim, EffectMap, FuncSummary, InputSummary, Layout, PathSummary
from verifier.algebra.lemmas import decide_lemma
from verifier.memory_states import Group, Unresolved, mentions, see
from verifier.smt import Answer, IndexEncoder, Proved, Query, prove


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


class Conditions:
    """Collects the conditions of one path; what they have in common."""

    def __init__(self, function: Function, path: Path, summary: PathSummary) -> None:
        self.function = function
        self.path = path
        self.summary = summary
        self.index = IndexEncoder(self.function.tables)
        self.groups = groups_of(summary, path)
        self.by_order = {e.order: e for e in path.effects}
        self.out: list[Condition] = []
        self._keyed: dict[tuple[int, int | None], Expr] = {}
        self._versions: dict[str, tuple[str, tuple[Poly, ...]]] = {}
        self._beforehand: dict[str, list[tuple[Effect, Poly, tuple[Expr, ...]]]] = {}
        self._places: dict[int, Poly] = {}
        """Coordinates at iterations of effects, as `instance` writes them."""
        self._asked: set[tuple[object, ...]] = set()
        self._within: dict[tuple[object, ...], list[Any]] = {}
        """What was asked of reads inside boxes, and the assumptions, whose numbers stay theirs as they are kept."""
        self._signs: dict[tuple[int, ...], tuple[list[Any], dict[Poly, bool]]] = {}
        """What `non_negative` has found, by the assumptions' numbers, which stand for them as long as they are kept."""
        self._data: dict[str, bool] = {}
        self._reads: dict[str, int] = {}
        """How often it was asked whether what is read of an image is read by the original."""
        self._throughout: dict[tuple[str, str, tuple[Poly, ...]], tuple[Dim, ...] | None] = {}
        """By a Func, an image and how often loops run: a box of the image that the original reads as a whole."""
        self._sure: dict[tuple[int, str, bool], list[tuple[Poly, tuple[Expr, ...]]]] = {}
        stated = [i.condition for i in summary.contract if i.condition is not None]
        self.contract = [self.index.given(c) for c in (*stated, *summary.conditions)]
        self.contract += [self.index.poly(i.bound) <= i.most for i in summary.contract if i.bound is not None]
        plain = [i.condition for i in summary.contract if i.condition is not None and i.kind != "overflow"]
        self.plain = [self.index.given(c) for c in (*plain, *summary.conditions)]
        sums = [i for i in summary.contract if i.bound is not None and all(len(m) < 2 for m in i.bound.terms)]
        self.plain += [self.index.poly(i.bound) <= i.most for i in sums if i.bound is not None]
        self.known = plain

    def non_negative(self, p: Poly, assumptions: list[Any]) -> bool:
        """Whether p >= 0 is proved under the assumptions."""
        _, known = self._signs.setdefault(tuple(a.get_id() for a in assumptions), (assumptions, {}))
        if p not in known:
            # Without what bounds products of sizes: it is of no use here, and makes refutations slow.
            query = Query((*self.plain, *self.index.facts, *assumptions), self.index.poly(p) >= 0)
            known[p] = isinstance(prove(query, 2.0), Proved)
        return known[p]

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
        if condition is None or loads(condition):
            return []
        return [self.index.given(condition)]

    def guard(self, e: Effect, m: EffectMap | None, rename: Mapping[str, Poly] | None = None) -> list[Any]:
        """That an effect's guard holds: an assumption about its iteration, or, where `rename` says which iteration is
        meant, a claim."""
        if e.guard is None or (m is not None and m.guard_in_value):
            return []
        try:
            guard = e.guard if not loads(e.guard) else self.keyed(e.guard, e)
        except Unresolved:
            return []  # nothing is known; that it sees no one thing is a condition of its own
        if rename:
            guard = substitute(guard, {n: from_poly(p, I32) for n, p in rename.items()})
        if rename is None:
            return [self.index.given(guard)]
        if self.index.faithful(guard):
            return [self.index.expr(guard)]
        needed, read = self.index.reading(guard)
        return [*needed, read]

    def in_box(self, f: FuncSummary | InputSummary, coords: tuple[Poly, ...]) -> list[Any]:
        return self.within_dims(f.layout.dims, coords)

    def within_dims(self, dims: tuple[Dim, ...], coords: tuple[Poly, ...]) -> list[Any]:
        out = []
        for d, c in zip(dims, coords, strict=True):
            out.append(self.index.poly(c) >= self.index.poly(d.min))
            out.append(self.index.poly(c) < self.index.poly(d.min + d.extent))
        return out

    def instance(self, f: FuncSummary, d: Definition, m: EffectMap) -> dict[str, Expr]:
        """The definition's coordinates at one iteration of an effect."""
        values: dict[str, Expr] = {}
        for dim, c in zip(f.layout.dims, m.coords, strict=True):
            values[dim.name] = from_poly(c, I32)
        for r, p in zip(d.rdom, m.rvars, strict=True):
            values[r.name] = from_poly(p, I32)
        counters = self.by_order[m.order].counters
        sums = [e for e in values.values() if not isinstance(e, Variable) and mentions(e, set(counters))]
        self._places |= {key(e): to_poly(e) for e in sums}
        return values

    def keyed(self, e: Expr, site: Effect | None) -> Expr:
        """`e` with every Load renamed after what it sees, so that equal reads are equal expressions."""
        identity = (key(e), None if site is None else site.order)
        if identity not in self._keyed:
            self._keyed[identity] = self._renamed(e, site)
        return self._keyed[identity]

    def _renamed(self, e: Expr, site: Effect | None) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if is_read(n):
                seen = see(n, site, self.path, self.groups, self.stands_apart)
                version = seen.group.name if seen.group is not None else "initial"
                if seen.rivals and site is not None:
                    first = len(self.out)
                    self.not_yet_written(n, site, seen.index, seen.rivals)
                    if self.same_again(n, site, seen.rivals) and not all(map(self.proved, self.out[first:])):
                        del self.out[first:]
                        text = f"line {site.line}: where {seen.array} was written before, it stays as it is"
                        self.decide(seen.array, "not-yet-written", text, True)
                return self.read_of(n, seen.array, version, seen.index, seen.private)
            return n

        return transform(e, rewrite)

    def read_of(self, n: Expr, array: str, version: str, index: Poly, private: tuple[Poly, ...]) -> Load:
        """A read of what a version of an array holds, new in each iteration of the counters `private`."""
        name = f"{array}#{version}" + "".join(f"|{p}" for p in private)
        self._versions[name] = f"{array}#{version}", private
        return Load(n.type, name, from_poly(index, I64))

    def version(self, load: Load) -> tuple[str, tuple[Poly, ...]]:
        """Which version of an array a read sees, and the iteration in which that is new."""
        return self._versions.get(load.name, (load.name, ()))

    def not_yet_written(self, load: Load, site: Effect, index: Poly, rivals: tuple[Effect, ...]) -> None:
        """No store of the same nest has written the location that `load` reads by the time it reads it."""
        time = time_of(load)
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
            if rival.order < time:
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

    def same_again(self, load: Load, site: Effect, rivals: tuple[Effect, ...]) -> bool:
        """Whether a store makes of its element, read by `load`, what it would make of that again (a row's last
        register, `d[x] = max(d[x], s[x])`), and only stores of its own definition may have written the element before.

        Whatever store of the definition comes first finds the element as it was and leaves what the definition says;
        each later one finds that, and leaves it."""
        group = next((g for g in self.groups if site.order in g.orders), None)
        if group is None or group.array != site.array or group.updates:
            return False
        info = self.path.arrays.get(site.array)
        if len(group.private) > (len(info.loops) if info is not None else 0):
            return False  # what an earlier iteration has left there is another one's
        if any(r.order not in group.orders for r in rivals):
            return False
        own = [n for n in loads(site.value) if array_of(n) == site.array]
        if any(key(n) != key(load) for n in own) or to_poly(load.index) != site.index:
            return False
        if site.guard is not None and any(array_of(n) == site.array for n in loads(site.guard)):
            return False
        again = transform(site.value, lambda n: site.value if key(n) == key(load) else n)
        return isinstance(decide_lemma(again, site.value, (), self.inline), Proved)

    @staticmethod
    def proved(c: Condition) -> bool:
        return c.holds if c.query is None else isinstance(prove(c.query, 2.0), Proved)

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

    def stands_apart(self, e: Effect, site: Effect, index: Poly, same: Collection[str]) -> bool:
        """Whether a store of a Func is never, in whatever iteration in which some counters are the `same`, to the
        element at `index` that `site` writes or reads: both lie in the box, at coordinates that differ along one
        dimension."""
        f = next(f for f in self.summary.funcs if e.order in f.orders())
        one, other = self.coordinates(f, e.index), self.coordinates(f, index)
        if one is None or other is None or any(reads_memory(a) for p in (*one, *other) for a in p.atoms().values()):
            return False
        rename = {c: Poly.variable(c + "'", I32) for c in e.counters if c not in same}
        one = tuple(p.substitute(rename) for p in one)
        inside = [*self.domain(e.loops, rename), *self.domain(site.loops)]
        gaps = [d for a, b in zip(one, other, strict=True) for d in (a - b, b - a)]
        if not any(self.non_negative(d - Poly.constant(1), inside) for d in gaps):
            return False
        both = self.index.all_of([*self.in_box(f, one), *self.in_box(f, other)])
        return isinstance(prove(Query((*self.plain, *self.index.facts, *inside), both), 2.0), Proved)

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

    def read_calls(self, e: Expr) -> Expr:
        """`e` with Func and image calls replaced by keyed reads of the elements they denote."""
        layouts = self.summary.layouts()

        def rewrite(n: Expr) -> Expr:
            if not isinstance(n, Call) or n.call_type not in (CallType.HALIDE, CallType.IMAGE):
                return n
            layout = layouts[n.name]
            coords = tuple(to_poly(a) for a in n.args)
            version = n.name if n.call_type is CallType.HALIDE else "initial"
            private = layout.private(coords)[::-1]
            return self.read_of(n, layout.array, version, layout.index(coords), private)

        return transform(e, rewrite)

    def inline(self, call: Call) -> Expr | None:
        return inline_call(call, self.function.functions)


def groups_of(summary: PathSummary, path: Path) -> list[Group]:
    """The groups of effects that the Funcs of a summary account for."""
    by_order = {e.order: e for e in path.effects}
    groups = []
    for f in summary.funcs:
        count = sum(d.stride is None for d in f.layout.dims)
        orders = frozenset(f.orders())
        first = by_order[min(orders)] if orders else None
        private = first.counters[:count] if first is not None else ()
        maps = [m for d in f.definitions if d.update for m in d.maps]
        updates = frozenset(m.order for m in maps)
        kept = frozenset(k for d in f.definitions for m in d.maps for k in slices(f.layout, m, by_order, d))
        groups.append(Group(f.name, f.layout.array, orders, private, updates, kept))
    return groups


def slices(
    layout: Layout, m: EffectMap, by_order: Mapping[int, Effect], d: Definition | None = None
) -> list[tuple[int, str, str]]:
    """The dimensions along which a store stays, in each iteration of a counter, at that counter's coordinate; of a
    definition that is an update, pure ones only."""
    lengths = {len(m.coords), len(layout.dims), *([len(d.args)] if d is not None else [])}
    if m.order not in by_order or len(lengths) > 1:
        return []
    out = []
    for k, (dim, at) in enumerate(zip(layout.dims, m.coords, strict=True)):
        if d is not None and d.update and not (isinstance(a := d.args[k], Variable) and a.name == dim.name):
            continue
        found = [c for c in by_order[m.order].counters if at == Poly.variable(c, I32) + dim.min]
        out += [(m.order, dim.name, c) for c in found if dim.stride is not None]
    return out


def point_text(coords: tuple[Poly, ...]) -> str:
    return ", ".join(poly_text(c) for c in coords)


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
