"""log of float64, of sums of two, and of what is near 1: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.double_exponentials import LN2_HIGH, LN2_LOW
from halide_core.mathematics.nodes import F64, U64, bits_as, choose, horner, like
from halide_core.mathematics.pairs import Pair, ordered_sum, plus, product, quotient, single, times

# log((1 + s) / (1 - s)) / s - 2, over s**2, by powers of s**2, from sqrt(1/2) to sqrt(2), highest first.
_LOG = (
    0.14796226036677015, 0.15314029484264197, 0.18183564856950024, 0.22222198569630164, 0.28571428742341515,
    0.39999999999415375, 0.6666666666666734,
)  # fmt: skip
# What follows the first three terms of atanh(s) / s, over s**6, likewise.
_TAIL = (
    0.054735389312854016, 0.05216306946920612, 0.058840356500618946, 0.06666630499143404, 0.07692308166881541,
    0.09090909087223145, 0.11111111111126443, 0.1428571428571426,
)  # fmt: skip
_THIRD, _FIFTH = (1 / 3, 1.850371707708594e-17), (1 / 5, -1.1102230246251566e-17)
_HALF_ROOT = 0x3FE6A09E667F3BCD
"""The bits of sqrt(1/2)."""
_EXPONENT_OF_2_52 = 0x4330000000000000
SMALLEST_NORMAL = 2.0**-1022
TO_NORMAL = 54
"""The power of two that makes subnormal numbers normal ones."""


def is_no_normal(x: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN."""
    bits = bits_as(U64, x)
    return ir.GE(Bool(x.type.lanes), bits - like(bits, 1 << 52), like(bits, 0x7FE << 52))


def log(x: Expr) -> Expr:
    """log of a normal number above 0: e * log(2) + log(m) with m from sqrt(1/2) to sqrt(2)."""
    e, m = split(x)
    return log_near_1(m - like(m, 1.0), e, None)


def log_of_any(x: Expr) -> Expr:
    """log of any argument."""
    boolean = Bool(x.type.lanes)
    normal, less = normalized(x)
    e, m = split(normal)
    result = log_near_1(m - like(m, 1.0), e - less, None)
    infinite = choose(ir.EQ(boolean, x, like(x, 0.0)), like(x, -math.inf), like(x, math.nan))
    finite = choose(ir.LT(boolean, x, like(x, math.inf)), result, x)
    return choose(ir.GT(boolean, x, like(x, 0.0)), finite, infinite)


def log_of_pair(x: Pair, more: Expr) -> Expr:
    """log of a sum above 0 times 2**more, which is infinite where it is and NaN where it is."""
    e, m = split(x.high)
    found = log_near_1(m - like(m, 1.0), e + more, x.low / x.high)
    return choose(ir.LT(Bool(m.type.lanes), x.high, like(m, math.inf)), found, x.high)


def log1p_of_pair(x: Pair) -> Expr:
    """log(1 + x) of a sum of 0 or above that is finite."""
    whole = plus(ordered_sum_of_1(x.high), Pair(like(x.high, 0.0), x.low))
    e, m = split(whole.high)
    # What 1 + x would round away is there where nothing was split off.
    itself = ir.EQ(Bool(m.type.lanes), e, like(e, 0.0))
    f = choose(itself, x.high, m - like(m, 1.0))
    return log_near_1(f, e, choose(itself, x.low, whole.low) / whole.high)


def ordered_sum_of_1(x: Expr) -> Pair:
    """1 + x, exactly, for x of 0 or above."""
    one, above = like(x, 1.0), ir.GT(Bool(x.type.lanes), x, like(x, 1.0))
    return ordered_sum(choose(above, x, one), choose(above, one, x))


def log_near_1(f: Expr, e: Expr, more: Expr | None) -> Expr:
    """log(1 + f) + e * log(2) + more, from sqrt(1/2) to sqrt(2), where `more` is next to nothing."""
    s = f / (f + like(f, 2.0))
    z = s * s
    half = like(f, 0.5) * (f * f)
    low = s * (half + z * horner(z, _LOG)) + e * like(e, LN2_LOW)
    low = low if more is None else low + more
    first = ordered_sum(e * like(e, LN2_HIGH), f)
    return first.high + (first.low + (low - half))


def log_as_pair(x: Expr, less: Expr | None = None) -> Pair:
    """log of a normal number above 0, times 2 to the power -`less`, to some 70 bits."""
    e, m = split(x)
    e = e if less is None else e - less
    one = like(m, 1.0)
    s = quotient(single(m - one), ordered_sum(one, m))
    square = product(s.high, s.high)
    z = Pair(square.high, square.low + like(m, 2.0) * (s.high * s.low))
    tail = single(z.high * horner(z.high, _TAIL))
    fifth = plus(Pair(*(like(m, c) for c in _FIFTH)), tail)
    third = plus(Pair(*(like(m, c) for c in _THIRD)), times(z, fifth))
    half = plus(s, times(s, times(z, third)))
    log_of_mantissa = Pair(half.high + half.high, half.low + half.low)
    found = plus(Pair(e * like(e, LN2_HIGH), e * like(e, LN2_LOW)), log_of_mantissa)
    return ordered_sum(found.high, found.low)


def normalized(x: Expr) -> tuple[Expr, Expr]:
    """(a normal number, k) of which x, which is above 0, is 2**-k times the first."""
    small = ir.LT(Bool(x.type.lanes), x, like(x, SMALLEST_NORMAL))
    return choose(small, x * like(x, 2.0**TO_NORMAL), x), choose(small, like(x, TO_NORMAL), like(x, 0.0))


def split(x: Expr) -> tuple[Expr, Expr]:
    """(exponent, mantissa from sqrt(1/2) to sqrt(2)) of a normal number above 0."""
    bits = bits_as(U64, x)
    above = bits - like(bits, _HALF_ROOT)
    mantissa = bits_as(F64, (above & like(bits, (1 << 52) - 1)) + like(bits, _HALF_ROOT))
    # Without a sign, and made a float by its bits: for both of the others there are no vectors.
    biased = (above + like(bits, 1023 << 52)) >> like(bits, 52)
    exponent = bits_as(F64, biased | like(bits, _EXPONENT_OF_2_52)) - like(x, 2.0**52 + 1023)
    return exponent, mantissa
