"""Equality of two expressions by that of their operands."""

from __future__ import annotations

import pytest

from halide_core.ir.expr import BOOL, I32, LT, Add, Cast, Expr, Load, Mul, Select, Sub, Variable, const
from halide_core.ir.types import UInt
from verifier.algebra.lemmas import part_by_part

A, B = Variable(I32, "a"), Variable(I32, "b")
U8 = UInt(8)
ONE = const(1, I32)


def _read(index: Expr) -> Expr:
    return Cast(I32, Load(U8, "s#initial", index))


def _sum(index: Expr, more: Expr) -> Expr:
    return Add(I32, Select(I32, LT(BOOL, A, B), _read(index), const(0, I32)), more)


def test_operands_are_proved_one_by_one() -> None:
    old = _sum(Sub(I32, Add(I32, A, B), ONE), Add(I32, B, B))
    new = _sum(Add(I32, A, Sub(I32, B, ONE)), Mul(I32, B, const(2, I32)))
    assert part_by_part(old, new, (), None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_sum(A, B), _sum(B, A)),
        (_sum(A, B), _sum(A, Mul(I32, B, const(2, I32)))),
        # Nothing is said of the whole.
        (Add(I32, A, B), Mul(I32, A, B)),
        (Add(I32, A, B), Add(I32, B, A)),
        # Operands of one operator with types of their own.
        (Cast(I32, Load(U8, "s#initial", A)), Cast(I32, Variable(I32, "c"))),
    ],
)
def test_what_differs_in_a_part_is_left_open(old: Expr, new: Expr) -> None:
    assert not part_by_part(old, new, (), None)
