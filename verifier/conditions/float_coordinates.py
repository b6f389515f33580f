"""Coordinates that floating-point numbers give: `(int)(x * scale)`.

Each lies between what it is at the ends of its loops: a conversion, a sum, a product with something fixed and rounding
are monotone.  That holds where the original converts the number in every iteration, the first and the last included,
for what an `int` cannot hold is undefined there."""

from __future__ import annotations

from collections.abc import Iterator

from halide_core.ir.expr import I32, And, Cast, Expr, Or, Select, children
from lifter.algebra.polynomial import Poly
from lifter.algebra.symbolic_intervals import float_corners
from lifter.ir.effects import LoopInfo


def between_ends(e: Expr, loops: tuple[LoopInfo, ...]) -> Iterator[tuple[Expr, list[Poly]]]:
    """Numbers made of floating point that `e` evaluates in any case, each with what it lies between, where `loops` run
    over all of their iterations."""
    counters = {loop.counter for loop in loops}
    if any(loop.trip.names() & counters for loop in loops):
        return
    env = {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in loops}
    stack = [e]
    while stack:
        n = stack.pop()
        if isinstance(n, Cast) and n.type == I32:
            corners = float_corners(n, env)
            if corners:
                yield n, corners
        if isinstance(n, Select):
            stack.append(n.condition)
        elif isinstance(n, And | Or):
            stack.append(n.a)
        else:
            stack += children(n)


__all__ = ["between_ends"]
