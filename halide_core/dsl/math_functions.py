"""Functions of floats: arithmetic for those of float32 and float64, the C library's for others, and approximations.

The coefficients and range reductions of the fast ones are Halide's own (IROperator.cpp), so that they give its bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from halide_core.dsl.functions import cast, clamp, logical_not, match, reinterpret, select
from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, const, const_value
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.types import Bool, Float, Int, Type

_F32 = Float(32)
_OWN = (32, 64)
"""Bits of the floats whose functions are arithmetic."""


def _float_type(e: Expr) -> Type:
    return e.type if e.type.is_float() else _F32.with_lanes(e.type.lanes)


def _call(base: str, t: Type, *args: Expr) -> Expr:
    result = Bool(t.lanes) if base.startswith("is_") else t
    return Call(result, f"{base}_f{t.bits}", args, CallType.PURE_EXTERN)


def _own(base: str) -> Callable[[Any], Expr]:
    """Like `_unary`, but of float32 and float64 as arithmetic."""

    def build(a: Any) -> Expr:
        e = as_expr(a)
        t = _float_type(e)
        x = cast_to(t, e)
        return ir.intrinsic(base, t, x) if t.bits in _OWN else _call(base, t, x)

    build.__name__ = base
    return build


def _unary(base: str) -> Callable[[Any], Expr]:
    def build(a: Any) -> Expr:
        e = as_expr(a)
        t = _float_type(e)
        return _call(base, t, cast_to(t, e))

    build.__name__ = base
    return build


def _test(base: str) -> Callable[[Any], Expr]:
    def build(a: Any) -> Expr:
        e = as_expr(a)
        if not e.type.is_float():
            raise HalideError(f"{base} only works for float, and {e} has type {e.type}")
        return _call(base, e.type, e)

    build.__name__ = base
    return build


def _of_first(base: str) -> Callable[[Any, Any], Expr]:
    """A function of two arguments in the type of the first, which is float32 unless that is a float."""

    def build(a: Any, b: Any) -> Expr:
        x, y = as_expr(a), as_expr(b)
        t = _float_type(x)
        x, y = cast_to(t, x), cast_to(t, y)
        return ir.intrinsic(base, t, x, y) if t.bits in _OWN and base in ir.MATHEMATICS else _call(base, t, x, y)

    build.__name__ = base
    return build


sqrt, floor, ceil, trunc, round = (_unary(n) for n in ("sqrt", "floor", "ceil", "trunc", "round"))
sin, cos, tan = (_own(n) for n in ("sin", "cos", "tan"))
exp, log = _own("exp"), _own("log")
asin, acos, atan, sinh, cosh, tanh = (_own(n) for n in ("asin", "acos", "atan", "sinh", "cosh", "tanh"))
asinh, acosh, atanh = (_own(n) for n in ("asinh", "acosh", "atanh"))
is_nan, is_inf, is_finite = (_test(n) for n in ("is_nan", "is_inf", "is_finite"))
atan2, fmod = _of_first("atan2"), _of_first("fmod")


def libm(name: str, *args: Any) -> Expr:
    """The C library's function `name` ("cbrt", "exp") of floats of one type, bit for bit.  The package has no such
    thing."""
    exprs = [as_expr(a) for a in args]
    if not exprs or any(e.type != exprs[0].type or not e.type.is_float() for e in exprs):
        raise HalideError(f"libm of {name} takes floats of one type, not {', '.join(str(e.type) for e in exprs)}")
    return _call(name, exprs[0].type, *exprs)


def erf(a: Any) -> Expr:
    """The error function, of float32."""
    return ir.intrinsic("erf", _F32, _float32("erf", a))


def hypot(a: Any, b: Any) -> Expr:
    """The square root of a*a + b*b."""
    x, y = match(a, b)
    return sqrt(x * x + y * y)


def fract(a: Any) -> Expr:
    """The fractional part, with the sign of `a`."""
    e = as_expr(a)
    return e - trunc(e)


def pow(a: Any, b: Any) -> Expr:
    """a to the power b; of a constant integer b by multiplications, in the type of `a`."""
    x, y = as_expr(a), as_expr(b)
    power = _integer_constant(y)
    if power is not None:
        return _power(x, power)
    return _of_first("pow")(x, y)


def _integer_constant(e: Expr) -> int | None:
    value = const_value(e)
    return int(value) if value is not None and e.type.is_int() else None


def _power(x: Expr, p: int) -> Expr:
    if p < 0:
        return const(1, x.type) / _power(x, -p)
    if p == 0:
        return const(1, x.type)
    if p == 1:
        return x
    half = _power(x, p // 2)
    return half * half * x if p % 2 else half * half


def _float32(name: str, a: Any) -> Expr:
    e = as_expr(a)
    if e.type.element_of() != _F32:
        raise HalideError(f"{name} only works for float32, and {e} has type {e.type}")
    return e


def _polynomial(x: Expr, coefficients: Sequence[float]) -> Expr:
    """The polynomial with the given coefficients, highest first; even and odd terms apart."""
    square = x * x
    parts: list[Expr] = [const(c, x.type) for c in coefficients[:2]]
    for k, c in enumerate(coefficients[2:]):
        parts[k % 2] = parts[k % 2] * square
        if c:
            parts[k % 2] = parts[k % 2] + const(c, x.type)
    low, high = (1, 0) if len(coefficients) % 2 == 0 else (0, 1)
    return parts[high] * x + parts[low]


_LN2 = float(const_value(const(math.log(2.0), _F32)) or 0.0)


def fast_log(a: Any) -> Expr:
    """An approximation of log for positive float32, about 15 bits of the mantissa."""
    x = _float32("fast_log", a)
    bits = reinterpret(Int(32), x)
    mantissa = bits & -0x7F800001
    above = mantissa >> 22
    exponent = (bits >> 23) - (127 - above)
    reduced = reinterpret(_F32, mantissa | ((127 - above) << 23))
    series = (
        0.07640318789187280912,
        -0.16252961013874300811,
        0.20625219040645212387,
        -0.25110261010892864775,
        0.33320464908377461777,
        -0.49997513376789826101,
        1.0,
        0.0,
    )
    return _polynomial(reduced - 1.0, series) + cast(_F32, exponent) * _LN2


def fast_exp(a: Any) -> Expr:
    """An approximation of exp for float32, about 15 bits of the mantissa."""
    x = _float32("fast_exp", a)
    whole = floor(x / _LN2)
    k = cast(Int(32), whole)
    series = (0.01314350012789660196, 0.03668965196652099192, 0.16873890085469545053, 0.49970514590562437052, 1.0, 1.0)
    result = _polynomial(x - whole * _LN2, series)
    return result * reinterpret(_F32, clamp(k + 127, 0, 255) << 23)


def fast_pow(a: Any, b: Any) -> Expr:
    """An approximation of pow for positive `a`, in float32; of a constant integer b by multiplications."""
    x, y = as_expr(a), as_expr(b)
    power = _integer_constant(y)
    if power is not None:
        return _power(x, power)
    x, y = cast(_F32, x), cast(_F32, y)
    result: Expr = select(x == 0.0, 0.0, fast_exp(fast_log(x) * y))
    return result


def _sine_or_cosine(name: str, a: Any) -> Expr:
    # Halide's constants for 2/pi and pi/2 are rounded to float32 by their literals.
    x = as_expr(a)
    t = _float_type(x) if x.type.bits == 64 and x.type.is_float() else _F32
    x = cast_to(t, x)
    whole = floor(x * const(0.636619746685028076171875, t))
    quarter = cast(Int(32), whole) % 4
    odd = (quarter == 1) | (quarter == 3)
    even = (quarter == 0) | (quarter == 2)
    uses_cosine = odd if name == "sin" else even
    negative = quarter > 1 if name == "sin" else (quarter == 1) | (quarter == 2)
    x = x - whole * const(1.57079637050628662109375, t)
    square = x * x
    terms = (
        (-2.59630184018533327616751194000244140625e-7, -2.50293279435709337121807038784027099609375e-8),
        (2.47562347794882953166961669921875e-5, 2.760012648650445044040679931640625e-6),
        (-1.388833043165504932403564453125e-3, -1.9842604524455964565277099609375e-4),
        (4.166664183139801025390625e-2, 8.333347737789154052734375e-3),
        (-0.5, -0.16666667163372039794921875),
    )
    total: Expr | None = None
    for cosine, sine in terms:
        c = select(uses_cosine, const(cosine, t), const(sine, t))
        total = c if total is None else square * total + c
    assert total is not None
    value = select(uses_cosine, const(1, t), x) * (square * total + 1)
    result: Expr = select(negative, -value, value)
    return result


def fast_sin(a: Any) -> Expr:
    """An approximation of sin, best near 0."""
    return _sine_or_cosine("sin", a)


def fast_cos(a: Any) -> Expr:
    """An approximation of cos, best near 0."""
    return _sine_or_cosine("cos", a)


def fast_inverse(a: Any) -> Expr:
    """1 / a, of float16 or float32; here exactly rounded."""
    x = _half_or_float("fast_inverse", a)
    return const(1, x.type) / x


def fast_inverse_sqrt(a: Any) -> Expr:
    """1 / sqrt(a), of float16 or float32; here from exactly rounded operations."""
    x = _half_or_float("fast_inverse_sqrt", a)
    return const(1, x.type) / sqrt(x)


def _half_or_float(name: str, a: Any) -> Expr:
    e = as_expr(a)
    if not e.type.is_float() or e.type.bits > 32:
        raise HalideError(f"{name} only takes float16 or float32 arguments, and {e} has type {e.type}")
    return e


def floor_division(a: Any, b: Any) -> Expr:
    """a / b, of floats rounded down to an integer; a quotient of integers is one."""
    quotient: Expr = ir._OPERATORS["div"](a, b)
    return floor(quotient) if quotient.type.is_float() else quotient


ir._OPERATORS.update({"pow": pow, "logical_not": logical_not, "floordiv": floor_division})
