"""Values converted to other types; pointers to allocated memory, which the first cast gives its elements."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, const, const_value
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.queries import describe, element_type, scalar_type
from lifter.frontend.objects import address_numbers, aligned_memory, memory_views, pointers, scalar_memory, views
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    ADDRESS,
    NULL,
    Allocation,
    ElementPlace,
    Lambda,
    Nothing,
    PartPointer,
    Place,
    Pointer,
    PointerAddress,
    PointerArray,
    Pointers,
    Record,
    RecordPlace,
    RecordPointer,
    Rows,
    RowTable,
    Value,
    Vector,
)
from lifter.simd.lanes import Lanes


def convert(ctx: Context, v: Value, to: ClangType, at: Cursor) -> Value:
    """A value converted to a C++ type."""
    if types.is_void(to):
        return Nothing()
    if types.is_pointer(to) or types.is_function(to):
        return to_pointer(ctx, v, to, at)
    whole = types.scalar(to)
    asked = isinstance(v, Pointers) and bool(v.address) and whole is not None and whole.is_bool()
    if asked or isinstance(v, RecordPointer | PointerAddress | RowTable):
        return pointers.is_not_null(ctx, v, at) if scalar_type(ctx, to, at).is_bool() else ctx.fail(describe(to), at)
    if isinstance(v, Vector | Rows | Lambda | Nothing | Lanes | Pointers | PointerArray | Record):
        return v
    if isinstance(v, Allocation):
        ctx.fail("result of malloc that is not cast to a pointer to elements", at)
    if isinstance(v, PartPointer):
        ctx.fail("address of part of an element as a number", at)
    if isinstance(v, Pointer):
        if types.is_array(to):
            return v
        type_ = scalar_type(ctx, to, at)
        if type_.is_bool():
            return pointers.is_not_null(ctx, v, at)
        return op.cast(ctx.address(v, at), type_)
    if types.is_array(to) and const_value(v) == 0:
        return v  # null, beside a parameter that is declared as an array
    return op.cast(v, scalar_type(ctx, to, at))


def to_pointer(ctx: Context, v: Value, to: ClangType, at: Cursor) -> Value:
    """A value converted to a pointer type; the kind of the elements may not change, but for their signedness."""
    if types.is_function(to):
        return v
    target = types.pointee(to)
    if isinstance(v, Pointer):
        return _cast(ctx, v, target, to, at)
    if isinstance(v, Pointers):
        if not types.is_pointer(types.innermost(target)):
            ctx.fail(f"array of pointers converted to '{to.spelling}'", at)
        return v
    if isinstance(v, PointerAddress):
        if not _is_same_pointer(v.place.pointee, target):
            ctx.fail(f"address of the pointer '{v.place.spelling or v.place.name}' converted to '{to.spelling}'", at)
        return v
    if isinstance(v, RowTable | PointerArray):
        if not types.is_pointer(target) or not types.same_but_const(v.pointee, types.pointee(target)):
            ctx.fail(f"pointers to rows converted to '{to.spelling}'", at)
        return v
    if isinstance(v, RecordPointer):
        if types.is_void(target):
            return v
        return views.as_class(ctx, v, target, at) if classes.is_plain(target) else _inside(ctx, v, target, to, at)
    if isinstance(v, Allocation):
        return v if types.is_void(target) else _allocated(ctx, v, target, at)
    if isinstance(v, PartPointer):
        if not types.same_but_const(v.whole.pointee, target):
            ctx.fail(f"pointer to part of an element converted to '{to.spelling}'", at)
        return v
    if isinstance(v, Lambda):
        ctx.fail("lambda converted to a function pointer", at)
    if isinstance(v, Expr) and v.type.is_int_or_uint() and const_value(v) == 0:
        return ctx.null_pointer(target)
    if isinstance(v, Expr) and v.type.is_int_or_uint() and v.type.bits == 64:
        memory = aligned_memory.allocation(ctx, v, at)
        if memory is not None:
            return to_pointer(ctx, memory, to, at)
        moved = address_numbers.pointer(ctx, v, target, at)
        if moved is not None:
            return moved
        return Pointer(frozenset({ADDRESS}), op.cast(v, I64), target)
    ctx.fail(f"cast of a number to a pointer '{to.spelling}'", at)


def _inside(ctx: Context, v: RecordPointer, target: ClangType, to: ClangType, at: Cursor) -> Pointer:
    """The address of a structure as that of the elements of the only array in it."""
    first = _only_array(v.place)
    if first is None or types.scalar(target) != ctx.arrays.get(next(iter(first.targets))):
        ctx.fail(f"pointer cast from '{v.place.type.spelling} *' to '{to.spelling}'", at)
    return replace(first, pointee=target)


def _cast(ctx: Context, v: Pointer, target: ClangType, to: ClangType, at: Cursor) -> Pointer:
    """A pointer into arrays as one to `target`, which `to` points to."""
    if target.is_volatile_qualified():
        ctx.fail("volatile object", at, "volatile accesses cannot be reordered or removed")
    if ctx.undecided:
        return replace(v, pointee=target)
    if types.is_void(target) or types.is_function(target):
        return v
    if types.is_void(v.pointee) or types.is_record(v.pointee):
        views.of_memory(ctx, v, target)
    byte = types.scalar(types.innermost(v.pointee))
    if types.is_void(v.pointee) or (byte is not None and byte.bits == 8):
        _typed(ctx, v, target)
    if types.is_void(v.pointee):
        if not any(t in ctx.arrays and t not in ctx.untyped for t in v.targets):
            return replace(v, pointee=target)
        v = replace(v, pointee=target)
    if v.targets == {NULL}:
        return ctx.null_pointer(target)
    if v.targets != {ADDRESS} and not any(types.register_bytes(types.innermost(t)) for t in (v.pointee, target)):
        _check_elements(ctx, v, target, to, at)
    return replace(v, pointee=target)


def _check_elements(ctx: Context, v: Pointer, target: ClangType, to: ClangType, at: Cursor) -> None:
    """Refuses elements of one type taken for those of another, where that is more than their bits."""
    own, wanted = types.innermost(v.pointee), types.innermost(target)
    if types.is_record(own) and types.same_but_const(own, wanted):
        return
    if types.is_record(wanted) and classes.is_union(wanted) and not types.is_record(own):
        memory_views.scalars_inside(ctx, wanted, at)
        return  # the member that is read says what the memory is taken for
    if types.is_record(own) or types.is_record(wanted):
        _check_scalars(ctx, v.pointee, target, to, at)
        return
    old, new = types.scalar(own), types.scalar(wanted)
    if new is not None and (all(ctx.arrays.get(t) == new for t in v.targets) or _of_scalars(v, old, new)):
        return
    if old is not None and new is not None:
        if scalar_memory.same_width(old, new) or scalar_memory.integers(old, new):
            return
        if new.bits == 8 and not new.is_bool():  # to move by bytes; what reads one looks at the array's type
            return
        if not new.is_bool():
            _wider(ctx, v, old, new)
            if scalar_memory.same_bits(old, new):
                return  # what reads a scalar of it looks at the array's type
            units = {ctx.arrays.get(a) for a in v.targets}
            if all(u is not None and scalar_memory.same_bits(u, new) for u in units):
                return  # bytes that were taken for such elements already
            if new.is_float() and all(u is not None and u.is_int_or_uint() and u.bits == 8 for u in units):
                return  # read and written byte by byte
    source = own.spelling if types.is_array(v.pointee) else v.pointee.spelling
    ctx.fail(f"pointer cast from '{source} *' to '{to.spelling}'", at)


def _only_array(place: Place) -> Pointer | None:
    """The array that a structure holds, if that is all of it: what its address points to too."""
    if not isinstance(place, RecordPlace) or len(place.fields) != 1:
        return None
    (b,) = place.fields.values()
    return b.pointer if isinstance(b, ElementPlace) and types.is_array(b.pointer.pointee) else None


def _is_same_pointer(pointee: ClangType, target: ClangType) -> bool:
    """Whether a pointer variable is seen as what it is, but for `const`."""
    if not types.is_pointer(target):
        return False
    own, seen = (t.get_canonical().spelling.removeprefix("const ") for t in (pointee, types.pointee(target)))
    return bool(own == seen)


def _wider(ctx: Context, v: Pointer, old: Type, new: Type) -> None:
    """Bytes that the caller gives, used as something else, may be nothing but that."""
    for array in v.targets & ctx.pointer_parameters - ctx.found.mixed:
        if array not in ctx.found.allocated and old.is_int_or_uint() and new.bytes() >= old.bytes():
            raise memory_views.Retyped(array, new)


def _check_scalars(ctx: Context, source: ClangType, target: ClangType, to: ClangType, at: Cursor) -> None:
    own, wanted = (memory_views.scalars_inside(ctx, t, at) for t in (source, target))
    found = own | wanted
    if all(scalar_memory.same_bits(a, b) for a in own for b in wanted):
        return  # what reads a scalar of it looks at the array's type
    if len(found) > 1 and any(t.is_float() or t.is_bool() for t in found):
        ctx.fail(f"pointer cast from '{source.spelling} *' to '{to.spelling}'", at)


def _of_scalars(v: Pointer, old: Type | None, new: Type) -> bool:
    """Whether a pointer to a scalar variable becomes one to its bits."""
    return old is not None and scalar_memory.same_bits(old, new) and all(t.startswith("&") for t in v.targets)


def _typed(ctx: Context, v: Pointer, target: ClangType) -> None:
    """What a pointer to allocated bytes is cast to says which elements the memory has; bytes say nothing."""
    found = types.scalar(types.innermost(target))
    if found is None or found.bits <= 8:
        return
    for array in v.targets & ctx.untyped - ctx.found.mixed:
        if array not in ctx.found.allocated:
            raise memory_views.Retyped(array, found)


def kept(ctx: Context, v: Value, to: ClangType) -> Value:
    """A value about to be kept in a variable of type `to`: allocated memory whose elements are not known yet becomes an
    array of bytes, until the pointer is cast."""
    return _kept(ctx, v, types.pointee(to), UInt(8)) if isinstance(v, Allocation) else v


def _kept(ctx: Context, v: Allocation, pointee: ClangType, byte: Type) -> Pointer:
    array = ctx.new_array(ctx.array_hint or "memory", byte)
    ctx.heap.add(array)
    found, narrow = ctx.found.allocated.get(array), ctx.found.unit_bytes.get(array)
    site = ctx.site()
    ctx.sites_of[array] = site
    if found is None and site in ctx.found.sites.types:
        found, narrow = ctx.found.sites.types[site], ctx.found.sites.bytes_each.get(site)
        ctx.found.sites.used = True
    if found is not None:
        ctx.arrays[array] = found
        if narrow is not None and narrow < found.bytes():
            ctx.arrays[array] = UInt(8 * narrow)
        ctx.declared_bytes[array] = ctx.arrays[array].bytes()
    else:
        ctx.untyped.add(array)
    each = ctx.arrays[array].bytes()
    size = pointers.elements_of(v.bytes, each)
    if size is None:
        size = op.binary("/", v.bytes, const(each, UInt(64)))
    ctx.declare_array(array, op.cast(size, I64), v.zeroed)
    ctx.note("memory allocation is assumed to succeed")
    return ctx.start(array, pointee)


def _allocated(ctx: Context, v: Allocation, target: ClangType, at: Cursor) -> Pointer:
    type_ = element_type(ctx, target, at)
    if type_.bits == 8:  # bytes may be anything yet
        return _kept(ctx, v, target, type_)
    size = pointers.elements_of(v.bytes, type_.bytes())
    if size is None:
        size = op.binary("/", v.bytes, const(type_.bytes(), UInt(64)))
    array = ctx.new_array(ctx.array_hint, type_)
    ctx.heap.add(array)
    ctx.declare_array(array, op.cast(size, I64), v.zeroed)
    ctx.note("memory allocation is assumed to succeed")
    return ctx.start(array, target)
