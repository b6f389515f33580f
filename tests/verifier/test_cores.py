"""What a proof made use of answers the same goal wherever that much is assumed, and nowhere else."""

from __future__ import annotations

import random
from typing import Any

import pytest
import z3

from verifier.smt import Proved, Query, Refuted, prove, solver

pytestmark = pytest.mark.few(5)

A, B, C, D = (z3.Int(n) for n in "abcd")


@pytest.fixture(autouse=True)
def _forget() -> None:
    for known in (solver._ANSWERS, solver._CORES, solver._MARKS, solver._MODELS):
        known.clear()


def asked(assumptions: tuple[Any, ...], goal: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, bool]:
    """The answer, and whether a solver was asked for it."""
    calls = []
    decide = solver._decide
    monkeypatch.setattr(solver, "_decide", lambda *args: calls.append(args) or decide(*args))
    answer = prove(Query(assumptions, goal))
    monkeypatch.setattr(solver, "_decide", decide)
    return answer, bool(calls)


@pytest.mark.parametrize("goal", [A < C + 3, A * D < C * D + D * 3])
def test_more_assumptions_need_no_other_proof(goal: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = (A < B, B < C, D > 0)
    answer, new = asked((*needed, C > 7), goal, monkeypatch)
    assert isinstance(answer, Proved) and new
    answer, new = asked((D < 99, *reversed(needed)), goal, monkeypatch)
    assert isinstance(answer, Proved) and not new
    answer, new = asked((needed[0], D > 0, C > 7), goal, monkeypatch)
    assert isinstance(answer, Refuted) and new
    assert set(answer.model) <= set("abcd")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(120))
def test_answers_are_those_of_a_solver_that_keeps_nothing(seed: int) -> None:
    rng = random.Random(seed)

    def fact() -> Any:
        left, right = rng.sample((A, B, C, D), 2)
        term = rng.choice((left - right, left + right, left * right, left / 3 - right, left - 2 * right))
        return rng.choice((term >= rng.randint(-3, 3), term < rng.randint(-3, 3), left == right + 1))

    facts = [fact() for _ in range(7)]
    goals = [fact() for _ in range(2)]
    for _ in range(12):
        some = tuple(rng.sample(facts, rng.randint(1, 6)))
        goal = rng.choice(goals)
        plain = z3.Solver()
        plain.set("timeout", 2000)
        plain.add(*some, z3.Not(goal))
        wanted = plain.check()
        answer = prove(Query(some, goal), 4.0)
        if wanted == z3.sat:
            assert not isinstance(answer, Proved)
        elif wanted == z3.unsat:
            assert not isinstance(answer, Refuted)
