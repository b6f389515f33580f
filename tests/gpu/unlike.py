"""Pipelines of kinds that the other sets lack: reductions of whole images, scans, several outputs, tuples, volumes,
signals.  AutoGPU was not tuned to them when they were written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, PipelineFile, Size

_WIDE = (1536, 2560)
_ODD = (197, 131)
Made = tuple[list[Any], list[Any], list[Any]]
"""Inputs, outputs, and what is computed whole on the host."""


def _bytes(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [rng.integers(0, 256, size[::-1], np.uint8)]


def _floats(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [rng.random(size[::-1], np.float32)]


def spotlight(hl: Module, size: Size) -> Made:
    """The distance of each pixel from the brightest one, whose place an argmax over the image finds."""
    image, x, y = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, size[0]), (0, size[1])], "r")
    place, out = hl.Func("place"), hl.Func("out")
    best = hl.argmax(r, image[r.x, r.y], "best")
    place[()] = hl.Tuple([best[0], best[1]])
    dx, dy = x - place[()][0], y - place[()][1]
    out[x, y] = hl.cast(hl.UInt(8), hl.min(dx * dx + dy * dy, 255)) ^ image[x, y]
    return [image], [out], [place]


def stretched(hl: Module, size: Size) -> Made:
    """Contrast stretched from the least to the greatest value."""
    image, x, y = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, size[0]), (0, size[1])], "r")
    least, most, out = hl.Func("least"), hl.Func("most"), hl.Func("out")
    least[()] = hl.cast(hl.UInt(8), 255)
    least[()] = hl.min(least[()], image[r.x, r.y])
    most[()] = hl.cast(hl.UInt(8), 0)
    most[()] = hl.max(most[()], image[r.x, r.y])
    low, span = hl.cast(hl.Int(32), least[()]), hl.cast(hl.Int(32), most[()]) - hl.cast(hl.Int(32), least[()])
    out[x, y] = hl.cast(hl.UInt(8), (hl.cast(hl.Int(32), image[x, y]) - low) * 255 / hl.max(span, 1))
    return [image], [out], [least, most]


def standardised(hl: Module, size: Size) -> Made:
    """Pixels less their mean, by the standard deviation: two sums of integers over the image."""
    image, x, y = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, size[0]), (0, size[1])], "r")
    total, squares, out = hl.Func("total"), hl.Func("squares"), hl.Func("out")
    total[()] = hl.cast(hl.UInt(32), 0)
    total[()] += hl.cast(hl.UInt(32), image[r.x, r.y])
    squares[()] = hl.cast(hl.UInt(64), 0)
    squares[()] += hl.cast(hl.UInt(64), image[r.x, r.y]) * hl.cast(hl.UInt(64), image[r.x, r.y])
    count = hl.f32(float(size[0] * size[1]))
    mean = hl.cast(hl.Float(32), total[()]) / count
    variance = hl.cast(hl.Float(32), squares[()]) / count - mean * mean
    out[x, y] = (hl.cast(hl.Float(32), image[x, y]) - mean) / hl.sqrt(hl.max(variance, hl.f32(1e-6)))
    return [image], [out], [total, squares]


def softmax(hl: Module, size: Size) -> Made:
    """Softmax along rows: the greatest value and the sum of each row."""
    image, x, y = hl.ImageParam(hl.Float(32), 2, "image"), hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, size[0])], "r")
    most, weight, total, out = hl.Func("most"), hl.Func("weight"), hl.Func("total"), hl.Func("out")
    most[y] = hl.f32(-1e30)
    most[y] = hl.max(most[y], image[r.x, y])
    weight[x, y] = hl.exp(image[x, y] - most[y])
    total[y] = hl.f32(0.0)
    total[y] += weight[r.x, y]
    out[x, y] = weight[x, y] / total[y]
    return [image], [out], [most, total]


def box_by_integral(hl: Module, size: Size) -> Made:
    """A box of 15 by 15 from the integral image, which two scans make."""
    image, x, y = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Var("x"), hl.Var("y")
    w, h = size
    rows, sums, out = hl.Func("rows"), hl.Func("sums"), hl.Func("out")
    r, s = hl.RDom([(1, w - 1)], "r"), hl.RDom([(1, h - 1)], "s")
    rows[x, y] = hl.cast(hl.UInt(32), image[x, y])
    rows[r.x, y] += rows[r.x - 1, y]
    sums[x, y] = rows[x, y]
    sums[x, s.x] += sums[x, s.x - 1]

    def at(px: Any, py: Any) -> Any:
        found = sums[hl.clamp(px, 0, w - 1), hl.clamp(py, 0, h - 1)]
        return hl.select((px < 0) | (py < 0), hl.cast(hl.UInt(32), 0), found)

    box = at(x + 7, y + 7) - at(x - 8, y + 7) - at(x + 7, y - 8) + at(x - 8, y - 8)
    out[x, y] = hl.cast(hl.UInt(8), box / 225)
    return [image], [out], [rows, sums]


def equalized_channels(hl: Module, size: Size) -> Made:
    """Histograms of three planes, equalized each by its own."""
    image, x, y, c, v = hl.ImageParam(hl.UInt(8), 3, "image"), hl.Var("x"), hl.Var("y"), hl.Var("c"), hl.Var("v")
    w, h = size[:2]
    r, k = hl.RDom([(0, w), (0, h)], "r"), hl.RDom([(1, 255)], "k")
    counts, sums, out = hl.Func("counts"), hl.Func("sums"), hl.Func("out")
    counts[v, c] = hl.cast(hl.UInt(32), 0)
    counts[hl.cast(hl.Int(32), image[r.x, r.y, c]), c] += hl.cast(hl.UInt(32), 1)
    sums[v, c] = counts[v, c]
    sums[k.x, c] += sums[k.x - 1, c]
    level = sums[hl.cast(hl.Int(32), image[x, y, c]), c] * hl.cast(hl.UInt(32), 255) / (w * h)
    out[x, y, c] = hl.cast(hl.UInt(8), level)
    return [image], [out], [counts, sums]


def gradients(hl: Module, size: Size) -> Made:
    """Three outputs: both Sobel derivatives and their magnitude."""
    image, x, y = hl.ImageParam(hl.Float(32), 2, "image"), hl.Var("x"), hl.Var("y")
    edge, across, down, length = hl.Func("edge"), hl.Func("across"), hl.Func("down"), hl.Func("length")
    edge[x, y] = image[hl.clamp(x, 0, size[0] - 1), hl.clamp(y, 0, size[1] - 1)]
    weights = [(k, hl.f32(2.0 - abs(k))) for k in (-1, 0, 1)]
    across[x, y] = sum(w * (edge[x + 1, y + k] - edge[x - 1, y + k]) for k, w in weights)
    down[x, y] = sum(w * (edge[x + k, y + 1] - edge[x + k, y - 1]) for k, w in weights)
    length[x, y] = hl.sqrt(across[x, y] * across[x, y] + down[x, y] * down[x, y])
    return [image], [across, down, length], [across, down]


def structure(hl: Module, size: Size) -> Made:
    """The structure tensor as one Func of three values, blurred, and its coherence."""
    image, x, y = hl.ImageParam(hl.Float(32), 2, "image"), hl.Var("x"), hl.Var("y")
    edge, tensor, smooth, out = hl.Func("edge"), hl.Func("tensor"), hl.Func("smooth"), hl.Func("out")
    edge[x, y] = image[hl.clamp(x, 0, size[0] - 1), hl.clamp(y, 0, size[1] - 1)]
    gx, gy = edge[x + 1, y] - edge[x - 1, y], edge[x, y + 1] - edge[x, y - 1]
    tensor[x, y] = hl.Tuple([gx * gx, gx * gy, gy * gy])
    near = [(i, j) for j in range(-2, 3) for i in range(-2, 3)]
    smooth[x, y] = hl.Tuple([sum(tensor[x + i, y + j][n] for i, j in near) for n in range(3)])
    a, b, d = (smooth[x, y][n] for n in range(3))
    out[x, y] = hl.sqrt((a - d) * (a - d) + hl.f32(4.0) * b * b) / hl.max(a + d, hl.f32(1e-6))
    return [image], [out], [tensor]


def volume(hl: Module, size: Size) -> Made:
    """A volume, smoothed along each of three dimensions."""
    image, x, y, z = hl.ImageParam(hl.Float(32), 3, "image"), hl.Var("x"), hl.Var("y"), hl.Var("z")
    edge, a, b, out = hl.Func("edge"), hl.Func("a"), hl.Func("b"), hl.Func("out")
    edge[x, y, z] = image[hl.clamp(x, 0, size[0] - 1), hl.clamp(y, 0, size[1] - 1), hl.clamp(z, 0, size[2] - 1)]
    two = hl.f32(2.0)
    a[x, y, z] = edge[x - 1, y, z] + two * edge[x, y, z] + edge[x + 1, y, z]
    b[x, y, z] = a[x, y - 1, z] + two * a[x, y, z] + a[x, y + 1, z]
    out[x, y, z] = (b[x, y, z - 1] + two * b[x, y, z] + b[x, y, z + 1]) * hl.f32(1 / 64)
    return [image], [out], [a, b]


def signal(hl: Module, size: Size) -> Made:
    """A signal filtered by 65 taps, and its envelope by 33."""
    image, taps, x = hl.ImageParam(hl.Float(32), 1, "image"), hl.ImageParam(hl.Float(32), 1, "taps"), hl.Var("x")
    edge, filtered, out = hl.Func("edge"), hl.Func("filtered"), hl.Func("out")
    edge[x] = image[hl.clamp(x, 0, size[0] - 1)]
    r, k = hl.RDom([(0, 65)], "r"), hl.RDom([(-16, 33)], "k")
    filtered[x] = hl.f32(0.0)
    filtered[x] += edge[x + r.x - 32] * taps[r.x]
    out[x] = hl.f32(0.0)
    out[x] = hl.max(out[x], hl.abs(filtered[x + k.x]))
    return [image, taps], [out], [filtered]


def nearest_colour(hl: Module, size: Size) -> Made:
    """The nearest of 24 colours for each pixel."""
    image, table = hl.ImageParam(hl.UInt(8), 3, "image"), hl.ImageParam(hl.UInt(8), 2, "table")
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 24)], "r")
    wide = hl.Int(32)
    apart = [hl.cast(wide, image[x, y, n]) - hl.cast(wide, table[r.x, n]) for n in range(3)]
    away = sum(d * d for d in apart)
    out = hl.Func("out")
    out[x, y] = hl.cast(hl.UInt(8), hl.argmin(r, away, "nearest")[0])
    return [image, table], [out], []


def row_profile(hl: Module, size: Size) -> Made:
    """Sums of rows and of columns, and each pixel beside what these say of it."""
    image, x, y = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Var("x"), hl.Var("y")
    r, s = hl.RDom([(0, size[0])], "r"), hl.RDom([(0, size[1])], "s")
    rows, columns, out = hl.Func("rows"), hl.Func("columns"), hl.Func("out")
    rows[y] = hl.cast(hl.UInt(32), 0)
    rows[y] += hl.cast(hl.UInt(32), image[r.x, y])
    columns[x] = hl.cast(hl.UInt(32), 0)
    columns[x] += hl.cast(hl.UInt(32), image[x, s.x])
    out[x, y] = hl.cast(hl.UInt(32), image[x, y]) * (size[0] + size[1]) - rows[y] - columns[x]
    return [image], [out], [rows, columns]


def _file(
    build: Callable[[Module, Size], Made], size: Size, small: Size,
    arrays: Callable[[Size, np.random.Generator], list[np.ndarray[Any, Any]]], outputs: int = 1,
) -> PipelineFile:
    def built(hl: Module, at: Size) -> Built:
        inputs, outs, whole = build(hl, at)

        def schedule() -> None:
            for f in whole:
                f.compute_root()

        return Built(inputs, outs, schedule)

    return PipelineFile(build.__name__, size, (small,), built, arrays, lambda at: [at] * outputs)


def _pictures(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [rng.integers(0, 256, (3, *size[::-1]), np.uint8), rng.integers(0, 256, (3, 24), np.uint8)]


def _signals(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [rng.random(size, np.float32), rng.random(65, np.float32)]


def unlike_pipelines() -> list[PipelineFile]:
    """All of them."""
    return [
        _file(spotlight, _WIDE, _ODD, _bytes), _file(stretched, _WIDE, _ODD, _bytes),
        _file(standardised, _WIDE, _ODD, _bytes), _file(softmax, _WIDE, _ODD, _floats),
        _file(box_by_integral, _WIDE, _ODD, _bytes), _file(equalized_channels, (*_WIDE, 3), (*_ODD, 3), _bytes),
        _file(gradients, _WIDE, _ODD, _floats, 3), _file(structure, _WIDE, _ODD, _floats),
        _file(volume, (160, 160, 160), (37, 29, 31), _floats), _file(signal, (1 << 20,), (4099,), _signals),
        _file(nearest_colour, _WIDE, _ODD, _pictures), _file(row_profile, _WIDE, _ODD, _bytes),
    ]
