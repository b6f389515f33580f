"""Unrolled loops written out, iteration by iteration."""

from __future__ import annotations

from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Expr, const, const_value
from halide_core.ir.simplify import simplify_index, simplify_with_indices
from halide_core.ir.structural import substitution, variables
from halide_core.passes.vectorize import lanes_of


def unroll(s: st.Stmt) -> st.Stmt:
    """`s` without unrolled loops; iterations past a shorter extent are guarded."""

    def visit(x: st.Stmt) -> st.Stmt:
        if isinstance(x, st.For) and x.kind is st.ForKind.UNROLLED:
            return _unrolled(st.For(x.name, x.min, x.extent, x.kind, visit(x.body)))
        return st.rebuild(x, visit, lambda e: e)

    return visit(s)


def _unrolled(loop: st.For) -> st.Stmt:
    count = lanes_of(loop.extent, loop.name)
    parts = [_iteration(loop, k) for k in range(count)]
    if const_value(loop.extent) == count:
        return st.block(*parts)
    serial = st.For(loop.name, loop.min, loop.extent, st.ForKind.SERIAL, loop.body)
    return st.IfThenElse(simplify_index(loop.extent >= count), st.block(*parts), serial)


def _iteration(loop: st.For, k: int) -> st.Stmt:
    return substituted(loop.body, loop.name, simplify_index(loop.min + const(k, I32)))


def substituted(s: st.Stmt, name: str, value: Expr) -> st.Stmt:
    """`s` with `value` for the loop variable `name`."""
    with_value = substitution({name: value})

    def expression(e: Expr) -> Expr:
        return simplify_with_indices(with_value(e)) if name in variables(e) else e

    def statement(x: st.Stmt) -> st.Stmt:
        out = st.rebuild(x, statement, expression)
        if isinstance(out, st.Store):
            return st.Store(out.name, out.value, simplify_index(out.index), out.predicate)
        return out

    return statement(s)
