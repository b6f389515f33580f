"""Questions about expressions, types and definitions of the tree."""

from __future__ import annotations

from collections import Counter

from clang.cindex import Cursor, CursorKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import Expr, Load
from halide_core.ir.structural import contains
from halide_core.ir.types import Type
from lifter.frontend.clang import classes, types
from lifter.frontend.clang.asking import Asker
from lifter.frontend.clang.libclang import (
    binary_operator,
    changes,
    children,
    evaluate,
    operands,
    preorder,
    unary_operator,
)

K = CursorKind
CASTS = {
    K.CSTYLE_CAST_EXPR,
    K.CXX_FUNCTIONAL_CAST_EXPR,
    K.CXX_STATIC_CAST_EXPR,
    K.CXX_REINTERPRET_CAST_EXPR,
    K.CXX_CONST_CAST_EXPR,
}


LOOPS = {K.FOR_STMT, K.WHILE_STMT, K.DO_STMT, K.CXX_FOR_RANGE_STMT}


def leaves(c: Cursor, ways: frozenset[CursorKind]) -> bool:
    """Whether a statement may go on elsewhere than behind it, in one of some ways, or may be come to."""
    if c.kind in ways:
        return True
    if c.kind in LOOPS:
        ways -= {K.BREAK_STMT, K.CONTINUE_STMT}
    if c.kind is K.SWITCH_STMT:
        ways -= {K.BREAK_STMT, K.CASE_STMT, K.DEFAULT_STMT}
    return any(leaves(n, ways) for n in children(c))


_ON = frozenset({K.BREAK_STMT, K.CONTINUE_STMT})


def is_once(c: Cursor) -> bool:
    """Whether a loop is none but the statement that a macro makes: `do { ... } while (0)`, which nothing leaves."""
    if c.kind is not K.DO_STMT:
        return False
    body, condition = children(c)
    literal = unwrap(condition)
    never = literal.kind in (K.INTEGER_LITERAL, K.CXX_BOOL_LITERAL_EXPR) and not evaluate(literal)
    return never and not leaves(body, _ON)


def is_designator(item: Cursor) -> bool:
    """Whether an item of an initialiser list says which field or element it is for."""
    inner = operands(item)
    return len(inner) > 1 or any(k.kind is K.MEMBER_REF for k in children(item))


def unwrap(c: Cursor) -> Cursor:
    """An expression without implicit conversions and parentheses around it."""
    while c.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR) and len(operands(c)) == 1:
        c = operands(c)[0]
    return c


def scalar_type(asker: Asker, t: ClangType, at: Cursor | None = None) -> Type:
    """The IR type of a C++ scalar type; raises Unsupported for anything else."""
    if t.get_canonical().is_volatile_qualified():
        asker.fail("volatile object", at, "volatile accesses cannot be reordered or removed")
    found = types.scalar(t)
    if found is None:
        asker.fail(describe(t), at)
    return found


def describe(t: ClangType) -> str:
    """What to call an unsupported type."""
    c = types.canonical(t)
    kind = c.kind.name
    if kind == "RECORD":
        if c.get_declaration().is_anonymous():
            return "object of an unnamed class type"
        return f"object of class type '{t.spelling}'"
    if kind in ("LONGDOUBLE", "INT128", "UINT128", "HALF", "FLOAT16", "FLOAT128", "IBM128"):
        return f"arithmetic of type '{t.spelling}'"
    return f"value of type '{t.spelling}'"


def element_type(asker: Asker, pointee: ClangType, at: Cursor | None = None) -> Type:
    """The scalar type inside what a pointer points to."""
    return scalar_type(asker, types.innermost(pointee), at)


def has_effects(c: Cursor) -> bool:
    """Whether an expression assigns, increments or calls anything."""
    return any(k.kind is K.CALL_EXPR or changes(k) for k in preorder(c))


_ORDERED = ("&&", "||", ",")
_READS = (K.ARRAY_SUBSCRIPT_EXPR, K.CALL_EXPR, K.MEMBER_REF_EXPR)


