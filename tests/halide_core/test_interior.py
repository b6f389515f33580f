"""Vectors away from borders: which comparisons show that they are, and that many reads of a border are no hindrance."""

from __future__ import annotations

import numpy as np

import halide_core as hl
from halide_core.ir.expr import I32, Variable
from halide_core.passes.conjunctions import strictest

W, X = Variable(I32, "w"), Variable(I32, "x")


def test_comparisons_that_others_imply_are_left_out() -> None:
    tests = [X + 1 < W, X + 3 <= W, X + 2 < W, X - 2 >= 0, X >= 0, X * 2 < W]
    left = ["(x + 3) <= w", "(x + 1) < w", "(x - 2) >= 0", "x >= 0", "(x * 2) < w"]
    assert list(map(str, strictest([*tests, X - 1 >= 0]))) == left


def test_both_ends_are_left_as_the_stricter_one_may_overflow() -> None:
    kept = strictest([X + 5 < W, X < W, X + 2 < W])
    assert list(map(str, kept)) == ["(x + 5) < w", "x < w"]


def test_windows_of_a_mirrored_image() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    image, f = hl.ImageParam(hl.Int(32), 2, "image"), hl.Func("f")
    mirrored = hl.BoundaryConditions.mirror_interior(image)
    f[x, y] = sum((mirrored[x + i, y + j] * (i + 3 * j + 7) for j in (-1, 0, 1) for i in range(-4, 5)), hl.i32(0))
    f.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    for width, height in ((83, 7), (16, 3), (9, 2)):
        pixels = np.random.default_rng(3).integers(0, 1000, (height, width), np.int32)
        kept = hl.Buffer(pixels)
        image.set(kept)
        wide = np.pad(pixels, ((1, 1), (4, 4)), mode="reflect")
        wanted = sum(
            wide[j + 1:j + 1 + height, i + 4:i + 4 + width] * (i + 3 * j + 7) for j in (-1, 0, 1) for i in range(-4, 5)
        )
        assert np.array_equal(np.array(f.realize([width, height])), wanted)
