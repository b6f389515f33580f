"""Memory of a device that outlives a run: what is copied when, whose it is, and arrays of other libraries in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.driver import CudaDriver
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left
from tests.gpu.test_driver import StandIn

pytestmark = pytest.mark.few(3)

x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))
WIDTH, HEIGHT = 20, 12
BYTES = WIDTH * HEIGHT * 4


@pytest.fixture
def device() -> Iterator[Emulator]:
    """The device of the test."""
    out = Emulator()
    with device_runtime(out):
        yield out


def _data() -> np.ndarray[Any, Any]:
    return np.arange(WIDTH * HEIGHT, dtype=np.int32).reshape(HEIGHT, WIDTH)


def _empty() -> hc.Buffer:
    return hc.Buffer(hc.Int(32), [WIDTH, HEIGHT])


class Doubled:
    """out[x, y] = in[x, y] * 2 + 1, on the device."""

    def __init__(self, of: hc.Buffer) -> None:
        self.image, self.f = hc.ImageParam(hc.Int(32), 2, "image"), hc.Func("f")
        self.image.set(of)
        self.f[x, y] = self.image[x, y] * 2 + 1
        self.f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)

    def into(self, out: Any) -> None:
        """Runs."""
        self.f.realize(out, hc.Target(TARGET))


def test_a_chain_stays_on_the_device(device: Emulator) -> None:
    first, second, data = _empty(), _empty(), _data()
    Doubled(hc.Buffer(data)).into(first)
    Doubled(first).into(second)
    assert (device.copied_to_device, device.copied_to_host) == (BYTES, 0)
    assert second.device_dirty() and not second.host_dirty()
    assert second.has_device_allocation()
    # Who looks at it sees what is there.
    assert second[3, 2] == data[2, 3] * 4 + 3
    assert np.array_equal(np.asarray(second), data * 4 + 3)
    assert device.copied_to_host == BYTES
    assert not second.device_dirty()


def test_an_input_is_copied_when_it_was_changed(device: Emulator) -> None:
    data, out = _data(), _empty()
    given = hc.Buffer(data)
    assert given.host_dirty()
    run = Doubled(given)
    run.into(out)
    assert not given.host_dirty()
    run.into(out)
    assert device.copied_to_device == BYTES
    # By NumPy nobody is told of it.
    data[0, 0] = 500
    run.into(out)
    assert out[0, 0] == 1
    given.set_host_dirty()
    run.into(out)
    assert out[0, 0] == 1001
    given[1, 0] = 70
    run.into(out)
    assert out[1, 0] == 141
    given.fill(9)
    run.into(out)
    assert np.unique(np.asarray(out)).tolist() == [19]
    assert device.copied_to_device == 4 * BYTES


def test_arrays_of_numpy_are_written(device: Emulator) -> None:
    out = np.zeros((HEIGHT, WIDTH), np.int32)
    Doubled(hc.Buffer(_data())).into(out)
    assert np.array_equal(out, _data() * 2 + 1)
    assert left(device) <= 1


def test_an_output_is_not_copied_to_the_device(device: Emulator) -> None:
    out = hc.Buffer(np.zeros((HEIGHT, WIDTH), np.int32))
    assert out.host_dirty()
    Doubled(hc.Buffer(_data())).into(out)
    assert device.copied_to_device == BYTES
    assert not out.host_dirty() and out.device_dirty()


def test_in_place(device: Emulator) -> None:
    memory = _data()
    both = hc.Buffer(memory)
    run = Doubled(both)
    run.into(both)
    run.into(both)
    assert np.array_equal(memory, (_data() * 2 + 1) * 2 + 1)
    # Kernels take arrays for apart: each has a copy of its own.
    assert left(device) == 0


def test_a_stencil_in_place(device: Emulator) -> None:
    """Of the values that were there."""
    memory = _data()
    both, image, f = hc.Buffer(memory), hc.ImageParam(hc.Int(32), 2, "image"), hc.Func("f")
    image.set(both)
    f[x, y] = image[hc.clamp(x - 1, 0, WIDTH - 1), y] + image[hc.clamp(x + 1, 0, WIDTH - 1), y]
    f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)
    f.realize(both, hc.Target(TARGET))
    padded = np.pad(_data(), ((0, 0), (1, 1)), "edge")
    assert np.array_equal(memory, padded[:, :-2] + padded[:, 2:])


def test_buffers_of_the_same_memory(device: Emulator) -> None:
    memory = _data()
    run = Doubled(hc.Buffer(memory))
    for _ in range(2):
        run.into(hc.Buffer(memory))
    assert np.array_equal(memory, (_data() * 2 + 1) * 2 + 1)


def test_a_part_is_of_the_values_that_the_device_has(device: Emulator) -> None:
    whole, out = _empty(), hc.Buffer(hc.Int(32), [5, 4])
    Doubled(hc.Buffer(_data())).into(whole)
    part = whole.cropped([(3, 5), (2, 4)])
    part.set_min([0, 0])
    Doubled(part).into(out)
    assert np.array_equal(np.asarray(out), (_data()[2:6, 3:8] * 2 + 1) * 2 + 1)


def test_both_sides_changed_it(device: Emulator) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    out.set_host_dirty()
    with pytest.raises(hc.HalideError, match="Host and device have both changed a buffer"):
        out.copy_to_host()
    with pytest.raises(hc.HalideError, match="Host and device have both changed a buffer"):
        Doubled(out).into(_empty())
    out.set_host_dirty(False)
    assert out[0, 1] == 41


def test_memory_is_freed_when_it_is_asked_for_and_when_the_buffer_goes(device: Emulator) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    assert left(device) == 1
    out.copy_to_host()
    assert out.device_free() == 0
    assert left(device) == 0 and not out.has_device_allocation()
    assert out.copy_to_device() == 0
    assert out.device_malloc() == 0
    assert left(device) == 1
    del out
    assert left(device) == 0


def test_memory_that_is_detached_is_somebody_elses(device: Emulator) -> None:
    out = hc.Buffer(_data())
    out.copy_to_device()
    address = out.__cuda_array_interface__["data"][0]
    out.device_detach_native()
    del out
    assert left(device) == 1
    device.free(address)


def test_another_device(device: Emulator) -> None:
    middle, out = _empty(), _empty()
    Doubled(hc.Buffer(_data())).into(middle)
    other = Emulator()
    with device_runtime(other):
        Doubled(middle).into(out)
        assert np.array_equal(np.asarray(out), _data() * 4 + 3)
    assert left(device) == 0
    assert left(other) == 2


def test_no_device() -> None:
    given = hc.Buffer(_data())
    with pytest.raises(hc.HalideError, match="There is no CUDA driver"):
        given.copy_to_device()
    assert given.copy_to_host() == 0
    assert given.device_sync() == 0
    with pytest.raises(AttributeError, match="has no memory on a device"):
        _ = given.__cuda_array_interface__


def test_a_run_that_failed_leaves_what_the_host_has() -> None:
    class Broken(Emulator):
        def launch(self, *arguments: object) -> None:
            raise hc.HalideError("the kernel failed")

    out = hc.Buffer(_data())
    with device_runtime(Broken()), pytest.raises(hc.HalideError, match="the kernel failed"):
        Doubled(hc.Buffer(_data())).into(out)
    with device_runtime(Emulator()):
        second = _empty()
        Doubled(out).into(second)
        assert np.array_equal(np.asarray(second), _data() * 2 + 1)


class Full(Emulator):
    """A device on which one image has room."""

    def malloc(self, size: int) -> int:
        if self.left():
            raise hc.HalideError("out of memory")
        return super().malloc(size)


def test_memory_of_buffers_that_nobody_has_is_found() -> None:
    device = Full()
    with device_runtime(device):
        gc.disable()
        try:
            hc.Buffer(_data()).copy_to_device()
            given = hc.Buffer(_data())
            given.copy_to_device()
        finally:
            gc.enable()
        with pytest.raises(hc.HalideError, match="out of memory"):
            hc.Buffer(_data()).copy_to_device()


def test_the_driver_is_asked_for_memory_once() -> None:
    library = StandIn()
    driver = CudaDriver(library)
    with device_runtime(driver):
        for _ in range(3):
            given = hc.Buffer(_data())
            given.copy_to_device()
            given.device_free()
    assert library.device.left() == 1
    driver.give_back()
    assert library.device.left() == 0


class Theirs:
    """An array of another library's on a device."""

    def __init__(self, device: Emulator, values: np.ndarray[Any, Any], gap: int = 0, stream: Any = None) -> None:
        rows, columns = values.shape
        padded = np.zeros((rows, columns + gap), values.dtype)
        padded[:, :columns] = values
        self.address, self.device = device.malloc(padded.nbytes), device
        device.copy_to_device(self.address, padded.ctypes.data, padded.nbytes)
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": padded.strides if gap else None,
            "stream": stream,
        }


