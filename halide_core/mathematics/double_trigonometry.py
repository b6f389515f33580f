"""sin, cos and tan of float64: within one unit in the last place, whatever the argument."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.double_reduction import LIMIT, reduced, reduced_by_bits
from halide_core.mathematics.nodes import F64, bits_as, choose, horner, integer_bits, like, sign_of, size
from halide_core.mathematics.pairs import Pair, ordered_sum, product, quotient, single

# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 by powers of r**2, highest first.
_SIN = (
    1.5896814769996509e-10, -2.505075848274213e-08, 2.7557313694588914e-06, -0.00019841269829816842,
    0.008333333333322427, -0.16666666666666632,
)  # fmt: skip
_COS = (
    -1.1359744153741932e-11, 2.0875725303232923e-09, -2.755731436884064e-07, 2.4801587289546467e-05,
    -0.0013888888888874242, 0.0416666666666666,
)  # fmt: skip


def is_large(x: Expr) -> Expr:
    """Whether an argument is beyond `LIMIT`, or NaN."""
    return ir.Not(Bool(x.type.lanes), ir.LE(Bool(x.type.lanes), size(x), like(x, LIMIT)))


def sin(x: Expr) -> Expr:
    """sin of arguments up to `LIMIT`."""
    return _sine(x, *reduced(size(x)))


def cos(x: Expr) -> Expr:
    """cos of arguments up to `LIMIT`."""
    return _cosine(*reduced(size(x)))


def tan(x: Expr) -> Expr:
    """tan of arguments up to `LIMIT`."""
    return _tangent(x, *reduced(size(x)))


def sin_of_large(x: Expr) -> Expr:
    """sin of arguments beyond `LIMIT`."""
    return _finite(x, _sine(x, *reduced_by_bits(size(x))))


def cos_of_large(x: Expr) -> Expr:
    """cos of arguments beyond `LIMIT`."""
    return _finite(x, _cosine(*reduced_by_bits(size(x))))


def tan_of_large(x: Expr) -> Expr:
    """tan of arguments beyond `LIMIT`."""
    return _finite(x, _tangent(x, *reduced_by_bits(size(x))))


def _finite(x: Expr, result: Expr) -> Expr:
    """NaN of what is infinite or NaN."""
    return choose(ir.LT(Bool(x.type.lanes), size(x), like(x, math.inf)), result, x - x)


def _sine(x: Expr, k: Expr, r: Pair) -> Expr:
    return _flipped(_wave(k, r), k, sign_of(x))


def _cosine(k: Expr, r: Pair) -> Expr:
    k = k + like(k, 1)
    return _flipped(_wave(k, r), k, like(k, 0))


def _is_odd(k: Expr) -> Expr:
    return ir.NE(Bool(k.type.lanes), k & like(k, 1), like(k, 0))


def _waves(r: Pair, square: Pair) -> tuple[Pair, Pair]:
    """(sin, cos) of r up to pi/4, as numbers and what is to be added to them, to as many bits as its square has and no
    more than 57."""
    z = square.high
    half = z * like(z, 0.5)
    whole = like(z, 1.0) - half
    sine = Pair(r.high, r.low * whole + r.high * z * horner(z, _SIN))
    rest = (like(z, 1.0) - whole - half) + (z * z * horner(z, _COS) - (r.high * r.low + square.low * like(z, 0.5)))
    return sine, Pair(whole, rest)


def _wave(k: Expr, r: Pair) -> Expr:
    """cos(r) for odd k, sin of it for even ones."""
    sine, cosine = _waves(r, single(r.high * r.high))
    odd = _is_odd(k)
    return choose(odd, cosine.high, sine.high) + choose(odd, cosine.low, sine.low)


def _tangent(x: Expr, k: Expr, r: Pair) -> Expr:
    sine, cosine = (ordered_sum(p.high, p.low) for p in _waves(r, product(r.high, r.high)))
    odd = _is_odd(k)
    above = Pair(choose(odd, -cosine.high, sine.high), choose(odd, -cosine.low, sine.low))
    below = Pair(choose(odd, sine.high, cosine.high), choose(odd, sine.low, cosine.low))
    found = quotient(above, below)
    # What is next to nothing has lost nothing, and its product with itself would underflow.
    small = ir.LT(Bool(x.type.lanes), size(r.high), like(x, 2.0**-200))
    value = choose(small, found.high, found.high + found.low)
    return bits_as(F64, integer_bits(value) ^ sign_of(x))


def _flipped(value: Expr, k: Expr, sign: Expr) -> Expr:
    """`value` with its sign changed where k lies in the lower half of the circle, and by `sign`."""
    turn = (k & like(k, 2)) << like(k, 62)
    return bits_as(F64, integer_bits(value) ^ (turn ^ sign))
