"""Reading, writing, converting and comparing objects and pointers."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import BOOL, I64, NE, Expr, Load, Variable, const, const_value, make_bool
from halide_core.ir.types import Type, UInt
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.queries import describe, element_type, scalar_type
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context
from lifter.frontend.objects import aligned_memory, memory_views, records, registers
from lifter.frontend.objects.values import (
    ADDRESS,
    NULL,
    Allocation,
    BitsPlace,
    ElementPlace,
    Lambda,
    LanesPlace,
    Nothing,
    Place,
    Pointer,
    PointerAddress,
    PointerPlace,
    Pointers,
    Record,
    RecordPlace,
    RecordPointer,
    Rows,
    Value,
    VariablePlace,
    Vector,
)
from lifter.ir.loop_ir import Store
from lifter.simd.lanes import Lanes, reinterpret


def view(e: Expr, to: Type) -> Expr:
    """The same bits, read as the other signedness (a wrapping cast), or as a float's."""
    return reinterpret(e, to) if e.type.is_float() != to.is_float() else op.cast(e, to)


def read(ctx: Context, place: Place, at: Cursor | None = None) -> Value:
    """The value of an object; an array decays to a pointer to its first element."""
    if isinstance(place, VariablePlace):
        ctx.before_read(place.name)
        return Variable(place.type, place.name)
    if isinstance(place, PointerPlace):
        ctx.before_read(place.name)
        targets = ctx.targets.get(place.name, frozenset())
        return Pointer(targets, Variable(I64, place.name), place.pointee, place.spelling or place.name)
    if isinstance(place, LanesPlace):
        return registers.read(place)
    if isinstance(place, BitsPlace):
        ctx.before_read(place.name)
        return reinterpret(Variable(place.whole, place.name), place.type)
    if isinstance(place, RecordPlace) or classes.is_plain(place.pointer.pointee):
        return records.load(ctx, place, at)
    p = place.pointer
    if types.is_array(p.pointee):
        return replace(p, pointee=types.element(p.pointee))
    if types.register_bytes(p.pointee):
        return registers.load(ctx, p, types.register_bytes(p.pointee), at)
    if types.is_pointer(p.pointee):
        ctx.fail("array of pointers", at)
    return read_as(ctx, p, element_type(ctx, p.pointee, at), at)


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
        return memory_views.bytes_of(whole, p.offset, wanted)
    count = _units_of_scalar(ctx, array, wanted, at)
    if count > 1:
        return memory_views.read(ctx, array, p.offset, wanted, count)
    return view(Load(ctx.arrays[array], array, p.offset), wanted)


def write(ctx: Context, place: Place, value: Value, at: Cursor | None = None) -> None:
    """Emit the assignment of a value, already converted to the object's type."""
    if isinstance(place, VariablePlace):
        assert isinstance(value, Expr)
        ctx.assign(place.name, value)
        return
    if isinstance(place, PointerPlace):
        if not isinstance(value, Pointer):
            ctx.fail(f"{describe(place.pointee)} whose address is kept", at)
        ctx.assign(place.name, value.offset)
        if ctx.alive:
            ctx.point(place.name, value.targets)
        return
    if isinstance(place, LanesPlace):
        assert isinstance(value, Lanes)
        registers.write(ctx, place, value)
        return
    if isinstance(place, BitsPlace):
        assert isinstance(value, Expr)
        ctx.assign(place.name, reinterpret(value, place.whole))
        return
    if isinstance(value, Record):
        records.store(ctx, place, value, at)
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
    write_as(ctx, p, element_type(ctx, p.pointee, at), value, at)


def write_as(ctx: Context, p: Pointer, wanted: Type, value: Expr, at: Cursor | None) -> None:
    """Emits the store of a scalar of a type where a pointer points to."""
    array = ctx.array_of(p, at)
    if array.startswith("&"):
        ctx.before_write(array[1:])
        whole = _scalar(ctx, array, wanted, at)
        is_whole = _is_whole(ctx, p, whole, wanted, at)
        new = view(value, whole.type) if is_whole else memory_views.with_bytes(whole, p.offset, op.cast(value, wanted))
        ctx.assign(array[1:], new)
        return
    if array in ctx.tables or array in ctx.const_arrays:
        ctx.fail(f"write to the constant array '{array}'", at)
    count = _units_of_scalar(ctx, array, wanted, at)
    if count > 1:
        memory_views.write(ctx, array, p.offset, value, count)
        return
    ctx.emit(Store(ctx.line, array, p.offset, view(value, ctx.arrays[array])))


