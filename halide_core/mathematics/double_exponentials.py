"""exp of float64, and of sums of two: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F64, I64, TO_INTEGER64, U64, bits_as, choose, horner, like, size
from halide_core.mathematics.pairs import Pair, ordered_sum, single

LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
"""log(2) as a number of 31 bits, whose products with exponents are exact, and the rest."""
# (exp(r) - 1 - r) / r**2 up to log(2) / 2 on either side, highest powers first.
_EXP = (
    2.082697625956343e-09, 2.511210868797805e-08, 2.755758091902934e-07, 2.755723465743832e-06, 2.480158692752562e-05,
    0.00019841269895587148, 0.0013888888889115217, 0.008333333333316952, 0.041666666666666095, 0.16666666666666682, 0.5,
)  # fmt: skip
GREATEST, LEAST = 710.0, -746.0
"""Beyond these exp is infinite or zero."""
USUAL = 708.0
"""Up to which on either side exp is a normal number."""


def is_extreme(x: Expr) -> Expr:
    """Whether exp is subnormal, next to the greatest, infinite or NaN."""
    boolean = Bool(x.type.lanes)
    return ir.Not(boolean, ir.LE(boolean, size(_near(x)), like(x, USUAL)))


def exp(x: Expr) -> Expr:
    """exp up to `USUAL` on either side, and where it is zero."""
    return choose(_is_far(x), like(x, 0.0), exp_of_pair(single(_near(x))))


def exp_of_extreme(x: Expr) -> Expr:
    """exp of any argument."""
    return choose(_is_far(x), like(x, 0.0), exp_of_any_pair(single(_near(x))))


def _is_far(x: Expr) -> Expr:
    return ir.LE(Bool(x.type.lanes), x, like(x, LEAST))


def _near(x: Expr) -> Expr:
    """x, or 0 where exp(x) is: what is far away must not cost what subnormal numbers do."""
    return choose(_is_far(x), like(x, 0.0), x)


def exp_of_pair(x: Pair) -> Expr:
    """exp of a sum up to `USUAL` on either side."""
    shifted, found = exponential(x)
    value = found.high + found.low
    return bits_as(F64, bits_as(U64, value) + (bits_as(U64, shifted) << like(bits_as(U64, value), 52)))


def exp_of_any_pair(x: Pair) -> Expr:
    """exp of any sum of at least `LEAST`."""
    # The second operand is what the nodes leave of a NaN.
    shifted, found = exponential(Pair(ir.Min(x.high.type, like(x.high, GREATEST), x.high), x.low))
    whole = bits_as(I64, shifted) - bits_as(I64, like(shifted, TO_INTEGER64))
    return scaled(found.high + found.low, whole)


def scaled(x: Expr, k: Expr) -> Expr:
    """x * 2**k, in two steps, for 2**k may be no float64 where the result is."""
    half = k >> like(k, 1)
    return x * power_of_two(half) * power_of_two(k - half)


def power_of_two(k: Expr) -> Expr:
    """2**k for -1023 < k < 1024."""
    return bits_as(F64, (k + like(k, 1023)) << like(k, 52))


def exponential(x: Pair) -> tuple[Expr, Pair]:
    """(k, in the last bits, exp(x) / 2**k from sqrt(1/2) to sqrt(2), in order, not yet added up)."""
    shifted = x.high * like(x.high, 1 / math.log(2.0)) + like(x.high, TO_INTEGER64)
    k = shifted - like(x.high, TO_INTEGER64)
    high, low = x.high - k * like(k, LN2_HIGH), k * like(k, LN2_LOW) - x.low
    r = high - low
    # exp(r) is 1 + r + r**2 * (...), and of these 1 + high is the only one whose rounding counts.
    first = ordered_sum(like(r, 1.0), high)
    return shifted, Pair(first.high, first.low + (horner(r, _EXP) * (r * r) - low))
