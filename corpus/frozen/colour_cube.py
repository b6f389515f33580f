"""Colours through a cube of 33x33x33 entries, between which it interpolates along three axes, as OpenColorIO and video
filters apply a look: pixels and entries are interleaved."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1920, 1080)
SMALL = ((131, 75), (99, 67))
EDGE = 33


def build(hl: Module, size: Size) -> Built:
    x, y, c, yo, yi = (hl.Var(n) for n in ("x", "y", "c", "yo", "yi"))
    image = hl.ImageParam(hl.UInt(8), 3, "image")
    image.dim(0).set_stride(3)
    image.dim(2).set_stride(1)
    image.dim(2).set_bounds(0, 3)
    cube = hl.ImageParam(hl.Float(32), 4, "cube")
    place, graded, result = hl.Func("place"), hl.Func("graded"), hl.Func("result")
    at = [hl.f32(image[x, y, k]) * hl.f32((EDGE - 1) / 255) for k in range(3)]
    low = [hl.clamp(hl.i32(v), 0, EDGE - 2) for v in at]
    place[x, y] = hl.Tuple([*low, *(v - hl.f32(i) for v, i in zip(at, low, strict=True))])
    r, g, b, fr, fg, fb = (place[x, y][k] for k in range(6))

    def along(dg: int, db: int) -> Any:
        return hl.lerp(cube[c, r, g + dg, b + db], cube[c, r + 1, g + dg, b + db], fr)

    def plane(db: int) -> Any:
        return hl.lerp(along(0, db), along(1, db), fg)

    graded[x, y, c] = hl.lerp(plane(0), plane(1), fb)
    result[x, y, c] = hl.u8(hl.clamp(graded[x, y, c] * 255 + hl.f32(0.5), hl.f32(0.0), hl.f32(255.0)))

    def schedule() -> None:
        result.bound(c, 0, 3).reorder(c, x, y).split(y, yo, yi, 8).parallel(yo).vectorize(x, 8).unroll(c)
        place.compute_at(result, x).vectorize(x, 8)

    return Built([image, cube], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    pixels = rng.integers(0, 256, (height, width, 3), np.uint8).transpose(2, 0, 1)
    return [pixels, rng.random((EDGE, EDGE, EDGE, 3), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
