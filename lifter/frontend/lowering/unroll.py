"""Loops of few iterations whose pointers are others each time are written out: over the planes of an image or an array
of registers, which the counter chooses, and passes whose output is the next one's input (`in = buffer; out = d;`)."""

from __future__ import annotations

from collections.abc import Callable

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import const
from lifter.frontend.clang import file_scope, queries, types
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
from lifter.frontend.state.values import Alias, VariablePlace
from lifter.ir.loop_ir import Assign, walk

K = CursorKind
MOST = 16
MOST_PASSES = 4
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
    declared = init is not None and init.kind is K.DECL_STMT
    outside = None if declared else ctx.binding(variable)
    if not _steps(step, variable) or not (declared or isinstance(outside, VariablePlace)):
        return False
    values = _values(condition, variable, first)
    type_ = types.scalar(variable.type)
    if values is None or type_ is None:
        return False
    passes = len(values) <= MOST_PASSES and _hands_on(body)
    if not (passes or any(_chooses(k, variable) for k in preorder(body))):
        return False
    if variable.hash in queries.modified(body) or any(k.kind in _JUMPS for k in preorder(body)):
        return False
    with ctx.collecting() as block:
        for value in values:
            if isinstance(outside, VariablePlace):  # a pointer may lead to it
                ctx.assign(outside.name, const(value, outside.type))
            ctx.bind(variable, Alias(const(value, type_)))
            descent.statement(ctx, body)
            ctx.flush()
        if isinstance(outside, VariablePlace):
            ctx.bind(variable, outside)
            ctx.assign(outside.name, const(values.stop, outside.type))
    if isinstance(outside, VariablePlace):
        own = [s for s in walk(block) if isinstance(s, Assign) and s.name == outside.name]
        if len(own) > len(values) + 1:
            ctx.fail(f"counter '{variable.spelling}' of a loop that is changed inside of it through a pointer", body)
    ctx.block.extend(block)
    return True


def _counter(init: Cursor | None) -> tuple[Cursor, int] | None:
    """The variable that a loop declares, or gives its first value, and that."""
    if init is None:
        return None
    if init.kind is K.BINARY_OPERATOR and binary_operator(init) == "=":
        target, start = operands(init)
        target = queries.unwrap(target)
        variable = target.referenced if target.kind is K.DECL_REF_EXPR else None
        if variable is None or variable.kind is not K.VAR_DECL or file_scope.name(variable):
            return None
        value = evaluate(start)
    else:
        declared = children(init) if init.kind is K.DECL_STMT else []
        if len(declared) != 1 or declared[0].kind is not K.VAR_DECL:
            return None
        variable, first = declared[0], initializer(declared[0])
        value = None if first is None else evaluate(first)
    return (variable, value) if isinstance(value, int) else None


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


def _hands_on(body: Cursor) -> bool:
    """Whether a body sets a pointer, to something that is not made of it, that it has used before: what the next
    iteration begins with."""
    used: set[int] = set()
    for c in preorder(body):
        if c.kind is K.BINARY_OPERATOR and binary_operator(c) == "=" and types.is_pointer(c.type):
            target, value = (queries.unwrap(k) for k in operands(c))
            if target.kind is not K.DECL_REF_EXPR or target.referenced is None:
                continue
            made_of = {k.referenced.hash for k in preorder(value) if k.kind is K.DECL_REF_EXPR and k.referenced}
            if target.referenced.hash in used - made_of:
                return True
        elif c.kind is K.DECL_REF_EXPR and c.referenced is not None and types.is_pointer(c.type):
            used.add(c.referenced.hash)
    return False


def _chooses(c: Cursor, variable: Cursor) -> bool:
    """Whether an expression is an element of such an array at an index made of the variable."""
    each = types.innermost(c.type)
    if c.kind is not K.ARRAY_SUBSCRIPT_EXPR or not (types.is_pointer(c.type) or types.register_bytes(each)):
        return False
    index = operands(c)[1]
    return any(k.kind is K.DECL_REF_EXPR and k.referenced == variable for k in preorder(index))
