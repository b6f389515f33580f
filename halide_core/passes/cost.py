"""A rough count of instructions, to decide at run time whether a parallel loop is worth its threads."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I64, Expr, const, const_value
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import post_order, substitute

# What an external stage is taken to cost.
_EXTERNAL = 10_000


def estimate(s: st.Stmt) -> Expr:
    """Vector instructions that `s` takes, as an int64 expression of the Variables around it."""
    return simplify_index(_cost(s))


def _node_cost(e: Expr) -> int:
    if isinstance(e, ir.Variable | ir.IntImm | ir.UIntImm | ir.FloatImm | ir.Broadcast | ir.Ramp):
        return 0
    width = max(1, e.type.lanes * max(1, e.type.bytes()) // 64)
    if isinstance(e, ir.Div | ir.Mod) and const_value(e.b) is None:
        return 20 * width
    if isinstance(e, ir.Call) and e.call_type is ir.CallType.PURE_EXTERN:
        return 20 * e.type.lanes
    if ir.is_mathematics(e):
        return 40 * width
    return width


def _cost(s: st.Stmt) -> Expr:
    match s:
        case st.Store():
            seen = {id(n): _node_cost(n) for n in post_order(s.value)}
            return const(2 + sum(seen.values()), I64)
        case st.For():
            high = upper_bound(s.extent, {})
            extent = const(max(high, 0), I64) if high is not None else ir.Cast(I64, s.extent)
            return ir.Mul(I64, extent, _cost(s.body) + const(1, I64))
        case st.IfThenElse():
            return _cost(s.then_case)
        case st.ExternCall():
            return const(_EXTERNAL, I64) + (_cost(s.body) if s.body is not None else const(0, I64))
        case st.LetStmt():
            return substitute(_cost(s.body), {s.name: s.value})
    total: Expr = const(0, I64)
    for x in st.bodies(s):
        total = ir.Add(I64, total, _cost(x))
    return total
