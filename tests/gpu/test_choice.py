"""Functions of a caller's own signature with code for both a device and the host, on an emulated device."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.aot.compile import Module, RawBuffer, RawParam, Variant, compile_raw
from halide_core.backend.raw_device import Gain
from halide_core.backend.raw_entry import for_device
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import I32, I64, Expr, Load, Variable, const
from halide_core.ir.operators import cast_to
from tests.gpu.driver_library import Driver, needs_compiler, redirect, stand_in
from tests.gpu.running import TARGET

pytestmark = [needs_compiler, pytest.mark.few(4)]
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


def _on_device(variant: Variant) -> Any:
    """A second is saved where w is greater than 20."""
    seconds = hc.select(W > 20, hc.f64(1), hc.f64(-1))
    return for_device(variant, hc.Target(TARGET), lambda kernels: Gain(seconds, **START), "run")


START = {"open": 0.0, "load": 0.0}
"""Seconds that it takes to open the device, and to load kernels, for what is built from now on."""


class Built:
    """`void run(int32_t *a, int32_t *b, int w, int h, int row)` as a library; its original counts calls."""

    def __init__(
        self, folder: Path, in_place: bool = False, redirected: bool = True, more_rows: int = 0
    ) -> None:
        """`more_rows`: so many of the box of `a` are not read."""
        target = hc.Target(TARGET)
        module = Module(target, shows_runtime=False)
        variants = []
        for name in ("device", "host"):
            f, _ = _shifted(name, 3, name == "device")
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
                given = _plane("a", 0, W + 1)
                given = replace(given, extents=(given.extents[0], given.extents[1] + more_rows))
                buffers = {f"src_{name}": given, f"dst_{name}": _plane("b", 1)}
            variant = Variant((W > 0) & (H > 0), hc.Pipeline([f]), buffers)
            variants.append(_on_device(variant) if name == "device" else variant)
        params = [RawParam(n, I32_, True) for n in "ab"] + [RawParam(n, I32_) for n in ("w", "h", "row")]
        compile_raw("run", params, None, variants, "original", target, module)
        path = folder / "run.o"
        module.write_object(path)
        if redirected:
            redirect(path)
        original = "int calls; void original(int *a, int *b, int w, int h, int r) { calls++; }\n"
        (folder / "original.c").write_text(original)
        self.path = folder / "librun.so"
        command = ["cc", "-shared", "-fPIC", str(path), str(folder / "original.c"), "-o", str(self.path)]
        subprocess.run([*command, "-Wl,-z,defs", "-ldl", "-lpthread", "-lm"], check=True)
        self.in_place = in_place
        self.again()

    def again(self) -> Built:
        """The same, as a process has it that has not called it yet."""
        copy = self.path.parent / f"lib{len(list(self.path.parent.iterdir()))}.so"
        copy.write_bytes(self.path.read_bytes())
        self.loaded = ctypes.CDLL(str(copy))
        return self

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


def test_the_device_is_opened_when_that_pays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls wait until they would have saved what opening the device and loading the kernels takes."""
    monkeypatch.setitem(START, "open", 2.0)
    monkeypatch.setitem(START, "load", 1.5)
    driver = stand_in(tmp_path)
    built = Built(tmp_path)
    large, small = _data(9, 40), _data(5, 20)
    launched = []
    for data in (large, large, small, large, large, large, small, large):
        assert np.array_equal(built(data), built.wanted(data))
        launched.append(len(driver.device.launches))
    assert launched == [0, 0, 0, 0, 1, 2, 2, 3]
    monkeypatch.setenv("LIFT_DEVICE", "cuda")
    driver = stand_in(tmp_path)
    assert np.array_equal(built.again()(large), built.wanted(large)) and len(driver.device.launches) == 1


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
    ("function", "status", "lasting", "times"),
    [
        ("cuInit", 100, True, 1), ("cuDevicePrimaryCtxRetain", 2, True, 1), ("cuModuleLoadDataEx", 218, True, 1),
        ("cuMemAlloc_v2", 2, False, 2), ("cuLaunchKernel", 719, True, 1), ("cuMemcpy2D_v2", 700, True, 2),
        ("cuCtxPushCurrent_v2", 201, True, 5),
    ],
)  # fmt: skip
def test_the_host_takes_over(
    function: str, status: int, lasting: bool, times: int, in_place: bool, tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    stand_in(tmp_path)
    built = Built(tmp_path, in_place)
    data = _data()
    for first in range(times):
        driver = stand_in(tmp_path)
        driver.failing[function] = (status, first)
        built.again()
        assert np.array_equal(built(data), built.wanted(data)), first
        launched = len(driver.device.launches)
        assert driver.calls[function] > first, "it has not failed"
        driver.failing.clear()
        assert np.array_equal(built(data), built.wanted(data))
        assert (len(driver.device.launches) == launched) is lasting
        assert built.calls() == 0
        _is_clean(driver)
    assert capfd.readouterr().err == ""


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


_LIBC = ctypes.CDLL(None, use_errno=True)


def _protect(address: int, size: int, protection: int) -> None:
    assert _LIBC.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), protection) == 0


