"""Operators: arithmetic, comparisons, pointers' distances, and those that evaluate an operand only sometimes."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, const_value, make_bool
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.lowering import (
    assignments,
    branches,
    conditional_values,
    evaluated,
    evaluation_order,
    register_operators,
)
from lifter.frontend.objects import access, conversions, pointers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import NULL, Pointer, Pointers, RecordPointer, RowTable, Value, expressions_of
from lifter.simd.lanes import Lanes

K = CursorKind
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
INCREMENTS = {"x++", "x--", "++x", "--x"}


def unary(ctx: Context, c: Cursor) -> Value:
    """A unary operator, increments among them."""
    operator = unary_operator(c)
    (inner,) = operands(c)
    if operator in INCREMENTS:
        return assignments.increment(ctx, c, want=True)
    if operator == "*":
        if types.is_function(c.type):
            return descent.value(ctx, inner)
        return access.read(ctx, descent.place(ctx, c), c)
    if operator == "&":
        if types.is_function(inner.type):
            return descent.value(ctx, inner)
        return pointers.pointer_to(ctx, descent.place(ctx, inner), inner.type, c)
    if operator == "!":
        return op.cast(op.negate(evaluated.condition(ctx, inner)), queries.scalar_type(ctx, c.type, c))
    if operator == "__extension__":
        return descent.value(ctx, inner)
    v = descent.value(ctx, inner)
    if isinstance(v, Lanes):
        return register_operators.unary(ctx, c, operator, v)
    if not isinstance(v, Expr):
        if operator == "+":
            return v
        ctx.fail(queries.describe(inner.type), c)
    v = op.cast(v, queries.scalar_type(ctx, c.type, c))
    if operator == "-":
        return op.minus(v)
    if operator == "~":
        return op.complement(v)
    if operator == "+":
        return v
    ctx.fail(f"operator {operator}", c)


def binary(ctx: Context, c: Cursor) -> Value:
    """A binary operator, assignment and the comma among them."""
    operator = binary_operator(c)
    left, right = operands(c)
    if operator == "=":
        return assignments.assign(ctx, c, want=True)
    if operator == ",":
        descent.discard(ctx, left)
        ctx.flush()
        return descent.value(ctx, right)
    if operator in ("&&", "||"):
        return op.cast(_short_circuit(ctx, operator, left, right), queries.scalar_type(ctx, c.type, c))
    parts = evaluation_order.Operands(ctx)
    a = descent.value(ctx, left)
    if isinstance(a, Pointer):
        parts.done(a.offset)
        held_pointer = ctx.hold_pointer(a, unsequenced=True)
        b = descent.value(ctx, right)
        parts.done(*([b] if isinstance(b, Expr) else []))
        parts.check()
        return _pointer_binary(ctx, c, operator, ctx.release_pointer(a, held_pointer), b)
    if isinstance(a, Lanes):
        parts.done(*a.parts)
        held_lanes = ctx.hold_all(a.parts, unsequenced=True)
        b = descent.value(ctx, right)
        parts.done(*expressions_of(b))
        parts.check()
        return register_operators.binary(ctx, c, operator, Lanes(ctx.release_all(held_lanes)), b)
    asked = _is_null_check(ctx, c, operator, a, right)
    if asked is not None:
        return asked
    if not isinstance(a, Expr):
        ctx.fail(queries.describe(left.type), c)
    parts.done(a)
    held = ctx.hold(a, unsequenced=True)
    b = descent.value(ctx, right)
    parts.done(*([b] if isinstance(b, Expr) else []))
    parts.check()
    a = ctx.release(held)
    if isinstance(b, Pointer):
        if operator in COMPARISONS:
            a_pointer = conversions.to_pointer(ctx, a, right.type, c)
            assert isinstance(a_pointer, Pointer)
            return _comparison_result(ctx, c, pointers.compare(ctx, operator, a_pointer, b, c))
        return pointers.advance(ctx, b, a, c)
    if isinstance(b, Lanes):
        return register_operators.binary(ctx, c, operator, register_operators.spread(ctx, a, right.type, c), b)
    if isinstance(b, RecordPointer | RowTable | Pointers) and _is_null(a) and operator in ("==", "!="):
        return _null_check(ctx, c, operator, b)
    if not isinstance(b, Expr):
        ctx.fail(queries.describe(right.type), c)
    return _arithmetic(ctx, c, operator, a, b)


def _is_null_check(ctx: Context, c: Cursor, operator: str, a: Value, right: Cursor) -> Expr | None:
    """Whether a pointer to an object or to pointers is null, or the same as another one, where a comparison asks for
    that."""
    if not isinstance(a, RecordPointer | RowTable | Pointers) or operator not in ("==", "!="):
        return None
    b = descent.value(ctx, right)
    if _is_null(b):
        return _null_check(ctx, c, operator, a)
    if not isinstance(b, RecordPointer | RowTable | Pointers):
        return None
    one, other = evaluated.place_of(a), evaluated.place_of(b)
    return None if one is None or other is None else _comparison_result(ctx, c, op.binary(operator, one, other))


def _is_null(v: Value) -> bool:
    return v.targets == {NULL} if isinstance(v, Pointer) else isinstance(v, Expr) and const_value(v) == 0


def _null_check(ctx: Context, c: Cursor, operator: str, p: Value) -> Expr:
    there = evaluated.is_there(ctx, p, c)
    return _comparison_result(ctx, c, there if operator == "!=" else op.negate(there))


def _comparison_result(ctx: Context, c: Cursor, e: Expr) -> Expr:
    return op.cast(e, queries.scalar_type(ctx, c.type, c))


def _arithmetic(ctx: Context, c: Cursor, operator: str, a: Expr, b: Expr) -> Expr:
    """a op b of the type of the expression `c`, both operands converted."""
    if operator in COMPARISONS:
        common = a.type if a.type == b.type else types.usual(a.type, b.type)
        return _comparison_result(ctx, c, op.binary(operator, op.cast(a, common), op.cast(b, common)))
    if operator in (".*", "->*", "<=>"):
        ctx.fail(f"operator {operator}", c)
    type_ = queries.scalar_type(ctx, c.type, c)
    return op.binary(operator, op.cast(a, type_), op.cast(b, type_))


def _pointer_binary(ctx: Context, c: Cursor, operator: str, a: Pointer, b: Value) -> Value:
    if operator in COMPARISONS:
        if isinstance(b, Expr) and const_value(b) == 0:
            b = ctx.null_pointer(a.pointee)
        if isinstance(b, RecordPointer | RowTable | Pointers) and _is_null(a) and operator in ("==", "!="):
            return _null_check(ctx, c, operator, b)
        if isinstance(b, Pointer):
            return _comparison_result(ctx, c, pointers.compare(ctx, operator, a, b, c))
    elif isinstance(b, Pointer) and operator == "-":
        return pointers.difference(ctx, a, b, c)
    elif isinstance(b, Expr) and operator in ("+", "-"):
        return pointers.advance(ctx, a, b, c, back=operator == "-")
    ctx.fail(f"operator {operator} on a pointer", c)


def _short_circuit(ctx: Context, operator: str, left: Cursor, right: Cursor) -> Expr:
    held = ctx.hold(ctx.settled(evaluated.condition(ctx, left)))
    block, b, after = branches.arm(ctx, lambda: evaluated.condition(ctx, right))
    a = ctx.release(held)
    if not block:
        return op.conjunction(a, b) if operator == "&&" else op.disjunction(a, b)
    ctx.targets = ctx.merge([ctx.targets, after])
    result = ctx.temporary(a, "c")
    name = str(getattr(result, "name"))  # noqa: B009
    with ctx.collecting() as rest:
        ctx.assign(name, b)
    then = [*block, *rest]
    ctx.branch(result if operator == "&&" else op.negate(result), then, [])
    return result


def conditional(ctx: Context, c: Cursor) -> Value:
    """test ? first : second, and GNU's test ?: second, of which the tree has the whole before these three."""
    test, first, second = operands(c)[-3:]
    answer = ctx.answers.get(test.hash)
    held = ctx.hold(make_bool(answer) if answer is not None else ctx.settled(evaluated.condition(ctx, test)))
    known = const_value(held.value)
    if known is not None:
        ctx.release(held)
        return conversions.convert(ctx, descent.value(ctx, first if known else second), c.type, c)
    type_ = c.type
    then, a, after_then = branches.arm(ctx, lambda: conversions.convert(ctx, descent.value(ctx, first), type_, c))
    otherwise, b, after_otherwise = branches.arm(
        ctx, lambda: conversions.convert(ctx, descent.value(ctx, second), type_, c)
    )
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        ctx.choose(test, a.targets, b.targets)
    test_value = ctx.release(held)
    ctx.targets = ctx.merge([after_then, after_otherwise])
    found = conditional_values.chosen(ctx, c, test_value, (then, a), (otherwise, b))
    if found is None:
        ctx.fail(queries.describe(c.type), c)
    return found
