"""Disparities of a stereo pair by the census transform (Zabih, Woodfill: Non-parametric Local Transforms, 1994): bits
of 5x5 comparisons, their Hamming distances summed over 7x7 windows, and the disparity that has the least."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1280, 800)
SMALL = ((131, 75), (99, 67))
DISPARITIES = 32


def build(hl: Module, size: Size) -> Built:
    x, y, d, yo, yi = (hl.Var(n) for n in ("x", "y", "d", "yo", "yi"))
    images = [hl.ImageParam(hl.UInt(8), 2, n) for n in ("left", "right")]

    def census(image: Any, name: str) -> Any:
        f, bits = hl.BoundaryConditions.constant_exterior(image, hl.u8(0)), hl.Func(name)
        around = [(i, j) for j in range(-2, 3) for i in range(-2, 3) if (i, j) != (0, 0)]
        value = hl.u32(0)
        for k, (i, j) in enumerate(around):
            value = value | hl.select(f[x + i, y + j] < f[x, y], hl.u32(1 << k), hl.u32(0))
        bits[x, y] = value
        return bits

    left, right = (census(f, n) for f, n in zip(images, ("left_census", "right_census"), strict=True))
    cost, columns, total, best, disparity = (hl.Func(n) for n in ("cost", "columns", "total", "best", "disparity"))
    cost[x, y, d] = hl.u8(hl.popcount(left[x, y] ^ right[x - d, y]))
    columns[x, y, d] = sum((hl.u16(cost[x, y + k, d]) for k in range(-2, 4)), hl.u16(cost[x, y - 3, d]))
    total[x, y, d] = sum((columns[x + k, y, d] for k in range(-2, 4)), columns[x - 3, y, d])
    r = hl.RDom([(0, DISPARITIES)], "r")
    best[x, y] = hl.Tuple([hl.u8(0), hl.u16(65535)])
    less = total[x, y, r.x] < best[x, y][1]
    best[x, y] = hl.Tuple([
        hl.select(less, hl.u8(r.x), best[x, y][0]), hl.select(less, total[x, y, r.x], best[x, y][1]),
    ])
    disparity[x, y] = best[x, y][0]

    def schedule() -> None:
        for f in (left, right):
            f.compute_root().parallel(y, 16).vectorize(x, 16)
        disparity.split(y, yo, yi, 16).parallel(yo).vectorize(x, 16)
        best.compute_at(disparity, yo).vectorize(x, 16)
        best.update().reorder(x, y, r.x).vectorize(x, 16)
        cost.compute_at(best, r.x).vectorize(x, 16)
        columns.compute_at(best, y).vectorize(x, 16)

    return Built(images, [disparity], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    scene = rng.integers(0, 256, (height, width + DISPARITIES), np.uint8)
    return [np.ascontiguousarray(scene[:, :width]), np.ascontiguousarray(scene[:, 9:width + 9])]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
