"""Arguments of float64 as r + k * pi/2 with |r| <= pi/4, where r is a number and what its rounding lost.

Up to `LIMIT` by parts of pi/2 whose products with k are exact (Cody and Waite); beyond, by the bits of 2/pi that
matter, which the exponent picks (Payne and Hanek, *Radian Reduction for Trigonometric Functions*, SIGNUM 1983)."""

from __future__ import annotations

import math
from itertools import pairwise

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F64, I64, TO_INTEGER64, U64, bits_as, choose, like, to
from halide_core.mathematics.pairs import Pair, constant, ordered_sum, sum_of, times

LIMIT = 823549.0
"""2**19 * pi/2."""
# pi/2 as three numbers of 33 bits and the rest.
_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
HALF_PI = (math.pi / 2, 6.123233995736766e-17)
# The bits of 2/pi behind the point, after a word of zeros.
_TWO_OVER_PI = (
    0, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4,
    0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB,
)  # fmt: skip
_WORDS = 4
"""How many of these are needed for one argument."""


def reduced(y: Expr) -> tuple[Expr, Pair]:
    """(k, r) of y >= 0 up to `LIMIT`."""
    shifted = y * like(y, 2 / math.pi) + like(y, TO_INTEGER64)
    k = shifted - like(y, TO_INTEGER64)
    first, second, third, fourth = (k * like(y, part) for part in _PARTS)
    near = sum_of(y - first, -second)
    nearer = sum_of(near.high, -third)
    return bits_as(I64, shifted), ordered_sum(nearer.high, (near.low + nearer.low) - fourth)


def reduced_by_bits(y: Expr) -> tuple[Expr, Pair]:
    """(k, r) of y >= 0 beyond `LIMIT`.  y is m * 2**e for an integer m; the bits of 2/pi whose products with m are
    multiples of 4 are left out, and 192 of the following ones are taken."""
    bits = bits_as(U64, y)
    mantissa = (bits & like(bits, (1 << 52) - 1)) | like(bits, 1 << 52)
    first = (bits >> like(bits, 52)) - like(bits, 1075 - 62)
    shift = first & like(bits, 63)
    words = _picked(first >> like(first, 6))
    high, middle, low = ((a << shift) | ((b >> like(b, 1)) >> (like(b, 63) - shift)) for a, b in pairwise(words))
    rest = mantissa * middle
    part = rest + _upper(mantissa, low)
    carried = choose(ir.LT(Bool(y.type.lanes), part, rest), like(bits, 1), like(bits, 0))
    whole = mantissa * high + _upper(mantissa, middle) + carried
    k = (whole + like(whole, 1 << 61)) >> like(whole, 62)
    return bits_as(I64, k), times(_fraction(bits_as(I64, whole - (k << like(k, 62))), part), constant(y, *HALF_PI))


def _picked(number: Expr) -> list[Expr]:
    """Words of 2/pi from this number on, by the bits of the number."""
    words = [like(number, w) for w in _TWO_OVER_PI]
    for step in (16, 8, 4, 2, 1):
        chosen = ir.NE(Bool(number.type.lanes), number & like(number, step), like(number, 0))
        # Behind the sixteenth there is but one place to begin.
        kept = step - 1 + _WORDS
        moved = [choose(chosen, a, b) for a, b in zip(words[step:], words, strict=False)]
        words = (moved + words[len(moved) :])[:kept]
    return words


def _upper(a: Expr, b: Expr) -> Expr:
    """The upper 64 bits of the product of `a`, which has 53, and `b`."""
    low, word = like(a, 0xFFFFFFFF), like(a, 32)
    a1, a0, b1, b0 = a >> word, a & low, b >> word, b & low
    across = a1 * b0 + ((a0 * b0) >> word)
    other = a0 * b1 + (across & low)
    return a1 * b1 + (across >> word) + (other >> word)


def _fraction(high: Expr, low: Expr) -> Pair:
    """The signed integer `high` over 2**62 and `low` over 2**126 as a sum."""
    tail = bits_as(U64, high) & like(low, (1 << 21) - 1)
    first = to(F64, high >> like(high, 21)) * like(to(F64, high), 2.0**-41)
    second = _of_bits((tail << like(low, 21)) | (low >> like(low, 43))) * like(first, 2.0**-83)
    third = _of_bits((low >> like(low, 1)) & like(low, (1 << 42) - 1)) * like(first, 2.0**-125)
    front = ordered_sum(first, second)
    whole = ordered_sum(front.high, front.low + third)
    return whole


def _of_bits(n: Expr) -> Expr:
    return to(F64, bits_as(I64, n))
