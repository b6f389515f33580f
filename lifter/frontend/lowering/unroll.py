"""Loops over the planes of an image, or over an array of registers: few iterations, whose counter chooses one of
several pointers or registers, are written out."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import const
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import (
    binary_operator,
    children,
    evaluate,
    initializer,
    operands,
    preorder,
    unary_operator,
)
from lifter.frontend.state import descent
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Alias

K = CursorKind
MOST = 16
_JUMPS = {K.BREAK_STMT, K.CONTINUE_STMT, K.GOTO_STMT, K.LABEL_STMT, K.RETURN_STMT}
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "!=": lambda a, b: a != b,
}


def unrolled(ctx: Context, init: Cursor | None, condition: Cursor | None, step: Cursor | None, body: Cursor) -> bool:
    """Lowers `for (int i = 0; i < 3; i++) ... p[i] ...`, p an array of pointers or registers, one by one; False, and
    nothing done, for any other loop."""
    counted = _counter(init)
    if counted is None or condition is None or step is None:
        return False
    variable, first = counted
    if not _steps(step, variable) or not any(_chooses(k, variable) for k in preorder(body)):
        return False
    if variable.hash in queries.modified(body) or any(k.kind in _JUMPS for k in preorder(body)):
        return False
    values = _values(condition, variable, first)
    type_ = types.scalar(variable.type)
    if values is None or type_ is None:
        return False
    for value in values:
        ctx.bind(variable, Alias(const(value, type_)))
        descent.statement(ctx, body)
        ctx.flush()
    return True


def _counter(init: Cursor | None) -> tuple[Cursor, int] | None:
    """The variable a loop declares and its first value."""
    declared = children(init) if init is not None and init.kind is K.DECL_STMT else []
    if len(declared) != 1 or declared[0].kind is not K.VAR_DECL:
        return None
    start = initializer(declared[0])
    value = None if start is None else evaluate(start)
    return (declared[0], value) if isinstance(value, int) else None


def _is(c: Cursor, variable: Cursor) -> bool:
    c = queries.unwrap(c)
    return bool(c.kind is K.DECL_REF_EXPR and c.referenced == variable)


def _steps(step: Cursor, variable: Cursor) -> bool:
    return step.kind is K.UNARY_OPERATOR and unary_operator(step) in ("++x", "x++") and _is(operands(step)[0], variable)


def _values(condition: Cursor, variable: Cursor, first: int) -> range | None:
    if condition.kind is not K.BINARY_OPERATOR or binary_operator(condition) not in _TESTS:
        return None
    left, right = operands(condition)
    last = evaluate(right)
    if not _is(left, variable) or not isinstance(last, int):
        return None
    compared, own = types.scalar(left.type), types.scalar(variable.type)
    if compared is None or own is None or not compared.is_int_or_uint() or not own.is_int_or_uint():
        return None
    holds = _TESTS[binary_operator(condition)]
    count = 0
    while count <= MOST and holds(first + count, last):
        count += 1
    # Neither wraps, as a number or where it is compared.
    least, most = max(own.min(), compared.min()), min(own.max(), compared.max())
    fits = least <= first and first + count <= most and compared.min() <= last <= compared.max()
    return range(first, first + count) if fits and count <= MOST else None


def _chooses(c: Cursor, variable: Cursor) -> bool:
    """Whether an expression is an element of such an array at an index made of the variable."""
    each = types.innermost(c.type)
    if c.kind is not K.ARRAY_SUBSCRIPT_EXPR or not (types.is_pointer(c.type) or types.register_bytes(each)):
        return False
    index = operands(c)[1]
    return any(k.kind is K.DECL_REF_EXPR and k.referenced == variable for k in preorder(index))
