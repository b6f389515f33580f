"""Params and Vars of one name."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl


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
