"""Inlining of Funcs without a schedule: calls replaced by the values they stand for."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.structural import key, substitute, transform


def make_inliner(inlined: set[int]) -> Callable[[Expr], Expr]:
    """A function that expands, in an expression, every call of the Functions with ids in `inlined`.

    Equal calls become one shared expression, so that chains of stencils stay a DAG and not a tree."""
    cache: dict[int, Expr] = {}

    def expand(e: Expr) -> Expr:
        return transform(e, rewrite)

    def rewrite(node: Expr) -> Expr:
        if not (isinstance(node, ir.Call) and node.call_type is CallType.HALIDE and id(node.target) in inlined):
            return node
        number = key(node)
        if number not in cache:
            f: Function = node.target
            assert f.pure is not None
            value = f.pure.values[node.value_index]
            cache[number] = expand(substitute(value, dict(zip(f.args, node.args, strict=True))))
        return cache[number]

    return expand


def inlined_functions(order: list[Function], outputs: list[Function]) -> set[int]:
    """Ids of the Functions that are inlined: those without a schedule that have no updates and are not external."""
    return {
        id(f)
        for f in order
        if f.compute is None and not f.updates and f.extern is None and not any(f is o for o in outputs)
    }
