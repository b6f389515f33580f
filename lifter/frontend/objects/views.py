"""Objects seen as another class: as the structure that they begin with, or as one that begins with them, which is how C
programs derive classes; and what a `void *` of the caller's leads to."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Variable, const_value
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import declared_fields
from lifter.frontend.objects import memory_views
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.values import Pointer, RecordPlace, RecordPointer


class Viewed(Again):
    """An object of the caller's is of another class than its declaration says: what names of its fields begin with,
    and the class."""

    def __init__(self, prefix: str, type_: ClangType) -> None:
        super().__init__(prefix)
        self.prefix, self.type = prefix, type_


def as_class(ctx: Context, v: RecordPointer, target: ClangType, at: Cursor) -> RecordPointer:
    """A pointer to an object as one to `target`.  Raises Viewed where the object must be one, and Unsupported where it
    is neither part of the other."""
    place = v.place
    while True:
        if types.same_but_const(place.type, target) or _is_base(target, place.type):
            return replace(v, place=place)
        if place.whole is None:
            break
        place = place.whole
    inner = _beginning(place, target)
    if inner is not None:
        return RecordPointer(replace(inner, address=place.address), v.address)
    if place.prefix and place.given and _begins_with(target, place.type) and _is_new(ctx, place.prefix, target):
        raise Viewed(place.prefix, target)
    ctx.fail(f"pointer cast from '{place.type.spelling} *' to '{target.spelling} *'", at)


def of_memory(ctx: Context, v: Pointer, target: ClangType) -> None:
    """Raises Viewed where a `void *` of the caller's, or a pointer to what `target` begins with, is made a pointer to a
    class that is followed field by field."""
    if not classes.is_plain(target) or len(v.targets) != 1 or memory_views.lies_in_arrays(ctx, target):
        return
    (array,) = v.targets
    fixed = isinstance(v.offset, Variable) and v.offset.name == array and array in ctx.fixed
    if array not in ctx.pointer_parameters or not (fixed or const_value(v.offset) == 0):
        return
    leads = (types.is_void(v.pointee) and array in ctx.untyped) or _begins_with(target, v.pointee)
    if leads and _is_new(ctx, f"{array}_", target):
        raise Viewed(f"{array}_", target)


def _is_new(ctx: Context, prefix: str, target: ClangType) -> bool:
    """Whether it is not known yet that an object is of a class: what is known and did not help is not asked again."""
    known = ctx.found.viewed.get(prefix)
    return known is None or not types.same_but_const(known, target)


def _is_base(part: ClangType, whole: ClangType) -> bool:
    """Whether a class is a base class of another one, whose fields have names of their own."""
    return any(
        base is not None and (types.same_but_const(base, part) or _is_base(part, base)) for base in classes.bases(whole)
    )


def _beginning(place: RecordPlace, target: ClangType) -> RecordPlace | None:
    """The structure of class `target` that lies at the start of an object."""
    for field in _at_start(place.type):
        inner = place.fields.get(field.spelling)
        if not isinstance(inner, RecordPlace):
            continue
        inner = replace(inner, whole=place)
        found = inner if types.same_but_const(inner.type, target) else _beginning(inner, target)
        if found is not None:
            return found
    return None


def _begins_with(whole: ClangType, part: ClangType) -> bool:
    """Whether a structure has one of class `part` at its start."""
    inner = (field.type for field in _at_start(whole) if types.is_record(field.type))
    return any(types.same_but_const(t, part) or _begins_with(t, part) for t in inner)


def _at_start(t: ClangType) -> list[Cursor]:
    """The fields that lie where an object begins: the first one, if no pointer to virtual functions does, or all of a
    union."""
    if classes.bases(t):
        return []
    own = types.canonical(t)
    return [f for f in declared_fields(own) if f.spelling and own.get_offset(f.spelling) == 0]
