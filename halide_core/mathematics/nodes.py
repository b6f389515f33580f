"""What functions of floats are made of, for scalars and for vectors: constants and conversions like an operand."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const
from halide_core.ir.types import Float, Int, Type, UInt

F32, F64 = Float(32), Float(64)
I32, I64, U32, U64 = Int(32), Int(64), UInt(32), UInt(64)
TO_INTEGER32, TO_INTEGER64 = 1.5 * 2.0**23, 1.5 * 2.0**52
"""Added to what is below 2**22 or 2**51, these leave the nearest integer in the last bits."""


def like(x: Expr, value: float) -> Expr:
    """The constant `value` of the type of `x`."""
    return const(value, x.type)


def to(t: Type, x: Expr) -> Expr:
    """`x` converted, lane by lane."""
    return ir.Cast(t.with_lanes(x.type.lanes), x)


def bits_as(t: Type, x: Expr) -> Expr:
    """The bits of each lane of `x` as a `t` of the same size."""
    return ir.Reinterpret(t.with_lanes(x.type.lanes), x)


def choose(condition: Expr, a: Expr, b: Expr) -> Expr:
    """`a` in the lanes in which `condition` holds, `b` in the others."""
    return ir.Select(a.type, condition, a, b)


def madd(a: Expr, b: Expr, c: Expr) -> Expr:
    """a * b + c, rounded once on targets that do both in one step: what is right must be so either way."""
    return ir.Call(a.type, "multiply_add", (a, b, c), ir.CallType.INTRINSIC)


def horner(x: Expr, coefficients: Sequence[float]) -> Expr:
    """The polynomial with the given coefficients, highest power first."""
    out = like(x, coefficients[0])
    for c in coefficients[1:]:
        out = madd(out, x, like(x, c))
    return out


def branched(x: Expr, coefficients: Sequence[float], last: int = 2) -> Expr:
    """The same polynomial with fewer steps that wait for each other, of which a core has only so many in sight: even
    and odd powers of all but the `last` coefficients apart, for a product more."""
    first = coefficients[: len(coefficients) - last]
    square = x * x
    out = madd(x, horner(square, first[-2::-2][::-1]), horner(square, first[::-2][::-1]))
    for c in coefficients[len(first) :]:
        out = madd(out, x, like(x, c))
    return out


def negated(x: Expr) -> Expr:
    """-x, of zeros too."""
    return like(x, -0.0) - x


def size(x: Expr) -> Expr:
    """|x|."""
    return ir.Call(x.type, "abs", (x,), ir.CallType.INTRINSIC)


def root(x: Expr) -> Expr:
    """The square root of x."""
    return ir.Call(x.type, f"sqrt_f{x.type.bits}", (x,), ir.CallType.PURE_EXTERN)


def floor(x: Expr) -> Expr:
    """The greatest integer that is not above x."""
    return ir.Call(x.type, f"floor_f{x.type.bits}", (x,), ir.CallType.PURE_EXTERN)


def with_sign_of(x: Expr, magnitude: Expr) -> Expr:
    """`magnitude`, which has none, with the sign of x; both of one type."""
    return bits_as(x.type, integer_bits(magnitude) | sign_of(x))


def sign_of(x: Expr) -> Expr:
    """The bit of the sign of x, in an integer as wide."""
    bits = integer_bits(x)
    return bits & like(bits, -(1 << (x.type.bits - 1)))


def integer_bits(x: Expr) -> Expr:
    """The bits of x as a signed integer."""
    return bits_as(I64 if x.type.bits == 64 else I32, x)
