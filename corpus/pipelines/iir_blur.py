"""Recursive (infinite impulse response) blur: a filter down and up along columns, twice with a transpose between."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 2560)
SMALL = ((64, 48), (37, 19), (5, 3))
ALPHA = 0.1


def build(hl: Module, size: Size) -> Built:
    image = hl.ImageParam(hl.Float(32), 3, "input")
    steps: list[tuple[Any, Any]] = []

    def columns(f: Any, name: str, width: int, height: int) -> Any:
        """f filtered along y, transposed."""
        x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
        g, turned = hl.Func(name), hl.Func(f"{name}_turned")
        g[x, y, c] = hl.undef(hl.Float(32))
        g[x, 0, c] = f[x, 0, c]
        down = hl.RDom([(1, height - 1)], f"{name}_down")
        g[x, down.x, c] = (1 - hl.f32(ALPHA)) * g[x, down.x - 1, c] + hl.f32(ALPHA) * f[x, down.x, c]
        row = height - 2 - hl.RDom([(0, height - 1)], f"{name}_up").x
        g[x, row, c] = (1 - hl.f32(ALPHA)) * g[x, row + 1, c] + hl.f32(ALPHA) * g[x, row, c]
        turned[x, y, c] = g[y, x, c]
        steps.append((g, turned))
        return turned

    first = columns(image, "first", *size)
    result = columns(first, "second", size[1], size[0])
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        for g, turned in steps:
            yo, yi, xo, xi = (hl.Var(n) for n in ("yo", "yi", "xo", "xi"))
            turned.compute_root().split(y, yo, yi, 16, guard).split(x, xo, xi, 16, guard)
            turned.reorder(xi, yi, xo, yo, c).vectorize(xi).parallel(yo).parallel(c)
            g.compute_at(turned, yo)
            for k in range(1, 4):
                update = g.update(k - 1)
                if k > 1:
                    update.reorder(x, rvars(g, k - 1), c)
                update.vectorize(x, 16, guard)

    def rvars(g: Any, k: int) -> Any:
        return g.rvars(k)[0]

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        for g, turned in steps:
            xi, yi = hl.Var("xi"), hl.Var("yi")
            x, y, c = turned.args()
            turned.compute_root().tile(x, y, xi, yi, 32, 32, guard).gpu_blocks(y, c).gpu_lanes(xi)
            # A warp filters 32 columns, which are too long for shared memory.
            column = g.args()[0]
            g.compute_at(turned, y).store_in(hl.MemoryType.Heap).gpu_lanes(column)
            for k in range(3):
                g.update(k).gpu_lanes(column)
            for k in (1, 2):
                g.update(k).unroll(rvars(g, k), 8, guard)
            # 33 apart, so that the lanes' strided loads are of as many banks.
            staged = g.in_()
            column = staged.args()[0]
            staged.compute_at(turned, x).align_storage(column, 33).gpu_lanes(column)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.random((3, height, width), np.float32)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
