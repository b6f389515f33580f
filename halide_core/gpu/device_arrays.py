"""Arrays of other libraries in a device's memory, by the CUDA array interface, version 3, as Numba describes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halide_core.errors import HalideError
from halide_core.gpu import runtime
from halide_core.gpu.device_memory import DeviceMemory

# The stream that kernels run on, as the interface counts them.
LEGACY_STREAM = 1


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """Shape, distances of neighbours in bytes along each axis, type, and where it lies on the device."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    address: int

    def on_host(self) -> np.ndarray[Any, Any]:
        """Memory of the host for it, in which elements lie as they do on the device."""
        reach = sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True) if n > 0)
        memory = np.zeros(reach // self.dtype.itemsize + 1, self.dtype)
        return np.lib.stride_tricks.as_strided(memory, self.shape, self.strides)

    def give(self, memory: DeviceMemory) -> None:
        """Has `memory` be this array's."""
        if self.address:
            memory.adopt(self.address, runtime.current())


def device_array(array: Any) -> DeviceArray:
    """What `array.__cuda_array_interface__` says, once what was launched on its stream is done.

    Raises HalideError for masks, for elements whose distances are no multiples of their size, and for axes that run
    backwards."""
    about = array.__cuda_array_interface__
    shape, dtype = tuple(about["shape"]), np.dtype(about["typestr"])
    strides = about.get("strides")
    if strides is None:
        strides = tuple(int(np.prod(shape[k + 1 :], dtype=np.int64)) * dtype.itemsize for k in range(len(shape)))
    if about.get("mask") is not None:
        raise HalideError("An array with a mask cannot be a Buffer")
    if any(s < 0 or s % dtype.itemsize for s, n in zip(strides, shape, strict=True) if n > 1):
        sizes = f"strides of {strides} bytes and elements of {dtype.itemsize}"
        raise HalideError(f"An array with {sizes} cannot be a Buffer")
    if about.get("stream") not in (None, LEGACY_STREAM):
        runtime.current().synchronize()
    return DeviceArray(shape, tuple(strides), dtype, int(about["data"][0]))
