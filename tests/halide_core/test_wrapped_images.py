"""Wrappers of images, where the package `halide` is no measure: it keeps the code that it made before."""

from __future__ import annotations

import numpy as np

import halide_core as hl
from tests.conformance.effect_cases import printed


def test_an_image_wrapped_after_the_pipeline_ran() -> None:
    x = hl.Var("x")
    image, f = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("f")
    f[x] = image[x] + 1
    image.set(hl.Buffer(np.arange(9, dtype=np.uint8)))
    f.realize([9])
    image.in_().compute_root().trace_stores()
    result, text = printed(lambda: f.realize([9]))
    assert np.array_equal(np.asarray(result), np.arange(1, 10))
    assert text.count("Store") == 9
