"""switch: each group of labels with the statements from there on, until a break."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, Variable, const_value, make_bool
from lifter.frontend.clang.libclang import children
from lifter.frontend.lowering import branches, duffs_device, evaluated, loops, structured_exits
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Jumps, Targets
from lifter.ir.loop_ir import Stmt

K = CursorKind
Label = Callable[[Expr], Expr] | None
"""A test of the selector; None for the default."""


def switch(ctx: Context, c: Cursor) -> None:
    """switch (selector) { case 1: ...; default: ...; }."""
    parts = children(c)
    if len(parts) != 2 or parts[1].kind is not K.COMPOUND_STMT:
        ctx.fail("switch of this form", c)
    device = duffs_device.found(c)
    if device is not None:
        loops.repeated(ctx, device.piece, duffs_device.count_of(ctx, device), c)
        return
    line = ctx.line
    selector = ctx.settled(evaluated.scalar(ctx, parts[0]))
    if not isinstance(selector, Variable) and const_value(selector) is None:
        selector = ctx.temporary(selector, "selector")
    segments = _segments(ctx, parts[1])
    jumps = Jumps(switch=ctx.new_label())
    ctx.loops.append(jumps)
    ends: list[Targets | None] = []
    arms: list[tuple[Expr | None, list[Stmt]]] = []
    for position, (labels, _) in enumerate(segments):
        following = [s for _, group in segments[position:] for s in group]

        def body(following: list[Cursor] = following) -> None:
            branches.left_out(ctx, following)

        block, after = branches.path(ctx, body)
        ends.append(after)
        condition: Expr | None = make_bool(False)
        for label in labels:
            condition = None if label is None or condition is None else op.disjunction(condition, label(selector))
        arms.append((condition, structured_exits.eliminate(ctx, block, jumps.switch)))
    ctx.loops.pop()
    ctx.line = line
    default = next((block for condition, block in arms if condition is None), None)
    if default is None:
        ends.append(dict(ctx.targets))
    out: list[Stmt] = default or []
    for condition, block in reversed(arms):
        if condition is None:
            continue
        with ctx.collecting() as one:
            ctx.branch(condition, block, out)
        out = one if block or out else []
    ctx.block.extend(out)
    branches.join(ctx, [*ends, *jumps.breaks])


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
    values = [evaluated.scalar(ctx, p) for p in parts[:-1]]
    if len(values) == 1:
        return lambda e: op.binary("==", e, op.cast(values[0], e.type))
    low, high = values
    return lambda e: op.conjunction(op.binary(">=", e, op.cast(low, e.type)), op.binary("<=", e, op.cast(high, e.type)))
