"""std::vector, std::array and std::unique_ptr of arrays as local arrays with a length; vectors of vectors as rows.

A vector of vectors is one array in which each row takes as many elements as every other: a row's length is a local of
`loops.Define`, and so the same for all rows.  What copies in C++ is copied here, element by element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from halide_core.ir.types import UInt
from lifter.frontend import constants, construct, expressions, memory, pointers, records, types, views
from lifter.frontend import operations as op
from lifter.frontend.clang import in_system_header, operands
from lifter.frontend.context import Context
from lifter.frontend.values import ElementPlace, Nothing, Place, Pointer, Record, Rows, Value, Vector
from lifter.loops import Assert, Define

K = CursorKind
_CONTAINERS = {"vector", "array", "unique_ptr"}
Container = Vector | Rows


def is_container(declaration: Cursor | None) -> bool:
    """Whether a class is std::vector, std::array or std::unique_ptr."""
    return declaration is not None and declaration.spelling in _CONTAINERS and in_system_header(declaration.location)


def container(t: ClangType) -> str:
    """ "vector", "rows" for a vector of vectors, "array", "unique_ptr" or "" for another type."""
    c = types.canonical(t)
    if c.kind.name != "RECORD":
        return ""
    declaration = c.get_declaration()
    if not is_container(declaration):
        return ""
    name = str(declaration.spelling)
    return "rows" if name == "vector" and container(_argument(c)) == "vector" else name


def _argument(t: ClangType) -> ClangType:
    return types.canonical(t).get_template_argument_type(0).get_canonical()


def element_of(ctx: Context, t: ClangType, at: Cursor | None) -> ClangType:
    """The elements of a container, of a vector of vectors those of its rows.

    Raises Unsupported for what no array has."""
    element = _argument(t)
    if container(t) == "rows":
        element = _argument(element)
    if container(t) == "unique_ptr":
        if not types.is_array(element):
            ctx.fail("std::unique_ptr to a single object", at)
        element = types.element(element)
    if types.scalar(element) is not None and pointers.scalar_type(ctx, element, at).is_bool():
        ctx.fail("std::vector<bool>", at)
    if not views.lies_in_arrays(ctx, element) or not records.is_trivial(element):
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
        ctx.fail(pointers.describe(c.type), c)
    return v


# New containers


def _array(
    ctx: Context, name: str, element: ClangType, size: Expr, zeroed: bool, at: Cursor | None, grows: bool = True
) -> str:
    """The array of a new container; that of the function's result is the caller's."""
    unit = views.unit_of(ctx, name, element, at)
    assert unit is not None
    if ctx.result_wanted:
        ctx.result_wanted = False
        array = ctx.new_array(name, unit)
        ctx.result_array = array
        ctx.pointer_parameters.add(array)
        ctx.fresh.add(array)
        if zeroed:
            fill(ctx, Pointer(frozenset({array}), const(0, I64), element), size, None, at)
        return array
    array = ctx.new_array(name, unit)
    ctx.declare_array(array, size, zeroed, grows)
    return array


def empty(ctx: Context, name: str, t: ClangType, at: Cursor | None) -> Container:
    """A container without elements, which may grow."""
    element = element_of(ctx, t, at)
    size = ctx.new_local(f"{name}_size", I64)
    pitch = ctx.new_local(f"{name}_pitch", I64) if container(t) == "rows" else ""
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
    kind = container(t)
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
    v = of(ctx, source)
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
                inner = constants.unwrap(arguments[0])
                if inner.kind is K.CALL_EXPR and container(inner.type) == container(init.type) and _is_new(inner):
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
    if len(arguments) == 1 and container(arguments[0].type):
        source_ = of(ctx, arguments[0])
        ctx.result_wanted = wanted
        out = copied(ctx, name, source_, at)
        _moved(ctx, arguments[0], source_)
        return out
    if types.scalar(source.referenced.type.argument_types()[0]) != UInt(64):
        return _from_range(ctx, name, t, arguments, at, wanted)
    count = ctx.settled(op.cast(expressions.scalar(ctx, arguments[0]), I64))
    held = ctx.hold(count)
    if container(t) == "rows":
        first = of(ctx, arguments[1]) if len(arguments) > 1 else None
        ctx.result_wanted = wanted
        return _rows_of(ctx, name, t, ctx.release(held), first, at)
    item = value_for(ctx, arguments[1], element_of(ctx, t, at)) if len(arguments) > 1 else None
    count = ctx.release(held)
    ctx.result_wanted = wanted
    return _filled(ctx, name, t, count, item, at)


def value_for(ctx: Context, c: Cursor, element: ClangType) -> Value:
    """The value of an expression as an element, evaluated once."""
    v = pointers.convert(ctx, expressions.value(ctx, c), element, c)
    if isinstance(v, Expr):
        v = ctx.settled(v)
        return v if const_value(v) is not None or isinstance(v, Variable) else ctx.temporary(v)
    if not isinstance(v, Record):
        ctx.fail(pointers.describe(c.type), c)
    return v


def _filled(ctx: Context, name: str, t: ClangType, count: Expr, item: Value | None, at: Cursor) -> Vector:
    element = element_of(ctx, t, at)
    size = ctx.new_local(f"{name}_size", I64)
    ctx.assign(size, count)
    length = Variable(I64, size)
    if item is None and views.is_record(element):
        item = construct.default_value(ctx, element, at)
    zero = item is None or (isinstance(item, Expr) and const_value(item) == 0)
    array = _array(ctx, name, element, length, zero, at)
    out = Vector(array, length, element, size)
    if not zero:
        fill(ctx, start(out), length, item, at)
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
    _each(ctx, out.count, lambda i: copy(ctx, start(row(ctx, out, i, at)), start(first), first.length, at))
    return out


def _from_range(
    ctx: Context, name: str, t: ClangType, arguments: list[Cursor], at: Cursor, wanted: bool
) -> Container:
    """v(first, last)."""
    first, last = (expressions.value(ctx, a) for a in arguments[:2])
    if not isinstance(first, Pointer) or not isinstance(last, Pointer) or container(t) != "vector":
        ctx.fail("std::vector made by this constructor", at, "use v(n) or v(n, value)")
    count = pointers.difference(ctx, last, first, at)
    ctx.result_wanted = wanted
    out = _filled(ctx, name, t, ctx.settled(count), None, at)
    copy(ctx, start(out), first, out.length, at)
    return out


def _listed(ctx: Context, name: str, t: ClangType, listed: Cursor, at: Cursor) -> Container:
    items = operands(listed)
    if not items:
        return empty(ctx, name, t, at)
    if container(t) == "rows":
        out = empty(ctx, name, t, at)
        for item in items:
            push(ctx, out, made(ctx, f"{name}_row", _argument(t), item, at), at)
        return out
    made_ = _filled(ctx, name, t, const(len(items), I64), None, at)
    _store_items(ctx, made_, items, at)
    return made_


def _store_items(ctx: Context, v: Vector, items: list[Cursor], at: Cursor) -> None:
    for index, item in enumerate(items):
        value = pointers.convert(ctx, expressions.value(ctx, item), v.element, item)
        value = ctx.settled(value) if isinstance(value, Expr) else value
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, start(v), const(index, I64), at)), value, at)


def _inside_list(c: Cursor) -> Cursor | None:
    if "initializer_list" not in types.canonical(c.type).spelling:
        return None
    c = constants.unwrap(c)
    return c if c.kind is K.INIT_LIST_EXPR else None


def _made_array(ctx: Context, name: str, t: ClangType, init: Cursor | None, at: Cursor) -> Vector:
    element = element_of(ctx, t, at)
    fields = list(types.canonical(t).get_fields())
    extent = types.shape(fields[0].type)[0] if fields and types.is_array(fields[0].type) else -1
    if extent < 0:
        ctx.fail("std::array of this size", at)
    listed = None if init is None else constants.unwrap(init)
    items: list[Cursor] | None = None
    source: Container | None = None
    if listed is not None and listed.kind is K.INIT_LIST_EXPR:
        items = operands(listed)
        if len(items) == 1 and constants.unwrap(items[0]).kind is K.INIT_LIST_EXPR:
            items = operands(constants.unwrap(items[0]))
    elif listed is not None and operands(listed):
        source = of(ctx, operands(listed)[0] if listed.kind is K.CALL_EXPR else listed)
    zeroed = items is not None and len(items) < extent
    if zeroed and views.is_record(element):
        ctx.fail("std::array of structures with some of its values", at)
    array = _array(ctx, name, element, const(extent, I64), zeroed, at, False)
    out = Vector(array, const(extent, I64), element)
    _store_items(ctx, out, items or [], at)
    if isinstance(source, Vector):
        copy(ctx, start(out), start(source), out.length, at)
    return out


def _made_pointer(ctx: Context, name: str, t: ClangType, init: Cursor | None, at: Cursor) -> Vector:
    """A std::unique_ptr to a new array."""
    element = element_of(ctx, t, at)
    source = None if init is None else _source(init)
    if source is not None and source.kind is K.CALL_EXPR:
        arguments = list(source.get_arguments())
        if source.spelling == "make_unique" and len(arguments) == 1:
            count = op.cast(expressions.scalar(ctx, arguments[0]), I64)
            return replace(_filled(ctx, name, t, ctx.settled(count), None, at), size="")
        if source.referenced is not None and source.referenced.kind is K.CONSTRUCTOR and arguments:
            hint, ctx.array_hint = ctx.array_hint, name
            p = expressions.value(ctx, arguments[0])
            ctx.array_hint = hint
            if isinstance(p, Pointer) and const_value(p.offset) == 0:
                return Vector(ctx.array_of(p, at), const(0, I64), element)
    ctx.fail(f"initialiser of the std::unique_ptr '{name}'", at)


def returned_local(result: Cursor) -> Cursor | None:
    """The local variable, or parameter by value, whose contents a return statement moves to the caller."""
    c = constants.unwrap(result)
    if c.kind is K.CALL_EXPR and c.referenced is not None and c.referenced.kind is K.CONSTRUCTOR:
        arguments = list(c.get_arguments())
        c = constants.unwrap(arguments[0]) if len(arguments) == 1 else c
    target = c.referenced if c.kind is K.DECL_REF_EXPR else None
    if target is None or target.kind not in (K.VAR_DECL, K.PARM_DECL) or types.is_reference(target.type):
        return None
    outside = target.kind is K.VAR_DECL and target.semantic_parent.kind is K.TRANSLATION_UNIT
    return None if outside or not container(target.type) else c


def returned(ctx: Context, t: ClangType, result: Cursor) -> Container:
    """The container that a return statement gives."""
    own = returned_local(result)
    return made(ctx, "result", t, result, result) if own is None else of(ctx, own)


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
    _copy_all(ctx, out, v, at)
    return out


def _copy_all(ctx: Context, target: Container, source: Container, at: Cursor) -> None:
    if isinstance(target, Vector) and isinstance(source, Vector):
        copy(ctx, start(target), start(source), source.length, at)
    elif isinstance(target, Rows) and isinstance(source, Rows):
        ctx.emit(Define(ctx.line, target.pitch_name, source.pitch))

        def one(i: Expr) -> None:
            copy(ctx, start(row(ctx, target, i, at)), start(row(ctx, source, i, at)), source.pitch, at)

        _each(ctx, source.count, one)
    else:
        ctx.fail("copy between containers of different kinds", at)


def _each(ctx: Context, count: Expr, body: Callable[[Expr], None]) -> None:
    """A loop over 0 <= i < count."""
    name, counter, count = memory.counted(ctx, count)
    with ctx.collecting() as block:
        body(counter)
    memory.emit_loop(ctx, name, count, block)


def copy(ctx: Context, target: Pointer, source: Pointer, count: Expr, at: Cursor | None) -> None:
    """target[0 .. count) = source[0 .. count), of scalars or structures."""

    def one(i: Expr) -> None:
        v = pointers.read(ctx, ElementPlace(pointers.advance(ctx, source, i, at)), at)
        if isinstance(v, Expr) and types.scalar(target.pointee) is not None:
            v = op.cast(v, pointers.element_type(ctx, target.pointee, at))
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, target, i, at)), v, at)

    _each(ctx, memory.simplified(ctx, count), one)


def fill(ctx: Context, p: Pointer, count: Expr, item: Value | None, at: Cursor | None) -> None:
    """p[0 .. count) = item, or zeros."""
    v = const(0, pointers.element_type(ctx, p.pointee, at)) if item is None else item

    def one(i: Expr) -> None:
        pointers.write(ctx, ElementPlace(pointers.advance(ctx, p, i, at)), v, at)

    _each(ctx, count, one)


# Member functions


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
    _moved(ctx, arguments[0], item)


def _moved(ctx: Context, c: Cursor, v: Container) -> None:
    """What std::move was applied to is empty afterwards."""
    source = constants.unwrap(c)
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
    _copy_all(ctx, v, source, at)
    if v.size:
        ctx.assign(v.size, source.count if isinstance(source, Rows) else source.length)


def _resize(ctx: Context, c: Cursor, v: Vector, name: str, arguments: list[Cursor]) -> None:
    """v.resize(n), v.resize(n, x) and v.assign(n, x)."""
    if (not v.size and (name == "resize" or v.row in ("", "!"))) or types.scalar(arguments[0].type) is None:
        ctx.fail(f"call to std::vector::{name} of a vector whose length cannot change here", c)
    count = ctx.settled(op.cast(expressions.scalar(ctx, arguments[0]), I64))
    held = ctx.hold(count)
    item = value_for(ctx, arguments[1], v.element) if len(arguments) > 1 else None
    count = ctx.release(held)
    if const_value(count) is None:
        count = ctx.temporary(count)
    if name == "resize":
        if item is None and views.is_record(v.element):
            item = construct.default_value(ctx, v.element, c)
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
        if source != v:
            assign(ctx, v, source, c)
            _moved(ctx, arguments[0], source)
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
