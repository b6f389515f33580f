"""std::vector and std::array of scalars as local arrays."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from halide_core.ir.types import UInt
from lifter.frontend import constants, expressions, memory, pointers, types
from lifter.frontend import operations as op
from lifter.frontend.clang import children, in_system_header, operands
from lifter.frontend.context import Context
from lifter.frontend.values import ElementPlace, Nothing, Place, Pointer, Value, Vector
from lifter.loops import Store

K = CursorKind
_CONTAINERS = {"vector", "array"}


def is_container(declaration: Cursor | None) -> bool:
    """Whether a class is std::vector or std::array."""
    return declaration is not None and declaration.spelling in _CONTAINERS and in_system_header(declaration.location)


def container(t: ClangType) -> str:
    """ "vector", "array" or "" for another type."""
    c = types.canonical(t)
    if c.kind.name != "RECORD":
        return ""
    declaration = c.get_declaration()
    return str(declaration.spelling) if is_container(declaration) else ""


def declare(ctx: Context, declaration: Cursor, init: Cursor | None) -> Vector:
    """The container a variable declaration creates."""
    return made(ctx, declaration.spelling, declaration.type, init, declaration)


def made(ctx: Context, name: str, wanted: ClangType, init: Cursor | None, declaration: Cursor) -> Vector:
    """A new container of a type, with what initialises it."""
    type_ = types.canonical(wanted)
    element = type_.get_template_argument_type(0).get_canonical()
    scalar = pointers.scalar_type(ctx, element, declaration)
    if scalar.is_bool():
        ctx.fail("std::vector<bool>", declaration)
    if container(wanted) == "array":
        return _declare_array(ctx, name, type_, init, element, declaration)
    if init is None:
        return _create(ctx, name, const(0, I64), element, False)
    source = _constructor(init)
    if source.kind is K.INIT_LIST_EXPR:
        return _listed(ctx, name, source, element)
    if source.kind is not K.CALL_EXPR:
        ctx.fail("initialiser of a std::vector", declaration)
    arguments = list(source.get_arguments())
    parameters = list(source.referenced.get_arguments()) if source.referenced is not None else []
    lists = [_inside_list(a) for a in arguments]
    listed = next((x for x in lists if x is not None), None)
    if listed is not None:
        return _listed(ctx, name, listed, element)
    if not arguments:
        return _create(ctx, name, const(0, I64), element, False)
    first = types.scalar(parameters[0].type) if parameters else None
    if first != UInt(64):
        ctx.fail("std::vector made by this constructor", declaration, "use v(n) or v(n, value)")
    count = ctx.settled(op.cast(expressions.scalar(ctx, arguments[0]), I64))
    values = [a for a, p in zip(arguments, parameters, strict=False) if types.scalar(p.type) is not None][1:]
    if not values:
        return _create(ctx, name, count, element, True)
    held = ctx.hold(count)
    value = ctx.settled(op.cast(expressions.scalar(ctx, values[0]), scalar))
    count = ctx.release(held)
    if const_value(value) == 0:
        return _create(ctx, name, count, element, True)
    if not isinstance(value, Variable) and const_value(value) is None:
        value = ctx.temporary(value)
    out = _create(ctx, name, count, element, False)
    memory.fill(ctx, Pointer(frozenset({out.array}), const(0, I64), element), out.length, value)
    return out


def _constructor(init: Cursor) -> Cursor:
    while init.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR) and len(operands(init)) == 1:
        init = operands(init)[0]
    if init.kind is K.CALL_EXPR and len(list(init.get_arguments())) == 1:
        (inner,) = init.get_arguments()
        deeper = constants.unwrap(inner)
        if deeper.kind is K.CALL_EXPR and container(deeper.type):
            return _constructor(deeper)
    return init


def _inside_list(c: Cursor) -> Cursor | None:
    c = constants.unwrap(c)
    return c if c.kind is K.INIT_LIST_EXPR and "initializer_list" in c.type.spelling else None


def _create(ctx: Context, name: str, count: Expr, element: ClangType, zeroed: bool) -> Vector:
    scalar = types.scalar(element)
    assert scalar is not None
    if const_value(count) is None:
        count = ctx.temporary(count, f"{name}_size")
    array = ctx.new_array(name, scalar)
    ctx.declare_array(array, count, zeroed)
    return Vector(array, count, element)


def _listed(ctx: Context, name: str, listed: Cursor, element: ClangType) -> Vector:
    scalar = types.scalar(element)
    assert scalar is not None
    items = operands(listed)
    out = _create(ctx, name, const(len(items), I64), element, False)
    for index, item in enumerate(items):
        v = op.cast(expressions.scalar(ctx, item), scalar)
        ctx.emit(Store(ctx.line, out.array, const(index, I64), v))
    return out


def _declare_array(
    ctx: Context, name: str, type_: ClangType, init: Cursor | None, element: ClangType, declaration: Cursor
) -> Vector:
    scalar = types.scalar(element)
    assert scalar is not None
    fields = [f for f in type_.get_fields()]
    extent = types.shape(fields[0].type)[0] if fields and types.is_array(fields[0].type) else -1
    if extent < 0:
        ctx.fail("std::array of this size", declaration)
    items: list[Cursor] | None = None
    if init is not None and constants.unwrap(init).kind is K.INIT_LIST_EXPR:
        items = operands(constants.unwrap(init))
        if len(items) == 1 and constants.unwrap(items[0]).kind is K.INIT_LIST_EXPR:
            items = operands(constants.unwrap(items[0]))
    elif init is not None and children(init):
        ctx.fail("initialiser of a std::array", declaration)
    zeroed = items is not None and len(items) < extent
    out = _create(ctx, name, const(extent, I64), element, zeroed)
    for index, item in enumerate(items or []):
        v = op.cast(expressions.scalar(ctx, item), scalar)
        ctx.emit(Store(ctx.line, out.array, const(index, I64), v))
    return out


def start(v: Vector) -> Pointer:
    """A pointer to the first element."""
    return Pointer(frozenset({v.array}), const(0, I64), v.element)


def method(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor], as_place: bool) -> Value | Place:
    """A call of a member function of a container."""
    p = start(v)
    if name in ("operator[]", "at"):
        index = expressions.scalar(ctx, arguments[0])
        p = pointers.advance(ctx, p, index, c)
    elif name in ("data", "begin", "cbegin"):
        return p
    elif name in ("end", "cend"):
        return pointers.advance(ctx, p, v.length, c)
    elif name == "size":
        return op.cast(v.length, UInt(64))
    elif name == "empty":
        known = const_value(v.length)
        if known is not None:
            return make_bool(known == 0)
        return op.binary("==", v.length, const(0, I64))
    elif name == "back":
        p = pointers.advance(ctx, p, op.binary("-", v.length, const(1, I64)), c)
    elif name == "fill" and len(arguments) == 1:
        value = op.cast(expressions.scalar(ctx, arguments[0]), pointers.scalar_type(ctx, v.element))
        memory.fill(ctx, p, v.length, ctx.temporary(value) if const_value(value) is None else value)
        return Nothing()
    elif name != "front":
        ctx.fail(f"call to std::vector::{name}", c, "use an array of fixed size")
    target = ElementPlace(p)
    return target if as_place else pointers.read(ctx, target, c)
