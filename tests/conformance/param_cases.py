"""Params and ImageParams that only expressions hold on to."""

from __future__ import annotations

import gc

import numpy as np

from tests.conformance.cases import case


def _scaled(hl, name):
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x * hl.Param(hl.Int(32), name, 5)
    return f


@case
def params_without_a_name(hl):
    f = _scaled(hl, "p")
    gc.collect()
    x = hl.Var("x")
    q = hl.Param(hl.Int(32), "q", 7)
    g = hl.Func("g")
    g[x] = f[x] + q
    del q
    gc.collect()
    return g.realize([5])


@case
def a_param_in_a_condition_of_a_specialization(hl):
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x * 2
    f.specialize(hl.Param(hl.Int(32), "p", 3) > 2).vectorize(x, 4)
    gc.collect()
    return f.realize([9])


@case
def an_image_of_which_only_the_size_is_used(hl):
    x = hl.Var("x")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f = hl.Func("f")
    f[x] = x * image.height() + image.dim(0).min()
    f.specialize(image.width() > 3).vectorize(x, 4)
    image.set(hl.Buffer(np.zeros((5, 7), np.uint8)))
    return f.realize([9])


@case
def a_param_in_an_update(hl):
    x = hl.Var("x")
    r = hl.RDom([(0, hl.Param(hl.Int(32), "n", 4))], "r")
    f = hl.Func("f")
    f[x] = 0
    f[x] += r.x * x
    gc.collect()
    return f.realize([3])


@case
def one_name_after_another(hl):
    out = []
    for value in (1, 2, 3):
        x = hl.Var("x")
        f = hl.Func("f")
        f[x] = x + hl.Param(hl.UInt(8), "same", value)
        gc.collect()
        out.append(f.realize([3]))
    return out


@case
def an_image_param_without_a_name(hl):
    def build():
        x = hl.Var("x")
        p = hl.ImageParam(hl.UInt(8), 1, "image")
        p.set(hl.Buffer(np.arange(7, dtype=np.uint8)))
        f = hl.Func("f")
        f[x] = p[x] + hl.u8(1)
        return f

    f = build()
    gc.collect()
    return f.realize([7])
