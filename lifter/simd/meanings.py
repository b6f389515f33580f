"""What each SIMD intrinsic computes, lane by lane: one table, checked against the processor by
tests/frontend/test_intrinsics.py.

A family is a line: the intrinsics' names without their prefix, and a function of the lanes.  The element type stands in
the name (`_epi16`, `_epu8`, `_ps`), and a name stands for both widths where both are declared.  Operations that cross
lanes work on each 128-bit half of a 256-bit register, as the processor does, unless said otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from halide_core.ir.expr import BOOL, EQ, GE, GT, LE, LT, NE, Max, Min, Not, Select, const, intrinsic
from halide_core.ir.types import Int, UInt
from lifter.simd import wide
from lifter.simd.declarations import signatures
from lifter.simd.families import TABLE, Meaning, across, add, each, lowest, moves, widening
from lifter.simd.lane_operations import (
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    chosen_by_bit,
    chosen_halves,
    compared,
    converted,
    dot,
    dot_product,
    fields,
    flag_of_all,
    from_second,
    is_zero,
    lane_mask,
    least_and_place,
    libm,
    minus,
    named,
    pairs,
    permuted,
    predicate,
    products,
    rounded,
    saturated,
    shifted,
    shifted_by_register,
    shuffled_bytes,
    sign_bits,
    signed_by,
    sums_of_distances,
    sums_of_eight,
    unordered,
    unsigned,
    with_lane,
)

_WIDTHS = (("_mm_", 128), ("_mm256_", 256), ("_mm512_", 512))


def _fill_integers() -> None:
    each("add_epi8 add_epi16 add_epi32 add_epi64", lambda a, b: a + b, any_sign=True)
    each("sub_epi8 sub_epi16 sub_epi32 sub_epi64", lambda a, b: a - b)
    each("mullo_epi16 mullo_epi32", lambda a, b: a * b, any_sign=True)
    each("adds_epi8 adds_epi16 adds_epu8 adds_epu16", named("saturating_add"))
    each("subs_epi8 subs_epi16 subs_epu8 subs_epu16", named("saturating_sub"))
    each("mulhi_epi16 mulhi_epu16", lambda a, b: intrinsic("mul_shift_right", a.type, a, b, const(16, U16)))
    each("mulhrs_epi16", lambda a, b: converted(I16, ((converted(I32, a) * converted(I32, b) >> 14) + 1) >> 1))
    each("avg_epu8 avg_epu16", named("rounding_halving_add"))
    each("min_epi8 min_epi16 min_epi32 min_epu8 min_epu16 min_epu32", lambda a, b: Min(a.type, a, b))
    each("max_epi8 max_epi16 max_epi32 max_epu8 max_epu16 max_epu32", lambda a, b: Max(a.type, a, b))
    each("cmpeq_epi8 cmpeq_epi16 cmpeq_epi32 cmpeq_epi64", compared(EQ))
    each("cmpgt_epi8 cmpgt_epi16 cmpgt_epi32 cmpgt_epi64", compared(GT))
    each("cmplt_epi8 cmplt_epi16 cmplt_epi32", compared(LT))
    each("abs_epi8 abs_epi16 abs_epi32", lambda a: converted(a.type, intrinsic("abs", unsigned(a.type), a)))
    each("sign_epi8 sign_epi16 sign_epi32", signed_by)
    each("slli_epi16 slli_epi32 slli_epi64", shifted("shift_left"), unsigned, immediates=1, counts=True)
    each("srli_epi16 srli_epi32 srli_epi64", shifted("shift_right"), unsigned, immediates=1, counts=True)
    each("srai_epi16 srai_epi32", shifted("shift_right"), immediates=1, counts=True)
    each("sllv_epi32 sllv_epi64", named("shift_left"), unsigned)
    each("srlv_epi32 srlv_epi64", named("shift_right"), unsigned)
    each("srav_epi32", lambda a, b: intrinsic("shift_right", I32, a, converted(U32, b)))
    for family, name, kind in (("sll", "shift_left", UInt), ("srl", "shift_right", UInt), ("sra", "shift_right", Int)):
        for bits in (16, 32) if family == "sra" else (16, 32, 64):
            add(f"{family}_epi{bits}", Meaning(shifted_by_register(name), (kind(bits), U64)))
    across("mul_epi32", I32, products(I64))
    across("mul_epu32", U32, products(U64))
    across("madd_epi16", I16, dot(I32, lambda e: e))
    add("maddubs_epi16", Meaning(dot(I32, lambda e: saturated(I16, e)), (U8, I8)))
    across("sad_epu8", U8, sums_of_eight)
    across("minpos_epu16", U16, least_and_place, halves=False)
    across("mpsadbw_epu8", U8, sums_of_distances, immediates=1, halves=False)
    across("hadd_epi16", I16, pairs(lambda a, b: a + b))
    across("hadd_epi32", I32, pairs(lambda a, b: a + b))
    across("hsub_epi16", I16, pairs(lambda a, b: a - b))
    across("hsub_epi32", I32, pairs(lambda a, b: a - b))
    across("hadds_epi16", I16, pairs(named("saturating_add")))
    across("hsubs_epi16", I16, pairs(named("saturating_sub")))
    for name, source, target in (
        ("packs_epi16", I16, I8), ("packs_epi32", I32, I16), ("packus_epi16", I16, U8), ("packus_epi32", I32, U16),
    ):  # fmt: skip
        across(name, source, lambda a, b, t=target: [saturated(t, e) for e in (*a, *b)])
    for bits in (8, 16, 32, 64):
        for more in (16, 32, 64):
            if more > bits:
                for letter, kind in (("i", Int), ("u", UInt)):
                    widening(f"cvtep{letter}{bits}_epi{more}", kind(bits), kind(more))


def _fill_bits() -> None:
    for width in (128, 256):
        add(f"and_si{width}", Meaning(lambda a, b: [x & y for x, y in zip(a, b, strict=True)]))
        add(f"or_si{width}", Meaning(lambda a, b: [x | y for x, y in zip(a, b, strict=True)]))
        add(f"xor_si{width}", Meaning(lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)]))
        add(f"andnot_si{width}", Meaning(lambda a, b: [~x & y for x, y in zip(a, b, strict=True)]))
        add(f"testz_si{width}", Meaning(lambda a, b: flag_of_all([is_zero(x & y) for x, y in zip(a, b, strict=True)])))
        add(f"testc_si{width}", Meaning(lambda a, b: flag_of_all([is_zero(~x & y) for x, y in zip(a, b, strict=True)])))
    add("test_all_zeros", Meaning(lambda a, b: flag_of_all([is_zero(x & y) for x, y in zip(a, b, strict=True)])))
    add("test_all_ones", Meaning(lambda a: flag_of_all([is_zero(~x) for x in a])))
    for suffix, t in (("ps", U32), ("pd", U64)):
        add(f"and_{suffix}", Meaning(lambda a, b: [x & y for x, y in zip(a, b, strict=True)], (t,)))
        add(f"or_{suffix}", Meaning(lambda a, b: [x | y for x, y in zip(a, b, strict=True)], (t,)))
        add(f"xor_{suffix}", Meaning(lambda a, b: [x ^ y for x, y in zip(a, b, strict=True)], (t,)))
        add(f"andnot_{suffix}", Meaning(lambda a, b: [~x & y for x, y in zip(a, b, strict=True)], (t,)))
    for name, t in (("epi8", U8), ("ps", U32), ("pd", U64)):
        signed = Int(t.bits)
        add(f"movemask_{name}", Meaning(sign_bits, (signed,)))
        add(
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
        moves(bits, low, lambda n: [x for i in range(n // 2) for x in (i, n + i)])
        moves(bits, high, lambda n: [x for i in range(n // 2, n) for x in (i, n + i)])
    across("shuffle_epi8", U8, shuffled_bytes)
    add("permutevar8x32_epi32", Meaning(permuted, (U32, U32)))
    add("permutevar8x32_ps", Meaning(permuted, (F32, U32)))
    moves(32, "shuffle_epi32 permute_ps", lambda n, imm: fields(imm), 1)
    moves(16, "shufflelo_epi16", lambda n, imm: [*fields(imm), 4, 5, 6, 7], 1)
    moves(16, "shufflehi_epi16", lambda n, imm: [0, 1, 2, 3, *(4 + f for f in fields(imm))], 1)
    moves(32, "shuffle_ps", lambda n, imm: [f + 4 * (i > 1) for i, f in enumerate(fields(imm))], 1)
    add("shuffle_pd", Meaning(lambda n, imm: chosen_by_bit(n, imm, True), moves=64, immediates=1))
    add("permute_pd", Meaning(lambda n, imm: chosen_by_bit(n, imm, False), moves=64, immediates=1))
    moves(8, "alignr_epi8", lambda n, imm: [from_second(n, imm + i) for i in range(n)], 1)
    for names, step in (("slli_si128 bslli_si128 slli_si256 bslli_epi128", -1),
                        ("srli_si128 bsrli_si128 srli_si256 bsrli_epi128", 1)):  # fmt: skip
        moves(
            8, names,
            lambda n, imm, s=step: [i + s * (imm & 255) if 0 <= i + s * (imm & 255) < n else -1 for i in range(n)], 1,
        )  # fmt: skip
    moves(16, "blend_epi16", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1)
    moves(32, "blend_epi32 blend_ps", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1, halves=False)
    moves(64, "blend_pd", lambda n, imm: [i + n * (imm >> i & 1) for i in range(n)], 1, halves=False)
    moves(32, "moveldup_ps", lambda n: [0, 0, 2, 2])
    moves(32, "movehdup_ps", lambda n: [1, 1, 3, 3])
    moves(64, "movedup_pd", lambda n: [0, 0])
    moves(32, "movelh_ps", lambda n: [0, 1, 4, 5])
    moves(32, "movehl_ps", lambda n: [6, 7, 2, 3])
    moves(32, "move_ss", lambda n: [n, *range(1, n)])
    moves(64, "move_sd", lambda n: [n, 1])
    moves(64, "move_epi64", lambda n: [0, -1])
    for prefix, total in (("_mm_", 128), ("_mm256_", 256)):
        for name, bits in (("b_epi8", 8), ("w_epi16", 16), ("d_epi32", 32), ("q_epi64", 64), ("ss_ps", 32)):
            count = total // bits
            TABLE[f"{prefix}broadcast{name}"] = Meaning(lambda n, k=count: [0] * k, moves=bits)
    moves(64, "permute4x64_epi64 permute4x64_pd", lambda n, imm: fields(imm), 1, halves=False)
    moves(
        64, "permute2x128_si256 permute2f128_si256 permute2f128_ps permute2f128_pd", chosen_halves, 1, halves=False
    )  # fmt: skip
    moves(
        64, "extracti128_si256 extractf128_si256 extractf128_ps extractf128_pd",
        lambda n, imm: [2 * (imm & 1), 2 * (imm & 1) + 1], 1, halves=False,
    )  # fmt: skip
    moves(
        64, "inserti128_si256 insertf128_si256 insertf128_ps insertf128_pd",
        lambda n, imm: [0, 1, 4, 5] if imm & 1 else [4, 5, 2, 3], 1, halves=False,
    )  # fmt: skip
    moves(64, "set_m128i set_m128", lambda n: [2, 3, 0, 1], halves=False)
    moves(64, "setr_m128i setr_m128", lambda n: [0, 1, 2, 3], halves=False)
    moves(64, "broadcastsi128_si256", lambda n: [0, 1, 0, 1], halves=False)
    moves(64, "castsi256_si128 castps256_ps128 castpd256_pd128", lambda n: [0, 1], halves=False)
    # What the language leaves undefined above is zero here.
    same = (
        "castsi128_si256 castps128_ps256 castpd128_pd256 zextsi128_si256 zextps128_ps256 castps_pd castpd_ps "
        "castsi128_ps castps_si128 castsi128_pd castpd_si128 castsi256_ps castps_si256 castsi256_pd castpd_si256"
    )
    moves(64, same, lambda n: list(range(n)), halves=False)


def _fill_scalars() -> None:
    for prefix, total in _WIDTHS:
        integers = (("epi8", I8), ("epi16", I16), ("epi32", I32), ("epi64" if total == 512 else "epi64x", I64))
        for suffix, t in (*integers, ("ps", F32), ("pd", F64)):
            count = total // t.bits
            TABLE[f"{prefix}set1_{suffix}"] = Meaning(lambda e, t=t, n=count: [converted(t, e)] * n)
            for name, step in ((f"set_{suffix}", -1), (f"setr_{suffix}", 1)):
                if prefix + name in signatures():
                    TABLE[prefix + name] = Meaning(lambda *es, t=t, s=step: [converted(t, e) for e in es[::s]])
        for suffix, t in ((f"si{total}", U8), ("ps", F32), ("pd", F64)):
            for name in (f"setzero_{suffix}", f"undefined_{suffix}"):
                if prefix + name in signatures():
                    TABLE[prefix + name] = Meaning(lambda t=t: [const(0, t)])
    for name in ("_mm512_setzero_epi32", "_mm512_undefined_epi32"):
        TABLE[name] = TABLE["_mm512_setzero_si512"]
    add("set_ps1", Meaning(lambda e: [e] * 4))
    add("set_pd1", Meaning(lambda e: [e] * 2))
    add("set_ss set_sd cvtsi32_si128 cvtsi64_si128 cvtsi64x_si128", Meaning(lambda e: [e]))
    add("cvtsi128_si32 cvtsi256_si32", Meaning(lambda a: a[0], (I32,)))
    add("cvtsi128_si64 cvtsi128_si64x", Meaning(lambda a: a[0], (I64,)))
    add("cvtss_f32", Meaning(lambda a: a[0], (F32,)))
    add("cvtsd_f64", Meaning(lambda a: a[0], (F64,)))
    for bits, t in ((8, U8), (16, U16), (32, I32), (64, I64)):
        wide = I64 if bits == 64 else I32
        across(f"extract_epi{bits}", t, lambda a, n, w=wide: converted(w, a[n % len(a)]), 1, halves=False)
        add(f"insert_epi{bits}", Meaning(with_lane, (t,), immediates=1))
    across("extract_ps", I32, lambda a, n: a[n % 4], 1)


def _fill_float_arithmetic() -> None:
    each("add_ps add_pd", lambda a, b: a + b)
    each("sub_ps sub_pd", lambda a, b: a - b)
    each("mul_ps mul_pd", lambda a, b: a * b)
    each("div_ps div_pd", lambda a, b: a / b)
    each("min_ps min_pd", lambda a, b: Min(a.type, a, b))
    each("max_ps max_pd", lambda a, b: Max(a.type, a, b))
    lowest("add_ss add_sd", lambda a, b: a + b)
    lowest("sub_ss sub_sd", lambda a, b: a - b)
    lowest("mul_ss mul_sd", lambda a, b: a * b)
    lowest("div_ss div_sd", lambda a, b: a / b)
    lowest("min_ss min_sd", lambda a, b: Min(a.type, a, b))
    lowest("max_ss max_sd", lambda a, b: Max(a.type, a, b))
    lowest("sqrt_ss", lambda a: libm("sqrt", a))
    add("sqrt_sd", Meaning(lambda a, b: [libm("sqrt", b[0]), a[1]], (F64,)))
    add("floor_ss", Meaning(lambda a, b: [libm("floor", b[0]), *a[1:]], (F32,)))
    add("ceil_ss", Meaning(lambda a, b: [libm("ceil", b[0]), *a[1:]], (F32,)))
    for name in ("sqrt", "floor", "ceil"):
        each(f"{name}_ps {name}_pd", lambda a, f=name: libm(f, a))
    each("round_ps round_pd", rounded, immediates=1)


def _fill_float_comparisons() -> None:
    each("cmp_ps cmp_pd", predicate, immediates=1)
    for name, node, negated in (
        ("cmpeq", EQ, False), ("cmpneq", NE, False), ("cmplt", LT, False), ("cmple", LE, False), ("cmpgt", GT, False),
        ("cmpge", GE, False), ("cmpnlt", LT, True), ("cmpnle", LE, True), ("cmpngt", GT, True), ("cmpnge", GE, True),
    ):  # fmt: skip
        for name_ in (f"{name}_ps", f"{name}_pd"):
            if f"_mm_{name_}" in signatures():
                each(name_, compared(node, negated))
    each("cmpunord_ps cmpunord_pd", lambda a, b: lane_mask(unordered(a, b), a.type))
    each("cmpord_ps cmpord_pd", lambda a, b: lane_mask(Not(BOOL, unordered(a, b)), a.type))
    for prefix in ("comi", "ucomi"):
        # What the others say of NaN depends on the compiler.
        for name, node in (("gt", GT), ("ge", GE)):
            add(f"{prefix}{name}_ss", Meaning(lambda a, b, k=node: converted(I32, k(BOOL, a[0], b[0])), (F32,)))


def _fill_float_lanes() -> None:
    """Lanes that meet, and sums of products."""
    for suffix, t in (("ps", F32), ("pd", F64)):
        across(f"hadd_{suffix}", t, pairs(lambda a, b: a + b))
        across(f"hsub_{suffix}", t, pairs(lambda a, b: a - b))
        across(f"dp_{suffix}", t, dot_product, immediates=1)
        add(
            f"addsub_{suffix}",
            Meaning(lambda a, b: [x + y if i % 2 else x - y for i, (x, y) in enumerate(zip(a, b, strict=True))], (t,)),
        )
    each("fmadd_ps fmadd_pd", lambda a, b, c: libm("fma", a, b, c))
    each("fmsub_ps fmsub_pd", lambda a, b, c: libm("fma", a, b, minus(c)))
    each("fnmadd_ps fnmadd_pd", lambda a, b, c: libm("fma", minus(a), b, c))
    each("fnmsub_ps fnmsub_pd", lambda a, b, c: libm("fma", minus(a), b, minus(c)))


def _fill_float_conversions() -> None:
    add("cvtepi32_ps", Meaning(lambda a: [converted(F32, e) for e in a], (I32,)))
    add("cvttps_epi32", Meaning(lambda a: [converted(I32, e) for e in a], (F32,)))
    add("cvtps_epi32", Meaning(lambda a: [converted(I32, libm("rint", e)) for e in a], (F32,)))
    widening("cvtps_pd", F32, F64)
    widening("cvtepi32_pd", I32, F64)
    add("cvtpd_ps", Meaning(lambda a: [converted(F32, e) for e in a], (F64,)))
    add("cvttpd_epi32", Meaning(lambda a: [converted(I32, e) for e in a], (F64,)))
    add("cvtpd_epi32", Meaning(lambda a: [converted(I32, libm("rint", e)) for e in a], (F64,)))
    add("cvttss_si32 cvtt_ss2si", Meaning(lambda a: converted(I32, a[0]), (F32,)))
    add("cvtss_si32 cvt_ss2si", Meaning(lambda a: converted(I32, libm("rint", a[0])), (F32,)))
    add("cvttss_si64", Meaning(lambda a: converted(I64, a[0]), (F32,)))
    add("cvttsd_si32", Meaning(lambda a: converted(I32, a[0]), (F64,)))
    add("cvtsd_si32", Meaning(lambda a: converted(I32, libm("rint", a[0])), (F64,)))
    add("cvtsi32_ss cvt_si2ss cvtsi64_ss", Meaning(lambda a, e: [converted(F32, e), *a[1:]], (F32,)))
    add("cvtsi32_sd cvtsi64_sd", Meaning(lambda a, e: [converted(F64, e), a[1]], (F64,)))


def _fill_memory() -> None:
    read = Meaning(lambda m: m)
    add("loadu_si128 load_si128 lddqu_si128 stream_load_si128", replace(read, reads=16))
    add("loadu_si256 load_si256 lddqu_si256", replace(read, reads=32))
    add("loadl_epi64 loadu_si64", replace(read, reads=8))
    add("loadu_si32", replace(read, reads=4))
    add("loadu_si16", replace(read, reads=2))
    add("load_ss", Meaning(lambda m: m, (F32,), reads=4))
    add("load_sd", Meaning(lambda m: m, (F64,), reads=8))
    add("loadl_pi", Meaning(lambda a, m: [*m, *a[2:]], (F32,), reads=8))
    add("loadh_pi", Meaning(lambda a, m: [*a[:2], *m], (F32,), reads=8))
    add("loadl_pd", Meaning(lambda a, m: [*m, a[1]], (F64,), reads=8))
    add("loadh_pd", Meaning(lambda a, m: [a[0], *m], (F64,), reads=8))
    add("loadr_ps", Meaning(lambda m: m[::-1], (F32,), reads=16))
    add("loadr_pd", Meaning(lambda m: m[::-1], (F64,), reads=16))
    add("load_ps1 load1_ps", Meaning(lambda m: [*m] * 4, (F32,), reads=4))
    add("load_pd1 load1_pd loaddup_pd", Meaning(lambda m: [*m] * 2, (F64,), reads=8))
    add("storeu_si128 store_si128 stream_si128", Meaning(lambda a: a, writes=16))
    add("storeu_si256 store_si256 stream_si256", Meaning(lambda a: a, writes=32))
    add("storel_epi64 storeu_si64", Meaning(lambda a: a, writes=8))
    add("storeu_si32", Meaning(lambda a: a, writes=4))
    add("storeu_si16", Meaning(lambda a: a, writes=2))
    add("store_ss", Meaning(lambda a: a, (F32,), writes=4))
    add("store_sd storel_pd", Meaning(lambda a: a, (F64,), writes=8))
    add("storeh_pd", Meaning(lambda a: a[1:], (F64,), writes=8))
    add("storel_pi", Meaning(lambda a: a, (F32,), writes=8))
    add("storeh_pi", Meaning(lambda a: a[2:], (F32,), writes=8))
    add("store_ps1 store1_ps", Meaning(lambda a: [a[0]] * 4, (F32,), writes=16))
    add("store1_pd", Meaning(lambda a: [a[0]] * 2, (F64,), writes=16))
    add("storer_ps", Meaning(lambda a: a[::-1], (F32,), writes=16))
    add("stream_si32", Meaning(lambda e: [e], writes=4))
    add("stream_si64", Meaning(lambda e: [e], writes=8))
    for prefix, total in _WIDTHS:
        size = total // 8
        for suffix, t in (("ps", F32), ("pd", F64)):
            for name in ("loadu", "load"):
                TABLE[f"{prefix}{name}_{suffix}"] = Meaning(lambda m: m, (t,), reads=size)
            for name in ("storeu", "store", "stream")[: 2 if total == 512 else 3]:
                TABLE[f"{prefix}{name}_{suffix}"] = Meaning(lambda a: a, (t,), writes=size)
        if total < 512:
            TABLE[f"{prefix}broadcast_ss"] = Meaning(lambda m, n=size // 4: [*m] * n, (F32,), reads=4)
    TABLE["_mm256_broadcast_sd"] = Meaning(lambda m: [*m] * 4, (F64,), reads=8)
    TABLE["_mm256_broadcast_ps"] = Meaning(lambda m: [*m] * 2, (F32,), reads=16)


@lru_cache(maxsize=1)
def table() -> dict[str, Meaning]:
    """The meaning of each intrinsic by its full name."""
    for fill in (
        _fill_integers, _fill_bits, _fill_moves, _fill_scalars, _fill_float_arithmetic, _fill_float_comparisons,
        _fill_float_lanes, _fill_float_conversions, _fill_memory, wide.fill,
    ):  # fmt: skip
        fill()
    return TABLE
