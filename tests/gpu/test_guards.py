"""Conditions of threads at edges, and lanes that stand aside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.guards import shorten_guards
from halide_core.gpu.idle_lanes import release_idle_lanes
from halide_core.gpu.kernel import BLOCK, THREAD
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const
from halide_core.ir.named_calls import SHUFFLE, is_shuffle
from halide_core.ir.structural import key, nodes
from halide_core.lower import lower
from tests.gpu import running
from tests.gpu.cases import CASES, data_of

N = Variable(I32, "n")
ONE = const(1, I32)
SIZES = (const(8, I32), const(4, I32), ONE)


def _guard(condition: Expr) -> Expr:
    """What a condition becomes in blocks of 8 by 4 threads."""
    inner = st.Store("f", const(1, I32), const(0, I64))
    out = shorten_guards(st.IfThenElse(condition, inner), SIZES)
    assert isinstance(out, st.IfThenElse)
    return out.condition


def _below(left: Expr, bound: int | None = 8) -> Expr:
    return ir.LT(BOOL, THREAD[0], left if bound is None else ir.Min(I32, left, const(bound, I32)))


PLACES = [BLOCK[0] * 8, BLOCK[0] * 3, BLOCK[1], BLOCK[1] * 100]


@pytest.mark.parametrize("k", range(len(PLACES)))
@pytest.mark.parametrize("bound", [None, 8, 9])
def test_means_the_same(k: int, bound: int | None) -> None:
    before = _below(N - PLACES[k], bound)
    after = _guard(before)
    assert key(after) != key(before)
    names = [v.name for v in (N, BLOCK[0], BLOCK[1], THREAD[0])]
    for n, bx, by, tx in itertools.product((-9, -1, 0, 1, 7, 8, 9, 23, 2**31 - 1), (0, 1, 2, 5), (0, 1, 3), range(8)):
        at = dict(zip(names, (n, bx, by, tx), strict=True))
        assert bool(evaluate(before, at)) == bool(evaluate(after, at)), at
    last = 2**31 // 8 - 1
    at = dict(zip(names, (2**31 - 3, last, 0, 7), strict=True))
    assert bool(evaluate(_below(N - BLOCK[0] * 8), at)) == bool(evaluate(_guard(_below(N - BLOCK[0] * 8)), at))


def test_what_is_left_as_it_is() -> None:
    load = ir.Load(I32, "a", const(0, I64))
    for e in (
        _below(N - BLOCK[0] * 8, 7), _below(N - THREAD[1]), _below(load - BLOCK[0] * 8), _below(N - N),
        _below(N + BLOCK[0]), ir.LT(BOOL, N, THREAD[0]), _below(N - BLOCK[0] * -8), _below(N - BLOCK[0] * N),
    ):  # fmt: skip
        assert key(_guard(e)) == key(e)


def test_lanes_that_store_nothing_take_no_part() -> None:
    f, _ = CASES["lanes"].make(hc, True)
    (kernel,) = lower([f._function], hc.Target("x86-64-linux-sse41-cuda")).kernels
    assert isinstance(kernel.body, st.IfThenElse)
    assert key(kernel.body.condition) == key(ir.LT(BOOL, THREAD[0], const(17, I32)))
    calls = [n for x in st.walk(kernel.body) for e in st.expressions(x) for n in nodes(e, ir.Call)]
    assert [[int(ir.const_value(a) or 0) for a in n.args[2:]] for n in calls if is_shuffle(n)] == [[32, 17]]
    case = CASES["lanes"]
    data = data_of(case)
    found, device = running.on_device(case, data)
    assert np.array_equal(found, running.on_host(hc, case, data))
    assert {x.counts.instructions["shuffle"] for x in device.launches} == {4 * 2 * 4 * 17}


@pytest.mark.parametrize("end", [None, 32, 40])
def test_lanes_that_all_store_take_part(end: int | None) -> None:
    """So do all where one place is stored to by any of them."""
    shuffled = ir.Call(I32, f"{SHUFFLE}down", (N, ONE, const(32, I32)), ir.CallType.EXTERN)
    store: st.Stmt = st.Store("f", Variable(I32, "t"), const(0, I64))
    inner = store if end is None else st.IfThenElse(ir.LT(BOOL, THREAD[0], const(end, I32)), store)
    body = st.LetStmt("t", shuffled, inner)
    assert release_idle_lanes(body, (const(32, I32), ONE, ONE)) is body
