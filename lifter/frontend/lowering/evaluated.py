"""Expressions whose values must be of one kind: a scalar, a pointer, a condition, a register, a container."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, Variable, const_value
from halide_core.ir.types import UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import evaluation_order
from lifter.frontend.objects import conversions, parameters, pointers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Container,
    PartPointer,
    Pointer,
    PointerAddress,
    PointerArray,
    Pointers,
    RecordPointer,
    Rows,
    RowTable,
    Value,
    Vector,
    expressions_of,
    with_expressions,
)
from lifter.ir.names import address_name
from lifter.simd.lanes import Lanes


def scalar(ctx: Context, c: Cursor) -> Expr:
    """The value of an expression of scalar type; raises Unsupported for anything else."""
    v = descent.value(ctx, c)
    if not isinstance(v, Expr):
        ctx.fail(queries.describe(c.type), c)
    return v


def scalars(ctx: Context, arguments: list[Cursor]) -> list[Expr]:
    """The values of arguments of scalar types, which C++ evaluates in no particular order."""
    parts, held = evaluation_order.Operands(ctx), []
    for a in arguments:
        held.append(ctx.hold(scalar(ctx, a), unsequenced=True))
        parts.done(held[-1].value)
    parts.check()
    return [ctx.release(h) for h in reversed(held)][::-1]


def pointer(ctx: Context, c: Cursor) -> Pointer:
    """The value of an expression of pointer type (or of an array, which decays)."""
    return _as_pointer(ctx, descent.value(ctx, c), c)


def _as_pointer(ctx: Context, v: Value, c: Cursor) -> Pointer:
    if isinstance(v, Expr):
        v = conversions.to_pointer(ctx, v, c.type, c)
    if not isinstance(v, Pointer):
        ctx.fail(queries.describe(c.type), c)
    return v


def pointer_to_any(ctx: Context, c: Cursor) -> Value:
    """As `pointer`, to a structure or a pointer too."""
    v = descent.value(ctx, c)
    return v if isinstance(v, RecordPointer | PointerAddress | PartPointer) else _as_pointer(ctx, v, c)


def freed(ctx: Context, c: Cursor) -> Value:
    """What an expression points to whose value is freed: a distance from the block's start does not matter here."""
    while True:
        c = queries.unwrap(c)
        inner = operands(c)
        if c.kind in queries.CASTS and inner and types.is_pointer(inner[-1].type):
            c = inner[-1]
        elif c.kind is CursorKind.BINARY_OPERATOR and types.is_pointer(c.type) and types.is_pointer(inner[0].type):
            descent.discard(ctx, inner[1])
            c = inner[0]
        else:
            return descent.value(ctx, c)


def condition(ctx: Context, c: Cursor) -> Expr:
    """The value of an expression as a condition."""
    v = descent.value(ctx, c)
    if isinstance(v, Pointer | Pointers | RecordPointer | PointerAddress | RowTable):
        return is_there(ctx, v, c)
    if not isinstance(v, Expr):
        ctx.fail(queries.describe(c.type), c)
    return op.to_bool(v)


def is_there(ctx: Context, v: Value, c: Cursor) -> Expr:
    """Whether a pointer, to an object or to pointers too, is not null."""
    _as_table(v)
    return pointers.is_not_null(ctx, v, c)


def place_of(v: RecordPointer | RowTable | Pointers) -> Expr | None:
    """Where an object or an array of pointers of the caller's lies; None where no parameter says so."""
    _as_table(v)
    if not v.address or (isinstance(v, RowTable) and const_value(v.first) != 0):
        return None
    return Variable(UInt(64), address_name(v.address))


def _as_table(v: Value) -> None:
    """Asks for an array of pointers that is taken apart to be one whose address is known."""
    if isinstance(v, Pointers) and v.given and not v.address:
        raise parameters.Tabled(v.given)


def array_of_pointers(ctx: Context, c: Cursor) -> Pointers | RowTable | PointerArray:
    """The value of an expression that is an array of pointers."""
    table = descent.value(ctx, c)
    if not isinstance(table, Pointers | RowTable | PointerArray):
        ctx.fail(queries.describe(c.type), c)
    return table


def register(ctx: Context, c: Cursor) -> Lanes:
    """The value of an expression of register type."""
    v = descent.value(ctx, c)
    if not isinstance(v, Lanes):
        ctx.fail(queries.describe(c.type), c)
    return v


def container(ctx: Context, c: Cursor) -> Container:
    """The value of an expression that is a container."""
    v = descent.value(ctx, c)
    if not isinstance(v, Vector | Rows):
        ctx.fail(queries.describe(c.type), c)
    return v


def settled(ctx: Context, v: Value) -> Value:
    """A value after the pending side effects of the expression it comes from."""
    if not ctx.pending:
        return v
    held = ctx.hold_all(expressions_of(v))
    ctx.flush()
    return with_expressions(v, ctx.release_all(held)) if held else v
