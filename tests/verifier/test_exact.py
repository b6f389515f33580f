"""The normal form over the integers keeps values, and makes one term of one value computed in different widths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import BOOL, GE, LE, Cast, Expr, Max, Min, Select, Variable, const, intrinsic
from halide_core.ir.structural import same
from halide_core.ir.types import Float, Int, UInt
from tests.halide_core.expressions import INTEGERS, edge_values, expressions, variables
from verifier.algebra.exact import exact_form, intervals

pytestmark = pytest.mark.long

U8, U16, U32, I16, I32 = UInt(8), UInt(16), UInt(32), Int(16), Int(32)
a, b, c = (Variable(U8, n) for n in "abc")


@given(st.sampled_from(INTEGERS).flatmap(lambda t: expressions(t, 5)), st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_keeps_the_value(e: Expr, rng) -> None:
    from halide_core.ir.types import Bool, Float

    env = {}
    for t in [*INTEGERS, Float(32), Float(64), Bool()]:
        for v in variables(t):
            env[v.name] = np.array([rng.choice(list(edge_values(t))) for _ in range(24)])
    found = exact_form(e)
    assert found.type == e.type
    left, right = np.broadcast_arrays(evaluate(e, env), evaluate(found, env))
    assert np.array_equal(left, right), f"{e}\n{found}"


def wide(e: Expr, t=I32) -> Expr:
    return Cast(t, e)


def shifted(e: Expr, n: int) -> Expr:
    return intrinsic("shift_right", e.type, e, const(n, UInt(e.type.bits)))


def test_multiply_in_16_and_in_32_bits() -> None:
    t = wide(a, I16) * wide(b, I16) + const(128, I16)
    u = wide(t, U16)
    narrow = intrinsic("saturating_cast", U8, wide(shifted(wide(t + wide(shifted(u, 8), I16), U16), 8), I16))
    s = wide(a) * wide(b) + const(128, I32)
    assert same(exact_form(narrow), exact_form(wide(shifted(s + shifted(s, 8), 8), U8)))


def test_high_half_of_a_convex_sum() -> None:
    full = const(255, U16)
    t = wide(a, U16) * wide(c, U16) + wide(b, U16) * (full - wide(c, U16)) + const(128, U16)
    high = intrinsic("mul_shift_right", U16, t, const(257, U16), const(16, U16))
    s = wide(a) * wide(c) + wide(b) * (const(255, I32) - wide(c)) + const(128, I32)
    assert same(exact_form(wide(high, U8)), exact_form(wide(shifted(s * const(257, I32), 16), U8)))


def test_complement_is_distance_from_the_maximum() -> None:
    assert same(exact_form(intrinsic("bitwise_not", U8, a)), exact_form(wide(const(255, I32) - wide(a), U8)))


def test_differences() -> None:
    d = wide(a) - wide(b)
    plain = wide(Select(I32, LE(BOOL, b, a), d, const(0, I32) - d), U8)
    assert not same(exact_form(plain), exact_form(a))
    clamped = wide(Max(I32, Min(I32, d, const(255, I32)), const(0, I32)), U8)
    assert same(exact_form(intrinsic("saturating_sub", U8, a, b)), exact_form(clamped))


@pytest.mark.parametrize("limit, equal", [(127, True), (200, False)])
def test_known_intervals_count(limit: int, equal: bool) -> None:
    w = Variable(I32, "w")
    known = intervals([GE(BOOL, w, const(0, I32)), LE(BOOL, w, const(limit, I32))])
    assert known == {"w": (0, limit)}
    narrow = wide(wide(wide(w, Int(8)), I16) * wide(a, I16))
    assert same(exact_form(narrow, known), exact_form(w * wide(a), known)) == equal


@pytest.mark.parametrize("bits", [32, 64])
def test_conversions_to_floats(bits: int) -> None:
    t = Float(bits)
    assert same(exact_form(Cast(t, wide(a))), exact_form(Cast(t, a)))
    assert same(exact_form(Cast(t, wide(a) + wide(b))), exact_form(Cast(t, wide(a, U32) + wide(b, U32))))
    x, u, big = Variable(I32, "x"), Variable(U32, "u"), Variable(UInt(64), "big")
    assert not same(exact_form(Cast(t, Cast(U8, x))), exact_form(Cast(t, x)))
    assert not same(exact_form(Cast(t, Cast(I32, u))), exact_form(Cast(t, u)))
    assert not same(exact_form(Cast(t, Cast(Int(64), big))), exact_form(Cast(t, big)))


@given(st.sampled_from([Int(8), UInt(16), Int(32), UInt(32)]).flatmap(lambda t: expressions(t, 4)), st.data())
@settings(max_examples=200, deadline=None)
def test_conversions_to_floats_keep_the_value(e: Expr, data) -> None:
    env = {}
    for t in [*INTEGERS, Float(32), Float(64), BOOL]:
        for v in variables(t):
            env[v.name] = np.array([data.draw(st.sampled_from(list(edge_values(t)))) for _ in range(4)])
    for bits in (32, 64):
        n = Cast(Float(bits), e)
        left, right = np.broadcast_arrays(evaluate(n, env), evaluate(exact_form(n), env))
        assert np.array_equal(left, right), f"{n}\n{exact_form(n)}"
