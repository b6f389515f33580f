"""Questions about expressions that name objects."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.clang.queries import CASTS, unwrap

K = CursorKind
ASSIGNMENTS = {"=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="}


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


def may_change(c: Cursor) -> bool:
    """Whether an expression names an object that may change, and not a value."""
    if c.kind is K.CONDITIONAL_OPERATOR:
        return all(may_change(arm) for arm in operands(c)[1:])
    named = c.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR)  # by an Alias, which keeps its value
    return not named and c.kind not in CASTS and casts_object(c)


def is_lvalue(c: Cursor) -> bool:
    """Whether an expression names an object by its form."""
    c = unwrap(c)
    if c.kind is K.UNARY_OPERATOR:
        return unary_operator(c) == "*"
    return c.kind in (K.DECL_REF_EXPR, K.ARRAY_SUBSCRIPT_EXPR, K.MEMBER_REF_EXPR, K.CONDITIONAL_OPERATOR)


def is_name(c: Cursor) -> bool:
    """Whether an expression is the name of a variable."""
    while c.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR) and len(operands(c)) == 1:
        c = operands(c)[0]
    return bool(c.kind is K.DECL_REF_EXPR)
