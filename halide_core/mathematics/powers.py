"""What C says of powers of zero, of what is negative, infinite or no number; the same for all types."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import choose, floor, like, size, with_sign_of


def power_of_any(x: Expr, y: Expr, power: Expr) -> Expr:
    """x to the power y, where `power` is |x| to the power y of finite |x| above 0."""
    boolean, zero, one = Bool(x.type.lanes), like(x, 0.0), like(x, 1.0)
    base, infinity = size(x), like(x, math.inf)
    power = choose(ir.EQ(boolean, base, infinity), choose(ir.LT(boolean, y, zero), zero, infinity), power)
    power = choose(ir.EQ(boolean, base, one), one, power)
    halves = y * like(y, 0.5)
    whole = ir.EQ(boolean, floor(y), y)
    is_odd = ir.And(boolean, whole, ir.NE(boolean, floor(halves), halves))
    negative = choose(is_odd, with_sign_of(x, power), power)
    negative = choose(ir.Or(boolean, whole, ir.EQ(boolean, base, infinity)), negative, like(x, math.nan))
    below = ir.LT(boolean, x, zero)
    of_zero = choose(ir.LT(boolean, y, zero), infinity, zero)
    of_zero = choose(ir.EQ(boolean, y, y), choose(is_odd, with_sign_of(x, of_zero), of_zero), y)
    found = choose(ir.EQ(boolean, x, zero), of_zero, choose(below, negative, power))
    numbers = ir.And(boolean, ir.EQ(boolean, x, x), ir.EQ(boolean, y, y))
    always = ir.Or(boolean, ir.EQ(boolean, y, zero), ir.EQ(boolean, x, one))
    return choose(always, one, choose(numbers, found, x + y))
