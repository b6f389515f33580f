"""Symbolic execution of expressions and of memory: what is stored waits until a read asks for it."""

from __future__ import annotations

from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    I64,
    LE,
    LT,
    NE,
    Call,
    CallType,
    Cast,
    Expr,
    Load,
    Or,
    Select,
    Variable,
    const,
    const_value,
)
from halide_core.ir.structural import contains, key, post_order, transform, variables
from halide_core.ir.types import Type
from lifter.algebra.address_polynomial import address_poly
from lifter.algebra.conditional_sums import added_where, extremum
from lifter.algebra.euclidean_remainder import euclidean
from lifter.algebra.fold import clauses, conjunction, fold, fold_node, is_tautology, is_true, negate, parts, where_holds
from lifter.algebra.polynomial import Obligation, Poly, atom_of, from_poly, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, loads
from lifter.ir.inline_pure_calls import inline_all, inline_call
from lifter.ir.names import array_of, is_address, is_counter, is_undefined, timed, undefined_name
from lifter.simd.simplify import simplify_node
from lifter.symexec.guarded_places import exclude, is_there
from lifter.symexec.index_set_splitting import Fact, turn_of, turning_points
from lifter.symexec.state import NeedTurns, PendingStore, Plan, Questions, State, both
from lifter.symexec.table_choices import tables_as_choices


