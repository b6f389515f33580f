"""std::vector, std::array and std::unique_ptr of arrays as local arrays with a length; vectors of vectors as rows.

A vector of vectors is one array in which each row takes as many elements as every other: a row's length is a local of
`loop_ir.Define`, and so the same for all rows.  What copies in C++ is copied here, element by element."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.classes import argument, container
from lifter.frontend.objects import access, counted_loops, memory_views, pointers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Container, ElementPlace, Pointer, Rows, Value, Vector
from lifter.ir.loop_ir import Assert, Define

K = CursorKind


def element_of(ctx: Context, t: ClangType, at: Cursor | None) -> ClangType:
    """The elements of a container, of a vector of vectors those of its rows.

    Raises Unsupported for what no array has."""
    found = _element(ctx, t)
    if isinstance(found, str):
        ctx.fail(found, at)
    return found


def has_elements(ctx: Context, t: ClangType) -> bool:
    """Whether a container's elements are such that an array has them."""
    return not isinstance(_element(ctx, t), str)


def _element(ctx: Context, t: ClangType) -> ClangType | str:
    """A container's elements, or why no array has them."""
    element = argument(t)
    if container(t) == "rows":
        element = argument(element)
    if container(t) == "unique_ptr":
        if not types.is_array(element):
            return "std::unique_ptr to a single object"
        element = types.element(element)
    scalar = types.scalar(element)
    if scalar is not None and scalar.is_bool():
        return "std::vector<bool>"
    if not memory_views.lies_in_arrays(ctx, element) or not classes.is_trivial(element):
        return f"container of '{element.spelling}'"
    return element


def start(v: Vector) -> Pointer:
    """A pointer to the first element."""
    return Pointer(frozenset({v.array}), v.offset, v.element)


def row(ctx: Context, v: Rows, index: Expr, at: Cursor | None) -> Vector:
    """The row at an index, where it lies."""
    if not v.pitch_name and const_value(index) is not None:
        # A row of the caller's that is not there has no length either.
        ctx.emit(Assert(ctx.line, op.binary("<", op.cast(index, I64), v.count)))
    first = Pointer(frozenset({v.array}), const(0, I64), v.element)
    place = pointers.advance(ctx, first, op.binary("*", op.cast(index, I64), v.pitch), at)
    return Vector(v.array, v.pitch, v.element, "", place.offset, v.pitch_name or "!")


def copy_all(ctx: Context, target: Container, source: Container, at: Cursor) -> None:
    """The elements of one container into another of its kind."""
    if isinstance(target, Vector) and isinstance(source, Vector):
        copy(ctx, start(target), start(source), source.length, at)
    elif isinstance(target, Rows) and isinstance(source, Rows):
        ctx.emit(Define(ctx.line, target.pitch_name, source.pitch))

        def one(i: Expr) -> None:
            copy(ctx, start(row(ctx, target, i, at)), start(row(ctx, source, i, at)), source.pitch, at)

        counted_loops.each(ctx, source.count, one)
    else:
        ctx.fail("copy between containers of different kinds", at)


def copy(ctx: Context, target: Pointer, source: Pointer, count: Expr, at: Cursor | None) -> None:
    """target[0 .. count) = source[0 .. count), of scalars or structures."""

    def one(i: Expr) -> None:
        v = access.read(ctx, ElementPlace(pointers.advance(ctx, source, i, at)), at)
        if isinstance(v, Expr) and types.scalar(target.pointee) is not None:
            v = op.cast(v, queries.element_type(ctx, target.pointee, at))
        access.write(ctx, ElementPlace(pointers.advance(ctx, target, i, at)), v, at)

    counted_loops.each(ctx, counted_loops.simplified(ctx, count), one)


def fill(ctx: Context, p: Pointer, count: Expr, item: Value | None, at: Cursor | None) -> None:
    """p[0 .. count) = item, or zeros."""
    v = const(0, queries.element_type(ctx, p.pointee, at)) if item is None else item

    def one(i: Expr) -> None:
        access.write(ctx, ElementPlace(pointers.advance(ctx, p, i, at)), v, at)

    counted_loops.each(ctx, count, one)


def push(ctx: Context, v: Container, item: Value, at: Cursor) -> None:
    """v.push_back(item)."""
    if not v.size:
        ctx.fail("call to std::vector::push_back of a vector whose length cannot change here", at)
    size = Variable(I64, v.size)
    if isinstance(v, Rows):
        if not isinstance(item, Vector):
            ctx.fail("call to std::vector::push_back", at)
        ctx.emit(Define(ctx.line, v.pitch_name, item.length))
        copy(ctx, start(row(ctx, v, size, at)), start(item), item.length, at)
    else:
        access.write(ctx, ElementPlace(pointers.advance(ctx, start(v), size, at)), item, at)
    ctx.assign(v.size, op.binary("+", size, const(1, I64)))
