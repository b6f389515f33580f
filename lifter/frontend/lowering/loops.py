"""Loops."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind, TokenKind

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import children
from lifter.frontend.lowering import branches, evaluated, new_vectors, unroll
from lifter.frontend.objects import access, pointers, records, vectors
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Jumps, Targets
from lifter.frontend.state.values import Alias, Container, ElementPlace, Pointer, Record, Rows, VariablePlace, Vector
from lifter.ir.loop_ir import Assign, Break, Continue, If, Loop, Stmt

K = CursorKind
_Make = Callable[[], None]


def for_(ctx: Context, c: Cursor) -> None:
    """for (init; condition; step) body."""
    init, condition, step = _for_parts(ctx, c)
    body = children(c)[-1]
    if unroll.unrolled(ctx, init, condition, step, body):
        return
    if init is not None:
        descent.statement(ctx, init)

    def do_step() -> None:
        if step is not None:
            descent.discard(ctx, step)

    _loop(ctx, c, condition, lambda: descent.statement(ctx, body), do_step)


def while_(ctx: Context, c: Cursor) -> None:
    """while (condition) body."""
    parts = children(c)
    if len(parts) != 2:
        ctx.fail("declaration in the condition of a while loop", c)
    _loop(ctx, c, parts[0], lambda: descent.statement(ctx, parts[1]), lambda: None)


def do(ctx: Context, c: Cursor) -> None:
    """do body while (condition)."""
    body, condition = children(c)
    if queries.is_once(c):
        return descent.statement(ctx, body)
    _loop(ctx, c, condition, lambda: descent.statement(ctx, body), lambda: None, test_first=False)


def _for_parts(ctx: Context, c: Cursor) -> tuple[Cursor | None, Cursor | None, Cursor | None]:
    parts = children(c)[:-1]
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    if len(parts) > 3:
        ctx.fail("declaration in the condition of a for loop", c)
    if not parts:
        return None, None, None
    # The AST leaves missing parts out; the semicolons say which they are.
    depth, ends, last = 0, [], 0
    tokens = list(c.get_tokens())
    if [t.spelling for t in tokens[:2]] != ["for", "("]:
        ctx.fail("for loop with missing parts inside a macro", c)
    for token in tokens:
        if token.kind is not TokenKind.PUNCTUATION:
            continue
        if token.spelling in ("(", "{", "["):
            depth += 1
        elif token.spelling in (")", "}", "]"):
            depth -= 1
            if depth == 0:
                last = token.extent.start.offset
                break
        elif token.spelling == ";" and depth == 1:
            ends.append(token.extent.start.offset)
    inside = all(tokens[1].extent.start.offset < p.extent.start.offset < last for p in parts)
    if len(ends) != 2 or not inside:
        ctx.fail("for loop with missing parts inside a macro", c)
    out: list[Cursor | None] = [None, None, None]
    for part in parts:
        start = part.extent.start.offset
        out[0 if start < ends[0] else 1 if start < ends[1] else 2] = part
    return out[0], out[1], out[2]


def _loop(ctx: Context, c: Cursor, condition: Cursor | None, body: _Make, step: _Make, test_first: bool = True) -> None:
    line = ctx.line
    outer_names = set(ctx.locals) | set(ctx.targets)
    state = ctx.snapshot()
    head: Targets = dict(ctx.targets)
    while True:
        ctx.line = line
        loop, back, exit_ = _once(ctx, condition, body, step, test_first, dict(head))
        merged = ctx.merge([head, *([back] if back is not None else [])])
        if all(merged[name] == head.get(name) for name in merged if name in outer_names):
            break
        head = {name: targets for name, targets in merged.items() if name in outer_names}
        ctx.restore(state)
    ctx.line = line
    ctx.alive = True
    if not test_first and const_value(loop.condition) == 0 and not loop.prelude and not _jumps_out(loop.body):
        # do { ... } while (0) of a macro.
        ctx.block.extend(loop.body)
    else:
        ctx.emit(loop)
    branches.join(ctx, exit_)


def _jumps_out(body: tuple[Stmt, ...]) -> bool:
    for s in body:
        if isinstance(s, Break | Continue):
            return True
        if isinstance(s, If) and (_jumps_out(s.then) or _jumps_out(s.otherwise)):
            return True
    return False


def _once(
    ctx: Context, condition: Cursor | None, body: _Make, step: _Make, test_first: bool, head: Targets
) -> tuple[Loop, Targets | None, list[Targets | None]]:
    """The loop lowered once: with the targets on the way back to its head and at its exits."""
    jumps = Jumps()
    ctx.loops.append(jumps)
    line = ctx.line
    ctx.targets = head
    test: Expr = make_bool(True)
    prelude: list[Stmt] = []
    exits: list[Targets | None] = []

    def evaluate_condition() -> None:
        nonlocal test
        with ctx.collecting() as block:
            if condition is not None:
                test = ctx.settled(evaluated.condition(ctx, condition))
        prelude.extend(block)
        if const_value(test) != 1:
            exits.append(dict(ctx.targets))

    if test_first:
        evaluate_condition()
    with ctx.collecting() as block:
        body()
        ctx.flush()
    branches.join(ctx, [*jumps.continues, *([dict(ctx.targets)] if ctx.alive else [])])
    reached = ctx.alive
    ctx.alive = True
    with ctx.collecting() as after:
        if reached:
            step()
            ctx.flush()
    if not test_first and reached:
        evaluate_condition()
    ctx.loops.pop()
    back = dict(ctx.targets) if reached and not (not test_first and const_value(test) == 0) else None
    exits.extend(jumps.breaks)
    return Loop(line, test, tuple(block), tuple(after), tuple(prelude), test_first), back, exits


def for_range(ctx: Context, c: Cursor) -> None:
    """for (T x : container) body, over a local array or container."""
    parts = children(c)
    variable = next((p for p in parts if p.kind is K.VAR_DECL), None)
    source = next((p for p in parts if p.kind.is_expression()), None)
    body = parts[-1]
    if variable is None or source is None or len(parts) != 3:
        ctx.fail("range-based for loop of this form", c)
    rows = descent.value(ctx, source) if classes.container(source.type) == "rows" else None
    start, count = (None, rows.count) if isinstance(rows, Rows) else _range(ctx, source, c)
    if start is not None:
        held = ctx.hold_pointer(start)
        count = ctx.settled(count)
        start = pointers.frozen(ctx, ctx.release_pointer(start, held), "row")
    if const_value(count) is None:
        count = ctx.temporary(count, "count")
    line = ctx.line
    name = ctx.new_local("i", I64)
    counter = Variable(I64, name)
    ctx.assign(name, const(0, I64))
    element = None if start is None else ElementPlace(pointers.advance(ctx, start, counter, c))

    def one() -> None:
        if element is None:
            assert isinstance(rows, Rows)
            own: Container = vectors.row(ctx, rows, counter, c)
            if not types.is_reference(variable.type):
                own = new_vectors.copied(ctx, variable.spelling, own, c)
            ctx.bind(variable, Alias(own))
        elif types.is_reference(variable.type) and types.same_but_const(variable.type, element.pointer.pointee):
            ctx.bind(variable, element)
        elif classes.is_plain(variable.type):
            v = access.read(ctx, element, c)
            assert isinstance(v, Record)
            ctx.bind(variable, records.copied(ctx, v, variable.spelling, c))
        else:
            v = access.read(ctx, element, c)
            type_ = queries.scalar_type(ctx, variable.type, variable)
            assert isinstance(v, Expr)
            local = ctx.new_local(variable.spelling, type_)
            ctx.assign(local, op.cast(v, type_))
            ctx.bind(variable, VariablePlace(local, type_))
        descent.statement(ctx, body)

    def next_() -> None:
        ctx.emit(Assign(line, name, op.binary("+", counter, const(1, I64))))

    _counted_loop(ctx, c, op.binary("<", counter, count), one, next_)


def repeated(ctx: Context, statements: list[Cursor], count: Expr, c: Cursor) -> None:
    """Statements as often as an int64 says."""
    if const_value(count) is None:
        count = ctx.temporary(count, "count")
    line = ctx.line
    name = ctx.new_local("i", I64)
    counter = Variable(I64, name)
    ctx.assign(name, const(0, I64))

    def all_() -> None:
        for s in statements:
            descent.statement(ctx, s)

    def next_() -> None:
        ctx.emit(Assign(line, name, op.binary("+", counter, const(1, I64))))

    _counted_loop(ctx, c, op.binary("<", counter, count), all_, next_)


def _counted_loop(ctx: Context, c: Cursor, test: Expr, body: _Make, step: _Make) -> None:
    line = ctx.line
    head = dict(ctx.targets)
    loop, back, exits = _once(ctx, None, body, step, True, dict(head))
    if back is not None and any(back.get(name) != targets for name, targets in head.items()):
        ctx.fail("pointer that changes its array in a range-based for loop", c)
    ctx.alive, ctx.targets = True, head
    ctx.emit(Loop(line, test, loop.body, loop.step))
    branches.join(ctx, [head, *exits])


def _range(ctx: Context, source: Cursor, at: Cursor) -> tuple[Pointer, Expr]:
    extent = types.shape(source.type)
    if extent and extent[0] >= 0:
        return evaluated.pointer(ctx, source), const(extent[0], I64)
    v = descent.value(ctx, source)
    if isinstance(v, Vector):
        return vectors.start(v), v.length
    ctx.fail("range-based for loop over this range", at)
