"""sin, cos and tan of float32: within one unit in the last place, whatever the argument.

An argument is r + k * pi/2 with |r| <= pi/4.  Up to `LIMIT`, r is found in float32, as a number and what its rounding
lost (Cody and Waite, *Software Manual for the Elementary Functions*, 1980); beyond, the bits of 2/pi that matter are
picked by the exponent (Payne and Hanek, *Radian Reduction for Trigonometric Functions*, SIGNUM 1983)."""

from __future__ import annotations

import math
from itertools import pairwise

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import (
    F32,
    F64,
    I32,
    I64,
    TO_INTEGER32,
    U64,
    bits_as,
    choose,
    horner,
    like,
    size,
    to,
)

LIMIT = 6433.0
"""Up to which an argument is reduced in float32: 2**12 * pi/2.  Up to twice as much, results may be wrong by 1.002
units in the last place."""
# pi/2 as three numbers of 11 bits, whose products with k are exact, and the rest.
_PARTS = (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12)
# The bits of 2/pi behind the point, after a word of zeros.
_TWO_OVER_PI = (
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
)  # fmt: skip
# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 by powers of r**2, highest first.
_SIN32 = (-0.00019514084925870544, 0.008332155052330696, -0.1666665458996756)
_COS32 = (2.443484611197823e-05, -0.001388733708374317, 0.04166664626868866)
_SIN64 = (2.717939920132124e-06, -0.00019839296133791523, 0.008333329266741348, -0.16666666640613112)
_COS64 = (-2.720678855893108e-07, 2.4799478632269226e-05, -0.0013888883598303515, 0.0416666666210527)


def is_large(x: Expr) -> Expr:
    """Whether an argument is beyond `LIMIT`, or NaN."""
    return ir.Not(Bool(x.type.lanes), ir.LE(Bool(x.type.lanes), size(x), like(x, LIMIT)))


def sin(x: Expr) -> Expr:
    """sin of arguments up to `LIMIT`."""
    k, r, lost = _reduced(size(x))
    return _flipped(_wave32(k, r, lost), k, bits_as(I32, x))


def cos(x: Expr) -> Expr:
    """cos of arguments up to `LIMIT`."""
    k, r, lost = _reduced(size(x))
    k = k + like(k, 1)
    return _flipped(_wave32(k, r, lost), k)


def tan(x: Expr) -> Expr:
    """tan of arguments up to `LIMIT`."""
    k, r, lost = _reduced(size(x))
    return _tangent(x, k, to(F64, r) + to(F64, lost))


def sin_of_large(x: Expr) -> Expr:
    """sin of arguments beyond `LIMIT`."""
    k, r = _reduced_by_bits(size(x))
    return _finite(x, _flipped(to(F32, _wave64(k, r)), k, bits_as(I32, x)))


def cos_of_large(x: Expr) -> Expr:
    """cos of arguments beyond `LIMIT`."""
    k, r = _reduced_by_bits(size(x))
    k = k + like(k, 1)
    return _finite(x, _flipped(to(F32, _wave64(k, r)), k))


def tan_of_large(x: Expr) -> Expr:
    """tan of arguments beyond `LIMIT`."""
    return _finite(x, _tangent(x, *_reduced_by_bits(size(x))))


def _finite(x: Expr, result: Expr) -> Expr:
    """NaN of what is infinite or NaN."""
    return choose(ir.LT(Bool(x.type.lanes), size(x), like(x, math.inf)), result, x - x)


def _reduced(y: Expr) -> tuple[Expr, Expr, Expr]:
    """(k, r, what r lost) of y >= 0 up to `LIMIT`."""
    shifted = y * like(y, 2 / math.pi) + like(y, TO_INTEGER32)
    k = shifted - like(y, TO_INTEGER32)
    first, second, third, fourth = (k * like(y, part) for part in _PARTS)
    near = y - first - second
    r = near - third
    return bits_as(I32, shifted), r, (near - r) - third - fourth


def _reduced_by_bits(y: Expr) -> tuple[Expr, Expr]:
    """(k, r) of y >= 0 beyond `LIMIT`, r as a float64.  y is m * 2**e for an integer m; the bits of 2/pi whose products
    with m are multiples of 4 are left out, and 96 of the following ones are taken."""
    bits = bits_as(I32, y)
    mantissa = to(U64, (bits & like(bits, 0x7FFFFF)) | like(bits, 0x800000))
    first = (bits >> like(bits, 23)) - like(bits, 120)
    word, shift = first >> like(bits, 5), to(U64, first & like(bits, 31))

    def picked(k: int) -> Expr:
        """Word number `word` + k of 2/pi."""
        found = like(mantissa, _TWO_OVER_PI[k])
        for n in range(1, 5):
            found = choose(ir.EQ(Bool(y.type.lanes), word, like(word, n)), like(mantissa, _TWO_OVER_PI[n + k]), found)
        return found

    words = [picked(k) for k in range(4)]
    low = like(mantissa, 0xFFFFFFFF)
    high, middle, rest = ((((a << like(a, 32)) | b) << shift) >> like(a, 32) & low for a, b in pairwise(words))
    product = ((mantissa * high) << like(mantissa, 32)) + mantissa * middle + ((mantissa * rest) >> like(mantissa, 32))
    k = (product + like(product, 1 << 61)) >> like(product, 62)
    part = to(F64, bits_as(I64, product - (k << like(product, 62))))
    return to(I32, k), part * like(part, math.pi / 2.0**63)


def _is_odd(k: Expr) -> Expr:
    return ir.NE(Bool(k.type.lanes), k & like(k, 1), like(k, 0))


def _wave32(k: Expr, r: Expr, lost: Expr) -> Expr:
    """cos(r + lost) for odd k, sin of it for even ones."""
    z = r * r
    sine = r + (lost + r * z * horner(z, _SIN32))
    half = z * like(z, 0.5)
    whole = like(z, 1.0) - half
    cosine = whole + ((like(z, 1.0) - whole - half) + (z * z * horner(z, _COS32) - r * lost))
    return choose(_is_odd(k), cosine, sine)


def _waves64(r: Expr) -> tuple[Expr, Expr]:
    """(sin, cos) of a float64 up to pi/4, to some 35 bits."""
    z = r * r
    cosine = like(z, 1.0) - z * like(z, 0.5) + z * z * horner(z, _COS64)
    return r + r * z * horner(z, _SIN64), cosine


def _wave64(k: Expr, r: Expr) -> Expr:
    sine, cosine = _waves64(r)
    return choose(_is_odd(k), cosine, sine)


def _tangent(x: Expr, k: Expr, r: Expr) -> Expr:
    sine, cosine = _waves64(r)
    odd = _is_odd(k)
    found = to(F32, choose(odd, like(r, 0.0) - cosine, sine) / choose(odd, sine, cosine))
    sign = bits_as(I32, x) & like(k, -(1 << 31))
    return bits_as(F32, bits_as(I32, found) ^ sign)


def _flipped(value: Expr, k: Expr, of: Expr | None = None) -> Expr:
    """`value` with its sign changed where k lies in the lower half of the circle, and where `of` is negative."""
    turn = (k & like(k, 2)) << like(k, 30)
    sign = turn if of is None else turn ^ (of & like(of, -(1 << 31)))
    return bits_as(F32, bits_as(I32, value) ^ sign)
