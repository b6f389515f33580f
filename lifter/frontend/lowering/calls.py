"""Calls: to library functions, to functions with a body (kept by name when pure, else inlined), to lambdas."""

from __future__ import annotations

import re
from dataclasses import replace

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Call, CallType
from lifter.frontend.clang import classes, models, queries, types
from lifter.frontend.clang.libclang import children, in_std, in_system_header, operands
from lifter.frontend.clang.sources import Unclear
from lifter.frontend.lowering import (
    builtins,
    destructors,
    evaluated,
    function_pointers,
    initialisation,
    inline,
    intrinsics,
    lambdas,
    members,
    new_vectors,
    pure_functions,
    vector_methods,
)
from lifter.frontend.objects import access, pointers, records
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    ElementPlace,
    Lambda,
    Nothing,
    Place,
    Pointer,
    Record,
    Rows,
    Value,
    Vector,
    expressions_of,
    with_expressions,
)
from lifter.ir.loop_ir import Unsupported

K = CursorKind
_BODY = "give the file that defines it, or a model or a folder, with --model"
_IO = {
    *("printf", "fprintf", "sprintf", "snprintf", "vprintf", "puts", "putchar", "fputs", "fputc", "putc", "perror"),
    *(
        "fwrite",
        "fread",
        "fopen",
        "fclose",
        "scanf",
        "fscanf",
        "getchar",
        "fgets",
        "fflush",
        "operator<<",
        "operator>>",
    ),
}
_JUMPS = {"setjmp", "_setjmp", "longjmp", "__sigsetjmp"}
_ENDS = {"exit", "abort", "_exit", "terminate", "quick_exit"}


def call(ctx: Context, c: Cursor, want: bool = True) -> Value:
    """The value of a call."""
    v = call_place(ctx, c, want, as_place=False)
    return access.read(ctx, v, c) if isinstance(v, Place) else v


def call_place(ctx: Context, c: Cursor, want: bool = True, as_place: bool = True) -> Value | Place:
    """The object a returned reference refers to, or the value of a call that returns none."""
    target = c.referenced
    arguments = list(c.get_arguments())
    if target is None or target.kind in (K.VAR_DECL, K.PARM_DECL, K.FIELD_DECL):
        callee = operands(c)[0]
        return function_pointers.call(ctx, c, callee, want, lambda function: _direct(ctx, c, function, arguments, want))
    if target.kind is K.CONSTRUCTOR:
        return _constructed(ctx, c, arguments)
    if target.kind in (K.CXX_METHOD, K.CONVERSION_FUNCTION, K.DESTRUCTOR) and not target.is_static_method():
        return _method(ctx, c, target, arguments, want, as_place)
    if target.kind not in (K.FUNCTION_DECL, K.CXX_METHOD):
        ctx.fail(f"call of '{c.spelling or target.spelling}'", c)
    if target.kind is K.CXX_METHOD:
        callee = queries.unwrap(operands(c)[0])
        if callee.kind is K.MEMBER_REF_EXPR and any(map(queries.has_effects, operands(callee))):
            ctx.fail(f"call of the static function '{target.spelling}' on an object with side effects", c)
    return _named(ctx, c, target, arguments, want, as_place)


def passed_on(c: Cursor) -> Cursor | None:
    """The object that std::move and the like refer to."""
    target, arguments = c.referenced, list(c.get_arguments())
    if target is None or target.spelling not in ("move", "forward", "as_const") or len(arguments) != 1:
        return None
    return arguments[0] if in_std(target) else None


def _direct(ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor], want: bool) -> Value:
    v = _named(ctx, c, target, arguments, want, as_place=False)
    return access.read(ctx, v, c) if isinstance(v, Place) else v


