"""The arithmetic of intervals, and the analyses that go by it, held to the reference meaning of every operation."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.constant_intervals import Ends, Range, arithmetic, clamped, full, half_open, inside, joined, product
from halide_core.ir.expr import Expr, Variable, const, intrinsic
from halide_core.ir.identities import interval
from halide_core.ir.types import Int, Type, UInt
from halide_core.passes.corner_bounds import constant_bounds
from halide_core.passes.narrow import value_range
from lifter.algebra.value_ranges import ranges
from tests.halide_core.expressions import FLOATS, INTEGERS, edge_values, expressions, variables

SIGNED, UNSIGNED = Int(8), UInt(8)
BINARY = [ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Mod, ir.Min, ir.Max]
CALLS = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "div_round_to_zero", "mod_round_to_zero",
    "saturating_add", "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add",
]  # fmt: skip
OTHERS = ["abs", "absd", "popcount", "count_leading_zeros", "likely",
          "saturating_cast", "widening_add", "widening_sub", "widening_mul", "square"]  # fmt: skip
CONSTANT_SECOND = {"Div", "Mod", "div_round_to_zero", "mod_round_to_zero"}
"""Of divisors that are one number only is anything known."""
EXACT = {
    "Add", "Sub", "Mul", "Min", "Max", "Div", "shift_left", "shift_right", "div_round_to_zero", "saturating_add",
    "saturating_sub", "halving_add", "halving_sub", "rounding_halving_add", "abs", "absd", "likely", "saturating_cast",
    "widening_add", "widening_sub", "widening_mul", "square",
}  # fmt: skip
"""Operations of which the interval is the smallest that there is, unless they wrap."""


def operation(name: str, t: Type) -> Expr:
    """An operation of two variables of a type of eight bits, or of one."""
    a, b = Variable(t, "a"), Variable(t, "b")
    kinds = {k.__name__: k for k in BINARY}
    if name in kinds:
        return kinds[name](t, a, b)
    if name in ("shift_left", "shift_right"):
        return intrinsic(name, t, a, Variable(UNSIGNED, "b"))
    if name in ("abs", "absd"):
        return intrinsic(name, UNSIGNED, *((a,) if name == "abs" else (a, b)))
    if name == "saturating_cast":
        return intrinsic(name, UNSIGNED if t == SIGNED else SIGNED, a)
    if name.startswith("widening"):
        wide = Int(16) if t == SIGNED or name == "widening_sub" else UInt(16)
        return intrinsic(name, wide, a, b)
    if name == "square":
        return ir.Mul(t, a, a)
    return intrinsic(name, t, *((a,) if name in ("popcount", "likely") or name.startswith("count") else (a, b)))


NAMES = [*(k.__name__ for k in BINARY), *CALLS, *OTHERS]


@functools.cache
def results(name: str, t: Type) -> tuple[Expr, np.ndarray[Any, Any], int, int]:
    """An operation, its results for all operands, and the least value of either of these."""
    e = operation(name, t)
    second = UNSIGNED if name.startswith("shift") else t
    types = [np.int8 if x == SIGNED else np.uint8 for x in (t, second)]
    a, b = (np.arange(x.min(), x.max() + 1).astype(d) for x, d in zip((t, second), types, strict=True))
    values = evaluate(e, {"a": a[:, None], "b": b[None, :]})
    return e, np.broadcast_to(np.asarray(values).astype(np.int64), (256, 256)), t.min(), second.min()


def check(name: str, t: Type, a: Range, b: Range) -> None:
    e, values, first, second = results(name, t)
    operands = [a, a] if name == "square" else [a, b][: len(ir.children(e))]
    found = arithmetic(e, operands)
    if found is None or not inside(found, e.type):
        return
    reached = values[a[0] - first : a[1] - first + 1, b[0] - second : b[1] - second + 1]
    low, high = int(reached.min()), int(reached.max())
    assert found[0] <= low and high <= found[1], (str(e), a, b, found, (low, high))
    if name in EXACT:
        assert found == (low, high), (str(e), a, b, found, (low, high))


def intervals(t: Type, ends: list[int]) -> list[Range]:
    within = sorted({v for v in ends if t.min() <= v <= t.max()})
    return list(itertools.combinations_with_replacement(within, 2))


@pytest.mark.parametrize("t", [SIGNED, UNSIGNED], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_members_lie_in_the_interval(name: str, t: Type) -> None:
    """All intervals between edges, and all small ones."""
    ends = [-128, -127, -100, -9, -8, -1, 0, 1, 2, 3, 7, 8, 16, 100, 127, 128, 200, 254, 255]
    second = UNSIGNED if name.startswith("shift") else t
    others = intervals(second, ends)
    if name in CONSTANT_SECOND:
        others = [(k, k) for k in range(second.min(), second.max() + 1)]
    for a in intervals(t, ends):
        for b in others:
            check(name, t, a, b)


@given(st.sampled_from(NAMES), st.booleans(), st.lists(st.integers(0, 255), min_size=4, max_size=4))
@settings(deadline=None, max_examples=2000)
def test_members_of_any_interval(name: str, signed: bool, numbers: list[int]) -> None:
    t = SIGNED if signed else UNSIGNED
    second = UNSIGNED if name.startswith("shift") else t
    a, b = (sorted(n + x.min() for n in part) for x, part in ((t, numbers[:2]), (second, numbers[2:])))
    check(name, t, (a[0], a[1]), (b[0], b[1]))


def test_nothing_is_said_of_conversions_and_choices() -> None:
    """What these say is up to the analysis, as what a read says."""
    x = Variable(Int(32), "x")
    for e in (ir.Cast(SIGNED, x), ir.Select(x.type, ir.LT(ir.BOOL, x, x), x, x), ir.LT(ir.BOOL, x, x), x):
        assert arithmetic(e, [(0, 1)] * len(ir.children(e))) is None


@given(st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=4, max_size=4), st.sampled_from([0, 1, 2]))
@settings(deadline=None)
def test_open_ends(ends: list[int | None], kind: int) -> None:
    """As with ends that are further away than anything."""
    far = 1000
    a, b = ((low, high) for low, high in (ends[:2], ends[2:]))
    if any(low is not None and high is not None and low > high for low, high in (a, b)):
        return
    x = Variable(Int(32), "x")
    e = (ir.Add, ir.Min, ir.Max)[kind](x.type, x, x)
    found = half_open(e, a, b)
    closed: list[Range] = [(-far if low is None else low, far if high is None else high) for low, high in (a, b)]
    known = arithmetic(e, closed)
    assert known is not None
    want: Ends = (known[0] if known[0] > -far // 2 else None, known[1] if known[1] < far // 2 else None)
    assert found == want


def test_helpers() -> None:
    assert full(SIGNED) == (-128, 127) and inside((0, 255), UNSIGNED) and not inside((0, 256), UNSIGNED)
    assert joined((0, 3), (-2, 1)) == (-2, 3) and product((-2, 3), (-5, 4)) == (-15, 12)
    assert clamped((-300, 20), SIGNED) == (-128, 20) and clamped((300, 400), SIGNED) == (127, 127)


@given(st.sampled_from(INTEGERS).flatmap(lambda t: expressions(t, 3)))
@settings(deadline=None, max_examples=300)
def test_analyses_hold(e: Expr) -> None:
    """All that walk expressions: no value lies outside of what they say."""
    used = [v for t in (*INTEGERS, *FLOATS, ir.BOOL) for v in variables(t)]
    values = {v.name: np.resize(np.random.default_rng(k).permutation(edge_values(v.type)), 200)
              for k, v in enumerate(used)}  # fmt: skip
    with np.errstate(all="ignore"):
        found = np.asarray(evaluate(e, values)).astype(object).ravel()
    low, high = min(found), max(found)
    said: list[Ends] = [interval(e, {})]
    own, narrow = ranges(e, {}).get(id(e)), value_range(e)
    said += [r for r in (own, narrow) if r is not None]
    for least, most in said:
        assert (least is None or least <= low) and (most is None or high <= most), (str(e), least, most, low, high)


def test_bounds_of_narrow_types_stay_in_them() -> None:
    t = UInt(8)
    e = ir.Add(t, Variable(t, "a"), Variable(t, "b"))
    assert constant_bounds(e, [(const(0, t), const(200, t)), (const(0, t), const(56, t))]) is None
    found = constant_bounds(e, [(const(0, t), const(200, t)), (const(0, t), const(55, t))])
    assert found is not None and [ir.const_value(v) for v in found if v is not None] == [0, 255]
