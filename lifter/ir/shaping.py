"""What shapes a function: the scalars and elements of arrays that numbers of iterations and addresses are made of."""

from __future__ import annotations

from collections.abc import Iterable

from halide_core.ir.expr import Expr, Load
from halide_core.ir.structural import post_order, variables
from lifter.ir import loop_ir as L


def shaping(body: Iterable[L.Stmt]) -> set[str]:
    """Names of scalars that trip counts and addresses are made of."""
    statements = list(L.walk(body))
    return _made_of(statements, _shapes(statements))


def shaping_arrays(body: Iterable[L.Stmt]) -> set[str]:
    """Names of arrays elements of which trip counts and addresses, and conditions under which loops run, are made
    of."""
    statements = list(L.walk(body))
    shapes = _shapes(statements)
    shapes += [s.condition for s in statements if isinstance(s, L.If) and _has_loop((*s.then, *s.otherwise))]
    names = _made_of(statements, shapes)
    values = [*shapes, *(s.value for s in statements if isinstance(s, L.Assign) and s.name in names)]
    return {n.name for e in values for n in post_order(e) if isinstance(n, Load)}


def _made_of(statements: Iterable[L.Stmt], shapes: Iterable[Expr]) -> set[str]:
    """The scalars of expressions, and those that these are assigned from."""
    names = {n for e in shapes for n in variables(e)}
    grown = True
    while grown:
        grown = False
        for s in statements:
            if isinstance(s, L.Assign) and s.name in names and not variables(s.value) <= names:
                names |= variables(s.value)
                grown = True
    return names


def _has_loop(statements: Iterable[L.Stmt]) -> bool:
    return any(isinstance(s, L.Loop) for s in L.walk(statements))


def _shapes(statements: Iterable[L.Stmt]) -> list[Expr]:
    out: list[Expr] = []
    for s in statements:
        if isinstance(s, L.Loop):
            out.append(s.condition)
        if isinstance(s, L.Store):
            out.append(s.index)
        out += [n.index for e in L.expressions(s) for n in post_order(e) if isinstance(n, Load)]
    return out
