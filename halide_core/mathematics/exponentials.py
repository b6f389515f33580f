"""exp, log and pow of float32: exp and log within one unit in the last place, pow within three.

The polynomials have the least greatest relative error on their intervals."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import (
    F32,
    F64,
    I32,
    I64,
    TO_INTEGER32,
    TO_INTEGER64,
    U32,
    bits_as,
    choose,
    horner,
    like,
    madd,
    size,
    to,
)
from halide_core.mathematics.powers import power_of_any
from halide_core.mathematics.wide import bounded, exp64, log64

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
# (log(1 + x) - x + x**2/2 - x**3/3 + x**4/4) / x**5, likewise.
_LOG_OF_POWER = (
    -0.06160233159011788, 0.10525719595486956, -0.10658710204573428, 0.11042503577791404, -0.12451557062768712,
    0.14286085202193818, -0.16667752865223365, 0.20000017305279044,
)  # fmt: skip
# Beyond these exp is infinite or zero.
_GREATEST, _LEAST = 89.0, -104.0
_SMALLEST_NORMAL = 2.0**-126
_HALF_ROOT = 0x3F3504F3
"""The bits of sqrt(1/2)."""


def is_extreme(x: Expr) -> Expr:
    """Whether exp is subnormal, next to the greatest, infinite or NaN."""
    boolean = Bool(x.type.lanes)
    return ir.Not(boolean, ir.LE(boolean, size(_near(x)), like(x, 87.0)))


def exp(x: Expr) -> Expr:
    """exp up to 87 on either side, 2**k * exp(r) with |r| <= log(2) / 2, and where it is zero: what is far away, as
    most of a weight's neighbours are, must not cost what subnormal numbers do."""
    shifted, result = _exp(_near(x))
    found = bits_as(F32, bits_as(I32, result) + (bits_as(I32, shifted) << like(bits_as(I32, x), 23)))
    return choose(_is_far(x), like(x, 0.0), found)


def _is_far(x: Expr) -> Expr:
    return ir.LE(Bool(x.type.lanes), x, like(x, _LEAST))


def _near(x: Expr) -> Expr:
    """x, or 0 where exp(x) is."""
    return choose(_is_far(x), like(x, 0.0), x)


def exp_of_extreme(x: Expr) -> Expr:
    """exp of any argument."""
    return choose(_is_far(x), like(x, 0.0), _exp_in_steps(_near(x)))


def _exp_in_steps(x: Expr) -> Expr:
    # The second operand is what the nodes leave of a NaN.
    x = ir.Min(x.type, like(x, _GREATEST), x)
    shifted, result = _exp(x)
    # In two steps, for 2**k may be no float32 where the result is: a subnormal number, or one next to the greatest.
    whole = bits_as(I32, shifted) - bits_as(I32, like(x, TO_INTEGER32))
    half = whole >> like(whole, 1)
    return result * _power_of_two(half) * _power_of_two(whole - half)


def _exp(x: Expr) -> tuple[Expr, Expr]:
    """(k, in the last bits, exp(r))."""
    shifted = madd(x, like(x, 1 / math.log(2.0)), like(x, TO_INTEGER32))
    k = shifted - like(x, TO_INTEGER32)
    r = madd(k, like(x, -_LN2_LOW), madd(k, like(x, -_LN2_HIGH), x))
    return shifted, _exp_near_0(r)


def _exp_near_0(r: Expr) -> Expr:
    return horner(r, (*_EXP, 1.0, 1.0))


def is_no_normal(x: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN."""
    bits = bits_as(U32, x)
    return ir.GE(Bool(x.type.lanes), bits - like(bits, 0x00800000), like(bits, 0x7F000000))


def log(x: Expr) -> Expr:
    """log of a normal number above 0: e * log(2) + log(m) with m from sqrt(1/2) to sqrt(2)."""
    return _log(bits_as(I32, x), like(bits_as(I32, x), 0))


def log_of_any(x: Expr) -> Expr:
    """log of any argument."""
    boolean = Bool(x.type.lanes)
    small = ir.LT(boolean, x, like(x, _SMALLEST_NORMAL))
    bits = bits_as(I32, choose(small, x * like(x, 2.0**24), x))
    result = _log(bits, choose(small, like(bits, 24), like(bits, 0)))
    infinite = choose(ir.EQ(boolean, x, like(x, 0.0)), like(x, -math.inf), like(x, math.nan))
    finite = choose(ir.LT(boolean, x, like(x, math.inf)), result, x)
    return choose(ir.GT(boolean, x, like(x, 0.0)), finite, infinite)


def _split(bits: Expr) -> tuple[Expr, Expr]:
    """(exponent, mantissa from sqrt(1/2) to sqrt(2)) of the normal number with these bits."""
    above = bits - like(bits, _HALF_ROOT)
    mantissa = bits_as(F32, (above & like(bits, 0x007FFFFF)) + like(bits, _HALF_ROOT))
    return above >> like(bits, 23), mantissa


def _log(bits: Expr, less: Expr) -> Expr:
    """log of the number with these bits, times 2 to the power -`less`."""
    exponent, mantissa = _split(bits)
    f, e = mantissa - like(mantissa, 1.0), to(F32, exponent - less)
    square = f * f
    rest = horner(f, _LOG) * (f * square) + e * like(f, _LN2_LOW) - like(f, 0.5) * square
    return rest + f + e * like(f, _LN2_HIGH)


def is_unusual_power(x: Expr, y: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN, or its power is extreme."""
    boolean = Bool(x.type.lanes)
    v = _exponent_of_power(x, y)
    return ir.Or(boolean, is_no_normal(x), ir.Not(boolean, ir.LE(boolean, size(v), like(v, 87.0))))


def pow(x: Expr, y: Expr) -> Expr:
    """x to the power y, of usual ones: exp(y * log(x)), with log to some 30 bits."""
    v = _exponent_of_power(x, y)
    shifted = v * like(v, 1 / math.log(2.0)) + like(v, TO_INTEGER64)
    r = to(F32, v - (shifted - like(v, TO_INTEGER64)) * like(v, math.log(2.0)))
    k = to(I32, bits_as(I64, shifted))
    return bits_as(F32, bits_as(I32, _exp_near_0(r)) + (k << like(k, 23)))


def _exponent_of_power(x: Expr, y: Expr) -> Expr:
    """y * log(x), in float64; what is small of log(x) is found in float32."""
    exponent, mantissa = _split(bits_as(I32, x))
    f = mantissa - like(mantissa, 1.0)
    square = f * f
    small = to(F64, horner(f, _LOG_OF_POWER) * (square * square * f))
    d, e = to(F64, f), to(F64, exponent)
    log_of_mantissa = horner(d, (-1 / 4, 1 / 3, -1 / 2)) * (d * d) + d + small
    return to(F64, y) * (e * like(d, math.log(2.0)) + log_of_mantissa)


def pow_of_unusual(x: Expr, y: Expr) -> Expr:
    """x to the power y, as C's, of any arguments."""
    base = size(x)
    power = to(F32, exp64(bounded(to(F64, y) * log64(to(F64, base)), 120.0)))
    return power_of_any(x, y, power)


def _power_of_two(k: Expr) -> Expr:
    """2**k for -127 < k < 128."""
    return bits_as(F32, (k + like(k, 127)) << like(k, 23))
