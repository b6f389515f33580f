"""Loops over counters of their own."""

from __future__ import annotations

from collections.abc import Callable

from halide_core.ir.expr import I64, Expr, Variable, const, const_value
from lifter.frontend.clang import queries
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assign, Loop, Stmt


def counted(ctx: Context, count: Expr, hint: str = "i") -> tuple[str, Variable, Expr]:
    """A fresh counter and a bound that stays what it is while the loop runs."""
    name = ctx.new_local(hint, I64)
    return name, Variable(I64, name), count


def emit_loop(ctx: Context, name: str, count: Expr, body: list[Stmt]) -> None:
    """for (name = 0; name < count; name++) body."""
    counter = Variable(I64, name)
    ctx.assign(name, const(0, I64))
    step = Assign(ctx.line, name, op.binary("+", counter, const(1, I64)))
    ctx.block.append(Loop(ctx.line, op.binary("<", counter, count), tuple(body), (step,)))


def simplified(ctx: Context, count: Expr) -> Expr:
    """A count that is evaluated once, before the loop."""
    if const_value(count) is not None:
        return count
    return ctx.temporary(count, "count") if queries.reads_memory(count) else count


def each(ctx: Context, count: Expr, body: Callable[[Expr], None]) -> None:
    """A loop over 0 <= i < count."""
    name, counter, count = counted(ctx, count)
    with ctx.collecting() as block:
        body(counter)
    emit_loop(ctx, name, count, block)
