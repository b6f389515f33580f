"""New containers: from constructors, lists, ranges and copies; the one that a function returns."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value
from halide_core.ir.types import UInt
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import declared_fields, operands
from lifter.frontend.lowering import evaluated, vector_methods
from lifter.frontend.objects import access, conversions, counted_loops, deallocations, memory_views, pointers, vectors
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Container, ElementPlace, Pointer, Rows, Value, Vector
from lifter.ir.loop_ir import Define

K = CursorKind


def _array(
    ctx: Context, name: str, element: ClangType, size: Expr, zeroed: bool, at: Cursor | None, grows: bool = True
) -> str:
    """The array of a new container; that of the function's result is the caller's."""
    unit = memory_views.unit_of(ctx, name, element, at)
    assert unit is not None
    if ctx.result_wanted:
        ctx.result_wanted = False
        array = ctx.new_array(name, unit)
        ctx.result_array = array
        ctx.pointer_parameters.add(array)
        ctx.fresh.add(array)
        if zeroed:
            vectors.fill(ctx, Pointer(frozenset({array}), const(0, I64), element), size, None, at)
        return array
    array = ctx.new_array(name, unit)
    ctx.declare_array(array, size, zeroed, grows)
    return array


def empty(ctx: Context, name: str, t: ClangType, at: Cursor | None) -> Container:
    """A container without elements, which may grow."""
    element = vectors.element_of(ctx, t, at)
    size = ctx.new_local(f"{name}_size", I64)
    pitch = ctx.new_local(f"{name}_pitch", I64) if classes.container(t) == "rows" else ""
    array = _array(ctx, name, element, const(0, I64), False, at)
    ctx.assign(size, const(0, I64))
    length = Variable(I64, size)
    if pitch:
        return Rows(array, length, Variable(I64, pitch), element, size, pitch)
    return Vector(array, length, element, size)


def made(ctx: Context, name: str, t: ClangType, init: Cursor | None, at: Cursor) -> Container:
    """A new container of a type, with what initialises it."""
    # Containers made on the way are not the function's result.
    wanted, ctx.result_wanted = ctx.result_wanted, False
    kind = classes.container(t)
    if kind == "array":
        return _made_array(ctx, name, t, init, at)
    if kind == "unique_ptr":
        return _made_pointer(ctx, name, t, init, at)
    source = None if init is None else _source(init)
    if source is None or source.kind is K.INIT_LIST_EXPR:
        ctx.result_wanted = wanted
        return empty(ctx, name, t, at) if source is None else _listed(ctx, name, t, source, at)
    if source.kind is K.CALL_EXPR and source.referenced is not None and source.referenced.kind is K.CONSTRUCTOR:
        return _constructed(ctx, name, t, source, at, wanted)
    v = evaluated.container(ctx, source)
    if source.kind is K.CALL_EXPR and not wanted:
        return v  # what a function returns is a container of its own already
    ctx.result_wanted = wanted
    return copied(ctx, name, v, at)


def _source(init: Cursor) -> Cursor:
    """The constructor, list or expression that makes a container."""
    while True:
        if init.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CXX_FUNCTIONAL_CAST_EXPR) and len(operands(init)) == 1:
            init = operands(init)[0]
            continue
        if init.kind is K.CALL_EXPR and init.referenced is not None and init.referenced.kind is K.CONSTRUCTOR:
            arguments = list(init.get_arguments())
            if len(arguments) == 1:
                inner = queries.unwrap(arguments[0])
                same = classes.container(inner.type) == classes.container(init.type)
                if inner.kind is K.CALL_EXPR and same and _is_new(inner):
                    init = inner
                    continue
        return init


def _is_new(call: Cursor) -> bool:
    """Whether a call makes an object, and does not refer to one."""
    target = call.referenced
    return target is not None and (target.kind is K.CONSTRUCTOR or not types.is_reference(target.result_type))


def _constructed(ctx: Context, name: str, t: ClangType, source: Cursor, at: Cursor, wanted: bool) -> Container:
    arguments = [a for a in source.get_arguments() if "allocator" not in types.canonical(a.type).spelling.split("<")[0]]
    lists = [x for x in (_inside_list(a) for a in arguments) if x is not None]
    if lists or not arguments:
        ctx.result_wanted = wanted
        return _listed(ctx, name, t, lists[0], at) if lists else empty(ctx, name, t, at)
    if len(arguments) == 1 and classes.container(arguments[0].type):
        source_ = evaluated.container(ctx, arguments[0])
        ctx.result_wanted = wanted
        out = copied(ctx, name, source_, at)
        vector_methods.moved(ctx, arguments[0], source_)
        return out
    if types.scalar(source.referenced.type.argument_types()[0]) != UInt(64):
        return _from_range(ctx, name, t, arguments, at, wanted)
    count = ctx.settled(op.cast(evaluated.scalar(ctx, arguments[0]), I64))
    held = ctx.hold(count, unsequenced=True)
    if classes.container(t) == "rows":
        first = evaluated.container(ctx, arguments[1]) if len(arguments) > 1 else None
        ctx.result_wanted = wanted
        return _rows_of(ctx, name, t, ctx.release(held), first, at)
    item = vector_methods.value_for(ctx, arguments[1], vectors.element_of(ctx, t, at)) if len(arguments) > 1 else None
    count = ctx.release(held)
    ctx.result_wanted = wanted
    return _filled(ctx, name, t, count, item, at)


def _filled(ctx: Context, name: str, t: ClangType, count: Expr, item: Value | None, at: Cursor) -> Vector:
    element = vectors.element_of(ctx, t, at)
    size = ctx.new_local(f"{name}_size", I64)
    ctx.assign(size, count)
    length = Variable(I64, size)
    if item is None and types.is_record(element):
        item = descent.default_value(ctx, element, at)
    zero = item is None or (isinstance(item, Expr) and const_value(item) == 0)
    array = _array(ctx, name, element, length, zero, at)
    out = Vector(array, length, element, size)
    if not zero:
        vectors.fill(ctx, vectors.start(out), length, item, at)
    return out


def _rows_of(ctx: Context, name: str, t: ClangType, count: Expr, first: Container | None, at: Cursor) -> Rows:
    """`count` rows that are copies of one; of no known length without it."""
    held = ctx.hold(count)
    out = empty(ctx, name, t, at)
    assert isinstance(out, Rows)
    ctx.assign(out.size, ctx.release(held))
    if first is None:
        return out
    assert isinstance(first, Vector)
    ctx.emit(Define(ctx.line, out.pitch_name, first.length))

    def one(i: Expr) -> None:
        vectors.copy(ctx, vectors.start(vectors.row(ctx, out, i, at)), vectors.start(first), first.length, at)

    counted_loops.each(ctx, out.count, one)
    return out


def _from_range(
    ctx: Context, name: str, t: ClangType, arguments: list[Cursor], at: Cursor, wanted: bool
) -> Container:
    """v(first, last)."""
    first, last = (descent.value(ctx, a) for a in arguments[:2])
    if not isinstance(first, Pointer) or not isinstance(last, Pointer) or classes.container(t) != "vector":
        ctx.fail("std::vector made by this constructor", at, "use v(n) or v(n, value)")
    count = pointers.difference(ctx, last, first, at)
    ctx.result_wanted = wanted
    out = _filled(ctx, name, t, ctx.settled(count), None, at)
    vectors.copy(ctx, vectors.start(out), first, out.length, at)
    return out


def _listed(ctx: Context, name: str, t: ClangType, listed: Cursor, at: Cursor) -> Container:
    items = operands(listed)
    if not items:
        return empty(ctx, name, t, at)
    if classes.container(t) == "rows":
        out = empty(ctx, name, t, at)
        for item in items:
            vectors.push(ctx, out, made(ctx, f"{name}_row", classes.argument(t), item, at), at)
        return out
    made_ = _filled(ctx, name, t, const(len(items), I64), None, at)
    _store_items(ctx, made_, items, at)
    return made_


def _store_items(ctx: Context, v: Vector, items: list[Cursor], at: Cursor) -> None:
    for index, item in enumerate(items):
        value = conversions.convert(ctx, descent.value(ctx, item), v.element, item)
        value = ctx.settled(value) if isinstance(value, Expr) else value
        access.write(ctx, ElementPlace(pointers.advance(ctx, vectors.start(v), const(index, I64), at)), value, at)


def _inside_list(c: Cursor) -> Cursor | None:
    if "initializer_list" not in types.canonical(c.type).spelling:
        return None
    c = queries.unwrap(c)
    return c if c.kind is K.INIT_LIST_EXPR else None


def _made_array(ctx: Context, name: str, t: ClangType, init: Cursor | None, at: Cursor) -> Vector:
    element = vectors.element_of(ctx, t, at)
    fields = list(declared_fields(types.canonical(t)))
    extent = types.shape(fields[0].type)[0] if fields and types.is_array(fields[0].type) else -1
    if extent < 0:
        ctx.fail("std::array of this size", at)
    listed = None if init is None else queries.unwrap(init)
    items: list[Cursor] | None = None
    source: Container | None = None
    if listed is not None and listed.kind is K.INIT_LIST_EXPR:
        items = operands(listed)
        if len(items) == 1 and queries.unwrap(items[0]).kind is K.INIT_LIST_EXPR:
            items = operands(queries.unwrap(items[0]))
    elif listed is not None and operands(listed):
        source = evaluated.container(ctx, operands(listed)[0] if listed.kind is K.CALL_EXPR else listed)
    zeroed = items is not None and len(items) < extent
    if zeroed and types.is_record(element):
        ctx.fail("std::array of structures with some of its values", at)
    array = _array(ctx, name, element, const(extent, I64), zeroed, at, False)
    out = Vector(array, const(extent, I64), element)
    _store_items(ctx, out, items or [], at)
    if isinstance(source, Vector):
        vectors.copy(ctx, vectors.start(out), vectors.start(source), out.length, at)
    return out


def _made_pointer(ctx: Context, name: str, t: ClangType, init: Cursor | None, at: Cursor) -> Vector:
    """A std::unique_ptr to a new array."""
    element = vectors.element_of(ctx, t, at)
    source = None if init is None else _source(init)
    if source is not None and source.kind is K.CALL_EXPR:
        arguments = list(source.get_arguments())
        if source.spelling == "make_unique" and len(arguments) == 1:
            count = op.cast(evaluated.scalar(ctx, arguments[0]), I64)
            return replace(_filled(ctx, name, t, ctx.settled(count), None, at), size="")
        if source.referenced is not None and source.referenced.kind is K.CONSTRUCTOR and arguments:
            hint, ctx.array_hint = ctx.array_hint, name
            p = descent.value(ctx, arguments[0])
            ctx.array_hint = hint
            if isinstance(p, Pointer) and const_value(p.offset) == 0:
                deallocations.free(ctx, p, at)
                return Vector(ctx.array_of(p, at), const(0, I64), element)
    ctx.fail(f"initialiser of the std::unique_ptr '{name}'", at)


def returned_local(result: Cursor) -> Cursor | None:
    """The local variable, or parameter by value, whose contents a return statement moves to the caller."""
    c = queries.unwrap(result)
    if c.kind is K.CALL_EXPR and c.referenced is not None and c.referenced.kind is K.CONSTRUCTOR:
        arguments = list(c.get_arguments())
        c = queries.unwrap(arguments[0]) if len(arguments) == 1 else c
    target = c.referenced if c.kind is K.DECL_REF_EXPR else None
    if target is None or target.kind not in (K.VAR_DECL, K.PARM_DECL) or types.is_reference(target.type):
        return None
    outside = target.kind is K.VAR_DECL and target.semantic_parent.kind is K.TRANSLATION_UNIT
    return None if outside or not classes.container(target.type) else c


def returned(ctx: Context, t: ClangType, result: Cursor) -> Container:
    """The container that a return statement gives."""
    own = returned_local(result)
    return made(ctx, "result", t, result, result) if own is None else evaluated.container(ctx, own)


def copied(ctx: Context, name: str, v: Container, at: Cursor) -> Container:
    """A new container with the elements of another."""
    size = ctx.new_local(f"{name}_size", I64)
    count = v.count if isinstance(v, Rows) else v.length
    pitch = ctx.new_local(f"{name}_pitch", I64) if isinstance(v, Rows) else ""
    ctx.assign(size, count)
    length = Variable(I64, size)
    array = _array(ctx, name, v.element, const(0, I64), False, at)
    out: Container = Vector(array, length, v.element, size)
    if isinstance(v, Rows):
        out = Rows(array, length, Variable(I64, pitch), v.element, size, pitch)
    vectors.copy_all(ctx, out, v, at)
    return out
