"""How long copies, kernels and arithmetic take on a device and on the host, by a library made for that
(`measure_device.build`).

Needs NumPy alone, for machines with a device on which nothing is compiled."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halide_core.raw_buffer import RawBuffer, RawDimension

FEW, MANY = 1, 512
"""Operations an element of the two functions of the library that run on the device, and of those on the host."""
# Elements of the arrays that speeds are measured on; kernels of a series; times that each measurement is made, the
# fastest of which counts.
ELEMENTS, SERIES, TIMES = 1 << 25, 200, 5
_SHORT = 4096
_HOST_DIRTY = 1


class DeviceFailure(Exception):
    """A function of the library answered with an error; the text is its code."""


@dataclass(slots=True)
class _Line:
    """A halide_buffer_t of one dimension over an array of uint32."""

    array: np.ndarray[Any, Any]
    raw: RawBuffer
    dimension: RawDimension

    @staticmethod
    def of(elements: int) -> _Line:
        array = np.ones(elements, np.uint32)
        dimension = RawDimension(0, elements, 1, 0)
        raw = RawBuffer(0, None, array.ctypes.data, _HOST_DIRTY, 1, 32, 1, 1, ctypes.pointer(dimension), None)
        return _Line(array, raw, dimension)


class _Library:
    def __init__(self, path: Path) -> None:
        self._loaded = ctypes.CDLL(str(path))

    def __call__(self, name: str, *lines: _Line) -> None:
        context = () if not name.startswith("halide_") else (None,)
        more = (self._loaded.halide_cuda_device_interface(),) if name == "halide_copy_to_device" else ()
        status = int(getattr(self._loaded, name)(*context, *(ctypes.byref(x.raw) for x in lines), *more))
        if status:
            raise DeviceFailure(f"{name} failed with {status}")

    def prepare(self) -> None:
        """States what the functions return."""
        self._loaded.halide_cuda_device_interface.restype = ctypes.c_void_p
        self._loaded.halide_copy_to_device.argtypes = [ctypes.c_void_p] * 3


def measured(
    path: Path, elements: int = ELEMENTS, series: int = SERIES, times: int = TIMES
) -> dict[str, dict[str, float]]:
    """The tables of a model (`device_model.toml`), measured with the library at `path`.

    Raises DeviceFailure where there is no device, or something fails there."""
    library = _Library(path)
    library.prepare()
    given, made = _Line.of(elements), _Line.of(elements)
    short, result = _Line.of(64), _Line.of(64)
    size = float(given.array.nbytes)

    def down() -> None:
        given.raw.flags |= _HOST_DIRTY
        library("halide_copy_to_device", given)

    def up() -> None:
        made.raw.flags = 2
        library("halide_copy_to_host", made)

    def kernels(name: str, count: int, a: _Line, b: _Line) -> None:
        for _ in range(count):
            library(name, a, b)
        library("halide_device_sync", b)

    def call() -> None:
        # As a drop-in calls: memory is asked for, and all is brought there and back.
        short.raw.flags |= _HOST_DIRTY
        library("device_few", short, result)
        library("halide_copy_to_host", result)
        for x in (short, result):
            library("halide_device_free", x)

    def once(name: str) -> Callable[[], None]:
        return lambda: library(name, given, made)

    def series_of(name: str, count: int, a: _Line, b: _Line) -> Callable[[], None]:
        return lambda: kernels(name, count, a, b)

    # The first call opens the device and loads one kernel, the next ones load another.
    opening = _seconds(lambda: library("device_few", given, made))
    loading = _seconds(lambda: library("device_many", given, made))
    copies = _fastest(down, times), _fastest(up, times)
    whole = _fastest(call, series)
    launch = _fastest(series_of("device_few", series, short, result), times) / series
    moving, working = (_fastest(series_of(n, 1, given, made), times) for n in ("device_few", "device_many"))
    for x in (given, made, short, result):
        library("halide_device_free", x)
    here = {n: _fastest(once(n), times) for n in ("host_few", "host_many")}
    least = _fastest(lambda: library("host_few", _Line.of(_SHORT), _Line.of(_SHORT)), times)
    device = {
        "open": max(opening - loading, 0.0), "load": loading, "call": max(whole - launch, 0.0), "launch": launch,
        "to_device": size / copies[0], "to_host": size / copies[1],
        "memory": 2 * size / max(moving - launch, 1e-9), "operations": MANY * elements / max(working - launch, 1e-9),
    }
    host = {"call": least, "memory": 2 * size / here["host_few"], "operations": MANY * elements / here["host_many"]}
    return {"device": device, "host": host}


def _fastest(work: Callable[[], object], times: int) -> float:
    """Seconds, without those of the first time."""
    work()
    return max(min(_seconds(work) for _ in range(times)), 1e-9)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def model_text(origin: str, tables: Mapping[str, Mapping[str, float]]) -> str:
    """The text of `device_model.toml`."""
    head = "# What calls take on a device and on the host, for the choice between them (codegen/device_model.py).\n"
    head += "# `make device-model` writes this file anew on a machine with a device.\n"
    parts = [f'origin = "{origin}"']
    for name, values in tables.items():
        parts.append("\n".join([f"[{name}]", *(f"{f} = {v:.3g}" for f, v in values.items())]))
    return head + "\n\n".join(parts) + "\n"
