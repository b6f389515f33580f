"""sinh, cosh, tanh, their inverses and erf of float32, by way of float64: within one unit in the last place."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F32, F64, choose, horner, like, root, size, to, with_sign_of
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
# erf(x) / x up to 1 by powers of x**2, and log(1 - erf(x)) from 1 to 4 by powers of x.
_ERF = (
    -9.675766320190443e-06, 0.00011268907597076233, -0.0008484466230217073, 0.005221056172623229,
    -0.026865438180749435, 0.11283782586982095, -0.3761263846898695, 1.1283791670591794,
)  # fmt: skip
_LOG_ERFC = (
    2.5128925787784936e-07, -2.531428369198772e-05, 0.00046378486320151625, -0.00428237200429608,
    0.025373533860381343, -0.10863896945408666, -0.633039635053947, -1.1296611470231206, 0.0002043579751179049,
)  # fmt: skip


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
    """The error function."""
    d = to(F64, size(x))
    b = bounded(d, 4.0)
    near = d * horner(d * d, _ERF)
    far = like(b, 1.0) - exp64(horner(b, _LOG_ERFC))
    return with_sign_of(x, to(F32, choose(_below(d, 1.0), near, far)))


def _odd(d: Expr, coefficients: tuple[float, ...]) -> Expr:
    z = d * d
    return d + d * z * horner(z, coefficients)


def _below(d: Expr, bound: float) -> Expr:
    return ir.LT(Bool(d.type.lanes), d, like(d, bound))

