"""An image resampled by cubic convolution (Keys, 1981), the kernel as wide as the reduction asks, as Pillow does it:
down the columns first, then along the rows; interleaved pixels, reduced to 5/8."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1280, 960)
SMALL = ((131, 75), (99, 67))
SCALE, SHARPNESS = 1.6, -0.5
SUPPORT = 2 * SCALE
TAPS = 8


def build(hl: Module, size: Size) -> Built:
    x, y, c, k, yo, yi = (hl.Var(n) for n in ("x", "y", "c", "k", "yo", "yi"))
    image = hl.ImageParam(hl.UInt(8), 3, "image")
    image.dim(0).set_stride(3)
    image.dim(2).set_stride(1)
    image.dim(2).set_bounds(0, 3)
    clamped = hl.BoundaryConditions.repeat_edge(image, [tuple(n) for n in _source(size)])

    def centre(v: Any) -> Any:
        return (hl.f32(v) + hl.f32(0.5)) * hl.f32(SCALE) - hl.f32(0.5)

    def first(v: Any) -> Any:
        return hl.i32(hl.ceil(centre(v) - hl.f32(SUPPORT)))

    def cubic(t: Any) -> Any:
        a, t = hl.f32(SHARPNESS), hl.abs(t)
        near = ((a + 2) * t - (a + 3)) * t * t + 1
        far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
        return hl.select(t < 1, near, t < 2, far, hl.f32(0.0))

    raw, weights = hl.Func("raw"), hl.Func("weights")
    raw[x, k] = cubic((hl.f32(first(x) + k) - centre(x)) * hl.f32(1 / SCALE))
    weights[x, k] = raw[x, k] / sum((raw[x, j] for j in range(1, TAPS)), raw[x, 0])
    taps = hl.RDom([(0, TAPS)], "taps")
    columns, both, resized = hl.Func("columns"), hl.Func("both"), hl.Func("resized")
    columns[x, y, c] += weights[y, taps.x] * hl.f32(clamped[x, first(y) + taps.x, c])
    both[x, y, c] += weights[x, taps.x] * columns[first(x) + taps.x, y, c]
    resized[x, y, c] = hl.u8(hl.clamp(both[x, y, c] + hl.f32(0.5), hl.f32(0.0), hl.f32(255.0)))

    def schedule() -> None:
        weights.compute_root().vectorize(x, 8)
        resized.bound(c, 0, 3).split(y, yo, yi, 16).reorder(x, c, yi, yo).parallel(yo).vectorize(x, 8)
        both.compute_at(resized, x).vectorize(x, 8)
        both.update().vectorize(x, 8).unroll(taps.x)
        columns.compute_at(resized, yi).bound(c, 0, 3).reorder(c, x, y).vectorize(x, 8).unroll(c)
        columns.update().reorder(taps.x, c, x, y).vectorize(x, 8).unroll(c).unroll(taps.x)

    return Built([image], [resized], schedule)


def _source(size: Size) -> list[tuple[int, int]]:
    return [(0, round(n * SCALE)) for n in size] + [(0, 3)]


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    (_, width), (_, height), _ = _source(size)
    return [rng.integers(0, 256, (height, width, 3), np.uint8).transpose(2, 0, 1)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
