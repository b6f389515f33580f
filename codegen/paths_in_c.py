"""Which path of a summary a call takes, in the C++ of adapters: for what is read of the caller's before the lifted
function is called."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from codegen.c_expressions import c_expression
from halide_core.ir.structural import variables
from lifter.algebra.fold import all_hold
from lifter.algebra.polynomial import from_poly
from lifter.ir.loop_ir import Function
from lifter.ir.names import address_name
from lifter.ir.summary import Layout, PathSummary


def names_in_c(function: Function, given: Mapping[str, str]) -> dict[str, str]:
    """What parameters and addresses are called; `given`: what the flat parameters are."""
    out = dict(given)
    out |= {address_name(p.name): f"(uintptr_t){given[p.name]}" for p in function.params if p.pointer}
    return out


def runs(path: PathSummary, layout: Layout, unknown: Collection[str], names: Mapping[str, str]) -> str:
    """That the path is taken, as far as that is said without what is `unknown`, and that a box of it is not empty.
    Raises EmitError."""
    asked = [*path.conditions, *(i.condition for i in path.contract if i.condition is not None)]
    known = [c for c in asked if variables(c).isdisjoint(unknown)]
    parts = [c_expression(all_hold(known), names)]
    extents = [d.extent for d in layout.dims if d.extent.constant_value() is None]
    return " && ".join([*parts, *(f"{c_expression(from_poly(p), names)} >= 1" for p in extents)])
