"""The binding of CUDA's driver, against a stand-in whose kernels the emulator runs."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.driver import CudaDriver, driver
from halide_core.gpu.runtime import device_runtime
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.device import Emulator

_WORDS = {2: (b"CUDA_ERROR_OUT_OF_MEMORY", b"out of memory"), 100: (b"CUDA_ERROR_NO_DEVICE", b"no CUDA-capable device")}
_WORDS |= {218: (b"CUDA_ERROR_INVALID_PTX", b"a PTX JIT compilation failed")}


class StandIn:
    """The functions of libcuda that are called, on an emulator.  `failing`: a function and its status."""

    def __init__(self, failing: tuple[str, int] = ("", 0)) -> None:
        self.device, self.failing = Emulator(), failing
        self.pushed = 0
        self.texts: list[str] = []
        self.functions: list[tuple[str, str]] = []
        self.attributes: list[tuple[int, int]] = []

    def __getattr__(self, name: str) -> Any:
        if name == self.failing[0]:
            return lambda *_: self.failing[1]
        raise AttributeError(name)

    def _is(self, name: str) -> int:
        return self.failing[1] if name == self.failing[0] else 0

    def cuInit(self, flags: ctypes.c_uint) -> int:
        assert flags.value == 0
        return self._is("cuInit")

    def cuDeviceGet(self, device: Any, number: ctypes.c_int) -> int:
        device._obj.value = number.value
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, device: ctypes.c_int) -> int:
        context._obj.value = 77
        return 0

    def cuGetErrorName(self, status: ctypes.c_int, text: Any) -> int:
        text._obj.value = _WORDS[status.value][0]
        return 0

    def cuGetErrorString(self, status: ctypes.c_int, text: Any) -> int:
        text._obj.value = _WORDS[status.value][1]
        return 0

    def cuCtxPushCurrent_v2(self, context: ctypes.c_void_p) -> int:
        assert context.value == 77
        self.pushed += 1
        return 0

    def cuCtxPopCurrent_v2(self, context: Any) -> int:
        self.pushed -= 1
        return 0

    def cuMemAlloc_v2(self, address: Any, size: ctypes.c_size_t) -> int:
        address._obj.value = self.device.malloc(size.value)
        return self._is("cuMemAlloc_v2")

    def cuMemFree_v2(self, address: ctypes.c_uint64) -> int:
        self.device.free(address.value)
        return 0

    def cuMemcpyHtoD_v2(self, address: ctypes.c_uint64, host: ctypes.c_void_p, size: ctypes.c_size_t) -> int:
        self.device.copy_to_device(address.value, host.value or 0, size.value)
        return 0

    def cuMemcpyDtoH_v2(self, host: ctypes.c_void_p, address: ctypes.c_uint64, size: ctypes.c_size_t) -> int:
        self.device.copy_to_host(host.value or 0, address.value, size.value)
        return 0

    def cuCtxSynchronize(self) -> int:
        assert self.pushed == 1
        return self._is("cuCtxSynchronize")

    def cuModuleLoadDataEx(self, module: Any, text: Any, count: ctypes.c_uint, options: Any, values: Any) -> int:
        assert list(options) == [5, 6] and values[1] == 8192 and count.value == 2
        if self._is("cuModuleLoadDataEx"):
            ctypes.memmove(values[0], b"line 7: a word\0", 15)
            return self._is("cuModuleLoadDataEx")
        self.texts.append(text.value.decode())
        module._obj.value = len(self.texts)
        return 0

    def cuModuleGetFunction(self, function: Any, module: ctypes.c_void_p, name: ctypes.c_char_p) -> int:
        assert name.value is not None and module.value is not None
        self.functions.append((self.texts[module.value - 1], name.value.decode()))
        function._obj.value = len(self.functions)
        return 0

    def cuFuncSetAttribute(self, function: ctypes.c_void_p, attribute: ctypes.c_int, value: ctypes.c_int) -> int:
        self.attributes.append((attribute.value, value.value))
        return 0

    def cuLaunchKernel(self, function: ctypes.c_void_p, *rest: Any) -> int:
        from tests.gpu.emulator.text import parse

        assert self.pushed == 1 and function.value is not None
        text, name = self.functions[function.value - 1]
        bx, by, bz, tx, ty, tz, shared = (n.value for n in rest[:7])
        places = rest[8]
        sizes = [n for _, n in parse(text).kernels[name].parameters]
        arguments = [ctypes.string_at(places[k], n) for k, n in enumerate(sizes)]
        self.device.launch(text, name, (bx, by, bz), (tx, ty, tz), shared, arguments)
        return 0


@pytest.mark.parametrize("name", ["blur_shared", "host_between", "threads_of_any_number"])
def test_pipelines(name: str) -> None:
    case = CASES[name]
    data = data_of(case)
    library = StandIn()
    wanted = running.on_host(hc, case, data)
    f, params = case.make(hc, True)
    for n, p in params.items():
        p.set(hc.Buffer(data[n]))
    device = CudaDriver(library)
    with device_runtime(device):
        for _ in range(2):
            found = np.asarray(f.realize(list(case.size), hc.Target(running.TARGET)))
            assert np.array_equal(found, wanted)
    # Compiled once.
    assert len(library.functions) == len({n for _, n in library.functions})
    gc.collect()
    device.give_back()
    assert library.device.left() == len(params)
    assert library.pushed == 0


def _small() -> hc.Func:
    f, x, xi = hc.Func("f"), hc.Var("x"), hc.Var("xi")
    f[x] = x * 2
    return f.gpu_tile(x, xi, 8)


def _fails(failing: tuple[str, int], words: str) -> None:
    library = StandIn(failing)
    device = CudaDriver(library)
    with device_runtime(device), pytest.raises(hc.HalideError, match=words):
        _small().realize([16], hc.Target(running.TARGET))
    assert library.pushed == 0


def test_no_device() -> None:
    with pytest.raises(hc.HalideError, match=r"cuInit failed: CUDA_ERROR_NO_DEVICE \(no CUDA-capable device\)"):
        CudaDriver(StandIn(("cuInit", 100)))


def test_out_of_memory() -> None:
    _fails(("cuMemAlloc_v2", 2), r"cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY \(out of memory\)")


def test_a_text_that_the_driver_does_not_take() -> None:
    _fails(("cuModuleLoadDataEx", 218), r"CUDA_ERROR_INVALID_PTX \(a PTX JIT compilation failed\)\nline 7: a word")


def test_no_driver() -> None:
    def none(name: str) -> Any:
        raise OSError(f"{name}: cannot open shared object file")

    with pytest.raises(hc.HalideError, match=r"There is no CUDA driver \(libcuda.so.1\)"):
        driver(none)


def test_much_shared_memory_is_asked_for() -> None:
    f, g, x, xo, t = hc.Func("f"), hc.Func("g"), hc.Var("x"), hc.Var("xo"), hc.Var("t")
    xi = hc.Var("xi")
    g[x] = x * 3
    f[x] = g[x] + g[x + 1]
    f.split(x, xo, xi, 15000).split(xi, xi, t, 32).reorder(t, xi, xo).gpu_blocks(xo).gpu_threads(t)
    g.compute_at(f, xo).split(x, x, xi, 32).gpu_threads(xi)
    library = StandIn()
    with device_runtime(CudaDriver(library)):
        found = np.asarray(f.realize([15000], hc.Target(running.TARGET)))
    assert np.array_equal(found, np.arange(15000) * 6 + 3)
    assert library.attributes == [(8, 60016)]
