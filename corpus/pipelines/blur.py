"""Two-stage 3x3 box blur (Halide paper, figure 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (6400, 4800)
SMALL = ((64, 48), (131, 67), (33, 1))


def build(hl: Module, size: Size) -> Built:
    x, y, yi = hl.Var("x"), hl.Var("y"), hl.Var("yi")
    image = hl.ImageParam(hl.UInt(16), 2, "input")
    rows, blurred = hl.Func("rows"), hl.Func("blurred")
    rows[x, y] = (image[x, y] + image[x + 1, y] + image[x + 2, y]) / 3
    blurred[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3

    def schedule() -> None:
        blurred.split(y, y, yi, 32, hl.TailStrategy.GuardWithIf).parallel(y)
        blurred.vectorize(x, 32, hl.TailStrategy.GuardWithIf)
        rows.store_at(blurred, y).compute_at(blurred, yi).vectorize(x, 32, hl.TailStrategy.GuardWithIf)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi = hl.Var("xi")
        blurred.gpu_tile(x, y, xi, yi, 32, 8, guard)
        rows.compute_at(blurred, x).gpu_threads(x, y)

    return Built([image], [blurred], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 1 << 12, (height + 2, width + 2), np.uint16)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
