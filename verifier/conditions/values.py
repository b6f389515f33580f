"""Conditions on values: a definition gives what the original stores, and the result what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halide_core.ir.expr import (
    EQ,
    I32,
    NE,
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
from halide_core.ir.structural import cached, contains, key, post_order, substitute, variables
from lifter.algebra.fold import fold, negate, parts
from lifter.algebra.polynomial import Poly, atom_of, from_poly, to_poly
from lifter.algebra.symbolic_intervals import settled
from lifter.ir.effects import Effect, loads, loads_of
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.names import array_of, timed
from lifter.ir.summary import Definition, EffectMap, FuncSummary
from verifier.algebra.lemmas import apply_steps, decide_lemma, lemma_query, part_by_part, same_exactly
from verifier.algebra.normal_form import normal_form
from verifier.conditions.base import Condition, counters_in_range, point_text
from verifier.conditions.reads import ReadConditions
from verifier.memory_states import Unresolved, unconditional_loads
from verifier.replay import differs
from verifier.smt import Proved, Query, ValueEncoder, prove

_CHOICE_SECONDS = 0.5


def arm_at(e: Expr, instance: Mapping[str, Expr]) -> Expr:
    """What choices by coordinates come to where these are numbers: a block's element, of which each has its own."""
    numbers = {name: value for name, value in instance.items() if const_value(value) is not None}
    while isinstance(e, Select) and variables(e.condition) <= numbers.keys() and not contains(e.condition, Load, Call):
        holds = const_value(fold(substitute(e.condition, numbers)))
        if holds is None:
            break
        e = e.true_value if holds else e.false_value
    return e


