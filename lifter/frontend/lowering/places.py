"""The objects that expressions name; a fresh one for a value, where a reference to it is wanted."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from halide_core.ir.expr import Expr, const_value
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.lowering import calls, constants, expressions
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context
from lifter.frontend.objects import pointers, records, registers
from lifter.frontend.objects.values import Alias, ElementPlace, Place, Pointer, PointerPlace, Record, VariablePlace
from lifter.simd.lanes import Lanes

K = CursorKind
CASTS = {
    K.CSTYLE_CAST_EXPR,
    K.CXX_FUNCTIONAL_CAST_EXPR,
    K.CXX_STATIC_CAST_EXPR,
    K.CXX_REINTERPRET_CAST_EXPR,
    K.CXX_CONST_CAST_EXPR,
}
ASSIGNMENTS = {"=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="}


def place(ctx: Context, c: Cursor, temporary: bool = False) -> Place:
    """The object an lvalue names; with `temporary` also a fresh object for a value."""
    ctx.at(c)
    kind = c.kind
    if kind is K.PAREN_EXPR:
        return place(ctx, operands(c)[0], temporary)
    if kind is K.DECL_REF_EXPR:
        binding = constants.binding(ctx, c)
        if not isinstance(binding, Alias):
            return binding
    elif kind is K.ARRAY_SUBSCRIPT_EXPR:
        return _subscript(ctx, c)
    elif kind is K.MEMBER_REF_EXPR:
        binding = records.member(ctx, c)
        if not isinstance(binding, Alias):
            return binding
    elif kind is K.UNARY_OPERATOR:
        operator = unary_operator(c)
        inner = operands(c)[0]
        if operator == "*":
            return records.pointee_place(ctx, expressions.decayed(ctx, inner), inner)
        if operator in ("++x", "--x") and _is_name(inner):
            expressions.discard(ctx, c)
            return place(ctx, inner)
        if operator == "__extension__":
            return place(ctx, inner, temporary)
    elif kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
        operator = binary_operator(c)
        if operator in ASSIGNMENTS and _is_name(operands(c)[0]):
            expressions.discard(ctx, c)
            ctx.flush()
            return place(ctx, operands(c)[0])
        if operator == ",":
            expressions.discard(ctx, operands(c)[0])
            ctx.flush()
            return place(ctx, operands(c)[1], temporary)
    elif kind in CASTS and operands(c) and casts_object(operands(c)[-1]):
        inner = operands(c)[-1]
        if not types.same_but_const(c.type, inner.type):
            ctx.fail("reference to an object by another type", c)
        if types.is_const(inner.type) and not types.is_const(c.type):
            ctx.fail("reference that takes 'const' away", c)
        return place(ctx, inner, temporary)
    elif kind is K.CALL_EXPR and (moved := calls.passed_on(c)) is not None:
        return place(ctx, moved, temporary)
    elif kind is K.CALL_EXPR:
        referred = c.referenced is not None and types.is_reference(c.referenced.result_type)
        if temporary and referred and types.scalar(c.type) is not None and types.is_const(c.type):
            # It may be one of several objects: a copy will do as long as none of them changes.
            ctx.copied_references += 1
            return temporary_of(ctx, expressions.scalar(ctx, c))
        v = calls.call_place(ctx, c)
        if isinstance(v, Place):
            return v
        if referred:
            if not types.is_const(c.type):
                ctx.fail("reference to an expression of this form", c)
            ctx.copied_references += 1
        if isinstance(v, Record) and temporary:
            return records.copied(ctx, v, "t", c)
        if isinstance(v, Expr) and temporary:
            return temporary_of(ctx, v)
        if isinstance(v, Lanes) and temporary:
            return registers.temporary(ctx, v)
    elif kind is K.UNEXPOSED_EXPR and len(operands(c)) == 1:
        inner = operands(c)[0]
        # A conversion that only adds const, or a temporary made for a value.
        if types.same_but_const(c.type, inner.type):
            return place(ctx, inner, temporary)
        if classes.is_plain(inner.type) and classes.is_plain(c.type):
            # A base class's part of an object.
            return place(ctx, inner, temporary)
    elif kind is K.CONDITIONAL_OPERATOR and all(_is_lvalue(arm) for arm in operands(c)[1:]):
        return _chosen_place(ctx, c)
    if temporary:
        if _is_object(c):
            ctx.fail("reference to an expression of this form", c)
        made = expressions.value(ctx, c)
        if isinstance(made, Expr):
            return temporary_of(ctx, made)
        if isinstance(made, Lanes):
            return registers.temporary(ctx, made)
        if isinstance(made, Record):
            return records.copied(ctx, made, "t", c)
    ctx.fail("reference to an expression of this form", c)


def _is_object(c: Cursor) -> bool:
    """Whether an expression names an object that may change, and not a value."""
    if c.kind is K.CONDITIONAL_OPERATOR:
        return all(_is_object(arm) for arm in operands(c)[1:])
    named = c.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR)  # by an Alias, which keeps its value
    return not named and c.kind not in CASTS and casts_object(c)


def casts_object(c: Cursor) -> bool:
    """Whether what a cast is applied to is an object itself, which no conversion has read: the cast is a reference."""
    while c.kind is K.PAREN_EXPR:
        c = operands(c)[0]
    if c.kind is K.UNEXPOSED_EXPR and len(operands(c)) == 1 and c.type.is_const_qualified():
        return casts_object(operands(c)[0])  # only const is added: numbers that are read have none
    if c.kind is K.UNEXPOSED_EXPR and len(operands(c)) == 1 and classes.is_base_of(c.type, operands(c)[0].type):
        return casts_object(operands(c)[0])
    if c.kind is K.DECL_REF_EXPR:
        return c.referenced is not None and c.referenced.kind in (K.VAR_DECL, K.PARM_DECL)
    if c.kind is K.UNARY_OPERATOR:
        return unary_operator(c) in ("*", "++x", "--x")
    if c.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
        return binary_operator(c) in ASSIGNMENTS
    if c.kind is K.CALL_EXPR:
        return c.referenced is not None and types.is_reference(c.referenced.result_type)
    return c.kind in (K.MEMBER_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR, K.CONDITIONAL_OPERATOR) or (
        c.kind in CASTS and casts_object(operands(c)[-1])
    )


def _is_lvalue(c: Cursor) -> bool:
    c = queries.unwrap(c)
    if c.kind is K.UNARY_OPERATOR:
        return unary_operator(c) == "*"
    return c.kind in (K.DECL_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR, K.MEMBER_REF_EXPR, K.CONDITIONAL_OPERATOR)


def _chosen_place(ctx: Context, c: Cursor) -> Place:
    """One of two objects: they must lie in one array, for a copy would not see what is written to it later."""
    test, first, second = operands(c)
    held = ctx.hold(ctx.settled(expressions.condition(ctx, test)))
    then, a, _ = expressions.arm(ctx, lambda: place(ctx, queries.unwrap(first)))
    otherwise, b, _ = expressions.arm(ctx, lambda: place(ctx, queries.unwrap(second)))
    chosen = ctx.release(held)
    if then or otherwise or not isinstance(a, ElementPlace) or not isinstance(b, ElementPlace):
        ctx.fail("reference to one of two objects", c, "refer to each in a branch of its own")
    offset = op.select(chosen, a.pointer.offset, b.pointer.offset)
    return ElementPlace(Pointer(a.pointer.targets | b.pointer.targets, offset, a.pointer.pointee, a.pointer.name))


def temporary_of(ctx: Context, v: Expr) -> Place:
    """A fresh object for a value."""
    name = ctx.new_local("t", v.type)
    ctx.assign(name, v)
    return VariablePlace(name, v.type)


def _is_name(c: Cursor) -> bool:
    while c.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR) and len(operands(c)) == 1:
        c = operands(c)[0]
    return bool(c.kind is K.DECL_REF_EXPR)


def _subscript(ctx: Context, c: Cursor) -> Place:
    first, second = operands(c)
    if not (types.is_pointer(first.type) or types.is_array(first.type)):
        first, second = second, first
    if types.is_pointer(c.type):
        return _pointer_place(ctx, c, first, second)
    base = expressions.pointer(ctx, first)
    held = ctx.hold_pointer(base)
    index = expressions.scalar(ctx, second)
    return ElementPlace(pointers.advance(ctx, ctx.release_pointer(base, held), index, c))


def _pointer_place(ctx: Context, c: Cursor, array: Cursor, index: Cursor) -> PointerPlace:
    """An element of a local array of pointers as an object."""
    table = expressions.pointers_of(ctx, array)
    number = const_value(expressions.scalar(ctx, index))
    if number is None:
        ctx.fail(
            f"element of the array of pointers '{table.name}' at an index that varies", c, "use one variable for each"
        )
    return pointers.numbered(ctx, c, table, int(number))
