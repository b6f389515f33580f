"""What rows have in common, against the rows written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import halide_core as hl
from halide_core.autoschedule.analysis.arithmetic import arithmetic
from halide_core.autoschedule.analysis.neighbours import Coordinates, Neighbours
from halide_core.ir import expr as ir
from halide_core.ir.expr import Variable
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import substitute

pytestmark = pytest.mark.few(4)

Reads = Callable[..., Any]


def rows_of(value: Callable[[Reads, Any, Any], Any]) -> tuple[Neighbours, tuple[ir.Expr, ...], str]:
    x, y, image = hl.Var(), hl.Var(), hl.ImageParam(hl.Float(32), 2)
    f = hl.Func()
    f[x, y] = value(lambda *at: image[at], x, y)
    pure = f._function.pure
    assert pure is not None
    return Neighbours(pure.values, y.name(), Coordinates()), pure.values, y.name()


@pytest.mark.parametrize("value", [
    lambda read, x, y: read(x, y - 1) + read(x, y) * 2.0 + read(x, y + 1),
    lambda read, x, y: hl.sqrt(read(x, y) * read(x + 1, y)) + hl.sqrt(read(x, y + 1) * read(x + 1, y + 1)),
    lambda read, x, y: read(x, y // 2) + read(x, y // 2 + 1),
    lambda read, x, y: read(x, y * 2) - read(x, y * 2 + 1),
    lambda read, x, y: read(hl.cast(hl.Int(32), read(x, y)), y) + read(hl.cast(hl.Int(32), read(x, y + 1)), y + 1),
    lambda read, x, y: hl.select(y > 3, read(x, y), hl.cast(hl.Float(32), y)),
], ids=["column", "shared roots", "halved", "doubled", "gathered", "its own row"])
@pytest.mark.parametrize("rows", [1, 2, 4, 8])
def test_rows_together_cost_what_they_cost_written_out(value: Any, rows: int) -> None:
    neighbours, values, y = rows_of(value)
    places = [ir.Add(ir.I32, Variable(ir.I32, y), ir.const(k, ir.I32)) for k in range(rows)]
    expected = arithmetic(tuple(simplify(substitute(v, {y: p})) for p in places for v in values))
    found = neighbours.cost(rows)
    assert len(found.sites) == len(expected.sites)
    # Written out, 0 + 1 in the condition on the own row is folded for one more instruction than coordinates are.
    assert found.vector_bytes == pytest.approx(expected.vector_bytes, abs=4.0 * rows)
    assert found.lane_cycles == pytest.approx(expected.lane_cycles)


def test_what_a_row_hands_to_the_next_is_held() -> None:
    neighbours, _, _ = rows_of(lambda read, x, y: read(x, y - 1) + read(x, y) + read(x, y + 1))
    # Two of the three rows that are read.
    assert neighbours.held() == 8.0
    alone, _, _ = rows_of(lambda read, x, y: read(x, y * 2) - read(x, y * 2 + 1))
    assert alone.held() == 0.0


def test_coordinates_that_meet_are_one() -> None:
    y = Variable(ir.I32, "y")
    coordinates = Coordinates()
    below = ir.Add(ir.I32, y, ir.const(1, ir.I32))
    assert coordinates.moved(y, "y", 3) == coordinates.moved(below, "y", 2)
