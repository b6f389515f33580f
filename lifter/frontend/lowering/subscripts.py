"""Subscripts: elements of arrays, of arrays of pointers, and lanes of registers."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import I64, const, const_value
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import evaluated, function_pointers, register_operators
from lifter.frontend.objects import access, chosen_elements, parameters, pointers, taken_fields
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    ElementPlace,
    Place,
    Pointer,
    PointerArray,
    PointerElement,
    PointerPlace,
    Pointers,
    RowTable,
    Value,
)

K = CursorKind


def value(ctx: Context, c: Cursor) -> Value:
    """The value of a[i]."""
    if types.is_function_pointer(c.type):
        return function_pointers.element(ctx, c)
    if types.is_pointer(c.type):
        return _element_of_pointers(ctx, c)
    if types.is_array(c.type) and types.is_pointer(types.innermost(c.type)):
        return _row_of_pointers(ctx, c)
    if queries.is_lane(c):
        return register_operators.lane(ctx, c)
    return access.read(ctx, place(ctx, c, False), c)


def _row_of_pointers(ctx: Context, c: Cursor) -> Pointers:
    """A row of a local array of pointers of several dimensions."""
    array, index = operands(c)
    table, count = evaluated.array_of_pointers(ctx, array), types.count(c.type)
    if not isinstance(table, Pointers):
        ctx.fail("array of arrays of pointers to rows", c)
    number = const_value(evaluated.scalar(ctx, index))
    row = -1 if number is None else int(number)
    if not 0 <= row < len(table.places) // count:
        ctx.fail(f"row of the array of pointers '{table.name}' at an index that varies", c, "use one variable for each")
    return Pointers(table.places[row * count : (row + 1) * count], f"{table.name}[{row}]")


def _element_of_pointers(ctx: Context, c: Cursor) -> Value:
    """The value of an element; at an index that varies, a choice."""
    first, second = _array_and_index(c)
    table = evaluated.array_of_pointers(ctx, first)
    index = evaluated.scalar(ctx, second)
    if isinstance(table, RowTable):
        return pointers.row_of(table, index)
    if isinstance(table, PointerArray):
        return access.read(ctx, PointerElement(table.array, op.cast(index, I64), table.pointee, table.name), c)
    number = const_value(index)
    if number is not None:
        if table.given and len(table.places) <= number < taken_fields.MOST_POINTERS:
            raise parameters.Element(table.given, int(number))
        return access.read(ctx, pointers.numbered(ctx, c, table, int(number)), c)
    if table.given and not ctx.undecided:
        fixed = chosen_elements.place(ctx, table, index)
        if fixed is not None:
            return access.read(ctx, fixed, c)
        raise parameters.Tabled(table.given)
    chosen, *others = (access.read(ctx, p, c) for p in reversed(table.places))
    assert isinstance(chosen, Pointer)
    index = op.cast(index, I64)
    for k, v in zip(reversed(range(len(others))), others, strict=True):
        assert isinstance(v, Pointer)
        offset = op.select(op.binary("==", index, const(k, I64)), v.offset, chosen.offset)
        chosen = Pointer(v.targets | chosen.targets, offset, v.pointee, table.name)
    return chosen


def place(ctx: Context, c: Cursor, _temporary: bool) -> Place:
    """The object a[i]."""
    first, second = _array_and_index(c)
    if types.is_pointer(c.type):
        return _pointer_place(ctx, c, first, second)
    base = evaluated.pointer(ctx, first)
    held = ctx.hold_pointer(base)
    index = evaluated.scalar(ctx, second)
    return ElementPlace(pointers.advance(ctx, ctx.release_pointer(base, held), index, c))


def _array_and_index(c: Cursor) -> tuple[Cursor, Cursor]:
    """The operands of a[i], which may be written i[a]."""
    first, second = operands(c)
    if not (types.is_pointer(first.type) or types.is_array(first.type)):
        first, second = second, first
    return first, second


def _pointer_place(ctx: Context, c: Cursor, array: Cursor, index: Cursor) -> PointerPlace | PointerElement:
    """An element of a local array of pointers as an object."""
    table = evaluated.array_of_pointers(ctx, array)
    if isinstance(table, RowTable):
        ctx.fail("assignment to an array of pointers to rows", c)
    position = evaluated.scalar(ctx, index)
    number = const_value(position)
    if isinstance(table, PointerArray):
        return PointerElement(table.array, op.cast(ctx.settled(position), I64), table.pointee, table.name)
    if number is None and table.local and not ctx.undecided:
        raise parameters.Tabled(table.local)
    if number is None:
        ctx.fail(
            f"element of the array of pointers '{table.name}' at an index that varies", c, "use one variable for each"
        )
    return pointers.numbered(ctx, c, table, int(number))
