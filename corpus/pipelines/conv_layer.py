"""One convolution layer of a network: 3x3 taps, a bias, rectified; channels innermost."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (100, 80, 128, 5)
SMALL = ((13, 7, 32, 2), (16, 8, 16, 1), (1, 1, 48, 3))


def build(hl: Module, size: Size) -> Built:
    _, _, channels, _ = size
    c, x, y, n, co, ci, xo, xi = (hl.Var(v) for v in ("c", "x", "y", "n", "co", "ci", "xo", "xi"))
    image = hl.ImageParam(hl.Float(32), 4, "input")
    weights = hl.ImageParam(hl.Float(32), 4, "weights")
    bias = hl.ImageParam(hl.Float(32), 1, "bias")
    r = hl.RDom([(0, channels), (0, 3), (0, 3)], "r")
    conv, relu = hl.Func("conv"), hl.Func("relu")
    conv[c, x, y, n] = bias[c]
    conv[c, x, y, n] += weights[c, r.y, r.z, r.x] * image[r.x, x + r.y, y + r.z, n]
    relu[c, x, y, n] = hl.max(hl.f32(0.0), conv[c, x, y, n])

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        lanes, wide = 16, min(channels, 32)
        relu.split(c, co, ci, wide, guard).split(x, xo, xi, 5, guard).reorder(ci, xi, xo, y, n, co)
        relu.vectorize(ci, lanes, guard).unroll(ci).unroll(xi).parallel(y).parallel(n).parallel(co)
        conv.compute_at(relu, xo).vectorize(c, lanes, guard).unroll(c).unroll(x).unroll(y)
        conv.update().reorder(c, x, y, r.x, r.y, r.z, n).vectorize(c, lanes, guard).unroll(c).unroll(x).unroll(y)
        conv.update().unroll(r.x, 2, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        width, height, _, _ = size
        lanes = 32 if channels % 32 == 0 else 16
        yo, yi, t, deep = (hl.Var(v) for v in ("yo", "yi", "t", "deep"))
        # A warp has 32 channels of 4 by 2 pixels in registers, and what it reads in shared memory.
        relu.bound(c, 0, channels).bound(x, 0, width).bound(y, 0, height)
        relu.split(c, co, ci, lanes).split(x, xo, xi, 4, guard).split(y, yo, yi, 2, guard)
        relu.reorder(xi, yi, ci, xo, yo, co, n).unroll(xi).unroll(yi).gpu_lanes(ci)
        relu.fuse(co, n, t).gpu_blocks(xo, yo, t)
        conv.compute_at(relu, xo).store_in(hl.MemoryType.Register).align_storage(c, 32)
        conv.gpu_lanes(c).unroll(x).unroll(y)
        conv.update().reorder(x, y, r.x, r.y, r.z, c, n).gpu_lanes(c).unroll(x).unroll(y).unroll(r.x, 4)
        staged = image.in_()
        a = staged.args()
        staged.compute_at(relu, xo).store_in(hl.MemoryType.GPUShared)
        staged.split(a[0], deep, t, 16).reorder(t, deep, *a[1:]).gpu_lanes(t)

    return Built([image, weights, bias], [relu], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height, channels, count = size
    image = rng.random((count, height + 2, width + 2, channels), np.float32)
    weights = rng.random((channels, 3, 3, channels), np.float32) - np.float32(0.5)
    return [image, weights, rng.random(channels, np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    width, height, channels, count = size
    return [(channels, width, height, count)]
