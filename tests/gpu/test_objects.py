"""Objects with kernels: linked, loaded and run on an emulated device that stands behind a driver's functions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import halide_core as hc
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.driver_library import needs_compiler, stand_in
from tests.gpu.objects import DEVICE_DIRTY, Library, buffer_of

pytestmark = needs_compiler

_NAMES = ("blur_shared", "three_dimensions", "two_kernels", "host_between", "device_between", "update_on_host")


@pytest.mark.parametrize("name", _NAMES)
def test_equals_the_host(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    data = data_of(case)
    wanted = running.on_host(hc, case, data)
    f, params = case.make(hc, True)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, list(params.values()))
    found = np.zeros_like(wanted)
    inputs = [buffer_of(data[n]) for n in params]
    out = buffer_of(found)
    for _ in range(2):
        assert library(*inputs, out) == 0, library.errors
        assert library.to_host(out) == 0
        assert not out.flags & DEVICE_DIRTY
        assert np.array_equal(found, wanted)
        found[:] = 0
    assert len(driver.texts) == 1 and not driver.problems
    assert driver.device.launches
    for b in (*inputs, out):
        assert library.free(b) == 0
    library.release()
    assert driver.device.left() == 0
