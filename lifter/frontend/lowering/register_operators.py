"""GNU's operators on registers: `a + b`, `a > b`, `-a`, `a += b`, `a[3]`, lane by lane at the declared element type."""

from __future__ import annotations

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr, const, const_value
from halide_core.ir.types import Int, Type
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import evaluated
from lifter.frontend.objects import access
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Place, Value
from lifter.simd.lanes import Lanes, as_type, simplified

_COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}


def _element(ctx: Context, t: ClangType, at: Cursor | None) -> Type:
    ctx.uses_registers = True
    return queries.scalar_type(ctx, types.canonical(t).element_type, at)


def spread(ctx: Context, e: Expr, t: ClangType, at: Cursor | None) -> Lanes:
    """A scalar in all lanes of a register type."""
    return Lanes((op.cast(e, _element(ctx, t, at)),) * int(types.canonical(t).element_count))


def binary(ctx: Context, c: Cursor, operator: str, a: Lanes, b: Value) -> Lanes:
    """a op b, `c` the whole expression; of a comparison -1 for true."""
    left, right = operands(c)[:2]
    # A scalar on the left is one of the right operand's lanes.
    element = _element(ctx, left.type if types.register_bytes(left.type) else right.type, c)
    x = as_type(a, element)
    if isinstance(b, Expr):
        y: tuple[Expr, ...] = (op.cast(b, element),) * len(x.parts)
    elif isinstance(b, Lanes):
        # A count of shifts has lanes of its own type, as many.
        given = b if len(b.parts) == len(x.parts) else as_type(b, _element(ctx, right.type, c))
        y = tuple(op.cast(e, element) for e in given.parts) if operator in ("<<", ">>") else as_type(b, element).parts
    else:
        ctx.fail(queries.describe(right.type), c)
    if len(y) != len(x.parts):
        ctx.fail(f"operator {operator} on registers of several shapes", c)
    if element.is_float() and operator in ("%", "&", "|", "^", "<<", ">>"):
        ctx.fail(f"operator {operator} on registers of floats", c)
    if operator in _COMPARISONS:
        mask = Int(element.bits)
        tests = (op.binary(operator, p, q) for p, q in zip(x.parts, y, strict=True))
        return Lanes(tuple(op.select(test, const(-1, mask), const(0, mask)) for test in tests))
    return simplified([op.binary(operator, p, q) for p, q in zip(x.parts, y, strict=True)])


def unary(ctx: Context, c: Cursor, operator: str, a: Lanes) -> Lanes:
    """-a, ~a and +a."""
    x = as_type(a, _element(ctx, c.type, c))
    if operator == "+":
        return x
    if operator not in ("-", "~") or (operator == "~" and x.type.is_float()):
        ctx.fail(f"operator {operator} on a register", c)
    return simplified([(op.minus if operator == "-" else op.complement)(e) for e in x.parts])


def compound(ctx: Context, c: Cursor, operator: str, target: Place, old: Lanes, b: Value) -> Lanes:
    """target op= b; the new value."""
    new = binary(ctx, c, operator, old, b)
    access.write(ctx, target, new, c)
    return new


def lane(ctx: Context, c: Cursor) -> Expr:
    """The value of a lane, the number of which is constant."""
    whole, number = operands(c)
    v = as_type(evaluated.register(ctx, whole), _element(ctx, whole.type, c))
    return v.parts[_number(ctx, c, number, v)]


def assign_lane(ctx: Context, c: Cursor, e: Expr, operator: str = "") -> Expr:
    """c = e, or c op= e, for a lane `c`."""
    whole, number = operands(c)
    held = ctx.hold(e)
    target = descent.place(ctx, whole)
    old = access.read(ctx, target, c)
    assert isinstance(old, Lanes)
    v = as_type(old, _element(ctx, whole.type, c))
    k = _number(ctx, c, number, v)
    e = ctx.release(held)
    if operator:
        before = v.parts[k]
        common = types.promote(v.type) if operator in ("<<", ">>") else types.usual(v.type, e.type)
        e = op.binary(operator, op.cast(before, common), op.cast(e, common))
    new = op.cast(e, v.type)
    access.write(ctx, target, Lanes((*v.parts[:k], new, *v.parts[k + 1 :])), c)
    return new


def _number(ctx: Context, c: Cursor, number: Cursor, v: Lanes) -> int:
    k = const_value(evaluated.scalar(ctx, number))
    if k is None or not 0 <= k < len(v.parts):
        ctx.fail("lane of a register whose number is not a constant within it", c)
    return int(k)
