"""Building IR expressions that mean what C++'s operators mean; constants are folded exactly."""

from __future__ import annotations

import math
from collections.abc import Callable

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I64, Expr, const, const_value, intrinsic
from halide_core.ir.types import Type

_COMPARISONS: dict[str, type[ir._Binary]] = {
    "==": ir.EQ,
    "!=": ir.NE,
    "<": ir.LT,
    "<=": ir.LE,
    ">": ir.GT,
    ">=": ir.GE,
}
_ARITHMETIC: dict[str, type[ir._Binary]] = {"+": ir.Add, "-": ir.Sub, "*": ir.Mul}
_BITWISE = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_OPPOSITES: dict[type[ir.Expr], type[ir._Binary]] = {ir.LT: ir.GE, ir.GE: ir.LT, ir.GT: ir.LE, ir.LE: ir.GT}
# Below this every integer is a double, so a conversion rounds once.
_EXACT_IN_DOUBLE = 1 << 53


def cast(e: Expr, to: Type) -> Expr:
    """`e` converted to `to` as C++ converts scalars."""
    if e.type == to:
        return e
    if to.is_bool():
        return to_bool(e)
    value = const_value(e)
    if value is not None:
        if isinstance(value, int) and to.is_float() and abs(value) < _EXACT_IN_DOUBLE:
            return const(value, to)
        if isinstance(value, int) and to.is_int_or_uint():
            return const(value, to)
        if isinstance(value, float) and to.is_float():
            return const(value, to)
        if isinstance(value, float) and math.isfinite(value) and to.min() <= math.trunc(value) <= to.max():
            return const(math.trunc(value), to)
    if isinstance(e, ir.Cast) and _skips(e.value.type, e.type, to):
        return cast(e.value, to)
    return ir.Cast(to, e)


def _skips(source: Type, middle: Type, to: Type) -> bool:
    """Whether converting source to middle to `to` is converting source to `to`."""
    if middle.is_bool() or source.is_bool():
        return False
    if source.is_int_or_uint() and middle.is_int_or_uint():
        return middle.can_represent(source) or (to.is_int_or_uint() and to.bits <= middle.bits)
    return source.is_float() and middle.is_float() and middle.can_represent(source)


def to_bool(e: Expr) -> Expr:
    """The condition `e != 0`."""
    if e.type.is_bool():
        return e
    # C's comparisons are ints: (int)(a < b) != 0 is a < b.
    if isinstance(e, ir.Cast) and e.value.type.is_bool():
        return e.value
    return binary("!=", e, const(0, e.type))


def negate(e: Expr) -> Expr:
    """Logical not of a bool."""
    value = const_value(e)
    if value is not None:
        return ir.make_bool(not value)
    if isinstance(e, ir.EQ | ir.NE):
        return (ir.NE if isinstance(e, ir.EQ) else ir.EQ)(BOOL, e.a, e.b)
    if isinstance(e, ir.LT | ir.LE | ir.GT | ir.GE) and not e.a.type.is_float():
        return _OPPOSITES[type(e)](BOOL, e.a, e.b)
    if isinstance(e, ir.And | ir.Or):
        return (ir.Or if isinstance(e, ir.And) else ir.And)(BOOL, negate(e.a), negate(e.b))
    return e.a if isinstance(e, ir.Not) else ir.Not(BOOL, e)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    """a op b for operands of one type (shifts too); C++'s meaning where the result is defined."""
    assert a.type == b.type, (op, a.type, b.type)
    t = a.type
    x, y = const_value(a), const_value(b)
    if x is not None and y is not None:
        folded = _fold(op, x, y, t)
        if folded is not None:
            return folded
    if op in _COMPARISONS:
        return _COMPARISONS[op](BOOL, a, b)
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](t, a, b)
    if op == "/":
        return intrinsic("div_round_to_zero", t, a, b) if t.is_int() else ir.Div(t, a, b)
    if op == "%":
        return intrinsic("mod_round_to_zero", t, a, b) if t.is_int() else ir.Mod(t, a, b)
    if op in _BITWISE:
        return intrinsic(_BITWISE[op], t, a, b)
    assert op in ("<<", ">>"), op
    return intrinsic("shift_left" if op == "<<" else "shift_right", t, a, b)


def _fold(op: str, x: float, y: float, t: Type) -> Expr | None:
    if op in _COMPARE:
        return ir.make_bool(_COMPARE[op](x, y))
    if t.is_float():
        if op == "/" and y == 0:
            return None
        result = {"+": x + y, "-": x - y, "*": x * y, "/": x / y if y else 0.0}.get(op)
        return None if result is None or not math.isfinite(result) else const(result, t)
    a, b = int(x), int(y)
    value: int
    if op in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        value = quotient if op == "/" else a - b * quotient
    elif op in ("<<", ">>"):
        if not 0 <= b < t.bits:
            return None
        value = a << b if op == "<<" else a >> b
    else:
        value = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op]
    if t.is_int() and op in ("+", "-", "*", "/") and not t.min() <= value <= t.max():
        return None
    return const(value, t)


def minus(e: Expr) -> Expr:
    """-e; exact for signed zeros too."""
    value = const_value(e)
    if e.type.is_float():
        return const(-value, e.type) if value is not None else ir.Mul(e.type, e, const(-1.0, e.type))
    return binary("-", const(0, e.type), e)


def complement(e: Expr) -> Expr:
    """~e."""
    value = const_value(e)
    if value is not None:
        return const(~int(value), e.type)
    return intrinsic("bitwise_not", e.type, e)


def conjunction(a: Expr, b: Expr) -> Expr:
    """a && b where evaluating b has no side effects."""
    value = const_value(a)
    if value is not None:
        return b if value else a
    return a if const_value(b) == 1 else ir.And(BOOL, a, b)


def disjunction(a: Expr, b: Expr) -> Expr:
    """a || b where evaluating b has no side effects."""
    value = const_value(a)
    if value is not None:
        return a if value else b
    return a if const_value(b) == 0 else ir.Or(BOOL, a, b)


def select(condition: Expr, a: Expr, b: Expr) -> Expr:
    """condition ? a : b where evaluating either has no side effects."""
    value = const_value(condition)
    if value is not None:
        return a if value else b
    return ir.Select(a.type, condition, a, b)


def offset_sum(a: Expr, b: Expr) -> Expr:
    """a + b for element offsets, without adding zeros."""
    if const_value(a) == 0:
        return b
    return a if const_value(b) == 0 else binary("+", a, b)


def offset_scaled(index: Expr, factor: int) -> Expr:
    """index * factor for element offsets."""
    return index if factor == 1 else binary("*", index, const(factor, I64))
