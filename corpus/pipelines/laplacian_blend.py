"""Two images blended under a mask over Laplacian pyramids of 4 levels (Burt and Adelson, 1983)."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size
from corpus.pipelines.pyramids import downsample, upsample

SIZE = (1920, 1024)
SMALL = ((64, 48), (37, 19), (5, 3))
LEVELS = 4


def build(hl: Module, size: Size) -> Built:
    x, y, c, yi = (hl.Var(n) for n in ("x", "y", "c", "yi"))
    one, two = (hl.ImageParam(hl.Float(32), 3, n) for n in ("one", "two"))
    mask = hl.ImageParam(hl.Float(32), 2, "mask")
    steps: list[tuple[Any, Any]] = []

    def pyramid(f: Any, name: str, rest: list[Any]) -> list[Any]:
        out = [f]
        for j in range(1, LEVELS):
            steps.append(downsample(hl, out[-1], f"{name}{j}", rest))
            out.append(steps[-1][1])
        return out

    edge = hl.BoundaryConditions.repeat_edge
    a, b = pyramid(edge(one), "one", [c]), pyramid(edge(two), "two", [c])
    m = pyramid(edge(mask), "mask", [])
    blended = []
    for j in range(LEVELS):
        f = hl.Func(f"blended{j}")
        values = []
        for p, name in ((a, "one"), (b, "two")):
            value = p[j][x, y, c]
            if j < LEVELS - 1:
                value = value - upsample(hl, p[j + 1], f"{name}_risen{j}", [c])[1][x, y, c]
            values.append(value)
        f[x, y, c] = hl.lerp(values[1], values[0], m[j][x, y])
        blended.append(f)
    rebuilt = [blended[-1]]
    for j in reversed(range(LEVELS - 1)):
        f = hl.Func(f"rebuilt{j}")
        f[x, y, c] = blended[j][x, y, c] + upsample(hl, rebuilt[-1], f"grown{j}", [c])[1][x, y, c]
        rebuilt.append(f)
    result = hl.Func("blend")
    result[x, y, c] = hl.clamp(rebuilt[-1][x, y, c], hl.f32(0.0), hl.f32(1.0))

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        for across, down in steps:
            down.compute_root().split(y, y, yi, 8, guard).parallel(y).vectorize(x, 16, guard)
            across.compute_at(down, yi).vectorize(x, 16, guard)
        for f in rebuilt[:-1]:
            f.compute_root().split(y, y, yi, 8, guard).parallel(y).vectorize(x, 16, guard)
        result.bound(c, 0, 3).split(y, y, yi, 8, guard).parallel(y).vectorize(x, 16, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi = hl.Var("xi")
        for across, down in steps:
            down.compute_root().gpu_tile(x, y, xi, yi, 16, 8, guard)
            if down.dimensions() == 3:
                down.gpu_blocks(c)
            across.compute_at(down, x).gpu_threads(x, y)
        for f in (*rebuilt[:-1], result.bound(c, 0, 3)):
            f.compute_root().gpu_tile(x, y, xi, yi, 32, 8, guard).gpu_blocks(c)

    return Built([one, two, mask], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    images = [rng.random((3, height, width), np.float32) for _ in range(2)]
    return [*images, rng.random((height, width), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
