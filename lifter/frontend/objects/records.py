"""Structures and classes that are not memory of the caller's: an object for each field, base classes' fields included.

A structure in an array (pixels, tables) stays memory, and is read and written field by field."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import constants, expressions, places
from lifter.frontend.lowering.context import Context
from lifter.frontend.objects import block_copies, memory_views, pointers, registers
from lifter.frontend.objects.values import (
    Alias,
    Binding,
    BitsPlace,
    ElementPlace,
    Lambda,
    Place,
    Pointer,
    PointerAddress,
    PointerPlace,
    Pointers,
    Record,
    RecordPlace,
    RecordPointer,
    Value,
    VariablePlace,
    expressions_of,
    with_expressions,
)

K = CursorKind

_BITS = ""
"""The only field of the value of a union whose members have several sizes."""


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


def only_array(place: Place) -> Pointer | None:
    """The array that a structure holds, if that is all of it: what its address points to too."""
    if not isinstance(place, RecordPlace) or len(place.fields) != 1:
        return None
    (b,) = place.fields.values()
    return b.pointer if isinstance(b, ElementPlace) and types.is_array(b.pointer.pointee) else None


def load(ctx: Context, place: Place, at: Cursor | None) -> Record:
    """The value of a structure: those of its fields."""
    if isinstance(place, RecordPlace):
        for name, b in place.fields.items():
            if isinstance(b, RecordPlace) and not classes.is_trivial(b.type):
                ctx.fail(f"copy of the field '{name}' of a class with a copy constructor or destructor of its own", at)
        found = {n: _load_field(ctx, b, at) for n, b in place.fields.items()}
        return Record(found, place.type)
    assert isinstance(place, ElementPlace)
    p = place.pointer
    bits = _bits(p.pointee)
    if bits is not None:
        return Record({_BITS: pointers.read_as(ctx, p, bits, at)}, types.canonical(p.pointee))
    out: dict[str, Value] = {}
    for f in classes.own_fields(ctx, p.pointee, at):
        inner = memory_views.field_of(ctx, p, f, at)
        out[f.spelling] = inner if types.is_array(inner.pointee) else pointers.read(ctx, ElementPlace(inner), at)
    return Record(out, types.canonical(p.pointee))


def _bits(t: ClangType) -> Type | None:
    """What a union whose members have several sizes is copied as."""
    size = int(t.get_size())
    if not classes.is_union(t) or classes.is_one_size(t):
        return None
    return UInt(8 * size) if size in (1, 2, 4, 8) and classes.is_trivial(t) else None


def _load_field(ctx: Context, b: Binding, at: Cursor | None) -> Value:
    if isinstance(b, Alias):
        return b.value
    if isinstance(b, ElementPlace) and types.is_array(b.pointer.pointee):
        return b.pointer
    return pointers.read(ctx, b, at)


def store(ctx: Context, place: Place, v: Record, at: Cursor | None) -> None:
    """place = v; a base class's value fills the base class's fields."""
    if isinstance(place, ElementPlace) and _BITS in v.fields:
        bits = _kept(ctx, v.fields[_BITS])
        assert isinstance(bits, Expr)
        pointers.write_as(ctx, place.pointer, bits.type, bits, at)
        return
    if isinstance(place, ElementPlace):
        visible = any(t in ctx.pointer_parameters for t in place.pointer.targets)
        if visible and classes.is_padded(ctx, place.pointer.pointee, at):
            ctx.fail(f"copy of a structure with padding, '{place.pointer.pointee.spelling}'", at, "copy its fields")
    held = [(n, ctx.hold_all(expressions_of(x)), x) for n, x in v.fields.items()]
    values = {n: with_expressions(x, ctx.release_all(h)) if h else x for n, h, x in reversed(held)}
    if isinstance(place, ElementPlace):
        # The stores must not change what the others still read.
        values = {n: _kept(ctx, x) for n, x in values.items()}
        for f in classes.own_fields(ctx, place.pointer.pointee, at):
            if f.spelling not in values:
                ctx.fail(f"copy of a structure whose field '{f.spelling}' is not known", at)
            _store_field(ctx, ElementPlace(memory_views.field_of(ctx, place.pointer, f, at)), values[f.spelling], at)
        return
    assert isinstance(place, RecordPlace)
    for n in v.fields:
        if n in place.fields:
            _store_known(ctx, place, n, values[n], at)
        else:
            place.fields[n] = bound(ctx, n, values[n], at)


def _kept(ctx: Context, v: Value) -> Value:
    if isinstance(v, Record):
        return Record({n: _kept(ctx, x) for n, x in v.fields.items()}, v.type)
    if isinstance(v, Expr) and queries.reads_memory(v):
        return ctx.temporary(v)
    return v


def _store_known(ctx: Context, place: RecordPlace, name: str, v: Value, at: Cursor | None) -> None:
    b = place.fields[name]
    if isinstance(b, Alias):
        if isinstance(b.value, Pointers) and isinstance(v, Pointers):
            for target, source in zip(b.value.places, v.places, strict=True):
                pointers.write(ctx, target, pointers.read(ctx, source, at), at)
            return
        own = b.value
        if own is v:
            return
        if isinstance(v, RecordPointer) and isinstance(own, RecordPointer) and own.place is v.place:
            return
        ctx.fail(f"assignment to the field '{name}' of this type", at)
    _store_field(ctx, b, v, at)


def bound(ctx: Context, name: str, v: Value, at: Cursor | None) -> Binding:
    """The first value of a field that has no object of its own."""
    if isinstance(v, RecordPointer | Lambda):
        return Alias(v)
    ctx.fail(f"copy of the field '{name}' of this type", at)


def _store_field(ctx: Context, b: Place, v: Value, at: Cursor | None) -> None:
    if isinstance(b, ElementPlace) and types.is_array(b.pointer.pointee):
        assert isinstance(v, Pointer)
        each = types.innermost(b.pointer.pointee)
        if types.register_bytes(each):
            registers.copy(ctx, b.pointer, v, at)
            return
        count = const(types.count(b.pointer.pointee), I64)
        block_copies.copy(ctx, replace(b.pointer, pointee=each), replace(v, pointee=each), count, _known(at))
        return
    if isinstance(v, Pointer) and v.targets == {""} and isinstance(b, VariablePlace):
        ctx.fail("pointer kept in a number", at)
    pointers.write(ctx, b, v, at)


def _known(at: Cursor | None) -> Cursor:
    assert at is not None
    return at


def copied(ctx: Context, v: Record, hint: str, at: Cursor | None) -> RecordPlace:
    """A new object with a value."""
    place = create(ctx, v.type, hint, at)
    store(ctx, place, v, at)
    return place


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
    ctx.fail(queries.describe(at.type), at)


def object_of(ctx: Context, c: Cursor) -> Place:
    """The object before `.` or `->`."""
    if types.is_pointer(c.type):
        return pointee_place(ctx, expressions.value(ctx, c), c)
    return places.place(ctx, c, temporary=True)


def pointer_to(ctx: Context, place: Place) -> Value:
    """The address of an object, as `this`."""
    return RecordPointer(place) if isinstance(place, RecordPlace) else _address(place)


def _address(place: Place) -> Value:
    assert isinstance(place, ElementPlace)
    return place.pointer
