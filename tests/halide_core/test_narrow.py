"""Arithmetic in fewer bits, node by node."""

from __future__ import annotations

import pytest

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, Variable
from halide_core.ir.types import Float, Int, Type, UInt
from halide_core.passes.narrow import narrow


@pytest.mark.parametrize("wide", [I32, UInt(32), Int(64), Int(16)])
@pytest.mark.parametrize("last", [UInt(8), Int(8), UInt(16), I32, UInt(64)])
def test_a_condition_as_a_number(wide: Type, last: Type) -> None:
    """1 where it holds is 1 in every type: vectors are as wide as its last one allows."""
    condition = ir.LT(BOOL, Variable(Float(32), "a"), Variable(Float(32), "b"))
    assert str(narrow(ir.Cast(last, ir.Cast(wide, condition)))) == str(ir.Cast(last, condition))


def test_a_condition_as_a_float_stays() -> None:
    """Of floats only integers are made shorter."""
    condition = ir.LT(BOOL, Variable(I32, "a"), Variable(I32, "b"))
    number = ir.Cast(Float(32), ir.Cast(I32, condition))
    assert str(narrow(number)) == str(number)
