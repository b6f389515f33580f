"""Scalars in memory: read and written through pointers, whole, as other bits, or as several units of an array."""

from __future__ import annotations

from clang.cindex import Cursor

from halide_core.ir.expr import I64, Expr, Load, Variable, const, const_value
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import queries
from lifter.frontend.objects import memory_views
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import PartPointer, Pointer
from lifter.ir.loop_ir import Store
from lifter.simd.lanes import reinterpret


def view(e: Expr, to: Type) -> Expr:
    """The same bits, read as the other signedness (a wrapping cast), or as a float's."""
    return reinterpret(e, to) if e.type.is_float() != to.is_float() else op.cast(e, to)


def read_as(ctx: Context, p: Pointer, wanted: Type, at: Cursor | None) -> Expr:
    """The scalar of a type that a pointer points to."""
    if ctx.undecided:
        return Load(wanted, ctx.new_array("either", wanted), const(0, I64))
    array = ctx.array_of(p, at)
    if array.startswith("&"):
        ctx.before_read(array[1:])
        whole = _scalar(ctx, array, wanted, at)
        if _is_whole(ctx, p, whole, wanted, at):
            return view(whole, wanted)
        return memory_views.bytes_of(view(whole, UInt(whole.type.bits)), p.offset, wanted)
    count = _units_of_scalar(ctx, array, wanted, at)
    if count > 1:
        return memory_views.read(ctx, array, p.offset, wanted, count)
    return view(Load(ctx.arrays[array], array, p.offset), wanted)


def write_as(ctx: Context, p: Pointer, wanted: Type, value: Expr, at: Cursor | None) -> None:
    """Emits the store of a scalar of a type where a pointer points to."""
    array = ctx.array_of(p, at)
    if array.startswith("&"):
        ctx.before_write(array[1:])
        whole = _scalar(ctx, array, wanted, at)
        is_whole = _is_whole(ctx, p, whole, wanted, at)
        if not is_whole:
            bits = view(whole, UInt(whole.type.bits))
            value = memory_views.with_bytes(bits, p.offset, op.cast(value, wanted))
        ctx.assign(array[1:], view(value, whole.type))
        return
    if array in ctx.tables or array in ctx.const_arrays:
        ctx.fail(f"write to the constant array '{array}'", at)
    count = _units_of_scalar(ctx, array, wanted, at)
    if count > 1:
        memory_views.write(ctx, array, p.offset, value, count)
        return
    ctx.emit(Store(ctx.line, array, p.offset, view(value, ctx.arrays[array])))


def read_part(ctx: Context, p: PartPointer, at: Cursor | None) -> Expr:
    """The integer that is part of an element."""
    wanted, unit = queries.element_type(ctx, p.whole.pointee, at), ctx.arrays[ctx.array_of(p.whole, at)]
    if ctx.undecided:
        return read_as(ctx, p.whole, wanted, at)
    return memory_views.bytes_of(read_as(ctx, p.whole, unit, at), p.inside, wanted)


def write_part(ctx: Context, p: PartPointer, value: Expr, at: Cursor | None) -> None:
    """Emits the store of an element of which the part is `value`."""
    unit = ctx.arrays[ctx.array_of(p.whole, at)]
    whole = memory_views.with_bytes(read_as(ctx, p.whole, unit, at), p.inside, value)
    write_as(ctx, p.whole, unit, whole, at)


def _units_of_scalar(ctx: Context, array: str, wanted: Type, at: Cursor | None) -> int:
    ctx.used_as.setdefault(array, set()).add(wanted)
    own = ctx.arrays[array]
    if own != wanted and same_bits(own, wanted) and own.is_float() != wanted.is_float():
        if own.is_float() and array in ctx.pointer_parameters:
            raise memory_views.Retyped(array, UInt(own.bits))  # floats keep no bits of what is not a number
        return 1
    return 1 if same_width(ctx.arrays[array], wanted) else memory_views.parts(ctx, array, wanted, at)


def _scalar(ctx: Context, array: str, wanted: Type, at: Cursor | None) -> Variable:
    """The scalar local or parameter behind the target "&x", of which `wanted` is the whole or the low part."""
    type_ = ctx.locals.get(array[1:]) or ctx.parameters[array[1:]]
    if not same_bits(type_, wanted) and not (integers(UInt(type_.bits), wanted) and wanted.bits < type_.bits):
        ctx.fail(f"the scalar '{array[1:]}' of type {type_} used as {wanted}", at)
    return Variable(type_, array[1:])


def _is_whole(ctx: Context, p: Pointer, whole: Variable, wanted: Type, at: Cursor | None) -> bool:
    """Whether a pointer to a scalar variable points to all of it; else to bytes that lie inside."""
    offset, size = const_value(p.offset), whole.type.bytes()
    same = same_bits(whole.type, wanted)
    within = offset is None or 0 <= int(offset) <= size - wanted.bytes()
    if offset != 0 and (same or not within or not all(t.startswith("&") for t in p.targets)):
        ctx.fail(f"pointer arithmetic on the address of the scalar '{whole.name}'", at)
    return same


def integers(a: Type, b: Type) -> bool:
    """Whether both are integers, and none a bool."""
    return a.is_int_or_uint() and b.is_int_or_uint() and not a.is_bool() and not b.is_bool()


def same_width(a: Type, b: Type) -> bool:
    """Whether two types are one, or integers of one width."""
    if a == b:
        return True
    return a.is_int_or_uint() and b.is_int_or_uint() and a.bits == b.bits


def same_bits(a: Type, b: Type) -> bool:
    """Whether one of two scalars may be seen as the other one: the bits of a float as an integer."""
    return a == b or (a.bits == b.bits and not a.is_bool() and not b.is_bool())
