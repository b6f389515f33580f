"""Intervals of floating-point values with constant ends: what clamps leave of values that become coordinates."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr, FloatImm, const_value, round_float


def float_bounds(e: Expr, parts: list[Interval]) -> Interval:
    """The interval of the float `e`, whose operands are never outside of `parts`; (None, None) where it may be NaN.

    Rounding is monotonic, so that the ends may be computed as the values are."""
    ends = [_ends(p) for p in parts]
    match e:
        case FloatImm():
            return (e, e) if math.isfinite(e.value) else (None, None)
        case ir.Min() | ir.Max():
            return _least_or_greatest(e, parts)
        case ir.Select():
            ends = ends[1:]
            if any(x is None for x in ends):
                return None, None
            known = [v for x in ends if x is not None for v in x]
            return _interval(e, min(known), max(known))
        case ir.Call(name="likely" | "strict_float") | ir.Broadcast():
            return parts[0]
    if not ends or any(x is None for x in ends):
        return None, None
    a = ends[0]
    b = ends[1] if len(ends) > 1 else None
    assert a is not None
    match e:
        case ir.Cast():
            return _interval(e, *a)
        case ir.Add() if b is not None:
            return _interval(e, a[0] + b[0], a[1] + b[1])
        case ir.Sub() if b is not None:
            return _interval(e, a[0] - b[1], a[1] - b[0])
        case ir.Mul() if b is not None:
            corners = [x * y for x in a for y in b]
            return _interval(e, min(corners), max(corners))
        case ir.Div() if b is not None and (b[0] > 0 or b[1] < 0):
            corners = [x / y for x in a for y in b]
            return _interval(e, min(corners), max(corners))
        case ir.Call(name="floor_f32" | "floor_f64" | "floor"):
            return _interval(e, math.floor(a[0]), math.floor(a[1]))
        case ir.Call(name="ceil_f32" | "ceil_f64" | "ceil"):
            return _interval(e, math.ceil(a[0]), math.ceil(a[1]))
        case ir.Call(name="round_f32" | "round_f64" | "round" | "trunc_f32" | "trunc_f64" | "trunc"):
            return _interval(e, math.floor(a[0]), math.ceil(a[1]))
        case ir.Call(name="abs"):
            return _interval(e, 0.0, max(-a[0], a[1]))
        case ir.Call(name="sqrt_f32" | "sqrt_f64" | "sqrt") if a[0] >= 0:
            return _interval(e, math.floor(math.sqrt(a[0])), math.ceil(math.sqrt(a[1])))
    return None, None


def _ends(part: Interval) -> tuple[float, float] | None:
    low, high = (None if x is None else const_value(x) for x in part)
    return None if low is None or high is None else (float(low), float(high))


def _interval(e: Expr, low: float, high: float) -> Interval:
    ends = round_float(low, e.type.bits), round_float(high, e.type.bits)
    if not all(map(math.isfinite, ends)):
        return None, None
    return FloatImm(e.type, ends[0]), FloatImm(e.type, ends[1])


def _least_or_greatest(e: ir.Min | ir.Max, parts: list[Interval]) -> Interval:
    """An interval, half open where only one operand is bounded on that side.

    The second operand is what is left of a NaN, so it must be known not to be one: to have an end."""
    if parts[1][0] is None and parts[1][1] is None:
        return None, None
    pick = min if isinstance(e, ir.Min) else max
    out: list[Expr | None] = []
    for side in (0, 1):
        values = [const_value(x) for p in parts if (x := p[side]) is not None]
        known = [float(v) for v in values if v is not None]
        # The least value is below either high end, and above the lower of two low ends.
        enough = 1 if side == (1 if isinstance(e, ir.Min) else 0) else 2
        out.append(FloatImm(e.type, pick(known)) if len(known) >= enough else None)
    return out[0], out[1]
