"""Inlining of calls."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const_value
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import children, preorder
from lifter.frontend.clang.queries import key, modified_in
from lifter.frontend.lowering import cautions, evaluated, evaluation_order, new_vectors, structured_exits
from lifter.frontend.objects import access, conversions, pointers, records, registers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Frame, Held
from lifter.frontend.state.values import (
    Alias,
    Allocation,
    BitsPlace,
    ElementPlace,
    Lambda,
    LanesPlace,
    Nothing,
    PartPlace,
    PartPointer,
    Place,
    Pointer,
    PointerAddress,
    PointerArray,
    PointerElement,
    PointerPlace,
    Pointers,
    Record,
    RecordPlace,
    RecordPointer,
    Rows,
    RowTable,
    Value,
    VariablePlace,
    Vector,
    expressions_of,
    with_expressions,
)
from lifter.ir.loop_ir import Assign, Stmt, walk
from lifter.simd.lanes import Lanes

K = CursorKind


def function(
    ctx: Context,
    c: Cursor,
    definition: Cursor,
    parameters: list[Cursor],
    body: Cursor,
    arguments: list[Cursor],
    as_place: bool,
    this: Place | None = None,
    prologue: Callable[[], None] | None = None,
) -> Value | Place:
    """The call's value, with the callee's statements emitted.

    `this` is the object of a member function; `prologue` runs before the body: a constructor's initialisers."""
    cautions.check(ctx, definition, c)
    line = ctx.line
    changed = modified_in(ctx, body)
    ctx.changed |= changed
    copied, existing = ctx.copied_references, frozenset({*ctx.locals, *ctx.parameters, *ctx.arrays})
    values = _arguments(ctx, c, definition, parameters, arguments)
    for p, v in zip(parameters, values, strict=True):
        _bind(ctx, p, v, changed)
    frame = Frame(
        definition,
        inlined=True,
        label=ctx.new_label(),
        by_reference=as_place or types.scalar(definition.result_type) is None,
        this=this,
    )
    keeps = ctx.copied_references > copied
    if keeps:
        if prologue is not None:
            ctx.fail("constructor that may keep a reference to one of several values", c)
        ctx.kept.append(existing)
    try:
        block = _statements(ctx, frame, body, prologue)
    finally:
        if keeps:
            ctx.kept.pop()
            ctx.copied_references = copied
    ends = [*frame.returns, *([ctx.targets] if ctx.alive else [])]
    ctx.targets, ctx.alive = ctx.merge(ends), True
    ctx.line = line
    return _result(ctx, c, frame, structured_exits.eliminate(ctx, block, frame.label), as_place)


def _arguments(
    ctx: Context, c: Cursor, definition: Cursor, parameters: list[Cursor], arguments: list[Cursor]
) -> list[Value | Place]:
    """The values of a call's arguments, which C++ evaluates in no particular order, and of those that it leaves out."""
    parts, given = evaluation_order.Operands(ctx), []
    arguments = [*arguments, *(a for p in parameters[len(arguments) :] if (a := default_argument(p)) is not None)]
    for p, a in zip(parameters, arguments, strict=False):
        default = default_argument(p)
        if default is not None and a.kind is K.UNEXPOSED_EXPR and a.extent.start.file is None:
            a = default  # what a call leaves out has no place in the source
        given.append(_argument(ctx, p, a))
        parts.done(*(h.value for h in given[-1][1]))
    parts.check()
    if len(parameters) != len(arguments):
        ctx.fail(f"call to '{definition.spelling}' with default arguments", c)
    values = [_release(ctx, v, h) for v, h in reversed(given)][::-1]
    values = [_settled(ctx, v, values, i) for i, v in enumerate(values)]
    ctx.flush()
    return values


