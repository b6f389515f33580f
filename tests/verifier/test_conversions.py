"""Conversions between integers with and without a sign, as the solver is told of them: nothing but what is so."""

from __future__ import annotations

import itertools

import pytest
import z3

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import BOOL, GE, I32, LT, Cast, Expr, Load, Max, Select, Variable, const
from halide_core.ir.structural import substitute, transform
from halide_core.ir.types import Int, UInt
from verifier.smt import IndexEncoder

U32 = UInt(32)
READ = Load(U32, "in#initial", const(0, I32))
SIZE = Variable(U32, "size")
ONE = const(1, U32)
EDGES = (0, 1, 2, 127, 128, 255, 256, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1)
FORMS = {
    "as it is": Cast(I32, READ),
    "clamped": Cast(I32, Select(U32, GE(BOOL, READ, SIZE), SIZE - ONE, READ)),
    "clamped to a byte": Cast(Int(8), Select(U32, LT(BOOL, READ, SIZE), READ, SIZE - ONE)),
    "a product": Cast(I32, Select(U32, LT(BOOL, READ, SIZE), READ * const(3, U32), SIZE)),
    "the greater of what may wrap": Cast(I32, Max(U32, SIZE - ONE, READ)),
    "a choice by what may wrap": Cast(I32, Select(U32, LT(BOOL, READ, SIZE - ONE), READ, SIZE)),
}


def _value(e: Expr, read: int, size: int) -> int:
    placed = transform(e, lambda n: const(read, U32) if isinstance(n, Load) else n)
    return int(evaluate(substitute(placed, {"size": const(size, U32)}), {}))


@pytest.mark.parametrize("form", FORMS)
def test_what_is_told_is_true(form: str) -> None:
    """The values that a conversion has are among those that the facts allow."""
    e = FORMS[form]
    encoder = IndexEncoder()
    found = encoder.expr(e)
    for read, size in itertools.product(EDGES, repeat=2):
        solver = z3.Solver()
        solver.add(*encoder.facts, encoder.expr(READ) == read, encoder.symbol("size") == size)
        solver.add(found == _value(e, read, size))
        assert solver.check() == z3.sat, (read, size)


def test_what_fits_is_the_same() -> None:
    e = FORMS["clamped"]
    encoder = IndexEncoder()
    found, size = encoder.expr(e), encoder.symbol("size", U32)
    solver = z3.Solver()
    solver.add(*encoder.facts, size >= 1, size <= 1 << 31, z3.Not(z3.And(found >= 0, found < size)))
    assert solver.check() == z3.unsat
