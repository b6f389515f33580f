"""The default schedule for a device: what it makes of each kind of stage, and that the emulated device computes what
the host does, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.device.scheduler import DeviceSchedule, device_schedule
from halide_core.gpu.runtime import device_runtime
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET, left

pytestmark = pytest.mark.few(4)

x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
SIZE = (67, 21)
Make = Callable[[Any], Any]


def _source(kind: str = "uint8", dimensions: int = 2) -> tuple[Any, np.ndarray]:
    shape = (SIZE[1], SIZE[0], 3)[-dimensions:] if dimensions == 3 else SIZE[::-1]
    random = np.random.default_rng(3)
    data = random.random(shape).astype(kind) if kind == "float32" else random.integers(0, 200, shape).astype(kind)
    t = hl.Float(32) if kind == "float32" else hl.UInt(8)
    image = hl.ImageParam(t, dimensions, "source")
    image.set(hl.Buffer(data))
    return image, data


def _point_wise(image: Any) -> Any:
    doubled, f = hl.Func("doubled"), hl.Func("f")
    doubled[x, y] = hl.u16(image[x, y]) * 2 + hl.u16(x) * hl.u16(y) % 7 + 1
    f[x, y] = doubled[x, y] * 3
    return f


def _stencil(image: Any) -> Any:
    rows, f = hl.Func("rows"), hl.Func("f")
    clamped = hl.BoundaryConditions.repeat_edge(image, [(0, SIZE[0]), (0, SIZE[1])])
    rows[x, y] = hl.u16(clamped[x - 1, y]) + hl.u16(clamped[x, y]) * 2 + hl.u16(clamped[x + 1, y])
    f[x, y] = rows[x, y - 1] + rows[x, y] * 2 + rows[x, y + 1]
    return f


def _window(image: Any) -> Any:
    total, f = hl.Func("total"), hl.Func("f")
    r = hl.RDom([(0, 3), (0, 3)])
    clamped = hl.BoundaryConditions.repeat_edge(image, [(0, SIZE[0]), (0, SIZE[1])])
    total[x, y] = hl.u16(0)
    total[x, y] += hl.u16(clamped[x + r.x, y + r.y])
    f[x, y] = hl.u8(total[x, y] / 9)
    return f


def _sum(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[()] = hl.u32(5)
    f[()] += hl.u32(image[r.x, r.y % SIZE[1]])
    return f


def _sums_of_channels(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[c] = hl.u32(c)
    f[c] += hl.u32(image[r.x, r.y % SIZE[1]]) * hl.u32(c + 1)
    f.bound(c, 0, 3)
    return f


def _narrow(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[c] = hl.u16(c)
    f[c] += hl.u16(image[r.x, r.y % SIZE[1]])
    f.bound(c, 0, 2)
    return f


def _brightest(image: Any) -> Any:
    """Many are: the first one counts."""
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    value = image[r.x, r.y % SIZE[1]] / 50
    f[()] = hl.Tuple([hl.i32(-1), hl.i32(-1), hl.u8(0)])
    more = value > f[()][2]
    f[()] = hl.Tuple([
        hl.select(more, r.x, f[()][0]), hl.select(more, r.y, f[()][1]), hl.select(more, value, f[()][2]),
    ])
    g[c] = hl.mux(c, [f[()][0], f[()][1], hl.i32(f[()][2])])
    f.compute_root()
    return g


def _last_brightest(image: Any) -> Any:
    """Of those that are, the last one counts."""
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    value = image[r.x, r.y % SIZE[1]]
    f[()] = hl.Tuple([hl.i32(-1), hl.u8(0)])
    more = value >= f[()][1]
    f[()] = hl.Tuple([hl.select(more, r.x, f[()][0]), hl.select(more, value, f[()][1])])
    return f


def _count_and_sum(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    value = image[r.x, r.y % SIZE[1]]
    f[()] = hl.Tuple([hl.u32(0), hl.f32(0.0)])
    f[()] = hl.Tuple([f[()][0] + hl.u32(value > 100), f[()][1] + hl.f32(value) * hl.f32(0.1)])
    return f


def _least(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0] * 71)])
    f[()] = hl.u8(255)
    f[()] = hl.min(f[()], image[r.x % SIZE[0], r.x % SIZE[1]])
    return f


def _histogram(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[x] = hl.u32(0)
    f[hl.i32(image[r.x, r.y % SIZE[1]])] += hl.u32(1)
    return f


def _scan(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(1, SIZE[0] - 1)])
    f[x, y] = hl.u32(image[x, y])
    f[r.x, y] += f[r.x - 1, y]
    return f


def _row_sums(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0])])
    f[y] = hl.u32(1)
    f[y] += hl.u32(image[r.x, y])
    return f


def _narrow_histogram(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[x] = hl.u8(0)
    f[hl.i32(image[r.x, r.y % SIZE[1]])] += hl.u8(1)
    return f


def _recursive(image: Any) -> Any:
    f = hl.Func("f")
    r = hl.RDom([(1, SIZE[0] - 1), (1, 70)])
    f[x, y] = hl.u32(image[x, y % SIZE[1]])
    f[r.x, r.y] = f[r.x - 1, r.y] * 3 + f[r.x, r.y - 1]
    return f


def _scheduled(make: Make, image: Any) -> tuple[Any, DeviceSchedule]:
    f = make(image)
    return f, device_schedule([f._function], {})


def _realized(f: Any, size: tuple[int, ...], target: Any) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(f.realize(list(size), target)))


CASES: dict[str, tuple[Make, tuple[int, ...], list[str]]] = {
    "point-wise stages are one": (_point_wise, SIZE, ["doubled.compute_inline()", "f.gpu_tile(x, y, xi, yi, 32, 8"]),
    "a stencil's producer is shared": (_stencil, SIZE, ["rows.compute_at(f, x)", "rows.gpu_threads(x, y)"]),
    "a window's sum is the thread's": (_window, SIZE, ["total.compute_at(f, xi)"]),
    "a sum whose blocks meet": (_sum, (), ["f.update(0).atomic()", "f_parts.compute_at(f, f_r"]),
    "sums of channels": (_sums_of_channels, (3,), ["f.update(0).reorder(f_r", "f.update(0).gpu_blocks(f_r"]),
    "sums of 16 bits": (_narrow, (2,), ["f_blocks = f_sums.in_()", "f_columns.update(0).gpu_threads(columni)"]),
    "a minimum over one loop": (_least, (), ["f.update(0).rfactor(", "4096, hl.TailStrategy.GuardWithIf)"]),
    "a histogram by atomic updates": (_histogram, (256,), ["f.update(0).atomic()", "f.update(0).gpu_tile("]),
    "32 threads a row of sums": (
        _row_sums, SIZE[1:], ["f_parts.compute_at(f, y)", "f_parts.update(0).gpu_threads(lane, y)"]
    ),
    "a thread a row of a scan": (_scan, SIZE, ["f.update(0).gpu_tile(y, yi, 64"]),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_kind(name: str) -> None:
    make, size, wanted = CASES[name]
    image, _ = _source()
    f, found = _scheduled(make, image)
    text = found.schedule.python()
    assert not found.on_host
    for line in wanted:
        assert line in text, text
    found.apply([f._function])
    expected = _realized(make(image), size, hl.Target("host"))
    device = Emulator()
    with device_runtime(device):
        got = _realized(f, size, hl.Target(TARGET))
    image.reset()
    assert np.array_equal(got, expected)
    assert device.launches
    assert left(device) == 0


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_recursive, "each of its points needs the one before"),
        (_last_brightest, "each of its points needs the one before"),
        (_count_and_sum, "each of its points needs the one before"),
        (_narrow_histogram, "threads would meet in elements of uint8"),
    ],
)
def test_what_stays_on_the_host(make: Make, reason: str) -> None:
    image, _ = _source()
    f = make(image)
    found = device_schedule([f._function], {}, portable=False)
    assert found.on_host == {"f": reason}
    assert not found.on_device
    assert not found.schedule.directives


def test_a_sum_of_floats_keeps_its_order() -> None:
    image, _ = _source("float32")
    f = hl.Func("f")
    r = hl.RDom([(0, SIZE[0]), (0, 71)])
    f[()] = 0.0
    f[()] += image[r.x, r.y % SIZE[1]]
    found = device_schedule([f._function], {})
    assert found.on_host == {"f": "it is a sum of floats, whose order is part of its value"}


def test_functions_of_the_c_library_stay_on_the_host() -> None:
    """What uses them is on the device, and reads what the host made."""
    wide, f = hl.Func("wide"), hl.Func("f")
    image, _ = _source()
    wide[x, y] = hl.libm("sin", hl.f64(image[x, y]))
    f[x, y] = wide[x, y] + wide[x + 1, y]
    found = device_schedule([f._function], {})
    assert list(found.on_host) == ["wide"]
    assert "a device has no function sin" in found.on_host["wide"]
    assert found.on_device == ["f"]
    assert "wide.compute_root()" in found.schedule.python()


def test_channels_are_written_out() -> None:
    image, _ = _source("uint8", 3)
    f = hl.Func("f")
    f[c, x, y] = 255 - image[c, x, y]
    f.bound(c, 0, 3)
    text = device_schedule([f._function], {}).schedule.python()
    assert "f.unroll(c)" in text
    assert "f.gpu_tile(x, y, xi, yi, 32, 8" in text


def test_small_work_follows_what_it_reads() -> None:
    """A scalar is computed where its operand is."""
    image, _ = _source()
    total, f = _sum(image), hl.Func("mean")
    f[()] = total[()] / 100
    assert device_schedule([f._function], {}).on_device == ["f", "mean"]
    lone = hl.Func("lone")
    lone[()] = hl.u32(image[0, 0]) + 1
    assert device_schedule([lone._function], {}).on_host == {"lone": "it is too little work"}


def test_a_schedule_as_text_names_reductions_where_they_are() -> None:
    """After rfactor the reduction of an update is another one; its variables are asked for again."""
    image, _ = _source()
    _, found = _scheduled(_sum, image)
    lines = found.schedule.python().splitlines()
    first, last = (next(k for k, line in enumerate(lines) if f"{n} = " in line) for n in ("f_parts", "f_sums"))
    assert any(line.endswith(" = f.rvars(0)[1]") for line in lines[first:last])
    assert found.schedule.cpp().count("rfactor") == 3


def test_rows_that_need_the_one_above() -> None:
    """A kernel for each row."""
    image, _ = _source()

    def made() -> Any:
        f, r = hl.Func("f"), hl.RDom([(0, SIZE[0]), (1, 70)])
        f[x, y] = hl.u32(image[x, y % SIZE[1]])
        f[r.x, r.y] = hl.u32(image[r.x, r.y % SIZE[1]]) + hl.min(f[hl.max(r.x - 1, 0), r.y - 1], f[r.x, r.y - 1])
        return f

    f = made()
    found = device_schedule([f._function], {})
    text = found.schedule.python()
    assert "f.update(0).allow_race_conditions()" in text
    assert "f.update(0).gpu_tile(" in text
    found.apply([f._function])
    device = Emulator()
    with device_runtime(device):
        got = _realized(f, (SIZE[0], 71), hl.Target(TARGET))
    assert np.array_equal(got, _realized(made(), (SIZE[0], 71), hl.Target("host")))
    assert len(device.launches) == 71
    image.reset()


@pytest.mark.parametrize("size", [SIZE, (SIZE[0] * 7 + 1, 71)])
def test_the_first_of_the_greatest_is_found(size: tuple[int, int]) -> None:
    """Threads have points that follow one another, and what they have is put together in order."""
    data = np.random.default_rng(5).integers(0, 200, size[::-1], np.uint8) // 50 * 50
    image = hl.ImageParam(hl.UInt(8), 2, "source")
    image.set(hl.Buffer(data))
    f = _brightest(image)
    # The package has no such `rfactor`.
    assert device_schedule([f._function], {}, pinned=("f",)).on_host == {"f": "each of its points needs the one before"}
    found = device_schedule([f._function], {}, pinned=("f",), portable=False)
    assert "f.update(0).fuse(" in found.schedule.python()
    found.apply([f._function])
    device = Emulator()
    with device_runtime(device):
        got = _realized(f, (3,), hl.Target(TARGET))
    assert np.array_equal(got, _realized(_brightest(image), (3,), hl.Target("host")))
    assert len(device.launches) > 4
    image.reset()


def test_histograms_of_channels_are_counted_in_shared_memory() -> None:
    """Channels first: threads go along the bins."""
    image, _ = _source(dimensions=3)

    def made() -> Any:
        f, r = hl.Func("f"), hl.RDom([(0, SIZE[0]), (0, SIZE[1] * 4)])
        f[c, x] = hl.u32(c)
        f[c, hl.i32(image[c, r.x, r.y % SIZE[1]])] += hl.u32(1)
        f.bound(x, 0, 256).bound(c, 0, 3)
        return f

    f = made()
    found = device_schedule([f._function], {})
    assert "f_parts.split(x, x, xi, 256" in found.schedule.python()
    found.apply([f._function])
    device = Emulator()
    with device_runtime(device):
        got = _realized(f, (3, 256), hl.Target(TARGET))
    assert np.array_equal(got, _realized(made(), (3, 256), hl.Target("host")))
    assert any(k.counts.instructions.get("shared atomic") for k in device.launches)
    image.reset()


def test_a_histogram_of_known_bounds_is_counted_in_shared_memory() -> None:
    image, _ = _source()

    def made() -> Any:
        f = _histogram(image)
        f.bound(x, 0, 256)
        return f

    f = made()
    found = device_schedule([f._function], {})
    text = found.schedule.python()
    assert "f.update(0).atomic()" in text
    assert "f_parts.compute_at(f, f_r" in text
    assert "f_parts.store_in(hl.MemoryType.GPUShared)" in text
    found.apply([f._function])
    device = Emulator()
    with device_runtime(device):
        got = _realized(f, (256,), hl.Target(TARGET))
    assert np.array_equal(got, _realized(made(), (256,), hl.Target("host")))
    assert any(k.counts.instructions.get("shared atomic") for k in device.launches)
    image.reset()
