"""The free functions of the language: select, clamp, cast, min, max and the arithmetic that C lacks."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, const, const_value, intrinsic
from halide_core.ir.operators import as_expr, broadcast, cast_to, match_bitwise, match_types, shift
from halide_core.ir.types import Bool, Float, Int, Type, UInt


def cast(type_: Type, value: Any) -> Expr:
    """`value` converted to `type_`; a Python number directly."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if type_.is_int_or_uint() and isinstance(value, float):
            return ir.Cast(type_, as_expr(value))
        return const(value, type_)
    return cast_to(type_, as_expr(value))


def reinterpret(type_: Type, value: Any) -> Expr:
    """The bits of `value` as a value of `type_`."""
    e = as_expr(value)
    if e.type.bits != type_.bits:
        raise HalideError(f"reinterpret of {e.type} as {type_}: the sizes differ")
    return e if e.type == type_ else ir.Reinterpret(type_, e)


def _caster(type_: Type) -> Callable[[Any], Expr]:
    def convert(value: Any) -> Expr:
        return cast(type_, value)

    return convert


u8, u16, u32, u64 = (_caster(UInt(n)) for n in (8, 16, 32, 64))
i8, i16, i32, i64 = (_caster(Int(n)) for n in (8, 16, 32, 64))
f32, f64 = _caster(Float(32)), _caster(Float(64))


def saturating_cast(type_: Type, value: Any) -> Expr:
    """`value` clamped to the range of `type_`, then cast."""
    e = as_expr(value)
    if e.type == type_ or type_.is_float():
        return cast_to(type_, e)
    if e.type.is_float():
        low, high = const(type_.min(), e.type), const(type_.max(), e.type)
        return ir.Cast(type_, ir.Max(e.type, ir.Min(e.type, e, high), low))
    return intrinsic("saturating_cast", type_, e)


def _saturating_caster(type_: Type) -> Callable[[Any], Expr]:
    def convert(value: Any) -> Expr:
        return saturating_cast(type_, value)

    return convert


u8_sat, u16_sat, u32_sat, u64_sat = (_saturating_caster(UInt(n)) for n in (8, 16, 32, 64))
i8_sat, i16_sat, i32_sat, i64_sat = (_saturating_caster(Int(n)) for n in (8, 16, 32, 64))


def min(*args: Any) -> Expr:
    """The smallest argument; of two, a < b ? a : b."""
    return _fold(ir.Min, args)


def max(*args: Any) -> Expr:
    """The greatest argument; of two, a > b ? a : b."""
    return _fold(ir.Max, args)


def _fold(node: Callable[[Type, Expr, Expr], Expr], args: tuple[Any, ...]) -> Expr:
    out = args[0]
    for a in args[1:]:
        x, y = match_types(out, a)
        out = node(x.type, x, y)
    return as_expr(out)


def clamp(value: Any, low: Any, high: Any) -> Expr:
    """max(min(value, high), low), in the type of `value`."""
    e = as_expr(value)
    a, b = (cast_to(e.type, as_expr(v, e.type.element_of())) for v in (low, high))
    return ir.Max(e.type, ir.Min(e.type, e, b), a)


def select(condition: Any, true_value: Any, *rest: Any) -> Any:
    """select(c, t, f), or select(c1, v1, c2, v2, ..., otherwise)."""
    if not rest:
        raise HalideError("select needs a value for when the condition fails")
    false_value = select(*rest) if len(rest) > 1 else rest[0]
    if isinstance(true_value, tuple) and isinstance(false_value, tuple):
        from halide_core.dsl.func import Tuple

        return Tuple(*(select(condition, t, f) for t, f in zip(true_value, false_value, strict=True)))
    c = as_expr(condition)
    if not c.type.is_bool():
        raise HalideError(f"The condition of a select has type {c.type}, not bool")
    t, f = _same_type(true_value, false_value)
    lanes = builtins.max(c.type.lanes, t.type.lanes)
    return ir.Select(t.type.with_lanes(lanes), c, broadcast(t, lanes), broadcast(f, lanes))


def _same_type(a: Any, b: Any) -> tuple[Expr, Expr]:
    if isinstance(a, int | float) and not isinstance(b, int | float):
        y = as_expr(b)
        return as_expr(a, y.type), y
    x = as_expr(a)
    y = as_expr(b, x.type)
    if isinstance(x, ir.IntImm | ir.UIntImm) and x.type != y.type:
        x = cast_to(y.type, x)
    elif isinstance(y, ir.IntImm | ir.UIntImm) and x.type != y.type:
        y = cast_to(x.type, y)
    if x.type != y.type:
        raise HalideError(f"The values of a select have types {x.type} and {y.type}; cast one")
    return x, y


def mux(index: Any, values: Any) -> Expr:
    """values[index]; the last one for any other index."""
    i = as_expr(index)
    out = as_expr(values[-1])
    for k in reversed(range(len(values) - 1)):
        out = select(i == k, values[k], out)
    return out


def abs(value: Any) -> Expr:
    """The absolute value; unsigned for integers."""
    e = as_expr(value)
    if e.type.is_uint():
        return e
    return intrinsic("abs", e.type if e.type.is_float() else e.type.with_code(UInt(8).code), e)


def absd(a: Any, b: Any) -> Expr:
    """|a - b| without overflow; unsigned for integers."""
    x, y = match_types(a, b)
    return intrinsic("absd", x.type if x.type.is_float() else x.type.with_code(UInt(8).code), x, y)


def _same(name: str) -> Callable[[Any, Any], Expr]:
    def build(a: Any, b: Any) -> Expr:
        x, y = match_types(a, b)
        return intrinsic(name, x.type, x, y)

    build.__name__ = name
    return build


