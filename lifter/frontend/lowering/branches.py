"""Code that only some paths run: what it emits, and what is known of pointers where the paths meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from clang.cindex import Cursor

from halide_core.ir.expr import make_bool
from lifter.frontend.clang import queries
from lifter.frontend.clang.libclang import preorder
from lifter.frontend.lowering import evaluated
from lifter.frontend.state import descent
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.frontend.state.frames import Targets
from lifter.frontend.state.values import ElementPlace, Value
from lifter.ir.loop_ir import Assert, Stmt, Unsupported

_MOST_IN_LOOPS = 8
"""Arms that are left out of a function before none in a loop is: code that parses has many, which data choose."""


def path(ctx: Context, make: Callable[[], None]) -> tuple[list[Stmt], Targets | None]:
    """What one branch emits, and what is known of pointers at its end: None if the end is not reached."""
    before = dict(ctx.targets)
    with ctx.collecting() as block:
        make()
        ctx.flush()
    after = ctx.targets if ctx.alive else None
    ctx.targets, ctx.alive = before, True
    return block, after


class Refused(Again):
    """An arm of a conditional holds what is not lifted."""

    def __init__(self, arm: int, problem: Unsupported) -> None:
        super().__init__(arm, problem)
        self.arm, self.problem = arm, problem


def left_out(ctx: Context, parts: list[Cursor]) -> None:
    """Lowers the statements of an arm of a conditional.  One without loops that cannot be lifted (a call that reports
    an error) is left to the original: the contract keeps other calls from coming there.  Whether it can, inside of
    loops, depends on the condition."""
    if not parts:
        return
    problem = ctx.found.refused.get(parts[0].hash)
    if problem is not None:
        ctx.note(f"line {problem.line} is left to the original: {problem.construct}")
        ctx.emit(Assert(problem.line, make_bool(False), problem.construct, problem.advice))
        ctx.alive = False
        return
    try:
        for c in parts:
            descent.statement(ctx, c)
    except Unsupported as found:
        within = any(not j.switch for j in ctx.loops)
        if within and len(ctx.found.refused) >= _MOST_IN_LOOPS:
            raise
        if any(k.kind in queries.LOOPS and not queries.is_once(k) for c in parts for k in preorder(c)):
            raise
        raise Refused(parts[0].hash, found) from None


def join(ctx: Context, ends: list[Targets | None]) -> None:
    """Go on where several paths meet."""
    reached = [e for e in ends if e is not None]
    ctx.alive = bool(reached)
    if reached:
        ctx.targets = ctx.merge(reached)


_T = TypeVar("_T")


def arm(ctx: Context, make: Callable[[], _T]) -> tuple[list[Stmt], _T, Targets]:
    """What is emitted, given and known of pointers after evaluating something only some paths evaluate."""
    before = dict(ctx.targets)
    with ctx.collecting() as block:
        result = make()
        settled: object = result
        if isinstance(result, ElementPlace):
            settled = ElementPlace(replace(result.pointer, offset=ctx.settled(result.pointer.offset)))
        elif isinstance(result, Value):
            settled = evaluated.settled(ctx, result)
        result = settled  # type: ignore[assignment]
        ctx.flush()
    after, ctx.targets = ctx.targets, before
    return block, result, after
