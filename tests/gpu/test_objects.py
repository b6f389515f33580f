"""Objects with kernels: linked, loaded and run on an emulated device that stands behind a driver's functions."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.driver import CudaDriver
from halide_core.raw_buffer import RawBuffer
from halide_core.runtime.cuda.driver import LIBRARY
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.check.libraries import gaps, padded
from tests.gpu.driver_library import Driver, build, needs_compiler, redirect, source, stand_in
from tests.gpu.objects import DEVICE_DIRTY, HOST_DIRTY, Library, buffer_of

pytestmark = [needs_compiler, pytest.mark.few(4)]

_NAMES = (
    "blur_shared", "three_dimensions", "two_kernels", "host_between", "device_between", "update_on_host", "specialized",
    "histogram", "scan", "factored_sum", "matrix_product", "on_the_heap", "wrapped", "masks", "lanes", "tuples",
    "round_up", "threads_of_any_number",
)  # fmt: skip


def _all_given_back(driver: Driver, library: Library, *buffers: RawBuffer) -> None:
    for b in buffers:
        assert library.free(b) == 0
        assert not b.device and not b.device_interface
    library.release()
    assert driver.device.left() == 0 and driver.depth() == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", _NAMES)
def test_equals_the_host(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    data = data_of(case)
    wanted = running.on_host(hc, case, data)
    f, params = case.make(hc, True)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, list(params.values()))
    for form in (np.ascontiguousarray, padded):
        found = form(np.zeros_like(wanted))
        inputs, out = [buffer_of(form(data[n])) for n in params], buffer_of(found)
        for _ in range(2):
            assert library(*inputs, out) == 0, library.errors
            assert library.to_host(out) == 0
            assert not out.flags & DEVICE_DIRTY
            assert np.array_equal(found, wanted)
            found[...] = 0
        if form is padded:
            assert np.all(gaps(found) == 77)
        for b in (*inputs, out):
            assert library.free(b) == 0
    assert len(driver.texts) == 1 and not driver.problems and not library.errors
    assert driver.device.launches
    _all_given_back(driver, library)


def _two_values() -> tuple[hc.Func, hc.ImageParam]:
    x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
    source = hc.ImageParam(hc.Int(32), 2, "source")
    f = hc.Func("f")
    f[x, y] = (source[x, y] * 3, hc.f32(source[x, y]) / 2)
    return f.gpu_tile(x, y, xi, yi, 8, 4), source


def test_several_outputs(tmp_path: Path) -> None:
    f, source = _two_values()
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, [source])
    data = np.arange(15 * 21, dtype=np.int32).reshape(15, 21)
    first, second = np.zeros_like(data), np.zeros(data.shape, np.float32)
    buffers = [buffer_of(a) for a in (data, first, second)]
    assert library(*buffers) == 0
    assert [library.to_host(b) for b in buffers] == [0, 0, 0]
    assert np.array_equal(first, data * 3) and np.array_equal(second, data.astype(np.float32) / 2)
    _all_given_back(driver, library, *buffers)


def _small(amount: int = 1, name: str = "f") -> tuple[hc.Func, hc.ImageParam]:
    x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
    source = hc.ImageParam(hc.Int(32), 2, "source")
    f = hc.Func(name)
    f[x, y] = source[x, y] + amount
    return f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf), source


def _library(tmp_path: Path, **more: Any) -> Library:
    f, source = _small()
    return Library(tmp_path, f, [source], **more)


def _data(rows: int = 9, columns: int = 13) -> np.ndarray:
    return np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)


def test_copies_are_made_when_they_are_needed(tmp_path: Path) -> None:
    driver = stand_in(tmp_path)
    library = _library(tmp_path)
    data, middle, last = _data(), np.zeros_like(_data()), np.zeros_like(_data())
    a, b, c = (buffer_of(x) for x in (data, middle, last))
    assert library(a, b) == 0 and library(b, c) == 0
    # What was given is copied once, results not at all, and nothing of outputs goes to the device.
    assert (driver.device.copied_to_device, driver.device.copied_to_host) == (data.nbytes, 0)
    assert [x.flags for x in (a, b, c)] == [0, DEVICE_DIRTY, DEVICE_DIRTY]
    assert library.to_host(c) == 0 and np.array_equal(last, data + 2) and not middle.any()
    data[...] = 5
    assert library(a, b) == 0 and library.to_host(b) == 0
    assert np.array_equal(middle, _data() + 1), "nobody said that the host changed it"
    a.flags |= HOST_DIRTY
    assert library(a, b) == 0 and library.to_host(b) == 0
    assert np.all(middle == 6)
    assert driver.calls["cuMemAlloc_v2"] == 3
    _all_given_back(driver, library, a, b, c)


def test_buffers_of_the_device_alone(tmp_path: Path) -> None:
    """What only kernels access needs no memory of the host; without any the call asks for bounds."""
    driver = stand_in(tmp_path)
    library = _library(tmp_path)
    data = _data()
    a, b = buffer_of(data), buffer_of(np.zeros_like(data))
    b.host = None
    assert library(a, b) == 0 and not driver.calls
    interface = ctypes.CFUNCTYPE(ctypes.c_void_p)(("halide_cuda_device_interface", library.loaded))
    assert library.loaded.halide_device_malloc(None, ctypes.byref(b), ctypes.c_void_p(interface())) == 0
    assert library(a, b) == 0
    assert library.to_host(b) == -34 and "without memory on the host" in library.errors[-1]
    found = np.zeros_like(data)
    b.host = found.ctypes.data
    assert library.to_host(b) == 0 and np.array_equal(found, data + 1)
    _all_given_back(driver, library, a, b)


def _sum_of_two(amount: int) -> tuple[hc.Func, hc.ImageParam]:
    x, xi = hc.Var("x"), hc.Var("xi")
    source = hc.ImageParam(hc.Int(32), 1, "source")
    f = hc.Func("f")
    f[x] = source[x] + source[x + amount]
    return f.gpu_tile(x, xi, 8, hc.TailStrategy.GuardWithIf), source


@pytest.mark.parametrize("first", [0, 3])
def test_in_place(first: int, tmp_path: Path) -> None:
    """Input and output that share memory: as if the input had been read before the output is written."""
    f, source = _sum_of_two(5)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, [source])
    memory = np.arange(100, dtype=np.int32)
    a, b = buffer_of(memory[:95]), buffer_of(memory[first : first + 90])
    for _ in range(2):
        wanted = memory[:90] + memory[5:95]
        assert library(a, b) == 0 and library.to_host(b) == 0
        assert np.array_equal(memory[first : first + 90], wanted)
    _all_given_back(driver, library, a, b)


def test_one_buffer_as_input_and_output(tmp_path: Path) -> None:
    f, source = _sum_of_two(0)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, [source])
    memory = np.arange(100, dtype=np.int32)
    a = buffer_of(memory)
    for k in (2, 4):
        assert library(a, a) == 0 and library.to_host(a) == 0
        assert np.array_equal(memory, np.arange(100) * k)
    a.host = None
    assert library.loaded.halide_device_malloc(None, ctypes.byref(a), None) == 0
    assert library(a, a) == -34
    assert library.errors == ["source shares memory of a device with another buffer, and has none on the host"]
    _all_given_back(driver, library, a)


_CALLER = Path(__file__).with_name("objects_caller.cpp").read_text()


def test_from_cpp(tmp_path: Path) -> None:
    """Halide's own class of buffers, by way of the interface that it finds in them."""
    include = Path(pytest.importorskip("halide").__file__).parent / "include"
    f, source = _small()
    driver = stand_in(tmp_path)
    f.compile_to_static_library(str(tmp_path / "run"), [source], "run", hc.Target(running.TARGET))
    redirect(tmp_path / "run.a")
    (tmp_path / "caller.cpp").write_text(_CALLER)
    command = ["g++", "-std=c++17", "-shared", "-fPIC", str(tmp_path / "caller.cpp"), str(tmp_path / "run.a")]
    made = tmp_path / "libcaller.so"
    subprocess.run(
        [*command, f"-I{include}", f"-I{tmp_path}", "-o", str(made), "-Wl,-z,defs", "-ldl", "-lpthread"], check=True
    )
    loaded = ctypes.CDLL(str(made))
    assert loaded.test() == 0 and not driver.problems
    loaded.halide_device_release(None, None)
    assert driver.device.left() == 0 and driver.depth() == 0


