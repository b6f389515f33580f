"""Shifts by parameters: as products and quotients of a power of two, to polynomials and to the solver."""

from __future__ import annotations

import itertools
import random

import pytest
import z3

from halide_core.ir.expr import I32, I64, Expr, Variable, const, intrinsic
from lifter.algebra.polynomial import Obligation, from_poly, to_poly
from synth.sampling.samples import compiled
from verifier.smt import IndexEncoder

A, B, S, T = (Variable(I32, n) for n in "abst")


def _shift(name: str, a: Expr, count: Expr) -> Expr:
    return intrinsic(name, a.type, a, count)


FORMS = {
    "right": _shift("shift_right", A, S),
    "left": _shift("shift_left", A, S),
    "one": _shift("shift_left", const(1, I32), S),
    "down and up": _shift("shift_left", _shift("shift_right", A, S), S),
    "up and down": _shift("shift_right", _shift("shift_left", A, S), S),
    "two counts": _shift("shift_right", _shift("shift_left", A, T), S),
    "by a sum": _shift("shift_right", B, S + T),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_polynomial_has_the_same_values(form: str) -> None:
    """For counts within the width and sums that do not overflow."""
    e = FORMS[form]
    plain, normal = compiled(e), compiled(from_poly(to_poly(e)))
    rng = random.Random(1)
    for s, t in itertools.product(range(6), repeat=2):
        env = {"a": rng.randint(-5000, 5000), "b": rng.randint(-(1 << 31), (1 << 31) - 1), "s": s, "t": t}
        assert plain(env) == normal(env), env


def test_up_and_down_is_nothing() -> None:
    assert to_poly(FORMS["up and down"]) == to_poly(A)


@pytest.mark.parametrize(("name", "most"), [("shift_right", 31), ("shift_left", 30)])
def test_counts_are_asked_to_be_within_the_width(name: str, most: int) -> None:
    found: list[Obligation] = []
    to_poly(_shift(name, A, S), found)
    asked = [o.poly for o in found if o.type is None]
    for s in (-1, 0, most, most + 1):
        holds = all(compiled(from_poly(p))({"a": 3, "s": s}) >= 0 for p in asked)
        assert holds == (0 <= s <= most)


@pytest.mark.parametrize("values", [(0, 0), (0, 3), (3, 0), (5, 5), (7, 8), (12, 30)])
def test_what_is_told_of_powers_is_true(values: tuple[int, int]) -> None:
    """The facts hold of the powers themselves, and of what is shifted by them."""
    encoder = IndexEncoder()
    powers = [encoder.poly(to_poly(_shift("shift_left", const(1, I64), c))) for c in (S, T)]
    quotients = [encoder.poly(to_poly(_shift("shift_right", A, c))) for c in (S, T)]
    counts = [encoder.symbol(n, I32) for n in "st"]
    for a in (-1000, -1, 0, 1, 999, 1 << 20):
        solver = z3.Solver()
        solver.add(*encoder.facts, encoder.symbol("a", I32) == a)
        for symbol, power, quotient, n in zip(counts, powers, quotients, values, strict=True):
            solver.add(symbol == n, power == 1 << n, quotient == a >> n)
        assert solver.check() == z3.sat, (a, values)


@pytest.mark.parametrize(("claim", "follows"), [
    ("0 <= a and a <= b implies a >> s <= b >> s", True),
    ("a >> s <= a", True),
    ("1 << s >= 1", True),
    ("1 << s >= 2", False),
    ("a >> s >= 1", False),
])  # fmt: skip
def test_what_follows(claim: str, follows: bool) -> None:
    encoder = IndexEncoder()

    def number(e: Expr) -> z3.ArithRef:
        return encoder.poly(to_poly(e))

    a, b, s = number(A), number(B), number(S)
    shifted = {e.name: number(_shift("shift_right", e, S)) for e in (A, B)}
    power = number(_shift("shift_left", const(1, I32), S))
    said = {
        "0 <= a and a <= b implies a >> s <= b >> s": shifted["a"] <= shifted["b"],
        "a >> s <= a": shifted["a"] <= a,
        "1 << s >= 1": power >= 1,
        "1 << s >= 2": power >= 2,
        "a >> s >= 1": shifted["a"] >= 1,
    }[claim]
    solver = z3.Solver()
    solver.add(*encoder.facts, s >= 0, s <= 31, a >= 0, a <= b, z3.Not(said))
    assert (solver.check() == z3.unsat) == follows


@pytest.mark.parametrize("kind", ["div_round_to_zero", "mod_round_to_zero"])
def test_quotients_are_rounded_as_c_rounds_them(kind: str) -> None:
    run = compiled(intrinsic(kind, I32, A, B))
    for a, b in itertools.product(range(-9, 10), (-4, -3, -1, 1, 2, 5)):
        quotient = int(a / b)
        assert run({"a": a, "b": b}) == (quotient if kind.startswith("div") else a - b * quotient)
