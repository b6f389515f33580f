"""Numbers of some 106 bits as sums of two float64 (Dekker, "A floating-point technique for extending the available
precision", 1971), without products that are added in one step, which not every target has."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr
from halide_core.ir.types import Bool
from halide_core.mathematics.nodes import F64, U64, bits_as, choose, like, root

_LOW_BITS = (1 << 27) - 1
"""Of a mantissa: products of two without them are exact."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`high + low`, where `low` is no more than half a unit in the last place of `high`, or nearly so."""

    high: Expr
    low: Expr


def constant(x: Expr, high: float, low: float) -> Pair:
    """A constant of the type of `x`."""
    return Pair(like(x, high), like(x, low))


def single(x: Expr) -> Pair:
    """`x` itself."""
    return Pair(x, like(x, 0.0))


def ordered_sum(a: Expr, b: Expr) -> Pair:
    """a + b, exactly, where the exponent of `a` is not below that of `b`, or `a` is 0."""
    total = a + b
    return Pair(total, (a - total) + b)


def sum_of(a: Expr, b: Expr) -> Pair:
    """a + b, exactly (Knuth)."""
    total = a + b
    part = total - a
    return Pair(total, (a - (total - part)) + (b - part))


def product(a: Expr, b: Expr) -> Pair:
    """a * b, to 106 bits where nothing underflows."""
    (p, q), (r, s) = _halves(a), _halves(b)
    total = a * b
    return Pair(total, ((p * r - total) + p * s + q * r) + q * s)


def times(a: Pair, b: Pair) -> Pair:
    """a * b, to some 100 bits."""
    p = product(a.high, b.high)
    return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high))


def plus(a: Pair, b: Pair) -> Pair:
    """a + b, to some 100 bits, where the exponent of `a` is not below that of `b`."""
    s = ordered_sum(a.high, b.high)
    return Pair(s.high, s.low + (a.low + b.low))


def quotient(a: Pair, b: Pair) -> Pair:
    """a / b, to some 100 bits where nothing underflows."""
    q = a.high / b.high
    p = product(q, b.high)
    rest = ((a.high - p.high) - p.low) + (a.low - q * b.low)
    return Pair(q, rest / b.high)


def root_of(a: Pair) -> Pair:
    """The square root of `a`, which is 0 or above."""
    r = root(a.high)
    p = product(r, r)
    rest = ((a.high - p.high) - p.low) + a.low
    none = ir.EQ(Bool(r.type.lanes), r, like(r, 0.0))
    return Pair(r, choose(none, r, rest / (r + r)))


def _halves(a: Expr) -> tuple[Expr, Expr]:
    bits = bits_as(U64, a)
    head = bits_as(F64, bits & like(bits, (1 << 64) - 1 - _LOW_BITS))
    return head, a - head
