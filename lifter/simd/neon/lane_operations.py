"""Pieces of the meanings of NEON intrinsics: what one lane comes to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.ir.expr import BOOL, EQ, GE, GT, LT, NE, Cast, Expr, Select, const, const_value, intrinsic
from halide_core.ir.types import Type, UInt
from lifter.simd.lane_operations import NotConstant, Vector, converted, libm, saturated, unordered
from lifter.simd.lanes import reinterpret
from lifter.simd.neon.table_rows import Compute, Form, resized


def wide(e: Expr) -> Expr:
    return converted(resized(e.type, 2 * e.type.bits), e)


def narrow(e: Expr) -> Expr:
    return Cast(resized(e.type, e.type.bits // 2), e)


def half(t: Type, unsigned: bool = False) -> Type:
    """The type of half the bits."""
    return UInt(t.bits // 2) if unsigned else resized(t, t.bits // 2)


def each(f: Callable[..., Expr]) -> Compute:
    """Lane by lane."""
    return lambda form: lambda *v: [f(*lane) for lane in zip(*v, strict=True)]


def each_n(f: Callable[..., Expr]) -> Compute:
    """Lane by lane, with a constant or a scalar last."""
    return lambda form: lambda *v: [f(*lane, v[-1]) for lane in zip(*v[:-1], strict=True)]


def each_lane(f: Callable[..., Expr]) -> Compute:
    """Lane by lane, with one lane of the last register in all of them."""
    return lambda form: lambda *v: [f(*lane, v[-2][v[-1]]) for lane in zip(*v[:-2], strict=True)]


def upper(compute: Compute, operands: int) -> Compute:
    """Of the upper halves of the last `operands` registers."""

    def build(form: Form) -> Callable[..., Any]:
        inner = compute(form)

        def of_halves(*v: Any) -> Any:
            registers = [i for i, x in enumerate(v) if not isinstance(x, Expr | int)][-operands:]
            return inner(*(x[len(x) // 2 :] if i in registers else x for i, x in enumerate(v)))

        return of_halves

    return build


def behind(compute: Compute) -> Compute:
    """The result behind the lanes of a first operand."""
    return lambda form: lambda low, *v: [*low, *compute(form)(*v)]


def left(a: Expr, n: int) -> Expr:
    return intrinsic("shift_left", a.type, a, const(n, UInt(a.type.bits)))


def right(a: Expr, n: int) -> Expr:
    return intrinsic("shift_right", a.type, a, const(n, UInt(a.type.bits)))


def rounded(a: Expr, n: int) -> Expr:
    """a / 2**n, to the nearest integer, halves up: at twice the bits, where there are such."""
    if a.type.bits == 64:
        return right(a, n) + (right(a, n - 1) & const(1, a.type))
    return right(wide(a) + const(1 << (n - 1), wide(a).type), n)


def shift_by(a: Expr, count: Expr, rounding: bool = False) -> Expr:
    """A shift by a signed number, to the right where it is negative, of which the low byte counts."""
    value = const_value(count)
    if value is None:
        raise NotConstant
    n = (int(value) + 128) % 256 - 128
    bits = a.type.bits
    if n >= 0:
        return left(a, n) if n < bits else const(0, a.type)
    if not rounding:
        return right(a, min(-n, bits)) if -n < bits or a.type.is_int() else const(0, a.type)
    if -n > bits:
        return const(0, a.type)
    return converted(a.type, rounded(a, -n))


def distance(a: Expr, b: Expr) -> Expr:
    """|a - b|, wrapped to the type of signed operands; of floats the absolute value of the difference."""
    if a.type.is_float():
        return libm("fabs", a - b)
    return converted(a.type, intrinsic("absd", UInt(a.type.bits), a, b))


def magnitude(a: Expr) -> Expr:
    return libm("fabs", a) if a.type.is_float() else converted(a.type, intrinsic("abs", UInt(a.type.bits), a))


def negated(a: Expr) -> Expr:
    return a * const(-1.0, a.type) if a.type.is_float() else const(0, a.type) - a


def halved(a: Expr, b: Expr) -> Expr:
    return intrinsic("halving_add", a.type, a, b)


def all_ones(condition: Expr, t: Type) -> Expr:
    """The lane that a comparison of lanes of type `t` gives."""
    u = UInt(t.bits)
    return Select(u, condition, const(u.max(), u), const(0, u))


def compared(node: Callable[..., Expr]) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: all_ones(node(BOOL, a, b), a.type)


def compared_to_zero(node: Callable[..., Expr]) -> Callable[[Expr], Expr]:
    return lambda a: all_ones(node(BOOL, a, const(0, a.type)), a.type)


def tested(a: Expr, b: Expr) -> Expr:
    return all_ones(NE(BOOL, a & b, const(0, a.type)), a.type)


def bits_of(a: Expr) -> Expr:
    return reinterpret(a, UInt(a.type.bits))


def extremum(least: bool) -> Callable[[Expr, Expr], Expr]:
    """The smaller or the larger of two floats: NaN where either is, and of zeros the one with the right sign."""

    def build(a: Expr, b: Expr) -> Expr:
        zeros = bits_of(a) | bits_of(b) if least else bits_of(a) & bits_of(b)
        alike = Select(a.type, EQ(BOOL, a, b), reinterpret(zeros, a.type), a + b)
        first, second = (a, b) if least else (b, a)
        return Select(a.type, LT(BOOL, first, second), a, Select(a.type, LT(BOOL, second, first), b, alike))

    return build


def extremum_of_numbers(least: bool) -> Callable[[Expr, Expr], Expr]:
    """As `extremum`, but for one NaN the other operand."""
    plain = extremum(least)

    def build(a: Expr, b: Expr) -> Expr:
        other = Select(a.type, NE(BOOL, b, b), a, plain(a, b))
        return Select(a.type, unordered(a, a), b, other)

    return build


def to_integer(t: Type) -> Callable[[Expr], Expr]:
    """A float as an integer, toward zero: the nearest that there is where it is too large, 0 for NaN."""

    def build(a: Expr) -> Expr:
        inside: Expr = Cast(t, a)
        if t.is_uint():
            inside = Select(t, GT(BOOL, a, const(0.0, a.type)), inside, const(0, t))
        else:
            low = LT(BOOL, a, const(float(t.min()), a.type))
            inside = Select(t, low, const(t.min(), t), Select(t, NE(BOOL, a, a), const(0, t), inside))
        above = GE(BOOL, a, const(float(t.max() + 1), a.type))
        return Select(t, above, const(t.max(), t), inside)

    return build


def doubled_high(rounding: bool) -> Callable[[Expr, Expr], Expr]:
    """The upper half of twice a product, saturated."""

    def build(a: Expr, b: Expr) -> Expr:
        product = wide(a) * wide(b)
        bits = a.type.bits
        if rounding:
            product = product + const(1 << (bits - 2), product.type)
        return saturated(a.type, right(product, bits - 1))

    return build


def chosen(m: Expr, a: Expr, b: Expr) -> Expr:
    """The bits of a where those of m are set, else those of b."""
    x, y = bits_of(a), bits_of(b)
    return reinterpret((m & x) | (~m & y), a.type)


def folded(f: Callable[[Expr, Expr], Expr]) -> Compute:
    """All lanes combined, first to last."""

    def compute(a: Vector) -> Expr:
        out = a[0]
        for e in a[1:]:
            out = f(out, e)
        return out

    return lambda form: compute


def looked_up(form: Form) -> Callable[[Vector, Vector], list[Expr]]:
    """Bytes of a table by constant numbers, 0 for those that are too large."""
    return lambda *v: table_lanes([e for part in v[:-1] for e in part], v[-1], None)


def looked_up_else(form: Form) -> Callable[[Vector, Vector, Vector], list[Expr]]:
    """Bytes of a table by constant numbers, those of the first operand for numbers that are too large."""
    return lambda *v: table_lanes([e for part in v[1:-1] for e in part], v[-1], v[0])


def table_lanes(values: Vector, numbers: Vector, otherwise: Vector | None) -> list[Expr]:
    out = []
    for k, e in enumerate(numbers):
        number = const_value(e)
        if number is None:
            raise NotConstant
        missing = otherwise[k] if otherwise is not None else const(0, values[0].type)
        out.append(values[int(number) % 256] if int(number) % 256 < len(values) else missing)
    return out
