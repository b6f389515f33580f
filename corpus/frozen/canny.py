"""Edges after Canny (A Computational Approach to Edge Detection, 1986) in integers as OpenCV has them: smoothed, Sobel
gradients, maxima along the gradient, and weak ones that touch a strong one."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1600)
SMALL = ((131, 75), (99, 67))
WEAK, STRONG = 60, 150
# tan(22.5 degrees) in units of 2^-15, as OpenCV has it.
TANGENT = 13573


def build(hl: Module, size: Size) -> Built:
    x, y, yo, yi = (hl.Var(n) for n in ("x", "y", "yo", "yi"))
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    across, smooth, gx, gy, magnitude, thin, edges = (
        hl.Func(n) for n in ("across", "smooth", "gx", "gy", "magnitude", "thin", "edges")
    )

    def binomial(a: list[Any]) -> Any:
        return a[0] + a[4] + 4 * (a[1] + a[3]) + 6 * a[2]

    across[x, y] = binomial([hl.u16(clamped[x + k, y]) for k in range(-2, 3)])
    smooth[x, y] = hl.i16((binomial([across[x, y + k] for k in range(-2, 3)]) + 128) / 256)

    def sobel(before: list[Any], after: list[Any]) -> Any:
        return (after[0] - before[0]) + 2 * (after[1] - before[1]) + (after[2] - before[2])

    gx[x, y] = sobel([smooth[x - 1, y + k] for k in (-1, 0, 1)], [smooth[x + 1, y + k] for k in (-1, 0, 1)])
    gy[x, y] = sobel([smooth[x + k, y - 1] for k in (-1, 0, 1)], [smooth[x + k, y + 1] for k in (-1, 0, 1)])
    magnitude[x, y] = hl.abs(gx[x, y]) + hl.abs(gy[x, y])
    ax, ay = hl.i32(hl.abs(gx[x, y])), hl.i32(hl.abs(gy[x, y])) << 15
    flat, steep = ay < ax * TANGENT, ay > ax * TANGENT + (ax << 16)
    falling = (gx[x, y] ^ gy[x, y]) >= 0
    here = magnitude[x, y]

    def greatest(dx: int, dy: int) -> Any:
        return (here > magnitude[x - dx, y - dy]) & (here >= magnitude[x + dx, y + dy])

    diagonal = hl.select(falling, greatest(1, 1), greatest(-1, 1))
    kept = hl.select(flat, greatest(1, 0), steep, greatest(0, 1), diagonal)
    thin[x, y] = hl.select(kept, here, hl.u16(0))
    around = thin[x, y]
    for i, j in ((i, j) for j in (-1, 0, 1) for i in (-1, 0, 1)):
        around = hl.max(around, thin[x + i, y + j])
    edge = (thin[x, y] > WEAK) & (around > STRONG)
    edges[x, y] = hl.select(edge, hl.u8(255), hl.u8(0))

    def schedule() -> None:
        edges.split(y, yo, yi, 64).parallel(yo).vectorize(x, 16)
        for f in (thin, magnitude, gx, gy, smooth, across):
            f.store_at(edges, yo).compute_at(edges, yi).vectorize(x, 16)

    return Built([image], [edges], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    coarse = rng.integers(0, 256, (-(-height // 8), -(-width // 8)), np.uint8)
    large = np.repeat(np.repeat(coarse, 8, 0), 8, 1)[:height, :width]
    return [np.ascontiguousarray(large ^ rng.integers(0, 16, (height, width), np.uint8))]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
