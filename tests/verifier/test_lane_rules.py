"""The rules for lanes of registers: each keeps the value (proved), and gives what it should (by its text)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from halide_core.interp.expr import dtype_of, evaluate
from halide_core.ir.expr import (
    BOOL,
    EQ,
    GT,
    LT,
    NE,
    Call,
    CallType,
    Cast,
    Expr,
    Max,
    Min,
    Reinterpret,
    Select,
    Variable,
    const,
    intrinsic,
)  # fmt: skip
from halide_core.ir.structural import post_order, transform
from halide_core.ir.types import Float, Int, UInt
from lifter.simd.lanes import Lanes, as_type
from lifter.simd.simplify import simplify_node
from verifier.algebra.lemmas import lemma_query
from verifier.smt import Proved, prove

U8, I8, U16, I16, U32, I32 = UInt(8), Int(8), UInt(16), Int(16), UInt(32), Int(32)
F32 = Float(32)
a, b = Variable(U8, "a"), Variable(U8, "b")
s, w, f = Variable(I8, "s"), Variable(U16, "w"), Variable(F32, "f")
c, d = LT(BOOL, a, b), Variable(BOOL, "d")
n = Variable(UInt(64), "n")


def op(name: str, *args: Expr) -> Expr:
    return intrinsic(name, args[0].type, *args)


def mask(condition: Expr, t=U8) -> Expr:
    return Select(t, condition, const(-1, t), const(0, t))


def joined(low: Expr, high: Expr, t=U16) -> Expr:
    return op("bitwise_or", Cast(t, low), op("shift_left", Cast(t, high), const(t.bits // 2, t)))


def bit(k: int) -> Expr:
    return NE(BOOL, op("bitwise_and", n, const(k, UInt(64))), const(0, UInt(64)))


def chosen(high: int, low: int, yes: Expr, no: Expr) -> Expr:
    """yes where either bit of n is set."""
    return Select(yes.type, bit(high), yes, Select(yes.type, bit(low), yes, no))


CASES = [
    (op("bitwise_and", mask(c), a), "select(a < b, a, (uint8)0)"),
    (op("bitwise_and", op("bitwise_not", mask(c)), a), "select(a < b, (uint8)0, a)"),
    (op("bitwise_and", mask(c), mask(d)), "select((a < b) && d, (uint8)255, (uint8)0)"),
    (op("bitwise_or", mask(c), mask(d)), "select((a < b) || d, (uint8)255, (uint8)0)"),
    (op("bitwise_or", mask(c), a), "select(a < b, (uint8)255, a)"),
    (op("bitwise_xor", mask(c), a), "select(a < b, ~a, a)"),
    (op("bitwise_or", op("bitwise_and", mask(d), a), op("bitwise_and", op("bitwise_not", mask(d)), b)),
     "select(d, a, b)"),
    (Select(U8, LT(BOOL, Cast(I8, mask(d)), const(0, I8)), a, b), "select(d, a, b)"),
    (EQ(BOOL, Cast(I8, a), Cast(I8, b)), "a == b"),
    (GT(BOOL, Cast(I8, op("bitwise_xor", a, const(128, U8))), op("bitwise_xor", Cast(I8, b), const(-128, I8))),
     "a > b"),
    (LT(BOOL, Cast(I8, op("bitwise_xor", a, const(128, U8))), const(-28, I8)), "a < (uint8)100"),
    (joined(Cast(U8, w), Cast(U8, op("shift_right", w, const(8, U16)))), "w"),
    (joined(a, const(0, U8)), "uint16(a)"),
    (Cast(U8, joined(a, b)), "a"),
    (Cast(U8, op("shift_right", joined(a, b), const(8, U16))), "b"),
    (joined(Cast(U8, s), mask(LT(BOOL, s, const(0, I8)))), "uint16(s)"),
    (joined(Cast(U8, s), mask(GT(BOOL, const(0, I8), s))), "uint16(s)"),
    (joined(mask(d), mask(d)), "select(d, (uint16)65535, (uint16)0)"),
    (op("shift_right", Cast(I16, joined(const(0, U8), a)), const(8, U16)), "int16(int8(a))"),
    (op("shift_right", joined(const(0, U8), a), const(8, U16)), "uint16(a)"),
    (Call(U8, "saturating_cast", (Cast(I16, a),), CallType.INTRINSIC), "a"),
    (Cast(I32, Cast(U16, Cast(I32, a))), "int32(a)"),
    (Reinterpret(F32, op("bitwise_and", mask(d, U32), Reinterpret(U32, f))), "select(d, f, 0.0f)"),
    (Reinterpret(F32, Cast(U32, Reinterpret(I32, f))), "f"),
    (op("saturating_sub", a, const(0, U8)), "a"),
    (op("saturating_add", const(0, U8), a), "a"),
    (chosen(8, 4, const(0, U8), const(9, U8)), "select((n & (uint64)15) < (uint64)4, (uint8)9, (uint8)0)"),
    (Select(U8, bit(1), const(0, U8), chosen(8, 4, const(0, U8), const(9, U8))),
     "select((n & (uint64)1) != (uint64)0, (uint8)0, select((n & (uint64)15) < (uint64)4, (uint8)9, (uint8)0))"),
    (Select(U8, bit(2), const(0, U8), Select(U8, bit(1), const(0, U8), chosen(8, 4, const(0, U8), const(9, U8)))),
     "select((n & (uint64)15) < (uint64)1, (uint8)9, (uint8)0)"),
    # What intervals decide.
    (op("shift_right", Cast(U16, a), const(8, U16)), "(uint16)0"),
    (op("shift_right", Cast(U16, a), const(7, U16)), "uint16(a) >> (uint16)7"),
    (intrinsic("saturating_cast", U8, Cast(I16, s)), "saturating_cast<uint8>(int16(s))"),
    (op("saturating_sub", Cast(I16, a), const(16, I16)), "int16(a) - (int16)16"),
    (op("saturating_add", Cast(I16, s), Cast(I16, b)), "int16(s) + int16(b)"),
    (op("saturating_sub", a, const(16, U8)), "saturating_sub(a, (uint8)16)"),
    (Min(I16, Cast(I16, a), const(255, I16)), "int16(a)"),
    (Min(I16, Cast(I16, a), const(254, I16)), "min(int16(a), (int16)254)"),
    (Max(I16, const(0, I16), Cast(I16, a)), "int16(a)"),
    (Max(I16, const(0, I16), Cast(I16, s)), "max((int16)0, int16(s))"),
    (Max(I32, Cast(I32, op("saturating_add", Max(U8, a, const(200, U8)), const(100, U8))), const(280, I32)), "280"),
    (op("bitwise_and", Cast(U16, a), const(255, U16)), "uint16(a)"),
    (op("bitwise_and", Cast(U16, a), const(127, U16)), "uint16(a) & (uint16)127"),
    (Cast(I32, Cast(I16, Cast(I32, a) * const(128, I32))), "int32(a) * 128"),
    (Cast(I32, Cast(I16, Cast(I32, a) * const(129, I32))), "int32(int16(int32(a) * 129))"),
]  # fmt: skip


@pytest.mark.parametrize("e, text", CASES, ids=[t for _, t in CASES])
def test_rule(e: Expr, text: str) -> None:
    found = transform(e, simplify_node)
    assert str(found) == text
    assert isinstance(prove(lemma_query(e, found, ()), 10.0), Proved)


def random_expression(rng: random.Random, depth: int, t) -> Expr:
    if depth == 0 or rng.random() < 0.1:
        names = {U8: ("a", "b"), I8: ("s", "r"), U16: ("w", "v"), I16: ("x", "y"), U32: ("m",), I32: ("n",)}[t]
        return (
            Variable(t, rng.choice(names))
            if rng.random() < 0.6
            else const(rng.choice([0, -1, 1, 255, 128, 0xFF00, 0xFF]), t)
        )
    inner = depth - 1
    kind = rng.randrange(9)
    if kind < 3:
        other = rng.choice([U8, I8, U16, I16, U32, I32])
        return Cast(t, random_expression(rng, inner, other))
    if kind == 3:
        amount = const(rng.choice([0, t.bits // 2, t.bits // 2, 1, t.bits - 1, t.bits]), UInt(t.bits))
        name = rng.choice(["shift_left", "shift_right"])
        return intrinsic(name, t, random_expression(rng, inner, t), amount)
    if kind == 4 and t.bits > 8:
        half = UInt(t.bits // 2)
        whole = joined(random_expression(rng, inner, half), random_expression(rng, inner, half), UInt(t.bits))
        return whole if whole.type == t else Cast(t, whole)
    if kind == 5:
        other = rng.choice([U8, I8, U16])
        condition = rng.choice([LT, EQ, GT])(
            BOOL, random_expression(rng, inner, other), random_expression(rng, inner, other)
        )
        if rng.random() < 0.7:
            return mask(condition, t)
        return Select(t, condition, random_expression(rng, inner, t), random_expression(rng, inner, t))
    if kind == 6:
        return op("bitwise_not", random_expression(rng, inner, t))
    if kind == 7:
        source = rng.choice([I16, I32, U16])
        return Call(t, "saturating_cast", (random_expression(rng, inner, source),), CallType.INTRINSIC)
    name = rng.choice(["bitwise_and", "bitwise_or", "bitwise_xor"])
    return op(name, random_expression(rng, inner, t), random_expression(rng, inner, t))


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions_keep_their_values(seed: int) -> None:
    rng = random.Random(seed)
    data = np.random.default_rng(seed)
    env = {}
    for t, names in ((U8, "ab"), (I8, "sr"), (U16, "wv"), (I16, "xy"), (U32, "m"), (I32, "n")):
        for name in names:
            values = data.integers(t.min(), t.max() + 1, 60)
            env[name] = np.concatenate([[0, t.max(), t.min(), 1], values]).astype(dtype_of(t))
    changed = 0
    for _ in range(150):
        e = random_expression(rng, 5, rng.choice([U8, I8, U16, I16, U32, I32]))
        found = transform(e, simplify_node)
        changed += len(list(post_order(found))) < len(list(post_order(e)))
        assert found.type == e.type
        assert (evaluate(e, env) == evaluate(found, env)).all(), f"{e}\n{found}"
    assert changed > 50


def test_lanes_seen_at_other_widths_come_back() -> None:
    bytes_ = Lanes(tuple(Variable(U8, f"x{i}") for i in range(16)))
    for t in (I8, U16, I16, U32, I32, UInt(64)):
        assert [str(e) for e in as_type(as_type(bytes_, t), U8).parts] == [f"x{i}" for i in range(16)]
    words = Lanes(tuple(Variable(I16, f"y{i}") for i in range(8)))
    for t in (U8, U32, UInt(64), F32):
        assert [str(e) for e in as_type(as_type(words, t), I16).parts] == [f"y{i}" for i in range(8)]