class Memory:
    """Evaluates expressions of one function, reads and writes what it has stored."""

    def __init__(self, function: L.Function, plan: Plan, ask: Questions) -> None:
        self.function = function
        self.plan = plan
        self.ask = ask
        self.decide, self.follows = ask.decide, ask.follows
        self.nest: list[tuple[L.Loop, str]] = []
        """The loops around what is executed, outermost first, with their counters."""
        self.facts: dict[int, tuple[L.Loop, tuple[Fact, ...]]] = {}
        """Of loops that are part of one of the source: what is known in their iterations."""
        self.fresh = 0
        self.tidy = simplify_node if function.uses_registers else fold_node

    def type_of(self, name: str) -> Type:
        for p in self.function.params:
            if p.name == name:
                return I64 if p.pointer else p.type
        return self.function.locals[name]

    def value(self, e: Expr, s: State) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Variable) and not is_address(n.name):
                n = self.read(s, n.name, n.type)
                answer = self.decided(n, s) if s.conditions and n.type.is_bool() else None
                return n if answer is None else const(int(answer), BOOL)
            if isinstance(n, Load):
                return self.load(s, n)
            if isinstance(n, Call) and n.call_type is CallType.FUNCTION and self.is_setting(n):
                body = inline_call(n, self.function.functions)
                assert body is not None
                return fold(inline_all(body, self.function.functions))
            n = self.remainder(self.tidy(n), s)
            if s.conditions and isinstance(n, EQ | NE | LT | LE | GT | GE | Variable | Cast) and n.type.is_bool():
                answer = self.decided(n, s)
                return n if answer is None else const(int(answer), BOOL)
            return n

        return transform(e, rewrite)

    def remainder(self, e: Expr, s: State) -> Expr:
        """A remainder that is never negative by that name."""
        found = euclidean(e)
        if found is None:
            return e
        positive = Obligation(to_poly(found[1]) - Poly.constant(1), None)
        s.obligations.append(FoundObligation(positive, s.loops, both(s.guard, s.live), 0))
        return found[0]

    def decided(self, test: Expr, s: State) -> bool | None:
        """What the path's conditions say of a test."""
        known = {key(c) for c in s.conditions}
        if all(key(c) in known for c in clauses(test)):
            return True
        excluded = isinstance(test, EQ) and any(
            isinstance(c, EQ) and key(c.a) == key(test.a) and _differ(c.b, test.b) for c in s.conditions
        )
        return False if excluded or all(key(c) in known for c in clauses(negate(test))) else None

    def is_setting(self, call: Call) -> bool:
        """Whether a pure function is called with parameters only: what bounds and steps are made of, not pixels."""
        if self.function.functions[call.name].from_model:
            return False
        names = {p.name for p in self.function.params}
        return all(variables(a) <= names for a in call.args) and not any(loads(a) for a in call.args)

    def declare_cell(self, s: State, name: str, line: int, loops: tuple[LoopInfo, ...]) -> None:
        """Gives a variable a cell that is new in each iteration of `loops`."""
        s.arrays[name] = ArrayInfo(name, Poly.constant(1), loops, line, cell=True)

    def set(self, s: State, name: str, value: Expr) -> None:
        """Gives a variable a value; it keeps its own in an iteration that `continue` has ended."""
        if s.live is not None:
            old = s.env.get(name, Variable(value.type, undefined_name(name)))
            value, old = where_holds(value, s.live), where_holds(old, negate(s.live))
            more = added_where(s.live, value, old)
            value = more if more is not None else fold_node(Select(value.type, s.live, value, old))
        s.env[name] = value

    def read(self, s: State, name: str, type_: Type) -> Expr:
        if name in self.plan.cells:
            if name not in s.arrays:
                return Variable(type_, undefined_name(name))
            return self.load(s, Load(type_, name, const(0, I64)))
        value = s.env.get(name, Variable(type_, undefined_name(name)))
        guard = both(s.guard, s.live)
        # What is read here counts only where this code runs, so of a choice made before `continue` the live arm.
        while (arm := _live_arm(value, guard)) is not value:
            value = arm
        if s.live is not None and any(isinstance(n, Variable) and is_undefined(n.name) for n in post_order(value)):
            value = transform(value, lambda n: _live_arm(n, guard))
        return value

    def load(self, s: State, e: Load) -> Expr:
        table = self.function.tables.get(e.name)
        if table is not None:
            position = const_value(e.index)
            if position is not None and 0 <= position < len(table.values):
                return const(table.values[int(position)], e.type)
            return self.memory(s, e, self.index_poly(e.index, s, 0))
        return self.load_at(s, e, self.index_poly(e.index, s, 0), _MOST_ROW_CHOICES)

    def load_at(self, s: State, e: Load, index: Poly, choices: int) -> Expr:
        chosen = row_choice(index) if choices else None
        if chosen is not None:
            condition, yes, no = chosen
            a, b = (self.load_at(s, e, i, choices - 1) for i in (yes, no))
            return fold_node(Select(e.type, condition, a, b))
        here = both(s.guard, s.live)
        for p in [p for p in s.pending if p.array == e.name]:
            if exclude(p.guard, here):
                continue  # another arm's
            difference = p.index.distance_from(index)
            if difference is None:
                self.flush(s)
                break
            if difference == 0:
                if p.guard is None or _implies(here, p.guard):
                    return p.value
                return fold_node(Select(e.type, p.guard, p.value, self.memory(s, e, index)))
        stored = self.stored_before(s, e.name, index)
        return self.memory(s, e, index) if stored is None else stored

    def stored_before(self, s: State, array: str, index: Poly) -> Expr | None:
        """The value that an element of a local array was given once for all iterations of the loops around the read: a
        constant pattern in words, weights.  Of values that read memory only short ones, for they are computed anew."""
        place = index.constant_value()
        if place is None or array not in s.arrays or s.arrays[array].cell:
            return None
        for e in reversed(s.effects):
            if e.array != array:
                continue
            there = e.index.constant_value()
            if there is None:
                return None
            if there == place:
                again = [loop for loop, counter in self.nest if counter not in e.counters]
                changed = {x.array for x in L.walk(again) if isinstance(x, L.Store)}
                changed |= self.plan.cells & {x.name for x in L.walk(again) if isinstance(x, L.Assign)}
                kept = {array, *(array_of(n) for n in loads(e.value))}
                same = e.loops == s.loops[: len(e.loops)] and not changed & kept
                return e.value if e.guard is None and same and _is_short(e.value) else None
        return None

    def memory(self, s: State, e: Load, index: Poly) -> Load:
        return Load(e.type, timed(e.name, s.clock), from_poly(index))

    def index_poly(self, e: Expr, s: State, line: int) -> Poly:
        """An address, in elements."""
        place = const_value(e)
        if place is not None:
            return Poly.constant(int(place))
        if self.function.tables:
            e = self.by_choices(e, s, line)
        found: list[Obligation] = []
        # A pure function (a clamp) is looked into where that brings no arithmetic that may wrap (a hash).
        p = address_poly(fold(inline_all(e, self.function.functions)), found)
        if found and p != to_poly(e) and not self.concern_parameters(found):
            found = []
            p = address_poly(e, found)
        guard = both(s.guard, s.live)
        for o in found:
            where = both(guard, conjunction(list(o.conditions)))
            s.obligations.append(FoundObligation(o, s.loops, where, line))
        return p

    def by_choices(self, e: Expr, s: State, line: int) -> Expr:
        """What decides how often a loop runs, which one, or where memory is touched, with choices for what parameters
        pick from tables."""
        found: list[Obligation] = []
        e = tables_as_choices(e, self.function.tables, found)
        s.obligations.extend(FoundObligation(o, s.loops, both(s.guard, s.live), line) for o in found)
        return e

    def concern_parameters(self, found: list[Obligation]) -> bool:
        """Whether all that is asked for is that signed arithmetic does not overflow, or the signs of numbers over the
        parameters, which the contract can promise."""
        names = {p.name for p in self.function.params if not p.pointer}

        def harmless(o: Obligation) -> bool:
            if o.type is not None and o.type.is_int() and o.type.bits >= 32:
                return True
            if any(map(loads, o.poly.atoms().values())):
                return False
            counted = all(is_counter(n) for n in o.poly.names()) and all(c > 0 for c in o.poly.terms.values())
            return o.poly.names() <= names or (o.type is None and counted)

        return all(map(harmless, found))

    def check_turns(self, index: Poly) -> None:
        """Asks for a loop to be executed in parts where the choice in a store's address turns with its counter."""
        turn = turn_of(index)
        names = variables(turn) if turn is not None else set()
        for loop, counter in reversed(self.nest):
            if counter in names and id(loop) not in self.facts and turning_points(loop):
                raise NeedTurns(loop)

    def store(self, s: State, array: str, index: Poly, value: Expr, line: int) -> None:
        guard = both(s.guard, s.live)
        self.check_turns(index)
        waiting = [p for p in s.pending if p.array == array]
        for p in waiting:  # arms that store to one place, each in its own words
            if p.index != index and is_there(index, p.guard, p.index, s.loops):
                p.index = index
            elif p.index != index and is_there(p.index, guard, index, s.loops):
                index = p.index
        same = [p for p in waiting if p.index == index]
        apart = [p for p in waiting if p.index != index and not exclude(p.guard, guard)]
        if any(p.index.distance_from(index) is None for p in apart):
            self.flush(s)
            same = []
        if not same:
            s.pending.append(PendingStore(array, index, value, guard, line))
            return
        first, *others = same
        for p in others:
            _overwrite(first, p)
            s.pending = [x for x in s.pending if x is not p]
        rewritten = any(contains(e, Load) for e in (value, guard) if e is not None)
        _overwrite(first, PendingStore(array, index, value, guard, line, rewritten))

    def flush(self, s: State) -> None:
        pending, s.pending = s.pending, []
        for p in pending:
            self.emit(s, p, s.loops)

    @staticmethod
    def asks_of(condition: Expr, p: PendingStore) -> bool:
        """Whether a condition reads of a store's array the element that is stored to, and no other."""
        read = [n for n in loads(condition) if array_of(n) == p.array]
        return bool(read) and all(to_poly(n.index) == p.index for n in read)

    def emit(self, s: State, p: PendingStore, loops: tuple[LoopInfo, ...]) -> None:
        guard, value = None if is_true(p.guard) else p.guard, p.value
        data = [c for c in parts(guard) if loads(c)]
        places = [c for c in parts(guard) if not loads(c)]
        if data and places and all(not isinstance(n, Load) for a in p.index.atoms().values() for n in post_order(a)):
            # Where the data say no, the element keeps its value; which elements there are is not for them to say.
            condition = conjunction(data)
            assert condition is not None
            value = Select(value.type, condition, value, Load(value.type, timed(p.array, s.clock), from_poly(p.index)))
            guard = conjunction(places)
        elif own := [c for c in data if self.asks_of(c, p)]:
            # Whether an element changes is asked of the element itself: it stays where the answer is no.
            condition = conjunction(own)
            assert condition is not None
            value = Select(value.type, condition, value, Load(value.type, timed(p.array, s.clock), from_poly(p.index)))
            guard = conjunction([c for c in parts(guard) if all(c is not x for x in own)])
        s.effects.append(Effect(p.array, p.index, value, guard, loops, s.clock, p.line, p.rewritten))
        s.clock += 1


