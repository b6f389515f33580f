"""Harris corner detection (Harris and Stephens, 1988) on a colour image."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1920, 1024)
SMALL = ((64, 48), (37, 19), (3, 1))


def build(hl: Module, size: Size) -> Built:
    x, y, yi = (hl.Var(n) for n in ("x", "y", "yi"))
    image = hl.ImageParam(hl.Float(32), 3, "input")
    grey, dx, dy, corners = (hl.Func(n) for n in ("grey", "dx", "dy", "corners"))
    grey[x, y] = hl.f32(0.299) * image[x, y, 0] + hl.f32(0.587) * image[x, y, 1] + hl.f32(0.114) * image[x, y, 2]

    def difference(f: Any, along: tuple[int, int]) -> Any:
        (ax, ay), (bx, by) = along, along[::-1]
        terms = [w * (f[x + ax + k * bx, y + ay + k * by] - f[x - ax + k * bx, y - ay + k * by])
                 for w, k in ((1, -1), (2, 0), (1, 1))]
        return (terms[0] + terms[1] + terms[2]) * hl.f32(1 / 12)

    dx[x, y] = difference(grey, (1, 0))
    dy[x, y] = difference(grey, (0, 1))

    def window(name: str, value: Any) -> Any:
        product, total = hl.Func(name), hl.Func(f"{name}_sum")
        product[x, y] = value
        total[x, y] = sum((product[x + i, y + j] for j in (-1, 0, 1) for i in (-1, 0, 1)), hl.f32(0.0))
        return total

    xx, yy = window("xx", dx[x, y] * dx[x, y]), window("yy", dy[x, y] * dy[x, y])
    xy = window("xy", dx[x, y] * dy[x, y])
    trace = xx[x + 2, y + 2] + yy[x + 2, y + 2]
    determinant = xx[x + 2, y + 2] * yy[x + 2, y + 2] - xy[x + 2, y + 2] * xy[x + 2, y + 2]
    corners[x, y] = determinant - hl.f32(0.04) * trace * trace

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        corners.split(y, y, yi, 32, guard).parallel(y).vectorize(x, 16, guard)
        grey.store_at(corners, y).compute_at(corners, yi).vectorize(x, 16, guard)
        for f in (dx, dy):
            f.store_at(corners, y).compute_at(corners, yi).vectorize(x, 16, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi = hl.Var("xi")
        corners.gpu_tile(x, y, xi, yi, 30, 14, guard)
        for f in (grey, dx, dy):
            f.compute_at(corners, x).gpu_threads(x, y)

    return Built([image], [corners], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((3, height + 4, width + 4), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