def fail_assignment(ctx: Context, t: ClangType, at: Cursor | None) -> NoReturn:
    """Refuses an assignment to an object of a type."""
    ctx.fail(f"assignment to an object of type '{t.spelling}'", at)


def _units_of_scalar(ctx: Context, array: str, wanted: Type, at: Cursor | None) -> int:
    ctx.used_as.setdefault(array, set()).add(wanted)
    return 1 if _same_width(ctx.arrays[array], wanted) else memory_views.parts(ctx, array, wanted, at)


def _scalar(ctx: Context, array: str, wanted: Type, at: Cursor | None) -> Variable:
    """The scalar local or parameter behind the target "&x", of which `wanted` is the whole or the low part."""
    type_ = ctx.locals.get(array[1:]) or ctx.parameters[array[1:]]
    if not _same_bits(type_, wanted) and not (_integers(type_, wanted) and wanted.bits < type_.bits):
        ctx.fail(f"the scalar '{array[1:]}' of type {type_} used as {wanted}", at)
    return Variable(type_, array[1:])


def _is_whole(ctx: Context, p: Pointer, whole: Variable, wanted: Type, at: Cursor | None) -> bool:
    """Whether a pointer to a scalar variable points to all of it; else to bytes that lie inside."""
    offset, size = const_value(p.offset), whole.type.bytes()
    same = _same_bits(whole.type, wanted)
    within = offset is None or 0 <= int(offset) <= size - wanted.bytes()
    if offset != 0 and (same or not within or not all(t.startswith("&") for t in p.targets)):
        ctx.fail(f"pointer arithmetic on the address of the scalar '{whole.name}'", at)
    return same


def convert(ctx: Context, v: Value, to: ClangType, at: Cursor) -> Value:
    """A value converted to a C++ type."""
    if types.is_void(to):
        return Nothing()
    if types.is_pointer(to) or types.is_function(to):
        return to_pointer(ctx, v, to, at)
    if isinstance(v, RecordPointer | PointerAddress):
        return is_not_null(ctx, v, at) if scalar_type(ctx, to, at).is_bool() else ctx.fail(describe(to), at)
    if isinstance(v, Vector | Rows | Lambda | Nothing | Lanes | Pointers | Record):
        return v
    if isinstance(v, Allocation):
        ctx.fail("result of malloc that is not cast to a pointer to elements", at)
    if isinstance(v, Pointer):
        if types.is_array(to):
            return v
        type_ = scalar_type(ctx, to, at)
        if type_.is_bool():
            return is_not_null(ctx, v, at)
        return op.cast(ctx.address(v, at), type_)
    return op.cast(v, scalar_type(ctx, to, at))


