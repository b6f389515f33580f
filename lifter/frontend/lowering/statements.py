"""Statements other than loops and switches: blocks, branches, jumps, expressions and declarations."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr, const_value, make_bool
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import children, operands, preorder
from lifter.frontend.lowering import (
    branches,
    declarations,
    evaluated,
    inline,
    new_vectors,
    returned_pointers,
    returned_records,
    structured_exits,
)
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Targets
from lifter.frontend.state.values import Rows
from lifter.ir.loop_ir import Break, Continue, Define, Return, Stmt

K = CursorKind


def block(ctx: Context, c: Cursor) -> None:
    """{ ... }."""
    parts = children(c)
    label = _last_label(parts)
    if label >= 0:
        _to_label(ctx, parts, label)
    outer = ctx.statement
    _in_order(ctx, parts[label + 1 :])
    ctx.statement = outer


def _in_order(ctx: Context, parts: list[Cursor]) -> None:
    """Statements of a block."""
    own = not ctx.loops and len(ctx.frames) == 1
    for position, inner in enumerate(parts):
        conditions = ctx.found.forked.get(inner.hash, ()) if own else ()
        condition = next((c for c in conditions if c not in ctx.answers), None)
        if condition is not None:
            return _forked(ctx, parts[position:], condition)
        if own:
            ctx.statement = inner.hash
        descent.statement(ctx, inner)


def _forked(ctx: Context, parts: list[Cursor], condition: int) -> None:
    """Statements once for each answer to a condition that the first of them asks for."""
    test = next(k for k in preorder(parts[0]) if k.hash == condition)
    if queries.has_effects(test) or not queries.comes_first(parts[0], test):
        ctx.fail("pointer that points into one of several arrays by a condition with or behind side effects", test)
    value, line = ctx.settled(evaluated.condition(ctx, test)), ctx.line
    arms = []
    for answer in (True, False):
        ctx.answers[condition] = answer
        arms.append(branches.path(ctx, lambda: _in_order(ctx, parts)))
        del ctx.answers[condition]
    (then, after_then), (otherwise, after_otherwise) = arms
    ctx.line = line
    ctx.branch(value, then, otherwise)
    branches.join(ctx, [after_then, after_otherwise])


def _last_label(parts: list[Cursor]) -> int:
    """Where the last label of a block stands; -1 for none."""
    return max((i for i, p in enumerate(parts) if p.kind is K.LABEL_STMT), default=-1)


def _to_label(ctx: Context, parts: list[Cursor], label: int) -> None:
    """What stands before a label of a block, which a jump forward to the label leaves, and what it labels."""
    mark, states = ctx.gotos[parts[label].hash] = (ctx.new_label(), [])
    with ctx.collecting() as before:
        earlier = _last_label(parts[:label])
        if earlier >= 0:
            _to_label(ctx, parts, earlier)
        for inner in parts[earlier + 1 : label]:
            descent.statement(ctx, inner)
    del ctx.gotos[parts[label].hash]
    ctx.block.extend(structured_exits.eliminate(ctx, before, mark))
    branches.join(ctx, [*states, *([dict(ctx.targets)] if ctx.alive else [])])
    for inner in operands(parts[label]):
        descent.statement(ctx, inner)


def goto(ctx: Context, c: Cursor) -> None:
    """goto, forward and out of blocks only."""
    target = next((k.referenced for k in children(c) if k.referenced is not None), None)
    known = ctx.gotos.get(target.hash) if target is not None else None
    if known is None:
        ctx.fail("goto backwards or into a block", c, "use a loop")
    mark, states = known
    states.append(dict(ctx.targets))
    ctx.emit(structured_exits.Leave(ctx.line, mark))
    ctx.alive = False


def if_(ctx: Context, c: Cursor) -> None:
    """if (condition) then else otherwise."""
    parts = children(c)
    while parts and parts[0].kind is K.DECL_STMT:
        descent.statement(ctx, parts.pop(0))
    if parts and parts[0].kind is K.VAR_DECL:
        declarations.declare(ctx, parts.pop(0))
    if _begins_with_expression(c, parts) or not (ctx.unit.is_c or types.is_bool(parts[0].type)):
        ctx.fail("if with an expression before its condition", c, "put it in front of the if")
    line = ctx.line
    if parts[0].hash in ctx.answers:
        condition: Expr = make_bool(ctx.answers[parts[0].hash])
    else:
        condition = ctx.settled(evaluated.condition(ctx, parts[0]))
    known = const_value(condition)
    if known is not None:
        taken = parts[1] if known else (parts[2] if len(parts) > 2 else None)
        if taken is not None:
            descent.statement(ctx, taken)
        return
    then, after_then = branches.path(ctx, lambda: branches.left_out(ctx, parts[1:2]))
    otherwise: list[Stmt] = []
    after_otherwise: Targets | None = dict(ctx.targets)
    if len(parts) > 2:
        otherwise, after_otherwise = branches.path(ctx, lambda: branches.left_out(ctx, parts[2:3]))
    ctx.line = line
    ctx.branch(condition, then, otherwise)
    for name in (after_then or {}).keys() & (after_otherwise or {}).keys():
        ctx.choose(parts[0], (after_then or {})[name], (after_otherwise or {})[name])
    branches.join(ctx, [after_then, after_otherwise])


def _begins_with_expression(c: Cursor, parts: list[Cursor]) -> bool:
    """Whether an `if` evaluates something before its condition, which the tree does not tell from its arms."""
    start, end = parts[0].extent.end.offset, parts[1].extent.start.offset
    between = (t for t in c.get_tokens() if start <= t.extent.start.offset < end)
    return len(parts) > 2 and any(t.spelling == ";" for t in between)


def return_(ctx: Context, c: Cursor) -> None:
    """return."""
    frame = ctx.frames[-1]
    parts = operands(c)
    result = parts[0] if parts else None
    if frame.inlined:
        inline.returned(ctx, c, frame, result)
        return
    value: Expr | None = None
    wanted = frame.cursor.result_type
    for is_of, made in _RETURNS:
        if result is not None and is_of(wanted):
            made(ctx, wanted, result)
            return
    if result is not None and not types.is_void(wanted):
        v = descent.value(ctx, result)
        if not isinstance(v, Expr):
            ctx.fail(f"return of a {queries.describe(wanted)}", c)
        value = ctx.settled(op.cast(v, queries.scalar_type(ctx, wanted, c)))
    elif result is not None:
        descent.discard(ctx, result)
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


_RETURNS: tuple[tuple[Callable[[ClangType], object], Callable[[Context, ClangType, Cursor], None]], ...] = (
    (returned_pointers.is_of, returned_pointers.return_),
    (classes.container, _return_container),
    (returned_records.is_of, returned_records.return_),
)
"""What is returned that is no scalar, and what does so."""


def break_(ctx: Context, c: Cursor) -> None:
    """break."""
    if not ctx.loops:
        ctx.fail("break outside a loop", c)
    innermost = ctx.loops[-1]
    innermost.breaks.append(dict(ctx.targets))
    ctx.emit(structured_exits.Leave(ctx.line, innermost.switch) if innermost.switch else Break(ctx.line))
    ctx.alive = False


def continue_(ctx: Context, c: Cursor) -> None:
    """continue."""
    target = next((j for j in reversed(ctx.loops) if not j.switch), None)
    if target is None:
        ctx.fail("continue outside a loop", c)
    target.continues.append(dict(ctx.targets))
    ctx.emit(Continue(ctx.line))
    ctx.alive = False


def declarations_of(ctx: Context, c: Cursor) -> None:
    """int a = 1, b;"""
    for inner in children(c):
        declarations.declare(ctx, inner)


def expression(ctx: Context, c: Cursor) -> None:
    """An expression that stands as a statement."""
    descent.discard(ctx, c)
    ctx.flush()


def labelled(ctx: Context, c: Cursor) -> None:
    """label: statement, where nothing jumps to it that has not been lowered (`goto`)."""
    for inner in operands(c):
        descent.statement(ctx, inner)


def unexposed(ctx: Context, c: Cursor) -> None:
    """A statement with attributes."""
    if len(operands(c)) != 1:
        refused_by_kind(ctx, c)
    descent.statement(ctx, operands(c)[0])


def nothing(_ctx: Context, _c: Cursor) -> None:
    """;"""


def refused(construct: str, advice: str = "") -> descent.Effect:
    """What lowers a statement that is not read, which is told by this name."""

    def refuse(ctx: Context, c: Cursor) -> None:
        ctx.fail(construct, c, advice)

    return refuse


def refused_by_kind(ctx: Context, c: Cursor) -> NoReturn:
    """A statement that is not read, told by libclang's name of its kind."""
    ctx.fail(f"statement ({descent.in_words(c)})", c)
