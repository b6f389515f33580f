"""A Buffer's memory goes with its last user, without waiting for the collector of cycles."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

import halide_core as hl


@pytest.fixture(autouse=True)
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_results_go_at_once() -> None:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.f32(x)
    result = f.realize([10])
    seen = weakref.ref(result)
    assert result.type() == hl.Float(32) and result[3] == 3.0 and result.name() and result.dim(0).extent() == 10
    del result
    assert seen() is None


def test_what_a_definition_reads_stays() -> None:
    x, f = hl.Var("x"), hl.Func("f")
    buffer = hl.Buffer(np.arange(5, dtype=np.float32))
    seen = weakref.ref(buffer)
    f[x] = buffer[x] * 2
    del buffer
    gc.collect()
    assert seen() is not None
    assert np.array(f.realize([5])).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
