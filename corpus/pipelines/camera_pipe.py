"""A camera's raw pipeline in the manner of the Frankencamera (Adams et al., 2010): hot pixels, demosaic, colour, curve,
sharpening.  Input: a GRBG Bayer mosaic of 10 bits; output: 8-bit RGB."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, Size

SIZE = (2560, 1936)
SMALL = ((64, 48), (38, 18), (6, 2))
MARGIN = 12
GAMMA, CONTRAST, BLACK, WHITE = 2.2, 50.0, 25, 1023
MATRIX = ((1.70, -0.55, -0.15, -8.0), (-0.30, 1.62, -0.32, -6.0), (-0.02, -0.72, 1.74, -9.0))


def build(hl: Module, size: Size) -> Built:
    x, y, c, yi, yo, k = (hl.Var(n) for n in ("x", "y", "c", "yi", "yo", "k"))
    raw = hl.ImageParam(hl.UInt(16), 2, "raw")
    shifted, denoised = hl.Func("shifted"), hl.Func("denoised")
    shifted[x, y] = hl.i16(raw[x + MARGIN, y + MARGIN])
    around = [shifted[x - 2, y], shifted[x + 2, y], shifted[x, y - 2], shifted[x, y + 2]]
    brightest = hl.max(hl.max(around[0], around[1]), hl.max(around[2], around[3]))
    denoised[x, y] = hl.clamp(shifted[x, y], hl.i16(0), brightest)

    mosaic = hl.Func("mosaic")
    mosaic[x, y, c] = hl.mux(c, [denoised[2 * x + i, 2 * y + j] for j in (0, 1) for i in (0, 1)])
    # Green at green-red sites, red, blue, green at blue-green sites.
    gr, r, b, gb = (hl.Func(n) for n in ("g_gr", "r_r", "b_b", "g_gb"))
    gr[x, y], r[x, y], b[x, y], gb[x, y] = (mosaic[x, y, i] for i in range(4))
    stages = [gr, r, b, gb]

    def average(p: Any, q: Any) -> Any:
        return hl.i16((hl.i32(p) + hl.i32(q) + 1) / 2)

    def define(name: str, value: Any) -> Any:
        f = hl.Func(name)
        f[x, y] = value
        stages.append(f)
        return f

    def along_the_smaller(v: tuple[Any, Any], h: tuple[Any, Any]) -> Any:
        """The average of the pair that differs less."""
        return hl.select(hl.absd(h[0], h[1]) < hl.absd(v[0], v[1]), average(*h), average(*v))

    g_r = define("g_r", along_the_smaller((gb[x, y - 1], gb[x, y]), (gr[x + 1, y], gr[x, y])))
    g_b = define("g_b", along_the_smaller((gr[x, y + 1], gr[x, y]), (gb[x - 1, y], gb[x, y])))
    # Red and blue at green: the average of neighbours, corrected by how green differs from its own average there.
    r_gr = define("r_gr", average(r[x - 1, y], r[x, y]) + (gr[x, y] - average(g_r[x - 1, y], g_r[x, y])))
    b_gr = define("b_gr", average(b[x, y], b[x, y - 1]) + (gr[x, y] - average(g_b[x, y], g_b[x, y - 1])))
    r_gb = define("r_gb", average(r[x, y], r[x, y + 1]) + (gb[x, y] - average(g_r[x, y], g_r[x, y + 1])))
    b_gb = define("b_gb", average(b[x, y], b[x + 1, y]) + (gb[x, y] - average(g_b[x, y], g_b[x + 1, y])))

    def diagonal(name: str, f: Any, green: Any, own: Any, one: tuple[int, int], other: tuple[int, int]) -> Any:
        """f at the other colour's sites: the diagonal along which it varies less."""

        def corrected(dx: int, dy: int) -> tuple[Any, Any]:
            p, q = f[x, y], f[x + dx, y + dy]
            return average(p, q) + (own[x, y] - average(green[x, y], green[x + dx, y + dy])), hl.absd(p, q)

        def crossed() -> tuple[Any, Any]:
            (ax, ay), (bx, by) = one, other
            p, q = f[x + ax, y + ay], f[x + bx, y + by]
            return average(p, q) + (own[x, y] - average(green[x + ax, y + ay], green[x + bx, y + by])), hl.absd(p, q)

        (down, down_by), (up, up_by) = corrected(one[0] + other[0], one[1] + other[1]), crossed()
        return define(name, hl.select(down_by < up_by, down, up))

    r_b = diagonal("r_b", r, g_r, g_b, (-1, 0), (0, 1))
    b_r = diagonal("b_r", b, g_b, g_r, (1, 0), (0, -1))

    def interleave(name: str, sites: list[Any]) -> Any:
        f = hl.Func(name)
        upper = hl.select(x % 2 == 0, sites[0][x / 2, y / 2], sites[1][x / 2, y / 2])
        lower = hl.select(x % 2 == 0, sites[2][x / 2, y / 2], sites[3][x / 2, y / 2])
        f[x, y] = hl.select(y % 2 == 0, upper, lower)
        return f

    channels = [
        interleave("red", [r_gr, r, r_b, r_gb]),
        interleave("green", [gr, g_r, g_b, gb]),
        interleave("blue", [b_gr, b_r, b, b_gb]),
    ]
    demosaiced, corrected, curve, curved, sharp = (
        hl.Func(n) for n in ("demosaiced", "corrected", "curve", "curved", "processed")
    )
    demosaiced[x, y, c] = hl.mux(c, [f[x, y] for f in channels])

    def mixed(row: tuple[float, ...]) -> Any:
        fixed = [round(v * 256) for v in row]
        total = sum((fixed[i] * hl.i32(demosaiced[x, y, i]) for i in range(3)), hl.i32(fixed[3]))
        return hl.i16(total / 256)

    corrected[x, y, c] = hl.mux(c, [mixed(row) for row in MATRIX])
    # The curve: gamma, then an S of two parabolas.
    fraction = hl.clamp((hl.f32(k) - BLACK) / (WHITE - BLACK), hl.f32(0.0), hl.f32(1.0))
    power = hl.pow(fraction, hl.f32(1 / GAMMA))
    b_ = 2 - 2 ** (CONTRAST / 100)
    a_ = 2 - 2 * b_
    upper = 1 - (hl.f32(a_) * (1 - power) * (1 - power) + hl.f32(b_) * (1 - power))
    lower = hl.f32(a_) * power * power + hl.f32(b_) * power
    bent = hl.select(power > hl.f32(0.5), upper, lower)
    curve[k] = hl.u8(hl.clamp(bent * 255 + hl.f32(0.5), hl.f32(0.0), hl.f32(255.0)))
    curved[x, y, c] = curve[hl.clamp(hl.i32(corrected[x, y, c]), 0, WHITE)]

    def blurred(p: Any, q: Any, s: Any) -> Any:
        return hl.rounding_halving_add(hl.rounding_halving_add(p, s), q)

    across, both = hl.Func("across"), hl.Func("both")
    across[x, y, c] = blurred(curved[x - 1, y, c], curved[x, y, c], curved[x + 1, y, c])
    both[x, y, c] = blurred(across[x, y - 1, c], across[x, y, c], across[x, y + 1, c])
    mask = hl.i16(curved[x, y, c]) - hl.i16(both[x, y, c])
    sharp[x, y, c] = hl.u8_sat(hl.i16(curved[x, y, c]) + mask * hl.i16(round(math.sqrt(4))) / 4)

    def schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        curve.compute_root().vectorize(k, 16, guard)
        sharp.bound(c, 0, 3).split(y, yo, yi, 32, guard).reorder(x, c, yi, yo).vectorize(x, 32, guard).unroll(c)
        sharp.parallel(yo)
        curved.compute_at(sharp, yi).store_at(sharp, yo).bound(c, 0, 3).reorder(c, x, y).vectorize(x, 32, guard)
        curved.unroll(c)
        corrected.compute_at(curved, x).reorder(c, x, y).vectorize(x, 32, guard).unroll(c).bound(c, 0, 3)
        for f in channels:
            f.compute_at(curved, x).vectorize(x, 32, guard)
        for f in stages:
            f.compute_at(sharp, yi).store_at(sharp, yo).vectorize(x, 32, guard)
        denoised.compute_at(sharp, yi).store_at(sharp, yo).vectorize(x, 32, guard)

    def device_schedule() -> None:
        guard = hl.TailStrategy.GuardWithIf
        xi, ki = hl.Var("xi"), hl.Var("ki")
        curve.compute_root().gpu_tile(k, ki, 256, guard)
        sharp.bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_tile(x, y, xi, yi, 28, 12, guard)
        curved.compute_at(sharp, x).bound(c, 0, 3).reorder(c, x, y).unroll(c).gpu_threads(x, y)
        corrected.compute_at(curved, x).bound(c, 0, 3).reorder(c, x, y).unroll(c)
        for f in channels:
            f.compute_at(curved, x)
        for f in stages:
            f.compute_at(sharp, x).gpu_threads(x, y)
        denoised.compute_at(sharp, x).gpu_threads(x, y)

    return Built([raw], [sharp], schedule, device_schedule)


def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    width, height = size
    return [rng.integers(0, 1024, (height + 2 * MARGIN, width + 2 * MARGIN), np.uint16)]


def shapes(size: Size) -> list[tuple[int, ...]]:
    return [(*size, 3)]