def _named(
    ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor], want: bool, as_place: bool
) -> Value | Place:
    """A call of the function that `target` declares."""
    name = target.spelling
    try:
        model = models.choose(ctx.unit.models.get(name, []), target)
    except models.Ambiguous:
        ctx.fail(f"call to '{name}', of which several models have other parameters", c, "give one with its parameters")
    if model is not None:
        return _user(ctx, c, model, arguments, want, as_place, from_model=True)
    definition = target.get_definition()
    library = target.location.file is None or in_system_header(target.location)
    known = target.location.file is None or in_std(target) or builtins.is_of_c(target)
    as_library = known and (library or definition is None)
    if definition is None and intrinsics.is_intrinsic(target):
        return intrinsics.call(ctx, c, target, arguments)
    if as_library:
        result = builtins.call(ctx, c, target, arguments)
        if result is not None:
            return result
    if library or definition is None:
        _refuse_effects(ctx, c, name)
    if definition is None and not library:
        definition = _elsewhere(ctx, c, target)
    if definition is None and not library:
        ctx.fail(f"call to external function '{name}' has no body here", c, _BODY)
    if definition is not None and not library:
        return _user(ctx, c, definition, arguments, want, as_place, from_model=False)
    try:
        # Simple algorithms of the standard library are ordinary templates.
        if definition is not None:
            return _user(ctx, c, definition, arguments, want, as_place, from_model=False)
    except Unsupported:
        pass
    ctx.fail(f"call to library function '{name}'", c, "give a model with --model")


def _refuse_effects(ctx: Context, c: Cursor, name: str) -> None:
    """Raises Unsupported for a function of the library that does more than to return a value."""
    if name in _IO:
        ctx.fail(f"call to the input/output function '{name}'", c, "remove it or move it out of this function")
    if name in _JUMPS:
        ctx.fail(f"call to '{name}'", c)
    if name in _ENDS:
        ctx.fail(f"call to '{name}', which ends the program", c)


def _elsewhere(ctx: Context, c: Cursor, target: Cursor) -> Cursor | None:
    """The definition of a function in a folder of sources that was given."""
    if ctx.unit.sources is None:
        return None
    try:
        found = ctx.unit.sources.definition(target)
    except Unclear as problem:
        ctx.fail(f"call to '{target.spelling}', {problem}", c, _BODY)
    if found is not None:
        ctx.note(f"'{target.spelling}' is what {found.location.file.name} defines")
    return found


def _user(
    ctx: Context,
    c: Cursor,
    definition: Cursor,
    arguments: list[Cursor],
    want: bool,
    as_place: bool,
    from_model: bool,
) -> Value | Place:
    symbol = queries.key(definition)
    if symbol in ctx.unit.active:
        ctx.fail(f"recursion (call to '{definition.spelling}')", c)
    type_ = definition.type.get_canonical()  # a typedef may declare its head: `static row_func blur;`
    if type_.kind is not TypeKind.FUNCTIONPROTO:
        ctx.fail(f"call to '{definition.spelling}', which is defined without a prototype", c)
    if type_.is_function_variadic():
        ctx.fail(f"call to the variadic function '{definition.spelling}'", c)
    attributes = (k for k in children(definition) if k.kind is K.UNEXPOSED_ATTR)
    if any("weak" in t.spelling for k in attributes for t in k.get_tokens()):
        ctx.fail(f"call to '{definition.spelling}', which is weak: another may be linked in its place", c)
    if want and not as_place:
        function = pure_functions.function(ctx, definition, from_model)
        if function is not None:
            values = evaluated.scalars(ctx, arguments)
            values = [op.cast(v, t) for v, (_, t) in zip(values, function.params, strict=True)]
            return Call(function.type, function.name, tuple(values), CallType.FUNCTION)
    body = next((k for k in children(definition) if k.kind is K.COMPOUND_STMT), None)
    if body is None:
        ctx.fail(f"call to '{definition.spelling}', whose body is not a plain block", c)
    parameters = list(definition.get_arguments())
    return inline.function(ctx, c, definition, parameters, body, arguments, as_place)


