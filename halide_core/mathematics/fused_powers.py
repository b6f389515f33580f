"""pow of float32 on targets that multiply and add in one step: what a product or a sum loses is found by one more step,
so that float64, of which a vector holds half as many, is not needed."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.exponentials import EXP2, is_no_normal, scaled, split
from halide_core.mathematics.nodes import F32, I32, TO_INTEGER32, bits_as, choose, horner, like, madd, negated, size, to
from halide_core.mathematics.pairs import Pair

# (log2(1 + x) - (x - x**2/2) / log(2)) / x**3 up to 1/7 on either side, highest powers first.
_LOG2 = (
    -0.18587109446525574, 0.21261198818683624, -0.24038825929164886, 0.2884601652622223, -0.3606739342212677,
    0.4808986186981201,
)  # fmt: skip
# 1 / log(2) as a float32, and the rest.
_SCALE = 1.4426950216293335
_SCALE_LOW = 1 / math.log(2.0) - _SCALE
# log2(4/3) and log2(4/5) as numbers of 15 bits, whose sums with exponents are exact, and the rests.
_LOG2_OF_4_3, _LOG2_OF_4_3_LOW = 13600 / 2**15, -1.5632211561814537e-06
_LOG2_OF_4_5, _LOG2_OF_4_5_LOW = -10549 / 2**15, 1.8367532626521296e-06
_EIGHT_ELEVENTHS = 0x3F3A2E8C
"""The bits of 8/11."""


def is_unusual_power(x: Expr, y: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN, or its power is extreme."""
    boolean = Bool(x.type.lanes)
    v = _exponent_of_power(x, y)
    usual = ir.LE(boolean, size(v.high + v.low), like(x, 125.0))
    return ir.Or(boolean, is_no_normal(x), ir.Not(boolean, usual))


def pow(x: Expr, y: Expr) -> Expr:
    """x to the power y, of usual ones: 2**(y * log2(x)), with log2 to some 30 bits."""
    v = _exponent_of_power(x, y)
    shifted = (v.high + v.low) + like(x, TO_INTEGER32)
    r = (v.high - (shifted - like(x, TO_INTEGER32))) + v.low
    return scaled(horner(r, (*EXP2, 1.0)), shifted)


def _exponent_of_power(x: Expr, y: Expr) -> Pair:
    log = _log2(x)
    v = y * log.high
    return Pair(v, madd(y, log.low, madd(y, log.high, negated(v))))


def _log2(x: Expr) -> Pair:
    # Of m from 8/11 to 16/11, 5/4 * m, m or 3/4 * m, which is near 1, and less 1 a number.
    exponent, m = split(bits_as(I32, x), _EIGHT_ELEVENTHS)
    boolean = Bool(x.type.lanes)
    below, above = ir.LT(boolean, m, like(m, 8 / 9)), ir.GT(boolean, m, like(m, 8 / 7))

    def picked(of_below: float, of_above: float) -> Expr:
        return choose(below, like(m, of_below), choose(above, like(m, of_above), like(m, 0.0)))

    f = madd(m, picked(1 / 4, -1 / 4), m - like(m, 1.0))
    whole = madd(to(F32, exponent), like(m, 2.0**-23), picked(_LOG2_OF_4_5, _LOG2_OF_4_3))
    square = f * f
    # whole + f / log(2) - f**2 / 2 / log(2), the sums by descending sizes.
    scale, half = like(x, _SCALE), like(x, -_SCALE / 2)
    first = madd(f, scale, whole)
    high = madd(square, half, first)
    low = madd(f, scale, whole - first) + madd(square, half, first - high)
    low = madd(madd(f, f, negated(square)), half, low)
    low = madd(f, horner(f, (-_SCALE_LOW / 2, _SCALE_LOW)), low) + picked(_LOG2_OF_4_5_LOW, _LOG2_OF_4_3_LOW)
    return Pair(high, madd(square * f, horner(f, _LOG2), low))
