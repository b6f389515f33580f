"""Shallow depth of field from a stereo pair: a cost volume, filtered by pull-push, the best disparity, then samples of
the image over an aperture as wide as the disparity is far from the focus."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 2560)
SMALL = ((48, 32), (37, 19), (9, 5))
SLICES, FOCUS, RADIUS_SCALE, SAMPLES, LEVELS = 32, 13, 0.5, 32, 8
MAX_RADIUS = int(max(SLICES - FOCUS, FOCUS) * RADIUS_SCALE)


def build(hl: Module, size: Size) -> Built:
    x, y, z, c, s, yi = (hl.Var(n) for n in ("x", "y", "z", "c", "s", "yi"))
    left, right = (hl.ImageParam(hl.UInt(8), 3, n) for n in ("left", "right"))
    l, r = (hl.BoundaryConditions.repeat_edge(f) for f in (left, right))  # noqa: E741
    difference, cost, confidence = (hl.Func(n) for n in ("difference", "cost", "confidence"))
    here, there = l[x, y, c], (r[x + 2 * z, y, c], r[x + 2 * z + 1, y, c])
    difference[x, y, z, c] = hl.min(hl.absd(here, there[0]), hl.absd(here, there[1]))
    squares = [hl.pow(hl.f32(difference[x, y, z, i]), 2) for i in range(3)]
    cost[x, y, z] = squares[0] + squares[1] + squares[2]
    over = hl.RDom([(0, SLICES)], "over")
    sums, squared = hl.Func("sums"), hl.Func("squared")
    sums[x, y] += cost[x, y, over.x]
    squared[x, y] += cost[x, y, over.x] * cost[x, y, over.x]
    mean = sums[x, y] / SLICES
    confidence[x, y] = squared[x, y] / SLICES - mean * mean

    # Cost times confidence, and confidence, filled in over a pyramid.
    pair = hl.Func("pair")
    pair[x, y, z, c] = hl.select(c == 0, cost[x, y, z] * confidence[x, y], confidence[x, y])
    steps: list[tuple[Any, Any]] = []
    w, h = size
    pushed = [pair]
    for k in range(1, LEVELS):
        w, h = (w + 1) // 2, (h + 1) // 2
        across, down = hl.Func(f"push_across{k}"), hl.Func(f"push{k}")
        edge = hl.BoundaryConditions.repeat_edge(pushed[-1], [(0, 2 * w), (0, 2 * h)]) if k > 2 else pushed[-1]
        f = [edge[2 * x + i, y, z, c] for i in (-1, 0, 1, 2)]
        across[x, y, z, c] = (f[0] + 3 * (f[1] + f[2]) + f[3]) / 8
        g = [across[x, 2 * y + i, z, c] for i in (-1, 0, 1, 2)]
        down[x, y, z, c] = (g[0] + 3 * (g[1] + g[2]) + g[3]) / 8
        steps.append((across, down))
        pushed.append(down)
    pulled = pushed[-1]
    lifted = []
    for k in reversed(range(LEVELS - 1)):
        across, up, mixed = hl.Func(f"pull_across{k}"), hl.Func(f"pull{k}"), hl.Func(f"mixed{k}")
        across[x, y, z, c] = (3 * pulled[x / 2, y, z, c] + pulled[x / 2 - 1 + 2 * (x % 2), y, z, c]) / 4
        up[x, y, z, c] = (3 * across[x, y / 2, z, c] + across[x, y / 2 - 1 + 2 * (y % 2), z, c]) / 4
        mixed[x, y, z, c] = hl.lerp(up[x, y, z, c], pushed[k][x, y, z, c], hl.f32(0.2))
        pulled = mixed
        lifted.append((across, up, mixed))
    filtered, depth = hl.Func("filtered"), hl.Func("depth")
    filtered[x, y, z] = pulled[x, y, z, 0] / pulled[x, y, z, 1]
    best = hl.RDom([(1, SLICES - 1)], "best")
    depth[x, y] = hl.Tuple([hl.i32(0), filtered[x, y, 0]])
    closer = filtered[x, y, best.x] < depth[x, y][1]
    depth[x, y] = hl.Tuple([
        hl.select(closer, best.x, depth[x, y][0]), hl.select(closer, filtered[x, y, best.x], depth[x, y][1]),
    ])
    aperture = hl.Func("aperture")
    aperture[x, y] = hl.f32(hl.abs(depth[x, y][0] - FOCUS)) * hl.f32(RADIUS_SCALE)
    wide = hl.Func("wide")
    window = hl.RDom([(-MAX_RADIUS, 2 * MAX_RADIUS + 1)], "window")
    widest_row = hl.Func("widest_row")
    widest_row[x, y] = hl.maximum(aperture[x + window.x, y])
    wide[x, y] = hl.maximum(widest_row[x, y + window.x])

    # Offsets over the unit square by a linear congruence, scaled to the aperture of the pixel.
    t = hl.RDom([(0, SAMPLES)], "t")
    noise = hl.Func("noise")
    mixed_bits = (hl.u32(x) * 73856093) ^ (hl.u32(y) * 19349663) ^ (hl.u32(s) * 83492791)
    mixed_bits = (mixed_bits ^ (mixed_bits >> 13)) * 1274126177
    noise[x, y, s] = hl.f32((mixed_bits ^ (mixed_bits >> 16)) & 0xFFFF) / 65536
    spread = hl.i32(wide[x, y]) + 1
    u = hl.i32((noise[x, y, t.x * 2] - hl.f32(0.5)) * 2 * hl.f32(spread))
    v = hl.i32((noise[x, y, t.x * 2 + 1] - hl.f32(0.5)) * 2 * hl.f32(spread))
    u, v = hl.clamp(u, -MAX_RADIUS, MAX_RADIUS), hl.clamp(v, -MAX_RADIUS, MAX_RADIUS)
    reach = aperture[x + u, y + v]
    behind = depth[x + u, y + v][0]
    inside = hl.f32(u * u + v * v) < reach * reach
    # A sample counts where its own aperture reaches the pixel, unless something nearer hides it.
    weight = hl.select(inside & (behind >= depth[x, y][0]) | ((u == 0) & (v == 0)), hl.f32(1.0), hl.f32(0.01))
    gathered = hl.Func("gathered")
    colour = hl.select(c < 3, hl.f32(l[x + u, y + v, hl.min(c, 2)]), hl.f32(255.0))
    gathered[x, y, c] = hl.select(c < 3, hl.f32(l[x, y, hl.min(c, 2)]), hl.f32(255.0))
    gathered[x, y, c] += weight * colour
    result = hl.Func("refocused")
    result[x, y, c] = gathered[x, y, c] / gathered[x, y, 3]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        cost.compute_root().reorder(z, x, y).parallel(y).vectorize(x, 16, guard)
        confidence.compute_root().parallel(y, 8, guard).vectorize(x, 16, guard)
        for f in (sums, squared):
            f.compute_at(confidence, x).vectorize(x, 16, guard)
            f.update().vectorize(x, 16, guard)
        for across, down in steps:
            down.compute_root().parallel(z).vectorize(x, 16, guard).bound(z, 0, SLICES).bound(c, 0, 2)
            across.compute_at(down, y).vectorize(x, 16, guard)
        for across, _, mixed in lifted[:-1]:
            mixed.compute_root().parallel(z).vectorize(x, 16, guard).bound(z, 0, SLICES).bound(c, 0, 2)
            across.compute_at(mixed, y).vectorize(x, 16, guard)
        depth.compute_root().split(y, y, yi, 4, guard).parallel(y).vectorize(x, 16, guard)
        depth.update().reorder(x, best.x, y).parallel(y, 4, guard).vectorize(x, 16, guard)
        for f in (widest_row, wide):
            f.compute_root().parallel(y, 8, guard).vectorize(x, 16, guard)
        result.bound(c, 0, 3).split(y, y, yi, 8, guard).reorder(c, x, yi, y).parallel(y).vectorize(x, 16, guard)
        result.unroll(c)
        gathered.compute_at(result, x).bound(c, 0, 4).vectorize(x, 16, guard).unroll(c)
        gathered.update().reorder(c, x, t.x, y).vectorize(x, 16, guard).unroll(c)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, zi = hl.Var("xi"), hl.Var("zi")
        # One thread goes over the slices of a pixel, whose costs it needs but once.
        cost.compute_root().reorder(z, x, y).bound(z, 0, SLICES).gpu_tile(x, y, xi, yi, 32, 8, guard)
        confidence.compute_root().gpu_tile(x, y, xi, yi, 32, 8, guard)
        for across, down in steps:
            down.compute_root().bound(z, 0, SLICES).bound(c, 0, 2).reorder(c, x, y, z).unroll(c)
            down.gpu_tile(x, y, z, xi, yi, zi, 16, 8, 1, guard)
            across.compute_at(down, x).reorder(c, x, y).unroll(c).gpu_threads(x, y)
        for across, _, mixed in lifted[:-1]:
            mixed.compute_root().bound(z, 0, SLICES).bound(c, 0, 2).reorder(c, x, y, z).unroll(c)
            mixed.gpu_tile(x, y, z, xi, yi, zi, 16, 8, 1, guard)
            across.compute_at(mixed, x).reorder(c, x, y).unroll(c).gpu_threads(x, y)
        depth.compute_root().gpu_tile(x, y, xi, yi, 32, 8, guard)
        depth.update().reorder(best.x, x, y).gpu_tile(x, y, xi, yi, 32, 8, guard)
        for f in (widest_row, wide):
            f.compute_root().gpu_tile(x, y, xi, yi, 32, 8, guard)
        result.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 32, 8, guard)
        gathered.compute_at(result, xi).bound(c, 0, 4).unroll(c)
        gathered.update().reorder(c, t.x, x, y).unroll(c)

    return Built([left, right], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 256, (3, height, width), np.uint8) for _ in range(2)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
