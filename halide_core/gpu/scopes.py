"""What is bound in a kernel's code, and which arrays it accesses."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import nodes
from halide_core.passes.bounds import bounds_of


def inside(scope: dict[str, Interval], s: st.For | st.LetStmt) -> dict[str, Interval]:
    """`scope` in the body of `s`."""
    if isinstance(s, st.LetStmt):
        return {**scope, s.name: bounds_of(s.value, scope) if s.value.type.is_int() else (None, None)}
    low, high = bounds_of(s.min, scope)[0], bounds_of(simplify_index(s.min + s.extent - 1), scope)[1]
    return {**scope, s.name: (low, high)}


def loaded(e: Expr) -> set[str]:
    """The arrays that `e` loads from."""
    return {n.name for n in nodes(e, ir.Load)}


def stored(s: st.Stmt) -> set[str]:
    """The arrays that `s` stores to."""
    return {x.name for x in st.walk(s) if isinstance(x, st.Store)}
