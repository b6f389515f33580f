"""Tails that run beyond their range read what is stored, and only that which must have a value is computed for them."""

from __future__ import annotations

import numpy as np

import halide_core as hl


def _stages() -> tuple[hl.Var, hl.Var, hl.ImageParam, hl.Func, hl.Func, hl.Func]:
    x, y = hl.Var("x"), hl.Var("y")
    return x, y, hl.ImageParam(hl.Int(32), 2, "image"), hl.Func("first"), hl.Func("second"), hl.Func("out")


def _of_exactly_its_size(image: hl.ImageParam, width: int, height: int) -> np.ndarray:
    pixels = np.arange(width * height, dtype=np.int32).reshape(height, width) * 7 % 101
    image.set(hl.Buffer(pixels))
    return pixels


def test_a_requirement_holds_for_tails_where_it_holds_for_the_result() -> None:
    """The package ends the run here: its tail looks at what nothing has computed."""
    x, y, image, first, second, out = _stages()
    first[x, y] = hl.max(image[x, y], 5)
    second[x, y] = hl.require(first[x, y] >= 5, first[x, y] * 2, hl.Expr("too small"))
    out[x, y] = second[x, y] - second[x + 1, y]
    first.compute_root()
    second.compute_root().vectorize(x, 16, hl.TailStrategy.RoundUp)
    # 83 columns and one more are asked for: what the tail touches of `first` is computed, and `image` is read for it.
    pixels = _of_exactly_its_size(image, 96, 9)
    result = np.array(out.realize([83, 9]))
    seen = np.maximum(pixels, 5) * 2
    assert np.array_equal(result, seen[:, :83] - seen[:, 1:84])


def test_only_what_is_asked_for_is_read_of_the_image() -> None:
    x, y, image, first, second, out = _stages()
    first[x, y] = image[x, y] + 1
    second[x, y] = first[x, y] * first[x + 2, y]
    out[x, y] = second[x, y] - second[x + 1, y]
    first.compute_root().vectorize(x, 8)
    second.compute_root().vectorize(x, 16, hl.TailStrategy.RoundUp)
    pixels = _of_exactly_its_size(image, 86, 9)
    result = np.array(out.realize([83, 9]))
    seen = (pixels + 1)[:, :84] * (pixels + 1)[:, 2:86]
    assert np.array_equal(result, seen[:, :83] - seen[:, 1:])


def test_coordinates_that_a_stage_computes_are_some_in_tails_too() -> None:
    x, y, image, where, moved, out = _stages()
    where[x, y] = hl.clamp(image[x, y], 0, 40)
    moved[x, y] = image[where[x, y], y]
    out[x, y] = moved[x, y] - moved[x + 1, y]
    where.compute_root()
    moved.compute_root().vectorize(x, 16, hl.TailStrategy.RoundUp)
    pixels = _of_exactly_its_size(image, 96, 9)
    result = np.array(out.realize([83, 9]))
    seen = np.take_along_axis(pixels, np.clip(pixels, 0, 40), 1)
    assert np.array_equal(result, seen[:, :83] - seen[:, 1:84])
