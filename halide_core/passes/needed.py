"""Under which conditions on Params and buffers a stage is needed at all: elsewhere it is not computed.

    realize f:                                     realize f:
      produce f: ...                        ->       produce f: if p > 3: ...
      produce g: g(x) = select(p > 3, f(x), 0)       produce g: g(x) = select(p > 3, f(x), 0)"""

from __future__ import annotations

from collections.abc import Callable

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, CallType, Expr, children, make_bool
from halide_core.ir.named_calls import has_effect
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import nodes, post_order

_ALWAYS, _NEVER = make_bool(True), make_bool(False)


def needed(consumer: st.Stmt, name: str, is_fixed: Callable[[Expr], bool]) -> Expr:
    """A condition without which `consumer` uses no value of the Func `name`; `is_fixed` says which conditions are the
    same throughout a run."""
    return simplify(_of_statement(consumer, name, is_fixed))


def is_conditional(e: Expr, is_fixed: Callable[[Expr], bool]) -> bool:
    """Whether `e` chooses by a condition that is the same throughout a run."""
    return any(is_fixed(n.condition) for n in nodes(e, ir.Select))


def _of_statement(s: st.Stmt, name: str, is_fixed: Callable[[Expr], bool]) -> Expr:
    found: Expr = _NEVER
    if isinstance(s, st.IfThenElse):
        yes = _of_statement(s.then_case, name, is_fixed)
        no = _NEVER if s.else_case is None else _of_statement(s.else_case, name, is_fixed)
        return _either(_of_value(s.condition, name, is_fixed), _chosen(s.condition, yes, no, is_fixed))
    for e in st.expressions(s):
        found = _either(found, _of_value(e, name, is_fixed))
    for x in st.bodies(s):
        if found is not _ALWAYS:
            found = _either(found, _of_statement(x, name, is_fixed))
    return found


def _of_value(e: Expr, name: str, is_fixed: Callable[[Expr], bool]) -> Expr:
    known: dict[int, Expr] = {}
    for n in post_order(e):
        if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.name == name:
            known[id(n)] = _ALWAYS
        elif isinstance(n, ir.Select):
            c, yes, no = (known[id(x)] for x in children(n))
            known[id(n)] = _either(c, _chosen(n.condition, yes, no, is_fixed))
        else:
            found: Expr = _NEVER
            for x in children(n):
                found = _either(found, known[id(x)])
            # Both sides of a choice are evaluated: no coordinate and nothing with an effect may be left to chance.
            sensitive = isinstance(n, ir.Call) and (n.call_type in (CallType.HALIDE, CallType.IMAGE) or has_effect(n))
            known[id(n)] = _ALWAYS if sensitive and found is not _NEVER else found
    return known[id(e)]


def _chosen(condition: Expr, yes: Expr, no: Expr, is_fixed: Callable[[Expr], bool]) -> Expr:
    if yes is no or not is_fixed(condition):
        return _either(yes, no)
    return _either(_both(condition, yes), _both(ir.Not(BOOL, condition), no))


def _either(a: Expr, b: Expr) -> Expr:
    if a is _ALWAYS or b is _ALWAYS:
        return _ALWAYS
    return b if a is _NEVER else a if b is _NEVER else ir.Or(BOOL, a, b)


def _both(condition: Expr, e: Expr) -> Expr:
    return _NEVER if e is _NEVER else condition if e is _ALWAYS else ir.And(BOOL, condition, e)
