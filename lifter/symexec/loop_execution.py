"""Symbolic execution of loops: their bodies, numbers of iterations, loops that are taken in turns or written out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import replace

from halide_core.ir.expr import (
    BOOL,
    I32,
    LT,
    And,
    Div,
    Expr,
    Load,
    Variable,
    const_value,
)
from halide_core.ir.structural import contains, post_order, variables
from lifter.algebra.fold import fold
from lifter.algebra.polynomial import Obligation, Poly, exact, from_poly, is_power_of_two, smallest_of, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.counting_loops import steps_by_one
from lifter.ir.effects import FoundObligation, LoopInfo, loads
from lifter.ir.names import (
    any_counter,
    array_of,
    counter_name,
    head_name,
    loop_of,
    undefined_after_name,
)
from lifter.ir.upward_exposed import read_outside
from lifter.symexec.clipped_windows import Window, window
from lifter.symexec.flags import after_all, raised
from lifter.symexec.index_set_splitting import Fact, run_of, turning_points
from lifter.symexec.induction_variables import FEW, MAX_UNROLL, InductionVariables
from lifter.symexec.loop_queries import (
    assigned,
    changes,
    counting,
    decided,
    loads_any,
    made_anew,
    overwrites,
    recurs,
    stored,
)
from lifter.symexec.state import NeedCell, NeedUnroll, State, both
from lifter.symexec.trip_counts import NoTrip, trip_count

FEW_SORTED = 32
"""Iterations of a loop that sorts, and elements of what it sorts, at the most."""


class Loops(InductionVariables, ABC):
    """Executes loops; what executes their bodies is left to the statements' class."""

    @abstractmethod
    def exec_where(self, condition: Expr, body: tuple[L.Stmt, ...], s: State, line: int) -> None:
        """Executes statements where a condition, a value already, holds."""

    @abstractmethod
    def check_defined(self, e: Expr, line: int) -> None:
        """Raises where `e` reads what was never given a value."""

    def counter(self) -> str:
        self.fresh += 1
        return counter_name(self.fresh)

    def exec_loop(self, loop: L.Loop, s: State) -> None:
        self.flush(s) if id(loop) not in self.plan.unrolled else None
        if id(loop) in self.plan.unrolled:
            return self.unroll(loop, s)
        if id(loop) in self.plan.turning and loop.test_first:
            return self.exec_turns(loop, s, turning_points(loop), ())
        modified = [v for v in assigned(loop) if v not in self.plan.cells and v in s.env]
        started_here = [v for v in assigned(loop) if v not in self.plan.cells and v not in s.env]
        counter = self.counter()
        self.nest.append((loop, counter))
        self.enter(loop, s, modified, started_here, counter)
        self.nest.pop()

    def enter(self, loop: L.Loop, s: State, modified: list[str], started_here: list[str], counter: str) -> None:
        """Executes a loop that is not unrolled."""
        self.check_cells(loop, s)
        met: dict[str, list[Obligation]] = {}
        ways, temporaries, partial, flags = self.classify(loop, s, modified, counter, met)
        kept = self.kept(loop, s, {*modified} - {*ways} - {*flags})
        heads = self.heads(loop, s, ways)
        trip, condition = self.trip(loop, s, heads, temporaries, counter)
        if kept:
            few = trip.constant_value()
            raise NeedUnroll(loop) if few is not None and few <= FEW else NeedCell(kept)
        forms = {head_name(v, counter): p for v, p in heads.items()}
        info = LoopInfo(counter, trip, loop.line, condition, not loop.test_first, counting(ways, counter, s))
        s.trips.append((info, s.loops, both(s.guard, s.live)))
        unread = [v for v in met if not loop.test_first and not read_outside(loop, self.function.body, v)]
        for name, o in ((v, o) for v, of_one in met.items() for o in of_one):  # what the closed forms rest on
            held, when = Obligation(o.poly.substitute(forms), o.type), both(s.guard, s.live)
            if name in unread:  # what the last iteration leaves there counts for nothing
                when = both(when, LT(BOOL, Variable(I32, counter), from_poly(trip - Poly.constant(1), I32)))
            s.obligations.append(FoundObligation(held, (*s.loops, info), when, loop.line))

        run, at, within = self.over_window(loop, s, info, heads)
        inner = replace(s.fork(), loops=(*s.loops, run), guard=within, live=None)
        for v, p in at.items():
            inner.env[v] = exact(p, self.type_of(v))
        for v in temporaries:
            inner.env.pop(v, None)
        for v, when in flags.items():
            inner.env[v] = raised(s.env[v], when, Variable(I32, counter))
        if loop.test_first:
            self.exec_block(loop.prelude, inner)
        self.assume_facts(loop, inner, run)
        self.exec_block(loop.body, inner)
        inner.live = None
        self.exec_block(loop.step, inner)
        if not loop.test_first:
            self.exec_block(loop.prelude, inner)
        self.flush(inner)
        self.check_body(loop, s, inner, info)
        s.effects, s.obligations, s.trips, s.asserts = inner.effects, inner.obligations, inner.trips, inner.asserts
        s.defined, s.reads = inner.defined, inner.reads
        s.arrays = {**inner.arrays, **s.arrays}
        s.clock = inner.clock
        for v, p in heads.items():
            self.set(s, v, exact(p.substitute({counter: trip}), self.type_of(v)))
        for v, when in flags.items():
            self.set(s, v, after_all(s.env[v], when, trip))
        for v in temporaries + started_here + partial + unread:
            s.env[v] = Variable(self.type_of(v), undefined_after_name(v))
        if loop.test_first:
            self.exec_block(loop.prelude, s)

    def over_window(
        self, loop: L.Loop, s: State, info: LoopInfo, heads: dict[str, Poly]
    ) -> tuple[LoopInfo, dict[str, Poly], Expr | None]:
        """The loop that is executed, the counters at the start of an iteration of it, and the guard of its body: over
        all places of a window that is cut to the image, at some of which nothing is done."""
        outer_guard = both(s.guard, s.live)
        v, whole = steps_by_one(loop), self.whole_window(loop, info.trip)
        if v is None or whole is None:
            return info, heads, outer_guard
        wide = LoopInfo(self.counter(), whole.length, loop.line)
        s.trips.append((wide, s.loops, outer_guard))
        self.nest[-1] = loop, wide.counter
        k = Poly.variable(wide.counter, I32)
        at = {v: p.substitute({info.counter: k + whole.ahead}) for v, p in heads.items()}
        return wide, at, both(outer_guard, fold(whole.inside_as(k, self.type_of(v))))

    def check_body(self, loop: L.Loop, s: State, inner: State, info: LoopInfo) -> None:
        """Raises where what a loop has been found to do is only known written out, or not at all."""
        effects, few = inner.effects[len(s.effects) :], info.trip.constant_value()
        if changes(both(s.guard, s.live), effects, len(s.loops)):
            if few is not None and few <= FEW:
                raise NeedUnroll(loop)
            raise L.Unsupported("a loop changes the data that decide whether it runs", loop.line)
        if few is not None and few <= FEW_SORTED and self.reorders(loop, s):
            raise NeedUnroll(loop)
        if few is not None and 1 < few <= FEW:
            again = s.loops and (overwrites(effects, info.counter, few) or recurs(effects, info.counter))
            starts = None if loop.prelude else const_value(decided(self.value(loop.condition, s)))
            if again or (starts and not self.function.uses_registers and self.written_out_elsewhere(loop)):
                raise NeedUnroll(loop)

    def reorders(self, loop: L.Loop, s: State) -> bool:
        """Whether a loop exchanges elements of a small local array, or puts them elsewhere, as they compare: a sort."""
        small = {
            a.name
            for a in s.arrays.values()
            if not a.cell and a.size is not None and (n := a.size.constant_value()) is not None and n <= FEW_SORTED
        }
        for x in L.walk(loop.body):
            if isinstance(x, L.If):
                compared = {n.name for n in post_order(x.condition) if isinstance(n, Load)}
                stored = {y.array for y in L.walk((*x.then, *x.otherwise)) if isinstance(y, L.Store)}
                if compared & stored & small:
                    return True
        return False

    def whole_window(self, loop: L.Loop, trip: Poly) -> Window | None:
        """The window that a loop runs over, cut to the image, and adds up."""
        moves = any_counter(trip.names())
        sums = bool(self.plan.cells & set(assigned(loop)))
        return window(trip) if self.plan.windows and moves and sums and steps_by_one(loop) is not None else None

    def written_out_elsewhere(self, loop: L.Loop) -> bool:
        """Whether what a loop over the channels of a pixel stores is stored channel by channel in another loop: the
        lone pixel at the end of rows that are taken in pairs, or what the loop around it has put there.  Of loops one
        after the other none counts that computes the array anew."""
        mine = {x.array for x in L.walk(loop.body) if isinstance(x, L.Store)}
        inside = {id(x) for x in L.walk((loop,))}
        for x in L.walk(self.function.body):
            if not isinstance(x, L.Loop) or id(x) in inside:
                continue
            around = any(y is loop for y in L.walk(x.body))
            asked = mine if around else mine - made_anew(loop) - made_anew(x)
            if any(n > 1 and a in asked for a, n in Counter(stored(x.body)).items()):
                return True
        return False

    def exec_turns(self, loop: L.Loop, s: State, points: list[Expr], facts: tuple[Fact, ...]) -> None:
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
        new = [v for v in assigned(loop) if v not in s.env]
        self.exec_turns(replace(loop, condition=both), s, others, (*facts, (first, True)))
        for v in new:  # the iterations of the second part start without them, too
            s.env.pop(v, None)
        return self.exec_turns(loop, s, others, (*facts, (first, False)))

    def runs_of(self, loop: L.Loop, s: State, point: Expr) -> tuple[Expr, Poly, Poly] | None:
        """What of a comparison holds in a loop's first iterations; how many these are, and how many are in all."""
        counter = self.counter()
        modified = [v for v in assigned(loop) if v not in self.plan.cells and v in s.env]
        ways, _, _, _ = self.classify(loop, s, modified, counter, {})
        if variables(point) & (set(assigned(loop)) - set(ways)):
            return None
        trial = replace(s.fork(), effects=[], uses=[], trips=[])
        for v, way in ways.items():
            trial.env[v] = exact(to_poly(self.read(s, v, self.type_of(v))) + way, self.type_of(v))
        self.exec_block(loop.prelude, trial)
        try:
            whole = self.least(trip_count(self.value(loop.condition, trial), {}, counter), s)
        except NoTrip:
            return None
        found = run_of(point, lambda t: self.value(t, trial), counter, {})
        return None if found is None else (found[0], self.least(found[1], s), whole)

    def least(self, p: Poly, s: State) -> Poly:
        """A number that is the least of several as the one that it is known to be."""
        options = smallest_of(p)
        return next((a for a in options if all(self.follows(s.conditions, b - a) for b in options if b != a)), p)

    def check_cells(self, loop: L.Loop, s: State) -> None:
        for v in assigned(loop):
            if v in self.plan.cells and v in s.env and v not in s.arrays:
                self.declare_cell(s, v, loop.line, s.loops)

    def heads(self, loop: L.Loop, s: State, ways: dict[str, Poly]) -> dict[str, Poly]:
        """What counters are at the start of an iteration."""
        met: list[Obligation] = []
        heads = {v: to_poly(self.read(s, v, self.type_of(v)), met) + way for v, way in ways.items()}
        s.obligations.extend(FoundObligation(o, s.loops, both(s.guard, s.live), loop.line) for o in met)
        return heads

    def kept(self, loop: L.Loop, s: State, anew: set[str]) -> str:
        """A variable that keeps what was read before a loop of an array that the loop stores to, if there is one: it
        needs a cell, for inside the loop the time of such a read says that it is made in each iteration."""
        inside = list(L.walk((loop,)))
        stored = {x.array for x in inside if isinstance(x, L.Store)} | (self.plan.cells & set(assigned(loop)))
        read = {n for x in inside for e in L.expressions(x) for n in variables(e)} - anew
        return next((v for v in sorted(read & s.env.keys()) if loads_any(s.env[v], stored)), "")

    def trip(
        self, loop: L.Loop, s: State, heads: dict[str, Poly], temporaries: list[str], counter: str
    ) -> tuple[Poly, Expr]:
        """Number of iterations, and the loop's condition at iteration `counter`."""
        trial = replace(s.fork(), effects=[], uses=[], live=None, guard=both(s.guard, s.live), trips=[])
        trial.loops = (*s.loops, LoopInfo(counter, Poly(), loop.line))
        for v, p in heads.items():
            trial.env[v] = exact(p, self.type_of(v))
        for v in temporaries:
            trial.env.pop(v, None)
        if loop.test_first:  # what the body does is not asked for
            before = trial.fork()
            self.exec_block(loop.prelude, before)
            condition = self.value(loop.condition, before)
        else:
            condition = self.run_once(loop, trial)
        condition = self.by_choices(condition, s, loop.line)
        if contains(condition, Load):
            self.run_once(loop, trial)
            chooser = self.chooser(condition)
            if chooser is not None:
                raise NeedUnroll(chooser)
            arrays = frozenset(array_of(n) for n in loads(condition))
            raise L.UnknownTrip("the loop's exit depends on image data", loop.line, arrays=arrays)
        self.check_defined(condition, loop.line)
        found: list[Obligation] = []
        try:
            count = trip_count(condition, {}, counter, found)
        except NoTrip as problem:
            self.run_once(loop, trial)  # its body may ask for what gives one
            raise L.Unsupported(f"no closed form for the number of iterations: {problem}", loop.line) from None
        around = (*s.loops, LoopInfo(counter, count + Poly.constant(1), loop.line))
        s.obligations.extend(FoundObligation(o, around, s.guard, loop.line) for o in found)
        for quotient in (a for a in count.atoms().values() if isinstance(a, Div) and const_value(a.b) is None):
            if is_power_of_two(quotient.b):
                continue
            s.obligations.append(FoundObligation(Obligation(to_poly(quotient.a), None), s.loops, s.guard, loop.line))
        if id(loop) in self.facts:
            count = self.least(count, s)
        if not loop.test_first:
            s.obligations.append(FoundObligation(Obligation(count, None), s.loops, s.guard, loop.line))
            count = count + Poly.constant(1)
        return count, condition

    def chooser(self, condition: Expr) -> L.Loop | None:
        """The loop around whose counter picks from constant tables all that a condition reads: the width of a disc at
        one of its rows."""
        if not all(array_of(n) in self.function.tables for n in loads(condition)):
            return None
        places = [m for n in loads(condition) for m in post_order(n.index)]
        names = {loop_of(n.name) for n in places if isinstance(n, Variable)}
        return next((loop for loop, counter in reversed(self.nest) if counter in names), None)

    def unroll(self, loop: L.Loop, s: State) -> None:
        first = not loop.test_first
        for _ in range(MAX_UNROLL + 1):
            if not first:
                self.exec_block(loop.prelude, s)
                met: list[Obligation] = []
                known = const_value(decided(self.value(loop.condition, s), met))
                guard = both(s.guard, s.live)
                s.obligations.extend(FoundObligation(o, s.loops, guard, loop.line) for o in met)
                if known is None and self.window(loop, s):
                    return
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

    def window(self, loop: L.Loop, s: State) -> bool:
        """Executes a loop over a window that is cut to the image place by place; nothing is done for other loops."""
        v = steps_by_one(loop)
        if v is None:
            return False
        type_, counter, met = self.type_of(v), self.counter(), list[Obligation]()
        start = to_poly(self.read(s, v, type_), met)
        trial = replace(s.fork(), effects=[], uses=[], trips=[])
        trial.env[v] = exact(start + Poly.variable(counter, I32), type_)
        condition = self.value(loop.condition, trial)
        try:
            trips = trip_count(condition, {}, counter, met)
        except NoTrip:
            return False
        whole = window(trips)
        length = None if whole is None else whole.few(FEW)
        if whole is None or length is None:
            return False
        live, guard = s.live, both(s.guard, s.live)
        info = LoopInfo(counter, trips, loop.line, condition)
        s.trips.append((info, s.loops, guard))
        s.obligations.extend(FoundObligation(o, (*s.loops, info), guard, loop.line) for o in met)
        for k in map(Poly.constant, range(length)):
            s.env[v] = exact(start + whole.ahead + k, type_)
            self.exec_where(whole.inside(k), loop.body, s, loop.line)
            s.live = live
        s.env[v] = Variable(type_, undefined_after_name(v))
        return True
