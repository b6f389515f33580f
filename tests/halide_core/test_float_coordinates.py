"""Coordinates scaled by a float that is only known when the program runs: whatever it is, memory is kept to."""

from __future__ import annotations

import math

import numpy as np
import pytest

import halide_core as hl
from halide_core.errors import HalideError

W, H, WIDTH = 100, 30, 180
SCALES = [0.7, 1.375, -0.9, 0.0, -0.0, 1e7, 3e7, 1e10, -1e10, 3e38, -3e38, math.inf, -math.inf, math.nan]


def resampled(clamped: str) -> tuple[hl.Func, hl.Param]:
    """A Func computed for each tile of what reads it at a scaled column."""
    x, y, xo, yo, xi, yi = (hl.Var(n) for n in ["x", "y", "xo", "yo", "xi", "yi"])
    scale, width = hl.Param(hl.Float(32), "scale"), hl.Param(hl.Int(32), "width", WIDTH)
    inner, out = hl.Func("inner"), hl.Func("out")
    inner[x, y] = x * 3 + y
    at = (hl.f32(x) + 0.5) * scale - 0.5
    if clamped == "float":
        at = hl.clamp(at, hl.f32(0), hl.f32(width - 1))
    column = hl.i32(hl.floor(at))
    if clamped == "int":
        column = hl.clamp(column, 0, width - 1)
    out[x, y] = inner[column, y] + inner[column + 1, y]
    out.tile(x, y, xo, yo, xi, yi, 32, 16).vectorize(xi, 8)
    inner.compute_at(out, xo).vectorize(x, 8)
    return out, scale


def columns(scale: float, clamped: str) -> np.ndarray:
    """By numpy; what no int32 can hold is the least one."""
    with np.errstate(all="ignore"):
        at = (np.arange(W, dtype=np.float32) + np.float32(0.5)) * np.float32(scale) - np.float32(0.5)
        if clamped == "float":
            at = np.where(at < WIDTH - 1, at, np.float32(WIDTH - 1))
            at = np.where(at > 0, at, np.float32(0))
        at = np.floor(at).astype(np.float64)
        fits = (at >= -(2.0**31)) & (at < 2.0**31)
        column = np.where(fits, at, -(2.0**31)).astype(np.int64)
    return np.clip(column, 0, WIDTH - 1) if clamped == "int" else column


@pytest.mark.parametrize("clamped", ["int", "float"])
def test_clamped_coordinates_are_read_whatever_the_scale(clamped: str) -> None:
    out, scale = resampled(clamped)
    for value in SCALES:
        scale.set(value)
        expected = columns(value, clamped) * 6 + 3 + 2 * np.arange(H)[:, None]
        assert np.array_equal(np.asarray(out.realize([W, H])), expected), value


def test_coordinates_that_are_none_end_the_program() -> None:
    out, scale = resampled("no")
    for value in SCALES:
        scale.set(value)
        expected = columns(value, "no")
        if np.abs(expected).max() < 1e6:
            found = np.asarray(out.realize([W, H]))
            assert np.array_equal(found, expected * 6 + 3 + 2 * np.arange(H)[:, None]), value
        else:
            with pytest.raises(HalideError, match=r"Func inner.* is read at coordinates x computed from floats"):
                out.realize([W, H])


def test_rows_that_are_kept_of_rows_that_are_slid() -> None:
    """Storage of what one row reads, where the loop over these rows has one iteration."""
    x, y, yo, yi = (hl.Var(n) for n in ["x", "y", "yo", "yi"])
    inner, middle, out = hl.Func("inner"), hl.Func("middle"), hl.Func("out")
    inner[x, y] = x * 3 + y
    column, row = (hl.clamp(hl.i32(hl.floor((hl.f32(v) + 0.5) * hl.f32(1.3119) - 0.5)), 0, 40) for v in (x, y))
    middle[x, y] = inner[column, row] + inner[column + 1, row + 1]
    out[x, y] = middle[x, y] + middle[x + 2, y]
    out.split(y, yo, yi, 16).vectorize(x, 32, hl.TailStrategy.Predicate)
    middle.store_at(out, yo).compute_at(out, yi).vectorize(x, 16)
    inner.store_at(out, yi).compute_at(middle, y).vectorize(x, 16, hl.TailStrategy.RoundUp)
    places = np.floor((np.arange(W + 2, dtype=np.float32) + np.float32(0.5)) * np.float32(1.3119) - np.float32(0.5))
    at = np.clip(places, 0, 40)
    read = 6 * at[None, :] + 2 * at[:H, None] + 4
    assert np.array_equal(np.asarray(out.realize([W, H])), read[:, :W] + read[:, 2:])
