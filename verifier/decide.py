"""Deciding every condition of a summary; the only way to `verified`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from lifter.ir.effects import Path
from lifter.ir.loop_ir import Function
from lifter.ir.summary import PathSummary
from lifter.support import deadline
from verifier.conditions.base import Condition
from verifier.conditions.path import PathConditions
from verifier.smt import Answer, Proved, Refuted, Unknown, prove, smaller


@dataclass(frozen=True, slots=True)
class Decision:
    """A condition and the answer to it."""

    condition: Condition
    answer: Answer

    @property
    def proved(self) -> bool:
        return isinstance(self.answer, Proved)


@dataclass(slots=True)
class Verdict:
    """All decisions on one path."""

    decisions: list[Decision] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether every condition is proved, and there is one."""
        return bool(self.decisions) and all(d.proved for d in self.decisions)

    def portable(self, with_text: bool) -> Verdict:
        """The same without solver objects, so that it can be sent to another process; queries as text if asked."""
        return Verdict([Decision(d.condition.portable(with_text), d.answer) for d in self.decisions], self.seconds)

    def failures(self) -> list[Decision]:
        """What is refuted or unknown, refuted first."""
        failed = [d for d in self.decisions if not d.proved]
        return sorted(failed, key=lambda d: isinstance(d.answer, Unknown))


def decide(
    conditions: list[Condition], timeout: float, stop_early: bool = False, examples: bool = True
) -> Verdict:
    """Answers to `conditions`, each within `timeout` seconds; with `stop_early`, up to the first that fails.
    `examples`: small ones are looked for."""
    start = time.perf_counter()
    verdict = Verdict()
    answer: Answer
    for c in conditions:
        deadline.check()
        if c.decided is not None:
            answer = c.decided
        elif c.query is None:
            answer = Proved() if c.holds else Refuted()
        else:
            answer = prove(c.query, timeout)
            if isinstance(answer, Refuted) and c.replay is not None and not c.replay(answer.model):
                answer = Unknown("a counterexample of the solver does not refute it when it is evaluated")
            elif isinstance(answer, Refuted) and c.names and examples:
                answer = smaller(c.query, answer, [symbol for symbol, _ in c.names])
        verdict.decisions.append(Decision(c, answer))
        if stop_early and not isinstance(answer, Proved):
            break
    verdict.seconds = time.perf_counter() - start
    return verdict


def verify_path(
    function: Function, path: Path, summary: PathSummary, timeout: float = 10.0, stop_early: bool = False
) -> Verdict:
    """Proves that `summary` describes `path` for every input that satisfies its contract."""
    return decide(PathConditions(function, path, summary).generate(), timeout, stop_early)
