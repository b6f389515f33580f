"""A chain of 32 stencils of 5x5 taps, each over the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 2560)
SMALL = ((64, 48), (37, 19), (5, 3))
STAGES = 32


def build(hl: Module, size: Size) -> Built:
    x, y, xo, yo = (hl.Var(n) for n in ("x", "y", "xo", "yo"))
    image = hl.ImageParam(hl.UInt(16), 2, "input")
    chain = [hl.BoundaryConditions.repeat_edge(image)]
    for k in range(STAGES):
        f = hl.Func(f"stencil{k}")
        taps = [chain[-1][x + i, y + j] * hl.u16((i + 3) * (j + 3)) for j in range(-2, 3) for i in range(-2, 3)]
        total = taps[0]
        for t in taps[1:]:
            total = total + t
        f[x, y] = total
        chain.append(f)
    result = chain[-1]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        result.split(y, yo, y, 64, guard).split(x, xo, x, 512, guard).reorder(x, y, xo, yo).parallel(yo)
        result.vectorize(x, 32, guard)
        for k, f in enumerate(chain[1:-1], 1):
            if k % 8 == 0:
                f.compute_root().split(y, yo, y, 64, guard).parallel(yo).vectorize(x, 32, guard)
            else:
                last = chain[min((k // 8 + 1) * 8, STAGES)]
                f.store_at(last, yo).compute_at(last, y).vectorize(x, 32, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, yi = hl.Var("xi"), hl.Var("yi")
        for k, f in enumerate(chain[1:], 1):
            if k % 2 == 0 or f is result:
                f.compute_root().gpu_tile(x, y, xi, yi, 32, 16, guard)
            else:
                f.compute_at(chain[k + 1], x).tile(x, y, xi, yi, 32, 16, guard).gpu_threads(xi, yi)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 1 << 16, (height, width), np.uint16)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
