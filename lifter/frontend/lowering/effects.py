"""Expressions of which only the side effects are wanted: no value is kept for nobody."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.lowering import assignments, calls, evaluated, operations
from lifter.frontend.objects import deallocations
from lifter.frontend.state import descent
from lifter.frontend.state.context import Context

K = CursorKind


def implicit(ctx: Context, c: Cursor) -> None:
    """A conversion whose result nobody wants."""
    inner = operands(c)
    if len(inner) == 1:
        descent.discard(ctx, inner[0])
    else:
        descent.value(ctx, c)


def unary(ctx: Context, c: Cursor) -> None:
    """x++ and the like."""
    if unary_operator(c) in operations.INCREMENTS:
        assignments.increment(ctx, c, want=False)
    else:
        descent.value(ctx, c)


def binary(ctx: Context, c: Cursor) -> None:
    """Assignments, and commas."""
    operator = binary_operator(c)
    if operator == "=":
        assignments.assign(ctx, c, want=False)
    elif operator == ",":
        for part in operands(c):
            descent.discard(ctx, part)
            ctx.flush()
    else:
        descent.value(ctx, c)


def compound(ctx: Context, c: Cursor) -> None:
    """x += a and the like."""
    assignments.compound(ctx, c, want=False)


def cast(ctx: Context, c: Cursor) -> None:
    """(void)a."""
    if types.is_void(c.type):
        descent.discard(ctx, operands(c)[-1])
    else:
        descent.value(ctx, c)


def call(ctx: Context, c: Cursor) -> None:
    """A call whose result nobody wants."""
    calls.call(ctx, c, want=False)


def delete(ctx: Context, c: Cursor) -> None:
    """delete p and delete[] p."""
    (freed,) = operands(c)
    if types.is_pointer(freed.type) and not classes.is_trivial(types.innermost(types.pointee(freed.type))):
        ctx.fail("delete of an object whose class has a destructor of its own", c)
    deallocations.free(ctx, evaluated.freed(ctx, freed), c)


def throw(ctx: Context, c: Cursor) -> None:
    """throw."""
    ctx.fail("exception (throw)", c)
