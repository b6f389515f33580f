"""Arrays made by `new`."""

from __future__ import annotations

import itertools

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import I64, Expr, const
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import evaluated
from lifter.frontend.state import joined_arrays
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Value
from lifter.ir.loop_ir import Store

K = CursorKind


def value(ctx: Context, c: Cursor) -> Value:
    """new T[n], new T[n]() and new T[n]{...}."""
    target = types.pointee(c.type)
    type_ = queries.element_type(ctx, target, c)
    parts = operands(c)
    words = [t.spelling for t in itertools.islice(c.get_tokens(), 3)]
    words = words[1:] if words[:1] == ["::"] else words[:2]
    if words[:1] != ["new"] or words[1:] == ["("]:
        ctx.fail("new with arguments of its own, or in a macro", c)
    size: Expr = const(1, I64)
    init = parts
    if parts and types.scalar(parts[0].type) is not None and parts[0].kind is not K.INIT_LIST_EXPR:
        # `new T(v)` has no size; its only part has the type T and not size_t.
        is_array = len(parts) > 1 or types.scalar(parts[0].type).bits == 64  # type: ignore[union-attr]
        if not is_array or types.scalar(parts[0].type) == type_:
            ctx.fail("new of a single object", c, "use a local variable")
        size, init = op.cast(evaluated.scalar(ctx, parts[0]), I64), parts[1:]
    else:
        ctx.fail("new of a single object", c, "use a local variable")
    n = types.count(target)
    if n < 0:
        ctx.fail("new of an array of arrays of variable size", c)
    size = op.offset_scaled(ctx.settled(size), n)
    array = ctx.new_array(ctx.array_hint, type_)
    listed = [k for k in init if k.kind is K.INIT_LIST_EXPR]
    ctx.declare_array(array, size, zeroed=bool(init))
    for index, item in enumerate(operands(listed[0]) if listed else []):
        v = op.cast(evaluated.scalar(ctx, item), type_)
        holder, start = joined_arrays.start(ctx, array)
        ctx.emit(Store(ctx.line, holder, op.offset_sum(start, const(index, I64)), v))
    return ctx.start(array, target)
