"""Updates that each store one channel, joined into one definition over all channels.

    f(0, x, y) = a; f(1, x, y) = b; f(2, x, y) = c

becomes f(c, x, y) = select(c == 0, a, select(c == 1, b, c)), whose stores interleave."""

from __future__ import annotations

from typing import Any

from halide_core.function import Definition, Dim, Function, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const, const_value
from halide_core.ir.structural import post_order


def merge_channel_updates(f: Function, layout: Any) -> None:
    """Rewrites `f` so where its updates store every channel once and do not read `f`."""
    if layout is None or f.pure is None or len(f.types) != 1 or not 2 <= len(f.updates) <= 4:
        return
    for c, (name, extent, low) in enumerate(zip(f.args, layout.extents, layout.mins, strict=True)):
        if const_value(extent) != len(f.updates) or const_value(low) != 0:
            continue
        values = _by_channel(f, c)
        if values is None:
            continue
        variable = Variable(I32, name)
        merged: Expr = values[-1]
        for k in reversed(range(len(values) - 1)):
            test = ir.EQ(BOOL, variable, const(k, I32))
            merged = ir.Select(merged.type, test, values[k], merged)
        args = tuple(Variable(I32, n) for n in f.args)
        f.pure = Definition(args, (merged,), StageSchedule([Dim(n) for n in f.args]))
        f.updates = []
        return


def _by_channel(f: Function, c: int) -> list[Expr] | None:
    """The value of each channel, or None where the updates do more than store one channel each."""
    found: dict[int, Expr] = {}
    for d in f.updates:
        number = const_value(d.args[c])
        if number is None or d.domain is not None or int(number) in found or d.schedule.splits:
            return None
        for k, (a, name) in enumerate(zip(d.args, f.args, strict=True)):
            if k != c and not (isinstance(a, Variable) and a.name == name):
                return None
        if any(isinstance(n, ir.Call) and n.target is f for n in post_order(d.values[0])):
            return None
        found[int(number)] = d.values[0]
    return [found[k] for k in range(len(found))] if sorted(found) == list(range(len(f.updates))) else None
