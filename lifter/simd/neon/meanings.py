"""What each NEON intrinsic computes, lane by lane: one table, checked against an AArch64 processor, or its emulator, by
tests/frontend/test_neon.py.  `table_rows` says how a family is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from halide_core.ir.expr import EQ, GE, GT, LE, LT, Expr, Max, Min, const, intrinsic
from halide_core.ir.types import Float, Int, Type, UInt
from lifter.simd.families import Meaning
from lifter.simd.lane_operations import Vector, converted, libm, named, pairs, saturated
from lifter.simd.lanes import reinterpret
from lifter.simd.neon.lane_operations import (
    behind,
    chosen,
    compared,
    compared_to_zero,
    distance,
    doubled_high,
    each,
    each_lane,
    each_n,
    extremum,
    extremum_of_numbers,
    folded,
    half,
    halved,
    left,
    looked_up,
    looked_up_else,
    magnitude,
    narrow,
    negated,
    right,
    rounded,
    shift_by,
    tested,
    to_integer,
    upper,
    wide,
)
from lifter.simd.neon.table_rows import (
    ALL,
    BOTH,
    FLOATS,
    INTEGERS,
    SIGNATURES,
    SIGNED,
    SMALL,
    TABLE,
    UNSIGNED,
    Compute,
    Form,
    declared,
    row,
    type_of,
)

_D, _Q = (64,), (128,)


def _fill_arithmetic() -> None:
    row("vadd{q}", "VVV", ALL, each(lambda a, b: a + b))
    row("vsub{q}", "VVV", ALL, each(lambda a, b: a - b))
    row("vmul{q}", "VVV", f"{SMALL} {FLOATS}", each(lambda a, b: a * b))
    row("vdiv{q}", "VVV", FLOATS, each(lambda a, b: a / b))
    row("vmla{q}", "VVVV", f"{SMALL} {FLOATS}", each(lambda acc, a, b: acc + a * b))
    row("vmls{q}", "VVVV", f"{SMALL} {FLOATS}", each(lambda acc, a, b: acc - a * b))
    row("vfma{q}", "VVVV", FLOATS, each(lambda acc, a, b: libm("fma", a, b, acc)))
    row("vfms{q}", "VVVV", FLOATS, each(lambda acc, a, b: libm("fma", negated(a), b, acc)))
    fused: Compute = each_n(lambda acc, a, b: libm("fma", a, b, acc))
    row("vfma{q}_n", "VVVs", "f32", fused)
    row("vfmaq_n", "VVVs", "f64", fused, _Q)
    declared("vfma_n", "VVVs", "f64", _D)  # GCC rounds twice
    row("vqadd{q}", "VVV", INTEGERS, each(named("saturating_add")))
    row("vqsub{q}", "VVV", INTEGERS, each(named("saturating_sub")))
    row("vhadd{q}", "VVV", SMALL, each(halved))
    row("vrhadd{q}", "VVV", SMALL, each(named("rounding_halving_add")))
    row("vhsub{q}", "VVV", SMALL, each(named("halving_sub")))
    row("vabd{q}", "VVV", f"{SMALL} {FLOATS}", each(distance))
    row("vaba{q}", "VVVV", SMALL, each(lambda acc, a, b: acc + distance(a, b)))
    row("vabs{q}", "VV", f"{SIGNED} s64 {FLOATS}", each(magnitude))
    row("vneg{q}", "VV", f"{SIGNED} s64 {FLOATS}", each(negated))
    row("vqabs{q}", "VV", SIGNED, each(lambda a: saturated(a.type, magnitude(wide(a)))))
    row("vqneg{q}", "VV", SIGNED, each(lambda a: saturated(a.type, negated(wide(a)))))
    row("vmin{q}", "VVV", SMALL, each(lambda a, b: Min(a.type, a, b)))
    row("vmax{q}", "VVV", SMALL, each(lambda a, b: Max(a.type, a, b)))
    for name, least in (("min", True), ("max", False)):
        row(f"v{name}{{q}}", "VVV", FLOATS, each(extremum(least)))
        row(f"v{name}nm{{q}}", "VVV", FLOATS, each(extremum_of_numbers(least)))
    row("vqdmulh{q}", "VVV", "s16 s32", each(doubled_high(False)))
    row("vqrdmulh{q}", "VVV", "s16 s32", each(doubled_high(True)))
    row("vsqrt{q}", "VV", FLOATS, each(lambda a: libm("sqrt", a)))
    for name, function in (("", "trunc"), ("n", "rint"), ("m", "floor"), ("p", "ceil"), ("x", "rint"), ("i", "rint"),
                           ("a", "round")):  # fmt: skip
        row(f"vrnd{name}{{q}}", "VV", FLOATS, each(lambda a, f=function: libm(f, a)))
    row("vclz{q}", "VV", SMALL, each(lambda a: intrinsic("count_leading_zeros", a.type, a)))
    row("vcnt{q}", "VV", "s8 u8", each(lambda a: intrinsic("popcount", a.type, a)))
    for name in ("vrecpe", "vrsqrte"):
        declared(f"{name}{{q}}", "VV", "f32 f64 u32")
    for name in ("vrecps", "vrsqrts", "vmulx"):
        declared(f"{name}{{q}}", "VVV", FLOATS)


def _fill_bits() -> None:
    row("vand{q}", "VVV", INTEGERS, each(lambda a, b: a & b))
    row("vorr{q}", "VVV", INTEGERS, each(lambda a, b: a | b))
    row("veor{q}", "VVV", INTEGERS, each(lambda a, b: a ^ b))
    row("vbic{q}", "VVV", INTEGERS, each(lambda a, b: a & ~b))
    row("vorn{q}", "VVV", INTEGERS, each(lambda a, b: a | ~b))
    row("vmvn{q}", "VV", SMALL, each(lambda a: ~a))
    row("vbsl{q}", "VUVV", ALL, each(chosen))
    for name, node in (("eq", EQ), ("ge", GE), ("gt", GT), ("le", LE), ("lt", LT)):
        row(f"vc{name}{{q}}", "UVV", ALL, each(compared(node)))
        row(f"vc{name}z{{q}}", "UV", f"{SIGNED} s64 {FLOATS}", each(compared_to_zero(node)))
    row("vceqz{q}", "UV", f"{UNSIGNED} u64", each(compared_to_zero(EQ)))
    row("vtst{q}", "UVV", INTEGERS, each(tested))
    for name, node in (("ge", GE), ("gt", GT), ("le", LE), ("lt", LT)):
        row(f"vca{name}{{q}}", "UVV", FLOATS, each(lambda a, b, k=node: compared(k)(magnitude(a), magnitude(b))))


def _fill_shifts() -> None:
    row("vshl{q}_n", "VVn", INTEGERS, each_n(left))
    row("vshr{q}_n", "VVn", INTEGERS, each_n(right))
    row("vrshr{q}_n", "VVn", INTEGERS, each_n(lambda a, n: converted(a.type, rounded(a, n))))
    row("vsra{q}_n", "VVVn", INTEGERS, each_n(lambda acc, a, n: acc + right(a, n)))
    row("vrsra{q}_n", "VVVn", INTEGERS, each_n(lambda acc, a, n: acc + converted(a.type, rounded(a, n))))
    row("vshl{q}", "VVI", INTEGERS, each(shift_by))
    row("vrshl{q}", "VVI", INTEGERS, each(lambda a, n: shift_by(a, n, rounding=True)))
    row("vqshl{q}_n", "VVn", SMALL, each_n(lambda a, n: saturated(a.type, left(wide(a), n))))
    row("vqshlu{q}_n", "UVn", SIGNED, each_n(lambda a, n: saturated(UInt(a.type.bits), left(wide(a), n))))
    row("vsli{q}_n", "VVVn", INTEGERS, each_n(_inserted_left))
    row("vsri{q}_n", "VVVn", INTEGERS, each_n(_inserted_right))


def _inserted_left(a: Expr, b: Expr, n: int) -> Expr:
    return (a & const((1 << n) - 1, a.type)) | left(b, n)


def _inserted_right(a: Expr, b: Expr, n: int) -> Expr:
    """The upper n bits of a, and those of b below."""
    u = UInt(a.type.bits)
    kept = u.max() & ~(u.max() >> n)
    x, y = reinterpret(a, u), reinterpret(b, u)
    return reinterpret((x & const(kept, u)) | right(y, n) if n < u.bits else x, a.type)


def _fill_widening() -> None:
    from_half = [("vmovl", "WV", each(wide), 1)]
    from_half += [("vaddl", "WVV", each(lambda a, b: wide(a) + wide(b)), 2)]
    from_half += [("vsubl", "WVV", each(lambda a, b: wide(a) - wide(b)), 2)]
    from_half += [("vabdl", "WVV", each(lambda a, b: converted(wide(a).type, _apart(a, b))), 2)]
    from_half += [("vabal", "WWVV", each(lambda acc, a, b: acc + converted(acc.type, _apart(a, b))), 2)]
    from_half += [("vmull", "WVV", each(lambda a, b: wide(a) * wide(b)), 2)]
    from_half += [("vmlal", "WWVV", each(lambda acc, a, b: acc + wide(a) * wide(b)), 2)]
    from_half += [("vmlsl", "WWVV", each(lambda acc, a, b: acc - wide(a) * wide(b)), 2)]
    from_half += [("vaddw", "WWV", each(lambda a, b: a + wide(b)), 1)]
    from_half += [("vsubw", "WWV", each(lambda a, b: a - wide(b)), 1)]
    for name, signature, compute, narrow_ones in from_half:
        row(name, signature, SMALL, compute, _D)
        row(f"{name}_high", signature, SMALL, upper(compute, narrow_ones), _Q)
    row("vshll_n", "WVn", SMALL, each_n(lambda a, n: left(wide(a), n)), _D)
    row("vshll_high_n", "WVn", SMALL, upper(each_n(lambda a, n: left(wide(a), n)), 1), _Q)
    row("vqdmull", "WVV", "s16", each(lambda a, b: saturated(Int(32), wide(wide(a)) * wide(wide(b)) * 2)), _D)
    row("vqdmlal", "WWVV", "s16", each(
        lambda acc, a, b: intrinsic("saturating_add", acc.type, acc,
                                    saturated(Int(32), wide(wide(a)) * wide(wide(b)) * 2))), _D)  # fmt: skip
    for name, sign in (("mul", 0), ("mla", 1), ("mls", -1)):
        _by_one(f"v{name}", sign, lambda a, b: a * b, "s16 s32 u16 u32 f32", "V")
        _by_one(f"v{name}l", sign, lambda a, b: wide(a) * wide(b), "s16 s32 u16 u32", "W")
    _by_one("vqdmulh", 0, doubled_high(False), "s16 s32", "V")
    _by_one("vqrdmulh", 0, doubled_high(True), "s16 s32", "V")
    row("vfma{q}_lane", "VVVHn", FLOATS, each_lane(lambda acc, a, b: libm("fma", a, b, acc)))
    row("vfma{q}_laneq", "VVVQn", FLOATS, each_lane(lambda acc, a, b: libm("fma", a, b, acc)))
    row("vmul{q}_n", "VVs", "f64", each_n(lambda a, b: a * b))
    row("vdot{q}", "VVZZ", "s32 u32", lambda form: _dot)


def _apart(a: Expr, b: Expr) -> Expr:
    return intrinsic("absd", UInt(a.type.bits), a, b)


def _by_one(stem: str, sign: int, f: Callable[[Expr, Expr], Expr], types: str, result: str) -> None:
    """Products with a scalar, or with one lane, added or subtracted."""

    def total(*v: Expr) -> Expr:
        return f(*v) if not sign else v[0] + f(v[1], v[2]) if sign > 0 else v[0] - f(v[1], v[2])

    accumulator = result if sign else ""
    wide_result = result == "W"
    widths = _D if wide_result else BOTH
    name = stem if wide_result else f"{stem}{{q}}"
    row(f"{name}_n", f"{result}{accumulator}Vs", types, each_n(total), widths)
    row(f"{name}_lane", f"{result}{accumulator}VHn", types, each_lane(total), widths)
    row(f"{name}_laneq", f"{result}{accumulator}VQn", types, each_lane(total), widths)
    if wide_result:
        row(f"{name}_high_n", f"{result}{accumulator}Vs", types, upper(each_n(total), 1), _Q)

        def of_high(form: Form) -> Callable[..., Any]:
            def compute(*v: Any) -> Any:
                a = v[-3]
                return each_lane(total)(form)(*v[:-3], a[len(a) // 2 :], *v[-2:])

            return compute

        row(f"{name}_high_lane", f"{result}{accumulator}VHn", types, of_high, _Q)
        row(f"{name}_high_laneq", f"{result}{accumulator}VQn", types, of_high, _Q)


def _dot(acc: Vector, a: Vector, b: Vector) -> list[Expr]:
    t = acc[0].type
    products = [converted(t, x) * converted(t, y) for x, y in zip(a, b, strict=True)]
    return [s + (products[4 * i] + products[4 * i + 1] + products[4 * i + 2] + products[4 * i + 3])
            for i, s in enumerate(acc)]


def _fill_narrowing() -> None:
    wide_ones = "s16 s32 s64 u16 u32 u64"
    signed = "s16 s32 s64"
    plain: list[tuple[str, str, str, Compute]] = [
        ("vmovn", "NV", wide_ones, each(narrow)),
        ("vqmovn", "NV", wide_ones, each(lambda a: saturated(half(a.type), a))),
        ("vqmovun", "MV", signed, each(lambda a: saturated(half(a.type, True), a))),
        ("vaddhn", "NVV", wide_ones, each(lambda a, b: narrow(right(a + b, a.type.bits // 2)))),
        ("vsubhn", "NVV", wide_ones, each(lambda a, b: narrow(right(a - b, a.type.bits // 2)))),
        ("vraddhn", "NVV", wide_ones, each(lambda a, b: _high_half(a + b))),
        ("vrsubhn", "NVV", wide_ones, each(lambda a, b: _high_half(a - b))),
        ("vshrn_n", "NVn", wide_ones, each_n(lambda a, n: narrow(right(a, n)))),
        ("vrshrn_n", "NVn", wide_ones, each_n(lambda a, n: converted(half(a.type), rounded(a, n)))),
        ("vqshrn_n", "NVn", wide_ones, each_n(lambda a, n: saturated(half(a.type), right(a, n)))),
        ("vqrshrn_n", "NVn", wide_ones, each_n(lambda a, n: saturated(half(a.type), rounded(a, n)))),
        ("vqshrun_n", "MVn", signed, each_n(lambda a, n: saturated(half(a.type, True), right(a, n)))),
        ("vqrshrun_n", "MVn", signed, each_n(lambda a, n: saturated(half(a.type, True), rounded(a, n)))),
    ]
    for name, signature, types, compute in plain:
        row(name, signature, types, compute, _Q)
        stem = f"{name[:-2]}_high_n" if name.endswith("_n") else f"{name}_high"
        result = signature[0]
        whole = {"N": "K", "M": "L"}[result]
        row(stem, f"{whole}{result}{signature[1:]}", types, behind(compute), _Q)


def _high_half(a: Expr) -> Expr:
    """The upper half of the bits, rounded; what carries out of it is lost."""
    bits = a.type.bits // 2
    return narrow(right(a + const(1 << (bits - 1), a.type), bits))


def _of_two(node: Callable[..., Expr]) -> Callable[[Expr, Expr], Expr]:
    return lambda a, b: node(a.type, a, b)


def _fill_across() -> None:
    def of_pairs(f: Callable[[Expr, Expr], Expr]) -> Compute:
        return lambda form: pairs(f)

    def sums(a: Vector) -> list[Expr]:
        return [wide(x) + wide(y) for x, y in zip(a[::2], a[1::2], strict=True)]

    row("vpadd", "VVV", f"{SMALL} f32", of_pairs(lambda a, b: a + b), _D)
    row("vpaddq", "VVV", ALL, of_pairs(lambda a, b: a + b), _Q)
    for name, node in (("min", Min), ("max", Max)):
        f = _of_two(node)
        row(f"vp{name}{{q}}", "VVV", SMALL, of_pairs(f))
        row(f"v{name}v{{q}}", "sV", SMALL, folded(f))
        of_floats = extremum(name == "min")
        row(f"vp{name}", "VVV", "f32", of_pairs(of_floats), _D)
        row(f"vp{name}q", "VVV", FLOATS, of_pairs(of_floats), _Q)
    row("vpaddl{q}", "BV", SMALL, lambda form: sums)
    row("vpadal{q}", "BBV", SMALL, lambda form: lambda acc, a: [x + y for x, y in zip(acc, sums(a), strict=True)])
    row("vaddv{q}", "sV", SMALL, folded(lambda a, b: a + b))
    row("vaddvq", "sV", "s64 u64 f64", folded(lambda a, b: a + b), _Q)
    row("vaddv", "sV", "f32", folded(lambda a, b: a + b), _D)
    row("vaddvq", "sV", "f32", lambda form: lambda a: (a[0] + a[1]) + (a[2] + a[3]), _Q)
    row("vaddlv{q}", "SV", SMALL, lambda form: lambda a: folded(lambda x, y: x + y)(form)([wide(e) for e in a]))


def _fill_moves() -> None:
    def moves(stem: str, signature: str, types: str, f: Callable[..., list[int]], widths: Any = BOTH) -> None:
        row(stem, signature, types, lambda form: f, widths, moves=True)

    moves("vget_low", "HV", ALL, lambda n: list(range(n // 2)), _Q)
    moves("vget_high", "HV", ALL, lambda n: list(range(n // 2, n)), _Q)
    moves("vcombine", "QVV", ALL, lambda n: list(range(2 * n)), _D)
    moves("vext{q}", "VVVn", ALL, lambda n, k: list(range(k, n + k)))
    for group, types in ((16, "s8 u8"), (32, "s8 u8 s16 u16"), (64, "s8 u8 s16 u16 s32 u32 f32")):
        for suffix in types.split():
            each_group = group // type_of(suffix).bits
            moves(f"vrev{group}{{q}}", "VV", suffix,
                  lambda n, g=each_group: [i - i % g + g - 1 - i % g for i in range(n)])  # fmt: skip
    # Doubles and 64-bit integers exist in whole registers only.
    for part, base in ((1, 0), (2, 1)):
        for types, widths in ((f"{SMALL} f32", BOTH), ("s64 u64 f64", _Q)):
            moves(f"vzip{part}{{q}}", "VVV", types,
                  lambda n, b=base: [x for i in range(n // 2) for x in (b * (n // 2) + i, n + b * (n // 2) + i)],
                  widths)  # fmt: skip
            moves(f"vuzp{part}{{q}}", "VVV", types, lambda n, b=base: list(range(b, 2 * n, 2)), widths)
            moves(f"vtrn{part}{{q}}", "VVV", types,
                  lambda n, b=base: [x for i in range(0, n, 2) for x in (i + b, n + i + b)], widths)  # fmt: skip
    for name, letter in (("lane", "H"), ("laneq", "Q")):
        row(f"vdup{{q}}_{name}", f"V{letter}n", ALL, lambda form: lambda a, k: [a[k]] * form.lanes)
    row("vdup{q}_n", "Vs", ALL, lambda form: lambda e: [converted(form.type, e)] * form.lanes)
    row("vmov{q}_n", "Vs", ALL, lambda form: lambda e: [converted(form.type, e)] * form.lanes)
    row("vcreate", "Vl", ALL, lambda form: lambda e: [converted(UInt(64), e)], _D)
    row("vget{q}_lane", "sVn", ALL, lambda form: lambda a, k: a[k])
    row("vset{q}_lane", "VsVn", ALL,
        lambda form: lambda e, a, k: [*a[:k], converted(form.type, e), *a[k + 1 :]])  # fmt: skip
    row("vqtbl1{q}", "VQY", "u8 s8", looked_up)
    row("vtbl1", "VVV", "u8 s8", looked_up, _D)
    for count in (2, 3, 4):  # what the header writes the intrinsics on structures with
        row(f"lift_qtbl{count}{{q}}", f"V{'Q' * count}Y", "u8 s8", looked_up)
        row(f"lift_tbl{count}", f"V{'V' * count}V", "u8 s8", looked_up, _D)
    row("vqtbx1{q}", "VVQY", "u8 s8", looked_up_else)
    row("vtbx1", "VVVV", "u8 s8", looked_up_else, _D)


def _lanes_of(t: Type) -> Callable[[Form], tuple[Type, int]]:
    return lambda form: (t, form.bits)


def _scaled(a: Expr, power: int) -> Expr:
    return a * const(2.0**power, a.type)


def _fill_conversions() -> None:
    for target in ALL.split():
        for source in ALL.split():
            if target != source:
                row(f"vreinterpret{{q}}_{target}", "VV", source, lambda form: lambda a: a,
                    result=_lanes_of(type_of(target)))  # fmt: skip
    for integer, real in (("s32", "f32"), ("u32", "f32"), ("s64", "f64"), ("u64", "f64")):
        t, f = type_of(integer), type_of(real)
        as_real, as_integer = _lanes_of(f), _lanes_of(t)
        row(f"vcvt{{q}}_{real}", "VV", integer, each(lambda a, f=f: converted(f, a)), result=as_real)
        row(f"vcvt{{q}}_n_{real}", "VVn", integer,
            each_n(lambda a, n, f=f: _scaled(converted(f, a), -n)), result=as_real)  # fmt: skip
        row(f"vcvt{{q}}_n_{integer}", "VVn", real,
            each_n(lambda a, n, t=t: to_integer(t)(_scaled(a, n))), result=as_integer)  # fmt: skip
        row(f"vcvt{{q}}_{integer}", "VV", real, each(to_integer(t)), result=as_integer)
        for name, function in (("n", "rint"), ("m", "floor"), ("p", "ceil"), ("a", "round")):
            row(f"vcvt{name}{{q}}_{integer}", "VV", real,
                each(lambda a, t=t, how=function: to_integer(t)(libm(how, a))), result=as_integer)  # fmt: skip
    def doubles(form: Form) -> tuple[Type, int]:
        return Float(64), 128

    row("vcvt_f64", "VV", "f32", each(wide), _D, result=doubles)
    row("vcvt_high_f64", "VV", "f32", upper(each(wide), 1), _Q, result=doubles)
    row("vcvt_f32", "VV", "f64", each(lambda a: converted(Float(32), a)), _Q, result=lambda form: (Float(32), 64))


def _fill_memory() -> None:
    def bytes_of(form: Form) -> int:
        return form.bytes

    def one(form: Form) -> int:
        return form.type.bytes()

    def same(form: Form) -> Callable[[Vector], Vector]:
        return lambda m: m

    row("vld1{q}", "Vp", ALL, same, reads=bytes_of)
    row("vst1{q}", "vPV", ALL, same, writes=bytes_of)
    row("vld1{q}_dup", "Vp", ALL, lambda form: lambda m: [*m] * form.lanes, reads=one)
    row("vld1{q}_lane", "VpVn", ALL, lambda form: lambda m, a, k: [*a[:k], m[0], *a[k + 1 :]], reads=one)
    row("vst1{q}_lane", "vPVn", ALL, lambda form: lambda a, k: [a[k]], writes=one)
    for count in (2, 3, 4):  # what the header writes vld3, vst3 and their like with
        for part in range(count):
            row(f"lift_ld{count}_{part}{{q}}", "Vp", ALL, _every(count, part), reads=_registers(count))
        row(f"lift_st{count}{{q}}", f"vP{'V' * count}", ALL, _interleaved, writes=_registers(count))


def _registers(count: int) -> Callable[[Form], int]:
    return lambda form: count * form.bytes


def _every(count: int, part: int) -> Compute:
    return lambda form: lambda m: m[part::count]


def _interleaved(form: Form) -> Callable[..., list[Expr]]:
    return lambda *v: [e for lanes in zip(*v, strict=True) for e in lanes]


@lru_cache(maxsize=1)
def table() -> dict[str, Meaning]:
    """The meaning of each intrinsic by its name."""
    for fill in (_fill_arithmetic, _fill_bits, _fill_shifts, _fill_widening, _fill_narrowing, _fill_across, _fill_moves,
                 _fill_conversions, _fill_memory):  # fmt: skip
        fill()
    return TABLE


def signatures() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The C types of the result and of the operands of each intrinsic that is declared."""
    table()
    return SIGNATURES
