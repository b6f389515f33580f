"""Conditionals that change how a nest runs and not what it does: the path goes on as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from halide_core.ir.expr import EQ, Expr, Load, const_value
from halide_core.ir.structural import contains, variables
from lifter.algebra.fold import clauses, negate
from lifter.ir import loop_ir as L
from lifter.ir.effect_queries import promised
from lifter.ir.effects import FoundObligation
from lifter.ir.names import is_address
from lifter.symexec.collapsed_nests import Values, counters, equalities, same_effects, same_value
from lifter.symexec.loop_execution import Loops
from lifter.symexec.path_forking import must_fork, reshapes
from lifter.symexec.state import NeedCell, NeedSetting, NeedSeveral, NeedTurns, NeedUnroll, State
from lifter.symexec.trip_count_check import counted
from lifter.transforms.reroll.reroll_unrolled_bodies import rolled

Body = tuple[L.Stmt, ...]


class Merging(Loops, ABC):
    """Executes both arms of a conditional on the parameters, with what follows them, and compares what they store."""

    @abstractmethod
    def exec_stmt(self, stmt: L.Stmt, s: State) -> None:
        """Executes a statement."""

    @abstractmethod
    def setting(self, stmt: L.Stmt, s: State) -> Expr | None:
        """A condition that a statement would fork the path on."""

    def merged(self, stmt: L.If, condition: Expr, rest: Body, s: State) -> tuple[State, Body] | None:
        """The state after a conditional and as much of `rest` as its arms make a difference to, and the rest of `rest`,
        where the arm that is taken if `condition` does not hold does the same as the other one if it does.  Raises
        NeedSetting."""
        for held, special, general in (
            (condition, stmt.then, stmt.otherwise), (negate(condition), stmt.otherwise, stmt.then)
        ):
            known = equalities(held)
            if self.function.uses_registers and all(p.constant_value() is not None for p in known.values()):
                continue  # a number of channels: another loop each, dear to execute
            if known:
                self.flush(s)
                try:
                    found = self.same_either_way(held, known, (*special, *rest), (*general, *rest), rest, s)
                except (NeedCell, NeedUnroll, NeedTurns, NeedSeveral):
                    continue  # each arm says so again when it is executed as a path
                if found is not None:
                    return found
        return None

    def same_either_way(
        self, held: Expr, known: Values, special: Body, general: Body, rest: Body, s: State
    ) -> tuple[State, Body] | None:
        """As `merged`: `special` is what runs where `held` holds, `general` where it does not."""
        a, b = s.fork(), s.fork()
        a.conditions += clauses(held)
        own = len(special) - len(rest), len(general) - len(rest)
        if not self.straight(general[: own[1]], b) or not self.straight(special[: own[0]], a):
            return None
        while any(_mentions(rest, name) for name in _differing(a, b, known)):
            if not rest or not self.straight(rest[:1], a) or not self.straight(rest[:1], b):
                return None
            rest = rest[1:]
        for state in (a, b):
            self.flush(state)
            self.roll(state, len(s.effects))
        if not self.same_outcome(a, b, s, known):
            return None
        b.apart |= a.apart
        # What `general` promises of its own arithmetic is not promised where the program runs `special`.
        start = len(s.obligations)
        b.obligations[start:] = [o for o in b.obligations[start:] if not promised(o.obligation)]
        return b, rest

    def roll(self, s: State, start: int) -> None:
        """Makes unrolled loops among a state's effects from `start` plain ones, where no local array is theirs."""
        if self.function.uses_registers:  # `reroll` is for those
            return
        own = {loop for a in s.arrays.values() for loop in a.loops}
        effects = s.effects[start:]
        if any(loop in own for e in effects for loop in e.loops):
            return
        s.effects[start:] = rolled(effects, s.effects[:start], list(_values(s)), self.counter, s.apart)
        known = {loop for loop, _, _ in s.trips}
        for e in s.effects[start:]:
            if e.loops and e.loops[-1] not in known:
                known.add(e.loops[-1])
                s.trips.append((e.loops[-1], e.loops[:-1], e.guard))

    def straight(self, body: Sequence[L.Stmt], s: State) -> bool:
        """Executes statements at a function's top level; False where the path would fork.  Raises NeedSetting."""
        work = list(body)
        while work:
            stmt = work.pop(0)
            if isinstance(stmt, L.Return | L.Break | L.Continue):
                return False
            if isinstance(stmt, L.If) and (must_fork(stmt) or reshapes(stmt, tuple(work))):
                condition = self.value(stmt.condition, s)
                if contains(condition, Load):
                    return False
                arm = self.arm(stmt, condition, s)
                if arm is None:
                    return False
                work = [*arm, *work]
                continue
            setting = self.setting(stmt, s)
            if setting is not None:
                raise NeedSetting(setting)
            self.exec_stmt(stmt, s)
        return True

    def arm(self, stmt: L.If, condition: Expr, s: State) -> Body | None:
        """The arm of a conditional on parameters that is taken, if it is known or asked for."""
        known = const_value(condition)
        taken = bool(known) if known is not None else self.decide(s.conditions, condition)
        if taken is None:
            for idle, other in ((stmt.then, condition), (stmt.otherwise, negate(condition))):
                if _idle(idle) and _in_place(other):
                    # Nothing happens where an image is its own destination: that is left to the original.
                    s.asserts.append((negate(other), 0))
                    return stmt.otherwise if idle is stmt.then else stmt.then
            return None
        return stmt.then if taken else stmt.otherwise

    def same_outcome(self, a: State, b: State, s: State, known: Values) -> bool:
        """Whether what two states have done since `s` is the same."""
        if a.result is not b.result or set(a.arrays) != set(b.arrays) or a.defined != b.defined:
            return False
        stored, read = len(s.effects), len(s.reads)
        if set(a.arrays) != set(s.arrays) or not same_effects(a.effects[stored:], b.effects[stored:], known):
            return False
        if not same_effects(a.reads[read:], b.reads[read:], known):
            b.reads[read:] = []  # what is read of which nothing comes need not be the same
        asked = [c for c, _ in b.asserts]
        for c, _ in a.asserts[len(s.asserts) :]:
            stated = any(same_value(c, other, known, {}) for other in asked)
            if not stated and self.decide([*a.conditions, *asked], c) is not True:
                return False
        for info, around, guard in a.trips[len(s.trips) :]:
            given = [*a.conditions, *asked, *([guard] if guard is not None else [])]
            if not counted(info, around, given, self.follows):
                return False
        met = b.obligations[len(s.obligations) :]
        return all(self.holds(o, met, a, known) for o in a.obligations[len(s.obligations) :])

    def holds(self, found: FoundObligation, met: list[FoundObligation], s: State, known: Values) -> bool:
        """Whether what the reading of a state's arithmetic rests on is promised, met in the other state too, or
        proved."""
        o = found.obligation
        if promised(o):
            return True
        for other in met:
            places = counters(found.loops, other.loops, known) if other.obligation.type == o.type else None
            if places is None or not same_value(found.guard, other.guard, known, places):
                continue
            if o.poly.substitute({**known, **places}) == other.obligation.poly.substitute(known):
                return True
        return o.type is None and self.follows(s.conditions, o.poly)


