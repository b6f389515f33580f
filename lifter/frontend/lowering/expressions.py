"""Expressions: their values as IR expressions, their side effects as statements, in C++'s order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from clang.cindex import Cursor, CursorKind, TypeKind

from halide_core.ir.expr import I64, Expr, const, const_value
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import binary_operator, children, evaluate, operands, unary_operator
from lifter.frontend.lowering import (
    assignments,
    calls,
    conditional_values,
    constants,
    evaluation_order,
    initialisation,
    places,
    statements,
)
from lifter.frontend.lowering import operators as op
from lifter.frontend.lowering.context import Context, Targets
from lifter.frontend.objects import (
    deallocations,
    function_pointers,
    pointers,
    records,
    register_operators,
    registers,
)
from lifter.frontend.objects.pointers import numbered
from lifter.frontend.objects.values import (
    Alias,
    ElementPlace,
    Lambda,
    Nothing,
    Pointer,
    PointerAddress,
    Pointers,
    RecordPointer,
    Value,
    expressions_of,
)
from lifter.ir.loop_ir import Stmt
from lifter.simd.lanes import Lanes

_T = TypeVar("_T")
K = CursorKind
_LITERALS = {K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CHARACTER_LITERAL, K.CXX_BOOL_LITERAL_EXPR}
_NULLS = {K.CXX_NULL_PTR_LITERAL_EXPR, K.GNU_NULL_EXPR}
_COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
_INCREMENTS = {"x++", "x--", "++x", "--x"}


def value(ctx: Context, c: Cursor) -> Value:
    """The value of an expression, of the type the expression has."""
    ctx.at(c)
    kind = c.kind
    if kind is K.PAREN_EXPR:
        return value(ctx, operands(c)[0])
    if kind is K.UNEXPOSED_EXPR:
        return _implicit(ctx, c)
    if kind in _LITERALS:
        return constant(ctx, c)
    if kind in _NULLS:
        return const(0, I64)
    if kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
        return _named(ctx, c)
    if kind is K.ARRAY_SUBSCRIPT_EXPR and types.is_function_pointer(c.type):
        return function_pointers.element(ctx, c)
    if kind is K.ARRAY_SUBSCRIPT_EXPR and types.is_pointer(c.type):
        return _element_of_pointers(ctx, c)
    if kind is K.ARRAY_SUBSCRIPT_EXPR and types.is_array(c.type) and types.is_pointer(types.innermost(c.type)):
        return _row_of_pointers(ctx, c)
    if kind is K.ARRAY_SUBSCRIPT_EXPR and queries.is_lane(c):
        return register_operators.lane(ctx, c)
    if kind is K.ARRAY_SUBSCRIPT_EXPR:
        return pointers.read(ctx, places.place(ctx, c), c)
    if kind is K.UNARY_OPERATOR:
        return _unary(ctx, c)
    if kind is K.BINARY_OPERATOR:
        return _binary(ctx, c)
    if kind is K.COMPOUND_ASSIGNMENT_OPERATOR:
        return assignments.compound(ctx, c, want=True)
    if kind is K.CONDITIONAL_OPERATOR:
        condition_, a, b = operands(c)
        return _conditional(ctx, c, condition_, a, b)
    if kind in places.CASTS:
        inner = operands(c)
        if not inner:
            return pointers.convert(ctx, const(0, I64), c.type, c)
        if types.is_void(c.type):
            discard(ctx, inner[-1])
            return Nothing()
        other = not types.same_but_const(c.type, inner[-1].type)
        if other and types.scalar(c.type) is not None and places.casts_object(inner[-1]):
            ctx.fail("object read as one of another type", c, "copy its bytes with memcpy")
        v = pointers.convert(ctx, value(ctx, inner[-1]), c.type, c)
        if isinstance(v, Pointer) and any(t.startswith("&") for t in v.targets) and _loses_const(inner[-1], c):
            ctx.fail("pointer that takes 'const' away", c)
        return v
    if kind is K.CALL_EXPR:
        return calls.call(ctx, c)
    if kind is K.CXX_UNARY_EXPR:
        return constant(ctx, c)
    if kind is K.INIT_LIST_EXPR and types.register_bytes(c.type):
        return registers.listed(ctx, c)
    if kind is K.COMPOUND_LITERAL_EXPR and types.register_bytes(c.type):
        return value(ctx, operands(c)[0])
    if kind is K.INIT_LIST_EXPR and classes.is_plain(c.type):
        return initialisation.listed(ctx, c)
    if kind is K.INIT_LIST_EXPR:
        inner = operands(c)
        if len(inner) == 1:
            return pointers.convert(ctx, value(ctx, inner[0]), c.type, c)
        return const(0, queries.scalar_type(ctx, c.type, c))
    if kind is K.CXX_NEW_EXPR:
        return calls.new(ctx, c)
    if kind is K.LAMBDA_EXPR:
        return Lambda(c, ctx.frames[-1].this, calls.captures(ctx, c))
    if kind is K.CXX_THIS_EXPR:
        return records.pointer_to(ctx, records.this(ctx, c))
    if kind is K.StmtExpr:
        return statements.statement_expression(ctx, operands(c)[0])
    if kind in (K.CXX_DELETE_EXPR, K.CXX_THROW_EXPR):
        discard(ctx, c)
        return Nothing()
    ctx.fail(_DESCRIPTIONS.get(kind, f"expression ({kind.name.lower().replace('_', ' ')})"), c)


def _loses_const(a: Cursor, b: Cursor) -> bool:
    """Whether a pointer to const becomes one that may be written through; fields are always objects of their own."""
    source = queries.unwrap(a)
    if source.kind is K.UNARY_OPERATOR and queries.unwrap(operands(source)[0]).kind is K.MEMBER_REF_EXPR:
        return False
    both = types.is_pointer(a.type) and types.is_pointer(b.type)
    return both and types.is_const(types.pointee(a.type)) and not types.is_const(types.pointee(b.type))


_DESCRIPTIONS = {
    K.STRING_LITERAL: "string literal",
    K.CXX_DYNAMIC_CAST_EXPR: "dynamic_cast",
    K.CXX_TYPEID_EXPR: "typeid",
    K.ADDR_LABEL_EXPR: "address of a label",
    K.IMAGINARY_LITERAL: "complex number",
    K.COMPOUND_LITERAL_EXPR: "compound literal",
    K.PACK_EXPANSION_EXPR: "parameter pack",
}


def constant(ctx: Context, c: Cursor) -> Expr:
    """The value of a literal or sizeof."""
    type_ = queries.scalar_type(ctx, c.type, c)
    found = evaluate(c)
    if found is None:
        ctx.fail("expression whose constant value cannot be computed", c)
    return const(found, type_)


def scalar(ctx: Context, c: Cursor) -> Expr:
    """The value of an expression of scalar type; raises Unsupported for anything else."""
    v = value(ctx, c)
    if not isinstance(v, Expr):
        ctx.fail(queries.describe(c.type), c)
    return v


def pointer(ctx: Context, c: Cursor) -> Pointer:
    """The value of an expression of pointer type (or of an array, which decays)."""
    return _as_pointer(ctx, value(ctx, c), c)


def _as_pointer(ctx: Context, v: Value, c: Cursor) -> Pointer:
    if isinstance(v, Expr):
        v = pointers.to_pointer(ctx, v, c.type, c)
    if not isinstance(v, Pointer):
        ctx.fail(queries.describe(c.type), c)
    return v


def condition(ctx: Context, c: Cursor) -> Expr:
    """The value of an expression as a condition."""
    v = value(ctx, c)
    if isinstance(v, Pointer | RecordPointer | PointerAddress):
        return pointers.is_not_null(ctx, v, c)
    if not isinstance(v, Expr):
        ctx.fail(queries.describe(c.type), c)
    return op.to_bool(v)


def decayed(ctx: Context, c: Cursor) -> Value:
    """The value of an expression of pointer type (or of an array, which decays), to a structure too."""
    v = value(ctx, c)
    return v if isinstance(v, RecordPointer | PointerAddress) else _as_pointer(ctx, v, c)


def pointers_of(ctx: Context, c: Cursor) -> Pointers:
    table = value(ctx, c)
    if not isinstance(table, Pointers):
        ctx.fail(queries.describe(c.type), c)
    return table


def _row_of_pointers(ctx: Context, c: Cursor) -> Pointers:
    """A row of a local array of pointers of several dimensions."""
    array, index = operands(c)
    table, count = pointers_of(ctx, array), types.count(c.type)
    number = const_value(scalar(ctx, index))
    row = -1 if number is None else int(number)
    if not 0 <= row < len(table.places) // count:
        ctx.fail(f"row of the array of pointers '{table.name}' at an index that varies", c, "use one variable for each")
    return Pointers(table.places[row * count : (row + 1) * count], f"{table.name}[{row}]")


def _element_of_pointers(ctx: Context, c: Cursor) -> Value:
    """The value of an element; at an index that varies, a choice."""
    first, second = operands(c)
    if not (types.is_pointer(first.type) or types.is_array(first.type)):
        first, second = second, first
    table = pointers_of(ctx, first)
    index = scalar(ctx, second)
    number = const_value(index)
    if number is not None:
        return pointers.read(ctx, numbered(ctx, c, table, int(number)), c)
    chosen, *others = (pointers.read(ctx, p, c) for p in reversed(table.places))
    assert isinstance(chosen, Pointer)
    index = op.cast(index, I64)
    for k, v in zip(reversed(range(len(others))), others, strict=True):
        assert isinstance(v, Pointer)
        offset = op.select(op.binary("==", index, const(k, I64)), v.offset, chosen.offset)
        chosen = Pointer(v.targets | chosen.targets, offset, v.pointee, table.name)
    return chosen


def discard(ctx: Context, c: Cursor) -> None:
    """Only the side effects of an expression."""
    ctx.at(c)
    kind = c.kind
    if kind is K.PAREN_EXPR or (kind is K.UNEXPOSED_EXPR and len(operands(c)) == 1):
        discard(ctx, operands(c)[0])
    elif kind is K.UNARY_OPERATOR and unary_operator(c) in _INCREMENTS:
        assignments.increment(ctx, c, want=False)
    elif kind is K.BINARY_OPERATOR and binary_operator(c) == "=":
        assignments.assign(ctx, c, want=False)
    elif kind is K.BINARY_OPERATOR and binary_operator(c) == ",":
        for part in operands(c):
            discard(ctx, part)
            ctx.flush()
    elif kind is K.COMPOUND_ASSIGNMENT_OPERATOR:
        assignments.compound(ctx, c, want=False)
    elif kind is K.CSTYLE_CAST_EXPR and types.is_void(c.type):
        discard(ctx, operands(c)[-1])
    elif kind is K.CALL_EXPR:
        calls.call(ctx, c, want=False)
    elif kind is K.CXX_DELETE_EXPR:
        (freed,) = operands(c)
        if types.is_pointer(freed.type) and not classes.is_trivial(types.innermost(types.pointee(freed.type))):
            ctx.fail("delete of an object whose class has a destructor of its own", c)
        deallocations.free(ctx, deallocations.freed(ctx, freed), c)
    elif kind is K.CXX_THROW_EXPR:
        ctx.fail("exception (throw)", c)
    else:
        value(ctx, c)


def _named(ctx: Context, c: Cursor) -> Value:
    inner = children(c)
    if c.kind is K.DECL_REF_EXPR and not c.spelling and inner:
        # A template's constant parameter, with the argument beneath.
        return value(ctx, inner[-1])
    target = c.referenced
    if target is None:
        ctx.fail(f"access to the member '{c.spelling}' of an object", c)
    if target.kind is K.ENUM_CONSTANT_DECL:
        return const(target.enum_value, queries.scalar_type(ctx, c.type, c))
    if target.kind is K.TEMPLATE_NON_TYPE_PARAMETER:
        return constant(ctx, c)
    binding = records.member(ctx, c) if c.kind is K.MEMBER_REF_EXPR else constants.binding(ctx, c)
    if isinstance(binding, Alias):
        return binding.value
    return pointers.read(ctx, binding, c)


def _implicit(ctx: Context, c: Cursor) -> Value:
    inner = operands(c)
    if len(inner) == 1 and types.canonical(c.type).kind is TypeKind.EXTVECTOR:
        return value(ctx, inner[0])  # a count of shifts, the same for all lanes
    if len(inner) == 1 and types.register_bytes(c.type) and types.scalar(inner[0].type) is not None:
        return register_operators.spread(ctx, scalar(ctx, inner[0]), c.type, c)
    if len(inner) == 1 and c.extent != inner[0].extent and inner[0].extent.start.file is not None:
        # What is implicit has no text of its own: this is a construct that libclang has no name for.
        found = None if queries.has_effects(c) else evaluate(c)
        if found is not None and types.scalar(c.type) is not None:
            return constant(ctx, c)
        ctx.fail(f"expression of type '{c.type.spelling}', of a form that libclang has no name for", c)
    if len(inner) == 1:
        return pointers.convert(ctx, value(ctx, inner[0]), c.type, c)
    if len(inner) == 4 and types.scalar(c.type) is not None:
        # GNU's a ?: b; the AST repeats a, which must have no side effects then.
        if queries.has_effects(inner[0]):
            ctx.fail("conditional operator with an omitted operand that has side effects", c)
        return _conditional(ctx, c, inner[1], inner[2], inner[3])
    if not inner:
        type_ = types.scalar(c.type)
        found = evaluate(c)
        if type_ is not None and found is not None:
            return const(found, type_)
        if types.is_pointer(c.type) and found == 0:
            return ctx.null_pointer(types.pointee(c.type))
    ctx.fail(f"expression of type '{c.type.spelling}'", c)


def _unary(ctx: Context, c: Cursor) -> Value:
    operator = unary_operator(c)
    (inner,) = operands(c)
    if operator in _INCREMENTS:
        return assignments.increment(ctx, c, want=True)
    if operator == "*":
        if types.is_function(c.type):
            return value(ctx, inner)
        return pointers.read(ctx, places.place(ctx, c), c)
    if operator == "&":
        if types.is_function(inner.type):
            return value(ctx, inner)
        return pointers.pointer_to(ctx, places.place(ctx, inner), inner.type, c)
    if operator == "!":
        return op.cast(op.negate(condition(ctx, inner)), queries.scalar_type(ctx, c.type, c))
    if operator == "__extension__":
        return value(ctx, inner)
    v = value(ctx, inner)
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


def _binary(ctx: Context, c: Cursor) -> Value:
    operator = binary_operator(c)
    left, right = operands(c)
    if operator == "=":
        return assignments.assign(ctx, c, want=True)
    if operator == ",":
        discard(ctx, left)
        ctx.flush()
        return value(ctx, right)
    if operator in ("&&", "||"):
        return op.cast(_short_circuit(ctx, operator, left, right), queries.scalar_type(ctx, c.type, c))
    parts = evaluation_order.Operands(ctx)
    a = value(ctx, left)
    if isinstance(a, Pointer):
        parts.done(a.offset)
        held_pointer = ctx.hold_pointer(a, unsequenced=True)
        b = value(ctx, right)
        parts.done(*([b] if isinstance(b, Expr) else []))
        parts.check()
        return _pointer_binary(ctx, c, operator, ctx.release_pointer(a, held_pointer), b)
    if isinstance(a, Lanes):
        parts.done(*a.parts)
        held_lanes = ctx.hold_all(a.parts, unsequenced=True)
        b = value(ctx, right)
        parts.done(*expressions_of(b))
        parts.check()
        return register_operators.binary(ctx, c, operator, Lanes(ctx.release_all(held_lanes)), b)
    if not isinstance(a, Expr):
        ctx.fail(queries.describe(left.type), c)
    parts.done(a)
    held = ctx.hold(a, unsequenced=True)
    b = value(ctx, right)
    parts.done(*([b] if isinstance(b, Expr) else []))
    parts.check()
    a = ctx.release(held)
    if isinstance(b, Pointer):
        if operator in _COMPARISONS:
            a_pointer = pointers.to_pointer(ctx, a, right.type, c)
            assert isinstance(a_pointer, Pointer)
            return _comparison_result(ctx, c, pointers.compare(ctx, operator, a_pointer, b, c))
        return pointers.advance(ctx, b, a, c)
    if isinstance(b, Lanes):
        return register_operators.binary(ctx, c, operator, register_operators.spread(ctx, a, right.type, c), b)
    if not isinstance(b, Expr):
        ctx.fail(queries.describe(right.type), c)
    return arithmetic(ctx, c, operator, a, b)


def _comparison_result(ctx: Context, c: Cursor, e: Expr) -> Expr:
    return op.cast(e, queries.scalar_type(ctx, c.type, c))


def arithmetic(ctx: Context, c: Cursor, operator: str, a: Expr, b: Expr) -> Expr:
    """a op b of the type of the expression `c`, both operands converted."""
    if operator in _COMPARISONS:
        common = a.type if a.type == b.type else types.usual(a.type, b.type)
        return _comparison_result(ctx, c, op.binary(operator, op.cast(a, common), op.cast(b, common)))
    if operator in (".*", "->*", "<=>"):
        ctx.fail(f"operator {operator}", c)
    type_ = queries.scalar_type(ctx, c.type, c)
    return op.binary(operator, op.cast(a, type_), op.cast(b, type_))


def _pointer_binary(ctx: Context, c: Cursor, operator: str, a: Pointer, b: Value) -> Value:
    if operator in _COMPARISONS:
        if isinstance(b, Expr) and const_value(b) == 0:
            b = ctx.null_pointer(a.pointee)
        if isinstance(b, Pointer):
            return _comparison_result(ctx, c, pointers.compare(ctx, operator, a, b, c))
    elif isinstance(b, Pointer) and operator == "-":
        return pointers.difference(ctx, a, b, c)
    elif isinstance(b, Expr) and operator in ("+", "-"):
        return pointers.advance(ctx, a, b, c, back=operator == "-")
    ctx.fail(f"operator {operator} on a pointer", c)


def arm(ctx: Context, make: Callable[[], _T]) -> tuple[list[Stmt], _T, Targets]:
    """What is emitted, given and known of pointers after evaluating something only some paths evaluate."""
    before = dict(ctx.targets)
    with ctx.collecting() as block:
        result = make()
        settled: object = result
        if isinstance(result, ElementPlace):
            settled = ElementPlace(replace(result.pointer, offset=ctx.settled(result.pointer.offset)))
        elif isinstance(result, Value):
            settled = initialisation.settled(ctx, result)
        result = settled  # type: ignore[assignment]
        ctx.flush()
    after, ctx.targets = ctx.targets, before
    return block, result, after


def _short_circuit(ctx: Context, operator: str, left: Cursor, right: Cursor) -> Expr:
    held = ctx.hold(ctx.settled(condition(ctx, left)))
    block, b, after = arm(ctx, lambda: condition(ctx, right))
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


def _conditional(ctx: Context, c: Cursor, test: Cursor, first: Cursor, second: Cursor) -> Value:
    held = ctx.hold(ctx.settled(condition(ctx, test)))
    known = const_value(held.value)
    if known is not None:
        ctx.release(held)
        return pointers.convert(ctx, value(ctx, first if known else second), c.type, c)
    then, a, after_then = arm(ctx, lambda: pointers.convert(ctx, value(ctx, first), c.type, c))
    otherwise, b, after_otherwise = arm(ctx, lambda: pointers.convert(ctx, value(ctx, second), c.type, c))
    test_value = ctx.release(held)
    ctx.targets = ctx.merge([after_then, after_otherwise])
    found = conditional_values.chosen(ctx, c, test_value, (then, a), (otherwise, b))
    if found is None:
        ctx.fail(queries.describe(c.type), c)
    return found
