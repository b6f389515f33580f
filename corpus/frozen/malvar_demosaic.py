"""Demosaicing by linear filters of 5x5 (Malvar, He, Cutler: High-Quality Linear Interpolation for Demosaicing of
Bayer-Patterned Color Images, 2004), in integers: a mosaic with red at even, blue at odd coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1536)
SMALL = ((132, 76), (100, 66))


def build(hl: Module, size: Size) -> Built:
    x, y, c, yo, yi, yp = (hl.Var(n) for n in ("x", "y", "c", "yo", "yi", "yp"))
    mosaic = hl.ImageParam(hl.UInt(16), 2, "mosaic")
    mirrored = hl.BoundaryConditions.mirror_interior(mosaic)
    wide, green, along_row, along_column, diagonal, result = (
        hl.Func(n) for n in ("wide", "green", "along_row", "along_column", "diagonal", "demosaiced")
    )
    wide[x, y] = hl.i32(mirrored[x, y])

    def at(*places: tuple[int, int]) -> Any:
        total = hl.i32(0)
        for i, j in places:
            total = total + wide[x + i, y + j]
        return total

    here = wide[x, y]
    near_x, near_y = at((-1, 0), (1, 0)), at((0, -1), (0, 1))
    far_x, far_y = at((-2, 0), (2, 0)), at((0, -2), (0, 2))
    corners = at((-1, -1), (1, -1), (-1, 1), (1, 1))
    # In sixteenths: green at red and blue; red and blue at green, whose neighbours lie in its row or column; at the
    # other one of both.
    green[x, y] = 4 * (near_x + near_y) + 8 * here - 2 * (far_x + far_y)
    along_row[x, y] = 8 * near_x + 10 * here - 2 * (corners + far_x) + far_y
    along_column[x, y] = 8 * near_y + 10 * here - 2 * (corners + far_y) + far_x
    diagonal[x, y] = 4 * corners + 12 * here - 3 * (far_x + far_y)
    own = 16 * here
    even_x, even_y = x % 2 == 0, y % 2 == 0

    def sites(values: list[Any]) -> Any:
        """By the site: red, green in a row of red, green in a row of blue, blue."""
        return hl.select(
            even_y, hl.select(even_x, values[0], values[1]), hl.select(even_x, values[2], values[3])
        )

    row, column, cross, other = (hl.i32(f[x, y]) for f in (along_row, along_column, diagonal, green))
    colours = [
        sites([own, row, column, cross]), sites([other, own, own, other]), sites([cross, column, row, own]),
    ]
    result[x, y, c] = hl.u16(hl.clamp((hl.mux(c, colours) + 8) / 16, 0, 1023))

    def schedule() -> None:
        result.bound(c, 0, 3).align_bounds(x, 2).align_bounds(y, 2)
        result.split(y, yo, yi, 32).split(yi, yi, yp, 2).reorder(c, yp, x, yi, yo)
        result.parallel(yo).unroll(yp).unroll(c).vectorize(x, 16)
        wide.store_at(result, yo).compute_at(result, yi).vectorize(x, 16)

    return Built([mosaic], [result], schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 1024, (height, width), np.uint16)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
