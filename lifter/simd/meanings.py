"""What each SIMD intrinsic computes, lane by lane: one table, checked against the processor by
tests/frontend/test_intrinsics.py.

A family is a line: the intrinsics' names without their prefix, and a function of the lanes.  The element type stands in
the name (`_epi16`, `_epu8`, `_ps`), and a name stands for both widths where both are declared.  Operations that cross
lanes work on each 128-bit half of a 256-bit register, as the processor does, unless said otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

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
    Max,
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
from lifter.simd.declarations import signatures

Vector = Sequence[Expr]
I8, I16, I32, I64 = Int(8), Int(16), Int(32), Int(64)
U8, U16, U32, U64 = UInt(8), UInt(16), UInt(32), UInt(64)
F32, F64 = Float(32), Float(64)


class NotConstant(Exception):
    """An operand that chooses lanes is not a constant."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """`compute` takes the operands in order: a register as its lanes, an immediate as an int, what a pointer points to
    as lanes, other scalars as they are; it gives lanes (fewer than the result has: zeros above) or a scalar."""

    compute: Callable[..., Any]
    lanes: tuple[Type | None, ...] = (None,)
    """The type of the lanes of each operand, the last one for those after it; None: as they come."""
    moves: int = 0
    """Lanes are only moved: in groups of so many bits; `compute` gives their numbers in all operands' groups one after
    the other, -1 for zeros, and takes the number of groups in an operand first."""
    halves: bool = False
    immediates: int = 0
    """How many of the last operands must be constants."""
    reads: int = 0
    """Bytes read at the pointer operand."""
    writes: int = 0
    """Bytes of the result, written at the first operand, a pointer."""


_TABLE: dict[str, Meaning] = {}


def _add(names: str, meaning: Meaning) -> None:
    known = signatures()
    for name in names.split():
        for prefix in ("_mm_", "_mm256_"):
            if prefix + name in known:
                assert prefix + name not in _TABLE, name
                _TABLE[prefix + name] = meaning
        assert "_mm_" + name in known or "_mm256_" + name in known, name


def _element(name: str) -> Type:
    """The element type that a name ends in."""
    found = re.search(r"_(ps|pd|ss|sd|ep[iu]\d+)x?$", name)
    assert found, name
    kind = found.group(1)
    if kind[0] in "ps":
        return F32 if kind[1] == "s" else F64
    return (Int if kind[2] == "i" else UInt)(int(kind[3:]))


def _each(names: str, f: Callable[..., Expr], to: Callable[[Type], Type] | None = None, immediates: int = 0) -> None:
    """Lane by lane; the lanes of the operands are seen as `to` of the element type."""

    def compute(*operands: Any) -> list[Expr]:
        fixed = operands[len(operands) - immediates :]
        vectors = operands[: len(operands) - immediates]
        return [f(*lane, *fixed) for lane in zip(*vectors, strict=True)]

    for name in names.split():
        t = _element(name)
        _add(name, Meaning(compute, (to(t) if to else t,), immediates=immediates))


def _lowest(names: str, f: Callable[..., Expr]) -> None:
    """Lane 0 from lane 0 of the operands, the others from the first operand."""
    for name in names.split():
        _add(name, Meaning(lambda a, *rest: [f(a[0], *(b[0] for b in rest)), *a[1:]], (_element(name),)))


def _moves(bits: int, names: str, f: Callable[..., list[int]], immediates: int = 0, halves: bool = True) -> None:
    _add(names, Meaning(f, moves=bits, halves=halves, immediates=immediates))


def _across(names: str, t: Type, f: Callable[..., Any], immediates: int = 0, halves: bool = True) -> None:
    _add(names, Meaning(f, (t,), halves=halves, immediates=immediates))


# Pieces.


def _named(name: str) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: intrinsic(name, a.type, a, b)


def _as(t: Type, e: Expr) -> Expr:
    return e if e.type == t else Cast(t, e)


def _saturate(t: Type, e: Expr) -> Expr:
    return intrinsic("saturating_cast", t, e)


def _mask(condition: Expr, t: Type) -> Expr:
    """All ones where the condition holds; of floats as integers of the same width."""
    t = Int(t.bits)
    return Select(t, condition, const(-1, t), const(0, t))


def _compare(node: Callable[..., Expr], negated: bool = False) -> Callable[[Expr, Expr], Expr]:
    def build(a: Expr, b: Expr) -> Expr:
        condition = node(BOOL, a, b)
        return _mask(Not(BOOL, condition) if negated else condition, a.type)

    return build


def _unordered(a: Expr, b: Expr) -> Expr:
    return Or(BOOL, NE(BOOL, a, a), NE(BOOL, b, b))


def _predicate(a: Expr, b: Expr, code: int) -> Expr:
    """The comparison of floats that an immediate names; bit 4 is about exceptions only."""

    def negation(e: Expr) -> Expr:
        return Not(BOOL, e)

    conditions: tuple[Callable[[], Expr], ...] = (
        lambda: EQ(BOOL, a, b), lambda: LT(BOOL, a, b), lambda: LE(BOOL, a, b), lambda: _unordered(a, b),
        lambda: NE(BOOL, a, b), lambda: negation(LT(BOOL, a, b)), lambda: negation(LE(BOOL, a, b)),
        lambda: negation(_unordered(a, b)),
        lambda: Or(BOOL, EQ(BOOL, a, b), _unordered(a, b)), lambda: negation(GE(BOOL, a, b)),
        lambda: negation(GT(BOOL, a, b)), lambda: make_bool(False),
        lambda: And(BOOL, NE(BOOL, a, b), negation(_unordered(a, b))), lambda: GE(BOOL, a, b),
        lambda: GT(BOOL, a, b), lambda: make_bool(True),
    )  # fmt: skip
    return _mask(conditions[code & 15](), a.type)


def _libm(name: str, e: Expr, *more: Expr) -> Expr:
    return Call(e.type, name if e.type.bits == 64 else f"{name}f", (e, *more), CallType.PURE_EXTERN)


def _minus(e: Expr) -> Expr:
    return e * const(-1.0, e.type)


def _rounded(e: Expr, how: int) -> Expr:
    return _libm(("rint", "floor", "ceil", "trunc", "rint", "rint", "rint", "rint")[how & 7], e)


def _shift(name: str) -> Callable[[Expr, int], Expr]:
    return lambda a, n: intrinsic(name, a.type, a, const(min(n & 255, a.type.bits), UInt(a.type.bits)))


def _shift_by_register(name: str) -> Callable[[Vector, Vector], list[Expr]]:
    def compute(a: Vector, count: Vector) -> list[Expr]:
        t = UInt(a[0].type.bits)
        amount = _as(t, Min(U64, count[0], const(t.bits, U64)))
        return [intrinsic(name, e.type, e, amount) for e in a]

    return compute


def _pairs(f: Callable[[Expr, Expr], Expr]) -> Callable[[Vector, Vector], list[Expr]]:
    """Neighbours combined: those of the first operand, then those of the second."""
    return lambda a, b: [f(x, y) for v in (a, b) for x, y in zip(v[::2], v[1::2], strict=True)]


def _dot(t: Type, result: Callable[[Expr], Expr]) -> Callable[[Vector, Vector], list[Expr]]:
    """Products of lanes at the type `t`, neighbours added."""

    def compute(a: Vector, b: Vector) -> list[Expr]:
        products = [_as(t, x) * _as(t, y) for x, y in zip(a, b, strict=True)]
        return [result(x + y) for x, y in zip(products[::2], products[1::2], strict=True)]

    return compute


def _total(values: Sequence[Expr]) -> Expr:
    out = values[0]
    for e in values[1:]:
        out = Add(e.type, out, e)
    return out


def _distance(a: Expr, b: Expr) -> Expr:
    return _as(U16, intrinsic("absd", U8, a, b))


def _sad(a: Vector, b: Vector) -> list[Expr]:
    apart = [_distance(x, y) for x, y in zip(a, b, strict=True)]
    return [_as(U64, _total(apart[i : i + 8])) for i in range(0, len(apart), 8)]


def _bits(conditions: Sequence[Expr]) -> Expr:
    out: Expr = const(0, I32)
    for i, c in enumerate(conditions):
        out = intrinsic("bitwise_or", I32, out, Select(I32, c, const(1 << i, I32), const(0, I32)))
    return out


def _sign_bits(a: Vector) -> Expr:
    return _bits([LT(BOOL, e, const(0, e.type)) for e in a])


def _all(conditions: Sequence[Expr]) -> Expr:
    out = conditions[0]
    for c in conditions[1:]:
        out = And(BOOL, out, c)
    return _as(I32, out)


def _is_zero(e: Expr) -> Expr:
    return EQ(BOOL, e, const(0, e.type))


def _shuffle_bytes(a: Vector, control: Vector) -> list[Expr]:
    chosen = [const_value(e) for e in control]
    if any(c is None for c in chosen):
        raise NotConstant
    return [const(0, U8) if int(c) & 128 else a[int(c) & 15] for c in chosen if c is not None]


def _permuted(a: Vector, control: Vector) -> list[Expr]:
    chosen = [const_value(e) for e in control]
    if any(c is None for c in chosen):
        raise NotConstant
    return [a[int(c) & 7] for c in chosen if c is not None]


def _fields(imm: int, count: int = 4) -> list[int]:
    """The two-bit fields of an immediate."""
    return [imm >> 2 * i & 3 for i in range(count)]


def _dot_product(a: Vector, b: Vector, imm: int) -> list[Expr]:
    zero = const(0.0, a[0].type)
    p = [x * y if imm >> 4 + i & 1 else zero for i, (x, y) in enumerate(zip(a, b, strict=True))]
    total = p[0] + p[1] if len(p) == 2 else (p[0] + p[1]) + (p[2] + p[3])
    return [total if imm >> i & 1 else zero for i in range(len(p))]


def _sums_of_distances(a: Vector, b: Vector, imm: int) -> list[Expr]:
    if len(a) > 16:
        return [*_sums_of_distances(a[:16], b[:16], imm), *_sums_of_distances(a[16:], b[16:], imm >> 3)]
    first, second = 4 * (imm >> 2 & 1), 4 * (imm & 3)
    return [_total([_distance(a[first + i + k], b[second + k]) for k in range(4)]) for i in range(8)]


def _with(a: Vector, e: Expr, position: int) -> list[Expr]:
    position %= len(a)
    return [*a[:position], _as(a[0].type, e), *a[position + 1 :]]


def _sign(a: Expr, b: Expr) -> Expr:
    zero = const(0, a.type)
    return Select(a.type, LT(BOOL, b, zero), zero - a, Select(a.type, EQ(BOOL, b, zero), zero, a))


def _choose_half(n: int, imm: int) -> list[int]:
    out: list[int] = []
    for field in (imm & 15, imm >> 4 & 15):
        start = (field & 3) * (n // 2)
        out += [-1] * (n // 2) if field & 8 else range(start, start + n // 2)
    return out


def _unsigned(t: Type) -> Type:
    return UInt(t.bits)


def _fill_integers() -> None:
    _each("add_epi8 add_epi16 add_epi32 add_epi64", lambda a, b: a + b)
    _each("sub_epi8 sub_epi16 sub_epi32 sub_epi64", lambda a, b: a - b)
    _each("mullo_epi16 mullo_epi32", lambda a, b: a * b)
    _each("adds_epi8 adds_epi16 adds_epu8 adds_epu16", _named("saturating_add"))
    _each("subs_epi8 subs_epi16 subs_epu8 subs_epu16", _named("saturating_sub"))
    _each("mulhi_epi16 mulhi_epu16", lambda a, b: intrinsic("mul_shift_right", a.type, a, b, const(16, U16)))
    _each("mulhrs_epi16", lambda a, b: _as(I16, ((_as(I32, a) * _as(I32, b) >> 14) + 1) >> 1))
    _each("avg_epu8 avg_epu16", _named("rounding_halving_add"))
    _each("min_epi8 min_epi16 min_epi32 min_epu8 min_epu16 min_epu32", lambda a, b: Min(a.type, a, b))
    _each("max_epi8 max_epi16 max_epi32 max_epu8 max_epu16 max_epu32", lambda a, b: Max(a.type, a, b))
    _each("cmpeq_epi8 cmpeq_epi16 cmpeq_epi32 cmpeq_epi64", _compare(EQ))
    _each("cmpgt_epi8 cmpgt_epi16 cmpgt_epi32 cmpgt_epi64", _compare(GT))
    _each("cmplt_epi8 cmplt_epi16 cmplt_epi32", _compare(LT))
    _each("abs_epi8 abs_epi16 abs_epi32", lambda a: _as(a.type, intrinsic("abs", _unsigned(a.type), a)))
    _each("sign_epi8 sign_epi16 sign_epi32", _sign)
    _each("slli_epi16 slli_epi32 slli_epi64", _shift("shift_left"), _unsigned, immediates=1)
    _each("srli_epi16 srli_epi32 srli_epi64", _shift("shift_right"), _unsigned, immediates=1)
    _each("srai_epi16 srai_epi32", _shift("shift_right"), immediates=1)
    _each("sllv_epi32 sllv_epi64", _named("shift_left"), _unsigned)
    _each("srlv_epi32 srlv_epi64", _named("shift_right"), _unsigned)
    _each("srav_epi32", lambda a, b: intrinsic("shift_right", I32, a, _as(U32, b)))
    for family, name, kind in (("sll", "shift_left", UInt), ("srl", "shift_right", UInt), ("sra", "shift_right", Int)):
        for bits in (16, 32) if family == "sra" else (16, 32, 64):
            _add(f"{family}_epi{bits}", Meaning(_shift_by_register(name), (kind(bits), U64)))
    _across("mul_epi32", I32, lambda a, b: [_as(I64, x) * _as(I64, y) for x, y in zip(a[::2], b[::2], strict=True)])
    _across("mul_epu32", U32, lambda a, b: [_as(U64, x) * _as(U64, y) for x, y in zip(a[::2], b[::2], strict=True)])
    _across("madd_epi16", I16, _dot(I32, lambda e: e))
    _add("maddubs_epi16", Meaning(_dot(I32, lambda e: _saturate(I16, e)), (U8, I8)))
    _across("sad_epu8", U8, _sad)
    _across("mpsadbw_epu8", U8, _sums_of_distances, immediates=1, halves=False)
    _across("hadd_epi16", I16, _pairs(lambda a, b: a + b))
    _across("hadd_epi32", I32, _pairs(lambda a, b: a + b))
    _across("hsub_epi16", I16, _pairs(lambda a, b: a - b))
    _across("hsub_epi32", I32, _pairs(lambda a, b: a - b))
    _across("hadds_epi16", I16, _pairs(_named("saturating_add")))
    _across("hsubs_epi16", I16, _pairs(_named("saturating_sub")))
    for name, source, target in (
        ("packs_epi16", I16, I8), ("packs_epi32", I32, I16), ("packus_epi16", I16, U8), ("packus_epi32", I32, U16),
    ):  # fmt: skip
        _across(name, source, lambda a, b, t=target: [_saturate(t, e) for e in (*a, *b)])
    for bits in (8, 16, 32, 64):
        for wide in (16, 32, 64):
            if wide > bits:
                for letter, kind in (("i", Int), ("u", UInt)):
                    _widening(f"cvtep{letter}{bits}_epi{wide}", kind(bits), kind(wide))


def _widening(name: str, source: Type, target: Type) -> None:
    """The lowest lanes, as many as fit, at a wider type."""
    for prefix, total in (("_mm_", 128), ("_mm256_", 256)):
        count = total // target.bits
        if prefix + name in signatures():
            _TABLE[prefix + name] = Meaning(lambda a, n=count: [_as(target, e) for e in a[:n]], (source,))


def _fill_bits() -> None:
    for width in (128, 256):
        _add(f"and_si{width}", Meaning(lambda a, b: [x & y for x, y in zip(a, b, strict=True)]))
        _add(f"or_si{width}", Meaning(lambda a, b: [x | y for x, y in zip(a, b, strict=True)]))
        _add(f"xor_si{width}", Meaning(lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)]))
        _add(f"andnot_si{width}", Meaning(lambda a, b: [~x & y for x, y in zip(a, b, strict=True)]))
        _add(f"testz_si{width}", Meaning(lambda a, b: _all([_is_zero(x & y) for x, y in zip(a, b, strict=True)])))
        _add(f"testc_si{width}", Meaning(lambda a, b: _all([_is_zero(~x & y) for x, y in zip(a, b, strict=True)])))
    _add("test_all_zeros", Meaning(lambda a, b: _all([_is_zero(x & y) for x, y in zip(a, b, strict=True)])))
    _add("test_all_ones", Meaning(lambda a: _all([_is_zero(~x) for x in a])))
    for suffix, t in (("ps", U32), ("pd", U64)):
        _add(f"and_{suffix}", Meaning(lambda a, b: [x & y for x, y in zip(a, b, strict=True)], (t,)))
        _add(f"or_{suffix}", Meaning(lambda a, b: [x | y for x, y in zip(a, b, strict=True)], (t,)))
        _add(f"xor_{suffix}", Meaning(lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)], (t,)))
        _add(f"andnot_{suffix}", Meaning(lambda a, b: [~x & y for x, y in zip(a, b, strict=True)], (t,)))
    for name, t in (("epi8", U8), ("ps", U32), ("pd", U64)):
        signed = Int(t.bits)
        _add(f"movemask_{name}", Meaning(_sign_bits, (signed,)))
        _add(
            f"blendv_{name}",
            Meaning(
                lambda a, b, m: [
                    Select(x.type, LT(BOOL, k, const(0, k.type)), y, x) for x, y, k in zip(a, b, m, strict=True)
                ],
                (t, t, signed),
            ),
        )


def _fill_moves() -> None:
    for bits in (8, 16, 32, 64):
        name = {32: " unpack{}_ps", 64: " unpack{}_pd"}.get(bits, "")
        low, high = (f"unpack{end}_epi{bits}" + name.format(end) for end in ("lo", "hi"))
        _moves(bits, low, lambda n: [x for i in range(n // 2) for x in (i, n + i)])
        _moves(bits, high, lambda n: [x for i in range(n // 2, n) for x in (i, n + i)])
    _across("shuffle_epi8", U8, _shuffle_bytes)
    _add("permutevar8x32_epi32", Meaning(_permuted, (U32, U32)))
    _add("permutevar8x32_ps", Meaning(_permuted, (F32, U32)))
    _moves(32, "shuffle_epi32 permute_ps", lambda n, imm: _fields(imm), 1)
    _moves(16, "shufflelo_epi16", lambda n, imm: [*_fields(imm), 4, 5, 6, 7], 1)
    _moves(16, "shufflehi_epi16", lambda n, imm: [0, 1, 2, 3, *(4 + f for f in _fields(imm))], 1)
    _moves(32, "shuffle_ps", lambda n, imm: [f + 4 * (i > 1) for i, f in enumerate(_fields(imm))], 1)
    _add("shuffle_pd", Meaning(lambda n, imm: _by_bit(n, imm, True), moves=64, immediates=1))
    _add("permute_pd", Meaning(lambda n, imm: _by_bit(n, imm, False), moves=64, immediates=1))
    _moves(8, "alignr_epi8", lambda n, imm: [_from_second(n, imm + i) for i in range(n)], 1)
    for names, step in (("slli_si128 bslli_si128 slli_si256 bslli_epi128", -1),
                        ("srli_si128 bsrli_si128 srli_si256 bsrli_epi128", 1)):  # fmt: skip
        _moves(
            8, names,
            lambda n, imm, s=step: [i + s * (imm & 255) if 0 <= i + s * (imm & 255) < n else -1 for i in range(n)], 1,
        )  # fmt: skip
    _moves(16, "blend_epi16", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1)
    _moves(32, "blend_epi32 blend_ps", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1, halves=False)
    _moves(64, "blend_pd", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1, halves=False)
    _moves(32, "moveldup_ps", lambda n: [0, 0, 2, 2])
    _moves(32, "movehdup_ps", lambda n: [1, 1, 3, 3])
    _moves(64, "movedup_pd", lambda n: [0, 0])
    _moves(32, "movelh_ps", lambda n: [0, 1, 4, 5])
    _moves(32, "movehl_ps", lambda n: [6, 7, 2, 3])
    _moves(32, "move_ss", lambda n: [n, *range(1, n)])
    _moves(64, "move_sd", lambda n: [n, 1])
    _moves(64, "move_epi64", lambda n: [0, -1])
    for prefix, total in (("_mm_", 128), ("_mm256_", 256)):
        for name, bits in (("b_epi8", 8), ("w_epi16", 16), ("d_epi32", 32), ("q_epi64", 64), ("ss_ps", 32)):
            count = total // bits
            _TABLE[f"{prefix}broadcast{name}"] = Meaning(lambda n, k=count: [0] * k, moves=bits)
    _moves(64, "permute4x64_epi64 permute4x64_pd", lambda n, imm: _fields(imm), 1, halves=False)
    _moves(
        64, "permute2x128_si256 permute2f128_si256 permute2f128_ps permute2f128_pd", _choose_half, 1, halves=False
    )  # fmt: skip
    _moves(
        64, "extracti128_si256 extractf128_si256 extractf128_ps extractf128_pd",
        lambda n, imm: [2 * (imm & 1), 2 * (imm & 1) + 1], 1, halves=False,
    )  # fmt: skip
    _moves(
        64, "inserti128_si256 insertf128_si256 insertf128_ps insertf128_pd",
        lambda n, imm: [0, 1, 4, 5] if imm & 1 else [4, 5, 2, 3], 1, halves=False,
    )  # fmt: skip
    _moves(64, "set_m128i set_m128", lambda n: [2, 3, 0, 1], halves=False)
    _moves(64, "setr_m128i setr_m128", lambda n: [0, 1, 2, 3], halves=False)
    _moves(64, "broadcastsi128_si256", lambda n: [0, 1, 0, 1], halves=False)
    _moves(64, "castsi256_si128 castps256_ps128 castpd256_pd128", lambda n: [0, 1], halves=False)
    # What the language leaves undefined above is zero here.
    same = (
        "castsi128_si256 castps128_ps256 castpd128_pd256 zextsi128_si256 zextps128_ps256 castps_pd castpd_ps "
        "castsi128_ps castps_si128 castsi128_pd castpd_si128 castsi256_ps castps_si256 castsi256_pd castpd_si256"
    )
    _moves(64, same, lambda n: list(range(n)), halves=False)


def _from_second(n: int, i: int) -> int:
    """Byte `i` of the second operand followed by the first, by number in the first followed by the second."""
    return n + i if i < n else i - n if i < 2 * n else -1


def _by_bit(n: int, imm: int, two: bool) -> list[int]:
    """Doubles chosen within each half by a bit each, those at odd places from the second operand if there are two."""
    return [i - i % 2 + (imm >> i & 1) + (n if two and i % 2 else 0) for i in range(n)]


def _fill_scalars() -> None:
    for prefix, total in (("_mm_", 128), ("_mm256_", 256)):
        for suffix, t in (("epi8", I8), ("epi16", I16), ("epi32", I32), ("epi64x", I64), ("ps", F32), ("pd", F64)):
            count = total // t.bits
            _TABLE[f"{prefix}set1_{suffix}"] = Meaning(lambda e, t=t, n=count: [_as(t, e)] * n)
            for name, step in ((f"set_{suffix}", -1), (f"setr_{suffix}", 1)):
                if prefix + name in signatures():
                    _TABLE[prefix + name] = Meaning(lambda *es, t=t, s=step: [_as(t, e) for e in es[::s]])
        for suffix, t in ((f"si{total}", U8), ("ps", F32), ("pd", F64)):
            for name in ("setzero", "undefined"):
                _TABLE[f"{prefix}{name}_{suffix}"] = Meaning(lambda t=t: [const(0, t)])
    _add("set_ps1", Meaning(lambda e: [e] * 4))
    _add("set_pd1", Meaning(lambda e: [e] * 2))
    _add("set_ss set_sd cvtsi32_si128 cvtsi64_si128 cvtsi64x_si128", Meaning(lambda e: [e]))
    _add("cvtsi128_si32 cvtsi256_si32", Meaning(lambda a: a[0], (I32,)))
    _add("cvtsi128_si64 cvtsi128_si64x", Meaning(lambda a: a[0], (I64,)))
    _add("cvtss_f32", Meaning(lambda a: a[0], (F32,)))
    _add("cvtsd_f64", Meaning(lambda a: a[0], (F64,)))
    for bits, t in ((8, U8), (16, U16), (32, I32), (64, I64)):
        wide = I64 if bits == 64 else I32
        _across(f"extract_epi{bits}", t, lambda a, n, w=wide: _as(w, a[n % len(a)]), 1, halves=False)
        _add(f"insert_epi{bits}", Meaning(_with, (t,), immediates=1))
    _across("extract_ps", I32, lambda a, n: a[n % 4], 1)


def _fill_floats() -> None:
    _each("add_ps add_pd", lambda a, b: a + b)
    _each("sub_ps sub_pd", lambda a, b: a - b)
    _each("mul_ps mul_pd", lambda a, b: a * b)
    _each("div_ps div_pd", lambda a, b: a / b)
    _each("min_ps min_pd", lambda a, b: Min(a.type, a, b))
    _each("max_ps max_pd", lambda a, b: Max(a.type, a, b))
    _lowest("add_ss add_sd", lambda a, b: a + b)
    _lowest("sub_ss sub_sd", lambda a, b: a - b)
    _lowest("mul_ss mul_sd", lambda a, b: a * b)
    _lowest("div_ss div_sd", lambda a, b: a / b)
    _lowest("min_ss min_sd", lambda a, b: Min(a.type, a, b))
    _lowest("max_ss max_sd", lambda a, b: Max(a.type, a, b))
    _lowest("sqrt_ss", lambda a: _libm("sqrt", a))
    _add("sqrt_sd", Meaning(lambda a, b: [_libm("sqrt", b[0]), a[1]], (F64,)))
    _add("floor_ss", Meaning(lambda a, b: [_libm("floor", b[0]), *a[1:]], (F32,)))
    _add("ceil_ss", Meaning(lambda a, b: [_libm("ceil", b[0]), *a[1:]], (F32,)))
    for name in ("sqrt", "floor", "ceil"):
        _each(f"{name}_ps {name}_pd", lambda a, f=name: _libm(f, a))
    _each("round_ps round_pd", _rounded, immediates=1)
    _each("cmp_ps cmp_pd", _predicate, immediates=1)
    for name, node, negated in (
        ("cmpeq", EQ, False), ("cmpneq", NE, False), ("cmplt", LT, False), ("cmple", LE, False), ("cmpgt", GT, False),
        ("cmpge", GE, False), ("cmpnlt", LT, True), ("cmpnle", LE, True), ("cmpngt", GT, True), ("cmpnge", GE, True),
    ):  # fmt: skip
        for name_ in (f"{name}_ps", f"{name}_pd"):
            if f"_mm_{name_}" in signatures():
                _each(name_, _compare(node, negated))
    _each("cmpunord_ps cmpunord_pd", lambda a, b: _mask(_unordered(a, b), a.type))
    _each("cmpord_ps cmpord_pd", lambda a, b: _mask(Not(BOOL, _unordered(a, b)), a.type))
    for prefix in ("comi", "ucomi"):
        # What the others say of NaN depends on the compiler.
        for name, node in (("gt", GT), ("ge", GE)):
            _add(f"{prefix}{name}_ss", Meaning(lambda a, b, k=node: _as(I32, k(BOOL, a[0], b[0])), (F32,)))
    for suffix, t in (("ps", F32), ("pd", F64)):
        _across(f"hadd_{suffix}", t, _pairs(lambda a, b: a + b))
        _across(f"hsub_{suffix}", t, _pairs(lambda a, b: a - b))
        _across(f"dp_{suffix}", t, _dot_product, immediates=1)
        _add(
            f"addsub_{suffix}",
            Meaning(lambda a, b: [x + y if i % 2 else x - y for i, (x, y) in enumerate(zip(a, b, strict=True))], (t,)),
        )
    _each("fmadd_ps fmadd_pd", lambda a, b, c: _libm("fma", a, b, c))
    _each("fmsub_ps fmsub_pd", lambda a, b, c: _libm("fma", a, b, _minus(c)))
    _each("fnmadd_ps fnmadd_pd", lambda a, b, c: _libm("fma", _minus(a), b, c))
    _each("fnmsub_ps fnmsub_pd", lambda a, b, c: _libm("fma", _minus(a), b, _minus(c)))
    _add("cvtepi32_ps", Meaning(lambda a: [_as(F32, e) for e in a], (I32,)))
    _add("cvttps_epi32", Meaning(lambda a: [_as(I32, e) for e in a], (F32,)))
    _add("cvtps_epi32", Meaning(lambda a: [_as(I32, _libm("rint", e)) for e in a], (F32,)))
    _widening("cvtps_pd", F32, F64)
    _widening("cvtepi32_pd", I32, F64)
    _add("cvtpd_ps", Meaning(lambda a: [_as(F32, e) for e in a], (F64,)))
    _add("cvttpd_epi32", Meaning(lambda a: [_as(I32, e) for e in a], (F64,)))
    _add("cvtpd_epi32", Meaning(lambda a: [_as(I32, _libm("rint", e)) for e in a], (F64,)))
    _add("cvttss_si32 cvtt_ss2si", Meaning(lambda a: _as(I32, a[0]), (F32,)))
    _add("cvtss_si32 cvt_ss2si", Meaning(lambda a: _as(I32, _libm("rint", a[0])), (F32,)))
    _add("cvttss_si64", Meaning(lambda a: _as(I64, a[0]), (F32,)))
    _add("cvttsd_si32", Meaning(lambda a: _as(I32, a[0]), (F64,)))
    _add("cvtsd_si32", Meaning(lambda a: _as(I32, _libm("rint", a[0])), (F64,)))
    _add("cvtsi32_ss cvt_si2ss cvtsi64_ss", Meaning(lambda a, e: [_as(F32, e), *a[1:]], (F32,)))
    _add("cvtsi32_sd cvtsi64_sd", Meaning(lambda a, e: [_as(F64, e), a[1]], (F64,)))


def _fill_memory() -> None:
    read = Meaning(lambda m: m)
    _add("loadu_si128 load_si128 lddqu_si128 stream_load_si128", replace(read, reads=16))
    _add("loadu_si256 load_si256 lddqu_si256", replace(read, reads=32))
    _add("loadl_epi64 loadu_si64", replace(read, reads=8))
    _add("loadu_si32", replace(read, reads=4))
    _add("loadu_si16", replace(read, reads=2))
    _add("load_ss", Meaning(lambda m: m, (F32,), reads=4))
    _add("load_sd", Meaning(lambda m: m, (F64,), reads=8))
    _add("loadl_pi", Meaning(lambda a, m: [*m, *a[2:]], (F32,), reads=8))
    _add("loadh_pi", Meaning(lambda a, m: [*a[:2], *m], (F32,), reads=8))
    _add("loadl_pd", Meaning(lambda a, m: [*m, a[1]], (F64,), reads=8))
    _add("loadh_pd", Meaning(lambda a, m: [a[0], *m], (F64,), reads=8))
    _add("loadr_ps", Meaning(lambda m: m[::-1], (F32,), reads=16))
    _add("loadr_pd", Meaning(lambda m: m[::-1], (F64,), reads=16))
    _add("load_ps1 load1_ps", Meaning(lambda m: [*m] * 4, (F32,), reads=4))
    _add("load_pd1 load1_pd loaddup_pd", Meaning(lambda m: [*m] * 2, (F64,), reads=8))
    _add("storeu_si128 store_si128 stream_si128", Meaning(lambda a: a, writes=16))
    _add("storeu_si256 store_si256 stream_si256", Meaning(lambda a: a, writes=32))
    _add("storel_epi64 storeu_si64", Meaning(lambda a: a, writes=8))
    _add("storeu_si32", Meaning(lambda a: a, writes=4))
    _add("storeu_si16", Meaning(lambda a: a, writes=2))
    _add("store_ss", Meaning(lambda a: a, (F32,), writes=4))
    _add("store_sd storel_pd", Meaning(lambda a: a, (F64,), writes=8))
    _add("storeh_pd", Meaning(lambda a: a[1:], (F64,), writes=8))
    _add("storel_pi", Meaning(lambda a: a, (F32,), writes=8))
    _add("storeh_pi", Meaning(lambda a: a[2:], (F32,), writes=8))
    _add("store_ps1 store1_ps", Meaning(lambda a: [a[0]] * 4, (F32,), writes=16))
    _add("store1_pd", Meaning(lambda a: [a[0]] * 2, (F64,), writes=16))
    _add("storer_ps", Meaning(lambda a: a[::-1], (F32,), writes=16))
    _add("stream_si32", Meaning(lambda e: [e], writes=4))
    _add("stream_si64", Meaning(lambda e: [e], writes=8))
    for prefix, size in (("_mm_", 16), ("_mm256_", 32)):
        for suffix, t in (("ps", F32), ("pd", F64)):
            for name in ("loadu", "load"):
                _TABLE[f"{prefix}{name}_{suffix}"] = Meaning(lambda m: m, (t,), reads=size)
            for name in ("storeu", "store", "stream"):
                _TABLE[f"{prefix}{name}_{suffix}"] = Meaning(lambda a: a, (t,), writes=size)
        _TABLE[f"{prefix}broadcast_ss"] = Meaning(lambda m, n=size // 4: [*m] * n, (F32,), reads=4)
    _TABLE["_mm256_broadcast_sd"] = Meaning(lambda m: [*m] * 4, (F64,), reads=8)
    _TABLE["_mm256_broadcast_ps"] = Meaning(lambda m: [*m] * 2, (F32,), reads=16)


@lru_cache(maxsize=1)
def table() -> dict[str, Meaning]:
    """The meaning of each intrinsic by its full name."""
    for fill in (_fill_integers, _fill_bits, _fill_moves, _fill_scalars, _fill_floats, _fill_memory):
        fill()
    return _TABLE