def _statements(ctx: Context, frame: Frame, body: Cursor, prologue: Callable[[], None] | None) -> list[Stmt]:
    """What the function's body emits."""
    ctx.unit.active.append(key(frame.cursor))
    ctx.frames.append(frame)
    loops, ctx.loops = ctx.loops, []
    try:
        with ctx.collecting() as block:
            if prologue is not None:
                prologue()
            descent.statement(ctx, body)
            ctx.flush()
    finally:
        ctx.loops = loops
        ctx.frames.pop()
        ctx.unit.active.pop()
    return block


def _argument(ctx: Context, parameter: Cursor, argument: Cursor) -> tuple[Value | Place, list[Held]]:
    v: Value | Place
    record = types.canonical(parameter.type).kind is TypeKind.RECORD
    if types.is_reference(parameter.type) and (not record or classes.is_plain(parameter.type)):
        temporary = types.is_const(types.canonical(parameter.type)) or _is_rvalue_reference(parameter)
        if temporary and not record and queries.unwrap(argument).kind is K.CONDITIONAL_OPERATOR:
            # It may be one of two objects: a copy will do as long as neither changes.
            ctx.copied_references += 1
            wanted = queries.scalar_type(ctx, parameter.type, argument)
            return access.temporary(ctx, op.cast(evaluated.scalar(ctx, argument), wanted)), []
        v = descent.place(ctx, argument, temporary)
        return v, ctx.hold_all(_expressions_of(v), unsequenced=True)
    v = descent.value(ctx, argument)
    if isinstance(v, Expr):
        type_ = types.scalar(parameter.type)
        if type_ is not None:
            v = op.cast(v, type_)
        elif types.is_pointer(parameter.type) or types.is_array(parameter.type):
            v = conversions.convert(ctx, v, parameter.type, argument)
    if isinstance(v, Allocation | Nothing):
        ctx.fail(queries.describe(argument.type), argument)
    return v, ctx.hold_all(_expressions_of(v), unsequenced=True)


def default_argument(parameter: Cursor) -> Cursor | None:
    """The expression that a parameter takes where a call leaves it out."""
    parts = [k for k in children(parameter) if k.kind.is_expression() or k.kind is K.UNEXPOSED_EXPR]
    return parts[-1] if parts and not types.is_array(parameter.type) else None


def _is_rvalue_reference(parameter: Cursor) -> bool:
    return bool(parameter.type.get_canonical().kind is TypeKind.RVALUEREFERENCE)


def _release(ctx: Context, v: Value | Place, held: list[Held]) -> Value | Place:
    return _replaced(v, ctx.release_all(held)) if held else v


def _settled(ctx: Context, v: Value | Place, values: list[Value | Place], index: int) -> Value | Place:
    # Binding one parameter assigns a fresh local, which no other argument reads; only pending effects matter.
    if not ctx.pending:
        return v
    held = [ctx.hold_all(_expressions_of(other)) for other in values]
    ctx.flush()
    for i in reversed(range(len(values))):
        values[i] = _release(ctx, values[i], held[i])
    return values[index]


def _expressions_of(v: Value | Place) -> tuple[Expr, ...]:
    if isinstance(v, ElementPlace):
        return (v.pointer.offset,)
    if isinstance(v, PartPlace):
        return expressions_of(v.pointer)
    kept = VariablePlace | PointerPlace | PointerElement | LanesPlace | RecordPlace | BitsPlace
    return () if isinstance(v, kept) else expressions_of(v)


def _replaced(v: Value | Place, new: tuple[Expr, ...]) -> Value | Place:
    if isinstance(v, ElementPlace):
        return ElementPlace(replace(v.pointer, offset=new[0]))
    if isinstance(v, PartPlace):
        return PartPlace(PartPointer(replace(v.pointer.whole, offset=new[0]), new[1]))
    kept = VariablePlace | PointerPlace | PointerElement | LanesPlace | RecordPlace | BitsPlace
    return v if isinstance(v, kept) else with_expressions(v, new)


