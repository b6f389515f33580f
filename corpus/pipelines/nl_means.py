"""Non-local means (Buades, Coll, Morel, 2005) with separable patch distances: 7x7 patches, 7x7 search."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (614, 1024)
SMALL = ((32, 24), (37, 19), (5, 3))
PATCH, SEARCH, STRENGTH = 7, 7, 0.12


def build(hl: Module, size: Size) -> Built:
    x, y, c, dx, dy, yi = (hl.Var(n) for n in ("x", "y", "c", "dx", "dy", "yi"))
    image = hl.ImageParam(hl.Float(32), 3, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    distance, columns, patches, weight, with_alpha, total, result = (
        hl.Func(n) for n in ("distance", "columns", "patches", "weight", "with_alpha", "total", "denoised")
    )
    channels = [clamped[x, y, i] - clamped[x + dx, y + dy, i] for i in range(3)]
    distance[x, y, dx, dy] = channels[0] * channels[0] + channels[1] * channels[1] + channels[2] * channels[2]
    half = PATCH // 2
    columns[x, y, dx, dy] = sum((distance[x, y + k, dx, dy] for k in range(-half, half + 1)), hl.f32(0.0))
    patches[x, y, dx, dy] = sum((columns[x + k, y, dx, dy] for k in range(-half, half + 1)), hl.f32(0.0))
    factor = -1 / (STRENGTH * STRENGTH * PATCH * PATCH)
    weight[x, y, dx, dy] = hl.fast_exp(patches[x, y, dx, dy] * hl.f32(factor))
    with_alpha[x, y, c] = hl.select(c < 3, clamped[x, y, hl.min(c, 2)], hl.f32(1.0))
    s = hl.RDom([(-(SEARCH // 2), SEARCH), (-(SEARCH // 2), SEARCH)], "search")
    total[x, y, c] += weight[x, y, s.x, s.y] * with_alpha[x + s.x, y + s.y, c]
    result[x, y, c] = hl.clamp(total[x, y, c] / total[x, y, 3], hl.f32(0.0), hl.f32(1.0))

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        result.bound(c, 0, 3).split(y, y, yi, 16, guard).reorder(c, x, yi, y).parallel(y).vectorize(x, 8, guard)
        total.compute_at(result, yi).vectorize(x, 8, guard)
        total.bound(c, 0, 4)
        total.update().reorder(c, x, y, s.x, s.y).vectorize(x, 8, guard).unroll(c)
        weight.compute_at(total, s.x).vectorize(x, 8, guard)
        columns.compute_at(total, s.x).vectorize(x, 8, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, xii, yii = (hl.Var(n) for n in ("xi", "xii", "yii"))
        result.compute_root().bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)
        total.compute_root().bound(c, 0, 4).gpu_tile(x, y, xi, yi, 32, 8, guard)
        total.update().reorder(c, s.x, x, y, s.y).tile(x, y, xi, yi, 32, 8, guard).unroll(c)
        total.update().gpu_blocks(x, y).gpu_threads(xi, yi)
        # Weights for one row of offsets at a time; tiles that leave room for the patches' edges in whole warps.
        weight.compute_at(total, s.y).tile(x, y, xi, yi, 64 - PATCH + 1, 32 - PATCH + 1, guard)
        weight.tile(xi, yi, xii, yii, 32, 8, guard).gpu_threads(xii, yii).gpu_blocks(x, y, dx)
        for f in (columns, distance):
            f.compute_at(weight, x).tile(x, y, xi, yi, 32, 8, guard).gpu_threads(xi, yi)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((3, height, width), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
