"""Halide's rules for the types of operands (IROperator.cpp: match_types, match_types_bitwise).

An int32 literal takes the type of the other operand.  Between expressions: an integer meets a float in the float's
type; integers of equal signedness meet at the wider width; a signed and an unsigned integer meet in a signed
integer of the wider width; a scalar meets a vector by broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.errors import HalideError, warn_user
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Expr, const, const_value, intrinsic
from halide_core.ir.types import BFloat, Bool, Float, Handle, Int, Type, UInt


def as_expr(value: Any, like: Type | None = None) -> Expr:
    """`value` as an expression; a Python number takes the type `like`, or int32, int64, float32 or bool without one.

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
        if like is not None:
            check_representable(value, like)
            return const(value, like)
        if -(1 << 31) <= value < 1 << 31:
            return const(value, Int(32))
        if -(1 << 63) <= value < 1 << 63:
            return const(value, Int(64))
        raise HalideError(f"The constant {value} does not fit an int64")
    if isinstance(value, float):
        if like is not None and like.is_float():
            return const(value, like)
        return float_literal(value)
    if isinstance(value, str):
        return ir.StringImm(Handle(), value)
    raise TypeError(f"cannot make an expression of {value!r}")


def float_literal(value: float) -> Expr:
    """A Python float as a float32; warns where that is another number."""
    e = const(value, Float(32))
    if const_value(e) != value and value == value:
        warn_user(
            f"The floating-point value {value:.17f} will be interpreted as a float32 by Halide and lose precision; "
            "add an explicit `f32()` or `f64()`` cast to avoid this warning."
        )
    return e


def check_representable(value: int, type_: Type) -> None:
    """Raises HalideError when the integer `value` is not one of `type_`."""
    changed = const_value(const(value, type_)) != value if not type_.is_handle() else False
    if changed:
        raise HalideError(
            f"Integer constant {value} will be implicitly coerced to type {type_}, which changes its value to "
            f"{const(value, type_)}"
        )


def literal(value: Any, like: Type) -> Expr:
    """A Python number as the operand of an operator: an int32 takes the type of the other operand, where it must be
    exact; a longer integer is an int64 and a float a float32, whatever they meet."""
    if type(value) is int and like is I32 and -(1 << 31) <= value < 1 << 31:
        return ir.IntImm(I32, value)
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
        return as_expr(int(value) if not like.is_bool() else value, like)
    return as_expr(value)


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
    if x.type == y.type:
        return x, y
    lanes = max(x.type.lanes, y.type.lanes)
    x, y = broadcast(x, lanes), broadcast(y, lanes)
    type_ = common_type(x.type.element_of(), y.type.element_of()).with_lanes(lanes)
    return cast_to(type_, x), cast_to(type_, y)


def _pair(a: Any, b: Any) -> tuple[Expr, Expr]:
    if isinstance(a, Expr) and isinstance(b, Expr):
        return a, b
    if _is_number(a):
        y = as_expr(b)
        return literal(a, y.type.element_of()), y
    x = as_expr(a)
    return x, literal(b, x.type.element_of()) if _is_number(b) else as_expr(b)


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
        if isinstance(a, Expr) and isinstance(b, Expr) and a.type is I32 and b.type is I32:
            return node(I32, a, b)
        x, y = match_types(a, b)
        if x.type.is_bfloat():
            # No machine computes in bfloat16: each operation is done in float32 and rounded.
            x, y = (cast_to(Float(32, e.type.lanes), e) for e in (x, y))
            return cast_to(BFloat(16), node(x.type, x, y))
        return node(x.type, x, y)

    return build


def comparison(node: Callable[[Type, Expr, Expr], Expr]) -> Callable[[Any, Any], Expr]:
    """The operator that builds the comparison `node` of its matched operands."""

    def build(a: Any, b: Any) -> Expr:
        x, y = match_types(a, b)
        if x.type.is_bfloat():
            x, y = (cast_to(Float(32, e.type.lanes), e) for e in (x, y))
        return node(Bool(x.type.lanes), x, y)

    return build


def _logical(name: str, node: Callable[[Type, Expr, Expr], Expr]) -> Callable[[Any, Any], Expr]:
    def build(a: Any, b: Any) -> Expr:
        x, y = _pair(a, b)
        if x.type.is_bool() and y.type.is_bool():
            lanes = max(x.type.lanes, y.type.lanes)
            return node(Bool(lanes), broadcast(x, lanes), broadcast(y, lanes))
        x, y = match_bitwise(x, y)
        if x.type.code is not y.type.code:
            raise HalideError(f"{name} of {x.type} and {y.type}: both must be signed or both unsigned; cast one")
        return intrinsic(name, x.type, x, cast_to(x.type, y))

    return build


def shift(name: str, negative: str | None = None) -> Callable[[Any, Any], Expr]:
    """The shift intrinsic `name`: the amount keeps its signedness, a literal amount is unsigned; a negative literal
    shifts the other way, by the intrinsic `negative`."""

    def build(a: Any, b: Any) -> Expr:
        x = as_expr(int(a) if isinstance(a, bool) else a)
        if x.type.is_float():
            raise HalideError(f"Shift of {x.type}; only integers have bits")
        if isinstance(b, int) and not isinstance(b, bool) and -(1 << 31) <= b < 1 << 31:
            amount = UInt(x.type.bits, x.type.lanes)
            check_representable(abs(b), amount)
            used = name if b >= 0 or negative is None else negative
            return intrinsic(used, x.type, x, const(abs(b), amount))
        x, y = match_bitwise(x, as_expr(b))
        return intrinsic(name, x.type, x, y)

    return build


def negate(a: Any) -> Expr:
    """0 - a, as Halide has it: of the float 0.0 that is 0.0."""
    x = as_expr(a)
    return ir.Sub(x.type, const(0, x.type), x)


def invert(a: Any) -> Expr:
    """!a of a bool, ~a of an integer."""
    x = as_expr(a)
    if x.type.is_float():
        raise HalideError(f"~ of {x.type}; only integers and bools have bits")
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
        "shl": shift("shift_left", "shift_right"),
        "shr": shift("shift_right", "shift_left"),
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
