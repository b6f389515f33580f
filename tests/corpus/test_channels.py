"""Pixels of as many channels as the caller says: the usual numbers have code of their own, all give the same."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from codegen.variants import variants
from halide_core.target import Target
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function
from synth.lift import lift_function
from tests.corpus.beside import libraries

pytestmark = pytest.mark.few(4)

SOURCE = Path(__file__).with_name("channels.cpp").read_text()
COUNTS = (0, 1, 2, 3, 4, 5, 9)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL, dict[str, str]]:
    return libraries(tmp_path_factory.mktemp("channels"), SOURCE)


def test_the_usual_numbers_have_variants(tmp_path) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(SOURCE)
    for f in parse_file(str(source)).functions:
        assert isinstance(f, Function)
        summary = lift_function(f).summary
        assert summary is not None
        kernels = [v for v in variants(summary, Target("host")) if v.pipeline is not None]
        assert len(kernels) == {"over": 2, "weights": 3}[f.name] + 1


@pytest.mark.parametrize("channels", COUNTS)
@pytest.mark.parametrize("pixels", [0, 1, 7, 64, 333])
def test_over(pair, channels: int, pixels: int) -> None:
    rng = np.random.default_rng(channels)
    src, dst = (rng.integers(0, 256, pixels * channels + 8, np.uint8) for _ in range(2))
    results = []
    for library in pair[:2]:
        out = dst.copy()
        getattr(library, pair[2]["over"])(
            ctypes.c_void_p(out.ctypes.data), ctypes.c_void_p(src.ctypes.data), pixels, channels
        )
        results.append(out)
    assert np.array_equal(*results)


@pytest.mark.parametrize("channels", COUNTS)
@pytest.mark.parametrize("pixels", [0, 1, 7, 64, 333])
def test_weights(pair, channels: int, pixels: int) -> None:
    rng = np.random.default_rng(channels)
    src, dst = (rng.random(pixels * channels + 8, np.float32) for _ in range(2))
    weight = rng.random(channels, np.float32)
    results = []
    for library in pair[:2]:
        out = dst.copy()
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (out, src, weight)]
        getattr(library, pair[2]["weights"])(*pointers, ctypes.c_size_t(pixels), ctypes.c_size_t(channels))
        results.append(out)
    assert np.array_equal(*results)
