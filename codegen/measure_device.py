"""`make device-model`: measures what `codegen/device_model.toml` says, on a machine with a device."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from datetime import date

import numpy as np

import halide_core as hl
from codegen.device_model import PATH, Device, Host, Model, written
from halide_core.errors import HalideError
from halide_core.gpu.driver import CudaDriver, driver
from halide_core.gpu.runtime import current

_U32 = hl.UInt(32)
# Elements of the arrays that bandwidth is measured on, operations on each of them where arithmetic is, kernels of a
# series, and how often each measurement is made; the fastest counts.
_ELEMENTS, _OPERATIONS, _SERIES, _TIMES = 1 << 25, 512, 200, 5
_TARGET = "host-cuda"


def measured(
    elements: int = _ELEMENTS, operations: int = _OPERATIONS, series: int = _SERIES, times: int = _TIMES,
    about: str = "",
) -> Model:
    """The model of this machine and the present device.  Raises HalideError where there is none."""
    device = current()
    host = np.ones(elements, np.uint32)
    place, size = ctypes.c_void_p(host.ctypes.data).value or 0, host.nbytes
    address = device.malloc(size)
    try:
        down = _fastest(lambda: device.copy_to_device(address, place, size), times)
        up = _fastest(lambda: device.copy_to_host(place, address, size), times)
    finally:
        device.free(address)
    few = _Run(64, 1, True)
    launch = few.seconds(series, times) / series
    whole = _fastest(few.there_and_back, series)
    moving, working = (_Run(elements, n, True).seconds(1, times) for n in (1, operations))
    here = {n: _Run(elements, n, False).seconds(1, times) for n in (1, operations)}
    short = _Run(4096, 1, False).seconds(1, times)
    bytes_, work = 2.0 * size, float(elements) * operations
    return Model(
        about or f"measured, {date.today()}",
        Device(
            max(whole - launch, 0.0), launch, size / down, size / up, bytes_ / max(moving - launch, 1e-9),
            work / max(working - launch, 1e-9),
        ),
        Host(short, bytes_ / here[1], work / here[operations]),
    )


def _fastest(work: Callable[[], object], times: int) -> float:
    """Seconds, without those of the first time."""
    work()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


class _Run:
    """f[x] = some operations on g[x], on the device or on all threads of the host."""

    def __init__(self, elements: int, operations: int, on_device: bool) -> None:
        x, block, xi = hl.Var("x"), hl.Var("block"), hl.Var("xi")
        source = hl.ImageParam(_U32, 1, "g")
        f = hl.Func("f")
        value = source[x]
        for k in range(operations // 2):
            value = value * hl.u32(2 * k + 1) + hl.u32(k)
        f[x] = value + hl.u32(1)
        if on_device:
            f.gpu_tile(x, block, xi, 256, hl.TailStrategy.GuardWithIf)
        else:
            f.split(x, block, xi, 4096, hl.TailStrategy.GuardWithIf).parallel(block).vectorize(xi, 8)
        self.target = hl.Target(_TARGET if on_device else "host")
        self.on_device = on_device
        self.given = hl.Buffer(np.ones(elements, np.uint32))
        self.made = hl.Buffer(_U32, [elements])
        source.set(self.given)
        self.f = f

    def _once(self) -> None:
        self.f.realize(self.made, self.target)

    def there_and_back(self) -> None:
        """A call as a drop-in makes it: its arrays are the host's before and after."""
        self.given.set_host_dirty()
        self._once()
        self.made.copy_to_host()

    def seconds(self, series: int, times: int) -> float:
        """Of a series of runs, whose values stay where they are."""

        def work() -> None:
            for _ in range(series):
                self._once()
            if self.on_device:
                self.made.device_sync()

        return _fastest(work, times)


def main() -> int:
    """Writes the model anew; the exit status is 1 where there is no device."""
    try:
        found: CudaDriver = driver()
        about = found.about()
        words = f"measured on {about['device']}, CUDA {about['cuda']}, {date.today()}"
        PATH.write_text(written(measured(about=words)))
    except HalideError as problem:
        print(f"nothing was measured: {problem}", file=sys.stderr)
        return 1
    print(f"{PATH}: {words}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
