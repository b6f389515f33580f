"""Filters of single images."""

from __future__ import annotations

import itertools
import math
from typing import Any

from corpus.further.definitions import Description, Image, Stages, colour, grey
from corpus.pipelines.common import Size


def bilateral_direct(s: Stages, size: Size) -> Any:
    """Bilateral filter (Tomasi, Manduchi 1998) over windows of 7x7, as libraries have it: no grid."""
    hl, x, y = s.hl, s.x, s.y
    f = s.edge(s.inputs[0])
    r = hl.RDom([(-3, 7), (-3, 7)], "r")
    near, apart = f[x + r.x, y + r.y], hl.f32(r.x * r.x + r.y * r.y)
    away = near - f[x, y]
    weight = hl.exp(-(apart * hl.f32(1 / 8)) - away * away * hl.f32(1 / 0.02))
    sums = s.func("sums")
    sums[x, y] = hl.Tuple([hl.f32(0.0), hl.f32(0.0)])
    sums[x, y] = hl.Tuple([sums[x, y][0] + weight * near, sums[x, y][1] + weight])
    return s.plane("smooth", sums[x, y][0] / sums[x, y][1])


def perona_malik(s: Stages, size: Size) -> Any:
    """Anisotropic diffusion (Perona, Malik 1990): four steps."""
    hl, x, y = s.hl, s.x, s.y
    f = s.edge(s.inputs[0])
    for k in range(4):
        terms = []
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            d = f[x + dx, y + dy] - f[x, y]
            terms.append(d * hl.exp(-(d * d) * hl.f32(100.0)))
        f = s.plane(f"step{k}", f[x, y] + hl.f32(0.2) * (terms[0] + terms[1] + terms[2] + terms[3]))
    return f


def chambolle(s: Stages, size: Size) -> Any:
    """Total variation (Chambolle 2004): three steps of the dual, and what is left of the image."""
    hl, x, y = s.hl, s.x, s.y
    f = s.edge(s.inputs[0])
    dual: Any = None

    def divergence(name: str, p: Any) -> Any:
        return s.plane(name, p[x, y][0] - p[x - 1, y][0] + p[x, y][1] - p[x, y - 1][1])

    for k in range(3):
        inner = s.plane(f"inner{k}", -f[x, y] * hl.f32(8.0) if dual is None else
                        divergence(f"div{k}", dual)[x, y] - f[x, y] * hl.f32(8.0))
        across, down = inner[x + 1, y] - inner[x, y], inner[x, y + 1] - inner[x, y]
        length = hl.f32(1.0) + hl.f32(0.24) * hl.sqrt(across * across + down * down)
        before = (hl.f32(0.0), hl.f32(0.0)) if dual is None else (dual[x, y][0], dual[x, y][1])
        step = s.func(f"dual{k}")
        step[x, y] = hl.Tuple([(b + hl.f32(0.24) * g) / length for b, g in zip(before, (across, down), strict=True)])
        dual = step
    return s.plane("denoised", f[x, y] - divergence("last", dual)[x, y] * hl.f32(1 / 8))


def _middle_of_five(hl: Any, v: list[Any]) -> Any:
    for a, b in ((0, 1), (3, 4), (0, 3), (1, 4), (1, 2), (2, 3), (1, 2)):
        v[a], v[b] = hl.min(v[a], v[b]), hl.max(v[a], v[b])
    return v[2]


def median_of_medians(s: Stages, size: Size) -> Any:
    """Medians of five along rows, of which those along columns are taken, of a colour image."""
    hl, x, y, c = s.hl, s.x, s.y, s.c
    f = s.edge(s.inputs[0])
    rows, out = s.func("rows"), s.func("medians")
    rows[x, y, c] = _middle_of_five(hl, [f[x + k, y, c] for k in range(-2, 3)])
    out[x, y, c] = _middle_of_five(hl, [rows[x, y + k, c] for k in range(-2, 3)])
    return out


