"""Random typed expressions with edge values, for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from halide_core.interp.expr import dtype_of
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, Variable, const, intrinsic
from halide_core.ir.types import Bool, Float, Int, Type, UInt

INTEGERS = [Int(8), Int(16), Int(32), Int(64), UInt(8), UInt(16), UInt(32), UInt(64)]
FLOATS = [Float(32), Float(64)]
_ARITHMETIC = [ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max]
_COMPARE = [ir.EQ, ir.NE, ir.LT, ir.LE, ir.GT, ir.GE]
_SAME_TYPE = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "div_round_to_zero", "mod_round_to_zero",
    "saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add", "rounding_shift_right",
]  # fmt: skip


def variables(t: Type) -> list[Variable]:
    return [Variable(t, f"{t}_{k}") for k in range(2)]


def edge_values(t: Type) -> np.ndarray[Any, Any]:
    """Values of `t` at which operations go wrong, and a few ordinary ones."""
    if t.is_bool():
        return np.array([False, True])
    if t.is_float():
        small = 1e-45 if t.bits == 32 else 5e-324
        values = [0.0, -0.0, 1.0, -1.5, 2.5, 255.0, 256.5, -129.0, 2.0**31, -(2.0**31), 2.0**31 - 128, 2.0**63, 2.0**64,
                  -(2.0**63), 1e30, small, -small, np.inf, -np.inf, np.nan, 65535.7, 0.1]  # fmt: skip
        return np.array(values).astype(dtype_of(t))
    spread = [
        t.min(),
        t.min() + 1,
        0,
        1,
        2,
        3,
        7,
        t.bits - 1,
        t.bits,
        t.bits + 1,
        100,
        t.max() // 2,
        t.max() - 1,
        t.max(),
    ]
    negative = [-1, -2, -3, -t.bits] if t.is_int() else []
    return np.array([v for v in spread + negative if t.min() <= v <= t.max()], dtype=dtype_of(t))


@st.composite
def expressions(draw: Any, t: Type, depth: int) -> Expr:
    """An expression of type `t` over `variables` of all types."""
    if depth == 0 or draw(st.integers(0, 9)) == 0:
        return _leaf(draw, t)

    def sub(u: Type) -> Expr:
        return draw(expressions(u, depth - 1))

    if t.is_bool():
        return _boolean(draw, sub)
    kind = draw(st.integers(0, 9))
    if kind <= 3:
        node = draw(st.sampled_from(_ARITHMETIC))
        return node(t, sub(t), sub(t))
    if kind == 4:
        return ir.Select(t, sub(Bool()), sub(t), sub(t))
    if kind == 5:
        return ir.Cast(t, sub(draw(st.sampled_from([*INTEGERS, *FLOATS, Bool()]))))
    if t.is_float():
        return (
            intrinsic(draw(st.sampled_from(["abs", "strict_float"])), t, sub(t))
            if kind < 8
            else intrinsic("absd", t, sub(t), sub(t))
        )
    return _intrinsic(draw, t, sub)


def _leaf(draw: Any, t: Type) -> Expr:
    if draw(st.booleans()):
        return draw(st.sampled_from(variables(t)))
    return const(draw(st.sampled_from(edge_values(t).tolist())), t)


def _boolean(draw: Any, sub: Any) -> Expr:
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return ir.Not(Bool(), sub(Bool()))
    if kind == 1:
        return draw(st.sampled_from([ir.And, ir.Or, ir.NE]))(Bool(), sub(Bool()), sub(Bool()))
    u = draw(st.sampled_from([*INTEGERS, *FLOATS]))
    return draw(st.sampled_from(_COMPARE))(Bool(), sub(u), sub(u))


def _intrinsic(draw: Any, t: Type, sub: Any) -> Expr:
    kind = draw(st.integers(0, 7))
    if kind <= 3:
        name = draw(st.sampled_from(_SAME_TYPE))
        b = sub(t)
        if name.endswith(("left", "right")) and draw(st.booleans()):
            b = sub(draw(st.sampled_from([Int(t.bits), UInt(t.bits)])))
        return intrinsic(name, t, sub(t), b)
    if kind == 4 and t.is_uint():
        u = draw(st.sampled_from([t, Int(t.bits)]))
        return intrinsic("abs", t, sub(u)) if u.is_int() else intrinsic("absd", t, sub(u), sub(u))
    if kind == 5 and t.bits > 8:
        half = t.with_bits(t.bits // 2)
        name = draw(st.sampled_from(["widening_add", "widening_mul"] + (["widening_sub"] if t.is_int() else [])))
        return intrinsic(name, t, sub(half), sub(half))
    if kind == 6:
        return intrinsic("saturating_cast", t, sub(draw(st.sampled_from(INTEGERS))))
    if kind == 7 and t.bits <= 32:
        amount = draw(st.integers(0, 2 * t.bits + 1))
        return intrinsic("mul_shift_right", t, sub(t), sub(t), const(amount, UInt(t.bits)))
    return intrinsic(draw(st.sampled_from(["popcount", "count_leading_zeros", "bitwise_not", "likely"])), t, sub(t))