def test_a_python_module(tmp_path: Path) -> None:
    """Arrays of NumPy's go to the device and come back at each call, and nothing stays there."""
    include = Path(sysconfig.get_paths()["include"])
    if not (include / "Python.h").exists():
        pytest.skip("no headers of Python")
    f, source = _small()
    driver = stand_in(tmp_path)
    kinds = hc.OutputFileType
    files = {kinds.object: str(tmp_path / "run.o"), kinds.python_extension: str(tmp_path / "run.cpp")}
    f.compile_to(files, [source], "run", hc.Target(running.TARGET))
    redirect(tmp_path / "run.o")
    made = tmp_path / "run.so"
    command = ["g++", "-shared", "-fPIC", f"-I{include}", *files.values(), "-o", str(made), "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    found = importlib.util.spec_from_file_location("run", made)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    data, out = _data(), np.zeros_like(_data())
    for _ in range(2):
        module.run(data, out)
        assert np.array_equal(out, data + 1)
        module.run(out, out)
        assert np.array_equal(out, data + 2)
    driver.failing["cuMemcpyDtoH_v2"] = (700, 0)
    with pytest.raises(RuntimeError, match="run failed with error -14: CUDA: cuMemcpyDtoH_v2 failed"):
        module.run(data, out)
    loaded = ctypes.CDLL(str(made))
    loaded.halide_device_release(None, None)
    assert driver.device.left() == 0 and driver.depth() == 0


def test_the_header_is_c(tmp_path: Path) -> None:
    f, source = _small()
    f.compile_to_header(str(tmp_path / "run.h"), [source], "run", hc.Target(running.TARGET))
    (tmp_path / "caller.c").write_text(
        '#include "run.h"\nint f(struct halide_buffer_t *a) { return run(a, a) || halide_copy_to_host(0, a); }\n'
    )
    command = ["cc", "-c", "-Wall", "-Werror", str(tmp_path / "caller.c"), "-o", str(tmp_path / "caller.o")]
    subprocess.run(command, check=True)


@pytest.mark.parametrize(
    ("function", "status", "code", "words"),
    [
        ("cuInit", 100, -29, r"CUDA: cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)"),
        ("cuDevicePrimaryCtxRetain", 2, -29, "CUDA: cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY"),
        ("cuModuleLoadDataEx", 218, -29, "The driver does not take the text of the kernels: line 7: a word"),
        ("cuMemAlloc_v2", 2, -16, "CUDA: cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"),
        ("cuMemcpyHtoD_v2", 1, -15, "CUDA: cuMemcpyHtoD_v2 failed: CUDA_ERROR_INVALID_VALUE (invalid argument)"),
        ("cuLaunchKernel", 719, -23, "CUDA: cuLaunchKernel failed: CUDA_ERROR_LAUNCH_FAILED"),
        ("cuModuleGetFunction", 500, -23, "failed: an error without a name (an error without a name)"),
        ("cuMemcpyDtoH_v2", 700, -14, "CUDA: cuMemcpyDtoH_v2 failed: CUDA_ERROR_ILLEGAL_ADDRESS"),
    ],
)
def test_failures(function: str, status: int, code: int, words: str, tmp_path: Path) -> None:
    """Each is told, with a code of Halide's; nothing stays behind, and the next call is right."""
    driver = stand_in(tmp_path)
    library = _library(tmp_path)
    data, found = _data(), np.zeros_like(_data())
    a, b = buffer_of(data), buffer_of(found)
    driver.failing[function] = (status, 0)
    assert (library(a, b) or library.to_host(b)) == code
    assert words in library.errors[-1]
    assert driver.depth() == 0
    driver.failing.clear()
    assert library(a, b) == 0 and library.to_host(b) == 0
    assert np.array_equal(found, data + 1)
    _all_given_back(driver, library, a, b)


def test_memory_that_runs_out_in_between(tmp_path: Path) -> None:
    """Intermediate results are given back, whichever allocation fails."""
    case = CASES["host_between"]
    data = data_of(case)
    wanted = running.on_host(hc, case, data)
    f, params = case.make(hc, True)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, f, list(params.values()))
    for first in range(5):
        found = np.zeros_like(wanted)
        inputs, out = [buffer_of(data[n]) for n in params], buffer_of(found)
        driver.calls.clear()
        driver.failing["cuMemAlloc_v2"] = (2, first)
        status = library(*inputs, out)
        driver.failing.clear()
        if first == 4:
            assert status == 0 and library.to_host(out) == 0 and np.array_equal(found, wanted)
        else:
            assert status == -16
        _all_given_back(driver, library, *inputs, out)


