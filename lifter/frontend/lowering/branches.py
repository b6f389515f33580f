"""Code that only some paths run: what it emits, and what is known of pointers where the paths meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from lifter.frontend.lowering import evaluated
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Targets
from lifter.frontend.state.values import ElementPlace, Value
from lifter.ir.loop_ir import Stmt


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
