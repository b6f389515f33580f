"""How variables go on from one iteration of a loop to the next: induction variables in closed form, what each iteration
sets anew, flags; and what has to be written out or carried in a cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from halide_core.ir.expr import (
    BOOL,
    EQ,
    I32,
    I64,
    Call,
    Div,
    Expr,
    Variable,
    children,
    const,
    const_value,
    intrinsic,
)
from halide_core.ir.structural import variables
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Obligation, Poly, from_poly, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.counting_loops import steps_by_one
from lifter.ir.effects import FoundObligation, LoopInfo
from lifter.ir.names import (
    head_name,
    is_counter,
    is_head,
)
from lifter.symexec.agreeing_steps import agreeing_step
from lifter.symexec.clipped_windows import window
from lifter.symexec.flags import set_when
from lifter.symexec.index_set_splitting import contrary
from lifter.symexec.loop_queries import (
    constant_count,
    is_invariant,
    iterations_inside,
    only_adds,
)
from lifter.symexec.periodic_steps import Period, conditional_steps, parities_as_choices, period, taken_off
from lifter.symexec.state import NeedCell, NeedSeveral, NeedUnroll, State, both
from lifter.symexec.store_buffer import Memory
from lifter.symexec.strip_mined_while import pieces
from lifter.symexec.trip_counts import NoTrip, trip_count

MAX_UNROLL = 64
MOST_IN_NEST = 48
"""Iterations of a nest of loops over a block, at the most, whose sums are written out: others stay sums."""
FEW = 8
"""Iterations of a loop over the channels of a pixel, at the most."""


class InductionVariables(Memory, ABC):
    """Finds the closed forms of what a loop modifies; what executes its body is left to the statements' class."""

    @abstractmethod
    def exec_block(self, body: tuple[L.Stmt, ...], s: State) -> None:
        """Executes statements in order."""

    def classify(
        self, loop: L.Loop, s: State, modified: list[str], counter: str, met: dict[str, list[Obligation]]
    ) -> tuple[dict[str, Poly], list[str], list[str], dict[str, Expr]]:
        """By how much some of the modified variables have gone on before an iteration, over its number; which are set
        anew in each; which of the first go on by less in the last one; and flags, with when iterations set them."""
        trial = replace(s.fork(), effects=[], trips=[], uses=[], live=None, guard=both(s.guard, s.live))
        trial.loops = (*s.loops, LoopInfo(counter, Poly(), loop.line))
        heads = {v: Variable(self.type_of(v), head_name(v, counter)) for v in modified}
        trial.env.update(heads)
        end_condition = self.run_once(loop, trial)
        trial.uses.append(end_condition)
        used = trial.names()
        placeholders = {h.name: v for v, h in heads.items()}
        k = Poly.variable(counter, I32)
        taken = pieces(trial.env, heads, end_condition) if loop.test_first else None
        partial: list[str] = []
        ways: dict[str, Poly] = {}
        temporaries: list[str] = []
        carried: list[str] = []
        read = {v: variables(trial.env[v]) for v in modified}
        readers = Counter(n for names in read.values() for n in names)
        flags: dict[str, Expr] = {}
        for v in modified:
            after, head = trial.env[v], heads[v].name
            on = head in read[v]
            when = set_when(after, heads[v], set(placeholders), s)
            if when is not None:
                flags[v] = when
                continue
            if on and after.type.is_int_or_uint() and not after.type.is_bool():
                found: list[Obligation] = []
                full = after if taken is None else taken.full(after)
                if full is not after:
                    partial.append(v)
                step = to_poly(full, found) - to_poly(heads[v])
                if is_invariant(step, set(placeholders), s):
                    ways[v] = k * step
                    met[v] = found
                    continue
            if not on and head not in used and not readers[head]:
                temporaries.append(v)
            else:
                carried.append(v)
        for v in list(carried):
            way = self.now_and_then(trial.env[v], heads[v], ways, set(placeholders), counter, s, met.setdefault(v, []))
            if way is not None:
                ways[v] = way
                carried.remove(v)
        while self.in_fixed_point(trial.env, heads, carried, ways, counter, s, met):
            pass
        while (behind := self.one_behind(trial.env, heads, carried, ways, counter, s, met)) is not None:
            carried.remove(behind)
        for v in list(carried):
            if self.agrees(trial.env[v], heads[v], v, ways, set(placeholders), counter, s, met.setdefault(v, [])):
                carried.remove(v)
        if carried:
            self.carry(loop, s, carried, ways, end_condition, counter)
        return ways, temporaries, partial, flags

    def in_fixed_point(
        self, after: Mapping[str, Expr], heads: Mapping[str, Variable], carried: list[str], ways: dict[str, Poly],
        counter: str, s: State, met: dict[str, list[Obligation]],
    ) -> bool:
        """A position whose whole part is taken off in each iteration, and what goes on by that part: the first gets its
        way, and so do the others.  `x += dx; src += x >> 16; x &= 0xffff;`  Whether there was one."""
        k, inside = Poly.variable(counter, I32), {h.name for h in heads.values()}

        def fixed(p: Poly) -> bool:
            return is_invariant(p, inside, s)

        numbers = [v for v in carried if after[v].type.is_int_or_uint() and not after[v].type.is_bool()]
        for v in numbers:
            found: list[Obligation] = []
            head, rest = to_poly(heads[v]), taken_off(to_poly(after[v], found))
            if rest is None or not fixed(rest.moved - head):
                continue
            start = to_poly(self.read(s, v, self.type_of(v)), found)
            now = start + k * (rest.moved - head)
            whole = to_poly(Div(I64, from_poly(now), const(rest.unit, I64)))
            ways[v] = now - whole.scale(rest.unit) - start
            most = Poly.constant(rest.unit - 1)
            met[v] = [*found, Obligation(start, None), Obligation(most - start, None)]
            carried.remove(v)
            for w in (n for n in numbers if n != v):
                asked: list[Obligation] = []
                step = to_poly(after[w], asked) - to_poly(heads[w])
                times = step.factor(rest.whole)
                other = None if times is None else step - times * Poly({(rest.whole,): 1})
                if times is not None and other is not None and fixed(times) and fixed(other):
                    ways[w], met[w] = times * whole + k * other, asked
                    carried.remove(w)
            return True
        return False

    def one_behind(
        self, after: Mapping[str, Expr], heads: Mapping[str, Variable], carried: list[str], ways: dict[str, Poly],
        counter: str, s: State, met: dict[str, list[Obligation]],
    ) -> str | None:
        """A variable that takes in each iteration what others had in it, and that starts as if it had done so before
        the first one (`row = next; next += stride`): it is given its way.  None if there is no such variable."""
        k = Poly.variable(counter, I32)
        for v in carried:
            if not after[v].type.is_int_or_uint() or after[v].type.is_bool():
                continue
            found: list[Obligation] = []
            value, start = to_poly(after[v], found), to_poly(self.read(s, v, self.type_of(v)), found)
            forms = {heads[w].name: to_poly(self.read(s, w, self.type_of(w))) + way for w, way in ways.items()}
            others = {heads[w].name for w in heads} - forms.keys()
            if value.names() & others or not value.names() & forms.keys():
                continue
            way = value.substitute(forms).substitute({counter: k - Poly.constant(1)}) - start
            inside = replace(s, loops=(*s.loops, LoopInfo(counter, Poly(), 0)))
            if way.substitute({counter: Poly()}).is_zero() and is_invariant(way, set(), inside):
                ways[v] = way
                met[v] = found
                return v
        return None

    def now_and_then(
        self, after: Expr, head: Expr, ways: dict[str, Poly], placeholders: set[str], counter: str, s: State,
        met: list[Obligation],
    ) -> Poly | None:
        """By how much a variable has gone on that takes some of its steps at equal distances only."""
        if not after.type.is_int_or_uint() or after.type.is_bool():
            return None
        found: list[Obligation] = []

        def fixed(p: Poly) -> bool:
            return is_invariant(p, placeholders, s)

        parts = conditional_steps(to_poly(parities_as_choices(after), found), to_poly(head), fixed, found)
        if parts is None:
            return None
        forms = {head_name(v, counter): to_poly(self.read(s, v, self.type_of(v))) + way for v, way in ways.items()}
        step, conditional = parts
        total = Poly.variable(counter, I32) * step
        for condition, more in conditional:
            times = period(condition, forms, counter, found)
            if times is None or not all(map(fixed, times.parts(counter))) or not self.is_power(times, s):
                return None
            total = total + times.before(counter, found) * more
        met += found
        return total

    def agrees(
        self, after: Expr, head: Expr, v: str, ways: dict[str, Poly], placeholders: set[str], counter: str, s: State,
        met: list[Obligation],
    ) -> bool:
        """Whether a pointer goes on by one number in all arms of conditions on data, which is asked where it is not
        seen; it gets its way then."""
        if self.type_of(v) != I64 or v not in {p.name for p in self.function.params if p.pointer}:
            return False
        numbers = {p.name for p in self.function.params if not p.pointer}
        found = agreeing_step(after, head, lambda p: is_invariant(p, placeholders, s) and p.names() <= numbers, met)
        if found is None:
            return False
        step, asked = found
        ways[v] = Poly.variable(counter, I32) * step
        s.asserts += [(c, 0) for c in asked]
        return True

    def is_power(self, times: Period, s: State) -> bool:
        """Whether a mask is known to be a power of two less one; where it is made of parameters, that is asked for."""
        if not times.masked:
            return True
        length, below = times.length, times.length - Poly.constant(1)
        number = length.constant_value()
        if number is not None:
            return number > 0 and number & (number - 1) == 0
        for c in [*s.conditions, *(c for c, _ in s.asserts)]:
            masked = isinstance(c, EQ) and isinstance(c.a, Call) and c.a.name == "bitwise_and" and const_value(c.b) == 0
            if masked and {to_poly(x) for x in children(children(c)[0])} == {length, below}:
                return True
        if not length.names() <= {p.name for p in self.function.params if not p.pointer}:
            return False
        common = intrinsic("bitwise_and", I64, from_poly(length), from_poly(below))
        s.asserts.append((EQ(BOOL, common, const(0, I64)), 0))
        return True

    def run_once(self, loop: L.Loop, trial: State) -> Expr:
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

    def assume_facts(self, loop: L.Loop, s: State, info: LoopInfo | None) -> None:
        """Makes what is known in the iterations of a part of a loop known; the part's `info`, where it is the final
        execution, for what must be shown for it."""
        for condition, holds in self.facts[id(loop)][1] if id(loop) in self.facts else ():
            value = self.value(condition, s)
            if const_value(value) is not None:
                continue
            held, other = (value, negate(value)) if holds else (negate(value), value)
            s.conditions.append(held)
            if info is not None:
                guard = both(s.guard, s.live)
                s.obligations.extend(FoundObligation(o, s.loops, guard, loop.line) for o in contrary(other))

    def carry(
        self, loop: L.Loop, s: State, carried: list[str], ways: dict[str, Poly], condition: Expr, counter: str
    ) -> None:
        heads = {head_name(v, counter): to_poly(self.read(s, v, self.type_of(v))) + way for v, way in ways.items()}
        try:
            trips = trip_count(condition, heads, counter)
        except NoTrip:
            trips = None
        trip = trips.constant_value() if trips is not None else None
        whole_nest = trip is not None and trip * self.iterations_around(loop) * iterations_inside(loop) > MOST_IN_NEST
        numbers = all(self.type_of(v) != I64 for v in carried)
        if trip is not None and 0 <= trip <= MAX_UNROLL and not (whole_nest and numbers and only_adds(loop)):
            raise NeedUnroll(loop)
        moves = trips is not None and any(is_counter(n) or is_head(n) for n in trips.names())
        if trips is not None and moves and steps_by_one(loop) is not None:
            whole = window(trips)
            if whole is not None and whole.few(FEW) is not None:
                raise NeedUnroll(loop)
        name = carried[0]
        if self.type_of(name) == I64 and name in {p.name for p in self.function.params if p.pointer}:
            raise L.Unsupported(f"pointer '{name}' advances by data", loop.line)
        lanes = [v for v in carried if self.function.uses_registers and _register(v) == _register(name)]
        if len(lanes) > 1:  # one lane is as the others
            raise NeedSeveral([NeedCell(v) for v in lanes])
        raise NeedCell(name)

    def iterations_around(self, loop: L.Loop) -> int:
        """How often the loops of a constant number of iterations run that a loop is in, as far as they are its own."""
        total = 1
        for outer, _ in reversed([x for x in self.nest if x[0] is not loop]):
            count = constant_count(outer)
            if count is None:
                break
            total *= count
        return total


def _register(lane: str) -> str:
    """What the lanes of a register have in common: `sum_0`, `sum_1`."""
    name, _, number = lane.rpartition("_")
    return name if number.isdigit() else lane
