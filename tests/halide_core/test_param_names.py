"""Params and Vars of one name."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import halide_core as hl
from halide_core.dsl.variables import PARAMS


def test_a_var_of_a_live_params_name() -> None:
    n = hl.Param(hl.Int(32), "n", 5)
    x, var = hl.Var("x"), hl.Var("n")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x + n
    g[x, var] = f[x] * 10 + var + hl.sum(hl.RDom([(0, 2)]).x + var)
    f.compute_root()
    wanted = [[(a + 5) * 10 + b + 1 + 2 * b for a in range(4)] for b in range(3)]
    assert np.asarray(g.realize([4, 3])).tolist() == wanted
    n.set(7)
    assert np.asarray(f.realize([2])).tolist() == [7, 8]


def test_both_in_one_definition() -> None:
    n = hl.Param(hl.Int(32), "shared_name", 5)
    var, f = hl.Var("shared_name"), hl.Func("f")
    with pytest.raises(hl.HalideError, match='a Param and a Var have the name "shared_name"'):
        f[var] = var + n


def test_a_param_dies_with_what_uses_it() -> None:
    """What the compiler remembers of expressions keeps none alive."""
    x = hl.Var("x")
    for value in (2, 3):
        f, g = hl.Func("f"), hl.Func("g")
        f[x] = x * hl.Param(hl.Int(32), "factor", value)
        g[x] = f[x + 1] + f[x]
        f.compute_root()
        assert np.array_equal(np.asarray(g.realize([3])), value * np.array([1, 3, 5]))
        assert "factor" in PARAMS
        del f, g
        gc.collect()
        assert "factor" not in PARAMS


def test_an_image_of_the_name_of_one_of_two_params() -> None:
    x, f = hl.Var("x"), hl.Func("f")
    kept = hl.Param(hl.Int(32), "twice", 1)
    p, image = hl.Param(hl.Int(32), "twice", 2), hl.ImageParam(hl.UInt(8), 1, "twice")
    f[x] = image[x] + hl.u8(p)
    image.set(hl.Buffer(np.arange(4, dtype=np.uint8)))
    with pytest.raises(hl.HalideError, match="unique names"):
        f.realize([4])
    assert kept.get() == 1
