"""Blocks of 8x8 as a JPEG encoder (ITU-T T.81) makes them: the cosine transform as two products with a table in fixed
point, then quantised by reciprocals, as libjpeg-turbo divides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2048, 1536)
SMALL = ((131, 75), (99, 67))
BITS = 12


def build(hl: Module, size: Size) -> Built:
    x, u, v, bx, by = (hl.Var(n) for n in ("x", "u", "v", "bx", "by"))
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    cosines, reciprocals = hl.ImageParam(hl.Int(32), 2, "cosines"), hl.ImageParam(hl.Int(32), 2, "reciprocals")
    clamped = hl.BoundaryConditions.repeat_edge(image)
    down, across, quantised = hl.Func("down"), hl.Func("across"), hl.Func("quantised")
    centred = [hl.i32(clamped[x, 8 * by + j]) - 128 for j in range(8)]
    half = 1 << (BITS - 3 - 1)
    # Three bits more than the result has, as long as one direction is to come.
    total = sum((cosines[v, j] * centred[j] for j in range(1, 8)), cosines[v, 0] * centred[0])
    down[x, v, by] = (total + half) >> (BITS - 3)
    total = sum((cosines[u, j] * down[8 * bx + j, v, by] for j in range(1, 8)), cosines[u, 0] * down[8 * bx, v, by])
    across[u, v, bx, by] = (total + (1 << (BITS + 2))) >> (BITS + 3)
    value = across[u, v, bx, by]
    level = (hl.i32(hl.abs(value)) * reciprocals[u, v] + (1 << 15)) >> 16
    quantised[u, v, bx, by] = hl.i16(hl.select(value < 0, -level, level))

    def schedule() -> None:
        quantised.bound(u, 0, 8).bound(v, 0, 8).vectorize(u, 8).unroll(v).parallel(by)
        down.compute_at(quantised, by).vectorize(x, 16)

    return Built([image, cosines, reciprocals], [quantised], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    # numpy's axes are Halide's in reverse order: the frequency is the first dimension of the table.
    table = [
        [round((1 << BITS) * math.sqrt((1 if u == 0 else 2) / 8) * math.cos((2 * j + 1) * u * math.pi / 16))
         for u in range(8)]
        for j in range(8)
    ]
    steps = [[8 + 4 * (u + v) for u in range(8)] for v in range(8)]
    return [
        rng.integers(0, 256, (height, width), np.uint8), np.array(table, np.int32),
        np.array([[round(65536 / q) for q in row] for row in steps], np.int32),
    ]


def shapes(size: Size) -> list[tuple[int, ...]]:
    width, height = size
    return [(8, 8, -(-width // 8), -(-height // 8))]
