"""Member functions of containers: sizes, elements, and what changes a container's length."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from halide_core.ir.types import UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.lowering import evaluated
from lifter.frontend.objects import access, conversions, pointers, vectors
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Container, ElementPlace, Nothing, Place, Record, Rows, Value, Vector
from lifter.ir.loop_ir import Define


def value_for(ctx: Context, c: Cursor, element: ClangType) -> Value:
    """The value of an expression as an element, evaluated once."""
    v = conversions.convert(ctx, descent.value(ctx, c), element, c)
    if isinstance(v, Expr):
        v = ctx.settled(v)
        return v if const_value(v) is not None or isinstance(v, Variable) else ctx.temporary(v)
    if not isinstance(v, Record):
        ctx.fail(queries.describe(c.type), c)
    return v


def _push_back(ctx: Context, c: Cursor, v: Container, name: str, arguments: list[Cursor]) -> None:
    if isinstance(v, Vector):
        if len(arguments) != 1:
            ctx.fail(f"call to std::vector::{name} with several arguments", c)
        vectors.push(ctx, v, value_for(ctx, arguments[0], v.element), c)
        return
    if name == "emplace_back" and (len(arguments) != 1 or types.scalar(arguments[0].type) is not None):
        ctx.fail(f"call to std::vector::{name} with these arguments", c, "push_back a vector")
    item = evaluated.container(ctx, arguments[0])
    vectors.push(ctx, v, item, c)
    moved(ctx, arguments[0], item)


def moved(ctx: Context, c: Cursor, v: Container) -> None:
    """What std::move was applied to is empty afterwards."""
    source = queries.unwrap(c)
    if source.kind is not CursorKind.CALL_EXPR or source.spelling != "move":
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
    vectors.copy_all(ctx, v, source, at)
    if v.size:
        ctx.assign(v.size, source.count if isinstance(source, Rows) else source.length)


def _resize(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor]) -> None:
    """v.resize(n), v.resize(n, x) and v.assign(n, x)."""
    if (not v.size and (name == "resize" or v.row in ("", "!"))) or types.scalar(arguments[0].type) is None:
        ctx.fail(f"call to std::vector::{name} of a vector whose length cannot change here", c)
    count = ctx.settled(op.cast(evaluated.scalar(ctx, arguments[0]), I64))
    held = ctx.hold(count, unsequenced=True)
    item = value_for(ctx, arguments[1], v.element) if len(arguments) > 1 else None
    count = ctx.release(held)
    if const_value(count) is None:
        count = ctx.temporary(count)
    if name == "resize":
        if item is None and types.is_record(v.element):
            item = descent.default_value(ctx, v.element, c)
        first = pointers.advance(ctx, vectors.start(v), v.length, c)
        vectors.fill(ctx, first, op.binary("-", count, v.length), item, c)
    else:
        if v.row:
            ctx.emit(Define(ctx.line, v.row, count))
        vectors.fill(ctx, vectors.start(v), count, item, c)
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
        source = evaluated.container(ctx, arguments[0])
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
            descent.discard(ctx, a)
        return Nothing()
    if name in ("operator[]", "at", "front", "back"):
        held = ctx.hold(const(0, I64) if isinstance(v, Rows) else v.offset)
        index = _index(ctx, name, arguments, length)
        offset = ctx.release(held)
        if isinstance(v, Rows):
            return vectors.row(ctx, v, index, c)
        v = replace(v, offset=offset)
        target = ElementPlace(pointers.advance(ctx, vectors.start(v), index, c))
        if name == "at" and as_place and v.array not in ctx.sizes:
            # It throws where there is no such element; the contract keeps what is the caller's inside.
            ctx.fail("an element of a local vector by at() that may be written", c, "use []")
        return target if as_place else access.read(ctx, target, c)
    if isinstance(v, Vector):
        return _of_vector(ctx, c, v, name, arguments)
    ctx.fail(f"call to std::vector::{name} of a vector of vectors", c)


def _index(ctx: Context, name: str, arguments: list[Cursor], length: Expr) -> Expr:
    if name == "front":
        return const(0, I64)
    if name == "back":
        return op.binary("-", length, const(1, I64))
    return evaluated.scalar(ctx, arguments[0])


def _of_vector(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor]) -> Value:
    p = vectors.start(v)
    if name in ("data", "begin", "cbegin", "get"):
        return p
    if name in ("end", "cend"):
        return pointers.advance(ctx, p, v.length, c)
    if name in ("resize", "assign") and arguments:
        _resize(ctx, c, v, name, arguments)
        return Nothing()
    if name == "fill" and len(arguments) == 1:
        vectors.fill(ctx, p, v.length, value_for(ctx, arguments[0], v.element), c)
        return Nothing()
    ctx.fail(f"call to std::vector::{name}", c, "use an array of fixed size")
