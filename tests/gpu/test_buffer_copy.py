"""halide_buffer_copy of objects, and memory of both sides that is made together."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.raw_buffer import RawBuffer
from tests.gpu.driver_library import Driver, needs_compiler, stand_in
from tests.gpu.objects import DEVICE_DIRTY, HOST_DIRTY, Library, buffer_of

pytestmark = needs_compiler
HOST, DEVICE = False, True


class Copier:
    """A library whose functions on buffers are called."""

    def __init__(self, folder: Path, **more: Any) -> None:
        x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
        f = hc.Func("f")
        f[x, y] = x + y
        self.driver: Driver = stand_in(folder)
        self.library = Library(folder, f.gpu_tile(x, y, xi, yi, 8, 4), [], **more)
        find = self.library.loaded.halide_cuda_device_interface
        find.restype = ctypes.c_void_p
        self.interface = find()

    def call(self, name: str, b: RawBuffer) -> int:
        more = () if name.endswith("free") else (ctypes.c_void_p(self.interface),)
        return int(getattr(self.library.loaded, name)(None, ctypes.byref(b), *more))

    def copy(self, source: RawBuffer, to: RawBuffer, on_device: bool, interface: int | None = None) -> int:
        given = ctypes.c_void_p((interface or self.interface) if on_device else None)
        return int(self.library.loaded.halide_buffer_copy(None, ctypes.byref(source), given, ctypes.byref(to)))

    def end(self, *buffers: RawBuffer) -> None:
        """All memory is back."""
        assert all(self.library.free(b) == 0 for b in buffers)
        self.library.release()
        assert self.driver.device.left() == 0 and self.driver.depth() == 0 and not self.driver.problems


def _at(b: RawBuffer, *mins: int) -> RawBuffer:
    for d, m in enumerate(mins):
        b.dim[d].min = m
    return b


def _rows(numbers: np.ndarray, gap: int) -> np.ndarray:
    """The same values, with a gap behind each row."""
    wide = np.full((*numbers.shape[:-1], numbers.shape[-1] + gap), 77, numbers.dtype)
    wide[..., : numbers.shape[-1]] = numbers
    return wide[..., : numbers.shape[-1]]


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.float64])
@pytest.mark.parametrize("source_side", [HOST, DEVICE])
@pytest.mark.parametrize("side", [HOST, DEVICE])
def test_a_part_of_another_layout(tmp_path: Path, kind: Any, source_side: bool, side: bool) -> None:
    c = Copier(tmp_path)
    numbers = np.arange(4 * 9 * 13).reshape(4, 9, 13).astype(kind)
    whole, inside, column, nothing = (4, 9, 13), (3, 5, 6), (1, 9, 1), (2, 0, 3)
    for shape, place in ((whole, (0, 0, 0)), (inside, (7, 4, 1)), (column, (12, 0, 3)), (nothing, (1, 1, 1))):
        held, out = _rows(numbers, 3), _rows(np.zeros(shape, kind), 5)
        a, b = _at(buffer_of(held), -2, 5, 1), _at(buffer_of(out), -2 + place[0], 5 + place[1], 1 + place[2])
        a.flags = HOST_DIRTY
        if source_side:
            assert c.call("halide_copy_to_device", a) == 0
            a.flags = DEVICE_DIRTY
            held[...] = 99
        before = a.flags
        assert c.copy(a, b, side) == 0, c.library.errors
        assert (a.flags, b.flags) == (before, DEVICE_DIRTY if side else HOST_DIRTY)
        if side:
            assert c.library.to_host(b) == 0
        x, y, z = place
        assert np.array_equal(out, numbers[z : z + shape[0], y : y + shape[1], x : x + shape[2]])
        assert np.all(out.base[..., shape[-1] :] == 77)
        assert c.library.free(a) == 0 and c.library.free(b) == 0
    c.end()


def test_within_the_device_nothing_comes_to_the_host(tmp_path: Path) -> None:
    c = Copier(tmp_path)
    numbers = np.arange(63, dtype=np.int32).reshape(7, 9)
    a, b = buffer_of(numbers.copy()), buffer_of(np.zeros((5, 4), np.int32))
    _at(b, 3, 1)
    a.flags = HOST_DIRTY
    assert c.call("halide_copy_to_device", a) == 0
    a.host = b.host = None
    moved = c.driver.device.copied_to_device
    assert c.copy(a, b, DEVICE) == 0
    assert (c.driver.device.copied_to_device, c.driver.device.copied_to_host) == (moved, 0)
    out = np.zeros((5, 4), np.int32)
    last = _at(buffer_of(out), 3, 1)
    assert c.copy(b, last, HOST) == 0 and np.array_equal(out, numbers[1:6, 3:7])
    c.end(a, b, last)


def test_what_is_newer_is_taken(tmp_path: Path) -> None:
    c = Copier(tmp_path)
    held = np.arange(12, dtype=np.int32).reshape(3, 4)
    a, out = buffer_of(held), np.zeros((3, 4), np.int32)
    b = buffer_of(out)
    a.flags = HOST_DIRTY
    assert c.call("halide_copy_to_device", a) == 0 and a.flags == 0
    held += 5
    # Nobody said so: what the device has is as good.
    assert c.copy(a, b, HOST) == 0 and np.array_equal(out, held - 5)
    a.flags = HOST_DIRTY
    assert c.copy(a, b, HOST) == 0 and np.array_equal(out, held)
    # What the destination held on the other side is of no use any more.
    assert c.copy(a, b, DEVICE) == 0 and b.flags == DEVICE_DIRTY
    assert c.copy(a, b, HOST) == 0 and b.flags == HOST_DIRTY
    # Onto itself: the other side.
    a.flags = HOST_DIRTY
    assert c.copy(a, a, DEVICE) == 0 and a.flags == 0
    c.end(a, b)


def test_what_is_refused(tmp_path: Path) -> None:
    c = Copier(tmp_path)
    a = buffer_of(np.zeros((3, 4), np.int32))

    def refused(source: RawBuffer, to: RawBuffer, side: bool, code: int, words: str, interface: int = 0) -> None:
        assert c.copy(source, to, side, interface or None) == code and words in c.library.errors[-1]

    refused(a, buffer_of(np.zeros(4, np.int32)), HOST, -39, "other numbers of dimensions")
    refused(a, buffer_of(np.zeros((3, 4), np.int16)), HOST, -39, "elements of other sizes")
    refused(a, buffer_of(np.zeros((3, 5), np.int32)), HOST, -39, "no part of the source")
    refused(a, _at(buffer_of(np.zeros((2, 2), np.int32)), -1, 0), DEVICE, -39, "no part of the source")
    nowhere = buffer_of(np.zeros((3, 4), np.int32))
    nowhere.host = None
    refused(nowhere, a, HOST, -34, "without memory on the host")
    refused(a, nowhere, HOST, -34, "without memory on the host")
    a.flags = HOST_DIRTY | DEVICE_DIRTY
    refused(a, buffer_of(np.zeros((3, 4), np.int32)), HOST, -37, "both changed")
    a.flags = 0
    refused(a, buffer_of(np.zeros((3, 4), np.int32)), DEVICE, -42, "another kind", interface=8)
    c.end()


@pytest.mark.parametrize("name", ["cuMemAlloc_v2", "cuMemcpy2D_v2", "cuMemcpyDtoD_v2"])
def test_a_call_of_the_driver_fails(tmp_path: Path, name: str) -> None:
    c = Copier(tmp_path)
    a, b = buffer_of(np.zeros((3, 4), np.int32)), buffer_of(np.zeros((3, 4) if "DtoD" in name else (3, 2), np.int32))
    a.flags = HOST_DIRTY
    assert c.call("halide_copy_to_device", a) == 0
    c.driver.failing[name] = (719, 0)
    assert c.copy(a, b, DEVICE) == (-16 if name == "cuMemAlloc_v2" else -39)
    assert b.flags == 0 and name in c.library.errors[-1]
    c.driver.failing.clear()
    c.end(a, b)


def test_in_the_callers_stream(tmp_path: Path) -> None:
    more = "int halide_cuda_get_stream(void *c, void *cuda, void **s) { *s = (void *)5; return cuda != (void *)77; }"
    c = Copier(tmp_path, more=more)
    numbers = np.arange(12, dtype=np.int32).reshape(3, 4)
    a, b, out = buffer_of(numbers), buffer_of(np.zeros((3, 4), np.int32)), np.zeros((3, 2), np.int32)
    last = _at(buffer_of(out), 1, 0)
    a.flags = HOST_DIRTY
    assert c.copy(a, b, DEVICE) == 0 and c.copy(b, a, DEVICE) == 0 and c.copy(a, last, HOST) == 0
    assert np.array_equal(out, numbers[:, 1:3])
    assert set(c.driver.streams) == {5} and c.driver.calls["cuMemcpyDtoDAsync_v2"] == 1
    assert not any(c.driver.calls[n] for n in ("cuMemcpyDtoD_v2", "cuMemcpy2D_v2", "cuMemcpyDtoH_v2"))
    c.end(a, b, last)


def test_memory_of_both_sides(tmp_path: Path) -> None:
    """What the host has of it is kept in place by the system."""
    c = Copier(tmp_path)
    b = buffer_of(np.zeros((3, 4), np.int32))
    b.host = None
    assert c.call("halide_device_and_host_malloc", b) == 0
    assert b.host in c.driver.pinned and b.device
    assert c.call("halide_device_and_host_free", b) == 0
    assert not b.host and not b.device and not c.driver.pinned
    c.driver.failing["cuMemAllocHost_v2"] = (2, 0)
    assert c.call("halide_device_and_host_malloc", b) == -11 and "cuMemAllocHost" in c.library.errors[-1]
    c.driver.failing = {"cuMemAlloc_v2": (2, 0)}
    c.library.release()
    assert c.call("halide_device_and_host_malloc", b) == -16
    assert not b.host and not c.driver.pinned
    c.driver.failing.clear()
    c.end()