def _bind(ctx: Context, parameter: Cursor, v: Value | Place, changed: Container[int]) -> None:
    constant = parameter.hash not in changed
    name = parameter.spelling
    if isinstance(v, Expr):
        if constant and ctx.is_stable(v):
            ctx.bind(parameter, Alias(v))
            return
        local = ctx.new_local(name, v.type)
        if constant:
            ctx.stable.add(local)
        ctx.assign(local, v)
        ctx.bind(parameter, VariablePlace(local, v.type))
    elif isinstance(v, Pointer):
        bind_pointer(ctx, parameter, v, constant)
    elif isinstance(v, ElementPlace):
        ctx.bind(parameter, ElementPlace(pointers.frozen(ctx, v.pointer, name)))
    elif isinstance(v, PartPlace):
        ctx.bind(parameter, pointers.referred(ctx, v, name))
    elif isinstance(v, VariablePlace | PointerPlace | PointerElement | LanesPlace | RecordPlace | BitsPlace):
        ctx.bind(parameter, v)
    elif isinstance(v, Record):
        ctx.bind(parameter, records.copied(ctx, v, name, parameter))
    elif isinstance(v, RecordPointer | RowTable | PointerAddress) and not constant:
        ctx.fail(f"pointer '{name}' to a structure or a pointer, which is changed", parameter)
    elif isinstance(v, Lanes):
        if constant and all(ctx.is_stable(e) for e in v.parts):
            ctx.bind(parameter, Alias(v))
            return
        ctx.bind(parameter, registers.temporary(ctx, v, name))
    else:
        if isinstance(v, Vector) and const_value(v.offset) is None:
            v = replace(v, offset=ctx.temporary(v.offset, name or "row"))
        if isinstance(v, PartPointer):
            if not constant:
                ctx.fail(f"pointer '{name}' to part of an element, which is changed", parameter)
            v = pointers.frozen_part(ctx, v, name)
        whole = Vector | Rows | RowTable | Lambda | Pointers | PointerArray | RecordPointer | PointerAddress
        assert isinstance(v, whole | PartPointer)
        ctx.bind(parameter, Alias(v))


def bind_pointer(ctx: Context, declaration: Cursor, v: Pointer, constant: bool) -> None:
    """Bind a pointer variable to its first value: by itself if it is constant and simple, else in a local."""
    name = declaration.spelling
    pointee = types.pointee(declaration.type)
    of_scalar = any(t.startswith("&") for t in v.targets)
    if constant and (ctx.is_stable(v.offset) or of_scalar):
        ctx.bind(declaration, Alias(replace(v, pointee=_seen_as(v, pointee), name=name)))
        return
    local = ctx.new_local(name, I64)
    if constant:
        ctx.stable.add(local)
    ctx.assign_pointer(local, v, declaration)
    ctx.point(local, v.targets)
    ctx.bind(declaration, PointerPlace(local, _seen_as(v, pointee), name))


def _seen_as(v: Pointer, pointee: ClangType) -> ClangType:
    return v.pointee if types.is_void(pointee) else pointee


