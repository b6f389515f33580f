"""The end of memory: a function may free what it has allocated itself, and nothing that its caller can see."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import expressions
from lifter.frontend.lowering.context import Context
from lifter.frontend.objects.values import ADDRESS, NULL, Pointer, Value

_ADVICE = "free it in the caller"


_CASTS = {
    *(CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR, CursorKind.CXX_REINTERPRET_CAST_EXPR),
    *(CursorKind.CXX_CONST_CAST_EXPR, CursorKind.CXX_FUNCTIONAL_CAST_EXPR),
}


def freed(ctx: Context, c: Cursor) -> Value:
    """What an expression points to whose value is freed: a distance from the block's start does not matter here."""
    while True:
        c = queries.unwrap(c)
        inner = operands(c)
        if c.kind in _CASTS and inner and types.is_pointer(inner[-1].type):
            c = inner[-1]
        elif c.kind is CursorKind.BINARY_OPERATOR and types.is_pointer(c.type) and types.is_pointer(inner[0].type):
            expressions.discard(ctx, inner[1])
            c = inner[0]
        else:
            return expressions.value(ctx, c)


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
