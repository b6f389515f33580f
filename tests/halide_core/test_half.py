"""Conversions of float16 on x86 with and without the instructions for them, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl

TARGETS = ["x86-64-linux", "x86-64-linux-sse41-avx-avx2-f16c-fma", "host"]
HALVES = np.arange(65536, dtype=np.uint16).view(np.float16)


def _converted(values: np.ndarray[Any, Any], to: int, lanes: int, target: str) -> np.ndarray[Any, Any]:
    x, source, f = hl.Var("x"), hl.ImageParam(hl.Float(values.itemsize * 8), 1, "source"), hl.Func("f")
    f[x] = hl.cast(hl.Float(to), source[x])
    if lanes > 1:
        f.vectorize(x, lanes)
    source.set(hl.Buffer(values))
    return np.asarray(f.realize([len(values)], hl.Target(target)))


def _edges(bits: int) -> np.ndarray[Any, Any]:
    """Floats on, between and beside all float16s, and any bits."""
    with np.errstate(all="ignore"):
        exact = HALVES.astype(f"f{bits // 8}")
        middle = ((exact[:-1].astype(np.float64) + exact[1:]) / 2).astype(exact.dtype)
        infinity = exact.dtype.type("inf")
        near = [np.nextafter(v, way) for v in (exact, middle) for way in (infinity, -infinity)]
    rng = np.random.default_rng(1)
    anything = rng.integers(0, 2**bits, 20000, dtype=f"u{bits // 8}").view(exact.dtype)
    return np.concatenate([exact, middle, *near, anything, rng.normal(0, 1e-5, 20000).astype(exact.dtype)])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("bits", [32, 64])
def test_conversions(bits: int, lanes: int, target: str) -> None:
    np.testing.assert_array_equal(_converted(HALVES, bits, lanes, target), HALVES.astype(f"f{bits // 8}"))
    values = _edges(bits)
    with np.errstate(all="ignore"):
        wanted = values.astype(np.float16)
    np.testing.assert_array_equal(_converted(values, 16, lanes, target), wanted)
