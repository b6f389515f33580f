"""Products as unknowns of their own: nothing that has a solution may lose it."""

from __future__ import annotations

import random

import pytest
import z3

from verifier.smt import Proved, Query, Refuted, prove
from verifier.smt.linear import linear, ordered, plainly

NAMES = ("w", "h", "s", "k")


@pytest.mark.parametrize("reading", [linear, ordered, plainly])
@pytest.mark.parametrize("seed", range(150))
def test_solutions_are_kept(seed: int, reading) -> None:
    rng = random.Random(seed)
    solution = {n: rng.randint(-5, 9) for n in NAMES}
    symbols = {n: z3.Int(n) for n in NAMES}

    def term(values):
        chosen = rng.sample(NAMES, rng.randint(1, 3)) if rng.random() < 0.9 else [rng.choice(NAMES)] * 2
        coefficient = rng.choice((-2, -1, 1, 1, 3))

        def of(v):
            out = coefficient
            for n in chosen:
                out = out * v[n]
            return out

        return of

    formulas = []
    for _ in range(rng.randint(2, 5)):
        terms = [term(solution) for _ in range(rng.randint(1, 3))]
        known = sum(t(solution) for t in terms)
        unknown = sum((t(symbols) for t in terms), z3.IntVal(0))
        kind = rng.choice(("eq", "le", "ge", "either"))
        if kind == "eq":
            formulas.append(unknown == known)
        elif kind == "le":
            formulas.append(unknown <= known + rng.randint(0, 3))
        elif kind == "ge":
            formulas.append(unknown >= known - rng.randint(0, 3))
        else:
            formulas.append(z3.Or(unknown == known, symbols["k"] > solution["k"]))
    if rng.random() < 0.7:  # an equation that gives a variable
        formulas.append(symbols["s"] * rng.choice((1, -1)) == solution["s"] * 1 + 2 * (symbols["w"] - solution["w"]))
        if not z3.is_true(z3.simplify(z3.substitute(
            formulas[-1], *((symbols[n], z3.IntVal(v)) for n, v in solution.items())
        ))):
            formulas.pop()
    found = reading(formulas)
    if found is None:
        return
    solver = z3.Solver()
    solver.add(*found)
    assert solver.check() == z3.sat


def test_a_row_within_rows_run_as_one() -> None:
    w, h, s, k = (z3.Int(n) for n in NAMES)
    given = (w > 0, h < 0, -s == 2 * w, k >= 0, k < -(w * h))
    formulas = linear([*given, z3.Not(z3.And(2 * k >= 0, 2 * k < h * s))])
    assert formulas is not None
    solver = z3.Solver()
    solver.add(*formulas)
    assert solver.check() == z3.unsat
    assert isinstance(prove(Query(given, 2 * k < h * s)), Proved)
    assert isinstance(prove(Query(given, 2 * k < h * s - 2)), Refuted)


def test_rows_before_another() -> None:
    """Every other row of `h`, one after another: an element of row `k` lies before those of the rows that follow."""
    w, h, x, k = (z3.Int(n) for n in ("w", "h", "s", "k"))
    given = [w >= 0, h >= 0, k >= 0, k < h, k == 2 * (k / 2), x >= 0, x < w]
    formulas = ordered([*given, z3.Not(w * ((k + 1) / 2) + x < w * (h / 2) + w)])
    assert formulas is not None
    solver = z3.Solver()
    solver.add(*formulas)
    assert solver.check() == z3.unsat
    assert ordered([w * h >= 0, x * k < 3]) is None


def test_linear_formulas_are_left() -> None:
    w, k = z3.Int("w"), z3.Int("k")
    assert linear([w > 0, 3 * k < w, k / 2 == w]) is None
