"""exp, log and pow of float32 as arithmetic, so that they are computed in vectors: within 2 units in the last place of
the C library's, pow within as many as y * log(x) has.  Infinities, zeros and NaN are its too, but for -1 and -inf to
infinite or broken powers, which are NaN.

The polynomials have the least greatest relative error on their intervals (found by reweighted least squares)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from halide_core.dsl.functions import cast, reinterpret, select
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const
from halide_core.ir.types import Float, Int

_F32 = Float(32)
_I32 = Int(32)
# log(2) as a number of nine bits, whose products with exponents are exact, and the rest.
_LN2_HIGH = 355 / 512
_LN2_LOW = math.log(2.0) - _LN2_HIGH
# (exp(x) - 1 - x) / x**2 up to 0.35 on either side, and (log(1 + x) - x + x**2/2) / x**3 from sqrt(1/2) to sqrt(2);
# highest powers first.
_EXP = (0.0013813161134759342, 0.008369410762258556, 0.04166845599053246, 0.16666514859188808, 0.4999999305537394)
_LOG = (
    -0.07634493019112536, 0.12761575641554954, -0.1316018306339362, 0.14201758234108902, -0.166233572980545,
    0.20001226865392682, -0.2500082103550194, 0.3333333170780475,
)  # fmt: skip
_TO_INTEGER = 1.5 * 2.0**23
# Beyond these exp is infinite or zero.
_GREATEST, _LEAST = 89.0, -104.0
_SMALLEST_NORMAL = 2.0**-126
_HALF_ROOT = 0x3F3504F3
"""The bits of sqrt(1/2)."""


def exp32(x: Expr) -> Expr:
    """exp of a float32: 2**k * exp(r) with |r| <= log(2) / 2."""
    # The second operand is what the nodes leave of a NaN.
    x = ir.Max(_F32, _f32(_LEAST), ir.Min(_F32, _f32(_GREATEST), x))
    # Added to what is below 2**22, this leaves the nearest integer in the last bits.
    shifted = x * _f32(1 / math.log(2.0)) + _f32(_TO_INTEGER)
    k = shifted - _f32(_TO_INTEGER)
    r = x - k * _f32(_LN2_HIGH) - k * _f32(_LN2_LOW)
    result = _horner(r, _EXP) * (r * r) + r + _f32(1.0)
    # In two steps, for 2**k may be no float32 where the result is: a subnormal number, or one next to the greatest.
    whole = reinterpret(_I32, shifted) - reinterpret(_I32, _f32(_TO_INTEGER))
    half = whole >> 1
    return result * _power_of_two(half) * _power_of_two(whole - half)


def log32(x: Expr) -> Expr:
    """log of a float32: e * log(2) + log(m) with m from sqrt(1/2) to sqrt(2)."""
    small = x < _f32(_SMALLEST_NORMAL)
    bits = reinterpret(_I32, select(small, x * _f32(2.0**24), x))
    above = bits - const(_HALF_ROOT, _I32)
    exponent = (above >> 23) - select(small, const(24, _I32), const(0, _I32))
    mantissa = reinterpret(_F32, (above & const(0x007FFFFF, _I32)) + const(_HALF_ROOT, _I32))
    f, e = mantissa - _f32(1.0), cast(_F32, exponent)
    square = f * f
    rest = _horner(f, _LOG) * (f * square) + e * _f32(_LN2_LOW) - _f32(0.5) * square
    result = rest + f + e * _f32(_LN2_HIGH)
    infinite = select(x == _f32(0.0), _f32(-math.inf), _f32(math.nan))
    found: Expr = select(x > _f32(0.0), select(x < _f32(math.inf), result, x), infinite)
    return found


def pow32(x: Expr, y: Expr) -> Expr:
    """x to the power y, of float32: exp(y * log(|x|)), with a sign for odd y."""
    size = ir.Call(_F32, "abs", (x,), ir.CallType.INTRINSIC)
    power = exp32(y * log32(size))
    floor = ir.Call(_F32, "floor_f32", (y,), ir.CallType.PURE_EXTERN)
    halves = y * _f32(0.5)
    is_odd = ir.Call(_F32, "floor_f32", (halves,), ir.CallType.PURE_EXTERN) != halves
    signed = select(floor != y, _f32(math.nan), select(is_odd, _f32(0.0) - power, power))
    of_zero = select(y > _f32(0.0), _f32(0.0), select(y < _f32(0.0), _f32(math.inf), y))
    found = select(x > _f32(0.0), power, select(x == _f32(0.0), of_zero, signed))
    out: Expr = select(y == _f32(0.0), _f32(1.0), select(x == _f32(1.0), _f32(1.0), found))
    return out


def _f32(value: float) -> Expr:
    return const(value, _F32)


def _horner(x: Expr, coefficients: Sequence[float]) -> Expr:
    out = _f32(coefficients[0])
    for c in coefficients[1:]:
        out = out * x + _f32(c)
    return out


def _power_of_two(k: Expr) -> Expr:
    """2**k for -127 < k < 128."""
    return reinterpret(_F32, (k + const(127, _I32)) << 23)