def _differing(a: State, b: State, known: Values) -> list[str]:
    """Variables that have two values, or one of them none."""
    names = {**a.env, **b.env}
    return [
        n for n in names
        if n not in a.env or n not in b.env or not same_value(a.env[n], b.env[n], known, {})
    ]


def _mentions(body: Sequence[L.Stmt], name: str) -> bool:
    """Whether statements read a variable."""
    return any(name in variables(e) for s in L.walk(body) for e in L.expressions(s))


def _values(s: State) -> Iterator[Expr]:
    """What a state holds that may read memory and is not an effect."""
    yield from s.env.values()
    yield from s.conditions
    yield from (c for c, _ in s.asserts)
    for info, _, guard in s.trips:
        yield from (x for x in (*info.trip.atoms().values(), info.condition, guard) if x is not None)
    for found in s.obligations:
        yield from found.obligation.poly.atoms().values()
    yield from (x for x in (s.result, s.guard, s.live) if x is not None)


def _idle(body: Sequence[L.Stmt]) -> bool:
    return not any(isinstance(s, L.Store | L.Loop | L.Assign | L.Declare) for s in L.walk(body))


def _in_place(condition: Expr) -> bool:
    """Whether a condition says that two arrays begin at one address."""
    equal = [variables(c) for c in clauses(condition) if isinstance(c, EQ)]
    return any(sum(is_address(n) for n in names) == 2 for names in equal)


__all__ = ["Merging"]
