"""What the verifier takes for granted of entries of constant tables, and of products of what lies between numbers."""

from __future__ import annotations

import random

import pytest
import z3

from halide_core.ir.expr import I32, I64, Add, Cast, Expr, Load, Mul, Sub, Variable, const
from halide_core.ir.types import Int, UInt
from lifter.algebra.polynomial import Poly
from lifter.algebra.table_entries import ends_of
from lifter.ir.loop_ir import ConstArray
from lifter.ir.names import timed
from verifier.smt import IndexEncoder, Proved, Query, prove

ROWS = ((0, 6, 123), (2, 11, 108), (0, 9, 93), (3, 16, 77))
TAPS = ConstArray("taps", UInt(8), tuple(v for row in ROWS for v in row), (4, 3))


@pytest.mark.parametrize("seed", range(40))
def test_every_entry_at_such_a_place_lies_between_the_ends(seed: int) -> None:
    rng = random.Random(seed)
    values = [rng.randrange(-50, 50) for _ in range(rng.randrange(1, 40))]
    a, b = Poly.variable("a", I32), Poly.variable("b", I32)
    i, j, k = rng.choice((0, 2, 3, 6, -4)), rng.choice((0, 4, 6, 9)), rng.randrange(-7, 30)
    found = ends_of(values, a.scale(i) + (a * b).scale(j) + Poly.constant(k))
    for x in range(-8, 9):
        for y in range(-8, 9):
            place = i * x + j * x * y + k
            if 0 <= place < len(values):
                assert found is not None
                assert found[0] <= values[place] <= found[1]


def _tap(column: int) -> Expr:
    place = Add(I64, Mul(I64, Cast(I64, Variable(I32, "mode")), const(3, I64)), const(column, I64))
    return Cast(I32, Load(UInt(8), timed("taps", 0), place))


def _pixel(k: int) -> Expr:
    return Cast(I32, Load(UInt(8), timed("src", 0), Add(I64, Cast(I64, Variable(I32, "x")), const(k, I64))))


def _holds(e: Expr, most: int, given: tuple[str, ...] = ("inside",)) -> bool:
    """Whether it is proved that an expression is at most a number, where the mode is one of the table's or any."""
    index = IndexEncoder({"taps": TAPS})
    goal = index.expr(e) <= most
    mode = index.symbol("mode", Int(32))
    inside = [z3.And(mode >= 0, mode < 4)] if "inside" in given else []
    return isinstance(prove(Query((*index.facts, *inside), goal), 10.0), Proved)


def test_a_column_of_a_table() -> None:
    assert _holds(_tap(2), 123) and not _holds(_tap(2), 122)
    assert _holds(_tap(0), 3) and not _holds(_tap(0), 2)


def test_nothing_is_known_outside_of_the_table() -> None:
    assert not _holds(_tap(2), 254, ())
    assert _holds(_tap(2), 255, ())  # its type


def test_sums_of_products() -> None:
    weighed = [Mul(I32, _tap(c), _pixel(c)) for c in range(3)]
    total = Add(I32, Sub(I32, weighed[2], weighed[1]), weighed[0])
    assert _holds(total, 255 * 126) and not _holds(total, 255 * 122)


def test_products_of_negative_numbers() -> None:
    a = Cast(I32, Load(Int(8), timed("a", 0), Cast(I64, Variable(I32, "x"))))
    assert _holds(Mul(I32, a, a), 128 * 128) and not _holds(Mul(I32, a, a), 128 * 128 - 1)
