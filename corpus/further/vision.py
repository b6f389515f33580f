"""Key points, differences and movement."""

from __future__ import annotations

import itertools
import math
from typing import Any

from corpus.further.definitions import Description, Stages, gaussian, grey
from corpus.pipelines.common import Size

_CELL, _BINS = 8, 9
_BLOCK, _REACH = 16, 4


def key_points(s: Stages, size: Size) -> Any:
    """Extrema of differences of Gaussians over places and scales (Lowe 2004)."""
    hl, x, y = s.hl, s.x, s.y
    f = s.edge(s.inputs[0])
    blurred = [s.separable(f"blur{k}", lambda i, j: f[i, j], gaussian(1.6 * 2 ** (k / 2), 3 + k)) for k in range(4)]
    between = [s.plane(f"dog{k}", blurred[k + 1][x, y] - blurred[k][x, y]) for k in range(3)]
    around = [
        between[k][x + i, y + j] for k, j, i in itertools.product((0, 1, 2), (-1, 0, 1), (-1, 0, 1))
        if (k, j, i) != (1, 0, 0)
    ]
    high, low = around[0], around[0]
    for v in around[1:]:
        high, low = hl.max(high, v), hl.min(low, v)
    here = between[1][x, y]
    found = ((here > high) | (here < low)) & (hl.abs(here) > hl.f32(0.01))
    return s.plane("points", hl.select(found, hl.u8(1), hl.u8(0)))


def similarity(s: Stages, size: Size) -> Any:
    """Structural similarity of two images (Wang et al. 2004), by Gaussians of eleven taps."""
    hl, x, y = s.hl, s.x, s.y
    f, g = (s.edge(i) for i in s.inputs)
    read = {"a": f, "b": g}

    def mean(names: str) -> Any:
        """The mean of an image, or of the product of two, around a pixel."""

        def value(i: Any, j: Any) -> Any:
            first, *more = (hl.f32(read[n][i, j]) for n in names)
            return first * more[0] if more else first

        return s.separable(f"mean_{names}", value, gaussian(1.5, 5))[x, y]

    m = {n: mean(n) for n in ("a", "b", "aa", "bb", "ab")}
    va, vb, both = m["aa"] - m["a"] * m["a"], m["bb"] - m["b"] * m["b"], m["ab"] - m["a"] * m["b"]
    above = (2 * m["a"] * m["b"] + hl.f32(6.5025)) * (2 * both + hl.f32(58.5225))
    below = (m["a"] * m["a"] + m["b"] * m["b"] + hl.f32(6.5025)) * (va + vb + hl.f32(58.5225))
    return s.plane("similarity", above / below)


def oriented_cells(s: Stages, size: Size) -> Any:
    """Histograms of oriented gradients (Dalal, Triggs 2005): cells of 8x8, blocks of 2x2 of them."""
    hl, x, y = s.hl, s.x, s.y
    f, b = s.edge(s.inputs[0]), hl.Var("b")
    gradient = s.func("gradient")
    gradient[x, y] = hl.Tuple([
        hl.f32(f[x + 1, y]) - hl.f32(f[x - 1, y]), hl.f32(f[x, y + 1]) - hl.f32(f[x, y - 1])
    ])
    gx, gy = gradient[x, y][0], gradient[x, y][1]
    along = [hl.abs(gx * hl.f32(math.cos(math.pi * k / _BINS)) + gy * hl.f32(math.sin(math.pi * k / _BINS)))
             for k in range(_BINS)]
    most, which = along[0], hl.i32(0)
    for k, v in enumerate(along[1:], 1):
        which, most = hl.select(v > most, k, which), hl.max(v, most)
    vote = s.func("vote")
    vote[x, y] = hl.Tuple([which, hl.sqrt(gx * gx + gy * gy)])
    r = hl.RDom([(0, _CELL), (0, _CELL)], "r")
    own, cells = (x * _CELL + r.x, y * _CELL + r.y), s.func("cells")
    cells[x, y, b] = hl.f32(0.0)
    cells[x, y, hl.clamp(vote[own][0], 0, _BINS - 1)] += vote[own][1]
    q = hl.RDom([(0, _BINS)], "q")
    energy = s.func("energy")
    energy[x, y] = hl.f32(0.0)
    energy[x, y] += cells[x, y, q.x] * cells[x, y, q.x]
    around = energy[x, y] + energy[x + 1, y] + energy[x, y + 1] + energy[x + 1, y + 1]
    out = s.func("normalized")
    out[x, y, b] = cells[x, y, b] / hl.sqrt(around + hl.f32(1.0))
    return out


def block_motion(s: Stages, size: Size) -> Any:
    """Where each block of 16x16 was in the image before, by the least sum of differences up to four pixels away."""
    hl, x, y = s.hl, s.x, s.y
    now, before = (s.edge(i) for i in s.inputs)
    i, j = hl.Var("i"), hl.Var("j")
    r = hl.RDom([(0, _BLOCK), (0, _BLOCK)], "r")
    px, py = x * _BLOCK + r.x, y * _BLOCK + r.y
    sums, best = s.func("sums"), s.func("best")
    sums[x, y, i, j] = hl.u32(0)
    sums[x, y, i, j] += hl.u32(hl.absd(now[px, py], before[px + i - _REACH, py + j - _REACH]))
    n = 2 * _REACH + 1
    q = hl.RDom([(0, n), (0, n)], "q")
    best[x, y] = hl.Tuple([hl.u8(0), hl.u32(0xFFFFFFFF)])
    less = sums[x, y, q.x, q.y] < best[x, y][1]
    best[x, y] = hl.Tuple([
        hl.select(less, hl.u8(q.x + n * q.y), best[x, y][0]), hl.select(less, sums[x, y, q.x, q.y], best[x, y][1])
    ])
    return s.plane("motion", best[x, y][0])


ALL = (
    Description(key_points, (grey("image", "f32"),), (1280, 960)),
    Description(similarity, (grey("first"), grey("second")), (1920, 1080)),
    Description(oriented_cells, (grey("image"),), (1920, 1080),
                lambda s: (s[0] // _CELL - 1, s[1] // _CELL - 1, _BINS)),
    Description(block_motion, (grey("now"), grey("before")), (1920, 1080),
                lambda s: (s[0] // _BLOCK, s[1] // _BLOCK)),
)
