"""The text of conditions on parameters, beside the interpreter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from codegen.conditions import NumberText, helpers
from codegen.pipeline import compiled
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, Call, CallType, Expr, Variable, const, intrinsic
from halide_core.ir.types import Float, Int, Type, UInt

VALUES = (0.3, -1.5, math.nan, 0.0, -0.0, 1.0, 2.75, 1e-30, 3e9, math.inf, -math.inf)
"""Of a parameter; where the text makes a pipeline of each, the first three."""
ONE = ("sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "exp", "log2", "sin", "atan", "cbrt", "erf", "tanh")
TWO = ("pow", "atan2", "fmod", "hypot", "fmin", "fmax", "copysign", "fdim", "remainder")


def _agrees(condition: Expr, values: tuple[Any, ...], t: Type) -> None:
    text = NumberText(lambda n: n).text(condition)
    module: dict[str, Any] = {"np": np, "hl": hl}
    for source in helpers(text):
        exec(source, module)
    dtype = np.dtype(f"{'f' if t.is_float() else 'u' if t.is_uint() else 'i'}{t.bits // 8}")
    with np.errstate(all="ignore"):
        for v in values[: 3 if "_evaluated" in text else None]:
            number = dtype.type(v)
            wanted = evaluate(compiled(condition), {"v": number})
            given = number if t.is_float() else int(number)
            assert bool(eval(text, module, {"v": given})) == bool(wanted), (text, v)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_functions_of_the_c_library(name: str, bits: int) -> None:
    t = Float(bits)
    arguments = (Variable(t, "v"), const(1.25, t))[: 1 if name in ONE else 2]
    called = Call(t, name if bits == 64 else f"{name}f", arguments, CallType.PURE_EXTERN)
    _agrees(E.LT(BOOL, const(0.6, t), called), VALUES, t)


@pytest.mark.parametrize("bits", [32, 64])
def test_bits_of_floats(bits: int) -> None:
    t = Float(bits)
    v, top = Variable(t, "v"), 1 << (bits - 1)
    for whole in (UInt(bits), Int(bits)):
        seen = E.Reinterpret(whole, v)
        _agrees(E.LT(BOOL, const(5, whole), seen), VALUES, t)
    sizes = intrinsic("bitwise_and", UInt(bits), E.Reinterpret(UInt(bits), v), const(top - 1, UInt(bits)))
    _agrees(E.LT(BOOL, E.Reinterpret(t, sizes), const(1.0, t)), VALUES, t)
    _agrees(E.LT(BOOL, intrinsic("abs", t, v), const(1.0, t)), VALUES, t)


@pytest.mark.parametrize("kind", [Int(32), UInt(32), UInt(64)])
def test_ones_are_counted(kind: Type) -> None:
    counted = intrinsic("popcount", kind, Variable(kind, "v"))
    _agrees(E.LT(BOOL, const(3, kind), counted), (0, 15, 7), kind)
