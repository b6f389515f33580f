"""Intervals of the values of Funcs, for what is read at coordinates that a Func computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.structural import post_order
from halide_core.passes.bounds import Scope, bounds_of, value_name
from halide_core.passes.intervals import union
from halide_core.passes.races import predicates_of


def value_bounds(order: list[Function], definitions: Mapping[int, list[Definition]]) -> dict[str, Interval]:
    """The intervals in which all values of Functions lie, wherever they are, by their `value_name`s.

    `definitions` are those of each Function by its id; `order` has what a Function calls before it.  Only Functions
    of which coordinates are computed are looked at.  Ends are made of constants and of what is fixed during a run."""
    wanted = _in_coordinates(d for f in order for d in definitions[id(f)])
    for f in reversed(order):
        if f.name in wanted:
            wanted |= {n.name for d in definitions[id(f)] for v in d.values for n in _calls(v)}
    found: dict[str, Interval] = {}
    for f in order:
        if f.extern is not None or f.name not in wanted:
            continue
        scopes = [_scope(f, d, found) for d in definitions[id(f)]]
        # What an update reads of its own Func is not known: it may be what the update stores.
        for k in range(len(f.types)):
            parts = [bounds_of(d.values[k], s) for d, s in zip(definitions[id(f)], scopes, strict=True)]
            around = parts[0]
            for part in parts[1:]:
                around = union(around, part)
            found[value_name(f.name, k)] = around
    return found


def _in_coordinates(definitions: Iterable[Definition]) -> set[str]:
    """The Funcs that are called in coordinates and conditions."""
    found: set[str] = set()
    for d in definitions:
        coordinates = [a for e in (*d.args, *d.values) for n in _calls(e) for a in n.args]
        found |= {n.name for e in (*coordinates, *d.args, *predicates_of(d)) for n in _calls(e, True)}
    return found


def _calls(e: Expr, of_funcs: bool = False) -> list[ir.Call]:
    kinds = (CallType.HALIDE,) if of_funcs else (CallType.HALIDE, CallType.IMAGE)
    return [n for n in post_order(e) if isinstance(n, ir.Call) and n.call_type in kinds]


def _scope(f: Function, d: Definition, found: dict[str, Interval]) -> Scope:
    """The intervals of the variables of a definition."""
    scope: dict[str, Interval] = {**found, **{a: (None, None) for a in f.args}}
    for name, low, extent in d.domain.variables if d.domain is not None else ():
        scope[name] = bounds_of(low, scope)[0], bounds_of(low + extent - 1, scope)[1]
    return scope
