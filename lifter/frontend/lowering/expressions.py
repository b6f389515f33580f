"""Expressions that are no operators: their values as IR expressions.

(Side effects become statements, in C++'s order.)"""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind, TypeKind

from halide_core.ir.expr import I64, Expr, const
from halide_core.ir.types import UInt
from lifter.frontend.clang import classes, lvalues, queries, types
from lifter.frontend.clang.libclang import binary_operator, children, evaluate, operands
from lifter.frontend.lowering import (
    constants,
    evaluated,
    evaluation_order,
    initialisation,
    members,
    operations,
    register_operators,
    register_variables,
)
from lifter.frontend.objects import access, conversions
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Alias, Nothing, Pointer, Value

K = CursorKind


def null(_ctx: Context, _c: Cursor) -> Value:
    """nullptr and NULL."""
    return const(0, I64)


def constant(ctx: Context, c: Cursor) -> Expr:
    """The value of a literal or sizeof."""
    type_ = queries.scalar_type(ctx, c.type, c)
    found = evaluate(c)
    if found is None:
        ctx.fail("expression whose constant value cannot be computed", c)
    return const(found, type_)


def named(ctx: Context, c: Cursor) -> Value:
    """A variable, a constant, a function or a member."""
    inner = children(c)
    if c.kind is K.DECL_REF_EXPR and not c.spelling and inner:
        # A template's constant parameter, with the argument beneath.
        return descent.value(ctx, inner[-1])
    target = c.referenced
    if target is None:
        ctx.fail(f"access to the member '{c.spelling}' of an object", c)
    if target.kind is K.ENUM_CONSTANT_DECL:
        return const(target.enum_value, queries.scalar_type(ctx, c.type, c))
    if target.kind is K.TEMPLATE_NON_TYPE_PARAMETER:
        return constant(ctx, c)
    binding = members.member(ctx, c) if c.kind is K.MEMBER_REF_EXPR else constants.binding(ctx, c)
    if isinstance(binding, Alias):
        return binding.value
    return access.read(ctx, binding, c)


def implicit(ctx: Context, c: Cursor) -> Value:
    """What libclang has no kind of its own for: implicit conversions above all."""
    inner = operands(c)
    if len(inner) == 1 and types.canonical(c.type).kind is TypeKind.EXTVECTOR:
        return descent.value(ctx, inner[0])  # a count of shifts, the same for all lanes
    if len(inner) == 1 and types.register_bytes(c.type) and types.scalar(inner[0].type) is not None:
        return register_operators.spread(ctx, evaluated.scalar(ctx, inner[0]), c.type, c)
    if len(inner) == 1 and c.extent != inner[0].extent and inner[0].extent.start.file is not None:
        # What is implicit has no text of its own: this is a construct that libclang has no name for.
        found = None if queries.has_effects(c) else evaluate(c)
        if found is not None and types.scalar(c.type) is not None:
            return constant(ctx, c)
        ctx.fail(f"expression of type '{c.type.spelling}', of a form that libclang has no name for", c)
    if len(inner) == 1:
        return conversions.convert(ctx, descent.value(ctx, inner[0]), c.type, c)
    if len(inner) == 4 and types.scalar(c.type) is not None:
        # GNU's a ?: b; the AST repeats a, which must have no side effects then.
        if queries.has_effects(inner[0]):
            ctx.fail("conditional operator with an omitted operand that has side effects", c)
        return operations.conditional(ctx, c)
    if not inner:
        type_ = types.scalar(c.type)
        found = evaluate(c)
        if type_ is not None and found is not None:
            return const(found, type_)
        if types.is_pointer(c.type) and found == 0:
            return ctx.null_pointer(types.pointee(c.type))
    ctx.fail(f"expression of type '{c.type.spelling}'", c)


def cast(ctx: Context, c: Cursor) -> Value:
    """A conversion that is written down."""
    inner = operands(c)
    if not inner:
        return conversions.convert(ctx, const(0, I64), c.type, c)
    if types.is_void(c.type):
        descent.discard(ctx, inner[-1])
        return Nothing()
    other = not types.same_but_const(c.type, inner[-1].type) and not ctx.unit.is_c  # C has no references
    if other and types.scalar(c.type) is not None and lvalues.casts_object(inner[-1]):
        ctx.fail("object read as one of another type", c, "copy its bytes with memcpy")
    v = conversions.convert(ctx, _operand(ctx, c, inner[-1]), c.type, c)
    if isinstance(v, Pointer) and any(t.startswith("&") for t in v.targets) and _loses_const(inner[-1], c):
        ctx.fail("pointer that takes 'const' away", c)
    return v


