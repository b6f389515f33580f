"""Unsharp mask of a colour image: local contrast raised by the difference from a 7x7 Gaussian."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1536)
SMALL = ((64, 48), (37, 19), (5, 3))
SIGMA = 1.5


def build(hl: Module, size: Size) -> Built:
    x, y, c, yi = (hl.Var(n) for n in ("x", "y", "c", "yi"))
    image = hl.ImageParam(hl.Float(32), 3, "input")
    weights = [math.exp(-k * k / (2 * SIGMA * SIGMA)) for k in range(4)]
    total = weights[0] + 2 * sum(weights[1:])
    kernel = [hl.f32(w / total) for w in weights]
    clamped = hl.BoundaryConditions.repeat_edge(image)
    grey, columns, blurred, ratio, sharp = (hl.Func(n) for n in ("grey", "columns", "blurred", "ratio", "sharp"))
    grey[x, y] = hl.f32(0.299) * clamped[x, y, 0] + hl.f32(0.587) * clamped[x, y, 1] + hl.f32(0.114) * clamped[x, y, 2]
    columns[x, y] = kernel[0] * grey[x, y] + sum(
        (kernel[k] * (grey[x, y - k] + grey[x, y + k]) for k in (1, 2, 3)), hl.f32(0.0)
    )
    blurred[x, y] = kernel[0] * columns[x, y] + sum(
        (kernel[k] * (columns[x - k, y] + columns[x + k, y]) for k in (1, 2, 3)), hl.f32(0.0)
    )
    ratio[x, y] = (2 * grey[x, y] - blurred[x, y]) / grey[x, y]
    sharp[x, y, c] = ratio[x, y] * image[x, y, c]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        sharp.bound(c, 0, 3).reorder(c, x, y).split(y, y, yi, 32, guard).parallel(y).vectorize(x, 16, guard).unroll(c)
        grey.store_at(sharp, y).compute_at(sharp, yi).vectorize(x, 16, guard)
        columns.store_at(sharp, y).compute_at(sharp, yi).vectorize(x, 16, guard)
        ratio.store_at(sharp, y).compute_at(sharp, yi).vectorize(x, 16, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi = hl.Var("xi")
        sharp.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)
        for f in (grey, columns):
            f.compute_at(sharp, x).gpu_threads(x, y)
        ratio.compute_at(sharp, xi)

    return Built([image], [sharp], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((3, height, width), np.float32) * np.float32(0.9) + np.float32(0.1)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
