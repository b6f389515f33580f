"""Structures and classes that are not memory of the caller's: an object for each field, base classes' fields included.

A structure in an array (pixels, tables) stays memory, and is read and written field by field."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, const
from halide_core.ir.types import UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.objects import access, memory_views, registers
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Alias,
    Binding,
    BitsPlace,
    ElementPlace,
    Pointer,
    PointerPlace,
    Pointers,
    Record,
    RecordPlace,
    VariablePlace,
)

K = CursorKind


def create(ctx: Context, t: ClangType, hint: str, at: Cursor | None) -> RecordPlace:
    """A new object whose fields have no values yet."""
    place = RecordPlace({}, types.canonical(t))
    if classes.is_union(t):
        members = classes.own_fields(ctx, t, at)
        size = types.register_bytes(members[0].type)
        if size:
            # Its lanes are seen at any width: all members are one register.
            each = {types.register_element(f.type) for f in members}
            type_ = next(iter(each)) if len(each) == 1 else UInt(8 * max(e.bytes() for e in each))
            register = registers.new_place(ctx, hint or "bits", 8 * size, type_)
            place.fields.update({str(f.spelling): register for f in members})
            return place
        whole = UInt(8 * int(place.type.get_size()))
        name = ctx.new_local(hint or "bits", whole)
        for f in members:
            place.fields[f.spelling] = BitsPlace(name, whole, queries.scalar_type(ctx, f.type, at))
        return place
    for f in classes.own_fields(ctx, t, at):
        made = _new_field(ctx, f, f"{hint}_{f.spelling}" if hint else str(f.spelling), at)
        if made is not None:
            place.fields[f.spelling] = made
    return place


def _new_field(ctx: Context, f: Cursor, name: str, at: Cursor | None) -> Binding | None:
    t = f.type.get_canonical()
    if f.is_bitfield():
        ctx.fail(f"bit-field '{f.spelling}'", at)
    if t.is_volatile_qualified():
        ctx.fail(f"volatile field '{f.spelling}'", at)
    if types.is_reference(f.type) or classes.container(t) or classes.is_closure(t):
        return None  # bound when it is initialised
    if types.is_pointer(t):
        pointee = types.pointee(t)
        if types.is_pointer(pointee) or (classes.is_plain(pointee) and not _in_arrays(ctx, pointee)):
            return None
        local = ctx.new_local(name, I64)
        ctx.targets.pop(local, None)
        return PointerPlace(local, pointee, str(f.spelling))
    if types.is_array(t):
        return _new_array(ctx, f, name, at)
    if types.register_bytes(t):
        return registers.new_place(ctx, name, 8 * types.register_bytes(t), types.register_element(t))
    if types.is_record(t):
        return create(ctx, t, name, at)
    type_ = queries.scalar_type(ctx, t, at)
    return VariablePlace(ctx.new_local(name, type_), type_)


def _in_arrays(ctx: Context, t: ClangType) -> bool:
    """Whether structures of a type lie in arrays: scalars with a common unit."""
    return memory_views.lies_in_arrays(ctx, t)


def _new_array(ctx: Context, f: Cursor, name: str, at: Cursor | None) -> Binding:
    inner = types.innermost(f.type)
    count = types.count(f.type)
    if count < 0:
        ctx.fail(f"array '{f.spelling}' of variable size in a structure", at)
    if types.is_pointer(inner):
        if len(types.shape(f.type)) != 1:
            ctx.fail(f"array of pointers '{f.spelling}' of this shape", at)
        places = []
        for k in range(count):
            local = ctx.new_local(f"{name}_{k}", I64)
            ctx.targets.pop(local, None)
            places.append(PointerPlace(local, types.pointee(inner), f"{f.spelling}[{k}]"))
        return Alias(Pointers(tuple(places), str(f.spelling)))
    if types.register_bytes(inner):
        return registers.new_array(ctx, name, f, f"{name}.{registers.key(f)}")
    array = ctx.new_array(name, queries.element_type(ctx, f.type, at))
    ctx.declare_array(array, const(count, I64), False)
    return ElementPlace(Pointer(frozenset({array}), const(0, I64), f.type.get_canonical()))


def copied(ctx: Context, v: Record, hint: str, at: Cursor | None) -> RecordPlace:
    """A new object with a value."""
    place = create(ctx, v.type, hint, at)
    access.store(ctx, place, v, at)
    return place
