"""exp, log and pow of float32: exp and log within one unit in the last place, pow within three.

The polynomials have the least greatest relative error on their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import (
    F32,
    F64,
    I32,
    TO_INTEGER32,
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
# (exp(x) - 1 - x) / x**2 up to 0.35 on either side, and (log(1 + x) - x) / x**2 for 1 + x from sqrt(1/2) to sqrt(2);
# highest powers first.
_EXP = (0.0013813161134759342, 0.008369410762258556, 0.04166845599053246, 0.16666514859188808, 0.4999999305537394)
_LOG = (
    -0.07608295977115631, 0.12900835275650024, -0.13246417045593262, 0.1418234258890152, -0.16608718037605286,
    0.20001959800720215, -0.2500160038471222, 0.33333325386047363, -0.49999988079071045,
)  # fmt: skip
# (log2(1 + x) - (x - x**2/2 + x**3/3) / log(2)) / x**4 up to 0.2, and (2**x - 1) / x up to 0.5 on either side.
_LOG2 = (
    0.17245028913021088, -0.1927194446325302, 0.20575262606143951, -0.24013027548789978, 0.28854209184646606,
    -0.36067619919776917,
)  # fmt: skip
EXP2 = (
    0.00015327172877732664, 0.0013391023967415094, 0.009618504904210567, 0.05550359562039375, 0.24022647738456726,
    0.6931471824645996,
)  # fmt: skip
# log2(4/3), times 2**23 and rounded, and the rest.
_LOG2_OF_4_3, _LOG2_OF_4_3_LOW = 3481587, -1.350039202129749e-08
# Beyond these exp is infinite or zero.
_GREATEST, _LEAST = 89.0, -104.0
_SMALLEST_NORMAL = 2.0**-126
_HALF_ROOT = 0x3F3504F3
"""The bits of sqrt(1/2)."""
FOUR_FIFTHS = 0x3F4CCCCD
"""Those of 0.8."""


Near0 = Callable[[Expr], Expr]


def exp_near_0(r: Expr) -> Expr:
    """exp up to 0.35; the sum of what is small and r is rounded apart from the last."""
    return madd(horner(r, _EXP), r * r, r) + like(r, 1.0)


def fused_exp_near_0(r: Expr) -> Expr:
    """The same where products are not rounded."""
    return horner(r, (*_EXP, 1.0, 1.0))


def is_extreme(x: Expr) -> Expr:
    """Whether exp is subnormal, next to the greatest, infinite or NaN."""
    boolean = Bool(x.type.lanes)
    return ir.Not(boolean, ir.LE(boolean, size(_near(x)), like(x, 87.0)))


def exp(x: Expr, near_0: Near0 = exp_near_0) -> Expr:
    """exp up to 87 on either side, 2**k * exp(r) with |r| <= log(2) / 2, and where it is zero: what is far away, as
    most of a weight's neighbours are, must not cost what subnormal numbers do."""
    shifted, result = _exp(_near(x), near_0)
    return choose(_is_far(x), like(x, 0.0), scaled(result, shifted))


def scaled(x: Expr, shifted: Expr) -> Expr:
    """x * 2**k with k in the last bits of `shifted`, where both are normal."""
    bits = bits_as(I32, shifted)
    return bits_as(F32, bits_as(I32, x) + (bits << like(bits, 23)))


def _is_far(x: Expr) -> Expr:
    return ir.LE(Bool(x.type.lanes), x, like(x, _LEAST))


def _near(x: Expr) -> Expr:
    """x, or 0 where exp(x) is."""
    return choose(_is_far(x), like(x, 0.0), x)


def exp_of_extreme(x: Expr, near_0: Near0 = exp_near_0) -> Expr:
    """exp of any argument."""
    return choose(_is_far(x), like(x, 0.0), _exp_in_steps(_near(x), near_0))


def _exp_in_steps(x: Expr, near_0: Near0) -> Expr:
    # The second operand is what the nodes leave of a NaN.
    x = ir.Min(x.type, like(x, _GREATEST), x)
    shifted, result = _exp(x, near_0)
    # In two steps, for 2**k may be no float32 where the result is: a subnormal number, or one next to the greatest.
    whole = bits_as(I32, shifted) - bits_as(I32, like(x, TO_INTEGER32))
    half = whole >> like(whole, 1)
    return result * _power_of_two(half) * _power_of_two(whole - half)


def _exp(x: Expr, near_0: Near0) -> tuple[Expr, Expr]:
    """(k, in the last bits, exp(r))."""
    shifted = madd(x, like(x, 1 / math.log(2.0)), like(x, TO_INTEGER32))
    k = shifted - like(x, TO_INTEGER32)
    r = madd(k, like(x, -_LN2_LOW), madd(k, like(x, -_LN2_HIGH), x))
    return shifted, near_0(r)


