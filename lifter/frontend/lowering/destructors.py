"""What destructors may do: free memory, and nothing that anybody sees."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Load
from halide_core.ir.structural import contains
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import members
from lifter.frontend.lowering import inline
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import BitsPlace, LanesPlace, PointerPlace, RecordPlace, VariablePlace
from lifter.ir.loop_ir import Assert, Assign, If, Loop, Stmt, walk


def check(ctx: Context, place: RecordPlace, at: Cursor) -> None:
    """Refuses an object whose destructor does more than free memory; those of fields and base classes too.

    What it does is looked at when the object is made.  It ends in another state, so no pointer is known to be null or
    to be another one (`Context.undecided`)."""
    references = _references(ctx, place, at)
    for name, inner in place.fields.items():
        if isinstance(inner, RecordPlace) and name not in references:
            check(ctx, inner, at)
    for base in classes.known_bases(ctx, place.type, at):
        check(ctx, RecordPlace(place.fields, types.canonical(base)), at)
    for k in members(place.type.get_declaration()):
        if k.kind is CursorKind.DESTRUCTOR:
            _check_body(ctx, place, k, at)


def _check_body(ctx: Context, place: RecordPlace, destructor: Cursor, at: Cursor) -> None:
    if not classes.is_implicit(destructor):
        destructor = classes.own_member(ctx, place.type, destructor, at)
    definition, body = classes.body_of(destructor)
    if body is None:
        if not classes.is_implicit(destructor):
            ctx.fail(f"destructor of '{place.type.spelling}', which has no body here", at)
        return
    pending, ctx.pending = ctx.pending, []
    arrays = set(ctx.arrays)
    targets, before, undecided = dict(ctx.targets), set(ctx.locals) | set(ctx.parameters), ctx.undecided
    ctx.undecided, ctx.frees = True, False
    try:
        with ctx.collecting() as block:
            inline.function(ctx, at, definition, [], body, [], False, place)
            ctx.flush()
    finally:
        ctx.undecided, ctx.pending = undecided, pending
    ctx.targets = targets
    ctx.arrays = {name: t for name, t in ctx.arrays.items() if name in arrays or name in ctx.tables}
    own = set(_variables(ctx, place, at))
    if ctx.frees:
        ctx.freed |= set(_pointers(place))
    if not all(_is_unseen(s, own, before) for s in walk(block)):
        ctx.fail(f"destructor of '{place.type.spelling}' that does more than free memory", at)


def _is_unseen(s: Stmt, own: set[str], before: set[str]) -> bool:
    """Whether a statement changes only the object and the destructor's own variables.

    An assertion about memory (guard bytes around it) counts for nothing, as everywhere."""
    if isinstance(s, Assign):
        return s.name in own or s.name not in before
    if isinstance(s, Assert):
        return contains(s.condition, Load)
    return isinstance(s, If | Loop)


def _pointers(place: RecordPlace) -> Iterator[str]:
    """The pointer variables in an object, and those that it refers to."""
    for b in place.fields.values():
        if isinstance(b, RecordPlace):
            yield from _pointers(b)
        elif isinstance(b, PointerPlace):
            yield b.name


def _references(ctx: Context, place: RecordPlace, at: Cursor) -> set[str]:
    return {f.spelling for f in classes.fields(ctx, place.type, at) if types.is_reference(f.type)}


def _variables(ctx: Context, place: RecordPlace, at: Cursor) -> Iterator[str]:
    """The locals that are the object; what a reference in it refers to is not part of it."""
    references = _references(ctx, place, at)
    for name, b in place.fields.items():
        if name in references:
            continue
        if isinstance(b, RecordPlace):
            yield from _variables(ctx, b, at)
        elif isinstance(b, VariablePlace | PointerPlace | BitsPlace):
            yield b.name
        elif isinstance(b, LanesPlace):
            yield from b.names