def yuv420(s: Stages, size: Size) -> Any:
    """RGB to YUV with halved chroma and back, by the integers of libyuv."""
    hl, x, y, c = s.hl, s.x, s.y, s.c
    f = s.edge(s.inputs[0])
    red, green, blue = (hl.i32(f[x, y, k]) for k in range(3))
    luma = s.plane("luma", hl.u8(((66 * red + 129 * green + 25 * blue + 128) >> 8) + 16))
    chroma = s.func("chroma")
    means = [
        (hl.i32(f[2 * x, 2 * y, k]) + hl.i32(f[2 * x + 1, 2 * y, k]) + hl.i32(f[2 * x, 2 * y + 1, k])
         + hl.i32(f[2 * x + 1, 2 * y + 1, k]) + 2) >> 2 for k in range(3)
    ]
    u = ((-38 * means[0] - 74 * means[1] + 112 * means[2] + 128) >> 8) + 128
    v = ((112 * means[0] - 94 * means[1] - 18 * means[2] + 128) >> 8) + 128
    chroma[x, y] = hl.Tuple([hl.u8(u), hl.u8(v)])
    one = (hl.i32(luma[x, y]) - 16) * 298
    cb, cr = (hl.i32(chroma[x / 2, y / 2][k]) - 128 for k in range(2))
    out = s.func("rgb")
    values = (one + 409 * cr, one - 100 * cb - 208 * cr, one + 516 * cb)
    out[x, y, c] = hl.u8(hl.clamp((hl.mux(c, list(values)) + 128) >> 8, 0, 255))
    return out


def lanczos_half(s: Stages, size: Size) -> Any:
    """A colour image of half the size by Lanczos' kernel of three lobes, as libraries resample."""
    hl, x, y, c = s.hl, s.x, s.y, s.c
    f = s.edge(s.inputs[0])
    at = [(k + 0.5) / 2 for k in range(-6, 6)]
    taps = [3 * math.sin(math.pi * t) * math.sin(math.pi * t / 3) / (math.pi * t) ** 2 for t in at]
    weights = [hl.f32(t / sum(taps)) for t in taps]
    rows, out = s.func("rows"), s.func("half")
    rows[x, y, c] = sum((w * f[x, 2 * y + k, c] for k, w in zip(range(-4, 7), weights[1:], strict=True)),
                        weights[0] * f[x, 2 * y - 5, c])
    out[x, y, c] = sum((w * rows[2 * x + k, y, c] for k, w in zip(range(-4, 7), weights[1:], strict=True)),
                       weights[0] * rows[2 * x - 5, y, c])
    return out


def fisheye(s: Stages, size: Size) -> Any:
    """A radial distortion taken out: bilinear samples at computed places, as remap has them."""
    hl, x, y, c = s.hl, s.x, s.y, s.c
    image, (width, height) = s.inputs[0], size
    dx, dy = ((hl.f32(v) - hl.f32(n / 2)) * hl.f32(2 / width) for v, n in ((x, width), (y, height)))
    grown = hl.f32(1.0) - hl.f32(0.2) * (dx * dx + dy * dy)
    place = s.func("place")
    places = [hl.clamp(d * grown * hl.f32(width / 2) + hl.f32(n / 2), hl.f32(0.0), hl.f32(n - 2))
              for d, n in ((dx, width), (dy, height))]
    place[x, y] = hl.Tuple(places)
    (px, py), out = (place[x, y][k] for k in range(2)), s.func("straight")
    left, top = hl.i32(hl.floor(px)), hl.i32(hl.floor(py))
    fx, fy = px - hl.f32(left), py - hl.f32(top)
    left, top = hl.clamp(left, 0, width - 2), hl.clamp(top, 0, height - 2)
    corners = [hl.f32(image[left + i, top + j, c]) for j, i in itertools.product((0, 1), (0, 1))]
    high = corners[0] + (corners[1] - corners[0]) * fx
    low = corners[2] + (corners[3] - corners[2]) * fx
    out[x, y, c] = hl.u8(hl.clamp(high + (low - high) * fy + hl.f32(0.5), hl.f32(0.0), hl.f32(255.0)))
    return out


