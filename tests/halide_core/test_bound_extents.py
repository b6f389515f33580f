"""Constant bounds of extents: what the loops and allocations of a lowered pipeline look like."""

from __future__ import annotations

import random

import halide_core as hl
import halide_core.ir.expr as ir
from halide_core.interp.expr import evaluate
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, Variable, const
from halide_core.lower import lower
from halide_core.passes.bound_extents import _Definition, _Scope, upper_bound
from halide_core.target import Target


def _pipeline() -> st.Stmt:
    x, xo, xi = hl.Var("x"), hl.Var("xo"), hl.Var("xi")
    inner, outer = hl.Func("inner"), hl.Func("outer")
    inner[x] = x * 3
    outer[x] = inner[x] + inner[x + 1]
    outer.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)
    inner.compute_at(outer, xo).unroll(x)
    return lower(hl.Pipeline([outer]).functions(), Target("host")).stmt


def test_small_storage_is_of_constant_size() -> None:
    sizes = [ir.const_value(s.size) for s in st.walk(_pipeline()) if isinstance(s, st.Allocate)]
    assert sizes and all(n == 9 for n in sizes)


def test_choices_stand_outside_small_storage() -> None:
    first = next(s for s in st.walk(_pipeline()) if isinstance(s, st.IfThenElse))
    assert isinstance(first.then_case, st.Allocate)
    assert not any(isinstance(s, st.IfThenElse) for s in st.walk(first.then_case))


def test_bounds_are_sound_and_tight() -> None:
    n, i = Variable(I32, "n"), Variable(I32, "i")
    empty = _Scope({}, ())
    loop = _Scope({}, (("i", _Definition(const(2, I32), empty), _Definition(const(9, I32), empty)),))
    block = ir.Min(I32, n - i * 4, const(4, I32))
    assert upper_bound(block, loop) == 4
    assert upper_bound(i * 4 + block - i * 4, loop) == 4
    assert upper_bound((block + 15) / 16, loop) == 1
    assert upper_bound((i * 4 + block + 3) / 4 - i, loop) == 1
    assert upper_bound(i * 3, loop) == 27
    assert upper_bound(const(0, I32) - i * 3, loop) == -6
    assert upper_bound(ir.Max(I32, i, const(12, I32)) - i, loop) == 10
    assert upper_bound(i * 4 - (i / 4) * 16, loop) == 12
    assert upper_bound(n, loop) is None
    assert upper_bound(ir.Max(I32, n, i), loop) is None


def test_bounds_hold_where_coefficients_grow() -> None:
    """Factors of nested splits multiply in the search; coefficients that wrapped around gave bounds below the value."""
    v = Variable(I32, "v")
    empty = _Scope({}, ())
    cases = [(384, 64, 768, 768), (768, 6, 60000, 384), (1000, 768, 768, 50000), (60000, 6, 384, 48)]
    draw = random.Random(3)
    factors = [6, 8, 16, 48, 64, 384, 512, 768, 1000, 50000, 60000]
    cases += [tuple(draw.choice(factors) for _ in range(4)) for _ in range(200)]
    for a, b, c, d in cases:
        e = (((v / a) * a - (v / b) * b + (c - 1)) / c) * d
        bound = upper_bound(e, empty)
        values = [int(evaluate(e, {"v": n})) for n in (*range(0, 200_000, 7919), a - 1, b - 1, b, 199_999)]
        assert bound is None or max(values) <= bound, (a, b, c, d)


def test_blocks_of_unknown_loops_cancel_before_anything_is_taken_apart() -> None:
    """The vectors of a block that a stage with a margin is computed at: neither the first element of the block nor
    the number of blocks has a bound, and the latter is a sum of choices that takes more steps than there are."""
    xb, n, m = (Variable(I32, v) for v in ("xb", "n", "m"))
    blocks: ir.Expr = m
    for k in range(16):
        blocks = blocks + ir.Min(I32, Variable(I32, f"a{k}"), Variable(I32, f"b{k}"))
    empty = _Scope({}, ())
    loop = _Scope({}, (("xb", _Definition(const(0, I32), empty), _Definition(blocks, empty)),))
    block = ir.Min(I32, n - xb * 48, const(48, I32))
    end = ir.Min(I32, xb * 48 + block + m - 1, n + m - 1)
    assert upper_bound((end - m) / 16 - xb * 3 + 1, loop) == 3
    assert upper_bound((end - m + 7) / 16 - xb * 3 + 1, loop) == 4
