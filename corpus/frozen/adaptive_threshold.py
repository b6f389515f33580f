"""Adaptive threshold from a summed-area table (Bradley, Roth: Adaptive Thresholding Using the Integral Image, 2007):
black is what is 15 % darker than the mean of a window an eighth as wide as the image, cut at the borders."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1600)
SMALL = ((131, 75), (99, 67))
PERCENT = 85


def build(hl: Module, size: Size) -> Built:
    x, y, xo, xi, yo, yi = (hl.Var(n) for n in ("x", "y", "xo", "xi", "yo", "yi"))
    width, height = size
    half = width // 16
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    along, table, result = hl.Func("along"), hl.Func("table"), hl.Func("result")
    # Sums over what lies left of x, and above y.
    rx, ry = hl.RDom([(0, width)], "rx"), hl.RDom([(0, height)], "ry")
    along[x, y] = hl.u32(0)
    along[rx.x + 1, y] = along[rx.x, y] + hl.u32(image[rx.x, y])
    table[x, y] = hl.u32(0)
    table[x, ry.x + 1] = table[x, ry.x] + along[x, ry.x]
    left, right = hl.max(x - half, 0), hl.min(x + half + 1, width)
    upper, lower = hl.max(y - half, 0), hl.min(y + half + 1, height)
    total = table[right, lower] - table[left, lower] - table[right, upper] + table[left, upper]
    count = hl.u32((right - left) * (lower - upper))
    dark = hl.f32(image[x, y]) * hl.f32(count) < hl.f32(total) * hl.f32(PERCENT / 100)
    result[x, y] = hl.select(dark, hl.u8(0), hl.u8(255))

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        along.compute_root().parallel(y, 16, guard).vectorize(x, 8)
        along.update().parallel(y, 16, guard)
        table.compute_root().parallel(y, 16).vectorize(x, 8)
        table.update().split(x, xo, xi, 256, guard).reorder(xi, ry.x, xo).vectorize(xi, 8).parallel(xo)
        result.split(y, yo, yi, 16).parallel(yo).vectorize(x, 8)

    return Built([image], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 256, (height, width), np.uint8)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
