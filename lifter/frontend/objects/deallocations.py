"""The end of memory: a function may free what it has allocated itself, and nothing that its caller can see."""

from __future__ import annotations

from clang.cindex import Cursor

from lifter.frontend.state.context import Context
from lifter.frontend.state.values import ADDRESS, NULL, Pointer, Value

_ADVICE = "free it in the caller"


def free(ctx: Context, v: Value, at: Cursor) -> None:
    """The memory behind a pointer ends.  Raises Unsupported where it may be another's than this function's.

    In a destructor, which is looked at before it is known what its object's pointers are by then, all that they ever
    point to is asked for at the end of the function (`Context.freed`, `check`)."""
    if ctx.undecided:
        ctx.frees = True
        return
    if not isinstance(v, Pointer):
        ctx.fail("the end of an object or of memory that is not this function's own", at, _ADVICE)
    _check(ctx, v.targets or frozenset({ADDRESS}), v.name, at)


def check(ctx: Context, at: Cursor) -> None:
    """Raises Unsupported where a destructor of this function may free what is not its own."""
    for name in sorted(ctx.freed):
        _check(ctx, frozenset(ctx.ever.get(name, ())), name, at)


def _check(ctx: Context, targets: frozenset[str], name: str, at: Cursor) -> None:
    for target in sorted(targets - {NULL}):
        array = target.removeprefix("!")
        if array not in ctx.heap and array not in ctx.declared:
            shown = f"'{array}'" if array in ctx.pointer_parameters else f"of '{name}'" if name else "of others"
            ctx.fail(f"the end of memory {shown} that this function has not allocated", at, _ADVICE)
