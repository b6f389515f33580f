"""The product of two square matrices of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (1536, 1536)
SMALL = ((64, 64), (37, 37), (1, 1))


def build(hl: Module, size: Size) -> Built:
    n = size[0]
    x, y, xo, yo, xi, yi, xii, yii = (hl.Var(v) for v in ("x", "y", "xo", "yo", "xi", "yi", "xii", "yii"))
    a, b = (hl.ImageParam(hl.Float(32), 2, v) for v in ("a", "b"))
    k = hl.RDom([(0, n)], "k")
    product, result = hl.Func("product"), hl.Func("result")
    product[x, y] += a[k.x, y] * b[x, k.x]
    result[x, y] = product[x, y]

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        result.tile(x, y, xo, yo, xi, yi, 64, 32, guard).parallel(yo)
        result.split(xi, xi, xii, 32, guard).split(yi, yi, yii, 4, guard).reorder(xii, yii, xi, yi, xo, yo)
        result.vectorize(xii, 16, guard).unroll(xii).unroll(yii)
        product.compute_at(result, xi).vectorize(x, 16, guard).unroll(x).unroll(y)
        product.update().reorder(x, y, k.x).vectorize(x, 16, guard).unroll(x).unroll(y)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        # A block of 8 by 8 threads, of which each has 4 by 4 elements of 32 by 32 in registers.
        result.bound(x, 0, n).bound(y, 0, n).tile(x, y, xi, yi, 32, 32, guard).tile(xi, yi, xii, yii, 4, 4, guard)
        result.unroll(xii).unroll(yii).gpu_blocks(x, y).gpu_threads(xi, yi)
        product.compute_at(result, xi).unroll(x).unroll(y)
        product.update().reorder(x, y, k.x).unroll(x).unroll(y).unroll(k.x, 4, guard)

    return Built([a, b], [result], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [rng.random(size, np.float32) for _ in range(2)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [size]
