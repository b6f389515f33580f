"""Stages inside of blocks that may be cut: tiles, fused tiles, blocks split again, at sizes below and above them."""

from __future__ import annotations

from typing import Any

from tests.conformance.cases import Script, add

SIZES = [(1, 1), (15, 8), (16, 8), (17, 9), (47, 25)]
SHAPES = ["tile", "fused", "fused into one of them", "rows", "nested", "twice", "unrolled"]


def blocks(shape: str, tail: str, size: tuple[int, int], bounded: bool) -> Script:
    """A stencil of a stencil, the inner one computed for each block."""

    def script(hl: Any) -> Any:
        x, y, xo, yo, xi, yi, t, u = (hl.Var(n) for n in ["x", "y", "xo", "yo", "xi", "yi", "t", "u"])
        cut = getattr(hl.TailStrategy, tail)
        first, second, out = hl.Func("first"), hl.Func("second"), hl.Func("out")
        first[x, y] = hl.u16(x * 7 + y * 31)
        second[x, y] = first[x - 1, y] + first[x + 1, y + 1] * 3
        out[x, y] = second[x, y] + second[x, y + 2]
        if bounded:
            out.bound(x, 0, size[0]).bound(y, 0, size[1])
        level = xo
        match shape:
            case "tile":
                out.tile(x, y, xo, yo, xi, yi, 16, 8, cut).vectorize(xi, 8, cut).parallel(yo)
            case "fused":
                out.tile(x, y, xo, yo, xi, yi, 16, 8, cut).fuse(xo, yo, t).parallel(t).vectorize(xi, 8)
                level = t
            case "fused into one of them":
                out.tile(x, y, xo, yo, xi, yi, 16, 8, cut).fuse(xo, yo, yo).parallel(yo).vectorize(xi, 8)
                level = yo
            case "rows":
                out.split(y, yo, yi, 8, cut).vectorize(x, 8)
                level = yo
            case "nested":
                out.split(x, xo, xi, 16, cut).split(xi, xi, u, 4, cut).vectorize(u)
            case "twice":
                out.tile(x, y, xo, yo, xi, yi, 16, 8, cut).split(yo, yo, t, 2, cut)
                level = t
            case _:
                out.tile(x, y, xo, yo, xi, yi, 16, 2, cut).unroll(yi).vectorize(xi, 8, cut)
        second.compute_at(out, level).vectorize(x, 8)
        first.compute_at(out, level)
        return out.realize(list(size))

    return script


for _shape in SHAPES:
    for _size in SIZES:
        add(f"blocks.{_shape.replace(' ', '_')}.{_size[0]}x{_size[1]}", blocks(_shape, "GuardWithIf", _size, False))
    add(f"blocks.{_shape.replace(' ', '_')}.bounded", blocks(_shape, "GuardWithIf", (47, 25), True))
    add(f"blocks.{_shape.replace(' ', '_')}.predicated", blocks(_shape, "Predicate", (47, 25), False))
    add(f"blocks.{_shape.replace(' ', '_')}.automatic", blocks(_shape, "Auto", (47, 25), False))
