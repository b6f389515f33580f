"""Optical flow by least squares in windows (Lucas, Kanade: An Iterative Image Registration Technique, 1981): one step
from rest, windows of 9x9, and no motion where the window tells none."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1280, 960)
SMALL = ((131, 75), (99, 67))
RADIUS, LEAST = 4, 1e-4


def build(hl: Module, size: Size) -> Built:
    x, y, c, xo, yo, xi, yi = (hl.Var(n) for n in ("x", "y", "c", "xo", "yo", "xi", "yi"))
    before, after = (hl.ImageParam(hl.Float(32), 2, n) for n in ("before", "after"))
    f, g = (hl.BoundaryConditions.repeat_edge(i) for i in (before, after))
    products, columns, windows, flow, result = (
        hl.Func(n) for n in ("products", "columns", "windows", "flow", "result")
    )
    ix = (f[x + 1, y] - f[x - 1, y]) * hl.f32(0.5)
    iy = (f[x, y + 1] - f[x, y - 1]) * hl.f32(0.5)
    it = g[x, y] - f[x, y]
    products[x, y] = hl.Tuple([ix * ix, ix * iy, iy * iy, ix * it, iy * it])
    taps = range(-RADIUS + 1, RADIUS + 1)
    columns[x, y] = hl.Tuple([
        sum((products[x, y + j][k] for j in taps), products[x, y - RADIUS][k]) for k in range(5)
    ])
    windows[x, y] = hl.Tuple([
        sum((columns[x + j, y][k] for j in taps), columns[x - RADIUS, y][k]) for k in range(5)
    ])
    xx, xy, yy, xt, yt = (windows[x, y][k] for k in range(5))
    determinant = xx * yy - xy * xy
    known = determinant > hl.f32(LEAST)
    scale = hl.f32(1.0) / hl.select(known, determinant, hl.f32(1.0))
    flow[x, y] = hl.Tuple([
        hl.select(known, (xy * yt - yy * xt) * scale, hl.f32(0.0)),
        hl.select(known, (xy * xt - xx * yt) * scale, hl.f32(0.0)),
    ])
    result[x, y, c] = hl.mux(c, [flow[x, y][0], flow[x, y][1]])

    def schedule() -> None:
        result.bound(c, 0, 2).tile(x, y, xo, yo, xi, yi, 128, 32).reorder(c, xi, yi, xo, yo)
        result.parallel(yo).vectorize(xi, 8).unroll(c)
        flow.compute_at(result, xi).vectorize(x, 8)
        columns.compute_at(result, yi).vectorize(x, 8)
        products.compute_at(result, xo).vectorize(x, 8)

    return Built([before, after], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    scene = rng.random((height, width + 1), np.float32)
    return [np.ascontiguousarray(scene[:, :-1]), np.ascontiguousarray(scene[:, 1:])]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 2)]
