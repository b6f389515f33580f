"""Initialisation of structures and classes: lists, constructors, the fields' own initialisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, const
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import children, declared_fields, members, operands
from lifter.frontend.lowering import constants, destructors, evaluated, inline, new_vectors, register_variables
from lifter.frontend.objects import access, conversions, pointers, records, registers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Alias,
    Binding,
    BitsPlace,
    ElementPlace,
    LanesPlace,
    Pointer,
    PointerPlace,
    Pointers,
    Record,
    RecordPlace,
    Value,
    VariablePlace,
)

K = CursorKind


def listed(ctx: Context, c: Cursor) -> Record:
    """The value of `{a, b, c}` for an aggregate."""
    place = records.create(ctx, c.type, "", c)
    fill(ctx, place, c)
    destructors.check(ctx, place, c)
    return access.load(ctx, place, c)


def default_value(ctx: Context, t: ClangType, at: Cursor) -> Record:
    """The value of `T()`."""
    place = records.create(ctx, t, "", at)
    _default(ctx, place, at, zero=True)
    return access.load(ctx, place, at)


def fill(ctx: Context, place: RecordPlace, c: Cursor) -> None:
    """place = {a, b, c}: the rest takes the fields' own initialisers, or zeros."""
    items = operands(c)
    if any(k.kind is K.MEMBER_REF for i in items for k in children(i)) and any(
        queries.is_designator(i) for i in items
    ):
        ctx.fail("designated initialiser", c)
    if len(items) == 1 and types.canonical(items[0].type).spelling == place.type.spelling:
        initialise(ctx, place, items[0])
        return
    remaining = list(items)
    if classes.is_union(place.type):
        _fill_union(ctx, place, remaining, c)
        return
    for base in classes.known_bases(ctx, place.type, c):
        own = RecordPlace(place.fields, types.canonical(base))
        if remaining:
            initialise(ctx, own, remaining.pop(0))
        else:
            _default(ctx, own, c, zero=True)
    for f in declared_fields(types.canonical(place.type)):
        if remaining:
            _init_field(ctx, place, f, remaining.pop(0), c)
        else:
            _default_field(ctx, place, f, c, zero=True)


def _fill_union(ctx: Context, place: RecordPlace, items: list[Cursor], at: Cursor) -> None:
    """The first member takes the value; the others are the same bits."""
    first = next(iter(declared_fields(types.canonical(place.type))))
    if items:
        _init_field(ctx, place, first, items[0], at)
        return
    _check_union(ctx, place, at)
    b = place.fields[first.spelling]
    if isinstance(b, LanesPlace):
        registers.write(ctx, b, registers.zero(first.type))
        return
    assert isinstance(b, BitsPlace)
    ctx.assign(b.name, const(0, b.whole))


def _check_union(ctx: Context, place: RecordPlace, at: Cursor) -> None:
    for f in declared_fields(types.canonical(place.type)):
        if _own_initialiser(f) is not None:
            ctx.fail(f"union with an initialiser of its member '{f.spelling}'", at)


def initialise(ctx: Context, place: RecordPlace, init: Cursor) -> None:
    """The object takes the value of an expression; what a constructor does happens in the object itself."""
    source = queries.unwrap(init)
    if source.kind in (K.CXX_FUNCTIONAL_CAST_EXPR, K.CSTYLE_CAST_EXPR) and len(operands(source)) == 1:
        source = queries.unwrap(operands(source)[0])
    if source.kind is K.INIT_LIST_EXPR:
        fill(ctx, place, source)
        return
    if source.kind is K.CALL_EXPR and source.referenced is not None and source.referenced.kind is K.CONSTRUCTOR:
        construct(ctx, source, place)
        return
    v = descent.value(ctx, init)
    if not isinstance(v, Record):
        ctx.fail(queries.describe(init.type), init)
    access.store(ctx, place, v, init)


def construct(ctx: Context, c: Cursor, place: RecordPlace) -> None:
    """A call of a constructor."""
    target = c.referenced
    arguments = list(c.get_arguments())
    definition, body = classes.body_of(target)
    if body is not None:
        if (made := _made_anew(c)) is not None:
            initialise(ctx, place, made)
            return
        start = partial(_initialisers, ctx, definition, place)
        inline.function(ctx, c, definition, list(definition.get_arguments()), body, arguments, False, place, start)
        return
    if arguments and not classes.is_implicit(target):
        ctx.fail(f"constructor of '{place.type.spelling}' without a body here", c)
    if len(arguments) == 1 and types.is_record(arguments[0].type):
        initialise_copy(ctx, place, arguments[0])
        return
    if arguments:
        ctx.fail(f"constructor of '{place.type.spelling}' without a body here", c)
    _default(ctx, place, c, zero=any(k.kind is K.TYPE_REF for k in children(c)))


