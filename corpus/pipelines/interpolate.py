"""Interpolation of scattered pixels over an image pyramid: alpha says how far a pixel is known (pull-push)."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 2560)
SMALL = ((64, 48), (37, 19), (130, 5))
LEVELS = 10


def build(hl: Module, size: Size) -> Built:
    x, y, c, yi = (hl.Var(n) for n in ("x", "y", "c", "yi"))
    image = hl.ImageParam(hl.Float(32), 3, "input")
    clamped = hl.BoundaryConditions.repeat_edge(image, [(0, size[0]), (0, size[1]), (0, 4)])
    names = ("down", "across", "up", "widened")
    down, across, up, widened = ([hl.Func(f"{n}{k}") for k in range(LEVELS)] for n in names)
    down[0][x, y, c] = hl.select(c < 3, clamped[x, y, c] * clamped[x, y, 3], clamped[x, y, 3])
    for k in range(1, LEVELS):
        fine = down[k - 1]
        if k == 5:
            # A boundary halfway, lest the region read grows with every level.
            w, h = size[0] >> (k - 1), size[1] >> (k - 1)
            edge = hl.Func("edge")
            edge[x, y, c] = fine[hl.clamp(x, 0, max(w, 1)), hl.clamp(y, 0, max(h, 1)), c]
            fine = edge
        across[k][x, y, c] = (fine[2 * x - 1, y, c] + 2 * fine[2 * x, y, c] + fine[2 * x + 1, y, c]) * hl.f32(0.25)
        row = across[k]
        down[k][x, y, c] = (row[x, 2 * y - 1, c] + 2 * row[x, 2 * y, c] + row[x, 2 * y + 1, c]) * hl.f32(0.25)
    up[LEVELS - 1][x, y, c] = down[LEVELS - 1][x, y, c]
    for k in reversed(range(LEVELS - 1)):
        coarse = up[k + 1]
        widened[k][x, y, c] = (coarse[x / 2, y, c] + coarse[(x + 1) / 2, y, c]) * hl.f32(0.5)
        risen = (widened[k][x, y / 2, c] + widened[k][x, (y + 1) / 2, c]) * hl.f32(0.5)
        alpha = hl.f32(1.0) - down[k][x, y, 3]
        up[k][x, y, c] = down[k][x, y, c] + alpha * risen
    filled = hl.Func("filled")
    filled[x, y, c] = up[0][x, y, c] / up[0][x, y, 3]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        for k in range(1, LEVELS - 1):
            down[k].compute_root().vectorize(x, 8, guard)
            across[k].compute_at(down[k], y).vectorize(x, 8, guard)
            if k < 5:
                down[k].parallel(y)
                up[k].parallel(y)
            up[k].compute_root().vectorize(x, 8, guard)
        down[LEVELS - 1].compute_root()
        down[0].compute_root().parallel(y).vectorize(x, 8, guard)
        filled.bound(c, 0, 3).split(y, y, yi, 8, guard).reorder(c, x, yi, y).parallel(y).vectorize(x, 8, guard)
        filled.unroll(c)
        up[0].compute_at(filled, yi).vectorize(x, 8, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, ci = hl.Var("xi"), hl.Var("ci")
        for k in range(1, LEVELS):
            down[k].compute_root().gpu_tile(x, y, c, xi, yi, ci, 16, 8, 1, guard)
            across[k].compute_at(down[k], x).gpu_threads(x, y)
        down[0].compute_root().bound(c, 0, 4).gpu_tile(x, y, c, xi, yi, ci, 32, 4, 2, guard)
        for k in range(1, LEVELS - 1):
            up[k].compute_root().gpu_tile(x, y, c, xi, yi, ci, 16, 8, 1, guard)
        filled.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)
        up[0].compute_at(filled, xi).unroll(c)

    return Built([image], [filled], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((4, height, width), np.float32) * np.float32(0.75) + np.float32(0.25)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
