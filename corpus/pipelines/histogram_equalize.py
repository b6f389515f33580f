"""Histogram equalisation of the luma of a colour image (full-range BT.601 YCrCb)."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 2560)
SMALL = ((64, 48), (37, 19), (1, 3))


def build(hl: Module, size: Size) -> Built:
    x, y, c, i, yi = (hl.Var(n) for n in ("x", "y", "c", "i", "yi"))
    width, height = size
    image = hl.ImageParam(hl.UInt(8), 3, "input")
    luma, cr, cb, histogram, cumulated, equal, result = (
        hl.Func(n) for n in ("luma", "cr", "cb", "histogram", "cumulated", "equal", "equalized")
    )
    red, green, blue = (hl.f32(image[x, y, k]) for k in range(3))
    luma[x, y] = hl.f32(0.299) * red + hl.f32(0.587) * green + hl.f32(0.114) * blue
    cr[x, y] = (red - luma[x, y]) * hl.f32(0.713) + 128
    cb[x, y] = (blue - luma[x, y]) * hl.f32(0.564) + 128
    r = hl.RDom([(0, width), (0, height)], "r")
    histogram[i] = hl.i32(0)
    histogram[hl.clamp(hl.i32(luma[r.x, r.y]), 0, 255)] += 1
    cumulated[i] = histogram[0]
    s = hl.RDom([(1, 255)], "s")
    cumulated[s.x] = cumulated[s.x - 1] + histogram[s.x]
    rank = cumulated[hl.clamp(hl.i32(luma[x, y]), 0, 255)]
    equal[x, y] = hl.clamp(hl.f32(rank) * hl.f32(255 / (width * height)), hl.f32(0.0), hl.f32(255.0))
    out = [
        equal[x, y] + (cr[x, y] - 128) * hl.f32(1.4),
        equal[x, y] - hl.f32(0.343) * (cb[x, y] - 128) - hl.f32(0.711) * (cr[x, y] - 128),
        equal[x, y] + hl.f32(1.765) * (cb[x, y] - 128),
    ]
    result[x, y, c] = hl.u8(hl.clamp(hl.mux(c, out), hl.f32(0.0), hl.f32(255.0)))

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        luma.compute_root().parallel(y, 16, guard).vectorize(x, 16, guard)
        histogram.compute_root().vectorize(i, 16, guard)
        row = hl.Var("row")
        partial = histogram.update().rfactor(r.y, row)
        partial.compute_root().parallel(row, 64, guard).vectorize(i, 16, guard)
        partial.update().parallel(row, 64, guard)
        cumulated.compute_root()
        result.bound(c, 0, 3).split(y, y, yi, 16, guard).reorder(c, x, yi, y).parallel(y).vectorize(x, 16, guard)
        result.unroll(c)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, ii, row = hl.Var("xi"), hl.Var("ii"), hl.Var("row")
        column, lane = hl.RVar("column"), hl.RVar("lane")
        # A warp counts a row in shared memory; its counts are added up afterwards.
        partial = histogram.update().rfactor(r.y, row)
        counted = partial.in_()
        counted.compute_root().split(i, i, ii, 32).unroll(i).gpu_lanes(ii).gpu_blocks(row)
        partial.compute_at(counted, row).store_in(hl.MemoryType.GPUShared).split(i, i, ii, 32).unroll(i).gpu_lanes(ii)
        update = partial.update().split(r.x, column, lane, 32, guard).reorder(lane, column, row)
        update.atomic().gpu_lanes(lane)
        for f in (histogram, cumulated):
            f.compute_root().bound(i, 0, 256).gpu_tile(i, ii, 32, guard)
        histogram.update().gpu_tile(i, ii, 32, guard)
        cumulated.update().gpu_single_thread()
        result.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)

    return Built([image], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    one, two = (rng.integers(0, 256, (3, height, width), np.uint8) for _ in range(2))
    return [np.minimum(one, two)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
