"""Loops that count up by one to an end that does not move."""

from __future__ import annotations

from halide_core.ir.expr import Load, Variable
from halide_core.ir.structural import post_order
from lifter.algebra.polynomial import Poly, to_poly
from lifter.ir import loop_ir as L


def steps_by_one(loop: L.Loop) -> str | None:
    """The variable that a loop counts up by one, which nothing else changes, as nothing changes what it is held to."""
    step = loop.step[0] if len(loop.step) == 1 else None
    if loop.prelude or not loop.test_first or not isinstance(step, L.Assign):
        return None
    v, type_ = step.name, step.value.type
    held = {n.name for n in post_order(loop.condition) if isinstance(n, Variable | Load)}
    if held & {x.array if isinstance(x, L.Store | L.Declare) else x.name for x in L.walk(loop.body)
               if isinstance(x, L.Assign | L.Store | L.Declare | L.Define)}:
        return None
    return v if to_poly(step.value) - Poly.variable(v, type_) == Poly.constant(1) else None
