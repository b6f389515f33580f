"""pow of float64: within one unit in the last place."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.double_exponentials import USUAL, exp_of_any_pair, exp_of_pair
from halide_core.mathematics.double_logarithms import is_no_normal, log_as_pair, normalized
from halide_core.mathematics.nodes import choose, like, size
from halide_core.mathematics.pairs import Pair, product
from halide_core.mathematics.powers import power_of_any

_FAR = 800.0
"""Beyond which on either side there is nothing to what a product lost."""
_LEAST = -745.9
"""Below which a power is zero."""


def is_unusual_power(x: Expr, y: Expr) -> Expr:
    """Whether x is not above 0, subnormal, infinite or NaN, or its power is extreme."""
    boolean = Bool(x.type.lanes)
    v = _exponent(log_as_pair(x), y).high
    return ir.Or(boolean, is_no_normal(x), ir.Not(boolean, ir.LE(boolean, size(v), like(v, USUAL))))


def pow(x: Expr, y: Expr) -> Expr:
    """x to the power y, of usual ones: exp(y * log(x)), with log to some 70 bits."""
    return exp_of_pair(_exponent(log_as_pair(x), y))


def pow_of_unusual(x: Expr, y: Expr) -> Expr:
    """x to the power y, as C's, of any arguments."""
    boolean = Bool(x.type.lanes)
    base = size(x)
    v = _exponent(log_as_pair(*normalized(base)), y)
    far = ir.Not(boolean, ir.LE(boolean, size(v.high), like(v.high, _FAR)))
    high = ir.Max(v.high.type, like(v.high, _LEAST), v.high)
    power = exp_of_any_pair(Pair(high, choose(far, like(v.low, 0.0), v.low)))
    power = choose(ir.LT(boolean, v.high, like(v.high, _LEAST)), like(power, 0.0), power)
    return power_of_any(x, y, power)


def _exponent(log: Pair, y: Expr) -> Pair:
    p = product(y, log.high)
    return Pair(p.high, p.low + y * log.low)
