"""Choices inside what uses a small array, made before it.

    allocate f[16]                                    if n >= 4 && m >= 8:
      for k:                                            allocate f[16]
        if n >= 4: four copies                   ->       for k: if ...: four copies of full vectors
          each: if m >= 8: full vector else: tail     else: the same as before
        else: serial loop

so that in the first version every index into `f` is a constant, and `f` lives in registers across the loop."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr, const_value
from halide_core.ir.structural import key, variables
from halide_core.ir.sums import is_coordinate
from halide_core.passes.bound_extents import STACK_BYTES
from halide_core.passes.conjunctions import all_of


def hoist_conditions(s: st.Stmt) -> st.Stmt:
    """`s` with a version of every small allocation in which its choices by coordinates from outside go one way.

    Only that version is treated further, so that what is nested does not multiply."""
    found: dict[int, Expr] = {}
    if isinstance(s, st.Allocate) and _is_small(s):
        _collect(s.body, frozenset(), found)
    chosen = st.rebuild(_chosen(s, found) if found else s, hoist_conditions, lambda e: e)
    if not found:
        return chosen
    return st.IfThenElse(all_of(found.values()), chosen, s)


def _is_small(s: st.Allocate) -> bool:
    size = const_value(s.size)
    return size is not None and size * s.type.bytes() <= STACK_BYTES


def _collect(s: st.Stmt, inner: frozenset[str], found: dict[int, Expr]) -> None:
    """Enters the conditions of choices in `s` that are in terms of coordinates but not those named `inner`."""
    match s:
        case st.IfThenElse():
            if s.else_case is not None and not variables(s.condition) & inner and _compares_coordinates(s.condition):
                found[key(s.condition)] = s.condition
            _collect(s.then_case, inner, found)
            return
        case st.For() | st.LetStmt():
            inner = inner | {s.name}
        case st.ExternCall():
            inner = inner.union(s.bound())
    for x in st.bodies(s):
        _collect(x, inner, found)


def _compares_coordinates(e: Expr) -> bool:
    if isinstance(e, ir.And):
        return _compares_coordinates(e.a) and _compares_coordinates(e.b)
    return isinstance(e, ir.LT | ir.LE | ir.GT | ir.GE) and is_coordinate(e.a) and is_coordinate(e.b)


def _chosen(s: st.Stmt, holds: dict[int, Expr]) -> st.Stmt:
    """`s` where the conditions `holds` are true."""
    if isinstance(s, st.IfThenElse) and key(s.condition) in holds:
        return _chosen(s.then_case, holds)
    if isinstance(s, st.For | st.LetStmt):
        holds = {k: c for k, c in holds.items() if s.name not in variables(c)}
    if isinstance(s, st.ExternCall):
        holds = {k: c for k, c in holds.items() if variables(c).isdisjoint(s.bound())}
    return st.rebuild(s, lambda x: _chosen(x, holds), lambda e: e)