def test_memory_is_used_again(tmp_path: Path) -> None:
    """What was freed serves the next run; where the driver has no more it is given back first."""
    driver = stand_in(tmp_path)
    library = _library(tmp_path)
    data = _data()
    for _ in range(3):
        a, b = buffer_of(data), buffer_of(np.zeros_like(data))
        assert library(a, b) == 0
        assert library.free(a) == 0 and library.free(b) == 0
    assert driver.calls["cuMemAlloc_v2"] == 2 and not driver.calls["cuMemFree_v2"]
    large = _data(300, 300)
    driver.calls.clear()
    driver.failing["cuMemAlloc_v2"] = (2, 0)
    a, b = buffer_of(large), buffer_of(np.zeros_like(large))
    assert library(a, b) == -16
    assert driver.calls["cuMemFree_v2"] == 2 and driver.calls["cuMemAlloc_v2"] == 2
    driver.failing.clear()
    library.loaded.halide_reuse_device_allocations(None, ctypes.c_bool(False))
    assert library(a, b) == 0
    assert library.free(a) == 0 and library.free(b) == 0
    assert driver.device.left() == 0
    _all_given_back(driver, library)


def test_threads(tmp_path: Path) -> None:
    """Calls at once, on buffers of their own and on one that all read: one module, one copy of what is read by all."""
    driver = stand_in(tmp_path)
    library = _library(tmp_path)
    data = _data(40, 50)
    shared = buffer_of(data)
    wrong: list[str] = []

    def work(k: int) -> None:
        own = data + k
        for given, b in ((shared, data), (buffer_of(own), own)) * 3:
            found = np.zeros_like(data)
            out = buffer_of(found)
            good = library(given, out) == 0 and library.to_host(out) == 0 and np.array_equal(found, b + 1)
            good = library.free(out) == 0 and (given is shared or library.free(given) == 0) and good
            if not good:
                wrong.append(str(library.errors))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and not driver.problems
    assert len(driver.texts) == 1 and driver.calls["cuDevicePrimaryCtxRetain"] == 1
    assert driver.device.copied_to_device == data.nbytes * (1 + 4 * 3)
    _all_given_back(driver, library, shared)