def _made_anew(c: Cursor) -> Cursor | None:
    """An object that is made for nothing but to be copied: compilers make it in place."""
    source = queries.copied_by(c)
    if source is None or source.kind not in (K.CALL_EXPR, K.CXX_FUNCTIONAL_CAST_EXPR):
        return None
    target = source.referenced
    named = source.kind is K.CALL_EXPR and target is not None and target.kind is not K.CONSTRUCTOR
    return None if named and types.is_reference(target.result_type) else source


def initialise_copy(ctx: Context, place: RecordPlace, source: Cursor) -> None:
    """place = source by a copy of the fields."""
    classes.check_copy(ctx, place.type, source)
    v = descent.value(ctx, source)
    if not isinstance(v, Record):
        ctx.fail(queries.describe(source.type), source)
    access.store(ctx, place, v, source)


def _initialisers(ctx: Context, definition: Cursor, place: RecordPlace) -> None:
    """`: a(x), b(y)` of a constructor, in the order of the fields."""
    given: dict[str, Cursor] = {}
    bases: list[Cursor] = []
    parts = [k for k in children(definition) if k.kind is not K.PARM_DECL]
    for k, part in enumerate(parts[:-1]):
        following = parts[k + 1]
        if part.kind is K.MEMBER_REF and following.kind not in (K.MEMBER_REF, K.COMPOUND_STMT):
            given[part.spelling] = following
        elif part.kind in (K.TYPE_REF, K.TEMPLATE_REF):
            made = queries.unwrap(following)
            if made.kind in (K.CALL_EXPR, K.INIT_LIST_EXPR):
                bases.append(made)
            elif made.kind.is_expression() or made.kind is K.UNEXPOSED_EXPR:
                ctx.fail("initialiser of a base class of this form", made)
    for init in bases:
        if types.canonical(init.type).spelling == place.type.spelling:  # another constructor of the class
            initialise(ctx, place, init)
            return
    for base in classes.known_bases(ctx, place.type, definition):
        own = RecordPlace(place.fields, types.canonical(base))
        name = own.type.spelling
        chosen = next((init for init in bases if types.canonical(init.type).spelling == name), None)
        if chosen is None:
            _default(ctx, own, definition, zero=False)
        else:
            initialise(ctx, own, chosen)
            ctx.flush()
    for f in declared_fields(types.canonical(place.type)):
        if f.spelling in given:
            _init_field(ctx, place, f, given[f.spelling], definition)
        else:
            _default_field(ctx, place, f, definition, zero=False)
        ctx.flush()


def _default(ctx: Context, place: RecordPlace, at: Cursor, zero: bool) -> None:
    """What an object has that is given no value: its class's constructor, the fields' initialisers, or zeros."""
    if classes.is_union(place.type):
        _check_union(ctx, place, at)
        if zero:
            _fill_union(ctx, place, [], at)
        return
    declared = [k for k in _declared(place) if k.kind is K.CONSTRUCTOR and not classes.is_implicit(k)]
    for k in declared:
        if all(inline.default_argument(p) is not None for p in k.get_arguments()):
            k = classes.own_member(ctx, place.type, k, at)
            definition, body = classes.body_of(k)
            if body is None:
                ctx.fail(f"constructor of '{place.type.spelling}' without a body here", at)
            start = partial(_initialisers, ctx, definition, place)
            inline.function(ctx, at, definition, list(k.get_arguments()), body, [], False, place, start)
            return
    if classes.has_constructor_template(place.type) or any(
        not k.is_copy_constructor() and not k.is_move_constructor() for k in declared
    ):
        ctx.fail(f"object of '{place.type.spelling}' without a constructor call", at)
    for base in classes.known_bases(ctx, place.type, at):
        _default(ctx, RecordPlace(place.fields, types.canonical(base)), at, zero)
    for f in declared_fields(place.type):
        _default_field(ctx, place, f, at, zero)


def _declared(place: RecordPlace) -> list[Cursor]:
    return members(place.type.get_declaration())


