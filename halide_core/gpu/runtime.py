"""The run time of pipelines with kernels in this process: memory of a device, copies and launches.

What a device does stands behind `DeviceRuntime`, six functions; compiled code calls Halide's own run time functions
(HalideRuntime.h, HalideRuntimeCuda.h), which are made of these here."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

from halide_core.errors import HalideError
from halide_core.gpu.capability import MOST_THREADS
from halide_core.gpu.driver import driver
from halide_core.raw_buffer import RawBuffer

# halide_buffer_flags.
HOST_DIRTY, DEVICE_DIRTY = 1, 2
# halide_error_code_generic_error.
_FAILED = -1


class DeviceRuntime(Protocol):
    """A device: its memory in bytes, by addresses that are no addresses of the host's, and its kernels."""

    def malloc(self, size: int) -> int:
        """The address of so many bytes, at least 1, at a multiple of 256."""

    def free(self, address: int) -> None:
        """Gives memory back; what has been launched is done with it."""

    def copy_to_device(self, address: int, host: int, size: int) -> None:
        """Copies bytes from the host's address `host`."""

    def copy_to_host(self, host: int, address: int, size: int) -> None:
        """Copies bytes to the host's address `host`, once everything launched before is done."""

    def synchronize(self) -> None:
        """Waits until everything launched before is done; raises what failed of that."""

    def launch(
        self,
        ptx: str,
        kernel: str,
        blocks: tuple[int, int, int],
        threads: tuple[int, int, int],
        shared: int,
        arguments: Sequence[bytes],
    ) -> None:
        """Starts the kernel of that name in the text `ptx` on blocks of threads, each block with `shared` bytes.
        `arguments` are the bytes of its parameters."""


_CURRENT: list[DeviceRuntime] = []
_PROBLEMS: list[BaseException] = []
# The texts of kernels, by the numbers that compiled code knows them by, and these numbers.
_TEXTS: list[str] = []
_NUMBERS: dict[str, int] = {}


@contextmanager
def device_runtime(runtime: DeviceRuntime) -> Iterator[None]:
    """Within, pipelines of this process run on `runtime`."""
    _CURRENT.append(runtime)
    try:
        yield
    finally:
        _CURRENT.remove(runtime)


def current() -> DeviceRuntime:
    """The device that kernels run on, that of the driver unless another one is given.  Raises HalideError where there
    is none."""
    return _CURRENT[-1] if _CURRENT else driver()


def check_device() -> None:
    """Raises HalideError where there is no device."""
    current()


def raise_failed() -> None:
    """Raises what went wrong on the device since the last call."""
    if _PROBLEMS:
        first = _PROBLEMS[0]
        _PROBLEMS.clear()
        raise first


def _chunks(b: RawBuffer) -> tuple[int, int, list[int]]:
    """(bytes from the first element to the last, bytes of a piece without gaps, distances of the pieces in bytes)."""
    element = (b.bits + 7) // 8
    dims = sorted((int(b.dim[d].stride), int(b.dim[d].extent)) for d in range(b.dimensions) if b.dim[d].extent != 1)
    if any(extent <= 0 for _, extent in dims):
        return 0, 0, []
    if any(stride < 0 for stride, _ in dims):
        raise HalideError("A buffer with a negative stride cannot be copied to a device")
    span = element * (1 + sum((extent - 1) * stride for stride, extent in dims))
    piece = element
    while dims and dims[0][0] * element == piece:
        piece *= dims.pop(0)[1]
    places = [0]
    for stride, extent in dims:
        places = [p + k * stride * element for k in range(extent) for p in places]
    return span, piece, places


def allocate(b: RawBuffer) -> None:
    """Memory of the device for a buffer that has none."""
    if not b.device:
        size = max(_chunks(b)[0], 1)
        try:
            b.device = current().malloc(size)
        except HalideError:
            # Buffers that nobody refers to hold memory until the collector of cycles finds them.
            gc.collect()
            b.device = current().malloc(size)