def test_memory_that_cannot_be_read(tmp_path: Path) -> None:
    """The device would be given a whole box; where its last row is no memory the host reads what it needs of it."""
    driver = stand_in(tmp_path)
    built = Built(tmp_path, more_rows=1)
    page, (w, h, row) = mmap.PAGESIZE, (30, 4, 32)
    memory = mmap.mmap(-1, 3 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    end = start + 2 * page
    values = np.frombuffer((ctypes.c_uint8 * (2 * page)).from_address(start), np.int32)
    values[:] = np.arange(len(values))
    first = len(values) - ((h - 1) * row + w + 1)
    read = np.lib.stride_tricks.as_strided(values[first:], (h, w + 1), (4 * row, 4))
    for protection, launched in ((mmap.PROT_READ, 1), (0, 1), (mmap.PROT_READ, 2)):
        _protect(end, page, protection)
        out = np.zeros((h, row), np.int32)
        built.loaded.run(ctypes.c_void_p(start + 4 * first), ctypes.c_void_p(out.ctypes.data), w, h, row)
        assert np.array_equal(out[:, 1 : w + 1], (read[:, :-1] + read[:, 1:]) * 3)
        assert len(driver.device.launches) == launched
    _protect(end, page, mmap.PROT_READ | mmap.PROT_WRITE)
    assert built.calls() == 0


def test_one_array_as_both(tmp_path: Path) -> None:
    """Pointers that are equal where the device's code takes them for apart."""
    driver = stand_in(tmp_path)
    built = Built(tmp_path)
    data = _data()
    out = data.copy()
    place = ctypes.c_void_p(out.ctypes.data)
    built.loaded.run(place, place, 27, 7, 30)
    assert not driver.calls, "the host has run"


def test_how_floats_are_computed(tmp_path: Path) -> None:
    """A thread that rounds in another way than kernels do keeps to the host."""
    driver = stand_in(tmp_path)
    built = Built(tmp_path)
    libm = ctypes.CDLL("libm.so.6")
    data = _data()
    for mode, launched in ((0x400, 0), (0, 1)):  # downwards, to nearest
        assert libm.fesetround(mode) == 0
        try:
            found = built(data)
        finally:
            libm.fesetround(0)
        assert np.array_equal(found, built.wanted(data))
        assert len(driver.device.launches) == launched


def test_a_child_of_a_process_that_has_used_the_device(tmp_path: Path) -> None:
    driver = stand_in(tmp_path)
    built = Built(tmp_path)
    data = _data()
    assert np.array_equal(built(data), built.wanted(data))
    launched = len(driver.device.launches)
    child = os.fork()
    if child == 0:
        good = np.array_equal(built(data), built.wanted(data)) and len(driver.device.launches) == launched
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(built(data), built.wanted(data)) and len(driver.device.launches) == launched + 1


def test_how_many_kernels_are_run() -> None:
    """Those in a loop of the host count in each of its turns."""
    x, y, xi = hc.Var("x"), hc.Var("y"), hc.Var("xi")
    source = hc.ImageParam(I32_, 2, "given")
    f, g = hc.Func("f"), hc.Func("g")
    f[x, y] = source[x, y] + 1
    g[x, y] = f[x, y] * 2
    f.compute_root().gpu_tile(x, xi, 8, hc.TailStrategy.GuardWithIf)
    g.gpu_tile(x, y, xi, hc.Var("yi"), 8, 4, hc.TailStrategy.GuardWithIf)
    found: list[Expr] = []

    def gain(launches: Expr) -> Gain:
        found.append(launches)
        return Gain(launches)

    for_device(
        Variant(W > 0, hc.Pipeline([g]), {"given": _plane("a"), "g": _plane("b")}), hc.Target(TARGET), gain, "run"
    )
    for rows in (1, 5, 1000):
        assert evaluate(found[0], {"w": 40, "h": rows, "row": 50}).item() == rows + 1


def test_for_another_processor(tmp_path: Path) -> None:
    f, _ = _shifted("device", 3, True)
    buffers = {"src_device": _plane("a", 0, W + 1), "dst_device": _plane("b", 1)}
    target = hc.Target("arm-64-linux-cuda-cuda_capability_80")
    variant = for_device(Variant(W > 0, hc.Pipeline([f]), buffers), target, lambda _: Gain(hc.f64(1)), "run")
    params = [RawParam(n, I32_, True) for n in "ab"] + [RawParam(n, I32_) for n in ("w", "h", "row")]
    compile_raw("run", params, None, [variant], None, target).write_object(tmp_path / "run.o")
    assert (tmp_path / "run.o").read_bytes()[18] == 183  # AArch64


def test_threads(tmp_path: Path) -> None:
    driver = stand_in(tmp_path)
    built = Built(tmp_path)
    wrong: list[int] = []

    def work(k: int) -> None:
        data = _data() + k
        if not all(np.array_equal(built(data), built.wanted(data)) for _ in range(3)):
            wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(driver.device.launches) == 12 and len(driver.texts) == 1
    _is_clean(driver)


def _sum(device: bool) -> tuple[hc.Func, str]:
    """The sum of all elements: of rows on the device, of these on the host."""
    y, yi = hc.Var("y"), hc.Var("yi")
    name = "device" if device else "host"
    source = hc.ImageParam(I32_, 2, f"src_{name}")
    rows, total = hc.Func(f"rows_{name}"), hc.Func(f"total_{name}")
    r, s = hc.RDom([(0, hc.Param(I32_, f"w_{name}"))]), hc.RDom([(0, hc.Param(I32_, f"h_{name}"))])
    rows[y] = 0
    rows[y] += source[r, y]
    total[()] = 0
    total[()] += rows[s]
    rows.compute_root()
    if device:
        rows.gpu_tile(y, yi, 8, hc.TailStrategy.GuardWithIf)
        rows.update().gpu_tile(y, yi, 8, hc.TailStrategy.GuardWithIf)
    return total, name


def test_a_value_that_is_returned(tmp_path: Path) -> None:
    """Stages of both sides; what the host computes last is the function's result."""
    target, variants = hc.Target(TARGET), []
    for device in (True, False):
        total, name = _sum(device)
        buffers = {f"src_{name}": _plane("a", 0, W), f"total_{name}": RawBuffer("", _wide(0), (), (), ())}
        result = Load(I32_, f"total_{name}", const(0, I64))
        scalars = {f"w_{name}": W, f"h_{name}": H}
        variant = Variant((W > 0) & (H > 0), hc.Pipeline([total]), buffers, scalars, result)
        variants.append(_on_device(variant) if device else variant)
    params = [RawParam("a", I32_, True), *(RawParam(n, I32_) for n in ("w", "h", "row"))]
    module = compile_raw("total", params, I32_, variants, None, target, Module(target, shows_runtime=False))
    path = tmp_path / "total.o"
    module.write_object(path)
    redirect(path)
    subprocess.run(["cc", "-shared", str(path), "-o", str(tmp_path / "total.so"), "-ldl", "-lpthread"], check=True)
    driver = stand_in(tmp_path)
    loaded = ctypes.CDLL(str(tmp_path / "total.so"))
    data = _data(9, 40)
    for w, launched in ((19, 0), (33, 2), (33, 4)):
        found = loaded.total(ctypes.c_void_p(data.ctypes.data), w, 9, 40)
        assert found == int(data[:, :w].sum()) and len(driver.device.launches) == launched
    driver.failing["cuMemcpyDtoH_v2"] = (719, 0)
    assert loaded.total(ctypes.c_void_p(data.ctypes.data), 33, 9, 40) == int(data[:, :33].sum())
    assert not hasattr(loaded, "halide_device_free"), "the run time is the library's own"


def test_refused() -> None:
    """What a device's results could not be brought back of, and what has none."""
    x, xi = hc.Var("x"), hc.Var("xi")
    f = hc.Func("part")
    r = hc.RDom([(0, 8)])
    f[x] = hc.undef(I32_)
    f[r] = r * 2
    ro, ri = hc.RVar("ro"), hc.RVar("ri")
    f.update().split(r.x, ro, ri, 8).gpu_blocks(ro).gpu_threads(ri)
    line = RawBuffer("b", _wide(0), (_wide(0),), (_wide(W),), (_wide(1),))
    with pytest.raises(hc.HalideError, match="part is computed in part"):
        _on_device(Variant(W > 8, hc.Pipeline([f]), {"part": line}))
    g = hc.Func("whole")
    g[x] = x
    with pytest.raises(hc.HalideError, match="no loop of this variant runs on a device"):
        _on_device(Variant(W > 8, hc.Pipeline([g]), {"whole": line}))
    g.gpu_tile(x, xi, 8)
    with pytest.raises(hc.HalideError, match="must be made by for_device"):
        params = [RawParam("b", I32_, True), RawParam("w", I32_)]
        compile_raw("run", params, None, [Variant(W > 8, hc.Pipeline([g]), {"whole": line})], None, hc.Target(TARGET))
    backwards = replace(line, strides=(_wide(-1),))
    with pytest.raises(hc.HalideError, match="one runs backwards"):
        _on_device(Variant(W > 8, hc.Pipeline([g]), {"whole": backwards}))
    few = replace(line, extents=(_wide(4),))
    h, source = hc.Func("h"), hc.ImageParam(I32_, 1, "few")
    h[x] = source[x % 8]
    h.gpu_tile(x, xi, 8)
    with pytest.raises(hc.HalideError, match="few is read beyond the part of it that is given, in dimension 0"):
        _on_device(Variant(W > 8, hc.Pipeline([h]), {"few": replace(few, pointer="a"), "h": line}))


def test_what_the_host_overwrites(tmp_path: Path) -> None:
    """A stage of the host may store to memory that nothing reads, and to no other."""
    x, xi = hc.Var("x"), hc.Var("xi")
    line = {p: RawBuffer(p, _wide(0), (_wide(0),), (_wide(W),), (_wide(1),)) for p in "ab"}
    for pointer, fine in (("b", True), ("a", False)):
        a = hc.ImageParam(I32_, 1, f"in{pointer}")
        f, g = hc.Func(f"f{pointer}"), hc.Func(f"g{pointer}")
        f[x] = a[x] * 2
        g[x] = f[x] + a[x]
        f.compute_root().gpu_tile(x, xi, 8, hc.TailStrategy.GuardWithIf)
        buffers = {a.name(): line["a"], g.name(): line[pointer]}
        variant = Variant(W > 0, hc.Pipeline([g]), buffers)
        if fine:
            assert not _on_device(variant).beside
        else:
            with pytest.raises(hc.HalideError, match="cannot overwrite what a device is still to read"):
                _on_device(variant)


@pytest.mark.parametrize("first", [0, 1, 2])
def test_results_in_memory_that_is_read(first: int, tmp_path: Path) -> None:
    """Of two results the second cannot be fetched: the first must not be there either, for the host reads it anew."""
    target, variants = hc.Target(TARGET), []
    line = {p: RawBuffer(p, _wide(0), (_wide(0),), (_wide(W),), (_wide(1),)) for p in "ab"}
    for device in (True, False):
        x, xi = hc.Var("x"), hc.Var("xi")
        a, b = (hc.ImageParam(I32_, 1, f"{n}{device}") for n in "ab")
        f = hc.Func(f"f{device}")
        f[x] = (a[x] + b[x], a[x] - b[x])
        if device:
            f.gpu_tile(x, xi, 8, hc.TailStrategy.GuardWithIf)
        buffers = {f"a{device}": line["a"], f"b{device}": line["b"]}
        buffers |= {f"f{device}.0": line["a"], f"f{device}.1": line["b"]}
        variant = Variant(W > 0, hc.Pipeline([f]), buffers)
        variants.append(_on_device(variant) if device else variant)
    params = [RawParam("a", I32_, True), RawParam("b", I32_, True), RawParam("w", I32)]
    module = compile_raw("both", params, None, variants, None, target, Module(target, shows_runtime=False))
    path = tmp_path / "both.o"
    module.write_object(path)
    redirect(path)
    subprocess.run(["cc", "-shared", str(path), "-o", str(tmp_path / "both.so"), "-ldl", "-lpthread"], check=True)
    driver = stand_in(tmp_path)
    driver.failing["cuMemcpyDtoH_v2"] = (719, first)
    a, b = np.arange(50, dtype=np.int32), np.arange(50, dtype=np.int32)[::-1] * 100
    b = np.ascontiguousarray(b)
    wanted = a + b, a - b
    loaded = ctypes.CDLL(str(tmp_path / "both.so"))
    loaded.both(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data), 50)
    assert np.array_equal(a, wanted[0]) and np.array_equal(b, wanted[1])
    assert len(driver.device.launches) == 1 and driver.calls["cuMemcpyDtoH_v2"] == min(first + 1, 2)