def comes_first(statement: Cursor, condition: Cursor) -> bool:
    """Whether a condition, which has no effects, may as well be evaluated in front of the statement that it is part of:
    nothing that comes before it there has effects, and where it is not sure to be evaluated it reads no memory and
    divides by nothing."""
    node, sure = statement, True
    while node.hash != condition.hash:
        inner = children(node)
        position = next(i for i, c in enumerate(inner) if any(k.hash == condition.hash for k in preorder(c)))
        before = inner[:position]
        choice = node.kind is K.IF_STMT or (node.kind is K.CONDITIONAL_OPERATOR and len(inner) == 3)
        if choice:
            before = inner[: min(position, 1)]
        elif node.kind is K.DECL_STMT:
            if position > 0:  # it may be about what the others declare
                return False
        elif node.kind in (K.VAR_DECL, K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR, K.BINARY_OPERATOR):
            choice = node.kind is K.BINARY_OPERATOR and binary_operator(node) in _ORDERED
            before = before if choice else [*before, *inner[position + 1 :]]
        else:
            return False
        if any(map(has_effects, before)):
            return False
        sure = sure and not (choice and position > 0)
        node = inner[position]
    return sure or not any(_may_fail(k) for k in preorder(condition))


def _may_fail(c: Cursor) -> bool:
    """Whether a part of an expression reads memory, or divides."""
    if c.kind is K.BINARY_OPERATOR:
        return binary_operator(c) in ("/", "%")
    return c.kind in _READS or (c.kind is K.UNARY_OPERATOR and unary_operator(c) == "*")


def key(definition: Cursor) -> str:
    """What identifies a function (each instantiation of a template for itself)."""
    location = definition.location
    return f"{definition.mangled_name or definition.spelling}@{location.file}:{location.offset}"


def modified(root: Cursor) -> Counter[int]:
    """Hashes of the variables in a body that may be changed or referred to, not only read, and in how many places."""
    out: Counter[int] = Counter()
    stack = [(root, False)]
    while stack:
        c, converted = stack.pop()
        if c.kind is K.DECL_REF_EXPR and not converted:
            target = c.referenced
            if target is not None:
                out[target.hash] += 1
        inner = children(c)
        # What is only read stands under an implicit conversion to a value.
        reading = c.kind is K.UNEXPOSED_EXPR and len(inner) == 1
        if reading and classes.is_base_of(c.type, inner[0].type):
            reading = bool(c.type.is_const_qualified())
        if c.kind is K.LAMBDA_EXPR:
            # A capture is no use yet.
            inner = [k for k in inner if k.kind is not K.DECL_REF_EXPR]
        through = c.kind is K.PAREN_EXPR or (c.kind is K.MEMBER_REF_EXPR and not types.is_array(c.type))
        stack.extend((k, reading or (converted and through)) for k in inner)
    return out


def modified_in(asker: Asker, body: Cursor) -> Counter[int]:
    """As `modified`; what is called once is called again."""
    place = body.hash, body.location.offset
    if place not in asker.unit.modified:
        asker.unit.modified[place] = modified(body)
    return asker.unit.modified[place]


def reads_memory(e: Expr) -> bool:
    """Whether an expression reads an array."""
    return contains(e, Load)


def is_lane(c: Cursor) -> bool:
    """Whether an expression is a register's lane, `a[3]`."""
    return bool(types.register_bytes(operands(c)[0].type))


def copied_by(c: Cursor) -> Cursor | None:
    """What a copy or move constructor takes, where the class has its own."""
    target, arguments = c.referenced, list(c.get_arguments())
    if c.kind is not K.CALL_EXPR or target is None or target.kind is not K.CONSTRUCTOR or len(arguments) != 1:
        return None
    own = (target.is_copy_constructor() or target.is_move_constructor()) and not classes.is_implicit(target)
    return unwrap(arguments[0]) if own else None


def may_be_elided(returned: Cursor) -> bool:
    """Whether a local object is returned that compilers may make where the caller wants it, without its class's own
    constructor for copies."""
    source = copied_by(unwrap(returned))
    return source is not None and source.kind is K.DECL_REF_EXPR and source.referenced.kind is K.VAR_DECL