def returned(ctx: Context, c: Cursor, frame: Frame, result: Cursor | None) -> None:
    """A return statement of a function being inlined."""
    if result is not None:
        wanted = frame.cursor.result_type
        if types.is_reference(wanted) and frame.by_reference:
            v: Value
            if classes.container(wanted):
                v = evaluated.container(ctx, result)
            else:
                v = pointers.pointer_to(ctx, descent.place(ctx, result), types.canonical(wanted), result)
        elif classes.container(wanted):
            v = new_vectors.returned(ctx, wanted, result)
        else:
            v = conversions.convert(ctx, descent.value(ctx, result), wanted, result)
        v = conversions.kept(ctx, v, wanted)
        if isinstance(v, Pointer):
            v = replace(v, offset=ctx.settled(v.offset))
            frame.result = frame.result or ctx.new_local(f"{frame.cursor.spelling}_result", I64)
            frame.pointee = v.pointee
            ctx.assign_pointer(frame.result, v, result)
            ctx.point(frame.result, v.targets)
        elif isinstance(v, Expr):
            v = ctx.settled(v)
            frame.result = frame.result or ctx.new_local(f"{_identifier(frame.cursor)}_result", v.type)
            ctx.assign(frame.result, v)
        elif isinstance(v, Lanes):
            held = ctx.hold_all(v.parts)
            ctx.flush()
            v = Lanes(ctx.release_all(held))
            hint = f"{_identifier(frame.cursor)}_result"
            if not frame.lanes:
                returns = sum(k.kind is K.RETURN_STMT for k in preorder(frame.cursor))
                frame.lanes = replace(registers.new_place(ctx, hint, v.bits, v.type), once=returns == 1)
            registers.write(ctx, frame.lanes, v)
        elif isinstance(v, Record):
            if queries.may_be_elided(result):
                ctx.fail(f"object of '{wanted.spelling}' returned, which its own constructor may copy", result)
            v = evaluated.settled(ctx, v)
            assert isinstance(v, Record)
            frame.record = frame.record or records.create(ctx, wanted, f"{_identifier(frame.cursor)}_result", c)
            access.store(ctx, frame.record, v, c)
        elif isinstance(v, RecordPointer | Lambda | Vector | Rows):
            if frame.returned is not None and not _same(frame.returned, v):
                ctx.fail(f"function returning one of several {queries.describe(wanted)}", c)
            frame.returned = v
        elif not isinstance(v, Nothing):
            ctx.fail(f"function returning a {queries.describe(wanted)}", c)
    ctx.flush()
    ctx.emit(structured_exits.Leave(ctx.line, frame.label))
    frame.returns.append(dict(ctx.targets))
    ctx.alive = False


def _same(a: Value, b: Value) -> bool:
    """Whether two values that stand for objects stand for the same one."""
    if isinstance(a, RecordPointer) and isinstance(b, RecordPointer):
        return a.place is b.place
    if isinstance(a, Lambda) and isinstance(b, Lambda):
        return bool(a.cursor == b.cursor) and a.this is b.this and a.captured == b.captured
    if isinstance(a, Vector | Rows) and isinstance(b, Vector | Rows):
        return a.array == b.array and a.size == b.size != ""
    return False


def _identifier(c: Cursor) -> str:
    name = str(c.spelling)
    return name if name.isidentifier() else "call"


def _result(ctx: Context, c: Cursor, frame: Frame, block: list[Stmt], as_place: bool) -> Value | Place:
    wanted = frame.cursor.result_type
    if frame.lanes is not None:
        ctx.block.extend(block)
        return registers.read(ctx, frame.lanes)
    if frame.record is not None:
        ctx.block.extend(block)
        return frame.record if as_place else access.load(ctx, frame.record, c)
    if frame.returned is not None:
        ctx.block.extend(block)
        v = frame.returned
        if isinstance(v, RecordPointer) and types.is_reference(wanted):
            return v.place if as_place else access.load(ctx, v.place, c)
        return v
    if types.is_void(wanted) or not frame.result:
        ctx.block.extend(block)
        return Nothing()
    type_ = ctx.locals[frame.result]
    e: Expr = Variable(type_, frame.result)
    last = block[-1] if block else None
    if (
        isinstance(last, Assign)
        and last.name == frame.result
        and sum(isinstance(s, Assign) and s.name == frame.result for s in walk(block)) == 1
    ):
        # The only return is the last statement: no local is needed.
        e = last.value
        del ctx.locals[frame.result]
        ctx.used.discard(frame.result)
        block = block[:-1]
    ctx.block.extend(block)
    if frame.pointee is None:
        return e
    p = Pointer(ctx.targets.get(frame.result, frozenset()), e, frame.pointee)
    if types.is_reference(wanted):
        target = ElementPlace(p)
        return target if as_place else access.read(ctx, target, c)
    return p
