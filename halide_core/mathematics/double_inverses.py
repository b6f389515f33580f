"""asin, acos, atan and atan2 of float64: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.double_reduction import HALF_PI
from halide_core.mathematics.nodes import choose, horner, like, sign_of, size, with_sign_of
from halide_core.mathematics.pairs import Pair, ordered_sum, quotient, root_of, single, sum_of

# (asin(x) - x) / x**3 up to 1/2, and (atan(x) - x) / x**3 up to tan(pi/8), by powers of x**2, highest first.
_ASIN = (
    0.03265784172000213, -0.021045390058858773, 0.021739785813983288, 0.003693346049932685, 0.010783627555762336,
    0.011398330601751928, 0.013980888178538327, 0.017351606773757487, 0.022372215247629154, 0.030381942700195973,
    0.044642857174718116, 0.07499999999970777, 0.1666666666666676,
)  # fmt: skip
_ATAN = (
    -0.017919145754541725, 0.03807613739035297, -0.050397898915273714, 0.058480043337485396, -0.06663121006479086,
    0.07692061824178094, -0.09090897856157873, 0.1111111078723405, -0.1428571428028159, 0.19999999999954574,
    -0.33333333333333204,
)  # fmt: skip
_TAN_PI_8 = 0.41421356237309503
_LARGE, _SMALL, _LESS, _MORE = 2.0**1000, 2.0**-500, 2.0**-55, 2.0**300
"""Coordinates beyond these would overflow or underflow, and are made smaller or larger by these."""
_NOTHING_LOST = 2.0**-900
"""Of what is below this, or a quotient that is, no loss is known, and none is needed."""


def asin(x: Expr) -> Expr:
    """asin; NaN beyond 1."""
    near, t = _arc(x)
    whole = ordered_sum(like(x, HALF_PI[0]), t.high * like(x, -2.0))
    far = whole.high + (whole.low + (like(x, HALF_PI[1]) - t.low * like(x, 2.0)))
    return with_sign_of(x, choose(near, t.high + t.low, far))


def acos(x: Expr) -> Expr:
    """acos; NaN beyond 1."""
    near, t = _arc(x)
    negative = ir.LT(Bool(x.type.lanes), x, like(x, 0.0))
    twice = Pair(t.high + t.high, t.low + t.low)
    turned = choose(near, like(x, HALF_PI[0]), choose(negative, like(x, math.pi), like(x, 0.0)))
    less = choose(near, like(x, HALF_PI[1]), choose(negative, like(x, 2 * HALF_PI[1]), like(x, 0.0)))
    # Of pi/2, pi or nothing either the arc is taken away, or it is added.
    added = ir.EQ(Bool(x.type.lanes), near, negative)
    high, low = choose(near, t.high, twice.high), choose(near, t.low, twice.low)
    whole = ordered_sum(turned, choose(added, high, -high))
    return whole.high + (whole.low + (choose(added, low, -low) + less))


def _arc(x: Expr) -> tuple[Expr, Pair]:
    """Whether |x| <= 1/2, and then asin(|x|), else half of acos(|x|)."""
    d = size(x)
    near = ir.LE(Bool(x.type.lanes), d, like(d, 0.5))
    z = choose(near, d * d, (like(d, 1.0) - d) * like(d, 0.5))
    root = root_of(single(z))
    s = choose(near, d, root.high)
    return near, Pair(s, choose(near, like(d, 0.0), root.low) + s * z * horner(z, _ASIN))


def atan(x: Expr) -> Expr:
    """atan."""
    d, boolean = size(x), Bool(x.type.lanes)
    steep = ir.GT(boolean, d, like(d, 1.0))
    infinite = ir.EQ(boolean, d, like(d, math.inf))
    below = choose(steep, d, like(d, 1.0))
    angle = _angle(choose(steep, like(d, 1.0), d), choose(infinite, like(d, 1.0), below))
    zero = like(d, 0.0)
    angle = Pair(choose(infinite, zero, angle.high), choose(infinite, zero, angle.low))
    angle = _taken_from(steep, HALF_PI, angle)
    return with_sign_of(x, angle.high + angle.low)


def atan2(y: Expr, x: Expr) -> Expr:
    """The angle of (x, y), from -pi to pi."""
    boolean = Bool(x.type.lanes)
    a, b = size(y), size(x)
    steep = ir.GT(boolean, a, b)
    short, long = choose(steep, b, a), choose(steep, a, b)
    factor = choose(ir.LT(boolean, long, like(a, _SMALL)), like(a, _MORE), like(a, 1.0))
    factor = choose(ir.GT(boolean, long, like(a, _LARGE)), like(a, _LESS), factor)
    # Of two that are zero, or infinite; and of one that is infinite.
    zero, one = like(a, 0.0), like(a, 1.0)
    same, infinite = ir.EQ(boolean, short, long), ir.EQ(boolean, long, like(a, math.inf))
    equal = choose(ir.EQ(boolean, short, zero), zero, one)
    short = choose(same, equal, choose(infinite, zero, short * factor))
    angle = _angle(short, choose(ir.Or(boolean, same, infinite), one, long * factor))
    angle = _taken_from(steep, HALF_PI, angle)
    bits = sign_of(x)
    angle = _taken_from(ir.LT(boolean, bits, like(bits, 0)), (math.pi, 2 * HALF_PI[1]), angle)
    numbers = ir.And(boolean, ir.EQ(boolean, x, x), ir.EQ(boolean, y, y))
    return choose(numbers, with_sign_of(y, angle.high + angle.low), x + y)


def _angle(a: Expr, b: Expr) -> Pair:
    """atan(a / b) of 0 <= a <= b, as a number and what is to be added to it."""
    boolean, zero = Bool(a.type.lanes), like(a, 0.0)
    # Beyond pi/8 it is pi/4 and the arc of (a - b) / (a + b).
    turned = ir.GT(boolean, a, b * like(b, _TAN_PI_8))
    difference, total = sum_of(a, -b), ordered_sum(b, a)
    above = Pair(choose(turned, difference.high, a), choose(turned, difference.low, zero))
    below = Pair(choose(turned, total.high, b), choose(turned, total.low, zero))
    q = quotient(above, below)
    least = ir.Min(a.type, size(q.high), size(above.high))
    lost = choose(ir.LT(boolean, least, like(a, _NOTHING_LOST)), zero, q.low)
    z = q.high * q.high
    rest = lost + q.high * z * horner(z, _ATAN)
    base = ordered_sum(choose(turned, like(a, HALF_PI[0] / 2), zero), q.high)
    return ordered_sum(base.high, base.low + (choose(turned, like(a, HALF_PI[1] / 2), zero) + rest))


def _taken_from(condition: Expr, whole: tuple[float, float], angle: Pair) -> Pair:
    """The angle that is left of a constant, where the condition holds."""
    high, low = (like(angle.high, c) for c in whole)
    left = ordered_sum(high, -angle.high)
    rest = left.low + (low - angle.low)
    return Pair(choose(condition, left.high, angle.high), choose(condition, rest, angle.low))
