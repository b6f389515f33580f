"""What the host does around kernels: copies, buffers of every shape, errors."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.runtime import device_runtime
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left

x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))


def _target() -> hc.Target:
    return hc.Target(TARGET)


def _sums(image: hc.ImageParam) -> hc.Func:
    f = hc.Func("f")
    f[x, y] = image[x, y] * 2 + hc.i32(x) - y
    return f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)


def test_a_part_of_a_buffer() -> None:
    """Into a crop: what lies between its rows stays."""
    data = np.arange(40 * 30, dtype=np.int32).reshape(30, 40)
    image = hc.ImageParam(hc.Int(32), 2, "image")
    image.set(hc.Buffer(data))
    memory = np.full((30, 40), -7, np.int32)
    part = hc.Buffer(memory)
    part.crop([(5, 20), (3, 11)])
    device = Emulator()
    with device_runtime(device):
        _sums(image).realize(part, _target())
    rows, columns = np.mgrid[0:30, 0:40]
    wanted = np.full((30, 40), -7)
    wanted[3:14, 5:25] = (data * 2 + columns - rows)[3:14, 5:25]
    assert (memory == -7).all()
    assert part.copy_to_host() == 0
    assert np.array_equal(memory, wanted)
    assert left(device) == 2
    assert device.copied_to_host == 20 * 11 * 4


def test_an_input_that_does_not_start_at_zero() -> None:
    data = np.arange(40 * 30, dtype=np.int32).reshape(30, 40)
    given = hc.Buffer(data)
    given.set_min([-3, 2])
    image = hc.ImageParam(hc.Int(32), 2, "image")
    image.set(given)
    f = hc.Func("f")
    f[x, y] = image[x - 3, y + 2]
    f.gpu_tile(x, y, xi, yi, 8, 8, hc.TailStrategy.GuardWithIf)
    with device_runtime(Emulator()):
        found = np.asarray(f.realize([17, 13], _target()))
    assert np.array_equal(found, data[:13, :17])


def test_planes_and_pixels() -> None:
    """An interleaved input, whose strides are not in the order of its dimensions."""
    data = np.random.default_rng(2).integers(0, 255, (12, 19, 3), np.uint8)
    image = hc.ImageParam(hc.UInt(8), 3, "image")
    image.dim(0).set_stride(3)
    image.dim(2).set_stride(1)
    image.set(hc.Buffer(data.transpose(2, 0, 1)))
    c, f = hc.Var("c"), hc.Func("f")
    f[x, y, c] = 255 - image[x, y, c]
    f.reorder(c, x, y).bound(c, 0, 3).unroll(c).gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)
    with device_runtime(Emulator()):
        found = np.asarray(f.realize([19, 12, 3], _target()))
    assert np.array_equal(found, 255 - data.transpose(2, 0, 1))


def test_a_stride_below_zero() -> None:
    data = np.arange(40 * 30, dtype=np.int32).reshape(30, 40)
    image = hc.ImageParam(hc.Int(32), 2, "image")
    image.set(hc.Buffer(data[::-1]))
    device = Emulator()
    with device_runtime(device), pytest.raises(hc.HalideError, match="negative stride cannot be copied to a device"):
        _sums(image).realize([17, 13], _target())
    assert not device.launches


def test_several_outputs() -> None:
    """One on the device, one on the host that reads it, and both are given back."""
    f, g = hc.Func("f"), hc.Func("g")
    f[x, y] = x * 3 + y
    g[x, y] = f[x, y] * 2
    f.compute_root().gpu_tile(x, y, xi, yi, 8, 8, hc.TailStrategy.GuardWithIf)
    with device_runtime(Emulator()):
        first, second = hc.Pipeline([f, g]).realize([13, 9], _target())
    rows, columns = np.mgrid[0:9, 0:13]
    assert np.array_equal(np.asarray(first), columns * 3 + rows)
    assert np.array_equal(np.asarray(second), (columns * 3 + rows) * 2)


def test_old_values_stay() -> None:
    """An output of which a kernel stores a part only is copied there and back."""
    r, f = hc.RDom([(2, 5)], "r"), hc.Func("f")
    f[x] = hc.undef(hc.Int(32))
    f[r] = r * 10
    rt = hc.RVar("rt")
    f.update().split(r, r, rt, 4).gpu_blocks(r).gpu_threads(rt)
    memory = np.arange(12, dtype=np.int32)
    with device_runtime(Emulator()):
        f.realize(memory, _target())
    assert list(memory) == [0, 1, 20, 30, 40, 50, 60, 7, 8, 9, 10, 11]


def test_kernels_in_loops_of_the_host() -> None:
    """One for each row, from what the host computes for it; a parallel loop goes one after the other."""
    for directive in ("serial", "parallel"):
        g, f = hc.Func("g"), hc.Func("f")
        g[x, y] = x * y + 1
        f[x, y] = g[x, y] + g[x + 1, y]
        getattr(f.split(x, x, xi, 8, hc.TailStrategy.GuardWithIf).gpu_blocks(x).gpu_threads(xi), directive)(y)
        g.compute_at(f, y)
        device = Emulator()
        with device_runtime(device):
            found = np.asarray(f.realize([21, 5], _target()))
        rows, columns = np.mgrid[0:5, 0:21]
        assert np.array_equal(found, columns * rows + (columns + 1) * rows + 2)
        assert len(device.launches) == 5
        assert left(device) == 0


def test_nothing_to_do() -> None:
    image = hc.ImageParam(hc.Int(32), 2, "image")
    image.set(hc.Buffer(np.zeros((4, 4), np.int32)))
    device = Emulator()
    with device_runtime(device):
        assert np.asarray(_sums(image).realize([0, 3], _target())).size == 0
    assert not device.launches


def test_a_callable() -> None:
    image, k = hc.ImageParam(hc.Int(32), 2, "image"), hc.Param(hc.Int(32), "k")
    f = hc.Func("f")
    f[x, y] = image[x, y] * k
    f.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)
    call = hc.Pipeline(f).compile_to_callable([image, k], _target())
    data = np.arange(12 * 9, dtype=np.int32).reshape(9, 12)
    out = hc.Buffer(hc.Int(32), [12, 9])
    with device_runtime(Emulator()):
        call(hc.Buffer(data), 7, out)
    assert np.array_equal(np.asarray(out), data * 7)


def test_what_fails_on_the_device_is_raised_and_nothing_is_left() -> None:
    class Broken(Emulator):
        def launch(self, *arguments: object) -> None:
            raise hc.HalideError("the kernel failed")

    image = hc.ImageParam(hc.Int(32), 2, "image")
    image.set(hc.Buffer(np.zeros((40, 40), np.int32)))
    device = Broken()
    out = hc.Buffer(hc.Int(32), [17, 13])
    with device_runtime(device), pytest.raises(hc.HalideError, match="the kernel failed"):
        _sums(image).realize(out, _target())
    assert left(device) == 2
    assert out.host_dirty()
    # The host still runs.
    with device_runtime(Emulator()):
        _sums(image).realize([17, 13], _target())


def test_too_many_elements() -> None:
    """Known before anything is copied; the memory is never touched."""
    f = hc.Func("f")
    f[x] = hc.u8(x)
    f.gpu_tile(x, xi, 64)
    row = np.zeros(1, np.uint8)
    long = np.lib.stride_tricks.as_strided(row, shape=(3, 3), strides=((1 << 30) - 4, 1))
    image = hc.ImageParam(hc.UInt(8), 2, "image")
    image.set(hc.Buffer(long))
    device = Emulator()
    with device_runtime(device), pytest.raises(hc.HalideError, match="more elements than a device can count"):
        g = hc.Func("g")
        g[x, y] = image[x, y] + 1
        g.gpu_tile(x, y, xi, yi, 1, 1)
        g.realize([3, 3], _target())
    assert not device.launches


def test_shared_memory_that_a_kernel_declares_is_not_asked_for_again() -> None:
    device = Emulator()
    case = CASES["blur_shared"]
    with device_runtime(device):
        f, params = case.make(hc, True)
        data = data_of(case)
        for name, p in params.items():
            p.set(hc.Buffer(data[name]))
        f.realize(list(case.size), hc.Target(TARGET))
    assert ".shared .align" in device.texts()[0]
    assert [x.shared for x in device.launches] == [0]
