"""Functions of float32 and float64 as arithmetic, in vectors: what the intrinsics of these names mean on any back end.

None is further from the true value than one unit in the last place, pow of float32 three, as far as `make math-errors`
has measured it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from halide_core.mathematics import (
    double_exponentials,
    double_hyperbolic,
    double_inverses,
    double_logarithms,
    double_powers,
    double_trigonometry,
    exponentials,
    fused_powers,
    hyperbolic,
    inverses,
    trigonometry,
)

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
        "exp": MathFunction(exponentials.exp, exponentials.is_extreme, exponentials.exp_of_extreme),
        "log": MathFunction(exponentials.log, exponentials.is_no_normal, exponentials.log_of_any),
        "pow": MathFunction(exponentials.pow, exponentials.is_unusual_power, exponentials.pow_of_unusual, arity=2),
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
    },
    64: {
        "exp": MathFunction(
            double_exponentials.exp, double_exponentials.is_extreme, double_exponentials.exp_of_extreme
        ),
        "log": MathFunction(double_logarithms.log, double_logarithms.is_no_normal, double_logarithms.log_of_any),
        "pow": MathFunction(double_powers.pow, double_powers.is_unusual_power, double_powers.pow_of_unusual, arity=2),
        "sin": MathFunction(double_trigonometry.sin, double_trigonometry.is_large, double_trigonometry.sin_of_large),
        "cos": MathFunction(double_trigonometry.cos, double_trigonometry.is_large, double_trigonometry.cos_of_large),
        "tan": MathFunction(double_trigonometry.tan, double_trigonometry.is_large, double_trigonometry.tan_of_large),
        "asin": MathFunction(double_inverses.asin),
        "acos": MathFunction(double_inverses.acos),
        "atan": MathFunction(double_inverses.atan),
        "atan2": MathFunction(double_inverses.atan2, arity=2),
        "sinh": MathFunction(double_hyperbolic.sinh),
        "cosh": MathFunction(double_hyperbolic.cosh),
        "tanh": MathFunction(double_hyperbolic.tanh),
        "asinh": MathFunction(double_hyperbolic.asinh),
        "acosh": MathFunction(double_hyperbolic.acosh),
        "atanh": MathFunction(double_hyperbolic.atanh),
    },
}
"""By the bits of the type, then by name.  `erf` is of float32 alone, as in the package."""


_FUSED: dict[tuple[int, str], MathFunction] = {
    (32, "exp"): MathFunction(
        partial(exponentials.exp, near_0=exponentials.fused_exp_near_0),
        exponentials.is_extreme,
        partial(exponentials.exp_of_extreme, near_0=exponentials.fused_exp_near_0),
    ),
    (32, "pow"): MathFunction(fused_powers.pow, fused_powers.is_unusual_power, exponentials.pow_of_unusual, arity=2),
}
"""Those that are computed otherwise on targets that multiply and add in one step."""


def function_of(name: str, t: Type, fuses: bool) -> MathFunction:
    """The function `name` of floats of type `t`, on targets that multiply and add in one step or on others."""
    found = _FUSED.get((t.bits, name)) if fuses else None
    return FUNCTIONS[t.bits][name] if found is None else found
