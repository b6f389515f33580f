"""What a search tried, for the answer to why it found nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from halide_core.ir.expr import Expr
from lifter.ir.summary import FuncSummary
from verifier.conditions.base import Condition
from verifier.smt import Answer, Refuted, Unknown

# The further a candidate got, the closer it came.
STAGES = ("roi", "terms", "expression", "order", "verification")


@dataclass(frozen=True, slots=True)
class Failure:
    """A condition that a candidate does not meet, with values of its parameters for which it does not; without
    values where the solver could not decide."""

    text: str
    line: int
    example: dict[str, int] = field(default_factory=dict)
    undecided: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Funcs proposed for (a part of) a path and given up at `stage`.

    `differing`: what stores of one region compute, each with its line, where no one expression was found."""

    stage: str
    funcs: tuple[FuncSummary, ...]
    reason: str = ""
    proved: int = 0
    failures: tuple[Failure, ...] = ()
    differing: tuple[tuple[int, Expr], ...] = ()


@dataclass(slots=True)
class Trace:
    """Counts of what was tried, and the candidates that were given up."""

    groupings: int = 0
    regions: int = 0
    candidates: list[Candidate] = field(default_factory=list)

    def closest(self) -> Candidate | None:
        """The candidate that got furthest, and of several the one with most conditions proved."""
        return max(self.candidates, key=lambda c: (STAGES.index(c.stage), c.proved), default=None)


def failure(condition: Condition, answer: Answer | None) -> Failure:
    """Why `condition` is not met; None as an answer where no solver was needed to see that."""
    if isinstance(answer, Unknown):
        return Failure(condition.text, condition.line, undecided=answer.reason)
    model = answer.model if isinstance(answer, Refuted) else {}
    example = {name: model[symbol] for symbol, name in condition.names if symbol in model}
    return Failure(condition.text, condition.line, example)
