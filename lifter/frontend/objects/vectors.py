"""std::vector, std::array and std::unique_ptr of arrays as local arrays with a length; vectors of vectors as rows.

A vector of vectors is one array in which each row takes as many elements as every other: a row's length is a local of
`loop_ir.Define`, and so the same for all rows.  What copies in C++ is copied here, element by element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from halide_core.ir.types import UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.classes import argument, container
from lifter.frontend.lowering import expressions, initialisation
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context
from lifter.frontend.objects import block_copies, memory_views, pointers
from lifter.frontend.objects.values import Container, ElementPlace, Nothing, Place, Pointer, Record, Rows, Value, Vector
from lifter.ir.loop_ir import Assert, Define

K = CursorKind


def element_of(ctx: Context, t: ClangType, at: Cursor | None) -> ClangType:
    """The elements of a container, of a vector of vectors those of its rows.

    Raises Unsupported for what no array has."""
    element = argument(t)
    if container(t) == "rows":
        element = argument(element)
    if container(t) == "unique_ptr":
        if not types.is_array(element):
            ctx.fail("std::unique_ptr to a single object", at)
        element = types.element(element)
    if types.scalar(element) is not None and queries.scalar_type(ctx, element, at).is_bool():
        ctx.fail("std::vector<bool>", at)
    if not memory_views.lies_in_arrays(ctx, element) or not classes.is_trivial(element):
        ctx.fail(f"container of '{element.spelling}'", at)
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


def of(ctx: Context, c: Cursor) -> Container:
    """The value of an expression that is a container."""
    v = expressions.value(ctx, c)
    if not isinstance(v, Vector | Rows):
        ctx.fail(queries.describe(c.type), c)
    return v


def value_for(ctx: Context, c: Cursor, element: ClangType) -> Value:
    """The value of an expression as an element, evaluated once."""
    v = pointers.convert(ctx, expressions.value(ctx, c), element, c)
    if isinstance(v, Expr):
        v = ctx.settled(v)
        return v if const_value(v) is not None or isinstance(v, Variable) else ctx.temporary(v)
    if not isinstance(v, Record):
        ctx.fail(queries.describe(c.type), c)
    return v


def copy_all(ctx: Context, target: Container, source: Container, at: Cursor) -> None:
    """The elements of one container into another of its kind."""
    if isinstance(target, Vector) and isinstance(source, Vector):
        copy(ctx, start(target), start(source), source.length, at)
    elif isinstance(target, Rows) and isinstance(source, Rows):
        ctx.emit(Define(ctx.line, target.pitch_name, source.pitch))

        def one(i: Expr) -> None:
            copy(ctx, start(row(ctx, target, i, at)), start(row(ctx, source, i, at)), source.pitch, at)

        each(ctx, source.count, one)
    else:
        ctx.fail("copy between containers of different kinds", at)


def each(ctx: Context, count: Expr, body: Callable[[Expr], None]) -> None:
    """A loop over 0 <= i < count."""
    name, counter, count = block_copies.counted(ctx, count)
    with ctx.collecting() as block:
        body(counter)
    block_copies.emit_loop(ctx, name, count, block)


def copy(ctx: Context, target: Pointer, source: Pointer, count: Expr, at: Cursor | None) -> None:
    """target[0 .. count) = source[0 .. count), of scalars or structures."""

    def one(i: Expr) -> None:
        v = pointers.read(ctx, ElementPlace(pointers.advance(ctx, source, i, at)), at)
        if isinstance(v, Expr) and types.scalar(target.pointee) is not None:
            v = op.cast(v, queries.element_type(ctx, target.pointee, at))
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, target, i, at)), v, at)

    each(ctx, block_copies.simplified(ctx, count), one)


def fill(ctx: Context, p: Pointer, count: Expr, item: Value | None, at: Cursor | None) -> None:
    """p[0 .. count) = item, or zeros."""
    v = const(0, queries.element_type(ctx, p.pointee, at)) if item is None else item

    def one(i: Expr) -> None:
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, p, i, at)), v, at)

    each(ctx, count, one)


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
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, start(v), size, at)), item, at)
    ctx.assign(v.size, op.binary("+", size, const(1, I64)))


def _push_back(ctx: Context, c: Cursor, v: Container, name: str, arguments: list[Cursor]) -> None:
    if isinstance(v, Vector):
        if len(arguments) != 1:
            ctx.fail(f"call to std::vector::{name} with several arguments", c)
        push(ctx, v, value_for(ctx, arguments[0], v.element), c)
        return
    if name == "emplace_back" and (len(arguments) != 1 or types.scalar(arguments[0].type) is not None):
        ctx.fail(f"call to std::vector::{name} with these arguments", c, "push_back a vector")
    item = of(ctx, arguments[0])
    push(ctx, v, item, c)
    moved(ctx, arguments[0], item)


def moved(ctx: Context, c: Cursor, v: Container) -> None:
    """What std::move was applied to is empty afterwards."""
    source = queries.unwrap(c)
    if source.kind is not K.CALL_EXPR or source.spelling != "move":
        return
    if not v.size:
        ctx.fail("std::move of a vector whose length cannot change here", c)
    ctx.assign(v.size, const(0, I64))


def assign(ctx: Context, v: Container, source: Container, at: Cursor) -> None:
    """v = source."""
    if isinstance(v, Vector) and isinstance(source, Vector):
        if v.row not in ("", "!"):
            ctx.emit(Define(ctx.line, v.row, source.length))
        elif not v.size and const_value(v.length) is None:
            ctx.fail("assignment to a vector whose length cannot change here", at)
    elif not v.size:
        ctx.fail("assignment to a vector whose length cannot change here", at)
    copy_all(ctx, v, source, at)
    if v.size:
        ctx.assign(v.size, source.count if isinstance(source, Rows) else source.length)


def _resize(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor]) -> None:
    """v.resize(n), v.resize(n, x) and v.assign(n, x)."""
    if (not v.size and (name == "resize" or v.row in ("", "!"))) or types.scalar(arguments[0].type) is None:
        ctx.fail(f"call to std::vector::{name} of a vector whose length cannot change here", c)
    count = ctx.settled(op.cast(expressions.scalar(ctx, arguments[0]), I64))
    held = ctx.hold(count, unsequenced=True)
    item = value_for(ctx, arguments[1], v.element) if len(arguments) > 1 else None
    count = ctx.release(held)
    if const_value(count) is None:
        count = ctx.temporary(count)
    if name == "resize":
        if item is None and types.is_record(v.element):
            item = initialisation.default_value(ctx, v.element, c)
        first = pointers.advance(ctx, start(v), v.length, c)
        fill(ctx, first, op.binary("-", count, v.length), item, c)
    else:
        if v.row:
            ctx.emit(Define(ctx.line, v.row, count))
        fill(ctx, start(v), count, item, c)
    if v.size:
        ctx.assign(v.size, count)


def method(ctx: Context, c: Cursor, v: Container, name: str, arguments: list[Cursor], as_place: bool) -> Value | Place:
    """A call of a member function of a container."""
    length = v.count if isinstance(v, Rows) else v.length
    if name == "size":
        return op.cast(length, UInt(64))
    if name == "empty":
        known = const_value(length)
        return make_bool(known == 0) if known is not None else op.binary("==", length, const(0, I64))
    if name in ("push_back", "emplace_back"):
        _push_back(ctx, c, v, name, arguments)
        return Nothing()
    if name == "operator=":
        if "initializer_list" in types.canonical(arguments[0].type).spelling:
            ctx.fail("assignment of a list to a vector", c)
        source = of(ctx, arguments[0])
        if not (v.size and source.size == v.size):  # not to itself
            assign(ctx, v, source, c)
            moved(ctx, arguments[0], source)
        return Nothing()
    if name == "clear" and v.size:
        ctx.assign(v.size, const(0, I64))
        return Nothing()
    if name == "pop_back" and v.size:
        ctx.assign(v.size, op.binary("-", length, const(1, I64)))
        return Nothing()
    if name in ("reserve", "shrink_to_fit"):
        for a in arguments:
            expressions.discard(ctx, a)
        return Nothing()
    if name in ("operator[]", "at", "front", "back"):
        held = ctx.hold(const(0, I64) if isinstance(v, Rows) else v.offset)
        index = _index(ctx, name, arguments, length)
        offset = ctx.release(held)
        if isinstance(v, Rows):
            return row(ctx, v, index, c)
        v = replace(v, offset=offset)
        target = ElementPlace(pointers.advance(ctx, start(v), index, c))
        if name == "at" and as_place and v.array not in ctx.sizes:
            # It throws where there is no such element; the contract keeps what is the caller's inside.
            ctx.fail("an element of a local vector by at() that may be written", c, "use []")
        return target if as_place else pointers.read(ctx, target, c)
    if isinstance(v, Vector):
        return _of_vector(ctx, c, v, name, arguments)
    ctx.fail(f"call to std::vector::{name} of a vector of vectors", c)


def _index(ctx: Context, name: str, arguments: list[Cursor], length: Expr) -> Expr:
    if name == "front":
        return const(0, I64)
    if name == "back":
        return op.binary("-", length, const(1, I64))
    return expressions.scalar(ctx, arguments[0])


def _of_vector(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor]) -> Value:
    p = start(v)
    if name in ("data", "begin", "cbegin", "get"):
        return p
    if name in ("end", "cend"):
        return pointers.advance(ctx, p, v.length, c)
    if name in ("resize", "assign") and arguments:
        _resize(ctx, c, v, name, arguments)
        return Nothing()
    if name == "fill" and len(arguments) == 1:
        fill(ctx, p, v.length, value_for(ctx, arguments[0], v.element), c)
        return Nothing()
    ctx.fail(f"call to std::vector::{name}", c, "use an array of fixed size")
