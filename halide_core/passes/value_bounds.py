"""Intervals of the values of Funcs, for what is read at coordinates that a Func computes.

    place(x) = clamp(int32(image(x) * 0.125f), 0, n)        place, value 0: 0 to n
    ... table(place(x)) ...                                 of table, 0 to n is read

What an update reads of its own Func is what was there before: an interval that holds of the first definition, and of
each update whenever it holds of what is there, holds at all times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from halide_core.function import Definition, Function
from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import CallType, Expr
from halide_core.ir.named_calls import has_effect
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import nodes, same
from halide_core.passes.bounds import bounds_of, value_name
from halide_core.passes.intervals import union
from halide_core.passes.races import predicates_of

# Rounds of updates in which an interval must have come to rest.
_MOST = 3


def value_bounds(order: list[Function], definitions: Mapping[int, list[Definition]]) -> dict[str, Interval]:
    """The intervals in which all values of Functions lie, wherever they are, by their `value_name`s.

    `definitions` are those of each Function by its id; `order` has what a Function calls before it.  Only Functions
    of which coordinates are computed are looked at.  Ends are made of constants and of what is fixed during a run."""
    wanted = used_in_coordinates(order, definitions)
    found: dict[str, Interval] = {}
    for f in order:
        if f.extern is not None or f.name not in wanted:
            continue
        first, *updates = definitions[id(f)]
        own = _values(f, first, found)
        for _ in range(_MOST):
            before = own
            for u in updates:
                own = _joined(own, _values(f, u, {**found, **own}))
            if all(_same(before[n], own[n]) for n in own):
                break
        else:
            # What goes on growing: nothing is known of what was there before.
            own = _values(f, first, found)
            for u in updates:
                own = _joined(own, _values(f, u, found))
        found |= own
    return found


def used_in_coordinates(order: list[Function], definitions: Mapping[int, list[Definition]]) -> set[str]:
    """The Functions and images of whose values coordinates and conditions are made, by way of others too."""
    wanted = _in_coordinates(d for f in order for d in definitions[id(f)])
    for f in reversed(order):
        if f.name in wanted:
            wanted |= {n.name for d in definitions[id(f)] for v in d.values for n in _calls(v)}
    return wanted


def _values(f: Function, d: Definition, known: Mapping[str, Interval]) -> dict[str, Interval]:
    """The intervals of the values of one definition."""
    scope: dict[str, Interval] = {**known, **{a: (None, None) for a in f.args}}
    for name, low, extent in d.domain.variables if d.domain is not None else ():
        scope[name] = bounds_of(low, scope)[0], bounds_of(low + extent - 1, scope)[1]
    return {value_name(f.name, k): bounds_of(v, scope) for k, v in enumerate(d.values)}


def _joined(a: dict[str, Interval], b: dict[str, Interval]) -> dict[str, Interval]:
    """The intervals around both."""
    joined = {n: union(a[n], b[n]) for n in a}
    return {
        n: (None if low is None else simplify_index(low), None if high is None else simplify_index(high))
        for n, (low, high) in joined.items()
    }


def _same(a: Interval, b: Interval) -> bool:
    return all((x is None) == (y is None) and (x is None or y is None or same(x, y)) for x, y in zip(a, b, strict=True))


def _in_coordinates(definitions: Iterable[Definition]) -> set[str]:
    """The Funcs that are called in coordinates and conditions, or in what has an effect."""
    found: set[str] = set()
    for d in definitions:
        coordinates = [a for e in (*d.args, *d.values) for n in _calls(e) for a in n.args]
        # What ends a run or is printed must be what the program computes, too.
        told = [a for e in (*d.args, *d.values) for n in nodes(e, ir.Call) if has_effect(n) for a in n.args]
        found |= {n.name for e in (*coordinates, *told, *d.args, *predicates_of(d)) for n in _calls(e, True)}
    return found


def _calls(e: Expr, of_funcs: bool = False) -> list[ir.Call]:
    kinds = (CallType.HALIDE,) if of_funcs else (CallType.HALIDE, CallType.IMAGE)
    return [n for n in nodes(e, ir.Call) if n.call_type in kinds]