def _constructed(ctx: Context, c: Cursor, arguments: list[Cursor]) -> Value:
    if classes.is_plain(c.type):
        made = records.create(ctx, c.type, "t", c)
        initialisation.construct(ctx, c, made)
        destructors.check(ctx, made, c)
        return access.load(ctx, made, c)
    if classes.container(c.type):
        return new_vectors.made(ctx, "t", c.type, c, c)
    # Copies of iterators, which are pointers here.
    if len(arguments) == 1:
        v = descent.value(ctx, arguments[0])
        if isinstance(v, Pointer | Lambda):
            return v
    ctx.fail(queries.describe(c.type), c)


def _method(
    ctx: Context, c: Cursor, target: Cursor, arguments: list[Cursor], want: bool, as_place: bool
) -> Value | Place:
    name = target.spelling
    if name in ("operator<<", "operator>>") and in_system_header(target.location):
        ctx.fail(f"call to the input/output function '{name}'", c, "remove it or move it out of this function")
    written = re.match(r"operator\W", name) and len(arguments) > len(list(target.get_arguments()))
    if written and target.kind is not K.CONVERSION_FUNCTION:
        receiver, rest = arguments[0], arguments[1:]
    else:
        members = operands(c)
        inner = operands(members[0]) if members else []
        receiver, rest = inner[0] if inner and _is_object(inner[0], members[0]) else None, arguments
    owner = target.semantic_parent
    if target.is_virtual_method():
        ctx.fail(f"call to the virtual function '{name}'", c)
    if receiver is None or classes.is_plain(_class_of(receiver)):
        return _of_record(ctx, c, target, receiver, rest, as_place)
    if name == "operator()" or classes.is_container(owner):
        thing = descent.value(ctx, receiver)
        if isinstance(thing, Lambda):
            return lambdas.call(ctx, c, thing, rest, as_place)
        if isinstance(thing, Vector | Rows):
            return vector_methods.method(ctx, c, thing, name, rest, as_place)
    ctx.fail(f"call to the member function '{name}'", c)


def _is_object(c: Cursor, whole: Cursor) -> bool:
    """Whether what stands first in a member access is the object, and not an argument of a member template."""
    record = types.canonical(_class_of(c)).kind is TypeKind.RECORD
    return record and bool(c.extent.start == whole.extent.start)


def _class_of(receiver: Cursor) -> ClangType:
    return types.pointee(receiver.type) if types.is_pointer(receiver.type) else receiver.type


def _of_record(
    ctx: Context, c: Cursor, target: Cursor, receiver: Cursor | None, arguments: list[Cursor], as_place: bool
) -> Value | Place:
    """A call of a member function of a structure or class of the user's."""
    name = target.spelling
    definition, body = classes.body_of(target)
    if body is None and name == "operator=" and receiver is not None and classes.is_implicit(target):
        v = descent.value(ctx, arguments[0])
        if not isinstance(v, Record):
            ctx.fail(queries.describe(arguments[0].type), c)
        classes.check_copy(ctx, v.type, c)
        held = ctx.hold_all(expressions_of(v))
        place = members.object_of(ctx, receiver)
        v = with_expressions(v, ctx.release_all(held)) if held else v
        access.write(ctx, place, v, c)
        return place if as_place else Nothing()
    copied = ctx.copied_references
    owner = members.this(ctx, c) if receiver is None else members.object_of(ctx, receiver)
    if ctx.copied_references > copied:
        ctx.fail(f"call of '{name}' on one of several objects", c)
    if body is None:
        ctx.fail(f"call to the member function '{name}', which has no body here", c, _BODY)
    if isinstance(owner, ElementPlace):
        offset = ctx.settled(owner.pointer.offset)
        owner = ElementPlace(pointers.frozen(ctx, replace(owner.pointer, offset=offset), "self"))
    if queries.key(definition) in ctx.unit.active:
        ctx.fail(f"recursion (call to '{name}')", c)
    parameters = list(definition.get_arguments())
    return inline.function(ctx, c, definition, parameters, body, arguments, as_place, owner)
