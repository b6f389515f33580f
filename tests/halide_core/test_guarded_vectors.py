"""Vectors that a guard cuts, tiles of a few vectors, and producers of stages that slide."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.lower import lower

X, Y, XO, YO, XI, YI, T = (hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi", "t"))


def _innermost(s: st.Stmt) -> list[st.Store]:
    return [x for x in st.walk(s) if isinstance(x, st.Store)]


def _lowered(f: hl.Func) -> st.Stmt:
    return lower([f._function], hl.Target("host")).stmt


@pytest.mark.parametrize("width,height", [(1, 1), (31, 5), (512, 32), (515, 33), (1100, 70)])
def test_a_guard_inside_of_a_fused_loop_masks_its_last_vector_only(width: int, height: int) -> None:
    image, f = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f")
    f[X, Y] = hl.BoundaryConditions.repeat_image(image)[X - 3, Y + 1] + hl.u8(1)
    f.split(X, XO, XI, 512, hl.TailStrategy.GuardWithIf).split(Y, YO, YI, 32, hl.TailStrategy.GuardWithIf)
    f.reorder(XI, YI, XO, YO).vectorize(XI, 32).fuse(XO, YO, T).parallel(T)
    pixels = np.random.default_rng(width).integers(0, 256, (17, 41), np.uint8)
    kept = hl.Buffer(pixels)
    image.set(kept)
    columns, rows = (np.arange(width) - 3) % 41, (np.arange(height) + 1) % 17
    assert np.array_equal(np.array(f.realize([width, height])), pixels[np.ix_(rows, columns)] + np.uint8(1))
    assert any(x.predicate is None for x in _innermost(_lowered(f)))


@pytest.mark.parametrize("tail", [hl.TailStrategy.GuardWithIf, hl.TailStrategy.RoundUp, hl.TailStrategy.ShiftInwards])
@pytest.mark.parametrize("width", [32, 64, 77, 100])
def test_tiles_of_a_few_vectors(tail: hl.TailStrategy, width: int) -> None:
    image, g, f = hl.ImageParam(hl.Int(32), 2, "image"), hl.Func("g"), hl.Func("f")
    g[X, Y] = hl.BoundaryConditions.constant_exterior(image, 0)[X - 1, Y] * 3
    f[X, Y] = hl.i16(g[X, Y] + g[X + 2, Y])
    size = (width + 31) // 32 * 32 if tail is hl.TailStrategy.RoundUp else width
    f.split(X, XO, XI, 32, tail).split(Y, YO, YI, 8).reorder(XI, YI, XO, YO).vectorize(XI, 16).parallel(YO)
    g.compute_at(f, XO).vectorize(X, 8)
    pixels = np.random.default_rng(width).integers(-900, 900, (24, width), np.int32)
    kept = hl.Buffer(pixels)
    image.set(kept)
    wide = np.pad(pixels, ((0, 0), (1, size - width + 1))) * 3
    assert np.array_equal(np.array(f.realize([size, 24])), (wide[:, :-2] + wide[:, 2:]).astype(np.int16)[:, :size])


def test_blocks_that_run_in_full_have_constant_extents() -> None:
    image, g, f = hl.ImageParam(hl.Int(32), 2, "image"), hl.Func("g"), hl.Func("f")
    g[X, Y] = image[X, Y] * 3
    f[X, Y] = g[X, Y] + 1
    f.split(X, XO, XI, 32, hl.TailStrategy.RoundUp).split(Y, YO, YI, 8).reorder(XI, YI, XO, YO).vectorize(XI, 16)
    g.compute_at(f, XO).vectorize(X, 8)
    loops = {x.name: x.extent for x in st.walk(_lowered(f)) if isinstance(x, st.For)}
    assert ir.const_value(loops["g.s0.x"]) == 4 and ir.const_value(loops["g.s0.y"]) == 8


def test_what_a_sliding_stage_reads_is_computed_for_its_new_rows() -> None:
    g, h, f = hl.Func("g"), hl.Func("h"), hl.Func("f")
    g[X, Y] = X * 7 + Y * 3
    h[X, Y] = g[X, Y] * 2
    f[X, Y] = h[X, Y - 1] + h[X, Y] + h[X, Y + 1]
    h.store_root().compute_at(f, Y)
    g.compute_at(f, Y)
    x, y = np.meshgrid(np.arange(4), np.arange(6))
    assert np.array_equal(np.array(f.realize([4, 6])), 2 * 3 * (x * 7 + y * 3))
    rows = [x.extent for x in st.walk(_lowered(f)) if isinstance(x, st.For) and x.name == "g.s0.y"]
    assert rows and all(ir.const_value(e) != 3 for e in rows)
