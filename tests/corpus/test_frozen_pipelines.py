"""The pipelines of corpus/frozen under halide_core and under the package `halide`, as scheduled by hand.

One odd size each, but for those that compile for several seconds; with ALL_SIZES set all sizes, and these."""

from __future__ import annotations

import os

import pytest

import halide_core
from corpus.pipelines.common import pipelines, run
from tests.conformance.cases import difference

pytestmark = pytest.mark.long

halide = pytest.importorskip("halide")

SLOW = {"census_stereo", "wavelet"}
ALL = bool(os.environ.get("ALL_SIZES"))
CASES = [
    (p, s) for p in pipelines("corpus.frozen") if ALL or p.name not in SLOW for s in (p.small if ALL else p.small[:1])
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("pipeline", "size"), CASES, ids=lambda v: getattr(v, "name", None) or "x".join(map(str, v)))
def test_same_as_halide(pipeline, size) -> None:
    theirs = run(halide, pipeline, size, scheduled=True)
    ours = run(halide_core, pipeline, size, scheduled=True)
    assert not [d for a, b in zip(ours, theirs, strict=True) if (d := difference(a, b, 0))]
