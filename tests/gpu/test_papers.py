"""The papers' pipelines under schedules for a device: what the host computes, bit for bit, and kernels that NVIDIA's
assembler takes without spills.

One odd size each, but for those that compile for a quarter of a minute; with ALL_SIZES set (`make test-pipelines`) all
sizes, and these."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from corpus.pipelines.common import PipelineFile, Size, pipelines
from halide_core.backend.ptx import to_ptx
from tests.gpu import papers
from tests.gpu.test_ptxas import assembler, resources

pytestmark = pytest.mark.long

PIPELINES = pipelines()
SLOW = {"lens_blur", "local_laplacian", "stencil_chain"}
ALL = bool(os.environ.get("ALL_SIZES"))
CASES = [(p, k) for p in PIPELINES if ALL or p.name not in SLOW for k in (range(3) if ALL else (1,))]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("pipeline", "size"), CASES, ids=lambda v: getattr(v, "name", None))
def test_equals_the_host(pipeline: PipelineFile, size: int) -> None:
    small: Size = pipeline.small[size]
    wanted = papers.on_host(pipeline, small)
    found, device = papers.on_device(pipeline, small)
    assert device.launches
    for a, b in zip(found, wanted, strict=True):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("pipeline", [p for p in PIPELINES if ALL or p.name not in SLOW], ids=lambda p: p.name)
def test_assembled(pipeline: PipelineFile, tmp_path: Path) -> None:
    path = assembler()
    if path is None:
        pytest.skip("the package nvidia-cuda-nvcc is not installed (pip install 'lifter[cuda]')")
    kernels = papers.kernels(pipeline, pipeline.small[1], "x86-64-linux-sse41-cuda-cuda_capability_80")
    for capability in (80, 90):
        ptx = to_ptx(kernels, capability)
        found = resources(path, ptx, capability, tmp_path)
        assert found
        assert not any(r["spills"] for r in found.values()), found
