"""asin, acos, atan and atan2 of float32, by way of float64: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F32, F64, I32, bits_as, choose, horner, like, root, size, to, with_sign_of

# (asin(x) - x) / x**3 up to 1/2, and (atan(x) - x) / x**3 up to 1, by powers of x**2, highest first.
_ASIN = (
    0.03469288098367362, 0.007469187388860306, 0.02461834766028776, 0.03011025416646378, 0.04466016352766432,
    0.07499948155716121, 0.16666667189847872,
)  # fmt: skip
_ATAN = (
    -0.0006979501990247672, 0.004926317529009672, -0.01629935603987177, 0.03447574622332573, -0.05451585739695761,
    0.07259432244387594, -0.08985437110091551, 0.11094503268739503, -0.14284167187846708, 0.1999992724171131,
    -0.3333333213375143,
)  # fmt: skip


def asin(x: Expr) -> Expr:
    """asin; NaN beyond 1."""
    near, t = _arc(x)
    return with_sign_of(x, to(F32, choose(near, t, like(t, math.pi / 2) - t * like(t, 2.0))))


def acos(x: Expr) -> Expr:
    """acos; NaN beyond 1."""
    near, t = _arc(x)
    negative = ir.LT(Bool(x.type.lanes), x, like(x, 0.0))
    half, twice = like(t, math.pi / 2), t * like(t, 2.0)
    close = choose(negative, half + t, half - t)
    return to(F32, choose(near, close, choose(negative, like(t, math.pi) - twice, twice)))


def _arc(x: Expr) -> tuple[Expr, Expr]:
    """Whether |x| <= 1/2, and then asin(|x|), else half of acos(|x|); in float64."""
    d = to(F64, size(x))
    near = ir.LE(Bool(x.type.lanes), d, like(d, 0.5))
    z = choose(near, d * d, (like(d, 1.0) - d) * like(d, 0.5))
    s = choose(near, d, root(z))
    return near, s + s * z * horner(z, _ASIN)


def atan(x: Expr) -> Expr:
    """atan."""
    d = to(F64, size(x))
    far = ir.GT(Bool(x.type.lanes), d, like(d, 1.0))
    t = _small(choose(far, like(d, 1.0) / d, d))
    return with_sign_of(x, to(F32, choose(far, like(t, math.pi / 2) - t, t)))


def atan2(y: Expr, x: Expr) -> Expr:
    """The angle of (x, y), from -pi to pi."""
    boolean = Bool(x.type.lanes)
    a, b = to(F64, size(y)), to(F64, size(x))
    steep = ir.GT(boolean, a, b)
    short, long = choose(steep, b, a), choose(steep, a, b)
    # Of two that are zero, or infinite.
    same = ir.EQ(boolean, short, long)
    equal = choose(ir.EQ(boolean, short, like(a, 0.0)), like(a, 0.0), like(a, 1.0))
    t = _small(choose(same, equal, short / long))
    t = choose(steep, like(t, math.pi / 2) - t, t)
    bits = bits_as(I32, x)
    t = choose(ir.LT(boolean, bits, like(bits, 0)), like(t, math.pi) - t, t)
    numbers = ir.And(boolean, ir.EQ(boolean, x, x), ir.EQ(boolean, y, y))
    return choose(numbers, with_sign_of(y, to(F32, t)), x + y)


def _small(q: Expr) -> Expr:
    """atan of a float64 from 0 to 1."""
    z = q * q
    return q + q * z * horner(z, _ATAN)
