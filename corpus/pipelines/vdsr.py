"""VDSR (Kim, Lee, Lee, 2016): 20 convolution layers of 64 channels, and the input added to what they find."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (256, 256, 64, 20)
SMALL = ((16, 8, 16, 4), (13, 7, 16, 3), (1, 1, 16, 20))


def build(hl: Module, size: Size) -> Built:
    width, height, channels, layers = size
    c, x, y, xi, xo = (hl.Var(v) for v in ("c", "x", "y", "xi", "xo"))
    image = hl.ImageParam(hl.Float(32), 2, "input")
    first, last = hl.ImageParam(hl.Float(32), 3, "first"), hl.ImageParam(hl.Float(32), 3, "last")
    weights = hl.ImageParam(hl.Float(32), 5, "weights")
    stages: list[tuple[Any, Any]] = []

    def padded(f: Any, k: int) -> Any:
        """f with zeros around it."""
        g = hl.Func(f"padded{k}")
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        g[c, x, y] = hl.select(inside, f[c, hl.clamp(x, 0, width - 1), hl.clamp(y, 0, height - 1)], hl.f32(0.0))
        return g

    source = hl.Func("source")
    source[c, x, y] = image[x, y]
    current = source
    for k in range(layers):
        conv, out = hl.Func(f"conv{k}"), hl.Func(f"layer{k}")
        before = padded(current, k)
        conv[c, x, y] = hl.f32(0.0)
        if k == 0:
            r = hl.RDom([(0, 3), (0, 3)], f"r{k}")
            conv[c, x, y] += first[c, r.x, r.y] * before[0, x + r.x - 1, y + r.y - 1]
        elif k < layers - 1:
            r = hl.RDom([(0, channels), (0, 3), (0, 3)], f"r{k}")
            conv[c, x, y] += weights[c, r.x, r.y, r.z, k - 1] * before[r.x, x + r.y - 1, y + r.z - 1]
        else:
            r = hl.RDom([(0, channels), (0, 3), (0, 3)], f"r{k}")
            conv[c, x, y] += last[r.x, r.y, r.z] * before[r.x, x + r.y - 1, y + r.z - 1]
        out[c, x, y] = conv[c, x, y] if k == layers - 1 else hl.max(conv[c, x, y], hl.f32(0.0))
        stages.append((before, conv))
        current = out
        if k < layers - 1:
            stages[-1] = (before, (conv, out, r))
    result = hl.Func("result")
    result[x, y] = image[x, y] + current[0, x, y]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        for k, (before, found) in enumerate(stages):
            if k:
                before.compute_root().parallel(y).vectorize(c, 16, guard)
            if k == layers - 1:
                continue
            conv, out, r = found
            out.compute_root().split(x, xo, xi, 4, guard).reorder(c, xi, xo, y).parallel(y).vectorize(c, 16, guard)
            conv.compute_at(out, xo).vectorize(c, 16, guard).unroll(x)
            update = conv.update().vectorize(c, 16, guard).unroll(x)
            update.reorder(c, x, *((r.x, r.y, r.z) if k else (r.x, r.y)), y)
        result.parallel(y).vectorize(x, 16, guard)
        stages[-1][1].compute_at(result, y)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        ci, yi = hl.Var("ci"), hl.Var("yi")
        for k, (_, found) in enumerate(stages[:-1]):
            conv, out, r = found
            out.compute_root().bound(c, 0, channels).split(x, x, xi, 4, guard).split(c, c, ci, 16, guard)
            out.split(y, y, yi, 4, guard).reorder(xi, ci, yi, c, x, y).unroll(xi)
            out.gpu_blocks(c, x, y).gpu_threads(ci, yi)
            conv.compute_at(out, ci).unroll(x)
            conv.update().reorder(x, *((r.x, r.y, r.z) if k else (r.x, r.y)), c, y).unroll(x)
        result.gpu_tile(x, y, xi, yi, 8, 8, guard)
        stages[-1][1].compute_at(result, xi)

    return Built([image, first, last, weights], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height, channels, layers = size

    def some(*shape: int) -> np.ndarray[Any, Any]:
        return (rng.random(shape, np.float32) - np.float32(0.5)) * np.float32(0.1)

    inner = some(max(layers - 2, 1), 3, 3, channels, channels)
    return [rng.random((height, width), np.float32), some(3, 3, channels), some(3, 3, channels), inner]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(size[0], size[1])]
