"""The choice between device and host: what it is made of, and how its numbers are measured."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from codegen import device_model, measure_device
from codegen.device_model import Device, Host, Model, gain, model, read
from codegen.device_timing import DeviceFailure, measured, model_text
from codegen.plan import PathPlan, plan_path
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import FloatImm
from halide_core.ir.types import Float
from halide_core.target import Target
from lifter.api import lift_file
from tests.gpu.driver_library import needs_compiler, redirect, stand_in
from tests.gpu.running import TARGET

TWO = FloatImm(Float(64), 2.0)
_SOURCE = """
void scale(float *out, const float *in, int rows, int cols) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) out[r * cols + c] = in[r * cols + c] * 3.0f + 1.0f;
}
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> PathPlan:
    folder = tmp_path_factory.mktemp("lifted")
    (folder / "scale.c").write_text(_SOURCE)
    report = lift_file(str(folder / "scale.c"), emit=(), out=str(folder / "out"), run=False)
    (function,) = report.functions
    assert function.lifted is not None and function.lifted.summary is not None
    return plan_path(function.lifted.summary, 0)


def _decides(plan: PathPlan, m: Model, rows: int, cols: int) -> bool:
    return bool(evaluate(gain(plan, TWO, m).seconds, {"rows": rows, "cols": cols}).item() > 0)


def test_what_is_counted(plan: PathPlan) -> None:
    """Two kernels, 4 bytes a pixel there and 4 back, a read and two operations: the two sides meet at a known size."""
    # A million pixels: 2 ms there, 4 ms back, 1 ms a kernel, 1 ms a call, and 8 ms of memory.
    device = Device(0.5, 0.25, 1e-3, 1e-3, 2e9, 1e9, 1e9, 1e12)
    m = Model("here", device, Host(1e-3, 1e15, 1e15))
    assert (gain(plan, TWO, m).open, gain(plan, TWO, m).load) == (0.5, 0.25)
    there = 1e-3 + 2 * 1e-3 + 2e-3 + 4e-3 + 8e-3
    for factor, wanted in ((0.99, False), (1.01, True)):
        host = Host(1e-3, 1e15, 3e6 / (there * factor - 1e-3))
        assert _decides(plan, Model("here", device, host), 1000, 1000) is wanted
    for factor, wanted in ((0.99, False), (1.01, True)):
        host = Host(1e-3, 8e6 / (there * factor - 1e-3), 1e15)
        assert _decides(plan, Model("here", device, host), 1000, 1000) is wanted


def test_sizes_beyond_32_bits_and_none(plan: PathPlan) -> None:
    fast = Model("here", Device(0.0, 0.0, 0.0, 0.0, 1e30, 1e30, 1e30, 1e30), Host(1.0, 1e30, 1e30))
    slow = Model("here", Device(0.0, 0.0, 1.0, 0.0, 1e30, 1e30, 1e30, 1e30), Host(0.0, 1e30, 1e30))
    for size in (0, -5, 1 << 30):
        assert _decides(plan, fast, size, size) and not _decides(plan, slow, size, size)


def _tables(m: Model) -> dict[str, dict[str, float]]:
    return {"device": asdict(m.device), "host": asdict(m.host)}


def test_the_text_of_a_model() -> None:
    """The numbers of the project read back, and say where they are from."""
    assert model().origin == "declared" or model().origin.startswith("measured")
    text = model_text(model().origin, _tables(model()))
    again = read(text)
    assert again.origin == model().origin
    for side, wanted in _tables(model()).items():
        assert _tables(again)[side] == pytest.approx(wanted, rel=0.01)
    with pytest.raises(TypeError):
        read(text.replace("launch", "lunch"))


@needs_compiler
def test_measured(tmp_path: Path) -> None:
    """All of it on an emulated device, whose kernels compute what they are taken for."""
    path = measure_device.build(tmp_path, Target(TARGET))
    redirect(path)
    driver = stand_in(tmp_path)
    tables = measured(path, elements=512, series=2, times=1)
    read(model_text("measured on an emulator", tables))
    assert all(np.isfinite(n) and n >= 0 for t in tables.values() for n in t.values())
    assert {x.blocks[0] for x in driver.device.launches} == {1, 2} and not driver.problems
    many = [x for x in driver.device.launches if x.counts.as_written() > 250 * x.blocks[0] * x.threads[0]]
    assert len(many) == 3, "one time when it is loaded, one without measuring, one that is measured"
    driver.failing["cuMemAlloc_v2"] = (2, 0)
    with pytest.raises(DeviceFailure, match="device_few failed with -16"):
        measured(path, elements=1 << 20, series=2, times=1)


def test_without_a_device(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written."""
    from halide_core.errors import HalideError

    def none() -> object:
        raise HalideError("There is no CUDA driver")

    monkeypatch.setattr(measure_device, "driver", none)
    before = device_model.PATH.read_bytes()
    assert measure_device.main() == 1
    assert "nothing was measured: There is no CUDA driver" in capsys.readouterr().err
    assert device_model.PATH.read_bytes() == before
