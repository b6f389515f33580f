"""Functions of a caller's own signature with code for both a device and the host, on an emulated device."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.aot.compile import Module, RawBuffer, RawParam, Variant, compile_raw
from halide_core.ir.expr import BOOL, GT, I32, I64, Expr, Load, Variable, const
from halide_core.ir.operators import cast_to
from tests.gpu.driver_library import Driver, needs_compiler, redirect, stand_in
from tests.gpu.running import TARGET

pytestmark = needs_compiler
W, H, ROW = (Variable(I32, n) for n in ("w", "h", "row"))
I32_ = hc.Int(32)


def _wide(x: Any) -> Expr:
    return const(x, I64) if isinstance(x, int) else cast_to(I64, x)


def _plane(pointer: str, offset: Any = 0, columns: Any = W) -> RawBuffer:
    zero = _wide(0)
    return RawBuffer(pointer, _wide(offset), (zero, zero), (_wide(columns), _wide(H)), (_wide(1), _wide(ROW)))


def _shifted(name: str, amount: int, device: bool) -> tuple[hc.Func, hc.ImageParam]:
    """b[x, y] = (a[x, y] + a[x + 1, y]) * amount."""
    x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
    source = hc.ImageParam(I32_, 2, f"src_{name}")
    f = hc.Func(f"dst_{name}")
    f[x, y] = (source[x, y] + source[x + 1, y]) * amount
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)
    return f, source


class Built:
    """`void run(int32_t *a, int32_t *b, int w, int h, int row)` as a library; the device's code computes with 3, the
    host's with 3 as well, and the original adds 1000 to what it is given to count its calls."""

    def __init__(
        self, folder: Path, in_place: bool = False, worth: Expr | None = None, pairs: int = 1, redirected: bool = True,
        host_amount: int = 3,
    ) -> None:
        target = hc.Target(TARGET)
        module = Module(target, shows_runtime=False)
        variants = []
        for name, amount in (("device", 3), ("host", host_amount)):
            f, source = _shifted(name, amount, name == "device")
            if in_place:
                buffers = {f"src_{name}": _plane("b", 0, W + 1), f"dst_{name}": _plane("b", 1)}
                if name == "host":
                    x, y = hc.Var("x"), hc.Var("y")
                    f.compute_root()
                    g = hc.Func(f"out_{name}")
                    g[x, y] = f[x, y]
                    buffers = {f"src_{name}": _plane("b", 0, W + 1), f"out_{name}": _plane("b", 1)}
                    f = g
            else:
                buffers = {f"src_{name}": _plane("a", 0, W + 1), f"dst_{name}": _plane("b", 1)}
            chosen = (worth if worth is not None else GT(BOOL, W, const(20, I32))) if name == "device" else None
            variants.append(Variant((W > 0) & (H > 0), hc.Pipeline([f]), buffers, worth=chosen))
        params = [RawParam(n, I32_, True) for n in "ab"] + [RawParam(n, I32_) for n in ("w", "h", "row")]
        compile_raw("run", params, None, variants, "original", target, module)
        path = folder / "run.o"
        module.write_object(path)
        if redirected:
            redirect(path)
        (folder / "original.c").write_text("int calls; void original(int *a, int *b, int w, int h, int r) { calls++; }\n")
        self.path = folder / "librun.so"
        command = ["cc", "-shared", "-fPIC", str(path), str(folder / "original.c"), "-o", str(self.path)]
        subprocess.run([*command, "-Wl,-z,defs", "-ldl", "-lpthread", "-lm"], check=True)
        self.loaded = ctypes.CDLL(str(self.path))
        self.in_place = in_place

    def __call__(self, data: np.ndarray) -> np.ndarray:
        """The array `b` after a call, of which column 0 and what is beyond w must stay."""
        h, row = data.shape
        a, b = data.copy(), data.copy() if self.in_place else np.full_like(data, -7)
        w = row - 3
        before = b.copy()
        self.loaded.run(a.ctypes.data_as(ctypes.c_void_p), b.ctypes.data_as(ctypes.c_void_p), w, h, row)
        assert np.array_equal(a, data)
        assert np.array_equal(b[:, 0], before[:, 0]) and np.array_equal(b[:, w + 1 :], before[:, w + 1 :])
        return b[:, 1 : w + 1]

    def wanted(self, data: np.ndarray, amount: int = 3) -> np.ndarray:
        w = data.shape[1] - 3
        return (data[:, :w] + data[:, 1 : w + 1]) * amount

    def calls(self) -> int:
        return ctypes.c_int.in_dll(self.loaded, "calls").value


