"""Symbolic execution of the loop language: closed forms for induction variables, effects for stores (DESIGN 3.3, 3.4).

Loops are not unrolled: each gets a counter, every variable that advances by a fixed step gets its closed form, and
a variable that carries a value in any other way becomes a cell, an array of one element, so that what is left is
stores only.  Loops of few, known iterations that carry values are unrolled instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    I32,
    I64,
    LE,
    LT,
    NE,
    And,
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
from halide_core.ir.structural import key, post_order, transform, variables
from halide_core.ir.types import Type
from lifter import loops as L
from lifter.breaks import without_breaks
from lifter.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, Path, loads, observed, split_tag
from lifter.fold import clauses, conjunction, fold, fold_node, is_true, negate, parts, undefined
from lifter.forks import guards_of_reads, must_fork, reshapes
from lifter.planes import unflatten
from lifter.poly import Obligation, Poly, address_poly, atom_of, by_parity, from_poly, smallest_of, to_poly
from lifter.pure_calls import inline_all, inline_call
from lifter.scan import expand_scans, widen_starts
from lifter.simd.simplify import simplify_node
from lifter.trip import NoTrip, trip_count
from lifter.turns import Fact, contrary, run_of, turn_of, turning_points

MAX_PATHS = 16
MAX_UNROLL = 64
FEW = 8
"""Iterations of a loop over the channels of a pixel, at the most."""
MAX_RESTARTS = 64


class _NeedCell(Exception):
    def __init__(self, name: str) -> None:
        self.name = name


class _NeedDefinition(Exception):
    def __init__(self, name: str, value: Poly) -> None:
        self.name, self.value = name, value


class _NeedUnroll(Exception):
    def __init__(self, loop: L.Loop) -> None:
        self.loop = loop


class _NeedTurns(Exception):
    def __init__(self, loop: L.Loop) -> None:
        self.loop = loop


@dataclass(slots=True)
class _Pending:
    array: str
    index: Poly
    value: Expr
    guard: Expr | None
    line: int
    # Whether it has replaced an earlier store of the iteration, with something read from memory.
    rewritten: bool = False


@dataclass(slots=True)
class _State:
    env: dict[str, Expr]
    live: Expr | None = None
    guard: Expr | None = None
    loops: tuple[LoopInfo, ...] = ()
    pending: list[_Pending] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    arrays: dict[str, ArrayInfo] = field(default_factory=dict)
    conditions: list[Expr] = field(default_factory=list)
    asserts: list[tuple[Expr, int]] = field(default_factory=list)
    obligations: list[FoundObligation] = field(default_factory=list)
    trips: list[tuple[LoopInfo, tuple[LoopInfo, ...], Expr | None]] = field(default_factory=list)
    uses: list[Expr] = field(default_factory=list)
    result: Expr | None = None
    result_line: int = 0
    returned: bool = False
    clock: int = 0
    defined: list[tuple[str, Poly, int]] = field(default_factory=list)

    def fork(self) -> _State:
        return replace(
            self,
            env=dict(self.env),
            pending=[replace(p) for p in self.pending],
            effects=list(self.effects),
            arrays=dict(self.arrays),
            conditions=list(self.conditions),
            asserts=list(self.asserts),
            obligations=list(self.obligations),
            trips=list(self.trips),
            uses=list(self.uses),
            defined=list(self.defined),
        )


Decide = Callable[[Sequence[Expr], Expr], bool | None]
"""What conditions on the parameters leave of another one: that it holds, that it does not, or None."""


Follows = Callable[[Sequence[Expr], Poly], bool]
"""Whether conditions on the parameters are known to make a polynomial over them zero or more."""


def execute(
    function: L.Function,
    decide: Decide = lambda _conditions, _test: None,
    follows: Follows = lambda _conditions, _poly: False,
) -> list[Path]:
    """All paths through the function's top-level conditionals, but for those that `decide` says are never taken.

    Raises loops.Unsupported for loops without closed form and for reads of values that were never given."""
    function = replace(function, body=without_breaks(function.body))
    cells: set[str] = set()
    unrolled: set[int] = set()
    turning: set[int] = set()
    reshaping = True
    defined: dict[str, Poly] = {}
    for _ in range(MAX_RESTARTS):
        try:
            return _Machine(function, cells, unrolled, turning, reshaping, defined, decide, follows).run()
        except _NeedDefinition as found:
            defined[found.name] = found.value
        except _TooManyPaths:
            if not reshaping:
                raise
            reshaping = False
        except _NeedCell as need:
            if need.name in cells:
                raise L.Unsupported(f"variable '{need.name}' has no closed form", function.line) from None
            cells.add(need.name)
        except _NeedUnroll as need_unroll:
            unrolled.add(id(need_unroll.loop))
        except _NeedTurns as need_turns:
            turning.add(id(need_turns.loop))
    raise L.Unsupported("values carried between iterations are too entangled", function.line)


class _TooManyPaths(L.Unsupported):
    """More paths than are followed."""


class _Machine:
    def __init__(
        self,
        function: L.Function,
        cells: set[str],
        unrolled: set[int],
        turning: set[int],
        reshaping: bool,
        defined: dict[str, Poly],
        decide: Decide,
        follows: Follows,
    ) -> None:
        self.function = function
        self.decide = decide
        self.follows = follows
        self.turning = turning
        self.running: list[tuple[L.Loop, str]] = []
        """The loops around what is executed, with their counters."""
        self.facts: dict[int, tuple[L.Loop, tuple[Fact, ...]]] = {}
        """Of loops that are part of one of the source: what is known in their iterations."""
        self.reshaping = reshaping
        self.defined = defined
        self.cells = cells
        self.unrolled = unrolled
        self.fresh = 0
        # The loops being executed, outermost first, by their counters.
        self.nest: list[tuple[str, L.Loop]] = []
        self.tidy = simplify_node if function.uses_registers else fold_node

    def run(self) -> list[Path]:
        env: dict[str, Expr] = {}
        for p in self.function.params:
            env[p.name] = const(0, I64) if p.pointer else Variable(p.type, p.name)
        for d in (d for d in L.walk(self.function.body) if isinstance(d, L.Define)):
            known = self.defined.get(d.name)
            env[d.name] = Variable(I64, d.name) if known is None else from_poly(known, I64)
        start = _State(env)
        for p in self.function.params:
            if p.name in self.cells:
                if p.pointer:
                    raise L.Unsupported(f"pointer '{p.name}' has no closed form", self.function.line)
                self.declare_cell(start, p.name, self.function.line)
                self.store(start, p.name, Poly(), Variable(p.type, p.name), self.function.line)
        finished: list[_State] = []
        self.exec_top(self.function.body, start, finished)
        return [unflatten(widen_starts(expand_scans(self.finish(s)))) for s in finished]

    def finish(self, s: _State) -> Path:
        self.flush(s)
        self.check_definitions(s)
        if s.result is not None:
            self.check_defined(s.result, s.result_line)
        for e in s.effects:
            self.check_defined(e.value, e.line)
            self.check_defined(from_poly(e.index), e.line)
            if e.guard is not None:
                self.check_defined(e.guard, e.line)
        return Path(
            tuple(s.conditions),
            tuple(observed(s.effects, {p.name for p in self.function.params if p.pointer}, s.result)),
            s.arrays,
            tuple(s.asserts),
            tuple(s.obligations),
            tuple(s.trips),
            s.result,
            s.result_line,
            dict(self.defined),
        )

    def check_definitions(self, s: _State) -> None:
        """Each local of `Define` is one number over the parameters, the same wherever it is met."""
        parameters = {p.name for p in self.function.params if not p.pointer}
        for name, value, line in s.defined:
            if not value.names() <= parameters or any(loads(a) for a in value.atoms().values()):
                raise L.Unsupported("rows whose length is not the same for all", line)
            known = self.defined.get(name)
            if known is None:
                raise _NeedDefinition(name, value)
            if known != value:
                raise L.Unsupported("rows or results of several lengths", line)

    def check_defined(self, e: Expr, line: int) -> None:
        for n in post_order(e):
            if isinstance(n, Variable) and undefined(n.name):
                name = n.name[1:]
                if name.startswith("after "):
                    raise _NeedCell(name.removeprefix("after "))
                raise L.Unsupported(f"'{name}' is read before it is given a value", line, "initialise it")

    # Top level: some conditionals fork the path.

    def exec_top(self, body: tuple[L.Stmt, ...], s: _State, finished: list[_State]) -> None:
        for position, stmt in enumerate(body):
            rest = body[position + 1 :]
            must = isinstance(stmt, L.If) and must_fork(stmt)
            if isinstance(stmt, L.If) and (must or (self.reshaping and reshapes(stmt, rest))):
                condition = self.value(stmt.condition, s)
                known = const_value(condition)
                if known is not None:
                    branch = stmt.then if known else stmt.otherwise
                    return self.exec_top((*branch, *rest), s, finished)
                if any(isinstance(n, Load) for n in post_order(condition)):
                    if must:
                        raise L.Unsupported(
                            "a condition on image data decides which loops run", stmt.line, "move it into the loop"
                        )
                    self.exec_stmt(stmt, s)
                    continue
                self.check_defined(condition, stmt.line)
                decided = self.decide(s.conditions, condition)
                if decided is not None:
                    return self.exec_top((*(stmt.then if decided else stmt.otherwise), *rest), s, finished)
                other = s.fork()
                s.conditions += clauses(condition)
                other.conditions += clauses(negate(condition))
                self.exec_top((*stmt.then, *rest), s, finished)
                return self.exec_top((*stmt.otherwise, *rest), other, finished)
            setting = self.setting(stmt, s) if isinstance(stmt, L.Loop) else None
            if setting is not None:  # what a parameter says not to read must not be read
                decided = self.decide(s.conditions, setting)
                if decided is not None:
                    s.conditions += clauses(setting if decided else negate(setting))
                    return self.exec_top((stmt, *rest), s, finished)
                other = s.fork()
                s.conditions += clauses(setting)
                other.conditions += clauses(negate(setting))
                self.exec_top((stmt, *rest), s, finished)
                return self.exec_top((stmt, *rest), other, finished)
            self.exec_stmt(stmt, s)
            if s.returned:
                break
        finished.append(s)
        if len(finished) > MAX_PATHS:
            raise _TooManyPaths(f"more than {MAX_PATHS} paths through the conditionals", self.function.line)

    def setting(self, loop: L.Loop, s: _State) -> Expr | None:
        """A condition on parameters inside a loop under which it reads arrays (a pointer that may be null, a mode), and
        which this path has not decided yet."""
        changed = {x.name for x in L.walk((loop,)) if isinstance(x, L.Assign)}
        for test in guards_of_reads(loop):
            if variables(test) & changed or any(isinstance(n, Load) for n in post_order(test)):
                continue
            here = self.value(test, s)
            fixed = const_value(here) is not None or any(
                isinstance(n, Load) or (isinstance(n, Variable) and (undefined(n.name) or n.name.startswith("k.")))
                for n in post_order(here)
            )
            if not fixed and self.decided(here, s) is None:
                return here
        return None

    def decided(self, test: Expr, s: _State) -> bool | None:
        """What the path's conditions say of a test."""
        known = {key(c) for c in s.conditions}
        if all(key(c) in known for c in clauses(test)):
            return True
        excluded = isinstance(test, EQ) and any(
            isinstance(c, EQ) and key(c.a) == key(test.a) and _differ(c.b, test.b) for c in s.conditions
        )
        return False if excluded or all(key(c) in known for c in clauses(negate(test))) else None

    # Statements.

    def exec_block(self, body: tuple[L.Stmt, ...], s: _State) -> None:
        for stmt in body:
            if s.live is not None and const_value(s.live) == 0:
                return
            self.exec_stmt(stmt, s)

    def exec_stmt(self, stmt: L.Stmt, s: _State) -> None:
        match stmt:
            case L.Assign():
                self.assign(s, stmt.name, self.value(stmt.value, s), stmt.line)
            case L.Store():
                index, value = self.value(stmt.index, s), self.value(stmt.value, s)
                self.store(s, stmt.array, self.index_poly(index, s, stmt.line), value, stmt.line)
            case L.If():
                self.exec_if(stmt, s)
            case L.Loop():
                self.exec_loop(stmt, s)
            case L.Declare():
                self.declare(stmt, s)
            case L.Define():
                self.define(stmt, s)
            case L.Continue():
                s.live = const(0, BOOL)
            case L.Assert():
                self.exec_assert(stmt, s)
            case L.Return():
                if s.loops or s.guard is not None:
                    raise L.Unsupported("return inside a loop", stmt.line)
                s.result = None if stmt.value is None else self.value(stmt.value, s)
                s.result_line = stmt.line
                s.returned = True
            case L.Break():
                raise L.Unsupported("break out of a loop", stmt.line)
            case _:
                raise L.Unsupported(type(stmt).__name__, stmt.line)

    def exec_assert(self, stmt: L.Assert, s: _State) -> None:
        condition = self.value(stmt.condition, s)
        if s.loops or any(isinstance(n, Load) for n in post_order(condition)):
            return  # only asserts on parameters become contract items; nothing is assumed from the others
        if s.guard is not None:
            condition = fold_node(Or(BOOL, negate(s.guard), condition))
        s.asserts.append((condition, stmt.line))

    def assign(self, s: _State, name: str, value: Expr, line: int) -> None:
        if name in self.cells:
            if name not in s.arrays:
                self.declare_cell(s, name, line)
            self.store(s, name, Poly(), value, line)
            return
        self.set(s, name, value)

    def set(self, s: _State, name: str, value: Expr) -> None:
        """Gives a variable a value; it keeps its own in an iteration that `continue` has ended."""
        if s.live is not None:
            old = s.env.get(name, Variable(value.type, "?" + name))
            value = fold_node(Select(value.type, s.live, value, old))
        s.env[name] = value

    def read(self, s: _State, name: str, type_: Type) -> Expr:
        if name in self.cells:
            if name not in s.arrays:
                return Variable(type_, "?" + name)
            return self.load(s, Load(type_, name, const(0, I64)))
        value = s.env.get(name, Variable(type_, "?" + name))
        # What is read here counts only where this code runs, so of a choice made before `continue` the live arm.
        while isinstance(value, Select) and _implies(_and(s.guard, s.live), value.condition):
            value = value.true_value
        return value

    def exec_if(self, stmt: L.If, s: _State) -> None:
        condition = self.value(stmt.condition, s)
        known = const_value(condition)
        if known is not None:
            return self.exec_block(stmt.then if known else stmt.otherwise, s)
        guard, live, before = s.guard, s.live, dict(s.env)
        s.uses.append(condition)
        s.guard = _and(guard, condition)
        self.exec_block(stmt.then, s)
        then_env, then_live = s.env, s.live
        s.env, s.live, s.guard = dict(before), live, _and(guard, negate(condition))
        self.exec_block(stmt.otherwise, s)
        else_env, else_live = s.env, s.live
        s.guard = guard
        s.env = {}
        for name in {**then_env, **else_env}:
            fallback = Variable(self.type_of(name), "?" + name)
            a, b = then_env.get(name, fallback), else_env.get(name, fallback)
            chosen = a if a is b else by_parity(condition, a, b)
            s.env[name] = fold_node(Select(a.type, condition, a, b)) if chosen is None else chosen
        if then_live is not live or else_live is not live:
            yes = then_live if then_live is not None else const(1, BOOL)
            no = else_live if else_live is not None else const(1, BOOL)
            merged = fold(Or(BOOL, And(BOOL, condition, yes), And(BOOL, negate(condition), no)))
            s.live = merged

    def type_of(self, name: str) -> Type:
        for p in self.function.params:
            if p.name == name:
                return I64 if p.pointer else p.type
        return self.function.locals[name]

    def declare(self, stmt: L.Declare, s: _State) -> None:
        found: list[Obligation] = []
        size = to_poly(fold(inline_all(self.value(stmt.size, s), self.function.functions)), found)
        s.obligations.extend(FoundObligation(o, s.loops, _and(s.guard, s.live), stmt.line) for o in found)
        self.flush(s)
        s.arrays[stmt.array] = ArrayInfo(stmt.array, size, s.loops, stmt.line)
        if stmt.zeroed:
            counter = self.counter()
            loop = LoopInfo(counter, size, stmt.line)
            s.trips.append((loop, s.loops, s.guard))
            zero = const(0, self.function.arrays[stmt.array])
            self.emit(s, _Pending(stmt.array, Poly.variable(counter, I32), zero, None, stmt.line), (*s.loops, loop))

    def define(self, stmt: L.Define, s: _State) -> None:
        found: list[Obligation] = []
        value = to_poly(fold(inline_all(self.value(stmt.value, s), self.function.functions)), found)
        s.obligations.extend(FoundObligation(o, s.loops, _and(s.guard, s.live), stmt.line) for o in found)
        s.defined.append((stmt.name, value, stmt.line))

    def declare_cell(self, s: _State, name: str, line: int) -> None:
        s.arrays[name] = ArrayInfo(name, Poly.constant(1), s.loops, line, cell=True)

    # Memory.

    def store(self, s: _State, array: str, index: Poly, value: Expr, line: int) -> None:
        guard = _and(s.guard, s.live)
        self.check_turns(index)
        for p in [p for p in s.pending if p.array == array]:
            difference = (p.index - index).constant_value()
            if difference is None:
                self.flush(s)
                break
            if difference == 0:
                p.rewritten |= any(isinstance(n, Load) for e in (value, guard) if e is not None for n in post_order(e))
                if guard is None:
                    p.value, p.guard = value, None
                else:
                    p.value = fold_node(Select(value.type, guard, value, p.value))
                    p.guard = _or(p.guard, guard)
                p.line = line
                return
        s.pending.append(_Pending(array, index, value, guard, line))

    def check_turns(self, index: Poly) -> None:
        """Asks for a loop to be executed in parts where the choice in a store's address turns with its counter."""
        turn = turn_of(index)
        names = variables(turn) if turn is not None else set()
        for loop, counter in reversed(self.running):
            if counter in names and id(loop) not in self.facts and turning_points(loop):
                raise _NeedTurns(loop)

    def load(self, s: _State, e: Load) -> Expr:
        table = self.function.tables.get(e.name)
        if table is not None:
            position = const_value(e.index)
            if position is not None and 0 <= position < len(table.values):
                return const(table.values[int(position)], e.type)
            return self.memory(s, e, self.index_poly(e.index, s, 0))
        return self.load_at(s, e, self.index_poly(e.index, s, 0), _MOST_ROW_CHOICES)

    def load_at(self, s: _State, e: Load, index: Poly, choices: int) -> Expr:
        chosen = row_choice(index) if choices else None
        if chosen is not None:
            condition, yes, no = chosen
            a, b = (self.load_at(s, e, i, choices - 1) for i in (yes, no))
            return fold_node(Select(e.type, condition, a, b))
        for p in [p for p in s.pending if p.array == e.name]:
            difference = (p.index - index).constant_value()
            if difference is None:
                self.flush(s)
                break
            if difference == 0:
                if p.guard is None or _implies(_and(s.guard, s.live), p.guard):
                    return p.value
                return fold_node(Select(e.type, p.guard, p.value, self.memory(s, e, index)))
        return self.memory(s, e, index)

    def memory(self, s: _State, e: Load, index: Poly) -> Load:
        return Load(e.type, f"{e.name}@{s.clock}", from_poly(index))

    def index_poly(self, e: Expr, s: _State, line: int) -> Poly:
        """An address, in elements."""
        found: list[Obligation] = []
        # A pure function (a clamp) is looked into where that brings no arithmetic that may wrap (a hash).
        p = address_poly(fold(inline_all(e, self.function.functions)), found)
        if found and p != to_poly(e) and not self.concern_parameters(found):
            found = []
            p = address_poly(e, found)
        guard = _and(s.guard, s.live)
        s.obligations.extend(FoundObligation(o, s.loops, guard, line) for o in found)
        return p

    def concern_parameters(self, found: list[Obligation]) -> bool:
        """Whether all that is asked for is that signed arithmetic does not overflow, or the signs of numbers over the
        parameters, which the contract can promise."""
        names = {p.name for p in self.function.params if not p.pointer}

        def harmless(o: Obligation) -> bool:
            if o.type is not None and o.type.is_int() and o.type.bits >= 32:
                return True
            if any(map(loads, o.poly.atoms().values())):
                return False
            counted = all(n.startswith("k.") for n in o.poly.names()) and all(c > 0 for c in o.poly.terms.values())
            return o.poly.names() <= names or (o.type is None and counted)

        return all(map(harmless, found))

    def flush(self, s: _State) -> None:
        pending, s.pending = s.pending, []
        for p in pending:
            self.emit(s, p, s.loops)

    def emit(self, s: _State, p: _Pending, loops: tuple[LoopInfo, ...]) -> None:
        guard, value = None if is_true(p.guard) else p.guard, p.value
        data = [c for c in parts(guard) if loads(c)]
        places = [c for c in parts(guard) if not loads(c)]
        if data and places and all(not isinstance(n, Load) for a in p.index.atoms().values() for n in post_order(a)):
            # Where the data say no, the element keeps its value; which elements there are is not for them to say.
            condition = conjunction(data)
            assert condition is not None
            value = Select(value.type, condition, value, Load(value.type, f"{p.array}@{s.clock}", from_poly(p.index)))
            guard = conjunction(places)
        s.effects.append(Effect(p.array, p.index, value, guard, loops, s.clock, p.line, p.rewritten))
        s.clock += 1

    # Expressions.

    def value(self, e: Expr, s: _State) -> Expr:
        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Variable) and not n.name.startswith("addr."):
                return self.read(s, n.name, n.type)
            if isinstance(n, Load):
                return self.load(s, n)
            if isinstance(n, Call) and n.call_type is CallType.FUNCTION and self.is_setting(n):
                body = inline_call(n, self.function.functions)
                assert body is not None
                return fold(inline_all(body, self.function.functions))
            n = self.tidy(n)
            if s.conditions and isinstance(n, EQ | NE | LT | LE | GT | GE | Variable | Cast) and n.type.is_bool():
                answer = self.decided(n, s)
                return n if answer is None else const(int(answer), BOOL)
            return n

        return transform(e, rewrite)

    def is_setting(self, call: Call) -> bool:
        """Whether a pure function is called with parameters only: what bounds and steps are made of, not pixels."""
        if self.function.functions[call.name].from_model:
            return False
        names = {n.name for a in call.args for n in post_order(a) if isinstance(n, Variable)}
        return names <= {p.name for p in self.function.params} and not any(loads(a) for a in call.args)

    # Loops.

    def counter(self) -> str:
        self.fresh += 1
        return f"k.{self.fresh}"

    def exec_loop(self, loop: L.Loop, s: _State) -> None:
        self.flush(s) if id(loop) not in self.unrolled else None
        if id(loop) in self.unrolled:
            return self.unroll(loop, s)
        if id(loop) in self.turning and loop.test_first:
            return self.exec_turns(loop, s, turning_points(loop), ())
        modified = [v for v in _assigned(loop) if v not in self.cells and v in s.env]
        started_here = [v for v in _assigned(loop) if v not in self.cells and v not in s.env]
        counter = self.counter()
        self.nest.append((counter, loop))
        self.enter(loop, s, modified, started_here, counter)
        self.nest.pop()

    def enter(
        self, loop: L.Loop, s: _State, modified: list[str], started_here: list[str], counter: str
    ) -> None:
        """Executes a loop that is not unrolled."""
        self.check_cells(loop, s)
        met: list[Obligation] = []
        steps, temporaries = self.classify(loop, s, modified, counter, met)
        k = Poly.variable(counter, I32)
        heads = {v: to_poly(self.read(s, v, self.type_of(v))) + k * steps[v] for v in steps}
        trip, condition = self.trip(loop, s, heads, temporaries, counter)
        forms = {f"{v}'{counter}": p for v, p in heads.items()}
        info = LoopInfo(counter, trip, loop.line, condition, not loop.test_first, _counting(steps, s))
        s.trips.append((info, s.loops, _and(s.guard, s.live)))
        for o in met:  # what the closed forms rest on
            held = Obligation(o.poly.substitute(forms), o.type)
            s.obligations.append(FoundObligation(held, (*s.loops, info), _and(s.guard, s.live), loop.line))

        inner = replace(s.fork(), loops=(*s.loops, info), guard=None, live=None)
        outer_guard = _and(s.guard, s.live)
        if outer_guard is not None:
            inner.guard = outer_guard
        for v, p in heads.items():
            inner.env[v] = from_poly(p, self.type_of(v))
        for v in temporaries:
            inner.env.pop(v, None)
        if loop.test_first:
            self.exec_block(loop.prelude, inner)
        self.running.append((loop, counter))
        self.assume_facts(loop, inner, info)
        self.exec_block(loop.body, inner)
        inner.live = None
        self.exec_block(loop.step, inner)
        self.running.pop()
        if not loop.test_first:
            self.exec_block(loop.prelude, inner)
        self.flush(inner)
        few = trip.constant_value()
        if s.loops and few is not None and few <= FEW and _overwrites(inner.effects[len(s.effects) :], counter, few):
            raise _NeedUnroll(loop)
        s.effects, s.obligations, s.trips, s.asserts = inner.effects, inner.obligations, inner.trips, inner.asserts
        s.defined = inner.defined
        s.arrays = {**inner.arrays, **s.arrays}
        s.clock = inner.clock
        for v, p in heads.items():
            self.set(s, v, from_poly(p.substitute({counter: trip}), self.type_of(v)))
        for v in temporaries + started_here:
            s.env[v] = Variable(self.type_of(v), "?after " + v)
        if loop.test_first:
            self.exec_block(loop.prelude, s)

    def exec_turns(self, loop: L.Loop, s: _State, points: list[Expr], facts: tuple[Fact, ...]) -> None:
        """A loop as several, in each of which the comparisons `points` of its body hold always or never."""
        if not points:
            part = replace(loop)
            self.facts[id(part)] = part, facts
            return self.exec_loop(part, s)
        point, *others = points
        runs = self.runs_of(loop, s, point)
        if runs is None:
            return self.exec_turns(loop, s, others, facts)
        first, count, whole = runs
        if self.follows(s.conditions, count.scale(-1)):
            return self.exec_turns(loop, s, others, (*facts, (first, False)))
        if self.follows(s.conditions, count - whole):
            return self.exec_turns(loop, s, others, (*facts, (first, True)))
        both = And(BOOL, first, loop.condition)
        new = [v for v in _assigned(loop) if v not in s.env]
        self.exec_turns(replace(loop, condition=both), s, others, (*facts, (first, True)))
        for v in new:  # the iterations of the second part start without them, too
            s.env.pop(v, None)
        return self.exec_turns(loop, s, others, (*facts, (first, False)))

    def runs_of(self, loop: L.Loop, s: _State, point: Expr) -> tuple[Expr, Poly, Poly] | None:
        """What of a comparison holds in a loop's first iterations; how many these are, and how many are in all."""
        counter = self.counter()
        modified = [v for v in _assigned(loop) if v not in self.cells and v in s.env]
        steps, _ = self.classify(loop, s, modified, counter, [])
        if variables(point) & (set(_assigned(loop)) - set(steps)):
            return None
        k = Poly.variable(counter, I32)
        trial = replace(s.fork(), effects=[], uses=[], trips=[])
        for v, d in steps.items():
            trial.env[v] = from_poly(to_poly(self.read(s, v, self.type_of(v))) + k * d, self.type_of(v))
        self.exec_block(loop.prelude, trial)
        try:
            whole = self.least(trip_count(self.value(loop.condition, trial), {}, counter), s)
        except NoTrip:
            return None
        found = run_of(point, lambda t: self.value(t, trial), counter, {})
        return None if found is None else (found[0], self.least(found[1], s), whole)

    def least(self, p: Poly, s: _State) -> Poly:
        """A number that is the least of several as the one that it is known to be."""
        options = smallest_of(p)
        return next((a for a in options if all(self.follows(s.conditions, b - a) for b in options if b != a)), p)

    def assume_facts(self, loop: L.Loop, s: _State, info: LoopInfo | None) -> None:
        """Makes what is known in the iterations of a part of a loop known; the part's `info`, where it is the final
        execution, for what must be shown for it."""
        for condition, holds in self.facts[id(loop)][1] if id(loop) in self.facts else ():
            value = self.value(condition, s)
            if const_value(value) is not None:
                continue
            held, other = (value, negate(value)) if holds else (negate(value), value)
            s.conditions.append(held)
            if info is not None:
                guard = _and(s.guard, s.live)
                s.obligations.extend(FoundObligation(o, s.loops, guard, loop.line) for o in contrary(other))

    def check_cells(self, loop: L.Loop, s: _State) -> None:
        for v in _assigned(loop):
            if v in self.cells and v in s.env and v not in s.arrays:
                self.declare_cell(s, v, loop.line)

    def classify(
        self, loop: L.Loop, s: _State, modified: list[str], counter: str, met: list[Obligation]
    ) -> tuple[dict[str, Poly], list[str]]:
        """Which of the modified variables advance by a fixed step, and which are set anew in each iteration."""
        trial = replace(s.fork(), effects=[], trips=[], uses=[], live=None, guard=_and(s.guard, s.live))
        trial.loops = (*s.loops, LoopInfo(counter, Poly(), loop.line))
        heads = {v: Variable(self.type_of(v), f"{v}'{counter}") for v in modified}
        trial.env.update(heads)
        end_condition = self.run_once(loop, trial)
        trial.uses.append(end_condition)
        used = _names_in(trial)
        placeholders = {h.name: v for v, h in heads.items()}
        steps: dict[str, Poly] = {}
        temporaries: list[str] = []
        carried: list[str] = []
        for v in modified:
            after = trial.env[v]
            others = used | {n for w in modified if w != v for n in _names(trial.env[w])}
            if after.type.is_int_or_uint() and not after.type.is_bool():
                found: list[Obligation] = []
                step = to_poly(after, found) - to_poly(heads[v])
                if _is_invariant(step, set(placeholders), s):
                    steps[v] = step
                    met += found
                    continue
            if heads[v].name not in _names(after) and heads[v].name not in others:
                temporaries.append(v)
            else:
                carried.append(v)
        if carried:
            self.carry(loop, s, carried, steps, end_condition, counter)
        return steps, temporaries

    def run_once(self, loop: L.Loop, trial: _State) -> Expr:
        if loop.test_first:
            self.exec_block(loop.prelude, trial)
            condition = self.value(loop.condition, trial)
        self.assume_facts(loop, trial, None)
        self.exec_block(loop.body, trial)
        trial.live = None
        self.exec_block(loop.step, trial)
        if not loop.test_first:
            self.exec_block(loop.prelude, trial)
            condition = self.value(loop.condition, trial)
        self.flush(trial)
        return condition

    def carry(
        self, loop: L.Loop, s: _State, carried: list[str], steps: dict[str, Poly], condition: Expr, counter: str
    ) -> None:
        k = Poly.variable(counter, I32)
        heads = {f"{v}'{counter}": to_poly(self.read(s, v, self.type_of(v))) + k * d for v, d in steps.items()}
        try:
            trip = trip_count(condition, heads, counter).constant_value()
        except NoTrip:
            trip = None
        if trip is not None and 0 <= trip <= MAX_UNROLL:
            raise _NeedUnroll(loop)
        name = carried[0]
        if self.type_of(name) == I64 and name in {p.name for p in self.function.params if p.pointer}:
            raise L.Unsupported(f"pointer '{name}' advances by data", loop.line)
        raise _NeedCell(name)

    def trip(
        self, loop: L.Loop, s: _State, heads: dict[str, Poly], temporaries: list[str], counter: str
    ) -> tuple[Poly, Expr]:
        """Number of iterations, and the loop's condition at iteration `counter`."""
        trial = replace(s.fork(), effects=[], uses=[], live=None, guard=_and(s.guard, s.live), trips=[])
        trial.loops = (*s.loops, LoopInfo(counter, Poly(), loop.line))
        for v, p in heads.items():
            trial.env[v] = from_poly(p, self.type_of(v))
        for v in temporaries:
            trial.env.pop(v, None)
        condition = self.run_once(loop, trial)
        if any(isinstance(n, Load) for n in post_order(condition)):
            chooser = self.chooser(condition)
            if chooser is not None:
                raise _NeedUnroll(chooser)
            raise L.Unsupported("the loop's exit depends on image data", loop.line)
        self.check_defined(condition, loop.line)
        found: list[Obligation] = []
        try:
            count = trip_count(condition, {}, counter, found)
        except NoTrip as problem:
            raise L.Unsupported(f"no closed form for the number of iterations: {problem}", loop.line) from None
        around = (*s.loops, LoopInfo(counter, count + Poly.constant(1), loop.line))
        s.obligations.extend(FoundObligation(o, around, s.guard, loop.line) for o in found)
        if id(loop) in self.facts:
            count = self.least(count, s)
        if not loop.test_first:
            s.obligations.append(FoundObligation(Obligation(count, None), s.loops, s.guard, loop.line))
            count = count + Poly.constant(1)
        return count, condition

    def chooser(self, condition: Expr) -> L.Loop | None:
        """The loop around whose counter picks from constant tables all that a condition reads: the width of a disc at
        one of its rows."""
        if not all(n.name.rpartition("@")[0] in self.function.tables for n in loads(condition)):
            return None
        places = [m for n in loads(condition) for m in post_order(n.index)]
        names = {n.name.rpartition("'")[2] for n in places if isinstance(n, Variable)}
        return next((loop for counter, loop in reversed(self.nest) if counter in names), None)

    def unroll(self, loop: L.Loop, s: _State) -> None:
        first = not loop.test_first
        for _ in range(MAX_UNROLL + 1):
            if not first:
                self.exec_block(loop.prelude, s)
                known = const_value(_decide(self.value(loop.condition, s)))
                if known is None:
                    raise L.Unsupported("the number of iterations is not constant after all", loop.line)
                if not known:
                    return
            first = False
            live = s.live
            self.exec_block(loop.body, s)
            s.live = live
            self.exec_block(loop.step, s)
        raise L.Unsupported("too many iterations to unroll", loop.line)


