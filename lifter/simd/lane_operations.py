"""Pieces of the meanings of intrinsics: what one lane, or a few, come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    Call,
    CallType,
    Cast,
    Expr,
    Min,
    Not,
    Or,
    Select,
    const,
    const_value,
    intrinsic,
    make_bool,
)  # fmt: skip
from halide_core.ir.types import Float, Int, Type, UInt

Vector = Sequence[Expr]
I8, I16, I32, I64 = Int(8), Int(16), Int(32), Int(64)
U8, U16, U32, U64 = UInt(8), UInt(16), UInt(32), UInt(64)
F32, F64 = Float(32), Float(64)


class NotConstant(Exception):
    """An operand that chooses lanes is not a constant."""


def named(name: str) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: intrinsic(name, a.type, a, b)


def converted(t: Type, e: Expr) -> Expr:
    return e if e.type == t else Cast(t, e)


def saturated(t: Type, e: Expr) -> Expr:
    return intrinsic("saturating_cast", t, e)


def lane_mask(condition: Expr, t: Type) -> Expr:
    """All ones where the condition holds; of floats as integers of the same width."""
    t = Int(t.bits)
    return Select(t, condition, const(-1, t), const(0, t))


def compared(node: Callable[..., Expr], negated: bool = False) -> Callable[[Expr, Expr], Expr]:
    def build(a: Expr, b: Expr) -> Expr:
        condition = node(BOOL, a, b)
        return lane_mask(Not(BOOL, condition) if negated else condition, a.type)

    return build


def unordered(a: Expr, b: Expr) -> Expr:
    return Or(BOOL, NE(BOOL, a, a), NE(BOOL, b, b))


def predicate(a: Expr, b: Expr, code: int) -> Expr:
    """The comparison of floats that an immediate names; bit 4 is about exceptions only."""

    def negation(e: Expr) -> Expr:
        return Not(BOOL, e)

    conditions: tuple[Callable[[], Expr], ...] = (
        lambda: EQ(BOOL, a, b), lambda: LT(BOOL, a, b), lambda: LE(BOOL, a, b), lambda: unordered(a, b),
        lambda: NE(BOOL, a, b), lambda: negation(LT(BOOL, a, b)), lambda: negation(LE(BOOL, a, b)),
        lambda: negation(unordered(a, b)),
        lambda: Or(BOOL, EQ(BOOL, a, b), unordered(a, b)), lambda: negation(GE(BOOL, a, b)),
        lambda: negation(GT(BOOL, a, b)), lambda: make_bool(False),
        lambda: And(BOOL, NE(BOOL, a, b), negation(unordered(a, b))), lambda: GE(BOOL, a, b),
        lambda: GT(BOOL, a, b), lambda: make_bool(True),
    )  # fmt: skip
    return lane_mask(conditions[code & 15](), a.type)


def libm(name: str, e: Expr, *more: Expr) -> Expr:
    return Call(e.type, name if e.type.bits == 64 else f"{name}f", (e, *more), CallType.PURE_EXTERN)


def minus(e: Expr) -> Expr:
    return e * const(-1.0, e.type)


def rounded(e: Expr, how: int) -> Expr:
    return libm(("rint", "floor", "ceil", "trunc", "rint", "rint", "rint", "rint")[how & 7], e)


def shifted(name: str) -> Callable[[Expr, int | Expr], Expr]:
    """A shift by a constant, of which the lowest eight bits count, or by a number below 256."""

    def compute(a: Expr, n: int | Expr) -> Expr:
        t = UInt(a.type.bits)
        if isinstance(n, int):
            return intrinsic(name, a.type, a, const(min(n & 255, t.bits), t))
        return intrinsic(name, a.type, a, converted(t, Min(U32, converted(U32, n), const(t.bits, U32))))

    return compute


def shifted_by_register(name: str) -> Callable[[Vector, Vector], list[Expr]]:
    def compute(a: Vector, count: Vector) -> list[Expr]:
        t = UInt(a[0].type.bits)
        amount = converted(t, Min(U64, count[0], const(t.bits, U64)))
        return [intrinsic(name, e.type, e, amount) for e in a]

    return compute


def pairs(f: Callable[[Expr, Expr], Expr]) -> Callable[[Vector, Vector], list[Expr]]:
    """Neighbours combined: those of the first operand, then those of the second."""
    return lambda a, b: [f(x, y) for v in (a, b) for x, y in zip(v[::2], v[1::2], strict=True)]


def products(t: Type) -> Callable[[Vector, Vector], list[Expr]]:
    """The products of the even lanes at the type `t`."""
    return lambda a, b: [converted(t, x) * converted(t, y) for x, y in zip(a[::2], b[::2], strict=True)]


def dot(t: Type, result: Callable[[Expr], Expr]) -> Callable[[Vector, Vector], list[Expr]]:
    """Products of lanes at the type `t`, neighbours added."""

    def compute(a: Vector, b: Vector) -> list[Expr]:
        products = [converted(t, x) * converted(t, y) for x, y in zip(a, b, strict=True)]
        return [result(x + y) for x, y in zip(products[::2], products[1::2], strict=True)]

    return compute


def total_of(values: Sequence[Expr]) -> Expr:
    out = values[0]
    for e in values[1:]:
        out = Add(e.type, out, e)
    return out


def distance(a: Expr, b: Expr) -> Expr:
    return converted(U16, intrinsic("absd", U8, a, b))


def sums_of_eight(a: Vector, b: Vector) -> list[Expr]:
    apart = [distance(x, y) for x, y in zip(a, b, strict=True)]
    return [converted(U64, total_of(apart[i : i + 8])) for i in range(0, len(apart), 8)]


def least_and_place(a: Vector) -> list[Expr]:
    """The least lane, then the number of the first lane that has it, then zeros."""
    t = a[0].type
    least = reduce(lambda x, y: Min(t, x, y), a)
    place: Expr = const(len(a) - 1, t)
    for i in reversed(range(len(a) - 1)):
        place = Select(t, EQ(BOOL, a[i], least), const(i, t), place)
    return [least, place, *(const(0, t) for _ in a[2:])]


def bit_mask(conditions: Sequence[Expr]) -> Expr:
    out: Expr = const(0, I32)
    for i, c in enumerate(conditions):
        out = intrinsic("bitwise_or", I32, out, Select(I32, c, const(1 << i, I32), const(0, I32)))
    return out


def sign_bits(a: Vector) -> Expr:
    return bit_mask([LT(BOOL, e, const(0, e.type)) for e in a])


def flag_of_all(conditions: Sequence[Expr]) -> Expr:
    out = conditions[0]
    for c in conditions[1:]:
        out = And(BOOL, out, c)
    return converted(I32, out)


def is_zero(e: Expr) -> Expr:
    return EQ(BOOL, e, const(0, e.type))


def shuffled_bytes(a: Vector, control: Vector) -> list[Expr]:
    chosen = [const_value(e) for e in control]
    if any(c is None for c in chosen):
        raise NotConstant
    return [const(0, U8) if int(c) & 128 else a[int(c) & 15] for c in chosen if c is not None]


def permuted(a: Vector, control: Vector) -> list[Expr]:
    chosen = [const_value(e) for e in control]
    if any(c is None for c in chosen):
        raise NotConstant
    return [a[int(c) & 7] for c in chosen if c is not None]


def fields(imm: int, count: int = 4) -> list[int]:
    """The two-bit fields of an immediate."""
    return [imm >> 2 * i & 3 for i in range(count)]


def dot_product(a: Vector, b: Vector, imm: int) -> list[Expr]:
    zero = const(0.0, a[0].type)
    p = [x * y if imm >> 4 + i & 1 else zero for i, (x, y) in enumerate(zip(a, b, strict=True))]
    total = p[0] + p[1] if len(p) == 2 else (p[0] + p[1]) + (p[2] + p[3])
    return [total if imm >> i & 1 else zero for i in range(len(p))]


def sums_of_distances(a: Vector, b: Vector, imm: int) -> list[Expr]:
    if len(a) > 16:
        return [*sums_of_distances(a[:16], b[:16], imm), *sums_of_distances(a[16:], b[16:], imm >> 3)]
    first, second = 4 * (imm >> 2 & 1), 4 * (imm & 3)
    return [total_of([distance(a[first + i + k], b[second + k]) for k in range(4)]) for i in range(8)]


def with_lane(a: Vector, e: Expr, position: int) -> list[Expr]:
    position %= len(a)
    return [*a[:position], converted(a[0].type, e), *a[position + 1 :]]


def signed_by(a: Expr, b: Expr) -> Expr:
    zero = const(0, a.type)
    return Select(a.type, LT(BOOL, b, zero), zero - a, Select(a.type, EQ(BOOL, b, zero), zero, a))


def chosen_halves(n: int, imm: int) -> list[int]:
    out: list[int] = []
    for field in (imm & 15, imm >> 4 & 15):
        start = (field & 3) * (n // 2)
        out += [-1] * (n // 2) if field & 8 else range(start, start + n // 2)
    return out


def unsigned(t: Type) -> Type:
    return UInt(t.bits)


def from_second(n: int, i: int) -> int:
    """Byte `i` of the second operand followed by the first, by number in the first followed by the second."""
    return n + i if i < n else i - n if i < 2 * n else -1


def chosen_by_bit(n: int, imm: int, two: bool) -> list[int]:
    """Doubles chosen within each half by a bit each, those at odd places from the second operand if there are two."""
    return [i - i % 2 + (imm >> i & 1) + (n if two and i % 2 else 0) for i in range(n)]