def is_no_normal(x: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN."""
    bits = bits_as(I32, x)
    # The usual ones become the least integers: vectors of signed integers are compared in one step on all targets.
    return ir.GE(Bool(x.type.lanes), bits + like(bits, 0x7F800000), like(bits, -0x01000000))


def log(x: Expr) -> Expr:
    """log of a normal number above 0: e * log(2) + log(m) with m from sqrt(1/2) to sqrt(2)."""
    return _log(bits_as(I32, x), like(bits_as(I32, x), 0))


def log_of_any(x: Expr) -> Expr:
    """log of any argument."""
    boolean = Bool(x.type.lanes)
    small = ir.LT(boolean, x, like(x, _SMALLEST_NORMAL))
    bits = bits_as(I32, choose(small, x * like(x, 2.0**24), x))
    result = _log(bits, choose(small, like(bits, 24 << 23), like(bits, 0)))
    infinite = choose(ir.EQ(boolean, x, like(x, 0.0)), like(x, -math.inf), like(x, math.nan))
    finite = choose(ir.LT(boolean, x, like(x, math.inf)), result, x)
    return choose(ir.GT(boolean, x, like(x, 0.0)), finite, infinite)


def split(bits: Expr, least: int) -> tuple[Expr, Expr]:
    """(exponent times 2**23, mantissa) of the normal number with these bits; the least mantissa is the number with the
    bits `least`."""
    exponent = (bits - like(bits, least)) & like(bits, -(1 << 23))
    return exponent, bits_as(F32, bits - exponent)


def _log(bits: Expr, less: Expr) -> Expr:
    """log of the number with these bits, less `less` * 2**-23 * log(2)."""
    exponent, mantissa = split(bits, _HALF_ROOT)
    f = mantissa - like(mantissa, 1.0)
    e = to(F32, exponent - less)
    rest = madd(f * f, horner(f, _LOG), e * like(f, _LN2_LOW / 2**23))
    # For e = -1 the last sum is exact.
    return madd(e, like(f, _LN2_HIGH / 2**23), rest + f)


def is_unusual_power(x: Expr, y: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN, or its power is extreme."""
    boolean = Bool(x.type.lanes)
    v = to(F32, _exponent_of_power(x, y))
    return ir.Or(boolean, is_no_normal(x), ir.Not(boolean, ir.LE(boolean, size(v), like(v, 125.0))))


def pow(x: Expr, y: Expr) -> Expr:
    """x to the power y, of usual ones: 2**(y * log2(x)), with log2 to some 31 bits."""
    v = _exponent_of_power(x, y)
    shifted = to(F32, v) + like(x, TO_INTEGER32)
    r = to(F32, v - to(F64, shifted - like(x, TO_INTEGER32)))
    return scaled(horner(r, (*EXP2, 1.0)), shifted)


def _exponent_of_power(x: Expr, y: Expr) -> Expr:
    """y * log2(x), in float64; what is small of log2(x) is found in float32."""
    exponent, mantissa = split(bits_as(I32, x), FOUR_FIFTHS)
    wide, f = near_1(mantissa)
    exponent = exponent + choose(wide, like(exponent, _LOG2_OF_4_3), like(exponent, 0))
    square = f * f
    small = madd(square * square, horner(f, _LOG2), choose(wide, like(f, _LOG2_OF_4_3_LOW), like(f, 0.0)))
    d, e, rest = to(F64, f), to(F64, exponent), to(F64, small)
    near = madd(d, horner(d, tuple(c / math.log(2.0) for c in (1 / 3, -1 / 2, 1.0))), rest)
    return to(F64, y) * madd(e, like(d, 2.0**-23), near)


def near_1(mantissa: Expr) -> tuple[Expr, Expr]:
    """Whether a mantissa from 0.8 to 1.6 is 1.2 or more; and less 1 what it is, or then 3/4 of it, which is nearer to 1
    and less 1 a number."""
    wide = ir.GE(Bool(mantissa.type.lanes), mantissa, like(mantissa, 1.2))
    bits = bits_as(I32, mantissa)
    quarter = bits_as(F32, choose(wide, bits - like(bits, 2 << 23), like(bits, 0)))
    return wide, mantissa - like(mantissa, 1.0) - quarter


def pow_of_unusual(x: Expr, y: Expr) -> Expr:
    """x to the power y, as C's, of any arguments."""
    base = size(x)
    power = to(F32, exp64(bounded(to(F64, y) * log64(to(F64, base)), 120.0)))
    return power_of_any(x, y, power)


def _power_of_two(k: Expr) -> Expr:
    """2**k for -127 < k < 128."""
    return bits_as(F32, (k + like(k, 127)) << like(k, 23))
