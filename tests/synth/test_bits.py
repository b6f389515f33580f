"""Bits taken out of words, against the meaning of the words."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import Add, Cast, Expr, Sub, Variable, const, intrinsic
from halide_core.ir.structural import post_order
from halide_core.ir.types import Int, UInt
from lifter.algebra.bit_extraction import take_bits

WORD = UInt(32)


def words() -> st.SearchStrategy[Expr]:
    """Expressions that pack, shift and mask bytes and shorts in words."""
    leaves = st.sampled_from(
        [Cast(WORD, Variable(UInt(8), n)) for n in "ab"]
        + [Cast(WORD, Cast(Int(32), Variable(UInt(16), "s"))), Cast(WORD, Variable(Int(16), "t")), Variable(WORD, "w")]
    )

    def wider(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        shifted = st.builds(
            lambda n, e, k: intrinsic(n, WORD, e, const(k, WORD)),
            st.sampled_from(["shift_left", "shift_right"]), inner, st.integers(0, 31),
        )
        masked = st.builds(
            lambda e, m: intrinsic("bitwise_and", WORD, e, const(m, WORD)),
            inner, st.sampled_from([0xFF, 0xFF00, 0xFF00FF00, 0xFFFF, 0xF8, 0x00FF00FF, 0x7F7F7F7F, 0x7FFF7FFF]),
        )
        joined = st.builds(
            lambda n, a, b: intrinsic(n, WORD, a, b), st.sampled_from(["bitwise_or", "bitwise_xor"]), inner, inner
        )
        inverted = st.builds(
            lambda m, e: Sub(WORD, const(m, WORD), e), st.sampled_from([0xFF, 0xFFFF, 0xFFFFFFFF, 0xFF00, 1]), inner
        )
        filled = st.builds(
            lambda e, m: intrinsic("bitwise_or", WORD, e, const(m, WORD)),
            inner, st.sampled_from([0x80808080, 0x80008000, 0xFF00, 0x7F7F7F7F]),
        )
        lanes = st.builds(lambda kind, a, b: kind(WORD, a, b), st.sampled_from([Add, Sub]), inner | filled, inner)
        return shifted | masked | joined | inverted | filled | lanes

    return st.recursive(leaves, wider, max_leaves=8)


@settings(max_examples=800, deadline=None)
@given(words(), st.sampled_from([UInt(8), Int(8), UInt(16), Int(16)]), st.integers(0, 2**32 - 1))
def test_same_value(word: Expr, narrow, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = {
        "a": rng.integers(0, 256, 8, np.uint8), "b": rng.integers(0, 256, 8, np.uint8),
        "s": rng.integers(0, 1 << 16, 8, np.uint16), "t": rng.integers(-(1 << 15), 1 << 15, 8, np.int16),
        "w": rng.integers(0, 1 << 32, 8, np.uint32),
    }
    e = Cast(narrow, word)
    taken, wanted = evaluate(take_bits(e), values), evaluate(e, values)
    assert np.array_equal(np.broadcast_to(taken, np.shape(wanted)), wanted)


def test_a_byte_of_a_packed_word_is_the_byte() -> None:
    a, b = (Cast(WORD, Variable(UInt(8), n)) for n in "ab")
    packed = intrinsic("bitwise_or", WORD, a, intrinsic("shift_left", WORD, b, const(8, WORD)))
    taken = take_bits(Cast(UInt(8), intrinsic("shift_right", WORD, packed, const(8, WORD))))
    assert isinstance(taken, Variable) and taken.name == "b"
    assert len(list(post_order(taken))) == 1


def test_bits_of_a_difference_from_ones() -> None:
    a, b = (Cast(WORD, Variable(UInt(8), n)) for n in "ab")
    packed = intrinsic("bitwise_or", WORD, a, intrinsic("shift_left", WORD, b, const(8, WORD)))
    inverted = Sub(WORD, const(0xFFFF, WORD), packed)
    taken = take_bits(Cast(UInt(8), intrinsic("shift_right", WORD, inverted, const(8, WORD))))
    assert str(taken) == "(uint8)255 - b"


def test_bytes_that_are_added_in_a_word() -> None:
    def packed(first: str, second: str) -> Expr:
        a, b = (Cast(WORD, Variable(UInt(8), n)) for n in (first, second))
        return intrinsic("bitwise_or", WORD, a, intrinsic("shift_left", WORD, b, const(8, WORD)))

    def second_byte(e: Expr) -> Expr:
        return Cast(UInt(8), intrinsic("shift_right", WORD, e, const(8, WORD)))

    words = packed("a", "b"), packed("c", "d")
    masked = (intrinsic("bitwise_and", WORD, e, const(0x7F7F, WORD)) for e in words)
    assert str(take_bits(second_byte(Add(WORD, *masked)))) == "(b & (uint8)127) + (d & (uint8)127)"
    carried = second_byte(Add(WORD, *words))
    assert str(take_bits(carried)) == str(carried)


def test_parts_that_are_shared_are_looked_at_once() -> None:
    """Of sums of sums, as a network that sorts by sums makes them, there are more ways than time."""
    e: Expr = Variable(UInt(16), "x")
    for _ in range(60):
        e = intrinsic("bitwise_and", UInt(16), e + e, const(0x7F7F, UInt(16)))
    found = take_bits(Cast(UInt(8), e))
    assert found.type == UInt(8)