def otsu(s: Stages, size: Size) -> Any:
    """A threshold by Otsu (1979): a histogram, its sums, and the level that separates most."""
    hl, x, y = s.hl, s.x, s.y
    image, i = s.inputs[0], hl.Var("i")
    r, t = hl.RDom([(0, size[0]), (0, size[1])], "r"), hl.RDom([(1, 255)], "t")
    histogram, sums, moments = (s.func(n) for n in ("histogram", "sums", "moments"))
    histogram[i] = hl.i32(0)
    histogram[hl.i32(image[r.x, r.y])] += 1
    sums[i] = histogram[i]
    sums[t.x] += sums[t.x - 1]
    moments[i] = hl.f32(histogram[i]) * hl.f32(i)
    moments[t.x] += moments[t.x - 1]
    total, level = hl.f32(size[0] * size[1]), s.func("level")
    own, moment = hl.f32(sums[t.x]), moments[t.x]
    apart = moments[255] * own - moment * total
    variance = apart * apart / hl.max(own * (total - own), hl.f32(1.0))
    best = s.func("best")
    best[i] = hl.Tuple([hl.i32(0), hl.f32(-1.0)])
    more = variance > best[i][1]
    best[i] = hl.Tuple([hl.select(more, t.x, best[i][0]), hl.select(more, variance, best[i][1])])
    level[i] = best[i][0]
    return s.plane("black_white", hl.select(hl.i32(image[x, y]) > level[0], hl.u8(255), hl.u8(0)))


def depthwise_separable(s: Stages, size: Size) -> Any:
    """A block of MobileNet (Howard et al. 2017): filters of 3x3 for each of 32 channels, and 64 sums over these."""
    hl, x, y, c = s.hl, s.x, s.y, s.c
    f, small, wide = s.inputs
    r, k = hl.RDom([(0, 3), (0, 3)], "r"), hl.RDom([(0, 32)], "k")
    own, active, mixed, out = (s.func(n) for n in ("own", "active", "mixed", "out"))
    own[x, y, c] = hl.f32(0.0)
    own[x, y, c] += f[x + r.x, y + r.y, c] * (small[r.x, r.y, c] - hl.f32(0.5))
    active[x, y, c] = hl.clamp(own[x, y, c], hl.f32(0.0), hl.f32(6.0))
    mixed[x, y, c] = hl.f32(0.0)
    mixed[x, y, c] += active[x, y, k.x] * (wide[k.x, c] - hl.f32(0.5))
    out[x, y, c] = hl.clamp(mixed[x, y, c], hl.f32(0.0), hl.f32(6.0))
    return out


_WEIGHTS = (
    Image("features", "f32", lambda s: (s[0] + 2, s[1] + 2, 32)), Image("small", "f32", lambda _: (3, 3, 32)),
    Image("wide", "f32", lambda _: (32, 64)),
)
ALL = (
    Description(bilateral_direct, (grey("image", "f32"),), (1536, 1024)),
    Description(perona_malik, (grey("image", "f32"),), (1536, 1024)),
    Description(chambolle, (grey("image", "f32"),), (1536, 1024)),
    Description(median_of_medians, (colour("image"),), (1920, 1080), lambda s: (*s, 3)),
    Description(yuv420, (colour("image"),), (1920, 1080), lambda s: (*s, 3)),
    Description(lanczos_half, (colour("image", "f32"),), (2560, 1440), lambda s: (s[0] // 2, s[1] // 2, 3)),
    Description(fisheye, (colour("image"),), (1920, 1080), lambda s: (*s, 3)),
    Description(otsu, (grey("image"),), (2560, 1600)),
    Description(depthwise_separable, _WEIGHTS, (112, 112), lambda s: (*s, 64), ((37, 19), (21, 35))),
)
