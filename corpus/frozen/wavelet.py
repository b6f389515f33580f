"""Two levels of the reversible 5/3 wavelet of JPEG 2000 (Le Gall, Tabatabai, 1988, by lifting): averages and details
in integers, along rows and then columns, the image mirrored at its borders."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1536)
SMALL = ((131, 75), (99, 67))


def build(hl: Module, size: Size) -> Built:
    x, y, c, yo, yi = (hl.Var(n) for n in ("x", "y", "c", "yo", "yi"))
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    source = hl.Func("source")
    source[x, y] = hl.i16(hl.BoundaryConditions.mirror_interior(image)[x, y])

    def lift(name: str, f: Any, step: tuple[int, int]) -> tuple[Any, Any]:
        """(averages, details) of f, half as many along x or along y."""
        i, j = step
        low, high = hl.Func(f"{name}_low"), hl.Func(f"{name}_high")

        def at(k: int) -> Any:
            return f[2 * x + k, y] if i else f[x, 2 * y + k]

        high[x, y] = at(1) - ((at(0) + at(2)) >> 1)
        low[x, y] = at(0) + ((high[x - i, y - j] + high[x, y] + 2) >> 2)
        return low, high

    levels, f = [], source
    half = size
    for n in (1, 2):
        low, high = lift(f"rows{n}", f, (1, 0))
        ll, lh = lift(f"low{n}", low, (0, 1))
        hl_, hh = lift(f"high{n}", high, (0, 1))
        levels.append((low, high, ll, [hl_, lh, hh]))
        half = ((half[0] + 1) // 2, (half[1] + 1) // 2)
        f = hl.BoundaryConditions.mirror_interior(ll, [(0, half[0]), (0, half[1])])
    details, coarse = hl.Func("details"), hl.Func("coarse")
    details[x, y, c] = hl.mux(c, [g[x, y] for g in levels[0][3]])
    coarse[x, y, c] = hl.mux(c, [g[x, y] for g in (levels[1][2], *levels[1][3])])

    def schedule() -> None:
        (low, high, ll, (_, lh, hh)), (low2, high2, _, (_, lh2, hh2)) = levels
        for g in (low, high, lh, ll):
            g.compute_root().split(y, yo, yi, 16).parallel(yo).vectorize(x, 16)
        for result, bands, kept in ((details, 3, (hh,)), (coarse, 4, (low2, high2, lh2, hh2))):
            result.bound(c, 0, bands).split(y, yo, yi, 16).reorder(x, c, yi, yo).parallel(yo)
            result.vectorize(x, 16).unroll(c)
            for g in kept:
                g.store_at(result, yo).compute_at(result, yi).vectorize(x, 16)

    return Built([image], [details, coarse], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 256, (height, width), np.uint8)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    halves = ((size[0] + 1) // 2, (size[1] + 1) // 2)
    return [(*halves, 3), (*((n + 1) // 2 for n in halves), 4)]
