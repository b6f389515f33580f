"""Pointer parameters that only say where another one's memory ends (`first`, `last`).

Such a parameter becomes a number, how many elements it lies after the other one, and is the other one's memory from
there: for any two addresses the same places, as long as the distance is whole, which the adapter checks."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor

from halide_core.ir.expr import I64, Expr, Load, Variable
from halide_core.ir.structural import post_order
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.ir.loop_ir import Argument, Part, Stmt, Store, expressions, walk


class Ended(Again):
    """Pointer parameter `end` is to be read as the end of the array `start`."""

    def __init__(self, end: str, start: str) -> None:
        super().__init__(end, start)
        self.end, self.start = end, start


def check(ctx: Context, c: Cursor, body: list[Stmt]) -> None:
    """Raises Ended where two parameters were held against each other and only one is read from or written to (which may
    be the end, in a loop backwards), and Unsupported where two were subtracted of which neither is such an end."""
    accessed = {s.array for s in walk(body) if isinstance(s, Store)}
    # Not pointers inside the caller's objects.
    parameters = [str(p.spelling) for p in c.get_arguments()]
    accessed |= {n.name for s in walk(body) for e in expressions(s) for n in post_order(e) if isinstance(n, Load)}
    for pair in ctx.compared:
        if {*pair} <= {*parameters} and not {*pair} <= accessed and ctx.arrays[pair[0]] == ctx.arrays[pair[1]]:
            start, end = sorted(pair, key=parameters.index)
            if start in ctx.const_arrays and end not in ctx.const_arrays:
                start, end = end, start
            raise Ended(end, start)
    if ctx.subtracted is not None:
        raise ctx.subtracted


def argument(ctx: Context, name: str, c_type: str) -> tuple[Argument, str, Expr]:
    """(The argument of such a parameter, still without its unit, the number's name, the number)."""
    start = ctx.found.ends[name]
    number = ctx.unique(f"{name}_minus_{start}")
    ctx.parameters[number] = I64
    ctx.stable.add(number)
    part = Part(number, start, "distance")
    return Argument(name, c_type, c_type, "end", (part,)), number, Variable(I64, number)


def finished(ctx: Context, a: Argument) -> Argument:
    """An argument with its unit, which is known when all parameters are."""
    if a.passing != "end" or not a.parts:  # nothing may depend on it
        return a
    (part,) = a.parts
    return replace(a, parts=(replace(part, bytes_each=ctx.arrays[part.expression].bytes()),))
