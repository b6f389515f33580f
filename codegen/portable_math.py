"""The C library's functions in terms of what the package `halide` has."""

from __future__ import annotations

from codegen.math_names import extern_name, halide_name
from halide_core.ir import expr as E
from halide_core.ir.expr import BOOL, Call, CallType, Cast, Expr, Select, const, intrinsic
from halide_core.ir.types import Float, Type, UInt

OF_BOTH = {
    *("sqrt", "floor", "ceil", "trunc", "round", "exp", "log", "pow", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "is_nan"),
}
"""Functions that both packages have under one name, of floats of 32 and 64 bits."""


OWN = {f"{name}_f{bits}" for name in OF_BOTH.intersection(E.MATHEMATICS) for bits in (32, 64)}
"""Functions that are arithmetic of its own under `halide_core`, where the C library's are apart."""


def called(n: Call, inner: tuple[Expr, ...]) -> Expr:
    """A call of the C library, whose arguments have become `inner`, under the names of the expression language."""
    base = halide_name(n)
    if base in ("fmin", "fmax"):
        return _extreme(base == "fmin", *inner)
    if base == "copysign":
        return _with_sign(*inner)
    if base == "fma" and n.type.bits == 32:
        return _fused(*inner)
    return Call(n.type, extern_name(n), inner, CallType.PURE_EXTERN)


def is_missing(n: Expr) -> bool:
    """Whether the package has no such function."""
    return isinstance(n, Call) and n.call_type is CallType.PURE_EXTERN and base_of(n) not in OF_BOTH


def base_of(n: Call) -> str:
    """"exp" of "exp_f32"."""
    return n.name.rpartition("_f")[0]


def _is_nan(e: Expr) -> Expr:
    return Call(BOOL, f"is_nan_f{e.type.bits}", (e,), CallType.PURE_EXTERN)


def _extreme(least: bool, a: Expr, b: Expr) -> Expr:
    """Of a number and NaN the number; of two equal ones the second, as the library has it."""
    node = E.Min if least else E.Max
    return Select(a.type, _is_nan(b), a, node(a.type, a, b))


def _with_sign(a: Expr, b: Expr) -> Expr:
    bits = UInt(a.type.bits)
    top = const(1 << (a.type.bits - 1), bits)
    rest = const((1 << (a.type.bits - 1)) - 1, bits)
    size = intrinsic("bitwise_and", bits, E.Reinterpret(bits, a), rest)
    sign = intrinsic("bitwise_and", bits, E.Reinterpret(bits, b), top)
    return E.Reinterpret(a.type, intrinsic("bitwise_or", bits, size, sign))


def _fused(a: Expr, b: Expr, c: Expr) -> Expr:
    """a * b + c of 32 bits, rounded once: the product is exact in 64 bits, and the sum is rounded there to odd.

    Rounding to odd keeps what the second rounding must know (Boldo and Melquiond, "Emulation of FMA and correctly
    rounded sums", 2008): a sum that is not exact and whose last bit is 0 becomes its neighbour on the error's side."""
    t, bits = Float(64), UInt(64)
    product = E.Mul(t, Cast(t, a), Cast(t, b))
    other = Cast(t, c)
    total = E.Add(t, product, other)
    error = _error(t, product, other, total)
    zero, one = const(0.0, t), const(1, bits)
    number = E.Reinterpret(bits, total)
    even = E.EQ(BOOL, intrinsic("bitwise_and", bits, number, one), const(0, bits))
    inexact = E.Or(BOOL, E.LT(BOOL, error, zero), E.GT(BOOL, error, zero))  # false of infinities, whose error is NaN
    away = E.EQ(BOOL, E.GT(BOOL, error, zero), E.GT(BOOL, total, zero))
    beside = Select(bits, away, E.Add(bits, number, one), E.Sub(bits, number, one))
    odd = Select(bits, E.And(BOOL, inexact, even), beside, number)
    return Cast(a.type, E.Reinterpret(t, odd))


def _error(t: Type, a: Expr, b: Expr, total: Expr) -> Expr:
    """What a rounded sum leaves out (Knuth's TwoSum)."""
    part = E.Sub(t, total, a)
    first = E.Sub(t, a, E.Sub(t, total, part))
    return E.Add(t, first, E.Sub(t, b, part))