div_round_to_zero = _same("div_round_to_zero")
mod_round_to_zero = _same("mod_round_to_zero")
saturating_add = _same("saturating_add")
saturating_sub = _same("saturating_sub")
halving_add = _same("halving_add")
halving_sub = _same("halving_sub")
rounding_halving_add = _same("rounding_halving_add")


def widening_add(a: Any, b: Any) -> Expr:
    """a + b in twice the bits."""
    x, y = match_types(a, b)
    return intrinsic("widening_add", x.type.with_bits(2 * x.type.bits), x, y)


def widening_sub(a: Any, b: Any) -> Expr:
    """a - b in twice the bits, signed."""
    x, y = match_types(a, b)
    wide = x.type.with_bits(2 * x.type.bits)
    return intrinsic("widening_sub", wide if wide.is_float() else wide.with_code(Int(8).code), x, y)


def widening_mul(a: Any, b: Any) -> Expr:
    """a * b in twice the bits; signed where either is."""
    x, y = as_expr(a), as_expr(b)
    if x.type.code != y.type.code and x.type.bits == y.type.bits and not x.type.is_float() and not y.type.is_float():
        wide = Int(2 * x.type.bits, x.type.lanes)
        return ir.Mul(wide, cast_to(wide, x), cast_to(wide, y))
    x, y = match_types(x, y)
    return intrinsic("widening_mul", x.type.with_bits(2 * x.type.bits), x, y)


def rounding_shift_right(a: Any, b: Any) -> Expr:
    """a >> b, rounding half up."""
    call = shift("shift_right")(a, b)
    assert isinstance(call, Call)
    return intrinsic("rounding_shift_right", call.type, *call.args)


def mul_shift_right(a: Any, b: Any, shift_by: Any) -> Expr:
    """(a * b) >> shift_by without overflow, saturated."""
    x, y = match_types(a, b)
    amount = const_value(as_expr(shift_by))
    if amount is None:
        raise HalideError("mul_shift_right needs a constant shift")
    unsigned = x.type.with_code(UInt(8).code)
    return intrinsic("mul_shift_right", x.type, x, y, const(int(amount), unsigned))


def popcount(a: Any) -> Expr:
    e = as_expr(a)
    return intrinsic("popcount", e.type, e)


def count_leading_zeros(a: Any) -> Expr:
    e = as_expr(a)
    return intrinsic("count_leading_zeros", e.type, e)


def undef(type_: Type) -> Expr:
    """Any value; storing it does nothing."""
    return intrinsic("undef", type_)


def likely(a: Any) -> Expr:
    e = as_expr(a)
    return intrinsic("likely", e.type, e)


likely_if_innermost = likely


def strict_float(a: Any) -> Expr:
    """`a`; all floating point is strict here."""
    e = as_expr(a)
    return intrinsic("strict_float", e.type, e)


def _math(base: str, arguments: int = 1) -> Callable[..., Expr]:
    def build(*args: Any) -> Expr:
        if len(args) != arguments:
            raise TypeError(f"{base} takes {arguments} arguments")
        exprs = [as_expr(a) for a in args]
        if len(exprs) == 2:
            exprs = list(match_types(*exprs))
        exprs = [e if e.type.is_float() else cast_to(Float(32), e) for e in exprs]
        t = exprs[0].type
        result = Bool(t.lanes) if base.startswith("is_") else t
        return Call(result, f"{base}_f{t.bits}", tuple(exprs), CallType.PURE_EXTERN)

    build.__name__ = base
    return build


sqrt, floor, ceil, trunc, round = (_math(n) for n in ("sqrt", "floor", "ceil", "trunc", "round"))
exp, log, sin, cos, tan = (_math(n) for n in ("exp", "log", "sin", "cos", "tan"))
asin, acos, atan, sinh, cosh, tanh = (_math(n) for n in ("asin", "acos", "atan", "sinh", "cosh", "tanh"))
asinh, acosh, atanh, erf = (_math(n) for n in ("asinh", "acosh", "atanh", "erf"))
is_nan, is_inf, is_finite = (_math(n) for n in ("is_nan", "is_inf", "is_finite"))
pow, atan2, hypot, fmod = (_math(n, 2) for n in ("pow", "atan2", "hypot", "fmod"))


def fract(a: Any) -> Expr:
    """The fractional part, with the sign of `a`."""
    e = as_expr(a)
    return e - trunc(e)


def lerp(zero: Any, one: Any, weight: Any) -> Expr:
    """Linear interpolation; integer weights run from 0 to their type's greatest value, rounding to nearest."""
    a, b = match_types(zero, one)
    w = as_expr(weight)
    if a.type.is_float():
        if not w.type.is_float():
            w = cast_to(a.type, w) / float(w.type.max())
        return a * (const(1.0, a.type) - cast_to(a.type, w)) + b * cast_to(a.type, w)
    if w.type.is_float():
        return cast_to(a.type, round(cast_to(w.type, a) * (const(1.0, w.type) - w) + cast_to(w.type, b) * w))
    if w.type.bits != a.type.bits or not a.type.is_uint() or not w.type.is_uint() or a.type.bits > 32:
        raise HalideError(f"lerp of {a.type} with a weight of {w.type} is not supported; use one unsigned type")
    wide = a.type.with_bits(2 * a.type.bits)
    top = a.type.max()
    inverse = const(top, wide) - cast_to(wide, w)
    total = cast_to(wide, a) * inverse + cast_to(wide, b) * cast_to(wide, w)
    return cast_to(a.type, (total + (top + 1) // 2) / top)


def logical_not(a: Any) -> Expr:
    return ~as_expr(a)


def bitwise_and(a: Any, b: Any) -> Expr:
    x, y = match_bitwise(a, b)
    return intrinsic("bitwise_and", x.type, x, cast_to(x.type, y))
