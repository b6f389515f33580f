"""Rules of one node: constants folded, identities applied.  All hold under the wrapping meaning of every node."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.constant_intervals import Ends, half_open
from halide_core.ir.expr import Expr, const, const_value, make_bool
from halide_core.ir.structural import key

# Inclusive bounds of a variable, either side None when unknown.
Bounds = Mapping[str, Ends]


def apply_identities(e: Expr, bounds: Bounds) -> Expr:
    if _is_foldable(e) and not e.type.is_handle():
        return _fold(e)
    match e:
        case ir.Add() | ir.Sub() | ir.Mul() | ir.Div() | ir.Mod():
            return e if e.type.is_float() else _arithmetic(e)
        case ir.Min() | ir.Max():
            return _min_max(e, bounds)
        case ir.EQ() | ir.NE() | ir.LT() | ir.LE() | ir.GT() | ir.GE():
            return _comparison(e, bounds)
        case ir.And() | ir.Or() | ir.Not():
            return _logic(e)
        case ir.Select():
            return _select(e)
        case ir.Cast():
            return _cast(e)
        case ir.Call(name="strict_float" | "likely", call_type=ir.CallType.INTRINSIC):
            return e.args[0]
    return e


def _is_foldable(e: Expr) -> bool:
    if not e.type.is_scalar() or isinstance(e, ir.IntImm | ir.UIntImm | ir.FloatImm | ir.StringImm | ir.Variable):
        return False
    if isinstance(e, ir.Call) and (e.call_type is not ir.CallType.INTRINSIC or e.name in ("undef", "likely")):
        return False
    if isinstance(e, ir.Load | ir.Let | ir.Reinterpret | ir.VectorReduce | ir.Shuffle):
        return False
    parts = ir.children(e)
    return bool(parts) and all(isinstance(c, ir.IntImm | ir.UIntImm | ir.FloatImm) for c in parts)


def _fold(e: Expr) -> Expr:
    value = evaluate(e, {}).item()
    if isinstance(value, float) and np.isnan(value):
        return e
    return const(value, e.type)


def _arithmetic(e: ir._Binary) -> Expr:
    """Identities of wrapping integers."""
    a, b = e.a, e.b
    va, vb = const_value(a), const_value(b)
    zero = const(0, e.type)
    match e:
        case ir.Add():
            if va == 0:
                return b
            if vb == 0:
                return a
            if va is not None:
                return ir.Add(e.type, b, a)
            if vb is not None and isinstance(a, ir.Add) and (inner := const_value(a.b)) is not None:
                return apply_identities(ir.Add(e.type, a.a, const(int(inner) + int(vb), e.type)), {})
        case ir.Sub():
            if vb == 0:
                return a
            if key(a) == key(b):
                return zero
            if vb is not None and not e.type.is_bool() and e.type.is_int():
                return apply_identities(ir.Add(e.type, a, const(-int(vb), e.type)), {})
        case ir.Mul():
            if va == 0 or vb == 0:
                return zero
            if va == 1:
                return b
            if vb == 1:
                return a
            if va is not None:
                return ir.Mul(e.type, b, a)
            if vb is not None and isinstance(a, ir.Mul) and (inner := const_value(a.b)) is not None:
                return apply_identities(ir.Mul(e.type, a.a, const(int(inner) * int(vb), e.type)), {})
        case ir.Div():
            if vb == 1:
                return a
            if va == 0 or vb == 0:
                return zero
        case ir.Mod():
            if vb == 1 or va == 0 or vb == 0:
                return zero
    return e


def interval(e: Expr, bounds: Bounds) -> Ends:
    """Inclusive constant bounds of an integer expression, sound under wrapping; None where unknown."""
    t = e.type
    if not t.is_int_or_uint():
        return (None, None)
    lo: int | None
    hi: int | None
    value = const_value(e)
    if value is not None:
        return (int(value), int(value))
    match e:
        case ir.Variable(name=name) if name in bounds:
            lo, hi = bounds[name]
        case ir.Broadcast(value=inner):
            lo, hi = interval(inner, bounds)
        case ir.Cast(value=inner) if inner.type.is_int_or_uint():
            lo, hi = interval(inner, bounds)
            lo = inner.type.min() if lo is None and inner.type.bits < 64 else lo
            hi = inner.type.max() if hi is None and inner.type.bits < 64 else hi
        case ir.Add() | ir.Min() | ir.Max():
            lo, hi = half_open(e, interval(e.a, bounds), interval(e.b, bounds))
        case ir.Mod(b=b) if (m := const_value(b)) is not None and m > 0:
            lo, hi = 0, int(m) - 1
        case _:
            lo = hi = None
    if lo is None or hi is None or lo < t.min() or hi > t.max():
        if t.bits < 32 or t.is_uint():
            return (t.min(), t.max())
        wraps = (lo is not None and lo < t.min()) or (hi is not None and hi > t.max())
        return (None, None) if wraps or not isinstance(e, ir.Variable | ir.Min | ir.Max | ir.Broadcast) else (lo, hi)
    return (lo, hi)


def _min_max(e: ir.Min | ir.Max, bounds: Bounds) -> Expr:
    a, b = e.a, e.b
    if e.type.is_float():
        return e
    if key(a) == key(b):
        return a
    (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
    a_below = ha is not None and lb is not None and ha <= lb
    b_below = hb is not None and la is not None and hb <= la
    if a_below or b_below:
        return (a if a_below else b) if isinstance(e, ir.Min) else (b if a_below else a)
    inner_value, outer_value = const_value(a.b) if isinstance(a, type(e)) else None, const_value(b)
    if inner_value is not None and outer_value is not None:
        assert isinstance(a, ir._Binary)
        pick = min if isinstance(e, ir.Min) else max
        return type(e)(e.type, a.a, const(pick(inner_value, outer_value), e.type))
    if isinstance(a, type(e)) and key(b) in (key(a.a), key(a.b)):
        return a
    if isinstance(b, type(e)) and key(a) in (key(b.a), key(b.b)):
        return b
    return e


def _comparison(e: ir._Binary, bounds: Bounds) -> Expr:
    a, b = e.a, e.b
    if a.type.is_float() or not e.type.is_scalar():
        return e
    if isinstance(e, ir.GT):
        return _comparison(ir.LT(e.type, b, a), bounds)
    if isinstance(e, ir.GE):
        return _comparison(ir.LE(e.type, b, a), bounds)
    if key(a) == key(b):
        return make_bool(isinstance(e, ir.EQ | ir.LE))
    (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
    below = ha is not None and lb is not None and ha < lb
    above = hb is not None and la is not None and la > hb
    if below:
        return make_bool(isinstance(e, ir.NE | ir.LT | ir.LE))
    if above:
        return make_bool(isinstance(e, ir.NE))
    if isinstance(e, ir.LE) and ha is not None and lb is not None and ha <= lb:
        return make_bool(True)
    if isinstance(e, ir.LT) and hb is not None and la is not None and la >= hb:
        return make_bool(False)
    return e


def _logic(e: Expr) -> Expr:
    if isinstance(e, ir.Not):
        if isinstance(e.a, ir.Not):
            return e.a.a
        opposite: dict[type[Expr], type[ir._Binary]] = {ir.EQ: ir.NE, ir.NE: ir.EQ}
        if isinstance(e.a, ir.EQ | ir.NE):
            return opposite[type(e.a)](e.type, e.a.a, e.a.b)
        return e
    assert isinstance(e, ir.And | ir.Or)
    absorbing = 0 if isinstance(e, ir.And) else 1
    for x, y in ((e.a, e.b), (e.b, e.a)):
        value = const_value(x)
        if value is not None:
            return const(bool(absorbing), e.type) if value == absorbing else y
    return e.a if key(e.a) == key(e.b) else e


def _select(e: ir.Select) -> Expr:
    value = const_value(e.condition)
    if value is not None:
        return e.true_value if value else e.false_value
    if key(e.true_value) == key(e.false_value):
        return e.true_value
    if isinstance(e.condition, ir.Not):
        return ir.Select(e.type, e.condition.a, e.false_value, e.true_value)
    return e


def _cast(e: ir.Cast) -> Expr:
    value = e.value
    if value.type == e.type:
        return value
    if isinstance(value, ir.Broadcast) and e.type.is_vector():
        return ir.Broadcast(e.type, apply_identities(ir.Cast(e.type.element_of(), value.value), {}), value.lanes)
    if not isinstance(value, ir.Cast) or not e.type.is_int_or_uint() or e.type.is_bool():
        return e
    middle, source = value.type, value.value.type
    if not source.is_int_or_uint() or not middle.is_int_or_uint() or middle.is_bool():
        return e
    # Low bits survive a wider or value-preserving middle type.
    if middle.bits >= e.type.bits or middle.can_represent(source):
        return apply_identities(ir.Cast(e.type, value.value), {})
    return e
