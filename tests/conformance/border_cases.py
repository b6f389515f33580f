"""Borders of Funcs computed for each tile of what reads through them, and of images read at several offsets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import Script, add

KINDS = ["repeat_edge", "constant_exterior", "repeat_image", "mirror_image", "mirror_interior"]
# Bounds of what is extended; where the result begins, and its size.
PLACES = {
    "inside": ((0, 40), (0, 24), (0, 0), (40, 24)),
    "wider": ((2, 33), (-3, 19), (-40, -30), (120, 80)),
    "apart": ((100, 9), (50, 7), (0, 0), (33, 17)),
    "one": ((0, 1), (0, 1), (-9, -5), (19, 11)),
}


def extended(hl: Any, kind: str, source: Any, bounds: list[tuple[int, int]]) -> Any:
    """`source` past `bounds`."""
    border = getattr(hl.BoundaryConditions, kind)
    return border(source, 7, bounds) if kind == "constant_exterior" else border(source, bounds)


def of_a_func(kind: str, place: str, level: str) -> Script:
    """A Func computed at `level` of the tiles of three taps of its border."""

    def script(hl: Any) -> Any:
        x, y, xo, yo, xi, yi = (hl.Var(n) for n in ["x", "y", "xo", "yo", "xi", "yi"])
        across, down, start, size = PLACES[place]
        inner, out = hl.Func("inner"), hl.Func("out")
        inner[x, y] = x * 7 + y * 31
        edge = extended(hl, kind, inner, [across, down])
        out[x, y] = edge[x - 1, y] + edge[x + 2, y + 1] * 3 + edge[x, y - 2]
        out.tile(x, y, xo, yo, xi, yi, 16, 8).vectorize(xi, 8)
        inner.compute_at(out, {"rows": yo, "tiles": xo, "row": yi}[level]).vectorize(x, 8)
        result = hl.Buffer(hl.Int(32), list(size))
        result.set_min(list(start))
        out.realize(result)
        return result

    return script


def of_an_image(kind: str, place: str, lanes: int) -> Script:
    """Three taps of the border of an image, in vectors."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        across, down, start, size = PLACES[place]
        pixels = np.arange(across[1] * down[1], dtype=np.int32).reshape(down[1], across[1])
        image = hl.Buffer(pixels)
        image.set_min([across[0], down[0]])
        edge = extended(hl, kind, image, [across, down])
        out = hl.Func("out")
        out[x, y] = edge[x - 1, y] + edge[x + 2, y + 1] * 3 + edge[-x, y - 2]
        if lanes > 1:
            out.vectorize(x, lanes)
        result = hl.Buffer(hl.Int(32), list(size))
        result.set_min(list(start))
        out.realize(result)
        return result

    return script


for _kind in KINDS:
    for _place in PLACES:
        for _level in ["rows", "tiles", "row"]:
            add(f"borders.{_kind}.{_place}.at_{_level}", of_a_func(_kind, _place, _level))
        for _lanes in [1, 8]:
            add(f"borders.{_kind}.{_place}.by_{_lanes}", of_an_image(_kind, _place, _lanes))
