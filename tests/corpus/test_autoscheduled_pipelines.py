"""The pipelines of corpus/pipelines under the autoschedulers: the unscheduled results bit for bit, at odd sizes.

One size each, for which the schedule was not made; with ALL_SIZES set (`make test-pipelines`) all three, each also
under the schedule made for that size."""

from __future__ import annotations

import os

import numpy as np
import pytest

import halide_core as hl
from corpus.pipelines.common import bind, estimate, output_buffers, pipelines, run

pytestmark = pytest.mark.long

ALL = bool(os.environ.get("ALL_SIZES"))
# Compiled for seconds; the hand schedule stands for the unscheduled pipeline, which would take minutes.
LARGE = {"interpolate", "laplacian_blend", "lens_blur", "local_laplacian", "stencil_chain", "vdsr"}
SLOW = LARGE | {"camera_pipe"}
# Of the others, what the second method is tried on.
SHORT = {"blur", "harris", "histogram_equalize", "iir_blur", "mat_mul", "max_filter", "unsharp"}
# A short search: what is held here are results.
METHODS = {"Reuse2019": {}, "TreeSearch": {"limit": "2000" if ALL else "200"}}
CASES = [
    (method, p, s, own)
    for method in METHODS
    for p in pipelines() if ALL or (p.name not in SLOW and (method == "Reuse2019" or p.name in SHORT))
    for s in (p.small if ALL else p.small[1:2])
    for own in ((False, True) if ALL else (False,))
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("method", "pipeline", "size", "own"), CASES, ids=lambda v: getattr(v, "name", None) or str(v))
def test_same_as_unscheduled(method, pipeline, size, own) -> None:
    built = pipeline.build(hl, size)
    arrays = pipeline.arrays(size, np.random.default_rng(0))
    estimate(built, pipeline, size, arrays)
    if not own:
        for f, extents in zip(built.outputs, pipeline.shapes(size), strict=True):
            f.set_estimates([(0, n if n <= 4 else 20 * n) for n in extents])
    target = hl.Target("host-strict_float")
    result = hl.Pipeline(built.outputs).apply_autoscheduler(target, hl.AutoschedulerParams(method, METHODS[method]))
    assert result.python_schedule_source and result.schedule_source
    kept = bind(hl, built, arrays)
    outs = output_buffers(hl, built, pipeline.shapes(size))
    hl.Pipeline(built.outputs).realize(outs, target)
    del kept
    for a, b in zip(outs, run(hl, pipeline, size, scheduled=pipeline.name in LARGE), strict=True):
        assert np.array_equal(np.array(a), b, equal_nan=b.dtype.kind == "f")
