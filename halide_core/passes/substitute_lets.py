"""Let statements substituted into their bodies, and the index arithmetic simplified."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr
from halide_core.ir.simplify import simplify_index, simplify_with_indices
from halide_core.ir.structural import substitute, variables


def substitute_lets(s: st.Stmt, keep: frozenset[str] = frozenset()) -> st.Stmt:
    """`s` with every LetStmt substituted but those that hold something costly or named in `keep`."""
    return _visit(s, {}, keep)


def _is_cheap(e: Expr) -> bool:
    return isinstance(e, ir.Variable | ir.IntImm | ir.UIntImm)


def _visit(s: st.Stmt, env: dict[str, Expr], keep: frozenset[str]) -> st.Stmt:
    if isinstance(s, st.LetStmt):
        value = simplify_index(substitute(s.value, env))
        loop_value = s.name.endswith("$")
        if (loop_value or _is_cheap(value)) and s.name not in keep:
            return _visit(s.body, {**env, s.name: value}, keep)
        inner = {k: v for k, v in env.items() if k != s.name}
        return st.LetStmt(s.name, value, _visit(s.body, inner, keep))

    def expression(e: Expr) -> Expr:
        names = variables(e)
        used = {k: v for k, v in env.items() if k in names}
        return simplify_with_indices(substitute(e, used))

    match s:
        case st.For():
            body = _visit(s.body, env, keep)
            return st.For(s.name, simplify_index(expression(s.min)), simplify_index(expression(s.extent)), s.kind, body)
        case st.Store():
            predicate = None if s.predicate is None else expression(s.predicate)
            return st.Store(s.name, expression(s.value), simplify_index(expression(s.index)), predicate)
    return st.rebuild(s, lambda x: _visit(x, env, keep), expression)
