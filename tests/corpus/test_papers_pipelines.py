"""The pipelines of corpus/pipelines under halide_core and under the package `halide`, as scheduled by hand.

One odd size each, but for those that compile for long; with ALL_SIZES set (`make test-pipelines`) all sizes, and
these."""

from __future__ import annotations

import os

import numpy as np
import pytest

import halide_core
from corpus.pipelines.common import pipelines, run
from tests.conformance.cases import difference

pytestmark = pytest.mark.long

halide = pytest.importorskip("halide")

# Where exp and pow enter, which differ from libm's by a little in either module.
TRANSCENDENTAL = {"camera_pipe": 0, "lens_blur": 64, "nl_means": 64}
# exp differs by up to two ulp, which moves few of the values that are cut off to integers, by one.
ROUNDED = {"local_laplacian": 1}
SLOW = {"camera_pipe", "laplacian_blend", "lens_blur", "local_laplacian", "stencil_chain"}
ALL = bool(os.environ.get("ALL_SIZES"))
CASES = [(p, s) for p in pipelines() if ALL or p.name not in SLOW for s in (p.small if ALL else p.small[1:2])]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("pipeline", "size"), CASES, ids=lambda v: getattr(v, "name", None) or "x".join(map(str, v)))
def test_same_as_halide(pipeline, size) -> None:
    theirs = run(halide, pipeline, size, scheduled=True)
    ours = run(halide_core, pipeline, size, scheduled=True)
    for a, b in zip(ours, theirs, strict=True):
        if a.dtype.kind in "iu" and pipeline.name in ROUNDED:
            assert int(np.abs(a.astype(np.int64) - b.astype(np.int64)).max(initial=0)) <= ROUNDED[pipeline.name]
        else:
            assert not difference(a, b, TRANSCENDENTAL.get(pipeline.name, 0))