def _operand(ctx: Context, c: Cursor, inner: Cursor) -> Value:
    """What is converted: of a pointer that becomes a number the address, if it is moved by other units than those of
    what it points to."""
    whole = types.scalar(c.type)
    if whole is None or whole.bits != 64 or not types.is_pointer(inner.type) or not _moves_in_other_units(inner):
        return descent.value(ctx, inner)
    return _address(ctx, inner)


def _moves_in_other_units(c: Cursor) -> bool:
    """Whether an expression is a pointer that is cast, and then added to."""
    c, moved = queries.unwrap(c), False
    while c.kind is K.BINARY_OPERATOR and binary_operator(c) in ("+", "-") and types.is_pointer(operands(c)[0].type):
        c, moved = queries.unwrap(operands(c)[0]), True
    return moved and c.kind in queries.CASTS and bool(operands(c)) and types.is_pointer(operands(c)[-1].type)


def _address(ctx: Context, c: Cursor) -> Value:
    """The address (uint64) that a pointer expression of this form is."""
    c = queries.unwrap(c)
    if c.kind is not K.BINARY_OPERATOR:
        v = descent.value(ctx, c)
        return ctx.address(v, c) if isinstance(v, Pointer) else v
    left, right = operands(c)
    size = types.pointee(left.type).get_size()
    parts = evaluation_order.Operands(ctx)
    a = _address(ctx, left)
    if not isinstance(a, Expr) or size < 1:
        ctx.fail(queries.describe(left.type), c)
    parts.done(a)
    held = ctx.hold(a, unsequenced=True)
    b = evaluated.scalar(ctx, right)
    parts.done(b)
    parts.check()
    distance = op.binary("*", op.cast(b, I64), const(size, I64)) if size > 1 else op.cast(b, I64)
    return op.binary(binary_operator(c), ctx.release(held), op.cast(distance, UInt(64)))


def _loses_const(a: Cursor, b: Cursor) -> bool:
    """Whether a pointer to const becomes one that may be written through; fields are always objects of their own."""
    source = queries.unwrap(a)
    if source.kind is K.UNARY_OPERATOR and queries.unwrap(operands(source)[0]).kind is K.MEMBER_REF_EXPR:
        return False
    both = types.is_pointer(a.type) and types.is_pointer(b.type)
    return both and types.is_const(types.pointee(a.type)) and not types.is_const(types.pointee(b.type))


def listed(ctx: Context, c: Cursor) -> Value:
    """{a, b, c}."""
    if types.register_bytes(c.type):
        return register_variables.listed(ctx, c)
    if classes.is_plain(c.type):
        return initialisation.listed(ctx, c)
    inner = operands(c)
    if len(inner) == 1:
        return conversions.convert(ctx, descent.value(ctx, inner[0]), c.type, c)
    return const(0, queries.scalar_type(ctx, c.type, c))


def compound_literal(ctx: Context, c: Cursor) -> Value:
    """C's (type){a, b, c}, of registers."""
    if not types.register_bytes(c.type):
        ctx.fail("compound literal", c)
    return descent.value(ctx, operands(c)[0])


def this(ctx: Context, c: Cursor) -> Value:
    """The address of the object whose member function it is."""
    return members.pointer_to(ctx, members.this(ctx, c))


def statements_with_value(ctx: Context, c: Cursor) -> Value:
    """GNU's ({ statements; value; })."""
    parts = children(operands(c)[0])
    for inner in parts[:-1]:
        descent.statement(ctx, inner)
    if not parts or not (parts[-1].kind.is_expression() or parts[-1].kind is K.UNEXPOSED_EXPR):
        if parts:
            descent.statement(ctx, parts[-1])
        return Nothing()
    return evaluated.settled(ctx, descent.value(ctx, parts[-1]))


def effect_alone(ctx: Context, c: Cursor) -> Value:
    """An expression of type void."""
    descent.discard(ctx, c)
    return Nothing()


def refused(construct: str) -> descent.ValueOf:
    """What lowers an expression that is not read, which is told by this name."""

    def refuse(ctx: Context, c: Cursor) -> Value:
        ctx.fail(construct, c)

    return refuse


def refused_by_kind(ctx: Context, c: Cursor) -> Value:
    """An expression that is not read, told by libclang's name of its kind."""
    ctx.fail(f"expression ({descent.in_words(c)})", c)
