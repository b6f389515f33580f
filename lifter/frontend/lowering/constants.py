"""Names of constants: global and static constants, constant tables, and initialiser lists."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind, StorageClass
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, const, const_value
from halide_core.ir.types import Type
from lifter.frontend.clang import classes, file_scope, kept_values, types
from lifter.frontend.clang.libclang import declared_fields, evaluate, initializer, operands
from lifter.frontend.clang.queries import is_designator, unwrap
from lifter.frontend.lowering import function_pointers
from lifter.frontend.objects import memory_views, parameters
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Alias, Binding, ElementPlace, Pointer
from lifter.ir.loop_ir import ConstArray
from lifter.simd.lanes import Lanes, is_constant

K = CursorKind


def binding(ctx: Context, c: Cursor) -> Binding:
    """What a name refers to; a global or static constant is bound on first use."""
    declaration = c.referenced
    if declaration is None:
        ctx.fail(f"name '{c.spelling}'", c)
    found = ctx.binding(declaration)
    if found is not None:
        return found
    if declaration.kind is K.VAR_DECL:
        return _global(ctx, c, declaration)
    if declaration.kind in (K.FUNCTION_DECL, K.CXX_METHOD):
        return Alias(function_pointers.pointer(ctx, declaration))
    ctx.fail(f"use of '{c.spelling}'", c)


def _global(ctx: Context, c: Cursor, declaration: Cursor) -> Binding:
    name = declaration.spelling
    definition = declaration.get_definition() or declaration
    if definition.type.get_canonical().is_volatile_qualified():
        ctx.fail(f"volatile object '{name}'", c)
    here = definition.translation_unit is ctx.unit.parsed.unit  # and not a model's
    constant = types.is_const(definition.type)
    kept = constant or (here and kept_values.is_never_changed(ctx.unit, definition))
    bound = constant_variable(ctx, definition) if kept and name not in ctx.unit.parsed.cautions.weak else None
    named = file_scope.name(definition) if here else ""
    if bound is None and named and named not in ctx.found.statics:
        raise parameters.Static(definition, named)
    if bound is None and constant:
        ctx.fail(f"constant '{name}' whose value is not known here", c, "define it in this file")
    if bound is None:
        what = "static variable" if definition.storage_class == StorageClass.STATIC else "global variable"
        ctx.fail(f"{what} '{name}' that is not constant", c, "pass it as a parameter")
    ctx.bind(declaration, bound)
    return bound


def constant_variable(ctx: Context, declaration: Cursor) -> Binding | None:
    """The binding of a const variable of static storage or with constant initialiser; None if not constant."""
    if types.is_array(declaration.type):
        return constant_table(ctx, declaration)
    if types.register_bytes(declaration.type):
        init = initializer(declaration)
        v = None if init is None else descent.value(ctx, init)
        return Alias(v) if isinstance(v, Lanes) and is_constant(v) else None
    type_ = types.scalar(declaration.type)
    if type_ is None:
        return None
    found = evaluate(declaration)
    return None if found is None else Alias(const(found, type_))


def constant_table(ctx: Context, declaration: Cursor) -> Binding | None:
    """A constant array as a table of the function; None if some value is not constant."""
    init = initializer(declaration)
    extents = types.shape(declaration.type)
    inner = types.innermost(declaration.type)
    type_ = types.scalar(inner)
    if init is None or any(e < 0 for e in extents):
        return None
    items: Iterator[Cursor | None]
    if type_ is None and classes.is_plain(inner) and classes.has_no_initialiser(inner):
        found_types = memory_views.scalars_inside(ctx, inner, declaration)
        listed = _structures(unwrap(init), declaration.type)
        if len(found_types) != 1 or listed is None:
            return None
        (type_,) = found_types
        items = iter(listed)
        extents = (len(listed),)
    elif type_ is None:
        return None
    else:
        items = flatten(ctx, init, declaration.type)
    values: list[int | float] = []
    for item in items:
        if item is None:
            values.append(0.0 if type_.is_float() else 0)
            continue
        found = evaluate(item)
        own = types.scalar(item.type)
        if found is None or own is None:
            return None
        converted = _constant_as(found, own, type_)
        if converted is None:
            return None
        values.append(converted)
    name = ctx.new_array(declaration.spelling, type_)
    ctx.tables[name] = ConstArray(name, type_, tuple(values), extents)
    return ElementPlace(Pointer(frozenset({name}), const(0, I64), declaration.type.get_canonical()))


def _structures(init: Cursor, t: ClangType) -> list[Cursor | None] | None:
    """The initialiser of each scalar in an array of structures whose braces are all there; None where some are not."""
    if types.is_array(t):
        extent, inner = types.shape(t)[0], types.element(t)
        wanted = [inner] * extent
    elif types.scalar(t) is not None:
        return [init]
    else:
        wanted = [f.type.get_canonical() for f in declared_fields(types.canonical(t))]
    if init.kind is not K.INIT_LIST_EXPR or len(operands(init)) != len(wanted):
        return None
    out: list[Cursor | None] = []
    for item, each in zip(operands(init), wanted, strict=True):
        part = _structures(item if types.scalar(each) is not None else unwrap(item), each)
        if part is None:
            return None
        out += part
    return out


def _constant_as(value: int | float, own: Type, to: Type) -> int | float | None:
    return const_value(op.cast(const(value, own), to))


def flatten(ctx: Context, init: Cursor, type_: ClangType) -> Iterator[Cursor | None]:
    """The initialiser of each scalar of an array in order; None where it is zero."""
    init = unwrap(init)
    if init.kind is not K.INIT_LIST_EXPR:
        ctx.fail("array initialiser that is not a list", init)
    items = operands(init)
    if len(items) == 1 and unwrap(items[0]).kind is K.STRING_LITERAL:
        ctx.fail("string literal", init)
    yield from _fill(ctx, iter(items), type_)


def _fill(ctx: Context, items: Iterator[Cursor], type_: ClangType) -> Iterator[Cursor | None]:
    # Inner braces may be left out: then the outer list's items are taken one scalar after the other.
    extent = types.shape(type_)[0]
    inner = types.element(type_)
    for _ in range(extent):
        if not types.is_array(inner):
            item = next(items, None)
            if item is not None and item.kind is K.UNEXPOSED_EXPR and is_designator(item):
                ctx.fail("designated initialiser", item)
            yield item
            continue
        first = next(items, None)
        if first is None:
            yield from (None for _ in range(types.count(inner)))
        elif unwrap(first).kind is K.INIT_LIST_EXPR:
            yield from _fill(ctx, iter(operands(unwrap(first))), inner)
        else:
            yield from _fill(ctx, _chain(first, items), inner)


def _chain(first: Cursor, rest: Iterator[Cursor]) -> Iterator[Cursor]:
    yield first
    yield from rest
