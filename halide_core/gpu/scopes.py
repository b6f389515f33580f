"""What is bound in a kernel's code, and which arrays it accesses."""

from __future__ import annotations

from dataclasses import replace

from halide_core.gpu.kernel import Leaf
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import nodes, transform
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


def renamed(s: st.Stmt, old: str, new: str) -> st.Stmt:
    """`s` with another name for the array `old`."""
    def one(n: Expr) -> Expr:
        return replace(n, name=new) if isinstance(n, ir.Load) and n.name == old else n

    def expression(e: Expr) -> Expr:
        return transform(e, one)

    def statement(x: st.Stmt) -> st.Stmt:
        if isinstance(x, Leaf):
            return Leaf(statement(x.body), tuple(map(expression, x.masks)))
        out = st.rebuild(x, statement, expression)
        return replace(out, name=new) if isinstance(out, st.Store) and out.name == old else out

    return statement(s)
