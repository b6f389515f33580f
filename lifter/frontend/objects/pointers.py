"""Pointers: made, moved, compared and subtracted."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import (
    BOOL,
    EQ,
    I32,
    I64,
    NE,
    Add,
    Cast,
    Div,
    Expr,
    Mod,
    Mul,
    Sub,
    Variable,
    const,
    const_value,
    make_bool,
)
from halide_core.ir.types import UInt
from lifter.frontend.clang import types
from lifter.frontend.objects import memory_views, registers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    ADDRESS,
    NULL,
    BitsPlace,
    ElementPlace,
    LanesPlace,
    PartPlace,
    PartPointer,
    Place,
    Pointer,
    PointerAddress,
    PointerPlace,
    Pointers,
    RecordPlace,
    RecordPointer,
    RowTable,
    Value,
)
from lifter.ir.loop_ir import NULL_RESULT


def elements_of(size: Expr, bytes_each: int) -> Expr | None:
    """A size in bytes (uint64) divided by the size of an element, where that is seen to be exact."""
    if bytes_each == 1:
        return size
    value = const_value(size)
    if value is not None:
        return const(int(value) // bytes_each, size.type) if value % bytes_each == 0 else None
    if isinstance(size, Cast) and size.type.bits == 64 and size.value.type.is_int() and size.value.type.bits >= 32:
        # Nothing wraps in what is converted, nor is any of it lost.
        inner_elements = elements_of(size.value, bytes_each)
        return None if inner_elements is None else op.cast(inner_elements, size.type)
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
    distance = op.cast(index, I64)
    exact = elements_of(distance, size)
    return exact if exact is not None else asked_quotient(ctx, distance, size)


def asked_quotient(ctx: Context, distance: Expr, size: int) -> Expr | None:
    """A distance in bytes over the size of an element, where it is made of parameters that may be asked to be multiples
    of it (the bytes from row to row); None where it is not.  What is unsigned and narrow may have wrapped."""
    if isinstance(distance, Cast) and distance.value.type in (I32, I64, UInt(64)):
        inner = asked_quotient(ctx, distance.value, size)
        return None if inner is None else op.cast(inner, distance.type)
    if distance.type not in (I32, I64, UInt(64)):
        return None
    value = const_value(distance)
    if value is not None:
        return const(int(value) // size, distance.type) if value % size == 0 else None
    if isinstance(distance, Variable):
        if distance.name not in ctx.parameters or not (distance.name in ctx.stable or distance.name in ctx.fixed):
            return None
        whole = const(size, distance.type)
        ctx.asked[distance.name] = EQ(BOOL, Mod(distance.type, distance, whole), const(0, distance.type))
        return Div(distance.type, distance, whole)
    if isinstance(distance, Mul):
        pairs = ((distance.b, distance.a), (distance.a, distance.b))
        for inner, other in sorted(pairs, key=lambda p: const_value(p[0]) is None):  # a constant asks for nothing
            divided = asked_quotient(ctx, inner, size)
            if divided is not None:
                return Mul(distance.type, other, divided)
    if isinstance(distance, Add | Sub):
        a, b = asked_quotient(ctx, distance.a, size), asked_quotient(ctx, distance.b, size)
        if a is not None and b is not None:
            return type(distance)(distance.type, a, b)
    return None


def is_not_null(ctx: Context, p: Value, at: Cursor) -> Expr:
    """Whether a pointer is not null: known for local arrays, asked of the caller's address for parameters."""
    if isinstance(p, RecordPointer | RowTable | Pointers):
        here = Variable(UInt(64), f"addr.{p.address}")
        return NE(BOOL, here, const(0, UInt(64))) if p.address else make_bool(True)
    if isinstance(p, PointerAddress):
        return make_bool(True)
    assert isinstance(p, Pointer)
    if ctx.undecided:
        return Variable(BOOL, ctx.new_local("either", BOOL))
    if p.targets == {NULL}:
        return make_bool(False)
    if p.targets == {ADDRESS}:
        return op.to_bool(p.offset)
    if NULL not in p.targets and p.targets and all(t not in ctx.pointer_parameters for t in p.targets):
        return make_bool(True)
    if NULL in p.targets:
        ctx.fork(p.targets)
    array, offset = ctx.array_of(p, at), ctx.with_null(p)
    if offset is None:
        ctx.fail(f"null check of pointer {p.name or 'expression'} that is null on some paths only", at)
    set_ = op.binary("!=", offset, const(NULL_RESULT, I64)) if NULL in p.targets else make_bool(True)
    if array not in ctx.pointer_parameters:
        return set_
    if array in ctx.row_tables:  # of which the first row, and that by others, is known alone
        ctx.fail(f"null check of a row of '{array}', an array of pointers", at)
    # Arithmetic on a null pointer is undefined, so only the array's own address counts.
    return op.conjunction(set_, NE(BOOL, Variable(UInt(64), f"addr.{array}"), const(0, UInt(64))))


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
    if isinstance(place, PartPlace):
        ctx.fail("address of part of an element", at)
    if isinstance(place, PointerPlace):
        return PointerAddress(place)
    if isinstance(place, LanesPlace):
        registers.address(ctx, place, at)
    ctx.before_read(place.name)
    return Pointer(frozenset({f"&{place.name}"}), const(0, I64), type_.get_canonical())


def row_of(table: RowTable, index: Expr) -> Pointer:
    """The row of a number."""
    row = op.offset_sum(table.first, op.cast(index, I64))
    offset = op.binary("*", row, Variable(I64, table.pitch)) if const_value(row) != 0 else const(0, I64)
    return Pointer(frozenset({table.array}), offset, table.pointee)


def frozen(ctx: Context, p: Pointer, hint: str) -> Pointer:
    """The pointer with an offset that later assignments do not change."""
    if const_value(p.offset) is not None:
        return p
    return replace(p, offset=ctx.temporary(p.offset, hint or "p"))


def frozen_part(ctx: Context, p: PartPointer, hint: str) -> PartPointer:
    """The same of a pointer to part of an element."""
    inside = p.inside if const_value(p.inside) is not None else ctx.temporary(ctx.settled(p.inside), hint or "p")
    return PartPointer(frozen(ctx, replace(p.whole, offset=ctx.settled(p.whole.offset)), hint), inside)


def referred(ctx: Context, place: Place, hint: str) -> Place:
    """An object, whatever becomes of what its place was computed from."""
    if isinstance(place, PartPlace):
        return PartPlace(frozen_part(ctx, place.pointer, hint))
    if not isinstance(place, ElementPlace):
        return place
    return ElementPlace(frozen(ctx, replace(place.pointer, offset=ctx.settled(place.pointer.offset)), hint))


def numbered(ctx: Context, c: Cursor, table: Pointers, number: int) -> PointerPlace:
    if not 0 <= number < len(table.places):
        ctx.fail(f"element {number} of the array of pointers '{table.name}', which has {len(table.places)}", c)
    return table.places[number]
