"""Statements."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr, Variable, const_value, make_bool
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import children, operands
from lifter.frontend.lowering import declarations, expressions, initialisation, inline, loops, structured_exits
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context, Jumps, Targets
from lifter.frontend.objects import new_vectors
from lifter.frontend.objects.values import Nothing, Rows, Value
from lifter.ir.loop_ir import Break, Continue, Define, Return, Stmt
from lifter.support import deadline

K = CursorKind
_UNSUPPORTED = {
    K.INDIRECT_GOTO_STMT: "goto to a computed address",
    K.ASM_STMT: "inline assembly",
    K.MS_ASM_STMT: "inline assembly",
    K.CXX_TRY_STMT: "exception handling (try)",
    K.CXX_CATCH_STMT: "exception handling (catch)",
    K.SEH_TRY_STMT: "exception handling (__try)",
}
_ADVICE = {"inline assembly": "put it into a function of its own and give a model of that with --model"}


def statement(ctx: Context, c: Cursor) -> None:
    """Lower one statement; nothing is emitted for a statement that cannot be reached."""
    deadline.check()
    if not ctx.alive:
        return
    ctx.at(c)
    kind = c.kind
    if kind is K.COMPOUND_STMT:
        _compound(ctx, children(c))
    elif kind is K.DECL_STMT:
        for inner in children(c):
            declarations.declare(ctx, inner)
    elif kind is K.IF_STMT:
        _if(ctx, c)
    elif kind is K.FOR_STMT:
        loops.for_(ctx, c)
    elif kind is K.WHILE_STMT:
        loops.while_(ctx, c)
    elif kind is K.DO_STMT:
        loops.do(ctx, c)
    elif kind is K.CXX_FOR_RANGE_STMT:
        loops.for_range(ctx, c)
    elif kind is K.SWITCH_STMT:
        _switch(ctx, c)
    elif kind is K.RETURN_STMT:
        _return(ctx, c)
    elif kind is K.BREAK_STMT:
        _break(ctx, c)
    elif kind is K.CONTINUE_STMT:
        _continue(ctx, c)
    elif kind is K.GOTO_STMT:
        _goto(ctx, c)
    elif kind is K.NULL_STMT:
        pass
    elif kind is K.LABEL_STMT:
        for inner in operands(c):
            statement(ctx, inner)
    elif kind in _UNSUPPORTED:
        what = _UNSUPPORTED[kind]
        ctx.fail(what, c, _ADVICE.get(what, ""))
    elif kind.is_expression() or kind is K.UNEXPOSED_EXPR:
        expressions.discard(ctx, c)
        ctx.flush()
    elif kind.is_statement() and kind.name == "UNEXPOSED_STMT" and len(operands(c)) == 1:
        # A statement with attributes.
        statement(ctx, operands(c)[0])
    else:
        ctx.fail(f"statement ({kind.name.lower().replace('_', ' ')})", c)


def _compound(ctx: Context, parts: list[Cursor]) -> None:
    # A jump forward to a label of this block leaves what is before the label.
    last = max((i for i, p in enumerate(parts) if p.kind is K.LABEL_STMT), default=-1)
    if last >= 0:
        mark, states = ctx.gotos[parts[last].hash] = (ctx.new_label(), [])
        with ctx.collecting() as block:
            _compound(ctx, parts[:last])
        del ctx.gotos[parts[last].hash]
        ctx.block.extend(structured_exits.eliminate(ctx, block, mark))
        join(ctx, [*states, *([dict(ctx.targets)] if ctx.alive else [])])
        for inner in operands(parts[last]):
            statement(ctx, inner)
    for inner in parts[last + 1 :]:
        statement(ctx, inner)


def _goto(ctx: Context, c: Cursor) -> None:
    target = next((k.referenced for k in children(c) if k.referenced is not None), None)
    known = ctx.gotos.get(target.hash) if target is not None else None
    if known is None:
        ctx.fail("goto backwards or into a block", c, "use a loop")
    mark, states = known
    states.append(dict(ctx.targets))
    ctx.emit(structured_exits.Leave(ctx.line, mark))
    ctx.alive = False


def path(ctx: Context, make: Callable[[], None]) -> tuple[list[Stmt], Targets | None]:
    """What one branch emits, and what is known of pointers at its end: None if the end is not reached."""
    before = dict(ctx.targets)
    with ctx.collecting() as block:
        make()
        ctx.flush()
    after = ctx.targets if ctx.alive else None
    ctx.targets, ctx.alive = before, True
    return block, after


def join(ctx: Context, ends: list[Targets | None]) -> None:
    """Go on where several paths meet."""
    reached = [e for e in ends if e is not None]
    ctx.alive = bool(reached)
    if reached:
        ctx.targets = ctx.merge(reached)


def _if(ctx: Context, c: Cursor) -> None:
    parts = children(c)
    while parts and parts[0].kind is K.DECL_STMT:
        statement(ctx, parts.pop(0))
    if parts and parts[0].kind is K.VAR_DECL:
        declarations.declare(ctx, parts.pop(0))
    if _begins_with_expression(c, parts) or not (ctx.unit.is_c or types.is_bool(parts[0].type)):
        ctx.fail("if with an expression before its condition", c, "put it in front of the if")
    line = ctx.line
    condition = ctx.settled(expressions.condition(ctx, parts[0]))
    known = const_value(condition)
    if known is not None:
        taken = parts[1] if known else (parts[2] if len(parts) > 2 else None)
        if taken is not None:
            statement(ctx, taken)
        return
    then, after_then = path(ctx, lambda: statement(ctx, parts[1]))
    otherwise: list[Stmt] = []
    after_otherwise: Targets | None = dict(ctx.targets)
    if len(parts) > 2:
        otherwise, after_otherwise = path(ctx, lambda: statement(ctx, parts[2]))
    ctx.line = line
    ctx.branch(condition, then, otherwise)
    join(ctx, [after_then, after_otherwise])


def _begins_with_expression(c: Cursor, parts: list[Cursor]) -> bool:
    """Whether an `if` evaluates something before its condition, which the tree does not tell from its arms."""
    start, end = parts[0].extent.end.offset, parts[1].extent.start.offset
    between = (t for t in c.get_tokens() if start <= t.extent.start.offset < end)
    return len(parts) > 2 and any(t.spelling == ";" for t in between)


def _return(ctx: Context, c: Cursor) -> None:
    frame = ctx.frames[-1]
    parts = operands(c)
    result = parts[0] if parts else None
    if frame.inlined:
        inline.returned(ctx, c, frame, result)
        return
    value: Expr | None = None
    if result is not None and classes.container(frame.cursor.result_type):
        _return_container(ctx, frame.cursor.result_type, result)
        return
    if result is not None and not types.is_void(frame.cursor.result_type):
        v = expressions.value(ctx, result)
        if not isinstance(v, Expr):
            ctx.fail(f"return of a {queries.describe(frame.cursor.result_type)}", c)
        value = ctx.settled(op.cast(v, queries.scalar_type(ctx, frame.cursor.result_type, c)))
    elif result is not None:
        expressions.discard(ctx, result)
    ctx.flush()
    ctx.emit(Return(ctx.line, value))
    ctx.alive = False


def _return_container(ctx: Context, t: ClangType, result: Cursor) -> None:
    """The elements are in the caller's memory, and there are as many as the caller has been told."""
    v = new_vectors.returned(ctx, t, result)
    if v.array != ctx.result_array:
        if ctx.result_array:
            ctx.fail("several containers returned", result)
        ctx.result_wanted = True
        v = new_vectors.copied(ctx, "result", v, result)
    ctx.flush()
    sizes = (v.count, v.pitch) if isinstance(v, Rows) else (v.length,)
    for name, size in zip(ctx.result_extents, sizes, strict=True):
        ctx.emit(Define(ctx.line, name, size))
    ctx.emit(Return(ctx.line, None))
    ctx.alive = False


