"""sinh, cosh, tanh and their inverses, by way of float64, and erf, of float32: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import (
    F32,
    F64,
    I32,
    bits_as,
    branched,
    choose,
    horner,
    like,
    madd,
    negated,
    root,
    size,
    to,
    with_sign_of,
)
from halide_core.mathematics.wide import bounded, exp64, log1p64

# (f(x) - x) / x**3 by powers of x**2, highest first: sinh up to 1, tanh up to 5/8, asinh up to 1/2.
_SINH = (2.8174395052247733e-06, 0.00019836066275692323, 0.008333350597884375, 0.16666666488721535)
_TANH = (
    -0.0008069304260283134, 0.00323394886040789, -0.008754308111014955, 0.021850827507559338, -0.05396652370777519,
    0.13333325680077399, -0.3333333321848669,
)  # fmt: skip
_ASINH = (
    -0.006590874750825698, 0.014850725626968387, -0.02189526950376837, 0.030330324127862567, -0.04463982116262981,
    0.07499991464807859, -0.166666665851779,
)  # fmt: skip
# erf(x) / x - 1 below `_BEND` by powers of x**2, and the square root of 1 - erf(x) from there to 4 by powers of
# x - _BEND; of the latter the error of its square is least.
_ERF = (
    -0.000630355323664844, 0.005050386302173138, -0.026803214102983475, 0.11282776296138763, -0.37612584233283997,
    0.12837916612625122,
)  # fmt: skip
_ROOT_OF_ERFC = (
    6.5296922002744395e-06, -0.00010873655992327258, 0.0007267329492606223, -0.002262544585391879,
    0.001909242244437337, 0.006530639249831438, -0.008315406739711761, -0.043571796268224716, 0.08625742048025131,
    0.14705735445022583, -0.5692554116249084, 0.4734673798084259,
)  # fmt: skip
_BEND = 0.8594958782196045
"""Where that square root is nearly a float32."""


def sinh(x: Expr) -> Expr:
    """sinh."""
    d = to(F64, size(x))
    e = exp64(bounded(d, 95.0))
    far = (e - like(e, 1.0) / e) * like(e, 0.5)
    return with_sign_of(x, to(F32, choose(_below(d, 1.0), _odd(d, _SINH), far)))


def cosh(x: Expr) -> Expr:
    """cosh."""
    e = exp64(bounded(to(F64, size(x)), 95.0))
    return to(F32, (e + like(e, 1.0) / e) * like(e, 0.5))


def tanh(x: Expr) -> Expr:
    """tanh."""
    d = to(F64, size(x))
    e = exp64(bounded(d * like(d, 2.0), 20.0))
    far = like(e, 1.0) - like(e, 2.0) / (e + like(e, 1.0))
    return with_sign_of(x, to(F32, choose(_below(d, 0.625), _odd(d, _TANH), far)))


def asinh(x: Expr) -> Expr:
    """asinh."""
    d = to(F64, size(x))
    far = log1p64(d - like(d, 1.0) + root(d * d + like(d, 1.0)))
    return with_sign_of(x, to(F32, choose(_below(d, 0.5), _odd(d, _ASINH), far)))


def acosh(x: Expr) -> Expr:
    """acosh; NaN below 1."""
    above = to(F64, x) - like(to(F64, x), 1.0)
    found = log1p64(above + root(above * (above + like(above, 2.0))))
    return to(F32, choose(_below(above, 0.0), like(above, math.nan), found))


def atanh(x: Expr) -> Expr:
    """atanh; infinite at 1, NaN beyond."""
    d = to(F64, size(x))
    found = log1p64(d * like(d, 2.0) / (like(d, 1.0) - d)) * like(d, 0.5)
    inside = ir.LE(Bool(x.type.lanes), d, like(d, 1.0))
    return with_sign_of(x, to(F32, choose(inside, found, like(d, math.nan))))


def erf(x: Expr) -> Expr:
    """The error function, all in float32."""
    a = size(x)
    near = madd(x, horner(x * x, _ERF), x)
    # Beyond 4 it is 1.  The second operand is what the nodes leave of a NaN.
    beyond = ir.Min(x.type, like(x, 4.0), a) - like(x, _BEND)
    root_of_rest = branched(beyond, _ROOT_OF_ERFC)
    far = madd(negated(root_of_rest), root_of_rest, like(x, 1.0))
    bits = bits_as(I32, beyond)
    return choose(ir.LT(Bool(x.type.lanes), bits, like(bits, 0)), near, with_sign_of(x, far))


def _odd(d: Expr, coefficients: tuple[float, ...]) -> Expr:
    z = d * d
    return d + d * z * horner(z, coefficients)


def _below(d: Expr, bound: float) -> Expr:
    return ir.LT(Bool(d.type.lanes), d, like(d, bound))
