"""Drop-ins with code for a device, beside their originals, on an emulated device."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen import device_model
from corpus.manifest import ROOT, entries
from lifter.api import lift_file
from lifter.harness import second_opinion
from lifter.harness.draw_arguments import Ranges
from tests.gpu import drop_ins
from tests.gpu.driver_library import Driver, needs_compiler, redirect, stand_in
from tests.gpu.running import TARGET

pytestmark = [
    pytest.mark.few(3),
    needs_compiler,
    pytest.mark.skipif(shutil.which("objcopy") is None, reason="no binutils"),
]

_CURVE = ", ".join(str(k * k % 251) for k in range(256))
_TEETH = ", ".join(f"{k % 7 - 3}.{k % 4 * 25:02}f" for k in range(100))
_SOURCE = Path(__file__).with_name("drop_ins.c").read_text().replace("CURVE", _CURVE).replace("TEETH", _TEETH)
_TYPES = {
    "darken": np.uint8, "smooth": np.float32, "weighted": np.float32, "combed": np.float32, "mapped": np.uint8,
    "polynomial": np.float32,
}  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The drop-in of all functions, redirected, for a device that it takes no time to open."""
    known = device_model.model()
    quick = replace(known, device=replace(known.device, open=0.0, load=0.0))
    folder = tmp_path_factory.mktemp("lifted")
    (folder / "image.c").write_text(_SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_model, "model", lambda: quick)
        patch.setattr(second_opinion, "LEAST", 120.0)
        report = lift_file(str(folder / "image.c"), emit=("shared",), out=str(folder / "out"), target=TARGET)
    assert [(f.name, f.status) for f in report.functions] == [(n, "verified") for n in _TYPES]
    assert all(f.run is not None and f.run.calls for f in report.functions), "the compiled code was run"
    assert not any("no code of a device" in note for f in report.functions for note in f.notes)
    path = Path(report.functions[0].outputs["shared"])
    redirect(path)
    return path


class Loaded:
    """A copy of the drop-in, as a process has it that has not called it yet."""

    def __init__(self, path: Path, folder: Path) -> None:
        copy = folder / f"copy{len(list(folder.iterdir()))}.so"
        shutil.copy(path, copy)
        self.library = ctypes.CDLL(str(copy))

    def both(self, name: str, rows: int, cols: int, stride: int) -> tuple[np.ndarray, np.ndarray]:
        """What the function and its original make of the same arrays."""
        t, random = _TYPES[name], np.random.default_rng(rows * cols)
        given = random.integers(0, 256, (2, rows, stride)).astype(t)
        out = []
        for symbol in (name, f"{name}.original"):
            arrays = given.copy()
            pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
            getattr(self.library, symbol)(*pointers, rows, cols, stride)
            assert np.array_equal(arrays[1], given[1])
            out.append(arrays[0])
        return out[0], out[1]


@pytest.fixture
def loaded(library: Path, tmp_path: Path) -> Callable[[], tuple[Driver, Loaded]]:
    def make() -> tuple[Driver, Loaded]:
        return stand_in(tmp_path), Loaded(library, tmp_path)

    return make


@pytest.mark.parametrize("name", _TYPES)
def test_equals_the_original(name: str, loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_DEVICE", "cuda")
    driver, drop_in = loaded()
    for rows, cols, stride in ((9, 37, 41), (33, 20, 20), (4, 3, 8)):
        launched = len(driver.device.launches)
        found, wanted = drop_in.both(name, rows, cols, stride)
        assert np.array_equal(found, wanted)
        assert len(driver.device.launches) > launched
    assert not driver.problems and driver.depth() == 0


@pytest.mark.parametrize(("name", "constant"), [("weighted", False), ("combed", True), ("mapped", False)])
def test_tables_are_part_of_the_kernels(
    name: str, constant: bool, loaded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is copied but images; what all threads read at one place is constant memory, unless it is known where."""
    monkeypatch.setenv("LIFT_DEVICE", "cuda")
    driver, drop_in = loaded()
    rows, cols, stride = 5, 130, 131
    found, wanted = drop_in.both(name, rows, cols, stride)
    assert np.array_equal(found, wanted)
    counts = driver.device.launches[0].counts
    assert bool(counts.constant_accesses) == constant and not counts.constant_turns
    assert driver.device.copied_to_device <= 2 * rows * stride * np.dtype(_TYPES[name]).itemsize


def test_what_misses_the_contract_and_what_is_empty(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_DEVICE", "cuda")
    driver, drop_in = loaded()
    for rows, cols, stride in ((5, 9, 4), (0, 9, 9), (-3, 9, 9)):
        if rows > 0:
            # Rows overlap: the original runs.
            memory = np.arange(2 * 64, dtype=np.uint8).reshape(2, 64)
            wanted = memory.copy()
            for m, symbol in ((memory, "darken"), (wanted, "darken.original")):
                getattr(drop_in.library, symbol)(*(ctypes.c_void_p(a.ctypes.data) for a in m), rows, cols, stride)
            assert np.array_equal(memory, wanted)
        else:
            drop_in.library.darken(None, None, rows, cols, stride)
    assert not driver.calls


@pytest.mark.parametrize("name", _TYPES)
def test_the_host_takes_over(name: str, loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_DEVICE", "cuda")
    for function in ("cuInit", "cuModuleLoadDataEx", "cuMemAlloc_v2", "cuMemcpy2D_v2", "cuLaunchKernel"):
        for first in range(2 if function in ("cuMemAlloc_v2", "cuMemcpy2D_v2") else 1):
            driver, drop_in = loaded()
            driver.failing[function] = (719, first)
            found, wanted = drop_in.both(name, 9, 37, 41)
            assert np.array_equal(found, wanted), (function, first)
            assert driver.calls[function] > first and driver.depth() == 0


def test_the_model(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little work for each byte stays here at all sizes; much work goes to the device where there is enough of it."""
    monkeypatch.delenv("LIFT_DEVICE", raising=False)
    for name, rows, launched in (("darken", 4000, False), ("polynomial", 40, False), ("polynomial", 4000, True)):
        driver, drop_in = loaded()
        # The device refuses what it is asked for: that it was asked is what is looked at.
        driver.failing["cuMemAlloc_v2"] = (2, 0)
        found, wanted = drop_in.both(name, rows, 600, 600)
        assert np.array_equal(found, wanted)
        assert bool(driver.calls["cuMemAlloc_v2"]) is launched, (name, rows)


@pytest.mark.long
def test_functions_of_the_corpus() -> None:
    """A few; `make corpus-gpu-drop-ins` takes them all."""
    wanted: dict[str, dict[str, Ranges]] = {}
    for e in [e for e in entries() if e.status == "verified"][3::250]:
        wanted.setdefault(str(ROOT / e.file), {})[e.name] = e.ranges
    found = list(drop_ins.outcomes(wanted))
    assert [(o.name, o.problem) for o in found] == [(o.name, "") for o in found]
    assert sum(o.launched for o in found) and sum(o.failed for o in found)
