"""The objects that expressions name; a fresh one for a value, where a reference to it is wanted."""

from __future__ import annotations

from clang.cindex import Cursor

from halide_core.ir.expr import Expr
from lifter.frontend.clang import classes, lvalues, queries, types
from lifter.frontend.clang.libclang import binary_operator, operands, unary_operator
from lifter.frontend.lowering import branches, calls, constants, evaluated, members
from lifter.frontend.objects import access, records, registers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Alias, ElementPlace, Place, Pointer, Record, Value
from lifter.simd.lanes import Lanes


def named(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """A variable."""
    binding = constants.binding(ctx, c)
    return fresh(ctx, c, temporary) if isinstance(binding, Alias) else binding


def member(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """a.b and p->b."""
    binding = members.member(ctx, c)
    return fresh(ctx, c, temporary) if isinstance(binding, Alias) else binding


def unary(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """*p, ++x and --x."""
    operator = unary_operator(c)
    inner = operands(c)[0]
    if operator == "*":
        return members.pointee_place(ctx, evaluated.pointer_to_any(ctx, inner), inner)
    if operator in ("++x", "--x") and lvalues.is_name(inner):
        descent.discard(ctx, c)
        return descent.place(ctx, inner)
    if operator == "__extension__":
        return descent.place(ctx, inner, temporary)
    return fresh(ctx, c, temporary)


def binary(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """x = a, x += a and the like, and what stands behind a comma."""
    operator = binary_operator(c)
    if operator in lvalues.ASSIGNMENTS and lvalues.is_name(operands(c)[0]):
        descent.discard(ctx, c)
        ctx.flush()
        return descent.place(ctx, operands(c)[0])
    if operator == ",":
        descent.discard(ctx, operands(c)[0])
        ctx.flush()
        return descent.place(ctx, operands(c)[1], temporary)
    return fresh(ctx, c, temporary)


def cast(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """An object by its own type, but for `const`."""
    if not operands(c) or not lvalues.casts_object(operands(c)[-1]):
        return fresh(ctx, c, temporary)
    inner = operands(c)[-1]
    if not types.same_but_const(c.type, inner.type):
        ctx.fail("reference to an object by another type", c)
    if types.is_const(inner.type) and not types.is_const(c.type):
        ctx.fail("reference that takes 'const' away", c)
    return descent.place(ctx, inner, temporary)


def call(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """What a function's reference refers to."""
    moved = calls.passed_on(c)
    if moved is not None:
        return descent.place(ctx, moved, temporary)
    referred = c.referenced is not None and types.is_reference(c.referenced.result_type)
    if temporary and referred and types.scalar(c.type) is not None and types.is_const(c.type):
        # It may be one of several objects: a copy will do as long as none of them changes.
        ctx.copied_references += 1
        return access.temporary(ctx, evaluated.scalar(ctx, c))
    v = calls.call_place(ctx, c)
    if isinstance(v, Place):
        return v
    if referred:
        if not types.is_const(c.type):
            ctx.fail("reference to an expression of this form", c)
        ctx.copied_references += 1
    made = _object_of(ctx, v, c) if temporary else None
    return fresh(ctx, c, temporary) if made is None else made


def implicit(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """What a conversion refers to that only adds `const`, makes a temporary, or takes a base class's part."""
    if len(operands(c)) == 1:
        inner = operands(c)[0]
        if types.same_but_const(c.type, inner.type) or (classes.is_plain(inner.type) and classes.is_plain(c.type)):
            return descent.place(ctx, inner, temporary)
    return fresh(ctx, c, temporary)


def conditional(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """test ? a : b."""
    if all(lvalues.is_lvalue(arm) for arm in operands(c)[1:]):
        return _one_of_two(ctx, c)
    return fresh(ctx, c, temporary)


def fresh(ctx: Context, c: Cursor, temporary: bool) -> Place:
    """A new object for the value of an expression that names none."""
    if temporary:
        if lvalues.may_change(c):
            ctx.fail("reference to an expression of this form", c)
        made = _object_of(ctx, descent.value(ctx, c), c)
        if made is not None:
            return made
    ctx.fail("reference to an expression of this form", c)


def _object_of(ctx: Context, v: Value | Place, c: Cursor) -> Place | None:
    """A new object for a value; None for a value that lies in none."""
    if isinstance(v, Expr):
        return access.temporary(ctx, v)
    if isinstance(v, Lanes):
        return registers.temporary(ctx, v)
    return records.copied(ctx, v, "t", c) if isinstance(v, Record) else None


def _one_of_two(ctx: Context, c: Cursor) -> Place:
    """One of two objects: they must lie in one array, for a copy would not see what is written to it later."""
    test, first, second = operands(c)
    held = ctx.hold(ctx.settled(evaluated.condition(ctx, test)))
    then, a, _ = branches.arm(ctx, lambda: descent.place(ctx, queries.unwrap(first)))
    otherwise, b, _ = branches.arm(ctx, lambda: descent.place(ctx, queries.unwrap(second)))
    chosen = ctx.release(held)
    if then or otherwise or not isinstance(a, ElementPlace) or not isinstance(b, ElementPlace):
        ctx.fail("reference to one of two objects", c, "refer to each in a branch of its own")
    offset = op.select(chosen, a.pointer.offset, b.pointer.offset)
    return ElementPlace(Pointer(a.pointer.targets | b.pointer.targets, offset, a.pointer.pointee, a.pointer.name))
