"""Pipelines with schedules for a device: under the emulator they give what the host gives, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.gpu import running
from tests.gpu.cases import CASES, data_of

pytestmark = pytest.mark.few(6)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", CASES)
def test_equals_the_host(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import halide_core as hc

    monkeypatch.setenv("HL_CHECK_IR", "1")
    case = CASES[name]
    data = data_of(case)
    wanted = running.on_host(hc, case, data)
    found, device = running.on_device(case, data)
    assert np.array_equal(found, wanted)
    assert device.launches


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c.package])
def test_the_package_under_the_emulator(name: str) -> None:
    """The emulator is held to kernels that are not ours: the package's, launched by the package's host code."""
    hl = pytest.importorskip("halide")
    case = CASES[name]
    data = data_of(case, 1)
    wanted = running.on_host(hl, case, data)
    found, device = running.by_package(case, data, wanted)
    assert np.array_equal(found, wanted)
    assert running.left(device) == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["pointwise", "blur_shared", "one_dimension", "three_stages_shared", "matrix_product"])
def test_odd_sizes(name: str) -> None:
    """Sizes drawn at random, none less than a tile."""
    import halide_core as hc

    case = CASES[name]
    random = np.random.default_rng(7)
    data = data_of(case, 2)
    for _ in range(3):
        size = tuple(int(random.integers(16 if len(case.size) == 1 else 8, n + 1)) for n in case.size)
        wanted = running.on_host(hc, case, data, size)
        found, _ = running.on_device(case, data, size)
        assert np.array_equal(found, wanted), size


def test_as_few_barriers_as_the_package() -> None:
    """Of the stages of one block only those that read what other threads wrote wait."""
    pytest.importorskip("halide")
    for name in ("pointwise", "blur_shared", "three_stages_shared", "matrix_product", "reduction_inside"):
        case = CASES[name]
        data = data_of(case)
        found, ours = running.on_device(case, data)
        _, theirs = running.by_package(case, data, found)
        pairs = zip(ours.launches, theirs.launches, strict=True)
        assert all(a.counts.barriers <= b.counts.barriers for a, b in pairs), name
        sizes = [[(x.blocks, x.threads) for x in d.launches] for d in (ours, theirs)]
        assert sizes[0] == sizes[1]


def test_what_the_host_does_not_touch_is_not_copied() -> None:
    """An intermediate result between two kernels stays on the device."""
    case = CASES["two_kernels"]
    data = data_of(case)
    _, device = running.on_device(case, data)
    assert device.copied_to_device == data["source"].nbytes
    assert device.copied_to_host == 33 * 18 * 4
