"""What kind of number a float is, and comparisons of floats that raise no exception: the macros of C's `math.h`, the
functions of C++'s `cmath` and the compilers' functions that both are made of.

Source: ISO C17 7.12.3 and 7.12.14; GCC's manual, "Other Built-in Functions Provided by GCC", for values as ints."""

from __future__ import annotations

import sys
from collections.abc import Callable

from clang.cindex import Cursor

from halide_core.ir.expr import BOOL, NE, Expr, Variable, const
from halide_core.ir.types import Float, Int, Type
from lifter.frontend.clang import types
from lifter.frontend.lowering import evaluated
from lifter.frontend.lowering.library_math import absolute
from lifter.frontend.objects import scalar_memory
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context

_GREATEST = {32: (2 - 2.0**-23) * 2.0**127, 64: sys.float_info.max}
_LEAST_NORMAL = {32: 2.0**-126, 64: sys.float_info.min}


def _is_nan(v: Expr) -> Expr:
    return NE(BOOL, v, v)


def _is_finite(v: Expr) -> Expr:
    return op.binary("<=", absolute(v), const(_GREATEST[v.type.bits], v.type))


def _is_infinite(v: Expr) -> Expr:
    return op.binary(">", absolute(v), const(_GREATEST[v.type.bits], v.type))


def _infinite_sign(v: Expr) -> Expr:
    sign = op.select(op.binary("<", v, const(0.0, v.type)), const(-1, Int(32)), const(1, Int(32)))
    return op.select(_is_infinite(v), sign, const(0, Int(32)))


def _is_normal(v: Expr) -> Expr:
    least = op.binary(">=", absolute(v), const(_LEAST_NORMAL[v.type.bits], v.type))
    return op.conjunction(least, _is_finite(v))


def _is_negative(v: Expr) -> Expr:
    bits = Int(v.type.bits)
    return op.binary("<", scalar_memory.view(v, bits), const(0, bits))


_KINDS: dict[str, Callable[[Expr], Expr]] = {
    **dict.fromkeys(("isnan", "__isnan"), _is_nan),
    **dict.fromkeys(("isfinite", "finite", "__finite"), _is_finite),
    **dict.fromkeys(("isinf", "__isinf"), _is_infinite),
    "isinf_sign": _infinite_sign,
    "isnormal": _is_normal,
    **dict.fromkeys(("signbit", "__signbit"), _is_negative),
}
_COMPARED: dict[str, Callable[[Expr, Expr], Expr]] = {
    "isgreater": lambda a, b: op.binary(">", a, b),
    "isgreaterequal": lambda a, b: op.binary(">=", a, b),
    "isless": lambda a, b: op.binary("<", a, b),
    "islessequal": lambda a, b: op.binary("<=", a, b),
    "islessgreater": lambda a, b: op.disjunction(op.binary("<", a, b), op.binary("<", b, a)),
    "isunordered": lambda a, b: op.disjunction(_is_nan(a), _is_nan(b)),
}


def call(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Expr | None:
    """The value of a call by the function's name without `__builtin_`; None for a function that is not here, or whose
    value as an int is the compiler's choice (that of `signbit`, and C's `isinf` as a function)."""
    result = types.scalar(c.type)
    base = name[:-1] if name.endswith("f") and name[:-1] in _KINDS else name
    if result is None:
        return None
    if base in _COMPARED and len(arguments) == 2:
        a, b = evaluated.scalars(ctx, arguments)
        wide = Float(max(_of_floats(a.type), _of_floats(b.type)))
        return op.cast(_COMPARED[base](*(_settled(ctx, op.cast(v, wide)) for v in (a, b))), result)
    if base not in _KINDS or len(arguments) != 1:
        return None
    if base.endswith(("signbit", "isinf")) and not result.is_bool():
        return None
    (v,) = evaluated.scalars(ctx, arguments)
    if v.type.is_float() and v.type.bits not in _GREATEST:
        return None  # which half floats are normal depends on their own type
    own = Float(32) if base != name else Float(_of_floats(v.type))
    return op.cast(_KINDS[base](_settled(ctx, op.cast(v, own))), result)


def _of_floats(t: Type) -> int:
    """The width in which a number is taken: integers are doubles."""
    return t.bits if t.is_float() and t.bits in _GREATEST else 64


def _settled(ctx: Context, v: Expr) -> Expr:
    return v if isinstance(v, Variable) else ctx.temporary(v)
