"""Haze removal by the dark channel prior (He, Sun, Tang: Single Image Haze Removal, 2009), without its matting: the
air's light where the least of channels and window is greatest, and what passes from the least of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1600, 1200)
SMALL = ((131, 75), (99, 67))
RADIUS, KEPT, LEAST = 7, 0.95, 0.1


def build(hl: Module, size: Size) -> Built:
    x, y, c, yo, yi = (hl.Var(n) for n in ("x", "y", "c", "yo", "yi"))
    image = hl.ImageParam(hl.UInt(8), 3, "image")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    window = hl.RDom([(-RADIUS, 2 * RADIUS + 1)], "window")

    def least(name: str, f: Any) -> tuple[Any, Any]:
        """(minima of columns, minima of windows) of f."""
        columns, both = hl.Func(f"{name}_columns"), hl.Func(name)
        columns[x, y] = hl.minimum(f[x, y + window.x])
        both[x, y] = hl.minimum(columns[x + window.x, y])
        return columns, both

    darkest, row_best, best, light, share, result = (
        hl.Func(n) for n in ("darkest", "row_best", "best", "light", "share", "dehazed")
    )
    darkest[x, y] = hl.min(clamped[x, y, 0], hl.min(clamped[x, y, 1], clamped[x, y, 2]))
    dark_columns, dark = least("dark", darkest)
    rx, ry = hl.RDom([(0, size[0])], "rx"), hl.RDom([(0, size[1])], "ry")
    row_best[y] = hl.Tuple([hl.i32(0), hl.u8(0)])
    more = dark[rx.x, y] > row_best[y][1]
    row_best[y] = hl.Tuple([hl.select(more, rx.x, row_best[y][0]), hl.select(more, dark[rx.x, y], row_best[y][1])])
    best[()] = hl.Tuple([hl.i32(0), hl.i32(0), hl.u8(0)])
    more = row_best[ry.x][1] > best[()][2]
    found = [row_best[ry.x][0], ry.x, row_best[ry.x][1]]
    best[()] = hl.Tuple([hl.select(more, new, best[()][k]) for k, new in enumerate(found)])
    at = [hl.clamp(best[()][k], 0, size[k] - 1) for k in range(2)]
    light[c] = hl.max(hl.f32(image[at[0], at[1], c]), hl.f32(1.0))
    shares = [hl.f32(clamped[x, y, k]) / light[k] for k in range(3)]
    share[x, y] = hl.min(shares[0], hl.min(shares[1], shares[2]))
    share_columns, haze = least("haze", share)
    passed = hl.max(hl.f32(1.0) - hl.f32(KEPT) * haze[x, y], hl.f32(LEAST))
    clear = (hl.f32(image[x, y, c]) - light[c]) / passed + light[c]
    result[x, y, c] = hl.u8(hl.clamp(clear + hl.f32(0.5), hl.f32(0.0), hl.f32(255.0)))

    def schedule() -> None:
        dark.compute_root().split(y, yo, yi, 32).parallel(yo).vectorize(x, 32)
        dark_columns.compute_at(dark, yi).vectorize(x, 32)
        darkest.store_at(dark, yo).compute_at(dark, yi).vectorize(x, 32)
        row_best.compute_root().parallel(y, 16)
        row_best.update().parallel(y, 16)
        best.compute_root()
        light.compute_root()
        result.bound(c, 0, 3).split(y, yo, yi, 32).reorder(x, c, yi, yo).parallel(yo).vectorize(x, 8).unroll(c)
        haze.compute_at(result, yi).vectorize(x, 8)
        share_columns.compute_at(result, yi).vectorize(x, 8)
        share.store_at(result, yo).compute_at(result, yi).vectorize(x, 8)

    return Built([image], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(90, 256, (3, height, width), np.uint8)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