def to_pointer(ctx: Context, v: Value, to: ClangType, at: Cursor) -> Value:
    """A value converted to a pointer type; the kind of the elements may not change, but for their signedness."""
    if types.is_function(to):
        return v
    target = types.pointee(to)
    if isinstance(v, Pointers):
        if not types.is_pointer(types.innermost(target)):
            ctx.fail(f"array of pointers converted to '{to.spelling}'", at)
        return v
    if isinstance(v, PointerAddress):
        if not _is_same_pointer(v.place.pointee, target):
            ctx.fail(f"address of the pointer '{v.place.spelling or v.place.name}' converted to '{to.spelling}'", at)
        return v
    if isinstance(v, RecordPointer):
        if not classes.is_plain(target):
            first = records.only_array(v.place)
            if first is not None and types.scalar(target) == ctx.arrays.get(next(iter(first.targets))):
                return replace(first, pointee=target)
            ctx.fail(f"pointer cast from '{v.place.type.spelling} *' to '{to.spelling}'", at)
        return v
    if isinstance(v, Allocation):
        return v if types.is_void(target) else _allocated(ctx, v, target, at)
    if isinstance(v, Expr) and const_value(v) == 0 and v.type.is_int_or_uint():
        return ctx.null_pointer(target)
    if not isinstance(v, Pointer):
        if isinstance(v, Lambda):
            ctx.fail("lambda converted to a function pointer", at)
        if isinstance(v, Expr) and v.type.is_int_or_uint() and v.type.bits == 64:
            memory = aligned_memory.allocation(ctx, v, at)
            if memory is not None:
                return to_pointer(ctx, memory, to, at)
            return Pointer(frozenset({ADDRESS}), op.cast(v, I64), target)
        ctx.fail(f"cast of a number to a pointer '{to.spelling}'", at)
    if target.is_volatile_qualified():
        ctx.fail("volatile object", at, "volatile accesses cannot be reordered or removed")
    if ctx.undecided:
        return replace(v, pointee=target)
    if types.is_void(target) or types.is_function(target):
        return v
    byte = types.scalar(types.innermost(v.pointee))
    if types.is_void(v.pointee) or (byte is not None and byte.bits == 8):
        _typed(ctx, v, target)
    if types.is_void(v.pointee):
        if not any(t in ctx.arrays and t not in ctx.untyped for t in v.targets):
            return replace(v, pointee=target)
        v = replace(v, pointee=target)
    if v.targets == {NULL}:
        return ctx.null_pointer(target)
    if v.targets == {ADDRESS}:
        return replace(v, pointee=target)
    if types.register_bytes(types.innermost(v.pointee)) or types.register_bytes(types.innermost(target)):
        return replace(v, pointee=target)
    old, new = types.scalar(types.innermost(v.pointee)), types.scalar(types.innermost(target))
    if types.is_record(types.innermost(v.pointee)) or types.is_record(types.innermost(target)):
        _check_scalars(ctx, v.pointee, target, to, at)
    elif new is not None and (all(ctx.arrays.get(t) == new for t in v.targets) or _of_scalars(v, old, new)):
        return replace(v, pointee=target)
    elif old is None or new is None or not (_same_width(old, new) or _integers(old, new)):
        if old is not None and new is not None and not new.is_bool():
            _wider(ctx, v, old, new)
            if _same_bits(old, new) and not v.targets & ctx.pointer_parameters:
                return replace(v, pointee=target)  # for registers; what reads a scalar of it looks at the array's type
        source = types.innermost(v.pointee).spelling if types.is_array(v.pointee) else v.pointee.spelling
        ctx.fail(f"pointer cast from '{source} *' to '{to.spelling}'", at)
    return replace(v, pointee=target)


def _is_same_pointer(pointee: ClangType, target: ClangType) -> bool:
    """Whether a pointer variable is seen as what it is, but for `const`."""
    if not types.is_pointer(target):
        return False
    own, seen = (t.get_canonical().spelling.removeprefix("const ") for t in (pointee, types.pointee(target)))
    return bool(own == seen)


def _wider(ctx: Context, v: Pointer, old: Type, new: Type) -> None:
    """Bytes that the caller gives, used as something else, may be nothing but that."""
    for array in v.targets & ctx.pointer_parameters - ctx.mixed:
        if array not in ctx.allocated and old.is_int_or_uint() and new.bytes() >= old.bytes():
            raise memory_views.Retyped(array, new)


def _check_scalars(ctx: Context, source: ClangType, target: ClangType, to: ClangType, at: Cursor) -> None:
    found = memory_views.scalars_inside(ctx, source, at) | memory_views.scalars_inside(ctx, target, at)
    if len(found) > 1 and any(t.is_float() or t.is_bool() for t in found):
        ctx.fail(f"pointer cast from '{source.spelling} *' to '{to.spelling}'", at)


def _integers(a: Type, b: Type) -> bool:
    return a.is_int_or_uint() and b.is_int_or_uint() and not a.is_bool() and not b.is_bool()


def _same_width(a: Type, b: Type) -> bool:
    if a == b:
        return True
    return a.is_int_or_uint() and b.is_int_or_uint() and a.bits == b.bits


def _of_scalars(v: Pointer, old: Type | None, new: Type) -> bool:
    """Whether a pointer to a scalar variable becomes one to its bits."""
    return old is not None and _same_bits(old, new) and all(t.startswith("&") for t in v.targets)


def _same_bits(a: Type, b: Type) -> bool:
    """Whether one of two scalars may be seen as the other one: the bits of a float as an integer."""
    return a == b or (a.bits == b.bits and not a.is_bool() and not b.is_bool())


def _typed(ctx: Context, v: Pointer, target: ClangType) -> None:
    """What a pointer to allocated bytes is cast to says which elements the memory has; bytes say nothing."""
    found = types.scalar(types.innermost(target))
    if found is None or found.bits <= 8:
        return
    for array in v.targets & ctx.untyped - ctx.mixed:
        if array not in ctx.allocated:
            raise memory_views.Retyped(array, found)


def kept(ctx: Context, v: Value, to: ClangType) -> Value:
    """A value about to be kept in a variable of type `to`: allocated memory whose elements are not known yet becomes an
    array of bytes, until the pointer is cast."""
    return _kept(ctx, v, types.pointee(to), UInt(8)) if isinstance(v, Allocation) else v


