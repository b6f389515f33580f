"""Choices by coordinate taken out of definitions where clamped reads alone make the difference: at a border
select(x > 0, src(max(x - 1, 0)), src(x)) is src(max(x - 1, 0)), and an odd tail's average of two pixels the body's of
four."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import Call, CallType, Expr, Select, children
from halide_core.ir.structural import key, post_order
from lifter.ir.effects import Path
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.loop_ir import Function
from lifter.ir.summary import ContractItem, FuncSummary, InputSummary, PathSummary
from synth.sampling.samples import Env, NotConcrete, compiled_poly, visited
from synth.sampling.trial import Trial
from verifier.algebra.lemmas import replace_all
from verifier.conditions.base import Condition
from verifier.conditions.path import PathConditions
from verifier.memory_states import mentions

_MOST_CHOICES = 200
# Each choice that is tried by itself to be done without costs a proof or two.
_MOST_PROVED = 24


@dataclass(frozen=True, slots=True)
class Choices:
    """Takes choices out of one path's Funcs.  `holds` asks the verifier; no proof is begun after `deadline`."""

    function: Function
    path: Path
    samples: list[Env]
    contract: Sequence[ContractItem]
    inputs: Sequence[InputSummary]
    holds: Callable[[Condition], bool]
    deadline: float

    def without(self, f: FuncSummary, funcs: Sequence[FuncSummary]) -> FuncSummary:
        """`f` with as few choices as are found; `funcs`: all of the path."""
        first = f.definitions[0]
        trial = Trial(self._points(f))
        wanted = trial.outcome(inline_all(first.value, self.function.functions))

        def fewer(value: Expr, choice: Select) -> Iterator[Expr]:
            for arm in (choice.false_value, choice.true_value):
                found = replace_all(value, choice, arm)
                if key(found) == key(value):
                    return  # gone with another choice
                if trial.outcome(inline_all(found, self.function.functions)) == wanted:
                    yield found

        choices = _choices(first.value, {d.name for d in f.layout.dims})
        value = first.value
        for choice in choices:
            value = next(fewer(value, choice), value)
        if key(value) == key(first.value):
            return f
        every = _with(f, value)
        if self._same(every, funcs):
            return every
        for choice in choices[:_MOST_PROVED]:  # one by one
            for value in fewer(f.definitions[0].value, choice):
                candidate = _with(f, value)
                if time.perf_counter() < self.deadline and self._same(candidate, funcs):
                    f = candidate
                    break
        return f

    def _points(self, f: FuncSummary) -> list[Env]:
        """For some samples the points that the first definition's stores go to; none where these are not concrete."""
        effects = {e.order: e for e in self.path.effects}
        out: list[Env] = []
        try:
            for m in f.definitions[0].maps:
                place = [(d.name, compiled_poly(c)) for d, c in zip(f.layout.dims, m.coords, strict=True)]
                for env in self.samples[:4]:
                    out += [{**env, **{n: c(p) for n, c in place}} for p in visited(effects[m.order], env)]
        except (NotConcrete, KeyError, ZeroDivisionError):
            return []
        return out

    def _same(self, f: FuncSummary, funcs: Sequence[FuncSummary]) -> bool:
        """Whether the first definition of `f` is what all its stores write."""
        others = tuple(f if g.name == f.name else g for g in funcs)
        summary = PathSummary(self.path.conditions, others, tuple(self.inputs), None, tuple(self.contract))
        conditions = PathConditions(self.function, self.path, summary)
        effects = {e.order: e for e in self.path.effects}
        for m in f.definitions[0].maps:
            conditions.value(f, f.definitions[0], effects[m.order], m)
            if not all(self.holds(c) for c in conditions.out if c.name in ("value", "reads")):
                return False
        return True


def _choices(value: Expr, dims: set[str]) -> list[Select]:
    """The choices by coordinate that are no part of coordinates, the outermost first."""
    nodes = _by_depth(value)
    reads = [n for n in nodes if isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)]
    placed = {id(n) for call in reads for a in call.args for n in post_order(a)}
    found = [n for n in nodes if isinstance(n, Select) and id(n) not in placed and mentions(n.condition, dims)]
    return found[:_MOST_CHOICES]


def _by_depth(e: Expr) -> list[Expr]:
    """Every distinct node under `e`, the nearest to it first."""
    out: dict[int, Expr] = {}
    level = [e]
    while level:
        level = list({id(n): n for n in level if id(n) not in out}.values())
        out |= {id(n): n for n in level}
        level = [c for n in level for c in children(n)]
    return list(out.values())


def _with(f: FuncSummary, value: Expr) -> FuncSummary:
    first, *others = f.definitions
    return replace(f, definitions=(replace(first, value=value), *others))
