"""Which conditionals outside loops become paths of their own (paper, section 5.2).

Those that hold loops or returns must. Those that change several of the values that shape later loops (an image that is
flipped for a negative height, rows one behind the other that run as one) should: each path then has plain bounds and
strides, where one path would have bounds that are choices, which fit no region."""

from __future__ import annotations

from halide_core.ir.expr import Load
from halide_core.ir.structural import post_order, variables
from lifter import loops as L


def must_fork(stmt: L.If) -> bool:
    """Whether a conditional holds a loop or a return."""
    return any(isinstance(s, L.Loop | L.Return) for s in L.walk((stmt,)))


def reshapes(stmt: L.If, rest: tuple[L.Stmt, ...]) -> bool:
    """Whether a conditional assigns several scalars, at least one of which decides how often loops of `rest` run or
    which elements they touch."""
    assigned = {s.name for s in L.walk((stmt,)) if isinstance(s, L.Assign)}
    if len(assigned) < 2 or any(isinstance(s, L.Store) for s in L.walk((stmt,))):
        return False
    return bool(assigned & _shaping(rest))


def _shaping(body: tuple[L.Stmt, ...]) -> set[str]:
    """Names of scalars that trip counts and addresses are made of."""
    statements = list(L.walk(body))
    names: set[str] = set()
    for s in statements:
        if isinstance(s, L.Loop):
            names |= variables(s.condition)
        if isinstance(s, L.Store):
            names |= variables(s.index)
        for e in L.expressions(s):
            for n in post_order(e):
                if isinstance(n, Load):
                    names |= variables(n.index)
    grown = True
    while grown:
        grown = False
        for s in statements:
            if isinstance(s, L.Assign) and s.name in names and not variables(s.value) <= names:
                names |= variables(s.value)
                grown = True
    return names
