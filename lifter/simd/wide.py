"""What the intrinsics of AVX-512 compute that SSE and AVX2 have no like of: masks, and lanes of registers of 512 bits.

A mask is a number with a bit for each lane.  Those that have the names of narrower ones mean the same
(`meanings.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Expr,
    Max,
    Min,
    Select,
    const,
    const_value,
    intrinsic,
    make_bool,
)
from halide_core.ir.types import Float, Int, UInt
from lifter.simd.declarations import signatures
from lifter.simd.families import TABLE, Meaning, add, each, moves
from lifter.simd.lane_operations import (
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    NotConstant,
    Vector,
    converted,
    fields,
    is_zero,
    predicate,
    saturated,
    shifted,
    shifted_by_register,
    total_of,
)
from lifter.simd.masks import chosen, of_bits
from lifter.simd.wide_declarations import MASKED

_COMPARISONS = {"eq": EQ, "neq": NE, "lt": LT, "le": LE, "gt": GT, "ge": GE}
_BY_NUMBER: tuple[Callable[[Expr, Expr], Expr], ...] = (
    lambda a, b: EQ(BOOL, a, b), lambda a, b: LT(BOOL, a, b), lambda a, b: LE(BOOL, a, b),
    lambda a, b: make_bool(False), lambda a, b: NE(BOOL, a, b), lambda a, b: GE(BOOL, a, b),
    lambda a, b: GT(BOOL, a, b), lambda a, b: make_bool(True),
)  # fmt: skip


def fill() -> None:
    """Adds their meanings to the table."""
    for part in (_lanes, _moves, _narrowing, _masks, _memory, _masked_forms):
        part()


def _lanes() -> None:
    each("mullo_epi64", lambda a, b: a * b)
    each("min_epi64 min_epu64", lambda a, b: Min(a.type, a, b))
    each("max_epi64 max_epu64", lambda a, b: Max(a.type, a, b))
    each("abs_epi64", lambda a: converted(a.type, intrinsic("abs", UInt(a.type.bits), a)))
    each("srai_epi64", shifted("shift_right"), immediates=1, counts=True)
    each("sllv_epi16", lambda a, b: intrinsic("shift_left", a.type, a, b), lambda t: UInt(t.bits))
    each("srlv_epi16", lambda a, b: intrinsic("shift_right", a.type, a, b), lambda t: UInt(t.bits))
    add("sra_epi64", Meaning(shifted_by_register("shift_right"), (I64, U64)))
    for bits in (16, 64):
        each(
            f"srav_epi{bits}",
            lambda a, b: intrinsic("shift_right", a.type, a, converted(UInt(a.type.bits), b)),
        )
    for name, operation in (("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor")):
        for suffix in ("si512", "epi32", "epi64"):
            lanes = None if suffix == "si512" else UInt(int(suffix[3:]))
            add(f"{name}_{suffix}", Meaning(
                lambda a, b, o=operation: [intrinsic(o, x.type, x, y) for x, y in zip(a, b, strict=True)], (lanes,),
            ))  # fmt: skip
    for suffix in ("si512", "epi32", "epi64"):
        lanes = None if suffix == "si512" else UInt(int(suffix[3:]))
        add(f"andnot_{suffix}", Meaning(lambda a, b: [~x & y for x, y in zip(a, b, strict=True)], (lanes,)))
    add("reduce_add_epi32", Meaning(total_of, (I32,)))
    add("reduce_add_epi64", Meaning(total_of, (I64,)))
    for name, node in (("min", Min), ("max", Max)):
        for suffix, t in (("epi32", I32), ("epi64", I64), ("epu32", U32)):
            add(f"reduce_{name}_{suffix}", Meaning(lambda a, n=node: _folded(n, a), (t,)))
    add("cvtsi512_si32", Meaning(lambda a: a[0], (I32,)))


def _folded(node: Callable[..., Expr], values: Vector) -> Expr:
    out = values[0]
    for e in values[1:]:
        out = node(e.type, out, e)
    return out


def _whole(bits: int, names: str, f: Callable[..., list[int]], immediates: int = 0) -> None:
    moves(bits, names, f, immediates, halves=False)


def _moves() -> None:
    for name, bits in (("b_epi8", 8), ("w_epi16", 16), ("d_epi32", 32), ("q_epi64", 64)):
        TABLE[f"_mm512_broadcast{name}"] = Meaning(lambda n, k=512 // bits: [0] * k, moves=bits)
    _whole(64, "broadcast_i32x4 broadcast_i64x2", lambda n: [0, 1] * 4)
    _whole(64, "broadcast_i64x4 broadcast_i32x8", lambda n: [0, 1, 2, 3] * 2)
    # What the language leaves undefined above is zero here.
    _whole(64, "castsi256_si512 zextsi256_si512 castsi128_si512 zextsi128_si512", lambda n: list(range(n)))
    _whole(64, "castps256_ps512 castpd256_pd512", lambda n: list(range(n)))
    _whole(64, "castsi512_ps castps_si512 castsi512_pd castpd_si512", lambda n: list(range(n)))
    _whole(64, "castsi512_si256 castps512_ps256 castpd512_pd256", lambda n: [0, 1, 2, 3])
    _whole(64, "castsi512_si128 castps512_ps128", lambda n: [0, 1])
    halves = "extracti64x4_epi64 extracti32x8_epi32 extractf32x8_ps extractf64x4_pd"
    _whole(64, halves, lambda n, imm: [4 * (imm & 1) + i for i in range(4)], 1)
    _whole(
        64, "extracti32x4_epi32 extracti64x2_epi64 extractf32x4_ps",
        lambda n, imm: [2 * (imm & 3), 2 * (imm & 3) + 1], 1,
    )  # fmt: skip
    _whole(64, "inserti64x4 inserti32x8 insertf32x8 insertf64x4", lambda n, imm: _inserted(n, 4, imm & 1), 1)
    _whole(64, "inserti32x4 inserti64x2", lambda n, imm: _inserted(n, 2, imm & 3), 1)
    _whole(64, "shuffle_i32x4 shuffle_i64x2", _quarters, 1)
    _whole(64, "permutex_epi64", lambda n, imm: [4 * h + f for h in (0, 1) for f in fields(imm)], 1)
    for bits in (32, 64):
        _whole(bits, f"alignr_epi{bits}", _aligned, 1)
    for bits in (16, 32, 64):
        t = UInt(bits)
        add(f"permutexvar_epi{bits}", Meaning(_permuted, (t, t)))
        add(f"permutex2var_epi{bits}", Meaning(_permuted_of_two, (t, t, t)))


def _inserted(n: int, each: int, place: int) -> list[int]:
    return [n + i - place * each if place * each <= i < (place + 1) * each else i for i in range(n)]


def _quarters(n: int, imm: int) -> list[int]:
    """Quarters: two of the first operand, two of the second."""
    starts = [2 * f + (n if k > 1 else 0) for k, f in enumerate(fields(imm))]
    return [s + i for s in starts for i in (0, 1)]


def _aligned(n: int, imm: int) -> list[int]:
    """The second operand's lanes from number `imm` on, then the first's."""
    by = imm & (n - 1)
    return [n + i + by if i + by < n else i + by - n for i in range(n)]


def _numbers(control: Vector, below: int) -> list[int]:
    found = [const_value(e) for e in control]
    if any(c is None for c in found):
        raise NotConstant
    return [int(c) & (below - 1) for c in found if c is not None]


def _permuted(control: Vector, a: Vector) -> list[Expr]:
    return [a[k] for k in _numbers(control, len(a))]


def _permuted_of_two(a: Vector, control: Vector, b: Vector) -> list[Expr]:
    both = [*a, *b]
    return [both[k] for k in _numbers(control, len(both))]


def _narrowing() -> None:
    for wide in (16, 32, 64):
        for bits in (8, 16, 32):
            if bits < wide:
                name = f"epi{wide}_epi{bits}"
                add(f"cvt{name}", Meaning(lambda a, b=bits: [converted(UInt(b), e) for e in a], (UInt(wide),)))
                add(f"cvts{name}", Meaning(lambda a, b=bits: [saturated(Int(b), e) for e in a], (Int(wide),)))
                add(f"cvtus{name}", Meaning(lambda a, b=bits: [saturated(UInt(b), e) for e in a], (UInt(wide),)))


def _masks() -> None:
    for bits in (8, 16, 32, 64):
        for letter, kind in (("i", Int), ("u", UInt)):
            t = kind(bits)
            for name, node in _COMPARISONS.items():
                if f"_mm512_cmp{name}_ep{letter}{bits}_mask" in signatures():
                    add(f"cmp{name}_ep{letter}{bits}_mask", Meaning(
                        lambda a, b, n=node: of_bits([n(BOOL, x, y) for x, y in zip(a, b, strict=True)]), (t,),
                    ))  # fmt: skip
            add(f"cmp_ep{letter}{bits}_mask", Meaning(_compared_by_number, (t,), immediates=1))
        lanes, signed = UInt(bits), Int(bits)
        add(f"test_epi{bits}_mask", Meaning(
            lambda a, b: of_bits([NE(BOOL, x & y, const(0, x.type)) for x, y in zip(a, b, strict=True)]), (lanes,),
        ))  # fmt: skip
        add(f"testn_epi{bits}_mask", Meaning(
            lambda a, b: of_bits([is_zero(x & y) for x, y in zip(a, b, strict=True)]), (lanes,),
        ))  # fmt: skip
        add(f"movepi{bits}_mask", Meaning(
            lambda a: of_bits([LT(BOOL, e, const(0, e.type)) for e in a]), (signed,),
        ))  # fmt: skip
        add(f"movm_epi{bits}", Meaning(lambda k, t=signed: chosen(
            k, [const(-1, t)] * (512 // t.bits), [const(0, t)] * (512 // t.bits),
        )))  # fmt: skip
        add(f"mask_blend_epi{bits}", Meaning(lambda k, a, b: chosen(k, b, a), (lanes,)))
    for suffix, t in (("ps", F32), ("pd", F64)):
        add(f"mask_blend_{suffix}", Meaning(lambda k, a, b: chosen(k, b, a), (t,)))
        add(f"cmp_{suffix}_mask", Meaning(_compared_floats, (t,), immediates=1))


def _compared_by_number(a: Vector, b: Vector, imm: int) -> Expr:
    return of_bits([_BY_NUMBER[imm & 7](x, y) for x, y in zip(a, b, strict=True)])


def _compared_floats(a: Vector, b: Vector, imm: int) -> Expr:
    found = [predicate(x, y, imm) for x, y in zip(a, b, strict=True)]
    return of_bits([e.condition for e in found if isinstance(e, Select)])


def _memory() -> None:
    read, write = Meaning(lambda m: m, reads=64), Meaning(lambda a: a, writes=64)
    for name in ("loadu_si512", "load_si512", "load_epi32", "load_epi64"):
        add(name, read)
    for name in ("storeu_si512", "store_si512", "store_epi32", "store_epi64"):
        add(name, write)
    for bits in (8, 16, 32, 64):
        add(f"loadu_epi{bits}", read)
        add(f"storeu_epi{bits}", write)


def _masked_forms() -> None:
    for name in MASKED.split():
        base = TABLE.get(f"_mm512_{name}", Meaning(lambda a: a))
        found = re.search(r"_(ps|pd|ep[iu]\d+)$", name)
        assert found, name
        lanes = UInt(int(found[1][3:])) if found[1][0] == "e" else Float(32 if found[1] == "ps" else 64)
        add(f"mask_{name}", replace(base, masked=lanes))
        add(f"maskz_{name}", replace(base, masked=lanes, zeroing=True))
