"""Questions about iterations, put to the solver."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from halide_core.ir.expr import I32, Expr
from lifter.algebra.polynomial import Poly
from lifter.ir.effect_edits import at
from lifter.ir.effects import LoopInfo, Path, loads
from lifter.ir.names import any_counter
from verifier.smt import IndexEncoder, Proved, Query, prove

_ONE = Poly.constant(1)
_MOST = Poly.constant(I32.max())
Formula = Any
"""Of the solver."""


class OutOfTime(Exception):
    """No time is left for further questions."""


class Facts:
    """What is known of a path, and questions about it."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.index = IndexEncoder()
        self.until = time.perf_counter() + seconds
        known = [*path.conditions, *(c for c, _ in path.asserts)]
        self.known: list[Formula] = [self.index.given(c) for c in known if not loads(c)]
        # No loop is to run less than no times, or more often than 31 bits count, as every contract says.
        counts = dict.fromkeys(x.trip for x, _, _ in path.trips if not any_counter(x.trip.names()))
        plain = [t for t in counts if not any(loads(a) for a in t.atoms().values())]
        self.known += [f for t in plain for f in (self.at_least(t, 0), self.at_least(_MOST - t, 0))]
        for o in path.obligations:
            if o.obligation.type is None and not o.loops and o.guard is None and not o.obligation.conditions:
                self.known.append(self.at_least(o.obligation.poly, 0))

    def at_least(self, p: Poly, least: int) -> Formula:
        return self.index.poly(p) >= least

    def same(self, a: Poly, b: Poly) -> Formula:
        return self.index.poly(a - b) == 0

    def within(self, index: Poly, size: Poly) -> Formula:
        """That an index is one of so many."""
        return self.index.all_of([self.at_least(index, 0), self.at_least(size - index, 1)])

    def inside(self, loops: Sequence[LoopInfo], counters: Mapping[str, Poly]) -> Formula:
        """That counters, each as it is given or as it stands, are those of an iteration."""
        found: list[Formula] = []
        for x in loops:
            counter = counters.get(x.counter, Poly.variable(x.counter, I32))
            found += [self.at_least(counter, 0), self.at_least(x.trip.substitute(counters) - counter - _ONE, 0)]
        return self.index.all_of(found)

    def guarded(self, guard: Expr | None, counters: Mapping[str, Poly]) -> Formula:
        """What is known where a guard holds: nothing, of one on the data."""
        if guard is None or loads(guard):
            return self.index.all_of([])
        return self.index.given(at(guard, counters))

    def earlier(self, turns: Sequence[tuple[Poly, Poly]], tie: bool) -> Formula:
        """Whether the first of two iterations comes first, by the turns of the loops that they share; in the same
        iteration that is `tie`."""
        cases: list[Formula] = []
        equal: list[Formula] = []
        for a, b in turns:
            cases.append(self.index.all_of([*equal, self.at_least(b - a, 1)]))
            equal.append(self.same(a, b))
        if tie:
            cases.append(self.index.all_of(equal))
        return self.index.any_of(cases)

    def follows(self, given: Sequence[Formula], goal: Formula) -> bool:
        """Whether the goal is proved.  Raises OutOfTime."""
        left = self.until - time.perf_counter()
        if left <= 0:
            raise OutOfTime
        query = Query((*self.index.facts, *self.known, *given), goal)
        return isinstance(prove(query, min(1.0, left)), Proved)
