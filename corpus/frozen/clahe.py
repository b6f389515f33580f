"""Contrast limited adaptive histogram equalisation (Zuiderveld, Graphics Gems IV, 1994) as OpenCV lays it out: curves
of 8x8 tiles from their clipped histograms, and between four tiles a mixture of their curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1920, 1080)
SMALL = ((131, 75), (99, 67))
TILES, LIMIT = 8, 4.0


def build(hl: Module, size: Size) -> Built:
    x, y, i, tx, ty, t, yo, yi = (hl.Var(n) for n in ("x", "y", "i", "tx", "ty", "t", "yo", "yi"))
    width, height = (-(-n // TILES) for n in size)
    limit = max(int(LIMIT * width * height / 256), 1)
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    mirrored = hl.BoundaryConditions.mirror_interior(image)
    histogram, excess, clipped, cumulated, curve, result = (
        hl.Func(n) for n in ("histogram", "excess", "clipped", "cumulated", "curve", "equalized")
    )
    r = hl.RDom([(0, width), (0, height)], "r")
    histogram[i, tx, ty] = hl.i32(0)
    histogram[hl.i32(mirrored[tx * width + r.x, ty * height + r.y]), tx, ty] += 1
    k = hl.RDom([(0, 256)], "k")
    excess[tx, ty] += hl.max(histogram[k.x, tx, ty] - limit, 0)
    clipped[i, tx, ty] = hl.min(histogram[i, tx, ty], limit) + excess[tx, ty] / 256
    s = hl.RDom([(1, 255)], "s")
    cumulated[i, tx, ty] = clipped[i, tx, ty]
    cumulated[s.x, tx, ty] += cumulated[s.x - 1, tx, ty]
    level = hl.f32(cumulated[i, tx, ty]) * hl.f32(255 / (width * height))
    curve[i, tx, ty] = hl.u8(hl.min(level + hl.f32(0.5), hl.f32(255.0)))

    def between(v: Any, n: int) -> tuple[Any, Any, Any]:
        """The tiles on both sides of a coordinate, and how far it is towards the second."""
        at = (hl.f32(v) + hl.f32(0.5)) * hl.f32(1 / n) - hl.f32(0.5)
        low = hl.i32(hl.floor(at))
        return hl.clamp(low, 0, TILES - 1), hl.clamp(low + 1, 0, TILES - 1), at - hl.f32(low)

    (left, right, fx), (upper, lower, fy) = between(x, width), between(y, height)
    value = hl.i32(image[x, y])
    above, below = (
        hl.lerp(hl.f32(curve[value, left, row]), hl.f32(curve[value, right, row]), fx) for row in (upper, lower)
    )
    result[x, y] = hl.u8(hl.lerp(above, below, fy) + hl.f32(0.5))

    def schedule() -> None:
        curve.compute_root().fuse(tx, ty, t).parallel(t).vectorize(i, 8)
        for f in (histogram, cumulated, excess):
            f.compute_at(curve, t)
        histogram.vectorize(i, 8)
        cumulated.vectorize(i, 8)
        result.split(y, yo, yi, 16).parallel(yo).vectorize(x, 8)

    return Built([image], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    one, two = (rng.integers(0, 256, (height, width), np.uint8) for _ in range(2))
    return [np.minimum(one, two)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