def _differ(a: Expr, b: Expr) -> bool:
    x, y = const_value(a), const_value(b)
    return x is not None and y is not None and x != y


def _overwrites(effects: list[Effect], counter: str, trip: int) -> bool:
    """Whether the iterations of a loop, one after the other, write what all of them read: the channels of a pixel that
    was read as a whole before the loop over its channels."""
    written = {
        (e.array, e.index.substitute({counter: Poly.constant(k)}))
        for e in effects if counter in e.index.names() for k in range(trip)
    }
    return any((split_tag(n.name)[0], to_poly(n.index)) in written for e in effects for n in loads(e.value))


def _counting(steps: dict[str, Poly], s: _State) -> str:
    """The variable that counts the iterations from zero."""
    for v, step in steps.items():
        if step.constant_value() == 1 and to_poly(s.env[v]).is_zero():
            return v
    return ""


def _decide(e: Expr) -> Expr:
    """A comparison of polynomials that differ by a constant, decided."""
    from halide_core.ir.expr import GE, GT, LE, LT

    if isinstance(e, LT | LE | GT | GE | EQ | NE) and e.a.type.is_int_or_uint():
        d = (to_poly(e.a) - to_poly(e.b)).constant_value()
        if d is not None:
            answers = {LT: d < 0, LE: d <= 0, GT: d > 0, GE: d >= 0, EQ: d == 0, NE: d != 0}
            return const(answers[type(e)], BOOL)
    return e


