"""What is hoisted out of loops and shared between statements has the values that it had there."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.pipeline import evaluate_function
from halide_core.passes.realization_order import build_environment

x, y = hl.Var("x"), hl.Var("y")


def _quotients(n: hl.Param, vectors: bool) -> hl.Func:
    r = hl.RDom([(0, 5), (0, 4)])
    r.where((r.x + r.y) % 3 != 1)
    f = hl.Func("f")
    f[x, y] = x % n + (y / n) * 3 - (x + y) / n
    f[x, y] += hl.select(n == 0, 100, 100 / n) + r.y % n + r.x / n + y % n
    f[x, 2] = f[x, 1] / n + 7 % n
    if vectors:
        f.vectorize(x, 8, hl.TailStrategy.GuardWithIf).parallel(y)
        f.update(0).vectorize(x, 8, hl.TailStrategy.GuardWithIf).parallel(y)
        f.update(1).unroll(x, 2, hl.TailStrategy.GuardWithIf)
    return f


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("divisor", [7, -3, 0, 1])
def test_divisions(divisor: int, vectors: bool) -> None:
    n = hl.Param(hl.Int(32), "n", divisor)
    f = _quotients(n, vectors)
    (name,) = build_environment([f._function]).parameters
    (wanted,) = evaluate_function(f._function, ((0, 21), (0, 6)), {}, {name: divisor})
    assert np.array_equal(np.array(f.realize([21, 6])), wanted.T)


def test_calls() -> None:
    p = hl.Param(hl.Float(32), "p", 1.5)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = hl.select(x % 2 == 0, hl.exp(p) * x, hl.pow(p, hl.f32(y)))
    f[x, y] = f[x, y] + hl.exp(p)
    g[x, y] = f[x, y] - hl.exp(p) / (1 + x)
    f.compute_at(g, y).vectorize(x, 8)
    g.parallel(y)
    (name,) = build_environment([g._function]).parameters
    (wanted,) = evaluate_function(g._function, ((0, 13), (0, 9)), {}, {name: np.float32(1.5)})
    assert np.allclose(np.array(g.realize([13, 9])), wanted.T, rtol=1e-6)