def to_device(b: RawBuffer) -> None:
    """Copies what the host has changed, to memory that is made where there is none."""
    allocate(b)
    if b.flags & HOST_DIRTY:
        if b.flags & DEVICE_DIRTY:
            raise HalideError("Host and device have both changed a buffer")
        _, piece, places = _chunks(b)
        for place in places:
            current().copy_to_device(b.device + place, int(b.host) + place, piece)
        b.flags &= ~HOST_DIRTY


def to_host(b: RawBuffer, device: DeviceRuntime | None = None) -> None:
    """Copies what `device`, by default the present one, has changed."""
    if b.flags & DEVICE_DIRTY:
        _, piece, places = _chunks(b)
        for place in places:
            (device or current()).copy_to_host(int(b.host) + place, b.device + place, piece)
        b.flags &= ~DEVICE_DIRTY


def _release(b: RawBuffer) -> None:
    if b.device:
        current().free(b.device)
        b.device = 0


def _initialize(state: int, text: int, size: int) -> None:
    """Keeps the text, which ends in 0, and its number plus 1 at the address `state`."""
    ptx = ctypes.string_at(text, size).rstrip(b"\0").decode()
    if ptx not in _NUMBERS:
        _TEXTS.append(ptx)
        _NUMBERS[ptx] = len(_TEXTS)
    ctypes.c_void_p.from_address(state).value = _NUMBERS[ptx]


def _run(state: int, name: bytes, numbers: Sequence[int], sizes: Any, places: Any, kinds: Any) -> None:
    arguments: list[bytes] = []
    k = 0
    while sizes[k]:
        if kinds[k]:
            arguments.append(int(RawBuffer.from_address(places[k]).device).to_bytes(8, "little"))
        else:
            arguments.append(ctypes.string_at(places[k], sizes[k]))
        k += 1
    bx, by, bz, tx, ty, tz, shared = numbers
    if tx * ty * tz > MOST_THREADS:
        raise HalideError(f"{name.decode()}: a block has {tx * ty * tz} threads; a device allows {MOST_THREADS}")
    current().launch(_TEXTS[state - 1], name.decode(), (bx, by, bz), (tx, ty, tz), shared, arguments)


def _guarded(work: Callable[[], object]) -> int:
    # Nothing may pass through compiled code; it is raised again once that has returned.
    try:
        work()
    except BaseException as problem:
        _PROBLEMS.append(problem)
        return _FAILED
    return 0


_P, _I = ctypes.c_void_p, ctypes.c_int32


def _of_buffer(work: Callable[[RawBuffer], None], *more: Any) -> Any:
    kind = ctypes.CFUNCTYPE(_I, _P, _P, *more)
    return kind(lambda _context, b, *_: _guarded(lambda: work(RawBuffer.from_address(b))))


@cache
def _functions() -> dict[str, Any]:
    """The run time's functions as ctypes callables; kept for ever, for compiled code holds their addresses."""
    initialize = ctypes.CFUNCTYPE(_I, _P, _P, _P, _I)
    run = ctypes.CFUNCTYPE(
        _I, _P, _P, ctypes.c_char_p, *[_I] * 7, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(_P),
        ctypes.POINTER(ctypes.c_uint8),
    )  # fmt: skip
    return {
        "halide_cuda_initialize_kernels": initialize(
            lambda _c, state, text, size: _guarded(lambda: _initialize(state, text, size))
        ),
        "halide_cuda_run": run(
            lambda _c, state, name, *rest: _guarded(lambda: _run(state, name, rest[:7], rest[7], rest[8], rest[9]))
        ),
        "halide_copy_to_device": _of_buffer(to_device, _P),
        "halide_copy_to_host": _of_buffer(to_host),
        "halide_device_malloc": _of_buffer(allocate, _P),
        "halide_device_free": _of_buffer(_release),
    }


def symbols() -> dict[str, int]:
    """The addresses of the run time's functions, by name."""
    return {n: int(ctypes.cast(f, _P).value or 0) for n, f in _functions().items()}