def _and(a: Expr | None, b: Expr | None) -> Expr | None:
    return conjunction([e for e in (a, b) if e is not None])


def _or(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return None
    result = fold_node(Or(BOOL, a, b))
    return None if is_true(result) else result


def _implies(a: Expr | None, b: Expr) -> bool:
    """Whether guard `a` holds `b` among its conjuncts."""
    wanted = {key(c) for c in parts(b)}
    return wanted <= {key(c) for c in parts(a)}


# Each choice between rows doubles the reads.
_MOST_ROW_CHOICES = 2


def row_choice(index: Poly) -> tuple[Expr, Poly, Poly] | None:
    """(condition, the address where it holds, where not) of an address whose row depends on a condition on counters and
    parameters: a pointer to the row above, or to this one at the border."""
    for m, coefficient in index.terms.items():
        e = atom_of(m[0]) if len(m) == 1 else None
        if not isinstance(e, Select) or any(isinstance(n, Load) for n in post_order(e)):
            continue
        yes, no = to_poly(e.true_value), to_poly(e.false_value)
        apart = yes - no
        if apart.constant_value() is None and not any(n.startswith("k.") for n in apart.names()):
            rest = index - Poly({m: coefficient})
            return e.condition, rest + yes.scale(coefficient), rest + no.scale(coefficient)
    return None


def _assigned(loop: L.Loop) -> list[str]:
    """Scalars assigned anywhere in the loop, in first-assignment order."""
    return list(dict.fromkeys(s.name for s in L.walk((loop,)) if isinstance(s, L.Assign)))


def _names(e: Expr) -> set[str]:
    return {n.name for n in post_order(e) if isinstance(n, Variable)}


def _names_in(s: _State) -> set[str]:
    out: set[str] = set()
    for e in s.effects:
        out |= _names(e.value) | e.index.names()
        if e.guard is not None:
            out |= _names(e.guard)
    for info, _, guard in s.trips:
        out |= info.trip.names()
        if guard is not None:
            out |= _names(guard)
    for used in s.uses:
        out |= _names(used)
    return out


def _is_invariant(step: Poly, placeholders: set[str], s: _State) -> bool:
    """Whether a step is the same in every iteration: no placeholders, no memory, nothing undefined."""
    names = step.names()
    if names & placeholders or any(undefined(n) for n in names):
        return False
    known = {loop.counter for loop in s.loops}
    for e in step.atoms().values():
        for n in post_order(e):
            if isinstance(n, Load):
                return False
            if isinstance(n, Variable) and n.name.startswith("k.") and n.name not in known:
                return False
    return True