class ValueConditions(ReadConditions):
    """Equality of values, in the chain of steps that a definition lists."""

    def values(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> None:
        """The value written is the summary's expression; every terminal is defined where it is read."""
        if self.value(f, d, e, m):
            self.terminals(f, d, e, m, self.instance(f, d, m), self.touched(e, m))

    def applied(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> None:
        """An update is made exactly where the original's store is; its condition reads what the original's reads."""
        text = f"line {e.line}: {f.name} is updated where the original stores to it"
        if d.where is None or e.guard is None:
            self.decide(f.name, "guard", text, False)
            return
        asking = replace(e, value=e.guard, guard=None, index=Poly())
        try:
            left = self.keyed(e.guard, e)
        except Unresolved as problem:
            self.decide(f.name, "reads", f"line {e.line}: {problem}", False)
            return
        instance = self.instance(f, d, m)
        right = self.read_calls(substitute(d.where, instance))
        right = self.unclamp(right, left, self.domain(e.loops))
        self.equal_values(f.name, text, left, right, counters_in_range(e.loops), e.line)
        self.terminals(f, replace(d, value=d.where, args=(), where=None), asking, m, instance, e.guard)

    def touched(self, e: Effect, m: EffectMap) -> Expr:
        """What a store evaluates: where its guard is not on data alone, nothing of the element that it leaves."""
        if e.guard is None or not m.guard_in_value or all(map(loads, parts(e.guard, And))):
            return _written(e, m)
        return Select(e.value.type, e.guard, e.value, const(0, e.value.type))

    def value(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> bool:
        """The value written is the summary's expression.  False where a read sees no one thing."""
        where = f"line {e.line}"
        left = self.reads(f, e, m)
        if left is None:
            return False
        instance = self.instance(f, d, m)
        whole = d.origin if d.origin is not None else d.value
        right = self.read_calls(substitute(arm_at(whole, instance), instance))
        last = self.stays(f, d, e, m)
        inside = [*self.domain(e.loops), *self.guard(e, m), *last]
        if last and self.impossible(inside):
            self.decide(f.name, "value", f"{where}: what is written is written over", True)
            return True
        unclamped = self.unclamp(right, left, inside, bool(last))
        if unclamped is not right:
            left, right = self.decided(left, inside), unclamped
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

    def stays(self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap) -> list[Any]:
        """That no later store of the definition takes the place of what `e` stores: only what stays is to be the
        summary's, where nothing reads the array (a row's first pixel, stored with a register and set to zero
        afterwards).

        Of the stores to an element the last one is followed by none, so that the element is what that one stores."""
        if len(f.definitions) != 1 or d.update or any(x.guard_in_value for x in d.maps):
            return []
        outputs = {p.name for p in self.function.params if p.pointer}
        if f.layout.array not in outputs or self.is_read(f.layout.array):
            return []
        place = {dim.name: c for dim, c in zip(f.layout.dims, m.coords, strict=True)}
        out = []
        for later in (x for x in d.maps if x.order > e.order):
            other = self.by_order[later.order]
            if set(later.inverse) != set(other.counters) or (other.guard is not None and loads(other.guard)):
                continue
            at = {counter: p.substitute(place) for counter, p in later.inverse.items()}
            # A claim at each step: what is assumed is that they do not all hold.
            met = [*self.domain(other.loops, at), *self.guard(other, later, at)]
            for mine, its in zip(m.coords, later.coords, strict=True):
                met.append(self.index.poly(its.substitute(at)) == self.index.poly(mine))
            for a, b in zip(e.loops, other.loops, strict=False):
                if a.counter != b.counter:
                    break
                met.append(self.index.poly(at[a.counter]) == self.index.symbol(a.counter))
            out.append(self.index.negate(self.index.all_of(met)))
        return out

    def impossible(self, assumptions: list[Any]) -> bool:
        query = Query((*self.plain, *self.index.facts, *assumptions), self.index.any_of([]))
        return isinstance(prove(query, 2.0), Proved)

    def is_read(self, array: str) -> bool:
        """Whether the path reads an array at any time."""
        return any(array_of(n) == array for n in loads_of(self.path))

    def unclamp(self, e: Expr, original: Expr, inside: list[Any], decide: bool = False) -> Expr:
        """Reads under a condition whose address is, under that condition, one that the original reads: `original`'s
        read in their place.  (`select(x > 0, src(max(x - 1, 0)), ...)` reads src(x - 1) where it matters.)  With
        `decide` choices that have one answer are made even where all reads are the original's, as they are where the
        original knows no such choice of coordinates."""
        there = {key(n): n for n in post_order(original) if isinstance(n, Load)}
        choices = {key(n.condition): n.condition for n in post_order(original) if isinstance(n, Select)}
        asked = (n.condition for n in post_order(e) if isinstance(n, Select))
        decide = decide or any(key(c) not in choices and not loads(c) for c in asked)
        if not decide and all(key(n) in there for n in post_order(e) if isinstance(n, Load)):
            return e

        order = {key(n): k for k, n in enumerate(n for n in post_order(e) if isinstance(n, Load))}
        near = {k: n for k, n in enumerate(there.values())}

        def like(n: Load) -> list[Load]:
            """The original's reads, those first that come where `n` comes in `e`."""
            return [near[k] for k in sorted(near, key=lambda k: abs(k - order.get(key(n), 0)))]

        by_data = any(isinstance(n, Load) and key(n) not in there and loads(n.index) for n in post_order(e))

        def visit(n: Expr, assumptions: list[Any], given: tuple[Expr, ...], memo: dict[int, Expr]) -> Expr:
            if id(n) not in memo:
                memo[id(n)] = rewritten(n, assumptions, given, memo)
            return memo[id(n)]

        def rewritten(n: Expr, assumptions: list[Any], given: tuple[Expr, ...], memo: dict[int, Expr]) -> Expr:
            if isinstance(n, Select):
                known = self.known_here(n.condition, assumptions)
                if known is not None:
                    return visit(n.true_value if known else n.false_value, assumptions, given, memo)
                arms = []
                for arm, holds in ((n.true_value, True), (n.false_value, False)):
                    more = self.assume_known(n.condition, holds, assumptions)
                    data = by_data and bool(loads(n.condition))
                    case = (*given, n.condition if holds else negate(n.condition)) if data else given
                    arms.append(visit(arm, [*assumptions, *more], case, {} if more or data else memo))
                condition = self.same_choice(n.condition, choices, assumptions)
                if condition is None:
                    condition = visit(n.condition, assumptions, given, memo)
                return Select(n.type, condition, *arms)
            if isinstance(n, And | Or):  # the second matters only where the first does not answer
                holds = isinstance(n, And)
                more = self.assume_known(n.a, holds, assumptions)
                data = by_data and bool(loads(n.a))
                case = (*given, n.a if holds else negate(n.a)) if data else given
                first = visit(n.a, assumptions, given, memo)
                second = visit(n.b, [*assumptions, *more], case, {} if more or data else memo)
                return with_children(n, (first, second))
            if isinstance(n, Load) and key(n) in there:
                return n
            if isinstance(n, Load):
                reads = like(n)
                found = self.looked_up(n, reads, given) if loads(n.index) else None
                same = self.one_of(n, reads, choices, assumptions) if found is None else found
                if same is not None:
                    return same
            return with_children(n, tuple(visit(c, assumptions, given, memo) for c in children(n)))

        return visit(e, inside, (), {})

    def decided(self, e: Expr, assumptions: list[Any]) -> Expr:
        """`e` with the choices made that have one answer under the assumptions, outside of addresses."""
        memo: dict[int, Expr] = {}

        def visit(n: Expr) -> Expr:
            if id(n) not in memo:
                known = self.known_here(n.condition, assumptions) if isinstance(n, Select) else None
                if known is not None and isinstance(n, Select):
                    memo[id(n)] = visit(n.true_value if known else n.false_value)
                elif isinstance(n, Load):
                    memo[id(n)] = n
                else:
                    memo[id(n)] = with_children(n, tuple(visit(c) for c in children(n)))
            return memo[id(n)]

        return visit(e)

    def looked_up(self, load: Load, reads: list[Load], given: tuple[Expr, ...]) -> Load | None:
        """The one of the original's `reads` at an address made of data that `load` is under conditions on data: what is
        looked up only where it lies in the table."""
        alike = [n for n in reads if self.version(n) == self.version(load) and n.index.type == load.index.type]
        for n in alike:
            if isinstance(decide_lemma(load.index, n.index, given, self.inline), Proved):
                return n
        return None

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
        rivals = [n for n in reads if self.version(n)[0] == self.version(load)[0]]

        def settled_alike(case: list[Any], equal: Mapping[str, Poly]) -> Load | None:
            place = self.settled_place(load, case, equal)
            return next((n for n in rivals if self.settled_place(n, case, equal) == place), None)

        def proved_alike(case: list[Any], equal: Mapping[str, Poly]) -> Load | None:
            return next((n for n in rivals if self.same_element(load, n, case)), None)

        for alike in (settled_alike, proved_alike):
            same = alike(assumptions, {})
            if same is not None:
                return same
            for condition in choices.values():
                found = []
                for holds in (True, False):
                    known = self.assume_known(condition, holds, assumptions)
                    found.append(alike([*assumptions, *known], _solved(condition, holds)) if known else None)
                if found[0] is not None and found[1] is not None:
                    return Select(load.type, condition, found[0], found[1])
        return None

    def same_choice(self, condition: Expr, choices: Mapping[int, Expr], assumptions: list[Any]) -> Expr | None:
        """The one of the original's `choices` that a condition about counters and parameters is: (3*x + c)/3 < 1 where
        the original asks for x < 1."""
        if key(condition) in choices or loads(condition) or not self.exact(condition, assumptions):
            return None
        given, wanted = (*self.contract, *self.index.facts, *assumptions), self.index.expr(condition)
        for other in choices.values():
            if loads(other) or not self.exact(other, assumptions):
                continue
            goal = self.index.expr(other) == wanted
            if isinstance(prove(Query(given, goal), _CHOICE_SECONDS), Proved):
                return other
        return None

    def exact(self, condition: Expr, assumptions: list[Any]) -> bool:
        """Whether no arithmetic in a condition of the summary wraps: there signed overflow is no one's promise.  How a
        coordinate is reckoned from counters is no arithmetic of the summary's."""
        given = (*self.contract, *self.index.facts, *assumptions)
        places: dict[str, Poly] = {}
        over = self.over_places(condition, places)
        found = [(o.poly.substitute(places), o.type) for o in self.index.obligations(over)]
        found += [(place, I32) for place in places.values()]
        for value, t in found:
            p = self.index.poly(value)
            goal = [p >= 0] if t is None else [p >= t.min(), p <= t.max()]
            if not isinstance(prove(Query(given, self.index.all_of(goal)), 2.0), Proved):
                return False
        return not any(n.type.is_float() for n in post_order(condition))

    def over_places(self, e: Expr, places: dict[str, Poly]) -> Expr:
        """`e` over one variable for each coordinate; what it stands for goes to `places`."""
        number = key(e)
        if number in self._places:
            name = f"place.{number}"
            places[name] = self._places[number]
            return Variable(e.type, name)
        return with_children(e, tuple(self.over_places(c, places) for c in children(e)))

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

    def settled_place(self, load: Load, assumptions: list[Any], equal: Mapping[str, Poly]) -> tuple[Poly, ...]:
        """The address of a read, with each min and max that the assumptions decide replaced by its operand, and the
        variables that they give a value by that."""
        places = (to_poly(load.index), *self.version(load)[1])
        return tuple(settled(p, lambda q: self.non_negative(q, assumptions)).substitute(equal) for p in places)

    def same_element(self, a: Load, b: Load, assumptions: list[Any]) -> bool:
        pairs = [(to_poly(a.index), to_poly(b.index))]
        pairs += zip(self.version(a)[1], self.version(b)[1], strict=True)
        if any((p - q).constant_value() for p, q in pairs):
            return False
        goal = self.index.all_of([self.index.poly(p - q) == 0 for p, q in pairs])
        # Without what bounds products of sizes: it does not tell elements apart, and is slow to refute.
        return isinstance(prove(Query((*self.plain, *self.index.facts, *assumptions), goal), 2.0), Proved)

    def equal_values(
        self, stage: str, text: str, left: Expr, right: Expr, inside: Sequence[Expr] = (), line: int = 0
    ) -> None:
        if same_exactly(left, right, (*self.known, *inside, *self.summary.conditions), self.inline):
            self.decide(stage, "value", text, True)
            return
        a, b = normal_form(left), normal_form(right)
        given = [normal_form(c) for c in (*self.known, *inside, *self.summary.conditions)]
        if part_by_part(a, b, given, self.inline):
            self.decide(stage, "value", text, True)
            return
        encoder = ValueEncoder(self.inline)
        facts = tuple(encoder.encode(c) for c in given)
        query = Query(facts, encoder.equal(a, b))
        inlined = [inline_all(x, self.function.functions) for x in (a, b)]
        self.out.append(
            Condition(
                stage, "value", text, query, line=line, replay=lambda model: differs(inlined[0], inlined[1], model)
            )
        )

    def chain(self, f: FuncSummary, d: Definition) -> None:
        """The steps from the expression as found to the one in the summary are equalities."""
        if d.origin is None:
            return
        facts = [i.condition for i in self.summary.contract if i.condition is not None and i.kind == "assert"]
        for number, (old, new) in enumerate(d.steps, 1):
            query = lemma_query(old, new, facts, self.inline)
            decided = decide_lemma(old, new, facts, self.inline)
            text = f"step {number}: {_text(old)} == {_text(new)}"
            self.out.append(Condition(f.name, "lemma", text, query, decided=decided))
        end = apply_steps(d.origin, d.steps)
        self.decide(
            f.name, "chain", "the steps lead from the expression found to the summary's", key(end) == key(d.value)
        )

    def result(self) -> None:
        """The return value."""
        if self.path.result is None:
            self.decide("result", "return", "nothing is returned", self.summary.result is None)
            return
        if self.summary.result is None:
            self.decide("result", "return", "the return value is in the summary", False)
            return
        foreign = variables(self.summary.result) - {p.name for p in self.function.params} - set(self.function.defined)
        if foreign:  # such as whether a pointer is null, which conditions alone may ask
            text = f"the return value is made of parameters and of {', '.join(sorted(foreign))}"
            self.decide("result", "scope", text, False)
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
                    f"{n.name}({point_text(coords)}) has been computed",
                    [],
                    self.index.all_of(self.in_box(self.summary.func(n.name), coords)),
                )
        self.result_reads(left, self.summary.result)
        right = self.read_calls(self.summary.result)
        self.equal_values("result", "the return value is the summary's", left, right)

    def result_reads(self, original: Expr, result: Expr) -> None:
        """The result reads images inside their boxes, at elements that the original reads too."""
        evaluated = unconditional_loads(original)
        for n in post_order(inline_all(result, self.function.functions)):
            if not isinstance(n, Call) or n.call_type is not CallType.IMAGE:
                continue
            image = next(i for i in self.summary.inputs if i.name == n.name)
            coords = tuple(to_poly(a) for a in n.args)
            text = f"{n.name}({point_text(coords)}) lies in the box of {n.name}"
            self.add("result", "within", text, [], self.index.all_of(self.in_box(image, coords)))
            here = self.read_calls(n)
            if key(here) not in evaluated and image.layout.array not in self.function.tables:
                text = f"{n.name}({point_text(coords)}) is read by the original too"
                ways = self.in_other_iterations(image.layout, coords)
                self.add("result", "readable", text, [], self.index.any_of(ways))


def _solved(condition: Expr, holds: bool) -> dict[str, Poly]:
    """A variable that an equation of numbers gives a value: `k == height - 1`."""
    if not isinstance(condition, EQ if holds else NE) or not condition.a.type.is_int_or_uint():
        return {}
    difference = to_poly(condition.a) - to_poly(condition.b)
    for m, c in difference.terms.items():
        atom = atom_of(m[0]) if len(m) == 1 else None
        if isinstance(atom, Variable) and abs(c) == 1:
            rest = (Poly({m: c}) - difference).scale(c)
            if atom.name not in rest.names():
                return {atom.name: rest}
    return {}


def _written(e: Effect, m: EffectMap) -> Expr:
    """The value of a store, what the element held where the guard says so included."""
    if e.guard is None or not m.guard_in_value:
        return e.value
    return Select(e.value.type, e.guard, e.value, Load(e.value.type, timed(e.array, e.order), from_poly(e.index)))


_MOST_NODES = 300
_SIZES: dict[int, int] = {}


def _text(e: Expr) -> str:
    """An expression for people, unless it is too long to be read: shared parts are printed each time."""
    size = cached(_SIZES, e, lambda _, inner: 1 + sum(inner))
    return str(e) if size <= _MOST_NODES else f"({e.type} of {size} terms and operations)"