@pytest.mark.parametrize("gap", [0, 5])
def test_an_array_of_another_library(device: Emulator, gap: int) -> None:
    theirs, out = Theirs(device, _data(), gap), _empty()
    before = device.copied_to_device
    Doubled(hc.Buffer(theirs)).into(out)
    assert device.copied_to_device == before and device.copied_to_host == 0
    assert np.array_equal(np.asarray(out), _data() * 2 + 1)
    del out
    # It is not ours to free.
    assert left(device) == 1


def test_into_an_array_of_another_library(device: Emulator) -> None:
    theirs = Theirs(device, np.zeros_like(_data()))
    Doubled(hc.Buffer(_data())).into(hc.Buffer(theirs))
    assert device.copied_to_host == 0
    found = np.zeros_like(_data())
    device.copy_to_host(found.ctypes.data, theirs.address, found.nbytes)
    assert np.array_equal(found, _data() * 2 + 1)


def test_a_buffer_as_an_array_of_the_interface(device: Emulator) -> None:
    out = _empty()
    Doubled(hc.Buffer(_data())).into(out)
    told = out.__cuda_array_interface__
    assert (told["shape"], told["strides"], told["typestr"]) == ((HEIGHT, WIDTH), (WIDTH * 4, 4), "<i4")
    found = np.zeros_like(_data())
    device.copy_to_host(found.ctypes.data, told["data"][0], found.nbytes)
    assert np.array_equal(found, _data() * 2 + 1)
    # And back, without a copy.
    assert hc.Buffer(out).type() == hc.Int(32)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mask": 1}, "mask"),
        ({"strides": (-80, 4)}, "strides"),
        ({"strides": (81, 4)}, "strides"),
    ],
)
def test_arrays_that_are_refused(device: Emulator, change: dict[str, Any], words: str) -> None:
    theirs = Theirs(device, _data())
    theirs.__cuda_array_interface__ |= change
    with pytest.raises(hc.HalideError, match=words):
        hc.Buffer(theirs)


def test_another_stream_is_waited_for() -> None:
    waited: list[int] = []

    class Waiting(Emulator):
        def synchronize(self) -> None:
            waited.append(1)

    device = Waiting()
    with device_runtime(device):
        for stream in (None, 1, 2, 77):
            hc.Buffer(Theirs(device, _data(), stream=stream))
    assert len(waited) == 2
