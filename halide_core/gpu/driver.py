"""CUDA's driver as a device: libcuda by ctypes, in the primary context of device 0, which other libraries use too.

Nothing but the driver is needed; it compiles PTX for the device that is there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from halide_core.errors import HalideError
from halide_core.gpu.capability import STATIC_SHARED

LIBRARY = "libcuda.so.1"
# CUjit_option and CUfunction_attribute, cuda.h.
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_MOST_DYNAMIC_SHARED = 8
_LOG_BYTES = 8192
# CUdevice_attribute: the compute capability's two numbers.
_CAPABILITY = (75, 76)
# Memory is asked for in multiples of these bytes, and so much of what is not used is kept.
_GRANULE, _MOST_UNUSED = 1 << 16, 1 << 30


class CudaDriver:
    """A `halide_core.gpu.runtime.DeviceRuntime`.  Raises HalideError with the driver's own words where a call fails."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._functions: dict[tuple[str, str], ctypes.c_void_p] = {}
        # Bytes of what is in use, by address; what may be used again, by its bytes.
        self._sizes: dict[int, int] = {}
        self._unused: dict[int, list[int]] = {}
        self._unused_bytes = 0
        self._call("cuInit", ctypes.c_uint(0))
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        self._context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        self._number = device

    def _call(self, name: str, *arguments: Any) -> None:
        status = int(getattr(self._library, name)(*arguments))
        if status:
            raise HalideError(f"CUDA: {name} failed: {self._words(status)}")

    def _words(self, status: int) -> str:
        found: list[str] = []
        for name in ("cuGetErrorName", "cuGetErrorString"):
            text = ctypes.c_char_p()
            known = getattr(self._library, name)(ctypes.c_int(status), ctypes.byref(text)) == 0
            found.append(text.value.decode() if known and text.value else f"error {status}")
        return f"{found[0]} ({found[1]})"

    @contextmanager
    def _current(self) -> Iterator[None]:
        """The context of this process's own is back afterwards."""
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def malloc(self, size: int) -> int:
        """The address of so many bytes of the device's memory.

        Memory that was given back is used again, without asking the driver, which would wait for all kernels."""
        rounded = -(-size // _GRANULE) * _GRANULE
        unused = self._unused.get(rounded)
        if unused:
            self._unused_bytes -= rounded
            address = unused.pop()
        else:
            try:
                address = self._malloc(rounded)
            except HalideError:
                self.give_back()
                address = self._malloc(rounded)
        self._sizes[address] = rounded
        return address

    def _malloc(self, size: int) -> int:
        address = ctypes.c_uint64()
        with self._current():
            self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        """Keeps memory for who asks for as much next: what was launched before runs before what is launched then."""
        size = self._sizes.pop(address)
        self._unused.setdefault(size, []).append(address)
        self._unused_bytes += size
        if self._unused_bytes > _MOST_UNUSED:
            self.give_back()

    def give_back(self) -> None:
        """Gives all memory that is not used back to the driver."""
        unused = [a for places in self._unused.values() for a in places]
        self._unused.clear()
        self._unused_bytes = 0
        with self._current():
            for address in unused:
                self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def copy_to_device(self, address: int, host: int, size: int) -> None:
        """Copies bytes from the host."""
        with self._current():
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(host), ctypes.c_size_t(size))

    def copy_to_host(self, host: int, address: int, size: int) -> None:
        """Copies bytes to the host, after all that was launched; raises what failed of that, too."""
        with self._current():
            self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(host), ctypes.c_uint64(address), ctypes.c_size_t(size))

    def synchronize(self) -> None:
        """Waits for all that was launched in the context, whoever launched it."""
        with self._current():
            self._call("cuCtxSynchronize")

    def launch(
        self,
        ptx: str,
        kernel: str,
        blocks: tuple[int, int, int],
        threads: tuple[int, int, int],
        shared: int,
        arguments: Sequence[bytes],
    ) -> None:
        """Starts a kernel on the context's default stream."""
        with self._current():
            function = self._function(ptx, kernel)
            if shared > STATIC_SHARED:
                self._call(
                    "cuFuncSetAttribute", function, ctypes.c_int(_MOST_DYNAMIC_SHARED), ctypes.c_int(shared)
                )
            values = [ctypes.create_string_buffer(a, len(a)) for a in arguments]
            places = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(v) for v in values))
            sizes = [ctypes.c_uint(n) for n in (*blocks, *threads, shared)]
            none = ctypes.c_void_p()
            self._call("cuLaunchKernel", function, *sizes, none, places, none)

    def mark(self) -> ctypes.c_void_p:
        """A point in the default stream, for `milliseconds`."""
        event = ctypes.c_void_p()
        with self._current():
            self._call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(0))
            self._call("cuEventRecord", event, ctypes.c_void_p())
        return event

    def milliseconds(self, first: ctypes.c_void_p, last: ctypes.c_void_p) -> float:
        """What the device took between two marks, which are used up."""
        out = ctypes.c_float()
        with self._current():
            self._call("cuEventSynchronize", last)
            self._call("cuEventElapsedTime", ctypes.byref(out), first, last)
            for event in (first, last):
                self._call("cuEventDestroy_v2", event)
        return out.value

    def about(self) -> dict[str, str]:
        """The device's name and compute capability, and the version of CUDA that the driver knows."""
        name, version = ctypes.create_string_buffer(256), ctypes.c_int()
        self._call("cuDeviceGetName", name, ctypes.c_int(256), self._number)
        self._call("cuDriverGetVersion", ctypes.byref(version))
        parts = []
        for attribute in _CAPABILITY:
            value = ctypes.c_int()
            self._call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(attribute), self._number)
            parts.append(str(value.value))
        return {
            "device": name.value.decode(),
            "capability": ".".join(parts),
            "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
        }

    def _function(self, ptx: str, kernel: str) -> ctypes.c_void_p:
        found = self._functions.get((ptx, kernel))
        if found is None:
            module, found = self._module(ptx), ctypes.c_void_p()
            self._call("cuModuleGetFunction", ctypes.byref(found), module, ctypes.c_char_p(kernel.encode()))
            self._functions[ptx, kernel] = found
        return found

    def _module(self, ptx: str) -> ctypes.c_void_p:
        """A module of its own for each kernel asked for; they stay for as long as the process."""
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(_LOG_BYTES)
        options = (ctypes.c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
        text = ctypes.c_char_p(ptx.encode())
        try:
            self._call("cuModuleLoadDataEx", ctypes.byref(module), text, ctypes.c_uint(2), options, values)
        except HalideError as error:
            raise HalideError(f"{error}\n{log.value.decode(errors='replace')}".rstrip()) from None
        return module


@cache
def driver(load: Callable[[str], Any] = ctypes.CDLL) -> CudaDriver:
    """The driver of this machine.  Raises HalideError where there is none, or no device."""
    try:
        library = load(LIBRARY)
    except OSError as error:
        raise HalideError(
            f"There is no CUDA driver ({LIBRARY}) that this process could run kernels with: {error}. Realize for a "
            "target without the feature cuda, or give a device by halide_core.gpu.runtime.device_runtime"
        ) from None
    return CudaDriver(library)
