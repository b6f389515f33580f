"""Calls of pure functions replaced by their bodies."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import substitute, transform
from lifter.ir.loop_ir import PureFunction


def inline_call(call: Call, functions: Mapping[str, PureFunction]) -> Expr | None:
    """The body of a pure function at a call of it."""
    definition = functions.get(call.name)
    if definition is None:
        return None
    return substitute(definition.body, {n: a for (n, _), a in zip(definition.params, call.args, strict=True)})


def inline_all(e: Expr, functions: Mapping[str, PureFunction]) -> Expr:
    """`e` with every call of a pure function replaced by its body."""
    if not functions:
        return e
    bodies: dict[str, Expr] = {}
    """The bodies without calls: what is put in for their parameters has none any more, and is not walked again."""

    def body(name: str) -> Expr:
        if name not in bodies:
            bodies[name] = transform(functions[name].body, rewrite)
        return bodies[name]

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Call) and n.call_type is CallType.FUNCTION and n.name in functions:
            given = {p: a for (p, _), a in zip(functions[n.name].params, n.args, strict=True)}
            return substitute(body(n.name), given)
        return n

    return transform(e, rewrite)
