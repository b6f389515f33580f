"""Cases run on the host, on the emulated device, and by the package."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu import package
from tests.gpu.cases import Case
from tests.gpu.emulator.device import Emulator

TARGET = "host-cuda-cuda_capability_80"


def realized(f: Any, size: tuple[int, ...], target: Any = None) -> np.ndarray:
    """What a Func realizes, in C's order of axes, contiguous."""
    out = np.asarray(f.realize(list(size), *([] if target is None else [target])))
    assert out.shape == size[::-1]
    return np.ascontiguousarray(out)


def on_host(module: Any, c: Case, data: dict[str, np.ndarray], size: tuple[int, ...] | None = None) -> np.ndarray:
    """The result without a schedule for a device."""
    f, params = c.make(module, False)
    _set(module, params, data)
    return realized(f, size or c.size)


def _set(module: Any, params: dict[str, Any], data: dict[str, np.ndarray]) -> None:
    for name, p in params.items():
        p.set(module.Buffer(data[name]))


def on_device(c: Case, data: dict[str, np.ndarray], size: tuple[int, ...] | None = None) -> tuple[np.ndarray, Emulator]:
    """Our result on an emulated device, which is left without allocations."""
    f, params = c.make(hc, True)
    _set(hc, params, data)
    device = Emulator()
    with device_runtime(device):
        out = realized(f, size or c.size, hc.Target(TARGET))
    for p in params.values():
        p.reset()
    assert left(device) == 0
    return out, device


def left(device: Emulator) -> int:
    """The allocations that something still refers to."""
    gc.collect()
    return device.left()


def by_package(c: Case, data: dict[str, np.ndarray], like: np.ndarray) -> tuple[np.ndarray, Emulator]:
    """The result of the package's kernels, on an emulated device."""
    import halide as hl

    f, params = c.make(hl, True)
    device = Emulator(ask_ended=True)
    out = np.zeros_like(like)
    package.run(f, [(params[n], np.ascontiguousarray(data[n])) for n in params], out, device)
    return out, device
