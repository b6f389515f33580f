"""Functions of numbers of the C and C++ libraries."""

from __future__ import annotations

from clang.cindex import Cursor

from halide_core.ir.expr import (
    BOOL,
    GE,
    LT,
    Call,
    CallType,
    Expr,
    Max,
    Min,
    Select,
    Variable,
    const,
    const_value,
    intrinsic,
)
from halide_core.ir.types import Float, Int, Type, UInt
from lifter.frontend.clang import queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import evaluated
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Value
from lifter.ir.c_library import as_compiled

_UNARY_MATH = {
    *("sqrt", "floor", "ceil", "round", "trunc", "rint", "nearbyint", "exp", "exp2", "expm1", "log", "log2", "log10"),
    *("log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt"),
    *("erf", "erfc", "tgamma", "lgamma"),
}
_BINARY_MATH = {"pow", "atan2", "fmod", "hypot", "fmin", "fmax", "copysign", "fdim", "remainder"}
_TERNARY_MATH = {"fma"}
_MATH = {
    **dict.fromkeys(_UNARY_MATH, 1),
    **dict.fromkeys(_BINARY_MATH, 2),
    **dict.fromkeys(_TERNARY_MATH, 3),
}
_ROUNDING = {"lround", "llround", "lrint", "llrint"}
_ABS = {"abs", "labs", "llabs", "fabs", "fabsf"}
_WHOLE = {"abs": Int(32), "labs": Int(64), "llabs": Int(64)}


def has_types_of_c(target: Cursor) -> bool:
    """Whether a declaration has the types that C's function of its name has."""
    name = target.spelling
    base = name[:-1] if name.endswith("f") and name[:-1] in {*_MATH, *_ROUNDING, *_ABS} else name
    given = [types.scalar(a.type) for a in target.get_arguments()]
    result = types.scalar(target.result_type)
    if base in _WHOLE:
        return given == [_WHOLE[base]] and result == _WHOLE[base]
    own = Float(32 if base != name else 64)
    count = 1 if base == "fabs" or base in _ROUNDING else _MATH.get(base, 0)
    return given == [own] * count != [] and result == (Int(64) if base in _ROUNDING else own)


def call(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Value | None:
    """The value of a call of a function of `math.h`; None for a function that is not there."""
    result = types.scalar(c.type)
    base = name[:-1] if name.endswith("f") and (name[:-1] in _MATH or name[:-1] in _ROUNDING) else name
    if name in _ABS and len(arguments) == 1 and result is not None:
        (v,) = evaluated.scalars(ctx, arguments)
        return absolute(op.cast(v, result))
    if base in _MATH and len(arguments) == _MATH[base] and result is not None and result.is_float():
        values = tuple(op.cast(v, result) for v in evaluated.scalars(ctx, arguments))
        return _rounded(ctx, values[0]) if base == "round" else math_call(base, result, values)
    if base in _ROUNDING and len(arguments) == 1 and result is not None:
        (v,) = evaluated.scalars(ctx, arguments)
        own = v.type if v.type.is_float() else Float(64)
        own = Float(32) if name.endswith("f") else own
        v = op.cast(v, own)
        return op.cast(_rounded(ctx, v) if base.endswith("round") else math_call("rint", own, (v,)), result)
    return None


def math_call(name: str, type_: Type, arguments: tuple[Expr, ...]) -> Expr:
    """A libm call by C's name for the type."""
    return as_compiled(Call(type_, name if type_.bits == 64 else f"{name}f", arguments, CallType.PURE_EXTERN))


def _rounded(ctx: Context, v: Expr) -> Expr:
    """C's round: halves go away from zero.  What truncation leaves is exact, so that nothing is rounded twice."""
    v = v if isinstance(v, Variable) else ctx.temporary(v)
    whole = ctx.temporary(math_call("trunc", v.type, (v,)))
    zero, half, one = (const(c, v.type) for c in (0.0, 0.5, 1.0))
    away = Select(v.type, LT(BOOL, v, zero), whole - one, whole + one)
    return Select(v.type, GE(BOOL, absolute(v - whole), half), away, whole)


def absolute(v: Expr) -> Expr:
    """abs of a promoted integer or a float, of the type of the operand."""
    if v.type.is_float():
        return intrinsic("abs", v.type, v)
    if v.type.is_uint():
        return v
    return op.cast(intrinsic("abs", UInt(v.type.bits), v), v.type)


def minimum(a: Expr, b: Expr) -> Expr:
    """std::min(a, b)."""
    return op.select(op.binary("<", b, a), b, a) if a.type.is_float() else _extreme(Min, a, b)


def maximum(a: Expr, b: Expr) -> Expr:
    """std::max(a, b)."""
    return op.select(op.binary("<", a, b), b, a) if a.type.is_float() else _extreme(Max, a, b)


def _extreme(node: type[Min] | type[Max], a: Expr, b: Expr) -> Expr:
    x, y = const_value(a), const_value(b)
    if x is not None and y is not None:
        return const(min(x, y) if node is Min else max(x, y), a.type)
    return node(a.type, a, b)


def min_max(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Value | None:
    """std::min and std::max, of a list too."""
    combine = minimum if name == "min" else maximum
    if len(arguments) == 1:
        listed = queries.unwrap(arguments[0])
        if listed.kind.name != "INIT_LIST_EXPR":
            return None
        arguments = operands(listed)
    type_ = types.scalar(c.type)
    if type_ is None:
        ctx.fail(f"std::{name} of values of type '{c.type.spelling}'", c)
    values = [op.cast(v, type_) for v in evaluated.scalars(ctx, arguments)]
    out = values[0]
    for v in values[1:]:
        out = combine(out, v)
    return out


def clamp(ctx: Context, c: Cursor, _name: str, arguments: list[Cursor]) -> Value:
    """std::clamp."""
    type_ = queries.scalar_type(ctx, c.type, c)
    v, low, high = (op.cast(e, type_) for e in evaluated.scalars(ctx, arguments))
    if type_.is_float():
        return op.select(op.binary("<", v, low), low, op.select(op.binary("<", high, v), high, v))
    return _extreme(Max, _extreme(Min, v, high), low)