def _overwrite(p: PendingStore, later: PendingStore) -> None:
    """Makes of a store one that is followed by another one to the same place."""
    p.rewritten |= later.rewritten
    if later.guard is None:
        p.value, p.guard = later.value, None
    else:
        p.value = extremum(fold_node(Select(later.value.type, later.guard, later.value, p.value)))
        p.guard = _or(p.guard, later.guard)
    p.line = later.line


def _is_short(e: Expr) -> bool:
    """Whether a value reads no memory, or is a word of a few bytes read and shifted."""
    return not loads(e) or (e.type.is_int_or_uint() and len(list(post_order(e))) <= _MOST_NODES)


def _differ(a: Expr, b: Expr) -> bool:
    x, y = const_value(a), const_value(b)
    return x is not None and y is not None and x != y


def _or(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return None
    one, two = {key(c): c for c in parts(a)}, {key(c): c for c in parts(b)}
    # What the other one denies as a whole is no part of what both are.
    for mine, other, whole in ((one, two, b), (two, one, a)):
        denied = key(negate(whole))
        if denied in mine:
            del mine[denied]
        if mine.keys() <= other.keys():
            return conjunction(list(mine.values()))
    shared = one.keys() & two.keys()
    first, second = ([c for k, c in g.items() if k not in shared] for g in (one, two))
    if len(first) == len(second) == 1 and key(negate(first[0])) == key(second[0]):
        return conjunction([c for k, c in one.items() if k in shared])
    result = fold_node(Or(BOOL, a, b))
    return None if is_true(result) or is_tautology(result) else result


def _implies(a: Expr | None, b: Expr) -> bool:
    """Whether guard `a` holds `b` among its conjuncts."""
    wanted = {key(c) for c in parts(b)}
    return wanted <= {key(c) for c in parts(a)}


def _live_arm(e: Expr, guard: Expr | None) -> Expr:
    """What `e` is where `guard` holds, if it is a choice by something that the guard holds, or denies."""
    if isinstance(e, Select) and _implies(guard, e.condition):
        return e.true_value
    if isinstance(e, Select) and _implies(guard, negate(e.condition)):
        return e.false_value
    return e


_MOST_NODES = 64
# Each choice between rows doubles the reads.
_MOST_ROW_CHOICES = 2


def row_choice(index: Poly) -> tuple[Expr, Poly, Poly] | None:
    """(condition, the address where it holds, where not) of an address whose row depends on a condition on counters and
    parameters: a pointer to the row above, or to this one at the border."""
    for m, coefficient in index.terms.items():
        e = atom_of(m[0]) if len(m) == 1 else None
        if not isinstance(e, Select) or contains(e, Load):
            continue
        first, *others = _arms(e)
        apart = [arm - first for arm in others]
        if any(p.constant_value() is None for p in apart) and not any(
            is_counter(n) for p in apart for n in p.names()
        ):
            rest = index - Poly({m: coefficient})
            yes, no = to_poly(e.true_value), to_poly(e.false_value)
            return e.condition, rest + yes.scale(coefficient), rest + no.scale(coefficient)
    return None


def _arms(e: Expr) -> list[Poly]:
    """What a choice may choose, those of the choices in its arms included: the row two above, one above, or this."""
    p = to_poly(e)
    (monomial,) = p.terms if len(p.terms) == 1 else ((),)
    inner = atom_of(monomial[0]) if len(monomial) == 1 and p.terms[monomial] == 1 else None
    return [*_arms(inner.true_value), *_arms(inner.false_value)] if isinstance(inner, Select) else [p]
