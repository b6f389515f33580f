"""Structures that the function itself returns: the caller's memory, an output of one element for each field.

    struct Point { int x; float y; };        void centre(..., int *result_x, float *result_y) {
    Point centre(...) { return {a, b}; }         *result_x = a; *result_y = b; }
"""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I32, I64, const
from halide_core.ir.types import Type
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.lowering import evaluated
from lifter.frontend.objects import access, conversions, pointers
from lifter.frontend.state import descent
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Binding, ElementPlace, Pointer, Record, RecordPlace, Value
from lifter.ir.loop_ir import Param, Part, Return

_MOST_ELEMENTS = 32
"""Of an array inside a structure."""


def is_of(t: ClangType) -> bool:
    """Whether a type is a structure that is returned by value."""
    return not types.is_reference(t) and classes.is_plain(t) and not types.register_bytes(t)


def prepare(ctx: Context, c: Cursor) -> list[tuple[Part, Param]]:
    """Makes the memory for a function's result.  Raises Unsupported for fields that cannot be outputs."""
    made: list[tuple[Part, Param]] = []
    ctx.result_place = _record(ctx, c.result_type, "result", "@", c, made)
    if not made:
        ctx.fail(f"function returning an object of the empty class '{c.result_type.spelling}'", c)
    return made


def return_(ctx: Context, wanted: ClangType, result: Cursor) -> None:
    """The statement `return result;` of a function that returns a structure."""
    assert ctx.result_place is not None
    v = conversions.convert(ctx, descent.value(ctx, _copied(wanted, result)), wanted, result)
    if not isinstance(v, Record) or not types.same_but_const(v.type, types.canonical(wanted)):
        ctx.fail(f"return of a {queries.describe(wanted)}", result)
    settled = evaluated.settled(ctx, v)
    assert isinstance(settled, Record)
    v = _with_elements(ctx, settled, result)
    _check_given(ctx, ctx.result_place, v, result)
    access.store(ctx, ctx.result_place, v, result)
    ctx.flush()
    ctx.emit(Return(ctx.line, None))
    ctx.alive = False


def _copied(wanted: ClangType, result: Cursor) -> Cursor:
    """What the copy of a trivial class is made of: the object itself, whose local arrays are not copied once more."""
    made = queries.unwrap(result)
    target, arguments = made.referenced, list(made.get_arguments())
    if made.kind is not CursorKind.CALL_EXPR or target is None or target.kind is not CursorKind.CONSTRUCTOR:
        return result
    one = len(arguments) == 1 and types.same_but_const(arguments[0].type, types.canonical(wanted))
    return arguments[0] if one else result


def _record(
    ctx: Context, t: ClangType, name: str, path: str, at: Cursor, made: list[tuple[Part, Param]]
) -> RecordPlace:
    """The place of a structure, with the parameters that its fields are."""
    own = types.canonical(t)
    refused = f"function returning an object of the {'union' if classes.is_union(own) else 'class'} '{own.spelling}'"
    if classes.is_union(own) or not classes.is_trivial(own):
        ctx.fail(refused, at, "write through a pointer or a reference")
    fields: dict[str, Binding] = {}
    for f in classes.own_fields(ctx, own, at):
        inner, of_field = f.type.get_canonical(), f"{refused}, whose field '{f.spelling}' is"
        if f.is_bitfield():
            ctx.fail(f"{of_field} a bit-field", at)
        if types.is_pointer(types.innermost(inner)) or types.is_reference(inner):
            ctx.fail(f"{of_field} a pointer or a reference", at)
        if types.is_record(inner):
            fields[f.spelling] = _record(ctx, inner, f"{name}_{f.spelling}", f"{path}.{f.spelling}", at, made)
            continue
        each = types.scalar(types.innermost(inner))
        if each is None or inner.is_volatile_qualified() or not 1 <= types.count(inner) <= _MOST_ELEMENTS:
            ctx.fail(f"{of_field} of type '{f.type.spelling}'", at)
        within = [f"[{k}]" for k in range(types.count(inner))] if types.is_array(inner) else [""]
        if len(types.shape(inner)) > 1:
            ctx.fail(f"{of_field} an array of arrays", at)
        for k in within:
            hint = f"{name}_{f.spelling}{k.replace('[', '_').rstrip(']')}"
            made.append(_output(ctx, types.innermost(inner), each, hint, f"{path}.{f.spelling}{k}"))
            place = Pointer(frozenset({made[-1][1].name}), const(0, I64), types.innermost(inner), hint)
            fields[f"{f.spelling}{k}"] = ElementPlace(place)
    return RecordPlace(fields, own)


def _output(ctx: Context, t: ClangType, each: Type, hint: str, path: str) -> tuple[Part, Param]:
    """The memory of one number."""
    name = ctx.unique(hint)
    ctx.arrays[name] = each
    ctx.pointer_parameters.add(name)
    ctx.fresh.add(name)
    ctx.sizes[name] = (1,)
    return Part(name, path, "array"), Param(name, each, True, c_type=f"{t.spelling} *")


def _with_elements(ctx: Context, v: Record, at: Cursor) -> Record:
    """A structure's value with the elements of its arrays in their place."""
    fields: dict[str, Value] = {}
    for name, field in v.fields.items():
        if isinstance(field, Record):
            fields[name] = _with_elements(ctx, field, at)
        elif isinstance(field, Pointer) and types.is_array(field.pointee):
            each = replace(field, pointee=types.innermost(field.pointee))
            ctx.returned_arrays |= field.targets & ctx.declared
            for k in range(types.count(field.pointee)):
                element = pointers.advance(ctx, each, const(k, I32), at)
                fields[f"{name}[{k}]"] = access.read(ctx, ElementPlace(element), at)
        else:
            fields[name] = field
    return Record(fields, v.type)


def _check_given(ctx: Context, place: RecordPlace, v: Record, at: Cursor) -> None:
    """Refuses values without some of the fields."""
    for name, field in place.fields.items():
        inner = v.fields.get(name)
        if inner is None or isinstance(field, RecordPlace) != isinstance(inner, Record):
            ctx.fail(f"structure returned whose field '{name}' is not known", at)
        if isinstance(field, RecordPlace) and isinstance(inner, Record):
            _check_given(ctx, field, inner, at)
