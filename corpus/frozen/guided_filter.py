"""Guided filter (He, Sun, Tang: Guided Image Filtering, 2010) of an image by another one: lines fitted in windows of
17x17, whose coefficients are averaged."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 1024)
SMALL = ((131, 75), (99, 67))
RADIUS, EPSILON = 8, 0.01
AREA = (2 * RADIUS + 1) ** 2


def build(hl: Module, size: Size) -> Built:
    x, y, yo, yi = (hl.Var(n) for n in ("x", "y", "yo", "yi"))
    guide, image = (hl.ImageParam(hl.Float(32), 2, n) for n in ("guide", "image"))
    g, p = (hl.BoundaryConditions.repeat_edge(f) for f in (guide, image))

    def window(name: str, f: Any, count: int) -> tuple[Any, Any]:
        """(sums of columns, sums of windows) of each of the values of f."""
        sums = []
        for along in ("columns", "rows"):
            total = hl.Func(f"{name}_{along}")
            r = hl.RDom([(-RADIUS, 2 * RADIUS + 1)], f"{name}_{along}_r")
            term = f[x, y + r.x] if along == "columns" else f[x + r.x, y]
            total[x, y] = hl.Tuple([hl.f32(0.0)] * count)
            total[x, y] = hl.Tuple([total[x, y][k] + term[k] for k in range(count)])
            sums.append(total)
            f = total
        return sums[0], sums[1]

    products, line, filtered = (hl.Func(n) for n in ("products", "line", "filtered"))
    products[x, y] = hl.Tuple([g[x, y], p[x, y], g[x, y] * p[x, y], g[x, y] * g[x, y]])
    columns, sums = window("moments", products, 4)
    mean_g, mean_p, mean_gp, mean_gg = (sums[x, y][k] * hl.f32(1 / AREA) for k in range(4))
    slope = (mean_gp - mean_g * mean_p) / (mean_gg - mean_g * mean_g + hl.f32(EPSILON))
    line[x, y] = hl.Tuple([slope, mean_p - slope * mean_g])
    line_columns, line_sums = window("lines", line, 2)
    slope_sum, offset_sum = line_sums[x, y][0], line_sums[x, y][1]
    filtered[x, y] = (slope_sum * guide[x, y] + offset_sum) * hl.f32(1 / AREA)

    def schedule() -> None:
        filtered.split(y, yo, yi, 64).parallel(yo).vectorize(x, 8)
        line_sums.compute_at(filtered, x).vectorize(x, 8)
        line_sums.update().vectorize(x, 8)
        line_columns.compute_at(filtered, yi).vectorize(x, 8)
        line_columns.update().reorder(x, line_columns.rvars(0)[0]).vectorize(x, 8)
        line.store_at(filtered, yo).compute_at(filtered, yi).vectorize(x, 8)
        sums.compute_at(line, x).vectorize(x, 8)
        sums.update().vectorize(x, 8)
        columns.compute_at(line, y).vectorize(x, 8)
        columns.update().vectorize(x, 8)

    return Built([guide, image], [filtered], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((height, width), np.float32) for _ in range(2)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
