"""Brightest value within a disc: a table of vertical maxima over 1, 2, 4... rows, then a maximum over columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1920, 1024)
SMALL = ((64, 48), (37, 19), (5, 3))
RADIUS = 26


def build(hl: Module, size: Size) -> Built:
    x, y, c, t, dx, yi = (hl.Var(n) for n in ("x", "y", "c", "t", "dx", "yi"))
    image = hl.ImageParam(hl.Float(32), 3, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image, [(0, size[0]), (0, size[1])])
    slices = math.ceil(math.log2(RADIUS)) + 1
    vertical, heights, logs, columns, result = (
        hl.Func(n) for n in ("vertical", "heights", "logs", "columns", "brightest")
    )
    # vertical[.., t]: over rows y .. y + 2^t - 1.
    vertical[x, y, c, t] = clamped[x, y, c]
    r = hl.RDom([(-RADIUS, size[1] + RADIUS), (1, slices - 1)], "r")
    vertical[x, r.x, c, r.y] = hl.max(
        vertical[x, r.x, c, r.y - 1],
        vertical[x, r.x + hl.clamp(hl.i32(1) << hl.u32(r.y - 1), 0, RADIUS * 2), c, r.y - 1],
    )
    # Half the height of the disc at a column, and the largest power of two within the whole.
    heights[dx] = hl.i32(hl.floor(hl.sqrt(hl.f32((2 * RADIUS + 1) * (2 * RADIUS + 1)) / 4 - hl.f32(dx * dx))))
    logs[t] = hl.i32(31) - hl.i32(hl.count_leading_zeros(hl.max(t, 1)))
    height = hl.clamp(heights[dx], 0, RADIUS)
    log = hl.clamp(logs[2 * height + 1], 0, slices - 1)
    below = hl.clamp(height + 1 - (hl.i32(1) << hl.u32(log)), -RADIUS, RADIUS)
    columns[x, y, c, dx] = hl.max(vertical[x, y - height, c, log], vertical[x, y + below, c, log])
    d = hl.RDom([(-RADIUS, 2 * RADIUS + 1)], "d")
    result[x, y, c] = hl.maximum(columns[x + d.x, y, c, d.x])

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        result.parallel(c).vectorize(x, 16, guard).split(y, y, yi, 4, guard).reorder(x, yi, y, c)
        heights.compute_root()
        logs.compute_root()
        vertical.compute_at(result, c).vectorize(x, 16, guard)
        vertical.update().reorder(x, r.x, r.y).vectorize(x, 16, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, xo = hl.Var("xi"), hl.Var("xo")
        for table in (heights, logs):
            table.compute_root().gpu_tile(table.args()[0], xi, 32, guard)
        result.gpu_tile(x, y, xi, yi, 32, 8, guard).gpu_blocks(c)
        vertical.compute_root().reorder(c, t, x, y).gpu_tile(x, y, xi, yi, 16, 16, guard)
        # The rows of a column in turn, each from rows of the slice before.
        vertical.update().split(x, xo, xi, 32, guard).reorder(r.x, r.y, xi, xo, c).gpu_blocks(xo, c).gpu_threads(xi)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((3, height, width), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
