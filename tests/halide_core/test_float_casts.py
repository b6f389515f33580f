"""Floats clamped to constants become integers without a look at what does not fit, whatever they were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl

VALUES = np.array(
    [np.nan, np.inf, -np.inf, -0.0, 0.4, -0.6, 0.99999994, 1, 254.5, 255, 255.00002, 256, -1, 3e9, -3e9],
    np.float32,
)
RANGES = {
    "u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "u32": (0, 1e6), "i32": (-1e6, 1e6),
}  # fmt: skip


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("name", RANGES)
def test_clamped(name: str, lanes: int) -> None:
    low, high = RANGES[name]
    x = hl.Var("x")
    image = hl.ImageParam(hl.Float(32), 1, "image")
    out = hl.Func("out")
    clamped: Any = hl.clamp(image[x], hl.f32(low), hl.f32(high))
    out[x] = getattr(hl, name)(clamped)
    if lanes > 1:
        out.vectorize(x, lanes, hl.TailStrategy.GuardWithIf)
    image.set(hl.Buffer(VALUES))
    # A NaN is less than nothing: what is left is the upper limit.
    most, least = np.float32(high), np.float32(low)
    smaller = np.where(np.less(VALUES, most), VALUES, most)
    expected = np.where(np.greater(smaller, least), smaller, least).astype(np.int64)
    assert np.array_equal(np.asarray(out.realize([len(VALUES)])).astype(np.int64), expected)