def _default_field(ctx: Context, place: RecordPlace, f: Cursor, at: Cursor, zero: bool) -> None:
    init = _own_initialiser(f)
    if init is not None:
        ctx.frames.append(replace(ctx.frames[-1], this=place))
        try:
            _init_field(ctx, place, f, init, at)
        finally:
            ctx.frames.pop()
        return
    b = place.fields.get(f.spelling)
    if isinstance(b, RecordPlace):
        _default(ctx, b, at, zero)
    elif classes.container(f.type):
        place.fields[f.spelling] = Alias(new_vectors.made(ctx, str(f.spelling), f.type, None, at))
    elif zero and isinstance(b, VariablePlace):
        ctx.assign(b.name, const(0, b.type))
    elif zero and isinstance(b, PointerPlace):
        access.write(ctx, b, ctx.null_pointer(b.pointee), at)
    elif zero and isinstance(b, ElementPlace):
        count = const(types.count(f.type), I64)
        zero_value = const(0, queries.element_type(ctx, f.type, at))
        inner = Pointer(b.pointer.targets, b.pointer.offset, types.innermost(f.type))
        access.fill(ctx, inner, count, zero_value)


def _own_initialiser(f: Cursor) -> Cursor | None:
    """What a field is declared to start with."""
    parts = [k for k in children(f) if k.kind.is_expression() or k.kind is K.UNEXPOSED_EXPR]
    if types.is_array(f.type):  # the others are its extents
        parts = [k for k in parts if k.kind in (K.INIT_LIST_EXPR, K.STRING_LITERAL)]
    elif f.is_bitfield():
        parts = parts[1:]
    return parts[-1] if parts else None


def _init_field(ctx: Context, place: RecordPlace, f: Cursor, init: Cursor, at: Cursor) -> None:
    name = str(f.spelling)
    if types.is_reference(f.type):
        place.fields[name] = pointers.referred(ctx, descent.place(ctx, init), name)
        return
    b = place.fields.get(name)
    if isinstance(b, RecordPlace):
        initialise(ctx, b, init)
        return
    if classes.container(f.type):
        place.fields[name] = Alias(new_vectors.made(ctx, name, f.type, init, at))
        return
    if types.is_array(f.type) and isinstance(b, ElementPlace):
        _init_array(ctx, b, f, init)
        return
    if isinstance(b, Alias) and isinstance(b.value, Pointers):
        _init_pointers(ctx, b.value, types.innermost(f.type), init, at)
        return
    source: Sequence[Cursor] = operands(init) if init.kind is K.INIT_LIST_EXPR else [init]
    if not source:
        _default_field_zero(ctx, b, at)
        return
    hint, ctx.array_hint = ctx.array_hint, str(name)
    v = conversions.convert(ctx, descent.value(ctx, source[0]), f.type, at)
    ctx.array_hint = hint
    v = evaluated.settled(ctx, conversions.kept(ctx, v, f.type))
    if b is None:
        place.fields[name] = access.bound(ctx, name, v, at)
        return
    if isinstance(b, Alias):
        ctx.fail(f"initialiser of the field '{name}'", at)
    access.write(ctx, b, v, at)


def _init_pointers(ctx: Context, table: Pointers, each: ClangType, init: Cursor, at: Cursor) -> None:
    listed = queries.unwrap(init)
    if listed.kind is not K.INIT_LIST_EXPR:
        ctx.fail("array initialiser that is not a list", init)
    items = operands(listed)
    for k, place in enumerate(table.places):
        v: Value = const(0, I64)
        if k < len(items):
            v = evaluated.settled(ctx, descent.value(ctx, items[k]))
        access.write(ctx, place, conversions.convert(ctx, v, each, at), at)


def _default_field_zero(ctx: Context, b: Binding | None, at: Cursor) -> None:
    if isinstance(b, VariablePlace):
        ctx.assign(b.name, const(0, b.type))
    elif isinstance(b, PointerPlace):
        access.write(ctx, b, ctx.null_pointer(b.pointee), at)
    else:
        ctx.fail("initialiser of a field of this type", at)


def _init_array(ctx: Context, place: ElementPlace, f: Cursor, init: Cursor) -> None:
    if types.register_bytes(types.innermost(f.type)):
        register_variables.fill(ctx, place, list(constants.flatten(ctx, init, f.type)), init)
        return
    element = queries.element_type(ctx, f.type, init)
    inner = Pointer(place.pointer.targets, place.pointer.offset, types.innermost(f.type))
    for index, item in enumerate(constants.flatten(ctx, init, f.type)):
        v: Expr = const(0, element)
        if item is not None:
            v = ctx.settled(op.cast(evaluated.scalar(ctx, item), element))
        access.write(ctx, ElementPlace(pointers.advance(ctx, inner, const(index, I64), init)), v, init)
