"""Functions of float32 as arithmetic, in vectors: what the intrinsics of these names mean, on every back end.

None is further from the true value than one unit in the last place, pow three; `make math-errors` measures it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halide_core.ir.expr import Expr
from halide_core.mathematics import exponentials, hyperbolic, inverses, trigonometry

Arithmetic = Callable[..., Expr]


@dataclass(frozen=True, slots=True)
class MathFunction:
    """`usual` of the arguments; `rare` of those for which `is_rare` holds, where there are such."""

    usual: Arithmetic
    is_rare: Arithmetic | None = None
    rare: Arithmetic | None = None
    arity: int = 1


FUNCTIONS: dict[str, MathFunction] = {
    "exp": MathFunction(exponentials.exp, exponentials.is_extreme, exponentials.exp_of_extreme),
    "log": MathFunction(exponentials.log, exponentials.is_no_normal, exponentials.log_of_any),
    "pow": MathFunction(
        exponentials.pow, exponentials.is_unusual_power, exponentials.pow_of_unusual, arity=2
    ),
    "sin": MathFunction(trigonometry.sin, trigonometry.is_large, trigonometry.sin_of_large),
    "cos": MathFunction(trigonometry.cos, trigonometry.is_large, trigonometry.cos_of_large),
    "tan": MathFunction(trigonometry.tan, trigonometry.is_large, trigonometry.tan_of_large),
    "asin": MathFunction(inverses.asin),
    "acos": MathFunction(inverses.acos),
    "atan": MathFunction(inverses.atan),
    "atan2": MathFunction(inverses.atan2, arity=2),
    "sinh": MathFunction(hyperbolic.sinh),
    "cosh": MathFunction(hyperbolic.cosh),
    "tanh": MathFunction(hyperbolic.tanh),
    "asinh": MathFunction(hyperbolic.asinh),
    "acosh": MathFunction(hyperbolic.acosh),
    "atanh": MathFunction(hyperbolic.atanh),
    "erf": MathFunction(hyperbolic.erf),
}
