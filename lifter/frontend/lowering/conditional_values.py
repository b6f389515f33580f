"""One of two values, each evaluated in an arm of its own (`c ? a : b`)."""

from __future__ import annotations

from clang.cindex import Cursor

from halide_core.ir.expr import Expr, Variable
from lifter.frontend.objects import access, records, registers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import NULL, Allocation, Nothing, Pointer, Record, Value
from lifter.ir.loop_ir import Assert, Stmt
from lifter.simd.lanes import Lanes, as_type


def chosen(
    ctx: Context, c: Cursor, test: Expr, yes: tuple[list[Stmt], Value], no: tuple[list[Stmt], Value]
) -> Value | None:
    """The value where `test` holds, or else the other one, each with what is executed for it; None for two of which
    none can be chosen."""
    (then, a), (otherwise, b) = yes, no
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        offset = _choose(ctx, test, then, a.offset, otherwise, b.offset)
        return Pointer(a.targets | b.targets, offset, a.pointee)
    if isinstance(a, Expr) and isinstance(b, Expr):
        return _choose(ctx, test, then, a, otherwise, b)
    if isinstance(a, Lanes) and isinstance(b, Lanes):
        return _choose_lanes(ctx, test, then, a, otherwise, as_type(b, a.type))
    if isinstance(a, Nothing) and isinstance(b, Nothing):
        ctx.branch(test, then, otherwise)
        return a
    if isinstance(a, Record) and isinstance(b, Record):
        return _choose_records(ctx, c, test, then, a, otherwise, b)
    if not then and not otherwise and not ctx.loops:
        for none, memory, refused in ((a, b, test), (b, a, op.negate(test))):
            if isinstance(memory, Allocation) and isinstance(none, Pointer) and none.targets == {NULL}:
                ctx.emit(Assert(0, op.negate(refused)))  # where there is none, the original's answer is its own
                return memory
    return None


def _choose_lanes(ctx: Context, test: Expr, then: list[Stmt], a: Lanes, otherwise: list[Stmt], b: Lanes) -> Lanes:
    if not then and not otherwise:
        return Lanes(tuple(op.select(test, x, y) for x, y in zip(a.parts, b.parts, strict=True)))
    place = registers.new_place(ctx, "t", a.bits, a.type)
    for block, result in ((then, a), (otherwise, b)):
        with ctx.collecting() as rest:
            registers.write(ctx, place, result)
        block.extend(rest)
    ctx.branch(test, then, otherwise)
    return registers.read(ctx, place)


def _choose_records(
    ctx: Context, c: Cursor, test: Expr, then: list[Stmt], a: Record, otherwise: list[Stmt], b: Record
) -> Record:
    place = records.create(ctx, c.type, "t", c)
    for block, result in ((then, a), (otherwise, b)):
        with ctx.collecting() as rest:
            access.store(ctx, place, result, c)
        block.extend(rest)
    ctx.branch(test, then, otherwise)
    return access.load(ctx, place, c)


def _choose(ctx: Context, test: Expr, then: list[Stmt], a: Expr, otherwise: list[Stmt], b: Expr) -> Expr:
    if not then and not otherwise:
        return op.select(test, a, b)
    name = ctx.new_local("t", a.type)
    for block, result in ((then, a), (otherwise, b)):
        with ctx.collecting() as rest:
            ctx.assign(name, result)
        block.extend(rest)
    ctx.branch(test, then, otherwise)
    return Variable(a.type, name)