def test_a_stream_of_the_callers(tmp_path: Path) -> None:
    driver = stand_in(tmp_path)
    more = "int halide_cuda_get_stream(void *c, void *cuda, void **s) { *s = (void *)5; return cuda != (void *)77; }"
    library = _library(tmp_path, more=more)
    data = padded(_data())
    found = np.zeros_like(_data())
    a, b = buffer_of(data), buffer_of(found)
    assert library(a, b) == 0 and library.to_host(b) == 0
    assert np.array_equal(found, data + 1)
    assert set(driver.streams) == {5} and not driver.calls["cuMemcpy2D_v2"] and not driver.calls["cuMemcpyDtoH_v2"]
    # Nobody has to wait for what a copy has brought.
    assert driver.calls["cuStreamSynchronize"] == 2
    _all_given_back(driver, library, a, b)


def test_the_device_that_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number: that of the program, or of the environment, or the first one."""
    library = _library(tmp_path)
    for text, given, wanted in (("", -1, 0), ("2", -1, 2), ("no number", -1, 0), ("2", 1, 1)):
        monkeypatch.setenv("HL_GPU_DEVICE", text)
        library.loaded.halide_set_gpu_device(given)
        driver = stand_in(tmp_path)
        a, b = buffer_of(_data()), buffer_of(np.zeros_like(_data()))
        assert library(a, b) == 0 and library.to_host(b) == 0
        assert np.array_equal(b.kept[1], _data() + 1)
        assert driver.chosen == wanted
        _all_given_back(driver, library, a, b)


def _in_a_process(tmp_path: Path, text: str) -> str:
    """What a process says that finds `text`, compiled or not, as the driver."""
    library = _library(tmp_path, redirected=False)
    folder = tmp_path / "driver"
    folder.mkdir()
    if text.startswith("static"):
        build(folder, text, LIBRARY)
    else:
        (folder / LIBRARY).write_text(text)
    code = (
        "import ctypes, sys\n"
        "import numpy as np\n"
        "from tests.gpu.objects import *\n"
        "lib = ctypes.CDLL(sys.argv[1])\n"
        "report = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)(lambda c, t: print(t.decode()))\n"
        "ctypes.c_void_p.in_dll(lib, 'report').value = ctypes.cast(report, ctypes.c_void_p).value\n"
        "a, b = (buffer_of(np.ones((4, 5), np.int32)) for _ in range(2))\n"
        "print(lib.run(ctypes.byref(a), ctypes.byref(b)))\n"
        "major, minor = ctypes.c_int(9), ctypes.c_int(9)\n"
        "print(lib.halide_cuda_compute_capability(None, ctypes.byref(major), ctypes.byref(minor)), major.value)\n"
        "print(lib.halide_device_free(None, ctypes.byref(a)), a.device)\n"
    )
    environment = os.environ | {"LD_LIBRARY_PATH": str(folder)}
    path = library.loaded._name
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


def test_no_driver(tmp_path: Path) -> None:
    lines = _in_a_process(tmp_path, "no library").splitlines()
    assert lines[0].startswith("There is no CUDA driver to run kernels with: ")
    assert lines[1:] == ["-21", "0 0", "0 0"]


def test_a_driver_that_lacks_a_function(tmp_path: Path) -> None:
    text = source().replace("int cuFuncSetAttribute(", "int other(")
    lines = _in_a_process(tmp_path, text).splitlines()
    assert lines == [f"CUDA: {LIBRARY} has no function cuFuncSetAttribute", "-21", "0 0", "0 0"]


def test_objects_of_the_host_refuse_what_a_device_has(tmp_path: Path) -> None:
    f, source = hc.Func("plain"), hc.ImageParam(hc.Int(32), 2, "source")
    x, y = hc.Var("x"), hc.Var("y")
    f[x, y] = source[x, y] + 1
    library = Library(tmp_path, f, [source], target="host", redirected=False)
    assert not hasattr(library.loaded, "halide_device_free")
    a, b = (buffer_of(_data()) for _ in range(2))
    assert library(a, b) == 0
    a.flags |= DEVICE_DIRTY
    assert library(a, b) == -44
    assert library.errors == ["Buffer source was changed on a device, and run was made for no target with one"]


def test_what_the_host_computes_beside_kernels(tmp_path: Path) -> None:
    """An output of the host's alone is marked as changed there; its input comes back from the device."""
    x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
    one, two = hc.ImageParam(hc.Int(32), 2, "one"), hc.ImageParam(hc.Int(32), 2, "two")
    f, g = hc.Func("f"), hc.Func("g")
    f[x, y] = one[x, y] + 1
    g[x, y] = two[x, y] * 2
    f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)
    driver = stand_in(tmp_path)
    library = Library(tmp_path, hc.Pipeline([f, g]), [one, two])
    data = _data()
    a, b, c, d = (buffer_of(v) for v in (data, np.zeros_like(data), np.zeros_like(data), np.zeros_like(data)))
    assert library(a, a, b, c) == 0
    assert (b.flags, c.flags) == (DEVICE_DIRTY, HOST_DIRTY)
    assert np.array_equal(c.kept[1], data * 2)
    assert library(a, b, d, c) == 0, library.errors
    assert np.array_equal(c.kept[1], (data + 1) * 2) and b.flags == 0
    _all_given_back(driver, library, a, b, c, d)