def _kept(ctx: Context, v: Allocation, pointee: ClangType, byte: Type) -> Pointer:
    array = ctx.new_array(ctx.array_hint or "memory", byte)
    ctx.heap.add(array)
    found, narrow = ctx.allocated.get(array), ctx.unit_bytes.get(array)
    site = ctx.site()
    ctx.sites_of[array] = site
    if found is None and site in ctx.sites.types:
        found, narrow = ctx.sites.types[site], ctx.sites.bytes_each.get(site)
        ctx.sites.used = True
    if found is not None:
        ctx.arrays[array] = found
        if narrow is not None and narrow < found.bytes():
            ctx.arrays[array] = UInt(8 * narrow)
        ctx.declared_bytes[array] = ctx.arrays[array].bytes()
    else:
        ctx.untyped.add(array)
    each = ctx.arrays[array].bytes()
    size = elements_of(v.bytes, each)
    if size is None:
        size = op.binary("/", v.bytes, const(each, UInt(64)))
    ctx.declare_array(array, op.cast(size, I64), v.zeroed)
    ctx.note("memory allocation is assumed to succeed")
    return ctx.start(array, pointee)


def _allocated(ctx: Context, v: Allocation, target: ClangType, at: Cursor) -> Pointer:
    type_ = element_type(ctx, target, at)
    if type_.bits == 8:  # bytes may be anything yet
        return _kept(ctx, v, target, type_)
    size = elements_of(v.bytes, type_.bytes())
    if size is None:
        size = op.binary("/", v.bytes, const(type_.bytes(), UInt(64)))
    array = ctx.new_array(ctx.array_hint, type_)
    ctx.heap.add(array)
    ctx.declare_array(array, op.cast(size, I64), v.zeroed)
    ctx.note("memory allocation is assumed to succeed")
    return ctx.start(array, target)


