"""Assignments and increments."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import I64, Expr, Variable, const, const_value, make_bool
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.lowering import register_operators
from lifter.frontend.objects import access, conversions, pointers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Nothing,
    Place,
    Pointer,
    PointerElement,
    PointerPlace,
    Record,
    Value,
    VariablePlace,
    expressions_of,
    with_expressions,
)
from lifter.simd.lanes import Lanes


def assign(ctx: Context, c: Cursor, want: bool) -> Value:
    """left = right; the right operand is evaluated first, as C++17 says."""
    left, right = operands(c)
    if types.is_pointer(left.type):
        return _assign_pointer(ctx, c, left, right)
    v = descent.value(ctx, right)
    if isinstance(v, Lanes):
        return _assign_register(ctx, left, v, c)
    if isinstance(v, Record):
        held_record = ctx.hold_all(expressions_of(v), unsequenced=ctx.unit.is_c)
        object_ = descent.place(ctx, left)
        access.write(ctx, object_, with_expressions(v, ctx.release_all(held_record)), c)
        return access.read(ctx, object_, c) if want else Nothing()
    if not isinstance(v, Expr):
        ctx.fail(f"assignment to a {queries.describe(left.type)}", c)
    if left.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR and queries.is_lane(left):
        return register_operators.assign_lane(ctx, left, v)
    held = ctx.hold(v, unsequenced=ctx.unit.is_c)
    target = descent.place(ctx, left)
    v = ctx.release(held)
    return store(ctx, target, op.cast(v, queries.scalar_type(ctx, left.type, c)), want, c)


def store(ctx: Context, target: Place, v: Expr, want: bool, at: Cursor) -> Value:
    """Write a converted value; the value of the object afterwards if wanted."""
    if isinstance(target, VariablePlace):
        access.write(ctx, target, v, at)
        return Variable(target.type, target.name)
    if want and const_value(v) is None and not isinstance(v, Variable):
        v = ctx.temporary(v)
    access.write(ctx, target, v, at)
    return v


def _assign_register(ctx: Context, left: Cursor, v: Lanes, at: Cursor) -> Value:
    held = ctx.hold_all(v.parts, unsequenced=ctx.unit.is_c)
    target = descent.place(ctx, left)
    v = Lanes(ctx.release_all(held))
    access.write(ctx, target, v, at)
    return access.read(ctx, target, at)


def _assign_pointer(ctx: Context, c: Cursor, left: Cursor, right: Cursor) -> Value:
    hint, ctx.array_hint = ctx.array_hint, left.spelling or "array"
    v = conversions.convert(ctx, descent.value(ctx, right), left.type, c)
    ctx.array_hint = hint
    v = conversions.kept(ctx, v, left.type)
    if not isinstance(v, Pointer):
        ctx.fail(f"{queries.describe(left.type)} whose address is kept", c)
    held = ctx.hold_pointer(v, unsequenced=ctx.unit.is_c)
    target = descent.place(ctx, left)
    v = ctx.release_pointer(v, held)
    if not isinstance(target, PointerPlace | PointerElement):
        ctx.fail("assignment to a pointer that is not a variable", c)
    access.write(ctx, target, v, c)
    return access.read(ctx, target, c)


def compound(ctx: Context, c: Cursor, want: bool = True) -> Value:
    """left op= right, computed in the common type of the operands and converted back."""
    operator = binary_operator(c)[:-1]
    left, right = operands(c)
    amount = descent.value(ctx, right)
    if left.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR and queries.is_lane(left) and isinstance(amount, Expr):
        return register_operators.assign_lane(ctx, left, amount, operator)
    if types.register_bytes(left.type) and isinstance(amount, Expr | Lanes):
        held_all = ctx.hold_all(expressions_of(amount), unsequenced=ctx.unit.is_c)
        whole = descent.place(ctx, left)
        before = access.read(ctx, whole, c)
        assert isinstance(before, Lanes)
        amount = with_expressions(amount, ctx.release_all(held_all))
        return register_operators.compound(ctx, c, operator, whole, before, amount)
    if not isinstance(amount, Expr):
        ctx.fail(queries.describe(right.type), c)
    held = ctx.hold(amount, unsequenced=ctx.unit.is_c)
    target = descent.place(ctx, left)
    old = access.read(ctx, target, c)
    amount = ctx.release(held)
    if isinstance(old, Pointer):
        assert isinstance(target, PointerPlace)
        access.write(ctx, target, pointers.advance(ctx, old, amount, c, back=operator == "-"), c)
        return access.read(ctx, target, c)
    if not isinstance(old, Expr):
        ctx.fail(queries.describe(left.type), c)
    common = types.promote(old.type) if operator in ("<<", ">>") else types.usual(old.type, amount.type)
    result = op.binary(operator, op.cast(old, common), op.cast(amount, common))
    return store(ctx, target, op.cast(result, old.type), want, c)


def increment(ctx: Context, c: Cursor, want: bool) -> Value:
    """++x, --x, x++ and x--."""
    operator = unary_operator(c)
    sign = "+" if "+" in operator else "-"
    post = operator.startswith("x")
    (inner,) = operands(c)
    target = descent.place(ctx, inner)
    old = access.read(ctx, target, c)
    if isinstance(old, Pointer):
        assert isinstance(target, PointerPlace)
        new = pointers.advance(ctx, old, const(1, I64), c, back=sign == "-")
        if post and want:
            ctx.postpone(target.name, new.offset)
            return old
        access.write(ctx, target, new, c)
        return replace(new, offset=Variable(I64, target.name), name=target.spelling or target.name)
    if not isinstance(old, Expr):
        ctx.fail(queries.describe(inner.type), c)
    if old.type.is_bool():
        if sign == "-":
            ctx.fail("decrement of a bool", c)
        new_value: Expr = make_bool(True)
    else:
        wide = types.promote(old.type)
        new_value = op.cast(op.binary(sign, op.cast(old, wide), const(1, wide)), old.type)
    if post and want:
        if isinstance(target, VariablePlace):
            ctx.postpone(target.name, new_value)
            return old
        saved = ctx.temporary(old)
        if old.type.is_bool():
            access.write(ctx, target, new_value, c)
        else:
            wide = types.promote(old.type)
            access.write(ctx, target, op.cast(op.binary(sign, op.cast(saved, wide), const(1, wide)), old.type), c)
        return saved
    result = store(ctx, target, new_value, want, c)
    return result if want else Nothing()
