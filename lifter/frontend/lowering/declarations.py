"""Local variables."""

from __future__ import annotations

import math
from dataclasses import replace

from clang.cindex import Cursor, CursorKind, StorageClass, TLSKind, TypeKind

from halide_core.ir.expr import I64, Expr, const, const_value
from lifter.frontend.clang import classes, closed_initialisers, kept_values, queries, types
from lifter.frontend.clang.libclang import children, declared_fields, initializer, operands
from lifter.frontend.lowering import (
    constants,
    destructors,
    evaluated,
    function_pointers,
    initialisation,
    inline,
    new_vectors,
    register_variables,
)
from lifter.frontend.objects import access, conversions, memory_views, pointers, records, registers, scalar_memory
from lifter.frontend.state import descent, joined_arrays
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Alias,
    ElementPlace,
    Lambda,
    PartPointer,
    Pointer,
    PointerAddress,
    PointerArray,
    PointerPlace,
    Pointers,
    RecordPointer,
    RowTable,
    Value,
    VariablePlace,
    Vector,
)
from lifter.ir.loop_ir import Store
from lifter.simd.lanes import Lanes

K = CursorKind


_WITHOUT_EFFECT = {
    *(K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL, K.STRUCT_DECL, K.CLASS_DECL, K.UNION_DECL),
    *(K.ENUM_DECL, K.USING_DECLARATION, K.USING_DIRECTIVE, K.NAMESPACE_ALIAS, K.STATIC_ASSERT, K.FUNCTION_DECL),
}


def declare(ctx: Context, c: Cursor) -> None:
    """Lower one declaration of a declaration statement."""
    if c.kind in _WITHOUT_EFFECT:
        return
    if c.kind is not K.VAR_DECL:
        ctx.fail("declaration of this form (structured bindings are not read)", c, "declare the variables one by one")
    ctx.at(c)
    name = c.spelling
    canonical = c.type.get_canonical()
    if canonical.is_volatile_qualified():
        ctx.fail(f"volatile object '{name}'", c, "volatile accesses cannot be reordered or removed")
    for attribute in (k for k in operands(c) if k.kind is K.UNEXPOSED_ATTR):
        words = {t.spelling.strip("_") for t in attribute.get_tokens()}
        if not words or "cleanup" in words:
            ctx.fail(f"object '{name}' with a function that cleans up", c)
    if c.storage_class == StorageClass.EXTERN:
        return
    if function_pointers.is_table(c):
        return  # its elements are taken from the initialiser where they are used
    init = initializer(c)
    if (c.storage_class == StorageClass.STATIC or c.tls_kind != TLSKind.NONE) and _static(ctx, c, init):
        return
    hint, ctx.array_hint = ctx.array_hint, name
    try:
        if types.is_reference(c.type):
            _reference(ctx, c, init)
        elif types.is_array(c.type):
            _array(ctx, c, init)
        elif types.is_pointer(c.type):
            _pointer(ctx, c, init)
        elif classes.container(c.type):
            _container(ctx, c, init)
        elif types.scalar(c.type) is not None:
            _scalar(ctx, c, init)
        elif types.register_bytes(c.type):
            found = register_variables.declare(ctx, c, init)
            ctx.bind(c, Alias(found) if isinstance(found, Lanes) else found)
        elif init is not None and canonical.kind is TypeKind.RECORD and "lambda" in canonical.spelling:
            v = descent.value(ctx, queries.unwrap(init))
            if not isinstance(v, Lambda):
                ctx.fail(queries.describe(c.type), c)
            ctx.bind(c, Alias(v))
        elif classes.is_plain(c.type):
            _record(ctx, c, init)
        else:
            ctx.fail(queries.describe(c.type), c)
    finally:
        ctx.array_hint = hint
    ctx.flush()


