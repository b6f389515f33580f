"""Symbolic execution of statements, and of the paths through the conditionals at a function's top level."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from halide_core.ir.expr import (
    BOOL,
    I32,
    I64,
    And,
    Expr,
    Load,
    Or,
    Select,
    Variable,
    const,
    const_value,
)
from halide_core.ir.structural import contains, key, post_order, substitute, transform, variables
from lifter.algebra.conditional_sums import added_where
from lifter.algebra.fold import clauses, fold, fold_node, negate, where_holds
from lifter.algebra.parity_select import by_parity
from lifter.algebra.polynomial import Obligation, Poly, from_poly, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.effect_queries import Follows, observed
from lifter.ir.effects import ArrayInfo, Effect, FoundObligation, LoopInfo, Path, loads
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.names import is_counter, is_undefined, undefined_name
from lifter.ir.upward_exposed import carried_around, confined_to
from lifter.support import deadline
from lifter.symexec.known_numbers import numbers, with_numbers
from lifter.symexec.path_forking import (
    Invariants,
    choosers_of_loops,
    guards_of_reads,
    guards_of_refused,
    must_fork,
    questions_for_pointers,
    reshapes,
)
from lifter.symexec.path_merging import Merging
from lifter.symexec.state import (
    Decide,
    Need,
    NeedCell,
    NeedDefinition,
    NeedSetting,
    NeedSeveral,
    NeedTurns,
    NeedUnroll,
    PendingStore,
    Plan,
    Questions,
    Same,
    State,
    both,
)
from lifter.transforms.loops.cache_indexed_value import with_values_kept
from lifter.transforms.loops.eliminate_breaks import without_breaks
from lifter.transforms.loops.merge_identical_arms import without_twins
from lifter.transforms.loops.searches_for_places import without_places
from lifter.transforms.loops.searches_to_reductions import without_searches
from lifter.transforms.path_log import PathLog
from lifter.transforms.pipeline import transformed

MAX_PATHS = 32
MAX_RESTARTS = 64
FEW_PATHS = 4
"""More than so many are made fewer by conditions that their loops imply."""


class _TooManyPaths(L.Unsupported):
    """More paths than are followed."""


def execute(
    function: L.Function,
    decide: Decide = lambda _conditions, _test: None,
    follows: Follows = lambda _conditions, _poly: False,
    windows: bool = False,
    log: PathLog | None = None,
    same: Same = lambda _conditions, _a, _b: False,
    settings: tuple[Expr, ...] = (),
) -> list[Path]:
    """All paths through the function's top-level conditionals, but for those that `decide` says are never taken; with
    sums over whole `windows`, or over what is there of them; with `settings`, conditions on parameters, known one way
    and the other.  `log` sees each path as it is found and rewritten.

    Raises loop_ir.Unsupported for loops without closed form and for reads of values that were never given."""
    log = log or PathLog(function)
    function = replace(function, body=without_twins(function))
    function = without_places(without_searches(function))
    function = without_searches(replace(function, body=without_breaks(function.body)))
    function = with_values_kept(function)
    plan = Plan(windows=windows, settings=settings)
    ask = Questions(decide, follows, same)
    paths = _executed(function, plan, ask, log)
    if len(paths) > FEW_PATHS and plan.may_imply and not plan.implied:
        plan.implied = True
        with contextlib.suppress(L.Unsupported):
            fewer = _executed(function, plan, ask, log)
            return fewer if len(fewer) < len(paths) else paths
    return paths


def _executed(function: L.Function, plan: Plan, ask: Questions, log: PathLog) -> list[Path]:
    for _ in range(MAX_RESTARTS):
        try:
            found = _Statements(function, plan, ask).run()
            return [p for raw in found for p in transformed(raw, ask.follows, log)]
        except NeedDefinition as need:
            plan.defined[need.name] = need.value
        except _TooManyPaths:
            if plan.may_imply and not plan.implied:
                plan.implied = True
            elif plan.reshaping:
                plan.reshaping = False
            else:
                raise
        except (NeedCell, NeedUnroll, NeedTurns) as need:
            _add(plan, need, function)
        except NeedSeveral as several:
            for one in several.needs:
                _add(plan, one, function)
    raise L.Unsupported("values carried between iterations are too entangled", function.line)


def _add(plan: Plan, need: Need, function: L.Function) -> None:
    match need:
        case NeedCell():
            if need.name in plan.cells:
                raise L.Unsupported(f"variable '{need.name}' has no closed form", function.line) from None
            plan.cells.add(need.name)
        case NeedUnroll():
            plan.unrolled.add(id(need.loop))
        case NeedTurns():
            plan.turning.add(id(need.loop))


def _needs(found: Need | NeedSeveral) -> list[Need]:
    return found.needs if isinstance(found, NeedSeveral) else [found]


def _concern(needs: list[Need], arm: tuple[L.Stmt, ...], others: tuple[L.Stmt, ...]) -> bool:
    """Whether what is needed is about an arm alone: loops in it, variables that nothing else assigns."""
    loops = {id(x) for x in L.walk(arm) if isinstance(x, L.Loop)}
    own, shared = ({x.name for x in L.walk(b) if isinstance(x, L.Assign)} for b in (arm, others))
    return all(n.name in own - shared if isinstance(n, NeedCell) else id(n.loop) in loops for n in needs)


class _Statements(Merging):
    def run(self) -> list[Path]:
        env: dict[str, Expr] = {}
        for p in self.function.params:
            env[p.name] = const(0, I64) if p.pointer else Variable(p.type, p.name)
        for d in (d for d in L.walk(self.function.body) if isinstance(d, L.Define)):
            known = self.plan.defined.get(d.name)
            env[d.name] = Variable(I64, d.name) if known is None else from_poly(known, I64)
        start = State(env)
        for p in self.function.params:
            if p.name in self.plan.cells:
                if p.pointer:
                    raise L.Unsupported(f"pointer '{p.name}' has no closed form", self.function.line)
                self.declare_cell(start, p.name, self.function.line, ())
                self.store(start, p.name, Poly(), Variable(p.type, p.name), self.function.line)
        finished: list[State] = []
        self.exec_settings(self.plan.settings, self.function.body, start, finished)
        return [self.finish(s) for s in finished]

    def finish(self, s: State) -> Path:
        self.flush(s)
        self.roll(s, 0)
        self.check_definitions(s)
        if s.result is not None:
            s.result = self.defined(s.result, [*s.conditions, *(c for c, _ in s.asserts)], s.result_line)
        effects = observed(s.effects, {p.name for p in self.function.params if p.pointer}, s.result)
        effects = [self.defined_effect(e, s) for e in effects]
        return Path(
            tuple(s.conditions),
            tuple(effects),
            s.arrays,
            tuple(s.asserts),
            tuple(s.obligations),
            tuple(s.trips),
            s.result,
            s.result_line,
            dict(self.plan.defined),
            tuple(s.reads),
            frozenset(s.apart),
        )

    def check_definitions(self, s: State) -> None:
        """Each local of `Define` is one number over the parameters, the same wherever it is met."""
        parameters = {p.name for p in self.function.params if not p.pointer}
        for name, value, line in s.defined:
            if not value.names() <= parameters or any(loads(a) for a in value.atoms().values()):
                raise L.Unsupported("rows whose length is not the same for all", line)
            known = self.plan.defined.get(name)
            if known is None:
                raise NeedDefinition(name, value)
            if known != value:
                raise L.Unsupported("rows or results of several lengths", line)

    def defined_effect(self, e: Effect, s: State) -> Effect:
        """An effect without what was never given a value."""
        held = [*s.conditions, *(c for c, _ in s.asserts)]
        guard = None if e.guard is None else self.defined(e.guard, held, e.line)
        given = [*held, *clauses(guard)] if guard is not None else held
        value = self.defined(e.value, given, e.line)
        self.check_defined(from_poly(e.index), e.line)
        return e if value is e.value and guard is e.guard else replace(e, value=value, guard=guard)

    def defined(self, e: Expr, given: Sequence[Expr], line: int) -> Expr:
        """A value that may be made of what was never given one, where it is the same whatever that is: a byte of a word
        that is written byte by byte, the arm of a choice that is never taken.  Raises Unsupported where it is not."""
        names = {n: Variable(v.type, n) for v in post_order(e) if isinstance(v, Variable) and is_undefined(n := v.name)}
        if not names:
            return e
        zero = fold(substitute(e, {n: const(0, v.type) for n, v in names.items()}))
        if self.ask.same(given, e, zero):
            return zero
        self.check_defined(e, line)
        return e

    def check_defined(self, e: Expr, line: int) -> None:
        for n in post_order(e):
            if isinstance(n, Variable) and is_undefined(n.name):
                name = n.name[1:]
                if name.startswith("after "):
                    raise NeedCell(name.removeprefix("after "))
                raise L.Unsupported(f"'{name}' is read before it is given a value", line, "initialise it")

    def exec_top(self, body: tuple[L.Stmt, ...], s: State, finished: list[State]) -> None:
        for position, stmt in enumerate(body):
            rest = body[position + 1 :]
            must = isinstance(stmt, L.If) and must_fork(stmt)
            if isinstance(stmt, L.If) and (
                must or (self.plan.reshaping and (reshapes(stmt, rest) or self.reads_to_store(stmt, s)))
            ):
                condition = self.by_choices(self.value(stmt.condition, s), s, stmt.line)
                if contains(condition, Load):
                    if must:
                        raise L.Unsupported(
                            "a condition on image data decides which loops run", stmt.line, "move it into the loop"
                        )
                    self.exec_stmt(stmt, s)
                    continue
                condition = self.defined(condition, s.conditions, stmt.line)
                arm = self.arm(stmt, condition, s)
                if arm is not None:
                    return self.exec_top((*arm, *rest), s, finished)
                try:
                    merged = self.merged(stmt, condition, rest, s)
                except NeedSetting as needed:
                    return self.exec_settings([needed.condition], (stmt, *rest), s, finished)
                if merged is not None:
                    return self.exec_top(merged[1], merged[0], finished)
                if must and not stmt.otherwise and self.implied(stmt, condition, rest, s):
                    continue
                other = s.fork()
                self.assume(s, condition)
                self.assume(other, negate(condition))
                return self.exec_arms(stmt, rest, (s, other), finished)
            setting = self.setting(stmt, s)
            if isinstance(stmt, L.Loop) and setting is None:
                setting = self.length(stmt, rest, s)
            if setting is not None:  # what a parameter says not to read must not be read
                return self.exec_settings([setting], (stmt, *rest), s, finished)
            self.exec_stmt(stmt, s)
            if isinstance(stmt, L.Assert) and any(const_value(c) == 0 for c, _ in s.asserts):
                break  # nothing of what follows happens in a call that the source allows
            if s.returned:
                break
        finished.append(s)
        if len(finished) > MAX_PATHS:
            raise _TooManyPaths(f"more than {MAX_PATHS} paths through the conditionals", self.function.line)

    def reads_to_store(self, stmt: L.If, s: State) -> bool:
        """Whether a conditional outside of loops stores what it reads of an array, which is not to be read where it
        does not hold: `if (n > 3) *first = p[0]`.  Elements of which loops store the others are none of these."""
        stores = [x for x in L.walk((stmt,)) if isinstance(x, L.Store)]
        elsewhere = Counter(x.array for x in L.walk(self.function.body) if isinstance(x, L.Store))
        elsewhere.subtract(x.array for x in stores)
        if any(const_value(x.index) is None or elsewhere[x.array] for x in stores):
            return False
        assigned = {x.name: x.value for x in L.walk((stmt,)) if isinstance(x, L.Assign)}
        values = [e for x in stores for e in (x.value, *(assigned.get(n, s.env.get(n)) for n in variables(x.value)))]
        return any(e is not None and contains(e, Load) for e in values)

    def exec_settings(
        self, settings: Sequence[Expr], body: tuple[L.Stmt, ...], s: State, finished: list[State]
    ) -> None:
        """Executes statements with conditions on the parameters known, each one way and the other."""
        if not settings:
            return self.exec_top(body, s, finished)
        setting, *others = settings
        decided = self.decide(s.conditions, setting)
        if decided is not None:
            self.settle(s, setting if decided else negate(setting))
            return self.exec_settings(others, body, s, finished)
        other = s.fork()
        self.settle(s, setting)
        self.settle(other, negate(setting))
        fresh = self.fresh  # loops have the same counters on all paths: what is proved of one is known of the others
        self.exec_settings(others, body, s, finished)
        used, self.fresh = self.fresh, fresh
        self.exec_settings(others, body, other, finished)
        self.fresh = max(self.fresh, used)  # loops found in any of them later have counters of their own

    def assume(self, s: State, condition: Expr) -> None:
        """A condition becomes one of the path's own.  A parameter that it says is one number is that number in what
        follows."""
        s.conditions += clauses(condition)
        known = numbers(condition)
        if known and not any(isinstance(d, L.Define) for d in L.walk(self.function.body)):
            s.env |= with_numbers(s.env, known, self.tidy)

    def settle(self, s: State, setting: Expr) -> None:
        """A condition becomes one of the path's own, and values that were choices by it no longer are."""
        self.assume(s, setting)

        def rewrite(n: Expr) -> Expr:
            if isinstance(n, Select) and (answer := self.decided(n.condition, s)) is not None:
                return n.true_value if answer else n.false_value
            return self.tidy(n)

        s.env = {name: transform(e, rewrite) for name, e in s.env.items()}

    def implied(self, stmt: L.If, condition: Expr, rest: tuple[L.Stmt, ...], s: State) -> bool:
        """Executes a conditional as if it always held, where it holds only what loops do that run only if it does:
        `if (n) for (i < n) ...`.  Nothing is done where that is not known."""
        inside = list(L.walk(stmt.then))
        assigned = {x.name for x in inside if isinstance(x, L.Assign)}
        if any(not isinstance(x, L.Assign | L.Loop) for x in stmt.then) or any(isinstance(x, L.Return) for x in inside):
            return False
        if any(variables(e) & assigned for x in L.walk(rest) for e in L.expressions(x)) or assigned & self.plan.cells:
            return False
        before_loops = [e for x in stmt.then for e in L.expressions(x)]
        before_loops += [e for x in stmt.then if isinstance(x, L.Loop) for y in x.prelude for e in L.expressions(y)]
        if any(loads(e) for e in before_loops):  # what is not read there must not be
            return False
        self.plan.may_imply = True
        if not self.plan.implied:
            return False
        trial = s.fork()
        self.exec_block(stmt.then, trial)
        self.flush(trial)
        new = [info.trip for info, around, _ in trial.trips[len(s.trips) :] if around == s.loops]
        if not all(self.follows([*s.conditions, negate(condition)], p.scale(-1)) for p in new):
            return False
        for f in fields(State):
            setattr(s, f.name, getattr(trial, f.name))
        return True

    def exec_arms(
        self, stmt: L.If, rest: tuple[L.Stmt, ...], states: tuple[State, State], finished: list[State]
    ) -> None:
        """Both arms, each with what follows.  What one needs of its own says nothing of the other, which is asked too:
        of many arms (a path for each number of channels) each would be executed again for every one after it."""
        fresh = self.fresh
        try:
            self.exec_top((*stmt.then, *rest), states[0], finished)
        except (NeedCell, NeedUnroll, NeedTurns, NeedSeveral) as need:
            first = _needs(need)
            if not _concern(first, stmt.then, (*stmt.otherwise, *rest)):
                raise
            self.fresh = fresh
            try:
                self.exec_top((*stmt.otherwise, *rest), states[1], finished)
            except (NeedCell, NeedUnroll, NeedTurns, NeedSeveral) as another:
                second = _needs(another)
                if _concern(second, stmt.otherwise, (*stmt.then, *rest)):
                    raise NeedSeveral([*first, *second]) from None
            except L.Unsupported:
                pass  # what is said of it may change
            raise
        used, self.fresh = self.fresh, fresh
        self.exec_top((*stmt.otherwise, *rest), states[1], finished)
        self.fresh = max(self.fresh, used)

    def setting(self, stmt: L.Stmt, s: State) -> Expr | None:
        """A condition on parameters inside a loop under which it reads arrays (a pointer that may be null, a mode) or
        runs one loop and not another, and which this path has not decided yet; or one outside of loops by which a value
        is chosen where a pointer is not null."""
        if not isinstance(stmt, L.Loop):
            tests = (self.undecided(c, s) for c in questions_for_pointers(stmt))
            return next((c for c in tests if c is not None), None)
        registers = self.function.uses_registers
        # What tails of registers read is there in any case: they overlap what the loop before them has read.
        met = [*guards_of_refused(stmt), *guards_of_reads(stmt, self.plan.reshaping and not registers)]
        met += choosers_of_loops(stmt) if self.plan.reshaping else []
        found = next(self.all_undecided(stmt, met, s), None)
        if found is None and self.plan.reshaping and registers:
            # But rows of so many channels are read with other shuffles than rows of others.
            elements = self.all_undecided(stmt, guards_of_reads(stmt, True), s)
            found = next((c for c in elements if numbers(c) or numbers(negate(c))), None)
        return found

    def all_undecided(self, loop: L.Loop, tests: Sequence[Expr], s: State) -> Iterator[Expr]:
        """Those of the conditions in a loop that are on the parameters alone and not decided yet."""
        known = Invariants(loop)
        for asked in {key(c): c for c in tests}.values():
            test = known.of(asked)
            if test is not None and (here := self.undecided(test, s)) is not None:
                yield here

    def undecided(self, test: Expr, s: State) -> Expr | None:
        """A condition as one on the parameters alone, if it is one that this path has not decided yet."""
        if contains(test, Load):
            return None
        here = self.value(test, s)
        fixed = const_value(here) is not None or any(
            isinstance(n, Load) or (isinstance(n, Variable) and (is_undefined(n.name) or is_counter(n.name)))
            for n in post_order(here)
        )
        return here if not fixed and self.decided(here, s) is None else None

    def length(self, loop: L.Loop, rest: Sequence[L.Stmt], s: State) -> Expr | None:
        """A condition on parameters that says how often a loop runs and whether something is stored behind it, and
        which this path has not decided yet: `for (i = last ? 1 : 0; i < n; i++) ...  if (last) ...`, where what is
        stored there belongs to the loop's region."""
        values = [s.env[v] for v in variables(loop.condition) if v in s.env]
        choices = {key(n.condition): n.condition for e in values for n in post_order(e) if isinstance(n, Select)}
        for c in choices.values():
            fixed = not loads(c) and not any(is_undefined(v) or is_counter(v) for v in variables(c))
            if not fixed or self.decided(c, s) is not None:
                continue
            for x in rest:
                if isinstance(x, L.If) and any(isinstance(y, L.Store) for y in L.walk((*x.then, *x.otherwise))):
                    there = self.value(x.condition, s.fork())
                    if key(there) in (key(c), key(negate(c))):
                        return c
        return None

    def exec_block(self, body: tuple[L.Stmt, ...], s: State) -> None:
        for stmt in body:
            if s.live is not None and const_value(s.live) == 0:
                return
            self.exec_stmt(stmt, s)

    def exec_stmt(self, stmt: L.Stmt, s: State) -> None:
        deadline.check()
        match stmt:
            case L.Assign():
                value = self.value(stmt.value, s)
                self.note_reads(s, value, stmt.line)
                self.assign(s, stmt.name, value, stmt.line)
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

    def exec_assert(self, stmt: L.Assert, s: State) -> None:
        condition = self.value(stmt.condition, s)
        if const_value(condition):  # in this instance of a template
            return
        if stmt.refused and s.loops and s.guard is None and const_value(condition) == 0:  # an arm that this path takes
            s.asserts.append((condition, 0))
            return
        if stmt.refused and (s.loops or (s.guard is not None and contains(s.guard, Load))):
            raise L.Unsupported(stmt.refused, stmt.line, stmt.advice)
        if s.loops or contains(condition, Load):
            of_parameters = variables(condition) <= {p.name for p in self.function.params}
            if not stmt.line and (contains(condition, Load) or not of_parameters):
                raise L.Unsupported("memory whose size depends on image data", self.function.line)
            if not stmt.line:  # it is asked for whether the loops run or not
                s.asserts.append((condition, 0))
            return  # only asserts on parameters become contract items; nothing is assumed from the others
        if s.guard is not None:
            condition = fold_node(Or(BOOL, negate(s.guard), condition))
        s.asserts.append((condition, 0 if stmt.refused else stmt.line))

    def assign(self, s: State, name: str, value: Expr, line: int) -> None:
        if name in self.plan.cells:
            if name not in s.arrays:
                self.declare_cell(s, name, line, self.loops_around_cell(s, name))
            self.store(s, name, Poly(), value, line)
            return
        self.set(s, name, value)

    def loops_around_cell(self, s: State, name: str) -> tuple[LoopInfo, ...]:
        """The loops in each of whose iterations a variable is new: those that it is not used outside of, up to the
        first one of which an iteration may read what an earlier one has given it."""
        body = self.function.body
        new = {c for loop, c in self.nest if confined_to(loop, body, name) and not carried_around(loop, name)}
        return tuple(itertools.takewhile(lambda x: x.counter in new, s.loops))

    def note_reads(self, s: State, value: Expr, line: int) -> None:
        """What is evaluated here is read, whatever becomes of it."""
        if loads(value):
            s.reads.append(Effect("", Poly(), value, both(s.guard, s.live), s.loops, s.clock, line))

    def exec_if(self, stmt: L.If, s: State) -> None:
        condition = self.value(stmt.condition, s)
        known = const_value(condition)
        if known is not None:
            return self.exec_block(stmt.then if known else stmt.otherwise, s)
        s.uses.append(condition)
        self.note_reads(s, condition, stmt.line)
        self.exec_choice(stmt, condition, s)

    def exec_where(self, condition: Expr, body: tuple[L.Stmt, ...], s: State, line: int) -> None:
        condition = fold(condition)
        known = const_value(condition)
        if known is None:
            self.exec_choice(L.If(line, condition, body, ()), condition, s)
        elif known:
            self.exec_block(body, s)

    def exec_choice(self, stmt: L.If, condition: Expr, s: State) -> None:
        """Executes both arms of a conditional, by the value of its condition."""
        guard, live, before = s.guard, s.live, dict(s.env)
        s.guard = both(guard, condition)
        self.exec_block(stmt.then, s)
        then_env, then_live = s.env, s.live
        s.env, s.live, s.guard = dict(before), live, both(guard, negate(condition))
        self.exec_block(stmt.otherwise, s)
        else_env, else_live = s.env, s.live
        s.guard = guard
        # Where an arm is ruled out, what is left is what the other one makes.
        if self.ruled_out(stmt.otherwise, condition, s):
            s.env, s.live = then_env, then_live
            return
        if self.ruled_out(stmt.then, condition, s):
            s.env, s.live = else_env, else_live
            return
        s.env = {}
        for name in {**then_env, **else_env}:
            fallback = Variable(self.type_of(name), undefined_name(name))
            a, b = then_env.get(name, fallback), else_env.get(name, fallback)
            if a is not b:
                a, b = where_holds(a, condition), where_holds(b, negate(condition))
            met: list[Obligation] = []
            chosen = a if a is b else by_parity(condition, a, b, met)
            s.obligations.extend(FoundObligation(o, s.loops, both(guard, live), stmt.line) for o in met)
            if chosen is None:
                chosen = added_where(condition, a, b)
            if chosen is None:
                chosen = self.remainder(self.tidy(Select(a.type, condition, a, b)), s)
            s.env[name] = chosen
        if then_live is not live or else_live is not live:
            yes = then_live if then_live is not None else const(1, BOOL)
            no = else_live if else_live is not None else const(1, BOOL)
            merged = fold(Or(BOOL, And(BOOL, condition, yes), And(BOOL, negate(condition), no)))
            s.live = merged

    def ruled_out(self, arm: tuple[L.Stmt, ...], condition: Expr, s: State) -> bool:
        """Whether an assert says that an arm of a conditional on parameters is never taken; a contract item then."""
        if s.loops or loads(condition) or (s.guard is not None and loads(s.guard)):
            return False
        reached = itertools.takewhile(lambda x: not isinstance(x, L.Return | L.Continue | L.Break), arm)
        return any(isinstance(x, L.Assert) and const_value(self.value(x.condition, s)) == 0 for x in reached)

    def declare(self, stmt: L.Declare, s: State) -> None:
        found: list[Obligation] = []
        size = to_poly(fold(inline_all(self.value(stmt.size, s), self.function.functions)), found)
        s.obligations.extend(FoundObligation(o, s.loops, both(s.guard, s.live), stmt.line) for o in found)
        self.flush(s)
        s.arrays[stmt.array] = ArrayInfo(stmt.array, size, s.loops, stmt.line)
        if stmt.zeroed:
            counter = self.counter()
            loop = LoopInfo(counter, size, stmt.line)
            s.trips.append((loop, s.loops, s.guard))
            zero = const(0, self.function.arrays[stmt.array])
            self.emit(s, PendingStore(stmt.array, Poly.variable(counter, I32), zero, None, stmt.line), (*s.loops, loop))

    def define(self, stmt: L.Define, s: State) -> None:
        found: list[Obligation] = []
        value = to_poly(fold(inline_all(self.value(stmt.value, s), self.function.functions)), found)
        s.obligations.extend(FoundObligation(o, s.loops, both(s.guard, s.live), stmt.line) for o in found)
        s.defined.append((stmt.name, value, stmt.line))
