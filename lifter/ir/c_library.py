"""Calls of the C library's mathematical functions that compilers compute themselves.

GCC computes a call of constants exactly and rounds it once, where the library may be off by a unit in the last place;
and it makes products of squares.  Source: `fold_const_call` and `gimple_expand_builtin_pow` of GCC."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath

from halide_core.ir.expr import Call, Div, Expr, Mul, const, const_value
from halide_core.ir.types import Type

EXACT = {
    *("sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "fmin", "fmax", "copysign", "fma", "fmod"),
    *("remainder", "fdim"),
}
"""Rounded once by the library too."""
_ONE: dict[str, Callable[[Any], Any]] = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.power(2, x),
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "asinh": mpmath.asinh,
    "acosh": mpmath.acosh,
    "atanh": mpmath.atanh,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "erf": mpmath.erf,
    "erfc": mpmath.erfc,
    "tgamma": mpmath.gamma,
}
_TWO: dict[str, Callable[[Any, Any], Any]] = {"pow": mpmath.power, "atan2": mpmath.atan2, "hypot": mpmath.hypot}
_PRECISION = 300


def base_name(call: Call) -> str:
    """The name in double precision: "sqrt" for a call of `sqrtf`."""
    return call.name if call.type.bits == 64 else call.name.removesuffix("f")


def as_compiled(call: Call) -> Expr:
    """What GCC makes of a call, in the arithmetic of its type."""
    numbers = [const_value(a) for a in call.args]
    if None not in numbers:
        value = _value(base_name(call), [float(v) for v in numbers if v is not None], call.type)
        return call if value is None else const(value, call.type)
    if base_name(call) in ("fmin", "fmax") and numbers[0] is not None:
        return _exchanged(call)
    if base_name(call) == "pow" and numbers[1] in (-1.0, 0.0, 1.0, 2.0):
        x, one = call.args[0], const(1.0, call.type)
        made = {0.0: one, 1.0: x, 2.0: Mul(call.type, x, x), -1.0: Div(call.type, one, x)}
        return made[float(numbers[1] or 0.0)]
    return call


def _exchanged(call: Call) -> Call:
    """The call with its operands exchanged: the library takes the second of two zeros, and GCC puts constants there."""
    return replace(call, args=call.args[::-1])


def _value(name: str, numbers: list[float], type_: Type) -> float | None:
    """The function of constants, rounded once; None where GCC leaves it to the library, for it is no finite number."""
    function: Callable[..., Any] | None = _ONE.get(name) if len(numbers) == 1 else _TWO.get(name)
    if function is None or not all(map(math.isfinite, numbers)):
        return None
    try:
        with mpmath.workprec(_PRECISION):
            exact = function(*map(mpmath.mpf, numbers))
        if not isinstance(exact, mpmath.mpf):
            return None
        with mpmath.workprec(24 if type_.bits == 32 else 53):
            value = float(+exact)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    low, high = (2.0**-126, 2.0**128) if type_.bits == 32 else (2.0**-1022, math.inf)
    if value == 0 and exact == 0:
        return math.copysign(0.0, numbers[0]) if name not in ("pow", "acos", "log", "log2", "log10") else value
    return value if low <= abs(value) < high else None
