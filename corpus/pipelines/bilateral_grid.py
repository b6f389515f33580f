"""Bilateral filter by the bilateral grid (Chen, Paris, Durand, 2007): a histogram per cell, blurred, then sampled."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1536)
SMALL = ((64, 48), (37, 19), (9, 8))
CELL = 8
RANGE = 0.1


def build(hl: Module, size: Size) -> Built:
    x, y, z, c = (hl.Var(n) for n in ("x", "y", "z", "c"))
    image = hl.ImageParam(hl.Float(32), 2, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    r = hl.RDom([(0, CELL), (0, CELL)], "cell")
    value = clamped[x * CELL + r.x - CELL // 2, y * CELL + r.y - CELL // 2]
    value = hl.clamp(value, hl.f32(0.0), hl.f32(1.0))
    bin_ = hl.i32(value * hl.f32(1 / RANGE) + hl.f32(0.5))
    histogram = hl.Func("histogram")
    histogram[x, y, z, c] = hl.f32(0.0)
    histogram[x, y, bin_, c] += hl.mux(c, [value, hl.f32(1.0)])

    def blur(name: str, f: Any, step: tuple[int, int, int]) -> Any:
        g = hl.Func(name)
        sx, sy, sz = step
        taps = [f[x + k * sx, y + k * sy, z + k * sz, c] for k in (-2, -1, 0, 1, 2)]
        g[x, y, z, c] = taps[0] + taps[4] + 4 * (taps[1] + taps[3]) + 6 * taps[2]
        return g

    along_z = blur("along_z", histogram, (0, 0, 1))
    along_x = blur("along_x", along_z, (1, 0, 0))
    along_y = blur("along_y", along_x, (0, 1, 0))

    level = hl.clamp(image[x, y], hl.f32(0.0), hl.f32(1.0)) * hl.f32(1 / RANGE)
    zi = hl.i32(level)
    zf = level - hl.f32(zi)
    xf, yf = hl.f32(x % CELL) / CELL, hl.f32(y % CELL) / CELL
    xg, yg = x / CELL, y / CELL
    between, filtered = hl.Func("between"), hl.Func("filtered")

    def plane(dz: int) -> Any:
        low = hl.lerp(along_y[xg, yg, zi + dz, c], along_y[xg + 1, yg, zi + dz, c], xf)
        high = hl.lerp(along_y[xg, yg + 1, zi + dz, c], along_y[xg + 1, yg + 1, zi + dz, c], xf)
        return hl.lerp(low, high, yf)

    between[x, y, c] = hl.lerp(plane(0), plane(1), zf)
    filtered[x, y] = between[x, y, 0] / between[x, y, 1]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        along_z.compute_root().reorder(c, z, x, y).parallel(y).vectorize(x, 8, guard).unroll(c)
        histogram.compute_at(along_z, y)
        histogram.vectorize(x, 8, guard)
        histogram.update().reorder(c, r.x, r.y, x, y).unroll(c)
        along_x.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, 8, guard).unroll(c)
        along_y.compute_root().reorder(c, x, y, z).parallel(z).vectorize(x, 8, guard).unroll(c)
        for f in (along_z, histogram, along_x, along_y):
            f.bound(c, 0, 2)
        filtered.parallel(y).vectorize(x, 8, guard)

    def device_schedule() -> None:
        xi, yi, zi = (hl.Var(n) for n in ("xi", "yi", "zi"))
        guard = hl.TailStrategy.GuardWithIf
        # A histogram for each of 8 by 8 cells in shared memory, of which threads then go over the bins.
        along_z.compute_root().reorder(c, z, x, y).unroll(c).gpu_tile(x, y, xi, yi, 8, 8, guard)
        histogram.compute_at(along_z, x).reorder(c, z, x, y).unroll(c).gpu_threads(x, y)
        histogram.update().reorder(c, r.x, r.y, x, y).unroll(c).gpu_threads(x, y)
        for f in (along_x, along_y):
            f.compute_root().reorder(c, x, y, z).unroll(c).gpu_tile(x, y, z, xi, yi, zi, 16, 8, 1, guard)
        for f in (along_z, histogram, along_x, along_y):
            f.bound(c, 0, 2)
        filtered.gpu_tile(x, y, xi, yi, 32, 8, guard)
        between.compute_at(filtered, xi).bound(c, 0, 2).unroll(c)

    return Built([image], [filtered], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((height, width), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