def _data(rows: int = 7, row: int = 30) -> np.ndarray:
    return np.random.default_rng(3).integers(-1000, 1000, (rows, row)).astype(np.int32)


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIFT_DEVICE", raising=False)


def _is_clean(driver: Driver) -> None:
    """All that was allocated was given back to be used again, and no context is left."""
    assert driver.depth() == 0
    assert not driver.problems


@pytest.mark.parametrize("in_place", [False, True])
def test_the_model_decides(in_place: bool, tmp_path: Path) -> None:
    driver = stand_in(tmp_path)
    built = Built(tmp_path, in_place)
    small, large = _data(5, 20), _data(9, 40)
    assert np.array_equal(built(small), built.wanted(small))
    assert not driver.calls
    for _ in range(2):
        assert np.array_equal(built(large), built.wanted(large))
    assert len(driver.device.launches) == 2 and len(driver.texts) == 1
    assert driver.calls["cuMemAlloc_v2"] == 2
    assert built.calls() == 0
    _is_clean(driver)


def _of(folder: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Driver, Built]:
    monkeypatch.setenv("LIFT_DEVICE", value)
    return stand_in(folder), Built(folder)


def test_the_environment_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, rows, launched in (("host", 40, 0), ("cuda", 10, 1), ("auto", 10, 0), ("auto", 40, 1), ("other", 40, 1)):
        folder = tmp_path / f"{value}{rows}"
        folder.mkdir()
        driver, built = _of(folder, value, monkeypatch)
        data = _data(6, rows)
        assert np.array_equal(built(data), built.wanted(data))
        assert len(driver.device.launches) == launched, value


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(
    ("function", "status", "lasting"),
    [
        ("cuInit", 100, True), ("cuDevicePrimaryCtxRetain", 2, True), ("cuModuleLoadDataEx", 218, True),
        ("cuMemAlloc_v2", 2, False), ("cuLaunchKernel", 719, True), ("cuMemcpy2D_v2", 700, True),
        ("cuCtxPushCurrent_v2", 201, True),
    ],
)  # fmt: skip
def test_the_host_takes_over(
    function: str, status: int, lasting: bool, in_place: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    driver = stand_in(tmp_path)
    built = Built(tmp_path, in_place)
    data = _data()
    for first in range(4):
        driver.failing[function] = (status, driver.calls[function] + first)
        assert np.array_equal(built(data), built.wanted(data)), first
    driver.failing.clear()
    launched = len(driver.device.launches)
    assert np.array_equal(built(data), built.wanted(data))
    assert (len(driver.device.launches) == launched) is lasting
    assert built.calls() == 0
    assert capfd.readouterr().err == ""
    _is_clean(driver)


def test_who_asks_for_the_device_hears_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    driver, built = _of(tmp_path, "cuda", monkeypatch)
    driver.failing["cuMemAlloc_v2"] = (2, 0)
    data = _data()
    assert np.array_equal(built(data), built.wanted(data))
    words = "Error: CUDA: cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)\n"
    assert capfd.readouterr().err == words


def test_no_driver(tmp_path: Path) -> None:
    """In a process that finds no library for the driver."""
    built = Built(tmp_path, redirected=False)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "libcuda.so.1").write_text("no library")
    code = (
        "import sys, pathlib, ctypes, numpy as np\n"
        "from tests.gpu import test_choice as t\n"
        "b = t.Built.__new__(t.Built)\n"
        "b.loaded, b.in_place = ctypes.CDLL(sys.argv[1]), False\n"
        "data = t._data()\n"
        "print(all(np.array_equal(b(data), b.wanted(data)) for _ in range(3)), b.calls())\n"
    )
    environment = os.environ | {"LD_LIBRARY_PATH": str(tmp_path / "none"), "LIFT_DEVICE": "cuda"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(built.path)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "True 0\n"
    assert done.stderr.count("There is no CUDA driver to run kernels with") == 1