def _break(ctx: Context, c: Cursor) -> None:
    if not ctx.loops:
        ctx.fail("break outside a loop", c)
    innermost = ctx.loops[-1]
    innermost.breaks.append(dict(ctx.targets))
    ctx.emit(structured_exits.Leave(ctx.line, innermost.switch) if innermost.switch else Break(ctx.line))
    ctx.alive = False


def _continue(ctx: Context, c: Cursor) -> None:
    target = next((j for j in reversed(ctx.loops) if not j.switch), None)
    if target is None:
        ctx.fail("continue outside a loop", c)
    target.continues.append(dict(ctx.targets))
    ctx.emit(Continue(ctx.line))
    ctx.alive = False


def statement_expression(ctx: Context, body: Cursor) -> Value:
    """The value of GNU's ({ statements; value; })."""
    parts = children(body)
    for inner in parts[:-1]:
        statement(ctx, inner)
    if not parts or not (parts[-1].kind.is_expression() or parts[-1].kind is K.UNEXPOSED_EXPR):
        if parts:
            statement(ctx, parts[-1])
        return Nothing()
    return initialisation.settled(ctx, expressions.value(ctx, parts[-1]))


# Switch


def _switch(ctx: Context, c: Cursor) -> None:
    parts = children(c)
    if len(parts) != 2 or parts[1].kind is not K.COMPOUND_STMT:
        ctx.fail("switch of this form", c)
    line = ctx.line
    selector = ctx.settled(expressions.scalar(ctx, parts[0]))
    if not isinstance(selector, Variable) and const_value(selector) is None:
        selector = ctx.temporary(selector, "selector")
    segments = _segments(ctx, parts[1])
    jumps = Jumps(switch=ctx.new_label())
    ctx.loops.append(jumps)
    ends: list[Targets | None] = []
    branches: list[tuple[Expr | None, list[Stmt]]] = []
    for position, (labels, _) in enumerate(segments):
        following = [s for _, group in segments[position:] for s in group]

        def body(following: list[Cursor] = following) -> None:
            for s in following:
                statement(ctx, s)

        block, after = path(ctx, body)
        ends.append(after)
        condition: Expr | None = make_bool(False)
        for label in labels:
            condition = None if label is None or condition is None else op.disjunction(condition, label(selector))
        branches.append((condition, structured_exits.eliminate(ctx, block, jumps.switch)))
    ctx.loops.pop()
    ctx.line = line
    default = next((block for condition, block in branches if condition is None), None)
    if default is None:
        ends.append(dict(ctx.targets))
    out: list[Stmt] = default or []
    for condition, block in reversed(branches):
        if condition is None:
            continue
        with ctx.collecting() as one:
            ctx.branch(condition, block, out)
        out = one if block or out else []
    ctx.block.extend(out)
    join(ctx, [*ends, *jumps.breaks])


Label = Callable[[Expr], Expr] | None


def _segments(ctx: Context, body: Cursor) -> list[tuple[list[Label], list[Cursor]]]:
    """The statements after each group of labels; a label is a test of the selector, None the default."""
    out: list[tuple[list[Label], list[Cursor]]] = []
    for s in children(body):
        labels: list[Label] = []
        while s.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            parts = children(s)
            labels.append(_label(ctx, parts) if s.kind is K.CASE_STMT else None)
            s = parts[-1]
        if labels:
            out.append((labels, []))
        if not out:
            if s.kind is K.DECL_STMT:
                continue
            ctx.fail("statement before the first case of a switch", s)
        out[-1][1].append(s)
    return out


def _label(ctx: Context, parts: list[Cursor]) -> Label:
    values = [expressions.scalar(ctx, p) for p in parts[:-1]]
    if len(values) == 1:
        return lambda e: op.binary("==", e, op.cast(values[0], e.type))
    low, high = values
    return lambda e: op.conjunction(op.binary(">=", e, op.cast(low, e.type)), op.binary("<=", e, op.cast(high, e.type)))