def elements_of(size: Expr, bytes_each: int) -> Expr | None:
    """A size in bytes (uint64) divided by the size of an element, where that is seen to be exact."""
    from halide_core.ir.expr import Add, Mul, Sub

    if bytes_each == 1:
        return size
    value = const_value(size)
    if value is not None:
        return const(int(value) // bytes_each, size.type) if value % bytes_each == 0 else None
    if isinstance(size, Mul):
        for inner, other, swap in ((size.b, size.a, False), (size.a, size.b, True)):
            divided = elements_of(inner, bytes_each)
            if divided is not None:
                if const_value(divided) == 1:
                    return other
                return op.binary("*", divided, other) if swap else op.binary("*", other, divided)
    if isinstance(size, Add | Sub):
        a, b = elements_of(size.a, bytes_each), elements_of(size.b, bytes_each)
        if a is not None and b is not None:
            return op.binary("+" if isinstance(size, Add) else "-", a, b)
    return None


def advance(ctx: Context, p: Pointer, index: Expr, at: Cursor | None, back: bool = False) -> Pointer:
    """p + index or p - index in units of what p points to."""
    if ctx.undecided:
        return p
    distance = _whole_units(ctx, p, index)
    if distance is None:
        n = memory_views.units(ctx, p, at)
        if n < 0:
            ctx.fail("arithmetic on a pointer to an array of variable size", at)
        distance = op.offset_scaled(op.cast(index, I64), n)
    if back:
        offset = p.offset if const_value(distance) == 0 else op.binary("-", p.offset, distance)
    else:
        offset = op.offset_sum(p.offset, distance)
    return replace(p, offset=offset)


def _whole_units(ctx: Context, p: Pointer, index: Expr) -> Expr | None:
    """A number of bytes in units of allocated memory of wider elements, where that is seen to be exact."""
    found = types.scalar(types.innermost(p.pointee))
    each = {ctx.arrays[t].bytes() for t in p.targets if t in ctx.arrays}
    if found is None or found.bits != 8 or types.is_array(p.pointee) or len(each) != 1 or each == {1}:
        return None
    (size,) = each
    return elements_of(op.cast(index, I64), size)


def is_not_null(ctx: Context, p: Pointer | RecordPointer | PointerAddress, at: Cursor) -> Expr:
    """Whether a pointer is not null: known for local arrays, asked of the caller's address for parameters."""
    if isinstance(p, RecordPointer):
        here = Variable(UInt(64), f"addr.{p.address}")
        return NE(BOOL, here, const(0, UInt(64))) if p.address else make_bool(True)
    if isinstance(p, PointerAddress):
        return make_bool(True)
    if ctx.undecided:
        return Variable(BOOL, ctx.new_local("either", BOOL))
    if p.targets == {NULL}:
        return make_bool(False)
    if p.targets == {ADDRESS}:
        return op.to_bool(p.offset)
    if NULL not in p.targets and p.targets and all(t not in ctx.pointer_parameters for t in p.targets):
        return make_bool(True)
    array = ctx.array_of(p, at)
    if NULL in p.targets:
        ctx.fail(f"null check of pointer {p.name or 'expression'} that is null on some paths only", at)
    if array not in ctx.pointer_parameters:
        return make_bool(True)
    # Arithmetic on a null pointer is undefined, so only the array's own address counts.
    return NE(BOOL, Variable(UInt(64), f"addr.{array}"), const(0, UInt(64)))


def compare(ctx: Context, operator: str, a: Pointer, b: Pointer, at: Cursor) -> Expr:
    """A comparison of two pointers."""
    if ctx.undecided:
        return Variable(BOOL, ctx.new_local("either", BOOL))
    if operator in ("==", "!=") and (a.targets == {NULL} or b.targets == {NULL}):
        present = is_not_null(ctx, b if a.targets == {NULL} else a, at)
        return present if operator == "!=" else op.negate(present)
    if NULL in a.targets | b.targets:
        ctx.fail("comparison of a pointer that may be null", at)
    if ADDRESS in a.targets | b.targets:
        return op.binary(operator, ctx.address(a, at), ctx.address(b, at))
    first, second = ctx.array_of(a, at), ctx.array_of(b, at)
    if first == second:
        return op.binary(operator, a.offset, b.offset)
    if first in ctx.pointer_parameters and second in ctx.pointer_parameters:
        ctx.compared.append((first, second))
        return op.binary(operator, ctx.address(a, at), ctx.address(b, at))
    if operator in ("==", "!=") and not {first, second} & set(ctx.tables):  # which the caller may have passed
        return make_bool(operator == "!=")
    ctx.fail(f"comparison of pointers into different arrays ({first} and {second})", at)


def difference(ctx: Context, a: Pointer, b: Pointer, at: Cursor) -> Expr:
    """a - b in units of what they point to (int64)."""
    first, second = ctx.array_of(a, at), ctx.array_of(b, at)
    if first != second:
        wrong = ctx.unsupported(f"difference of pointers into different arrays ({first} and {second})", at)
        if not {first, second} <= ctx.pointer_parameters:
            raise wrong
        ctx.compared.append((second, first))
        ctx.subtracted = ctx.subtracted or wrong
        return const(0, I64)  # until it is known which of them is the other's end
    distance = a.offset if const_value(b.offset) == 0 else op.binary("-", a.offset, b.offset)
    n = memory_views.units(ctx, a, at)
    return distance if n == 1 else op.binary("/", distance, const(n, I64))


def pointer_to(
    ctx: Context, place: Place, type_: ClangType, at: Cursor
) -> Pointer | RecordPointer | PointerAddress:
    """The address of an object of a C++ type."""
    if isinstance(place, RecordPlace):
        return RecordPointer(place)
    if isinstance(place, ElementPlace):
        return place.pointer
    if isinstance(place, BitsPlace):
        ctx.fail("address of a member of a union", at)
    if isinstance(place, PointerPlace):
        return PointerAddress(place)
    if isinstance(place, LanesPlace):
        registers.address(ctx, place, at)
    ctx.before_read(place.name)
    return Pointer(frozenset({f"&{place.name}"}), const(0, I64), type_.get_canonical())


def frozen(ctx: Context, p: Pointer, hint: str) -> Pointer:
    """The pointer with an offset that later assignments do not change."""
    if const_value(p.offset) is not None:
        return p
    return replace(p, offset=ctx.temporary(p.offset, hint or "p"))


def referred(ctx: Context, place: Place, hint: str) -> Place:
    """An object, whatever becomes of what its place was computed from."""
    if not isinstance(place, ElementPlace):
        return place
    return ElementPlace(frozen(ctx, replace(place.pointer, offset=ctx.settled(place.pointer.offset)), hint))


def numbered(ctx: Context, c: Cursor, table: Pointers, number: int) -> PointerPlace:
    if not 0 <= number < len(table.places):
        ctx.fail(f"element {number} of the array of pointers '{table.name}', which has {len(table.places)}", c)
    return table.places[number]