def _static(ctx: Context, c: Cursor, init: Cursor | None) -> bool:
    """Binds a variable that is always what it is initialised to.  False for one that each execution may initialise
    anew, since its initialiser is executed but has one value: a register with a number in all lanes."""
    here = c.translation_unit is ctx.unit.parsed.unit  # and not a model's
    if types.is_const(c.type) or (here and kept_values.is_never_changed(ctx.unit, c)):
        bound = constants.constant_variable(ctx, c)
        if bound is not None:
            ctx.bind(c, bound)
            return True
        kept = any(f.is_mutable_field() for f in declared_fields(c.type))
        plain = classes.is_plain(c.type) and classes.is_trivial(c.type)  # what ends it runs once, behind all calls
        executed = types.register_bytes(c.type) or (plain and not kept)
        if types.is_const(c.type) and executed and init is not None and closed_initialisers.is_closed(init):
            return False
    ctx.fail(f"static variable '{c.spelling}' that is not constant", c, "pass it as a parameter")


def _reference(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    assert init is not None
    if classes.container(c.type):
        v = evaluated.container(ctx, init)
        if isinstance(v, Vector) and const_value(v.offset) is None:
            v = replace(v, offset=ctx.temporary(ctx.settled(v.offset), c.spelling))
        ctx.bind(c, Alias(v))
        return
    source = queries.unwrap(init)
    if source.kind is K.CALL_EXPR and source.referenced is not None and types.is_const(types.canonical(c.type)):
        result = source.referenced.result_type
        if (
            types.is_reference(result)
            and types.scalar(result) is not None
            and not classes.is_container(source.referenced.semantic_parent)
        ):
            ctx.fail(
                f"reference '{c.spelling}' to the result of '{source.spelling}'", c, "keep the value in a variable"
            )
    temporary = types.is_const(types.canonical(c.type)) or c.type.get_canonical().kind is TypeKind.RVALUEREFERENCE
    ctx.bind(c, pointers.referred(ctx, descent.place(ctx, init, temporary), c.spelling))


def _scalar(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    type_ = queries.scalar_type(ctx, c.type, c)
    if init is None:
        ctx.bind(c, VariablePlace(ctx.new_local(c.spelling, type_), type_))
        return
    v = conversions.convert(ctx, descent.value(ctx, init), c.type, c)
    assert isinstance(v, Expr)
    if const_value(v) is not None and (types.is_const(c.type) or c.hash not in ctx.changed):
        ctx.bind(c, Alias(v))
        return
    v = ctx.settled(v)
    name = ctx.new_local(c.spelling, type_)
    if c.hash not in ctx.changed:
        ctx.stable.add(name)
    ctx.bind(c, VariablePlace(name, type_))
    ctx.assign(name, v)


def _pointer(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    pointee = types.pointee(c.type)
    if types.is_pointer(pointee):
        _pointer_to_pointer(ctx, c, init)
        return
    if pointee.is_volatile_qualified():
        ctx.fail(f"volatile object '{c.spelling}'", c, "volatile accesses cannot be reordered or removed")
    if init is None:
        local = ctx.new_local(c.spelling, I64)
        ctx.targets.pop(local, None)
        ctx.bind(c, PointerPlace(local, pointee, c.spelling))
        return
    v = conversions.convert(ctx, descent.value(ctx, init), c.type, c)
    v = conversions.kept(ctx, v, c.type)
    if isinstance(v, RecordPointer):
        if c.hash in ctx.changed:
            ctx.fail(f"pointer '{c.spelling}' to a structure, which is changed", c)
        ctx.bind(c, Alias(v))
        return
    if isinstance(v, PartPointer):
        if c.hash in ctx.changed:
            ctx.fail(f"pointer '{c.spelling}' to part of an element, which is changed", c)
        ctx.bind(c, Alias(pointers.frozen_part(ctx, v, c.spelling)))
        return
    assert isinstance(v, Pointer)
    v = Pointer(v.targets, ctx.settled(v.offset), v.pointee, v.name)
    inline.bind_pointer(ctx, c, v, c.hash not in ctx.changed)


def _pointer_to_pointer(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    """Another name of a local pointer, or of a local array of pointers."""
    v = None if init is None else conversions.convert(ctx, descent.value(ctx, init), c.type, c)
    if not isinstance(v, PointerAddress | Pointers | RowTable) or c.hash in ctx.changed:
        ctx.fail(f"pointer to pointer '{c.spelling}'", c, "use one pointer and an index")
    ctx.bind(c, Alias(v))


def _array(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    name = c.spelling
    if types.is_pointer(types.innermost(c.type)):
        _pointers(ctx, c, init)
        return
    if types.register_bytes(types.innermost(c.type)):
        _registers(ctx, c, init)
        return
    if classes.is_plain(types.innermost(c.type)) and not types.is_const(c.type):
        _structures(ctx, c, init)
        return
    if types.is_const(c.type) and classes.is_plain(types.innermost(c.type)):
        bound = constants.constant_table(ctx, c)
        if bound is None:
            ctx.fail(f"constant array '{name}' of structures of this kind", c)
        ctx.bind(c, bound)
        return
    element = queries.element_type(ctx, c.type, c)
    if types.is_const(c.type):
        bound = constants.constant_table(ctx, c)
        if bound is not None:
            ctx.bind(c, bound)
            return
    extents = types.shape(c.type)
    if any(e < 0 for e in extents):
        if len(extents) != 1:
            ctx.fail(f"array '{name}' of variable inner size", c)
        size = ctx.settled(op.cast(evaluated.scalar(ctx, operands(c)[0]), I64))
    else:
        size = const(types.count(c.type), I64)
    array = ctx.new_array(name, element)
    items = [] if init is None else list(constants.flatten(ctx, init, c.type))
    ctx.declare_array(array, size, any(item is None for item in items))
    ctx.bind(c, ElementPlace(ctx.start(array, c.type.get_canonical())))
    holder, start = joined_arrays.start(ctx, array)
    for index, item in enumerate(items):
        if item is not None:
            v = ctx.settled(op.cast(evaluated.scalar(ctx, item), element))
            ctx.emit(Store(ctx.line, holder, op.offset_sum(start, const(index, I64)), v))


def _structures(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    """A local array of structures, as an array of their scalars."""
    each, count = types.innermost(c.type), types.count(c.type)
    unit = memory_views.unit_of(ctx, c.spelling, each, c) if classes.is_trivial(each) else None
    if unit is None or count < 0:
        ctx.fail(f"array of structures '{c.spelling}' of this kind", c)
    array = ctx.new_array(c.spelling, unit)
    place = ElementPlace(Pointer(frozenset({array}), const(0, I64), c.type.get_canonical()))
    ctx.bind(c, place)
    ctx.declare_array(array, const(count * int(each.get_size()) // unit.bytes(), I64), False)
    listed = None if init is None else queries.unwrap(init)
    if listed is None or (listed.kind is K.CALL_EXPR and classes.has_no_initialiser(each)):
        return
    if listed.kind is not K.INIT_LIST_EXPR or len(types.shape(c.type)) != 1:
        ctx.fail(f"initialiser of the array of structures '{c.spelling}'", c)
    items = operands(listed)
    start = Pointer(frozenset({array}), const(0, I64), each)
    for k in range(count):
        v = descent.value(ctx, items[k]) if k < len(items) else descent.default_value(ctx, each, c)
        v = evaluated.settled(ctx, v)
        access.write(ctx, ElementPlace(pointers.advance(ctx, start, const(k, I64), c)), v, c)


def _pointers(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    """A local array of pointers, of any shape, as a pointer variable for each element."""
    each, name = types.innermost(c.type), c.spelling
    count = types.count(c.type)
    if count < 0 or types.is_pointer(types.pointee(each)):
        ctx.fail(f"array of pointers '{name}' of this shape", c, "use one variable for each")
    if types.is_function_pointer(each):
        ctx.fail(f"array of function pointers '{name}' that is not constant", c)
    key = f"local {queries.key(c)}"
    if key in ctx.found.tabled and init is None and len(types.shape(c.type)) == 1:
        array = ctx.new_array(name, I64)
        ctx.targets[array] = frozenset()
        ctx.declare_array(array, const(count, I64), False)
        ctx.bind(c, Alias(PointerArray(array, types.pointee(each), name)))
        return
    places = []
    for k in range(count):
        local = ctx.new_local(f"{name}_{k}", I64)
        ctx.targets.pop(local, None)
        places.append(PointerPlace(local, types.pointee(each), f"{name}[{k}]"))
    whole = init is None and len(types.shape(c.type)) == 1
    ctx.bind(c, Alias(Pointers(tuple(places), name, key if whole else "")))
    if init is None:
        return
    source = queries.unwrap(init)
    if source.kind is not K.INIT_LIST_EXPR:
        ctx.fail("array initialiser that is not a list", init)
    for item, place in zip(_listed(ctx, init, types.shape(c.type)), places, strict=True):
        v = conversions.convert(ctx, const(0, I64) if item is None else descent.value(ctx, item), each, c)
        if not isinstance(v, Pointer):
            ctx.fail(f"element of the array of pointers '{name}' of this form", c)
        access.write(ctx, place, replace(v, offset=ctx.settled(v.offset)), c)


def _registers(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    """A local array of SIMD registers, as an array of their lanes."""
    count = types.count(c.type)
    if count < 0:
        ctx.fail(f"array of registers '{c.spelling}' of this shape", c)
    place = registers.new_array(ctx, c.spelling, c, registers.key(c))
    ctx.bind(c, place)
    if init is None:
        return
    register_variables.fill(ctx, place, _listed(ctx, init, types.shape(c.type)), c)


def _listed(ctx: Context, init: Cursor, shape: tuple[int, ...]) -> list[Cursor | None]:
    """The initialisers of an array's elements, row by row; None for those that the list leaves out."""
    source = queries.unwrap(init)
    if source.kind is not K.INIT_LIST_EXPR:
        ctx.fail("array initialiser that is not a list", init)
    items = operands(source)
    rest = math.prod(shape[1:])
    out: list[Cursor | None] = []
    for item in items:
        out += _listed(ctx, item, shape[1:]) if len(shape) > 1 else [item]
    return out + [None] * (rest * (shape[0] - len(items)))


def _union(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    """A union whose members have several sizes, as memory: an array of their common unit."""
    record, source = types.canonical(c.type), None if init is None else queries.unwrap(init)
    plain = classes.is_trivial(c.type) and classes.has_no_initialiser(c.type) and not record.is_volatile_qualified()
    unit = memory_views.unit_of(ctx, c.spelling, c.type, c) if plain else None
    if unit is None:
        ctx.fail(f"object of the union '{c.type.spelling}'", c)
    array = ctx.new_array(c.spelling, unit)
    start = Pointer(frozenset({array}), const(0, I64), record)
    ctx.bind(c, ElementPlace(start))
    called = source.referenced if source is not None and source.kind is K.CALL_EXPR else None
    if source is not None and called is not None and called.kind is K.CONSTRUCTOR:
        copied = operands(source)  # it is the compiler's: a copy, or nothing
        source = queries.unwrap(copied[0]) if copied else None
    listed = source is not None and source.kind is K.INIT_LIST_EXPR
    items = operands(source) if listed and source is not None else []
    v: Value | None = None
    target = start
    if items:
        first = next(iter(declared_fields(record)))
        named = any(k.kind is K.MEMBER_REF for i in items for k in children(i))
        whole = types.scalar(first.type) is not None and first.type.get_size() == record.get_size()
        if len(items) > 1 or not whole or (named and any(map(queries.is_designator, items))):
            ctx.fail(f"initialiser of the union '{c.spelling}'", c)
        v = conversions.convert(ctx, ctx.settled(evaluated.scalar(ctx, items[0])), first.type, c)
        target = replace(start, pointee=first.type.get_canonical())
    elif source is not None and not listed:
        v = evaluated.settled(ctx, descent.value(ctx, source))
    count = int(record.get_size()) // unit.bytes()
    ctx.declare_array(array, const(count, I64), False)
    for k in range(count if listed and not items else 0):
        scalar_memory.write_as(ctx, replace(start, offset=const(k, I64)), unit, const(0, unit), c)
    if v is not None:
        access.write(ctx, ElementPlace(target), v, c)


def _record(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    if classes.is_union(c.type) and not classes.is_one_size(c.type):
        _union(ctx, c, init)
        return
    place = records.create(ctx, c.type, c.spelling, c)
    if init is not None:
        initialisation.initialise(ctx, place, init)
        ctx.flush()
    destructors.check(ctx, place, c)
    ctx.bind(c, place)


def _container(ctx: Context, c: Cursor, init: Cursor | None) -> None:
    ctx.result_wanted = c.hash == ctx.result_variable and not ctx.frames[-1].inlined
    ctx.bind(c, Alias(new_vectors.made(ctx, c.spelling, c.type, init, c)))
    ctx.result_wanted = False
