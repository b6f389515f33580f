"""Halide's rules for the types of operands (IROperator.cpp: match_types, match_types_bitwise).

Python numbers take the type of the other operand.  Between expressions: an integer meets a float in the float's
type; integers of equal signedness meet at the wider width; a signed and an unsigned integer meet in a signed
integer of the wider width; a scalar meets a vector by broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const, intrinsic
from halide_core.ir.types import Bool, Float, Int, Type, UInt


def as_expr(value: Any, like: Type | None = None) -> Expr:
    """`value` as an expression; a Python number takes the type `like`, or int32, float32 or bool without one.

    Objects of the language (Func references, Vars, Params) convert themselves through `_as_expr`.
    Raises HalideError for a number that `like` cannot represent."""
    if isinstance(value, Expr):
        return value
    convert = getattr(value, "_as_expr", None)
    if convert is not None:
        converted = convert()
        assert isinstance(converted, Expr)
        return converted
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return const(value, like if like is not None and like.is_bool() else Bool())
    if isinstance(value, int):
        if like is None:
            if not -(1 << 31) <= value < 1 << 31:
                raise HalideError(f"The constant {value} does not fit an int32; give it a type, as in i64({value})")
            return const(value, Int(32))
        check_representable(value, like)
        return const(value, like)
    if isinstance(value, float):
        return const(value, like if like is not None and like.is_float() else Float(32))
    raise TypeError(f"cannot make an expression of {value!r}")


def check_representable(value: int, type_: Type) -> None:
    """Raises HalideError when the integer `value` is not one of `type_`."""
    if type_.is_int_or_uint() and not type_.is_bool() and not type_.min() <= value <= type_.max():
        raise HalideError(f"Integer constant {value} will be implicitly coerced to type {type_}, which changes it")


def broadcast(e: Expr, lanes: int) -> Expr:
    """A scalar as a vector of `lanes`; a vector of that many lanes as it is."""
    if e.type.lanes == lanes:
        return e
    assert e.type.is_scalar()
    return ir.Broadcast(e.type.with_lanes(lanes), e, lanes)


def cast_to(type_: Type, e: Expr) -> Expr:
    """`e` converted to `type_`, constants folded; the lanes of `e` are kept when `type_` is scalar."""
    if type_.is_scalar() and e.type.is_vector():
        type_ = type_.with_lanes(e.type.lanes)
    if e.type == type_:
        return e
    if e.type.element_of() == type_.element_of():
        return broadcast(e, type_.lanes)
    if isinstance(e, ir.IntImm | ir.UIntImm) and type_.is_scalar() and not type_.is_handle():
        return const(e.value, type_)
    if isinstance(e, ir.FloatImm) and type_.is_float() and type_.is_scalar():
        return const(e.value, type_)
    return ir.Cast(type_, broadcast(e, type_.lanes))


def common_type(a: Type, b: Type) -> Type:
    """The element type in which operands of element types `a` and `b` meet."""
    if a == b:
        return a
    if a.is_handle() or b.is_handle():
        raise HalideError(f"No arithmetic between {a} and {b}")
    if a.is_float() or b.is_float():
        if a.is_float() and b.is_float():
            return a if a.bits >= b.bits else b
        return a if a.is_float() else b
    bits = max(a.bits, b.bits)
    return UInt(bits) if a.is_uint() and b.is_uint() else Int(bits)


def match_types(a: Any, b: Any) -> tuple[Expr, Expr]:
    """Both operands in the type and number of lanes in which they meet."""
    x, y = _pair(a, b)
    lanes = max(x.type.lanes, y.type.lanes)
    x, y = broadcast(x, lanes), broadcast(y, lanes)
    type_ = common_type(x.type.element_of(), y.type.element_of()).with_lanes(lanes)
    return cast_to(type_, x), cast_to(type_, y)


def _pair(a: Any, b: Any) -> tuple[Expr, Expr]:
    if _is_number(a):
        y = as_expr(b)
        return as_expr(a, y.type.element_of()), y
    x = as_expr(a)
    return x, as_expr(b, x.type.element_of())


def _is_number(value: Any) -> bool:
    return not isinstance(value, Expr) and not hasattr(value, "_as_expr")


def match_bitwise(a: Any, b: Any) -> tuple[Expr, Expr]:
    """Both operands at the wider width, each keeping its signedness."""
    x, y = _pair(a, b)
    if x.type.is_float() or y.type.is_float():
        raise HalideError(f"Bitwise operation on {x.type} and {y.type}; only integers have bits")
    lanes = max(x.type.lanes, y.type.lanes)
    bits = max(x.type.bits, y.type.bits)
    x, y = broadcast(x, lanes), broadcast(y, lanes)
    return cast_to(x.type.with_bits(bits), x), cast_to(y.type.with_bits(bits), y)


def arithmetic(node: Callable[[Type, Expr, Expr], Expr]) -> Callable[[Any, Any], Expr]:
    """The operator that builds `node` in the type of its matched operands."""

    def build(a: Any, b: Any) -> Expr:
        x, y = match_types(a, b)
        return node(x.type, x, y)

    return build


def comparison(node: Callable[[Type, Expr, Expr], Expr]) -> Callable[[Any, Any], Expr]:
    """The operator that builds the comparison `node` of its matched operands."""

    def build(a: Any, b: Any) -> Expr:
        x, y = match_types(a, b)
        return node(Bool(x.type.lanes), x, y)

    return build


def _logical(name: str, node: Callable[[Type, Expr, Expr], Expr]) -> Callable[[Any, Any], Expr]:
    def build(a: Any, b: Any) -> Expr:
        x, y = _pair(a, b)
        if x.type.is_bool() and y.type.is_bool():
            lanes = max(x.type.lanes, y.type.lanes)
            return node(Bool(lanes), broadcast(x, lanes), broadcast(y, lanes))
        x, y = match_bitwise(x, y)
        return intrinsic(name, x.type, x, cast_to(x.type, y))

    return build


def shift(name: str) -> Callable[[Any, Any], Expr]:
    """The shift intrinsic `name`: the amount keeps its signedness, a literal amount is unsigned."""

    def build(a: Any, b: Any) -> Expr:
        if _is_number(a):
            y = as_expr(b)
            x, y = match_bitwise(as_expr(a, y.type.element_of()), y)
        elif isinstance(b, int):
            x = as_expr(a)
            if x.type.is_float():
                raise HalideError(f"Shift of {x.type}; only integers have bits")
            y = const(b, UInt(x.type.bits, x.type.lanes) if b >= 0 else Int(x.type.bits, x.type.lanes))
        else:
            x, y = match_bitwise(a, b)
        return intrinsic(name, x.type, x, y)

    return build


def negate(a: Any) -> Expr:
    """-a; of floats also for zeros, as -0.0 - a."""
    x = as_expr(a)
    zero = const(-0.0 if x.type.is_float() else 0, x.type)
    return ir.Sub(x.type, zero, x)


def invert(a: Any) -> Expr:
    """!a of a bool, ~a of an integer."""
    x = as_expr(a)
    return ir.Not(x.type, x) if x.type.is_bool() else intrinsic("bitwise_not", x.type, x)


ir._OPERATORS.update(
    {
        "add": arithmetic(ir.Add),
        "sub": arithmetic(ir.Sub),
        "mul": arithmetic(ir.Mul),
        "div": arithmetic(ir.Div),
        "mod": arithmetic(ir.Mod),
        "and": _logical("bitwise_and", ir.And),
        "or": _logical("bitwise_or", ir.Or),
        "xor": _logical("bitwise_xor", ir.NE),
        "shl": shift("shift_left"),
        "shr": shift("shift_right"),
        "neg": negate,
        "invert": invert,
        "eq": comparison(ir.EQ),
        "ne": comparison(ir.NE),
        "lt": comparison(ir.LT),
        "le": comparison(ir.LE),
        "gt": comparison(ir.GT),
        "ge": comparison(ir.GE),
    }
)