def _real_driver() -> bool:
    try:
        CudaDriver(ctypes.CDLL(LIBRARY))
    except (OSError, hc.HalideError):
        return False
    return True


@pytest.mark.parametrize("name", ["blur_shared", "host_between", "histogram", "matrix_product", "tuples"])
def test_on_the_device_of_this_machine(name: str, tmp_path: Path) -> None:
    if not _real_driver():
        pytest.skip("there is no device")
    case = CASES[name]
    data = data_of(case)
    wanted = running.on_host(hc, case, data)
    f, params = case.make(hc, True)
    library = Library(tmp_path, f, list(params.values()), redirected=False)
    for form in (np.ascontiguousarray, padded):
        found = form(np.zeros_like(wanted))
        inputs, out = [buffer_of(form(data[n])) for n in params], buffer_of(found)
        assert library(*inputs, out) == 0, library.errors
        assert library.to_host(out) == 0 and np.array_equal(found, wanted)
        for b in (*inputs, out):
            assert library.free(b) == 0
    library.release()


def test_for_another_processor(tmp_path: Path) -> None:
    f, source = _small()
    target = hc.Target("arm-64-linux-cuda-cuda_capability_80")
    f.compile_to_object(str(tmp_path / "run.o"), [source], "run", target)
    assert (tmp_path / "run.o").read_bytes()[18] == 183, "AArch64"
