"""Parameters that a path's conditions say are one number: of so many channels, rows have a stride that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halide_core.ir.expr import EQ, Cast, Expr, Variable, const, const_value
from halide_core.ir.structural import transform, variables
from lifter.algebra.fold import clauses
from lifter.ir.names import is_address, is_counter, is_undefined


def numbers(condition: Expr) -> dict[str, Expr]:
    """The parameters that a condition says are one number, each with it."""
    known: dict[str, Expr] = {}
    for c in clauses(condition):
        if not isinstance(c, EQ):
            continue
        for a, b in ((c.a, c.b), (c.b, c.a)):
            number = const_value(b)
            while isinstance(a, Cast) and a.value.type.is_int_or_uint() and a.type.can_represent(a.value.type):
                a = a.value
            if not isinstance(a, Variable) or not isinstance(number, int) or not a.type.is_int_or_uint():
                continue
            if is_address(a.name) or is_undefined(a.name) or is_counter(a.name) or a.type.is_bool():
                continue
            if a.type.wrap(number) == number:
                known[a.name] = const(number, a.type)
    return known


def with_numbers(env: Mapping[str, Expr], known: Mapping[str, Expr], tidy: Callable[[Expr], Expr]) -> dict[str, Expr]:
    """The values of variables that are made of such parameters, with the numbers in their place."""

    def rewrite(n: Expr) -> Expr:
        return known.get(n.name, n) if isinstance(n, Variable) else tidy(n)

    told = {name: e for name, e in env.items() if not known.keys().isdisjoint(variables(e))}
    return {name: transform(e, rewrite) for name, e in told.items()}
