"""Objects read and written: scalars, pointers, registers, and structures field by field, with the arrays in them.

A structure's fields may be anything that has a value, structures too; so all that reads or writes one is here."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Load, Variable, const
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.objects import counted_loops, memory_views, pointers, registers, scalar_memory
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    NULL,
    Alias,
    Binding,
    BitsPlace,
    ElementPlace,
    Lambda,
    LanesPlace,
    PartPlace,
    Place,
    Pointer,
    PointerElement,
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
from lifter.ir.loop_ir import Store
from lifter.simd.lanes import Lanes, reinterpret

_BITS = ""
"""The only field of the value of a union whose members have several sizes."""


def read(ctx: Context, place: Place, at: Cursor | None = None) -> Value:
    """The value of an object; an array decays to a pointer to its first element."""
    if isinstance(place, VariablePlace):
        ctx.before_read(place.name)
        return Variable(place.type, place.name)
    if isinstance(place, PointerPlace):
        ctx.before_read(place.name)
        targets = ctx.targets.get(place.name, frozenset())
        return Pointer(targets, Variable(I64, place.name), place.pointee, place.spelling or place.name)
    if isinstance(place, PointerElement):
        targets = ctx.targets.get(place.array, frozenset())
        return Pointer(targets, Load(I64, place.array, place.index), place.pointee, place.name)
    if isinstance(place, LanesPlace):
        return registers.read(ctx, place)
    if isinstance(place, BitsPlace):
        ctx.before_read(place.name)
        return reinterpret(Variable(place.whole, place.name), place.type)
    if isinstance(place, PartPlace):
        return scalar_memory.read_part(ctx, place.pointer, at)
    if isinstance(place, RecordPlace) or classes.is_plain(place.pointer.pointee):
        return load(ctx, place, at)
    p = place.pointer
    if types.is_array(p.pointee):
        return replace(p, pointee=types.element(p.pointee))
    if types.register_bytes(p.pointee):
        return registers.load(ctx, p, types.register_bytes(p.pointee), at)
    if types.is_pointer(p.pointee):
        ctx.fail("array of pointers", at)
    return scalar_memory.read_as(ctx, p, queries.element_type(ctx, p.pointee, at), at)


def write(ctx: Context, place: Place, value: Value, at: Cursor | None = None) -> None:
    """Emit the assignment of a value, already converted to the object's type."""
    if isinstance(place, VariablePlace):
        assert isinstance(value, Expr)
        ctx.assign(place.name, value)
        return
    if isinstance(place, PointerPlace):
        if not isinstance(value, Pointer):
            ctx.fail(f"{queries.describe(place.pointee)} whose address is kept", at)
        ctx.assign_pointer(place.name, value, at)
        if ctx.alive:
            ctx.point(place.name, value.targets)
        return
    if isinstance(place, PointerElement):
        if not isinstance(value, Pointer):
            ctx.fail(f"{queries.describe(place.pointee)} whose address is kept", at)
        ctx.emit(Store(ctx.line, place.array, place.index, value.offset))
        if ctx.alive:  # other elements may point elsewhere
            ctx.point(place.array, value.targets | ctx.targets.get(place.array, frozenset()))
        return
    if isinstance(place, LanesPlace):
        assert isinstance(value, Lanes)
        registers.write(ctx, place, value)
        return
    if isinstance(place, BitsPlace):
        assert isinstance(value, Expr)
        ctx.assign(place.name, reinterpret(value, place.whole))
        return
    if isinstance(place, PartPlace):
        assert isinstance(value, Expr)
        scalar_memory.write_part(ctx, place.pointer, value, at)
        return
    if isinstance(value, Record):
        store(ctx, place, value, at)
        return
    if isinstance(place, RecordPlace):
        fail_assignment(ctx, place.type, at)
    p = place.pointer
    if isinstance(value, Lanes):
        registers.store(ctx, p, value, at)
        return
    if types.is_array(p.pointee) or types.is_pointer(p.pointee):
        fail_assignment(ctx, p.pointee, at)
    assert isinstance(value, Expr)
    scalar_memory.write_as(ctx, p, queries.element_type(ctx, p.pointee, at), value, at)


