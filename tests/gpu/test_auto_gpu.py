"""Schedules of AutoGPU: what the host computes, bit for bit, and what the package takes."""

from __future__ import annotations

import os

import numpy as np
import pytest

from corpus.pipelines.common import PipelineFile, pipelines
from tests.gpu import papers

ALL = bool(os.environ.get("ALL_SIZES"))
PIPELINES = {p.name: p for p in pipelines()}
SLOW = {"lens_blur", "local_laplacian", "stencil_chain", "interpolate", "laplacian_blend", "vdsr", "camera_pipe"}
CASES = [(n, k) for n in PIPELINES if ALL or n not in SLOW for k in (range(3) if ALL else (1,))]


@pytest.mark.parametrize(("name", "size"), CASES)
def test_equals_the_host(name: str, size: int) -> None:
    """At an odd size, under the schedule made for the papers' sizes."""
    p: PipelineFile = PIPELINES[name]
    small = p.small[size]
    wanted = papers.on_host(p, small)
    found, device = papers.under_auto_gpu(p, small, p.size)
    assert device.launches
    for a, b in zip(found, wanted, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
