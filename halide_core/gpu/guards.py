"""Conditions of the threads at an edge, in the sums that indices are made of.

    if thread.x < min(n - block.x*32, 32)   ->   if uint32(thread.x + block.x*32) < uint32(max(n, 0))

The host computes the right side.  The left one is what an index has too, and no sum of two positive int32 is beyond
uint32: what a thread behind the end would compute is not below any end."""

from __future__ import annotations

from halide_core.gpu.kernel import BLOCK, THREAD, Triple
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, variables
from halide_core.ir.types import UInt

_U32 = UInt(32)


def shorten_guards(s: st.Stmt, threads: Triple) -> st.Stmt:
    """A kernel's body, for blocks of these extents, with such conditions."""
    sizes = {v.name: const_value(t) for v, t in zip(THREAD, threads, strict=True)}

    def condition(e: Expr) -> Expr:
        if isinstance(e, ir.And):
            return ir.And(BOOL, condition(e.a), condition(e.b))
        return _shortened(e, sizes)

    def visit(x: st.Stmt) -> st.Stmt:
        if isinstance(x, st.IfThenElse):
            otherwise = None if x.else_case is None else visit(x.else_case)
            return st.IfThenElse(condition(x.condition), visit(x.then_case), otherwise)
        return st.rebuild(x, visit, lambda e: e)

    return visit(s)


def _shortened(e: Expr, sizes: dict[str, int | float | None]) -> Expr:
    if not isinstance(e, ir.LT) or not isinstance(e.a, Variable) or e.a.name not in sizes:
        return e
    left = _without_bound(e.b, sizes[e.a.name])
    if not isinstance(left, ir.Sub) or left.type != I32 or not _is_place(left.b) or not _is_fixed(left.a):
        return e
    end = simplify(ir.Cast(_U32, ir.Max(I32, left.a, const(0, I32))))
    return ir.LT(BOOL, ir.Cast(_U32, ir.Add(I32, e.a, left.b)), end)


def _without_bound(e: Expr, size: int | float | None) -> Expr:
    """`e` without a bound that no thread of a block of this size comes to."""
    if isinstance(e, ir.Min) and size is not None:
        for bound, other in ((e.a, e.b), (e.b, e.a)):
            value = const_value(bound)
            if value is not None and value >= size:
                return other
    return e


def _is_place(e: Expr) -> bool:
    """Whether `e` is the number of a block, or a multiple of it."""
    if isinstance(e, ir.Mul):
        factor = const_value(e.b)
        return factor is not None and factor > 0 and _is_place(e.a) and isinstance(e.a, Variable)
    return isinstance(e, Variable) and any(e.name == b.name for b in BLOCK)


def _is_fixed(e: Expr) -> bool:
    """Whether `e` is the same for all threads of all blocks."""
    return not contains(e, ir.Load) and not variables(e) & {v.name for v in (*BLOCK, *THREAD)}