def fail_assignment(ctx: Context, t: ClangType, at: Cursor | None) -> NoReturn:
    """Refuses an assignment to an object of a type."""
    ctx.fail(f"assignment to an object of type '{t.spelling}'", at)


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
        return Record({_BITS: scalar_memory.read_as(ctx, p, bits, at)}, types.canonical(p.pointee))
    out: dict[str, Value] = {}
    for f in classes.own_fields(ctx, p.pointee, at):
        inner = memory_views.field_of(ctx, p, f, at)
        out[f.spelling] = inner if types.is_array(inner.pointee) else read(ctx, ElementPlace(inner), at)
    return Record(out, types.canonical(p.pointee))


def _load_field(ctx: Context, b: Binding, at: Cursor | None) -> Value:
    if isinstance(b, Alias):
        return b.value
    if isinstance(b, ElementPlace) and types.is_array(b.pointer.pointee):
        return b.pointer
    return read(ctx, b, at)


def _bits(t: ClangType) -> Type | None:
    """What a union whose members have several sizes is copied as."""
    size = int(t.get_size())
    if not classes.is_union(t) or classes.is_one_size(t):
        return None
    return UInt(8 * size) if size in (1, 2, 4, 8) and classes.is_trivial(t) else None


def store(ctx: Context, place: Place, v: Record, at: Cursor | None) -> None:
    """place = v; a base class's value fills the base class's fields."""
    if isinstance(place, ElementPlace) and _BITS in v.fields:
        bits = _kept(ctx, v.fields[_BITS])
        assert isinstance(bits, Expr)
        scalar_memory.write_as(ctx, place.pointer, bits.type, bits, at)
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
                write(ctx, target, read(ctx, source, at), at)
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
        copy(ctx, replace(b.pointer, pointee=each), replace(v, pointee=each), count, _known(at))
        return
    if isinstance(v, Pointer) and v.targets == {NULL} and isinstance(b, VariablePlace):
        ctx.fail("pointer kept in a number", at)
    write(ctx, b, v, at)


def _known(at: Cursor | None) -> Cursor:
    assert at is not None
    return at


def copy(ctx: Context, target: Pointer, source: Pointer, count: Expr, at: Cursor, backwards_safe: bool = False) -> None:
    """target[0 .. count) = source[0 .. count), first element first."""
    a, b = ctx.array_of(target, at), ctx.array_of(source, at)
    if a == b and backwards_safe:
        ctx.fail("memmove within one array", at)
    element = queries.element_type(ctx, target.pointee, at)
    target = replace(target, offset=counted_loops.simplified(ctx, target.offset))
    source = replace(source, offset=counted_loops.simplified(ctx, source.offset))
    name, counter, count = counted_loops.counted(ctx, count)
    with ctx.collecting() as body:
        v = read(ctx, ElementPlace(pointers.advance(ctx, source, counter, at)), at)
        assert isinstance(v, Expr)
        place = ElementPlace(pointers.advance(ctx, target, counter, at))
        write(ctx, place, op.cast(v, element), at)
    counted_loops.emit_loop(ctx, name, count, body)


def fill(ctx: Context, p: Pointer, count: Expr, value: Expr) -> None:
    """p[0 .. count) = value, which no store of the loop changes."""
    element = queries.element_type(ctx, p.pointee)
    p = replace(p, offset=counted_loops.simplified(ctx, p.offset))
    name, counter, count = counted_loops.counted(ctx, count)
    target = ElementPlace(pointers.advance(ctx, p, counter, None))
    with ctx.collecting() as body:
        write(ctx, target, op.cast(value, element))
    counted_loops.emit_loop(ctx, name, count, body)


def temporary(ctx: Context, v: Expr) -> Place:
    """A fresh object for a value."""
    name = ctx.new_local("t", v.type)
    ctx.assign(name, v)
    return VariablePlace(name, v.type)
