"""Members of objects: what `a.b`, `p->b` and `this` name."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import constants
from lifter.frontend.objects import memory_views, parameters
from lifter.frontend.state import descent
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Binding,
    ElementPlace,
    PartPlace,
    PartPointer,
    Place,
    Pointer,
    PointerAddress,
    RecordPlace,
    RecordPointer,
    Value,
)

K = CursorKind


def member(ctx: Context, c: Cursor) -> Binding:
    """What a member access names: `c` is the whole expression."""
    target = c.referenced
    if target is None:
        ctx.fail(f"access to the member '{c.spelling}' of an object", c)
    if target.kind is K.VAR_DECL:
        if any(map(queries.has_effects, operands(c))):
            ctx.fail(f"static member '{target.spelling}' of an object with side effects", c)
        return constants.binding(ctx, c)
    if target.kind is not K.FIELD_DECL:
        ctx.fail(f"access to the member '{c.spelling}' of an object", c)
    inner = operands(c)
    owner = object_of(ctx, inner[0]) if inner else this(ctx, c)
    return field(ctx, owner, target, c)


def field(ctx: Context, owner: Place, declaration: Cursor, at: Cursor) -> Binding:
    """A field of an object."""
    if isinstance(owner, RecordPlace):
        found = owner.fields.get(declaration.spelling)
        if found is None and parameters.may_reach(ctx, owner, declaration):
            raise parameters.Reached(f"{owner.prefix}{declaration.spelling}")
        if found is None:
            ctx.fail(f"field '{declaration.spelling}' of type '{declaration.type.spelling}' in a structure", at)
        return found
    if not isinstance(owner, ElementPlace):
        ctx.fail("member of an object of this form", at)
    return ElementPlace(memory_views.field_of(ctx, owner.pointer, declaration, at))


def this(ctx: Context, at: Cursor) -> Place:
    """The object that the member function being lowered belongs to."""
    found = ctx.frames[-1].this
    if found is None:
        ctx.fail("access to an object's members", at)
    return found


def pointee_place(ctx: Context, v: Value, at: Cursor) -> Place:
    """What a pointer to a structure points to."""
    if isinstance(v, RecordPointer | PointerAddress):
        return v.place
    if isinstance(v, Pointer):
        return ElementPlace(v)
    if isinstance(v, PartPointer):
        return PartPlace(v)
    ctx.fail(queries.describe(at.type), at)


def object_of(ctx: Context, c: Cursor) -> Place:
    """The object before `.` or `->`."""
    if types.is_pointer(c.type):
        return pointee_place(ctx, descent.value(ctx, c), c)
    return descent.place(ctx, c, temporary=True)


def pointer_to(ctx: Context, place: Place) -> Value:
    """The address of an object, as `this`."""
    return RecordPointer(place) if isinstance(place, RecordPlace) else _address(place)


def _address(place: Place) -> Value:
    assert isinstance(place, ElementPlace)
    return place.pointer
