"""exp and log in float64 to some 34 bits, of which functions of float32 are made."""

from __future__ import annotations

import math

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F64, I64, TO_INTEGER64, U64, bits_as, choose, horner, like, to

# (exp(r) - 1 - r) / r**2 up to log(2) / 2 on either side, highest powers first.
_EXP = (
    0.0001991852506133092, 0.0013946176591458665, 0.008333264105036561, 0.04166626850897544, 0.16666666861751578,
    0.5000000078325322,
)  # fmt: skip
# (log((1 + s) / (1 - s)) / 2s - 1) / s**2 by powers of s**2, from sqrt(1/2) to sqrt(2).
_LOG = (0.11798165618498796, 0.14268301498608776, 0.20000172785250322, 0.33333332801622756)
_HALF_ROOT = 0x3FE6A09E667F3BCD
"""The bits of sqrt(1/2)."""
_EXPONENT_OF_2_52 = 0x4330000000000000


def exp64(x: Expr) -> Expr:
    """exp of a float64 between -700 and 700."""
    shifted = x * like(x, 1 / math.log(2.0)) + like(x, TO_INTEGER64)
    r = x - (shifted - like(x, TO_INTEGER64)) * like(x, math.log(2.0))
    result = like(r, 1.0) + (r + r * r * horner(r, _EXP))
    bits = bits_as(U64, shifted)
    return bits_as(F64, bits_as(U64, result) + (bits << like(bits, 52)))


def log64(x: Expr) -> Expr:
    """log of a normal float64 above 0."""
    bits = bits_as(I64, x)
    exponent, mantissa = _split(bits)
    return to(F64, exponent) * like(x, math.log(2.0)) + _log_near_1(mantissa - like(x, 1.0))


def log1p64(x: Expr) -> Expr:
    """log(1 + x) of a float64 of at least 0: infinite of what is, NaN of NaN."""
    # Above 1 / sqrt(2) there are no signs in it, for which there are no vectors.
    exponent, mantissa = _split(bits_as(U64, like(x, 1.0) + x))
    boolean = Bool(x.type.lanes)
    f = choose(ir.EQ(boolean, exponent, like(exponent, 0)), x, mantissa - like(x, 1.0))
    e = bits_as(F64, exponent | like(exponent, _EXPONENT_OF_2_52)) - like(x, 2.0**52)
    found = e * like(x, math.log(2.0)) + _log_near_1(f)
    return choose(ir.LT(boolean, x, like(x, math.inf)), found, x)


def bounded(x: Expr, bound: float) -> Expr:
    """`x` within `bound` on either side; NaN of NaN, which is what the nodes leave of a second operand."""
    return ir.Max(x.type, like(x, -bound), ir.Min(x.type, like(x, bound), x))


def _split(bits: Expr) -> tuple[Expr, Expr]:
    """(exponent, mantissa from sqrt(1/2) to sqrt(2)) of the normal number with these bits."""
    above = bits - like(bits, _HALF_ROOT)
    mantissa = bits_as(F64, (above & like(bits, (1 << 52) - 1)) + like(bits, _HALF_ROOT))
    return above >> like(bits, 52), mantissa


def _log_near_1(f: Expr) -> Expr:
    """log(1 + f) from sqrt(1/2) to sqrt(2)."""
    s = f / (f + like(f, 2.0))
    z = s * s
    return (s + s * z * horner(z, _LOG)) * like(s, 2.0)
