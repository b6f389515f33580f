"""Vectors of which some lanes stay as they were, of every width: none is stored under a mask that costs more."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl

TYPES = {"u8": np.uint8, "i16": np.int16, "i32": np.int32, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("target", ["host", "x86-64-linux-avx2-fma-f16c", "x86-64-linux-avx", "x86-64-linux-sse41"])
@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16, 32])
@pytest.mark.parametrize("name", TYPES)
def test_every_width(name: str, lanes: int, target: str) -> None:
    x = hl.Var("x")
    image, out = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("out")
    out[x] = getattr(hl, name)(7)
    out[x] = hl.select(image[x] > 100, getattr(hl, name)(image[x] % 50), out[x])
    out.update().vectorize(x, lanes, hl.TailStrategy.GuardWithIf)
    data = np.arange(0, 250, 3, dtype=np.uint8)
    image.set(hl.Buffer(data))
    found = np.zeros(len(data), TYPES[name])
    out.realize(hl.Buffer(found), hl.Target(target))
    assert np.array_equal(found, np.where(data > 100, data % 50, 7).astype(TYPES[name]))
