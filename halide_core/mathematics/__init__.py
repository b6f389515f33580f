"""Functions of float32 and float64 as arithmetic, in vectors: what the intrinsics of these names mean on any back end.

None is further from the true value than one unit in the last place, pow of float32 three, as far as `make math-errors`
has measured it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from halide_core.mathematics import double, single

Arithmetic = Callable[..., Expr]


@dataclass(frozen=True, slots=True)
class MathFunction:
    """`usual` of the arguments; `rare` of those for which `is_rare` holds, where there are such."""

    usual: Arithmetic
    is_rare: Arithmetic | None = None
    rare: Arithmetic | None = None
    arity: int = 1


FUNCTIONS: dict[int, dict[str, MathFunction]] = {
    32: {
        "exp": MathFunction(
            single.exponentials.exp, single.exponentials.is_extreme, single.exponentials.exp_of_extreme
        ),
        "log": MathFunction(single.exponentials.log, single.exponentials.is_no_normal, single.exponentials.log_of_any),
        "pow": MathFunction(
            single.exponentials.pow, single.exponentials.is_unusual_power, single.exponentials.pow_of_unusual, arity=2
        ),
        "sin": MathFunction(single.trigonometry.sin, single.trigonometry.is_large, single.trigonometry.sin_of_large),
        "cos": MathFunction(single.trigonometry.cos, single.trigonometry.is_large, single.trigonometry.cos_of_large),
        "tan": MathFunction(single.trigonometry.tan, single.trigonometry.is_large, single.trigonometry.tan_of_large),
        "asin": MathFunction(single.inverses.asin),
        "acos": MathFunction(single.inverses.acos),
        "atan": MathFunction(single.inverses.atan),
        "atan2": MathFunction(single.inverses.atan2, arity=2),
        "sinh": MathFunction(single.hyperbolic.sinh),
        "cosh": MathFunction(single.hyperbolic.cosh),
        "tanh": MathFunction(single.hyperbolic.tanh),
        "asinh": MathFunction(single.hyperbolic.asinh),
        "acosh": MathFunction(single.hyperbolic.acosh),
        "atanh": MathFunction(single.hyperbolic.atanh),
        "erf": MathFunction(single.hyperbolic.erf),
    },
    64: {
        "exp": MathFunction(
            double.exponentials.exp, double.exponentials.is_extreme, double.exponentials.exp_of_extreme
        ),
        "log": MathFunction(double.logarithms.log, double.logarithms.is_no_normal, double.logarithms.log_of_any),
        "pow": MathFunction(double.powers.pow, double.powers.is_unusual_power, double.powers.pow_of_unusual, arity=2),
        "sin": MathFunction(double.trigonometry.sin, double.trigonometry.is_large, double.trigonometry.sin_of_large),
        "cos": MathFunction(double.trigonometry.cos, double.trigonometry.is_large, double.trigonometry.cos_of_large),
        "tan": MathFunction(double.trigonometry.tan, double.trigonometry.is_large, double.trigonometry.tan_of_large),
        "asin": MathFunction(double.inverses.asin),
        "acos": MathFunction(double.inverses.acos),
        "atan": MathFunction(double.inverses.atan),
        "atan2": MathFunction(double.inverses.atan2, arity=2),
        "sinh": MathFunction(double.hyperbolic.sinh),
        "cosh": MathFunction(double.hyperbolic.cosh),
        "tanh": MathFunction(double.hyperbolic.tanh),
        "asinh": MathFunction(double.hyperbolic.asinh),
        "acosh": MathFunction(double.hyperbolic.acosh),
        "atanh": MathFunction(double.hyperbolic.atanh),
    },
}
"""By the bits of the type, then by name.  `erf` is of float32 alone, as in the package."""


def function_of(name: str, t: Type) -> MathFunction:
    """The function `name` of floats of type `t`."""
    return FUNCTIONS[t.bits][name]
