"""sinh, cosh, tanh and their inverses of float64: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.double_exponentials import exponential, power_of_two, scaled
from halide_core.mathematics.double_logarithms import log1p_of_pair, log_of_pair, ordered_sum_of_1
from halide_core.mathematics.nodes import I64, TO_INTEGER64, bits_as, choose, horner, like, size, with_sign_of
from halide_core.mathematics.pairs import Pair, ordered_sum, plus, product, quotient, root_of, single, sum_of

# (f(x) - x) / x**3 by powers of x**2, highest first: sinh up to 1, tanh and asinh up to 1/2.
_SINH = (
    2.8483953378569067e-15, 7.646476483890451e-13, 1.6059050703781772e-10, 2.505210834566011e-08,
    2.7557319224120147e-06, 0.00019841269841269592, 0.008333333333333333, 0.16666666666666666,
)  # fmt: skip
_TANH = (
    -2.1939758384792223e-05, 8.683892448935483e-05, -0.00023557234330453882, 0.000589213781827769,
    -0.0014557102862082759, 0.003592115368986673, -0.008863234679701749, 0.02186948850020012,
    -0.05396825396736975, 0.1333333333333225, -0.3333333333333333,
)  # fmt: skip
_ASINH = (
    0.0017196626781039407, -0.004749964465497075, 0.00746726608709512, -0.009534793176534394, 0.011513145267613257,
    -0.013960258658824498, 0.017352389845199843, -0.022372138567058265, 0.03038194372598843, -0.04464285712809229,
    0.07499999999984781, -0.16666666666666613,
)  # fmt: skip
_INFINITE = 712.0
"""Beyond which sinh and cosh are infinite."""
_ONE = 22.0
"""Beyond which tanh is 1."""
_FAR = 2.0**30
"""Beyond which asinh and acosh are log(2 * x)."""
_ITSELF = 2.0**-28
"""Below which atanh is its argument."""


def sinh(x: Expr) -> Expr:
    """sinh."""
    d = size(x)
    return with_sign_of(x, choose(_below(d, 1.0), _odd(d, _SINH), _half_sum(d, -1.0)))


def cosh(x: Expr) -> Expr:
    """cosh."""
    return _half_sum(size(x), 1.0)


def tanh(x: Expr) -> Expr:
    """tanh."""
    d = size(x)
    bounded = ir.Min(d.type, like(d, _ONE), d)
    k, found = _exponential(bounded + bounded)
    factor = power_of_two(k)
    e = ordered_sum(found.high * factor, found.low * factor)
    one = single(like(d, 1.0))
    two = Pair(like(d, 2.0), like(d, 0.0))
    away = quotient(two, plus(ordered_sum_of_1(e.high), Pair(like(d, 0.0), e.low)))
    far = plus(one, Pair(-away.high, -away.low))
    return with_sign_of(x, choose(_below(d, 0.5), _odd(d, _TANH), far.high + far.low))


def asinh(x: Expr) -> Expr:
    """asinh."""
    d = size(x)
    b = ir.Min(d.type, like(d, _FAR), d)
    square = product(b, b)
    one = ordered_sum_of_1(square.high)
    root = root_of(Pair(one.high, one.low + square.low))
    total = ordered_sum(root.high, b)
    far = _log_of(d, Pair(total.high, total.low + root.low))
    return with_sign_of(x, choose(_below(d, 0.5), _odd(d, _ASINH), far))


def acosh(x: Expr) -> Expr:
    """acosh; NaN below 1."""
    t = ir.Min(x.type, like(x, _FAR), x) - like(x, 1.0)
    square = product(t, t)
    total = sum_of(t + t, square.high)
    root = root_of(Pair(total.high, total.low + square.low))
    above = ordered_sum(root.high, t)
    near = log1p_of_pair(Pair(above.high, above.low + root.low))
    far = log_of_pair(single(x), like(x, 1.0))
    found = choose(ir.LT(Bool(x.type.lanes), x, like(x, _FAR)), near, far)
    return choose(_below(x, 1.0), like(x, math.nan), found)


def atanh(x: Expr) -> Expr:
    """atanh; infinite at 1, NaN beyond."""
    d, boolean = size(x), Bool(x.type.lanes)
    inside = _below(d, 1.0)
    b = choose(inside, d, like(d, 0.5))
    ratio = quotient(single(b + b), ordered_sum(like(d, 1.0), -b))
    found = log1p_of_pair(ratio) * like(d, 0.5)
    at_end = choose(ir.EQ(boolean, d, like(d, 1.0)), like(d, math.inf), like(d, math.nan))
    return with_sign_of(x, choose(inside, choose(_below(d, _ITSELF), d, found), at_end))


def _exponential(x: Expr) -> tuple[Expr, Pair]:
    shifted, found = exponential(single(x))
    return bits_as(I64, shifted) - bits_as(I64, like(shifted, TO_INTEGER64)), found


def _half_sum(d: Expr, sign: float) -> Expr:
    """(exp(d) + sign * exp(-d)) / 2 of d of 0 or above.  The half is taken first: the exponential may be infinite."""
    k, found = _exponential(ir.Min(d.type, like(d, _INFINITE), d))
    # Beyond 2**60 the other one is nothing beside it.
    twice = ir.Min(k.type, k, like(k, 60)) * like(k, -2)
    other = power_of_two(twice) * like(d, sign) / (found.high + found.low)
    return scaled(found.high + (found.low + other), k - like(k, 1))


def _log_of(d: Expr, total: Pair) -> Expr:
    """log of the sum, or of 2 * d where that is far away."""
    far = ir.GE(Bool(d.type.lanes), d, like(d, _FAR))
    zero = like(d, 0.0)
    whole = Pair(choose(far, d, total.high), choose(far, zero, total.low))
    return log_of_pair(whole, choose(far, like(d, 1.0), zero))


def _odd(d: Expr, coefficients: tuple[float, ...]) -> Expr:
    z = d * d
    return d + d * z * horner(z, coefficients)


def _below(d: Expr, bound: float) -> Expr:
    return ir.LT(Bool(d.type.lanes), d, like(d, bound))
