"""Local Laplacian filter (Paris, Hasinoff, Kautz, 2011): 8 levels, 8 bins of intensity, about 100 stages."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size
from corpus.pipelines.pyramids import downsample, upsample

SIZE = (1536, 2560)
SMALL = ((64, 48), (37, 19), (130, 5))
LEVELS, BINS = 8, 8
ALPHA, BETA = 1 / 7, 1.0


def build(hl: Module, size: Size) -> Built:
    x, y, c, k = (hl.Var(n) for n in ("x", "y", "c", "k"))
    image = hl.ImageParam(hl.UInt(16), 3, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    remap, scaled, grey, first = (hl.Func(n) for n in ("remap", "scaled", "grey", "g0"))
    detail = hl.f32(x) / 256
    remap[x] = hl.f32(ALPHA) * detail * hl.exp(-detail * detail / 2)
    scaled[x, y, c] = hl.f32(clamped[x, y, c]) / 65535
    grey[x, y] = hl.f32(0.299) * scaled[x, y, 0] + hl.f32(0.587) * scaled[x, y, 1] + hl.f32(0.114) * scaled[x, y, 2]
    level = hl.f32(k) / (BINS - 1)
    index = hl.clamp(hl.i32(grey[x, y] * ((BINS - 1) * 256)), 0, (BINS - 1) * 256)
    first[x, y, k] = hl.f32(BETA) * (grey[x, y] - level) + level + remap[index - 256 * k]
    bins, own, steps = [first], [grey], []
    for j in range(1, LEVELS):
        for pyramid, name, rest in ((bins, "g", [k]), (own, "grey", [])):
            across, down = downsample(hl, pyramid[-1], f"{name}{j}", rest)
            pyramid.append(down)
            steps.append((across, down))
    laplacian = [bins[-1]] * LEVELS
    for j in range(LEVELS - 1):
        _, up = upsample(hl, bins[j + 1], f"risen{j}", [k])
        laplacian[j] = hl.Func(f"l{j}")
        laplacian[j][x, y, k] = bins[j][x, y, k] - up[x, y, k]
    chosen, rebuilt = [], []
    for j in range(LEVELS):
        position = own[j][x, y] * (BINS - 1)
        low = hl.clamp(hl.i32(position), 0, BINS - 2)
        weight = position - hl.f32(low)
        f = hl.Func(f"chosen{j}")
        f[x, y] = (hl.f32(1.0) - weight) * laplacian[j][x, y, low] + weight * laplacian[j][x, y, low + 1]
        chosen.append(f)
        rebuilt.append(hl.Func(f"rebuilt{j}"))
    rebuilt[-1][x, y] = chosen[-1][x, y]
    for j in reversed(range(LEVELS - 1)):
        _, up = upsample(hl, rebuilt[j + 1], f"grown{j}", [])
        rebuilt[j][x, y] = up[x, y] + chosen[j][x, y]
    coloured, result = hl.Func("coloured"), hl.Func("filtered")
    eps = hl.f32(0.01)
    coloured[x, y, c] = rebuilt[0][x, y] * (scaled[x, y, c] + eps) / (grey[x, y] + eps)
    result[x, y, c] = hl.u16(hl.clamp(coloured[x, y, c], hl.f32(0.0), hl.f32(1.0)) * 65535)

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        remap.compute_root()
        result.bound(c, 0, 3).reorder(c, x, y).parallel(y, 16, guard).vectorize(x, 16, guard).unroll(c)
        grey.compute_root().parallel(y, 32, guard).vectorize(x, 16, guard)
        for across, down in steps:
            down.compute_root().vectorize(x, 16, guard)
            if down.dimensions() == 3:
                down.parallel(k)
            across.compute_at(down, y).vectorize(x, 16, guard)
        for f in rebuilt[1:]:
            f.compute_root().parallel(y, 8, guard).vectorize(x, 16, guard)
        rebuilt[0].compute_at(result, y).vectorize(x, 16, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, yi, ki = (hl.Var(n) for n in ("xi", "yi", "ki"))
        remap.compute_root().gpu_tile(x, xi, 128, guard)
        grey.compute_root().gpu_tile(x, y, xi, yi, 16, 8, guard)
        for across, down in steps:
            down.compute_root()
            if down.dimensions() == 3:
                # One thread has all bins of a pixel.
                down.bound(k, 0, BINS).gpu_tile(x, y, k, xi, yi, ki, 16, 4, 1, guard)
                across.compute_at(down, x).gpu_threads(x, y)
            else:
                down.gpu_tile(x, y, xi, yi, 16, 8, guard)
                across.compute_at(down, x).gpu_threads(x, y)
        for f in rebuilt[1:]:
            f.compute_root().gpu_tile(x, y, xi, yi, 16, 8, guard)
        result.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)
        rebuilt[0].compute_at(result, xi)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 1 << 16, (3, height, width), np.uint16)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
