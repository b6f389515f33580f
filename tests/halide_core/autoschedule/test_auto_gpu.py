"""The parts of AutoGPU by themselves: devices, occupancy, tiles, costs, the model of time."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.analysis.arithmetic import Site
from halide_core.autoschedule.auto_gpu.block_sizes import Limits, TooManyThreads, _number, check_blocks, check_launches
from halide_core.autoschedule.auto_gpu.cost import by_listing
from halide_core.autoschedule.auto_gpu.devices import chosen_device, known_devices
from halide_core.autoschedule.auto_gpu.estimate import _warps_of_rows
from halide_core.autoschedule.auto_gpu.occupancy import blocks_of_sm, guessed_registers, occupancy
from halide_core.autoschedule.auto_gpu.options import options
from halide_core.autoschedule.auto_gpu.scheduler import AutoGPU, auto_gpu
from halide_core.autoschedule.auto_gpu.sectors import Rows
from halide_core.autoschedule.auto_gpu.tile_bounds import Tiles, finer_tiles, least, most, power_of_two_tiles
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, kernel_seconds, limit, roofs
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.device.scheduler import DeviceSchedule
from halide_core.ir import stmt as st
from halide_core.lower import lower
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions

pytestmark = pytest.mark.few(3)

A100, TURING = known_devices()["A100"], known_devices()["RTX 2080 Ti"]
TARGET = hl.Target("x86-64-linux-sse41-cuda-cuda_capability_80")


def test_devices_by_name_and_by_number() -> None:
    assert {"RTX 2080 Ti", "Xavier", "A100", "H100", "H200"} <= known_devices().keys()
    found = chosen_device({"device": "Xavier", "sms": "4", "memory": "68.5"})
    assert (found.capability, found.sms, found.memory) == (72, 4, 68.5)
    with pytest.raises(hl.HalideError, match="no device 'GTX'"):
        chosen_device({"device": "GTX"})
    with pytest.raises(hl.HalideError, match="sms must be positive"):
        chosen_device({"sms": "0"})
    with pytest.raises(hl.HalideError, match="fusion is one of none, overlap, nested, forced, not 'some'"):
        options({"fusion": "some"})


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks"),
    [
        (TURING, 512, 64, 2048, 2),  # the paper's example: all of the SM's threads
        (A100, 256, 64, 0, 4),  # registers: 65536 of 256 * 64 each
        (A100, 256, 32, 48 << 10, 3),  # shared memory: 164 KB of 49 each
        (A100, 32, 16, 0, 32),  # as many blocks as there may be
        (A100, 1024, 65, 0, 0),  # a block of 1024 threads of 72 registers has no room
        (A100, 2048, 16, 0, 0),  # too many threads
        (TURING, 64, 16, 65 << 10, 0),  # too much shared memory
        (A100, 96, 40, 0, 12),  # warps in fours: 12 blocks of 4 * 1280 registers
    ],
)
def test_blocks_of_an_sm(device: object, threads: int, registers: int, shared: int, blocks: int) -> None:
    assert int(blocks_of_sm(device, threads, registers, shared)) == blocks  # type: ignore[arg-type]


def test_occupancy() -> None:
    assert occupancy(TURING, 512, 64, 2048) == 1.0
    assert occupancy(A100, 256, 64, 0) == 0.5
    assert list(guessed_registers(A100, np.array([64, 256, 280, 1024]))) == [255, 255, 168, 64]


def test_bounds_of_tiles_are_the_papers() -> None:
    assert [least(e) for e in (3, 63, 64, 4000)] == [2, 2, 8, 8]
    assert [most(1536, 1), most(1536, 2), most(1000, 2), most(3, 2)] == [12, 48, 500, 1]
    tiles = power_of_two_tiles((1536, 2560), False, True)
    assert set(tiles.threads[0].tolist()) == {8, 16, 32} and set(tiles.threads[1].tolist()) == {8, 16, 32, 64}
    assert max(np.concatenate(tiles.each)) == 1
    total = tiles.threads[0] * tiles.threads[1]
    assert total.min() >= 32 and total.max() <= 1024
    finer = finer_tiles((16, 8), (1, 4), True, (1536, 2560))
    assert {(20, 10), (16, 8)} <= set(zip(*(t.tolist() for t in finer.threads), strict=True))
    assert set(finer.each[1].tolist()) == {4}


def _work(**changed: float) -> KernelWork:
    work = KernelWork(10000, 256, 32, 0, 4e6, global_accesses=3e5, sectors=1.2e6, l2_bytes=4e7, memory_bytes=3e7)
    return replace(work, **changed)


def test_each_roof_limits() -> None:
    assert limit(A100, _work(memory_bytes=3e9, l2_bytes=3e9)) == "memory"
    assert limit(A100, _work(l2_bytes=3e9)) == "l2"
    assert limit(A100, _work(instructions=4e9)) == "instructions"
    assert limit(A100, _work(shared_accesses=1e9)) == "shared"
    assert limit(A100, _work(sectors=4e9)) == "l1"
    # One warp that goes on and on, and what takes no time at all.
    assert limit(A100, replace(_work(), blocks=1, threads=32)) == "latency"
    assert limit(A100, KernelWork(1, 32, 16, 0, 100)) == "launch"
    assert not np.isfinite(kernel_seconds(A100, _work(shared=200 << 10)))


def test_more_of_anything_takes_no_less() -> None:
    base = kernel_seconds(A100, _work())
    for name in ("instructions", "sectors", "l2_bytes", "memory_bytes", "shared_accesses", "barriers", "registers"):
        assert kernel_seconds(A100, _work(**{name: 50 * max(getattr(_work(), name), 5.0)})) >= base, name
    # 12 blocks leave nine tenths of the SMs idle.
    few = roofs(A100, replace(_work(), blocks=12))["instructions"]
    assert few == pytest.approx(9 * roofs(A100, _work(instructions=4e6))["instructions"])


def test_listing_1_refuses_what_is_not_valid() -> None:
    one = np.ones(1, bool)
    assert np.isfinite(by_listing(A100, _work(), one, True))
    assert np.isinf(by_listing(A100, _work(threads=272 + 8), one, True))  # no whole warps
    assert np.isfinite(by_listing(A100, _work(threads=272 + 8), one, False))
    assert np.isinf(by_listing(A100, _work(threads=1056), one, False))
    assert np.isinf(by_listing(A100, _work(shared=164 << 10), one, False))
    assert np.isinf(by_listing(A100, _work(threads=32, shared=40 << 10), one, False))  # occupancy 4 / 64
    assert np.isinf(by_listing(A100, _work(blocks=107, threads=512), one, False))  # an SM without a block


def _scheduled(output: hl.Func, **extra: str) -> tuple[AutoGPU, DeviceSchedule]:
    return auto_gpu([output._function], TARGET, extra)


def _blur(width: int, height: int) -> tuple[hl.Func, hl.Func]:
    image = hl.ImageParam(hl.Float(32), 2, "image")
    x, y = hl.Var("x"), hl.Var("y")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = hl.exp(image[x, y]) + hl.exp(image[x + 1, y]) + hl.exp(image[x + 2, y])
    out[x, y] = rows[x, y] + rows[x, y + 1] + rows[x, y + 2] + rows[x, y + 3] + rows[x, y + 4]
    image.set_estimates([(0, width + 2), (0, height + 4)])
    out.set_estimates([(0, width), (0, height)])
    return rows, out


@pytest.mark.parametrize("model", ["time", "paper"])
def test_blocks_are_valid(model: str) -> None:
    _, out = _blur(2000, 1500)
    made, _ = _scheduled(out, model=model)
    for choice in made.choices.values():
        assert choice.work.threads <= 1024 and choice.work.shared <= 48 << 10
        assert model == "time" or choice.work.threads % 32 == 0


def test_costly_stages_are_not_computed_at_each_use() -> None:
    _, out = _blur(2000, 1500)
    made, _ = _scheduled(out)
    assert made.places["rows"].kind != "inline"
    _, out = _blur(2000, 1500)
    made, _ = _scheduled(out, fusion="none")
    assert made.places["rows"].kind in ("root", "inline")


def test_a_dimension_of_many_coordinates_is_not_bound_to_its_estimate() -> None:
    _, out = _blur(2000, 1500)
    _, found = _scheduled(out)
    assert not [d for d in found.schedule.directives if d.method == "bound"]


def test_the_top_of_a_pyramid_is_not_bound_to_its_estimate() -> None:
    """Of an image somewhat longer its few coordinates are the same."""
    image = hl.ImageParam(hl.Float(32), 2, "image")
    x, y = hl.Var("x"), hl.Var("y")
    levels = [hl.Func("level0")]
    levels[0][x, y] = image[hl.clamp(x, 0, image.width() - 1), hl.clamp(y, 0, image.height() - 1)]
    for k in range(1, 9):
        levels.append(hl.Func(f"level{k}"))
        levels[k][x, y] = levels[k - 1][2 * x, 2 * y] + levels[k - 1][2 * x + 1, 2 * y + 1]
    out = hl.Func("out")
    out[x, y] = levels[8][x / 256, y / 256]
    out.set_estimates([(0, 320), (0, 192)])
    image.set_estimates([(0, 320), (0, 192)])
    fixed = View([out._function], TARGET).description.fixed()
    assert not any(fixed["level8"])


def test_rows_of_a_tile_are_spread_over_the_warps_of_a_larger_block() -> None:
    tiles = Tiles((np.array([8, 32, 32, 8]), ), (np.ones(4, np.int64),), np.ones(4, bool))
    assert _warps_of_rows(tiles, np.array([8, 32, 40, 20])).tolist() == [1, 1, 1, 1]
    tiles = Tiles((np.array([8, 32, 32, 8]), np.array([8, 8, 8, 8])), tiles.each, tiles.whole)
    assert _warps_of_rows(tiles, np.array([8, 32, 64, 20])).tolist() == [2, 8, 8, 5]
    # Rows far apart: each in a warp, and some in two.
    assert 8 < _warps_of_rows(tiles, np.array([38, 40, 36, 70]))[3] < 10


def test_conversions_and_choices_are_no_arithmetic_of_floats() -> None:
    image, f, g = hl.ImageParam(hl.UInt(8), 2, "image"), hl.Func("f"), hl.Func("g")
    x, y = hl.Var("x"), hl.Var("y")
    f[x, y] = hl.f32(hl.absd(image[x, y], image[x + 1, y])) * hl.f32(0.5)
    g[x, y] = hl.select(f[x, y] > hl.f32(3.0), f[x, y] * f[x, y], f[x, y] + hl.f32(1.0))
    image.set_estimates([(0, 321), (0, 192)])
    g.set_estimates([(0, 320), (0, 192)])
    view = View([g._function], TARGET)
    first, second = (view.point(view.description.nodes[n].stages[0], frozenset()) for n in "fg")
    assert first is not None and second is not None
    # One product beside a difference and a conversion; a comparison, a product and a sum beside a choice.
    assert 0 < first.floats < 0.5 < second.floats < 1


def test_rescaled_reads() -> None:
    image = hl.ImageParam(hl.Float(32), 2, "image")
    x, y = hl.Var("x"), hl.Var("y")
    inner, half, out = hl.Func("inner"), hl.Func("half"), hl.Func("out")
    inner[x, y] = image[x, y] * 2
    half[x, y] = inner[2 * x, y] + inner[2 * x + 1, y]
    out[x, y] = half[x - 1, y] + half[x + 1, y + 3]
    out.set_estimates([(0, 320), (0, 192)])
    image.set_estimates([(-2, 644), (0, 195)])
    view = View([out._function], TARGET)
    own, below = (view.description.nodes[n].stages[0] for n in ("out", "half"))
    assert not view.rescales(own, "half", frozenset())
    assert view.rescales(below, "inner", frozenset())
    assert view.rescales(own, "inner", frozenset({"half"}))


def test_products_have_several_outputs_a_thread() -> None:
    n = 512
    a, b = hl.ImageParam(hl.Float(32), 2, "a"), hl.ImageParam(hl.Float(32), 2, "b")
    x, y, k = hl.Var("x"), hl.Var("y"), hl.RDom([(0, n)], "k")
    product, out = hl.Func("product"), hl.Func("out")
    product[x, y] = hl.f32(0.0)
    product[x, y] += a[k.x, y] * b[x, k.x]
    out[x, y] = product[x, y]
    for f in (a, b, out):
        f.set_estimates([(0, n), (0, n)])
    made, found = _scheduled(out)
    assert made.places["product"].kind == "thread"
    assert int(np.prod(made.choices["out", 0].each)) > 1
    # Each element's sum is in the order of the host.
    assert not [d for d in found.schedule.directives if d.method in ("rfactor", "atomic")]
    _, plain = _scheduled(out, register_tiles="0")
    assert not [d for d in plain.schedule.directives if d.method == "split" and d.args[2].name == "ye"]


def test_the_report_has_a_row_for_each_kernel(tmp_path: Path) -> None:
    _, out = _blur(2000, 1500)
    for name in ("report.txt", "report.html"):
        params = hl.AutoschedulerParams("AutoGPU", {"report": str(tmp_path / name), "device": "A100", "fusion": "none"})
        _, out = _blur(2000, 1500)
        found = hl.Pipeline([out]).apply_autoscheduler(TARGET, params)
        text = (tmp_path / name).read_text()
        assert "AutoGPU, for A100" in text
        assert found.python_schedule_source.splitlines()[0] in html.unescape(text)
        kernels = found.python_schedule_source.count(".gpu_blocks(")
        assert sum(line.startswith(("out ", "rows ")) for line in text.splitlines()) == kernels


def _weighted(taps: int, size: int) -> hl.Func:
    image, out = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("out")
    x, y, r = hl.Var("x"), hl.Var("y"), hl.RDom([(0, taps)], "r")
    total = hl.Func("total")
    total[x, y] = hl.f32(0.0)
    total[x, y] += image[x, y] * hl.f32(r.x)
    out[x, y] = total[x, y]
    image.set_estimates([(0, size), (0, size)])
    out.set_estimates([(0, size), (0, size)])
    return out


@pytest.mark.parametrize(
    ("taps", "size", "device"), [(1, 64, False), (1, 1024, False), (64, 1024, True), (64, 16, False)]
)
def test_a_pipeline_is_the_devices_where_that_pays_for_copies(taps: int, size: int, device: bool) -> None:
    params = hl.AutoschedulerParams("AutoGPU", {"copies": "1"})
    text = hl.Pipeline([_weighted(taps, size)]).apply_autoscheduler(TARGET, params).python_schedule_source
    assert (".gpu_blocks(" in text) == device
    # Without copies it is the device's in any case.
    text = hl.Pipeline([_weighted(taps, size)]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("AutoGPU", {}))
    assert ".gpu_blocks(" in text.python_schedule_source


def _for_h100(outputs: list[hl.Func]) -> DeviceSchedule:
    return auto_gpu([f._function for f in outputs], TARGET, {"device": "H100"})[1]


def _placed(found: DeviceSchedule, name: str) -> set[str]:
    places = ("compute_root", "compute_inline", "compute_at")
    return {d.method for d in found.schedule.directives if d.func == name and d.method in places}


def test_what_channels_share_is_priced_once() -> None:
    """Channels are written out in a thread: what they have in common need not be stored to be computed once."""
    x, y, c, s = (hl.Var(n) for n in ("x", "y", "c", "s"))
    image, noise, total, result = (hl.ImageParam(hl.UInt(8), 3, "image"), *map(hl.Func, ("noise", "total", "result")))
    bits = (hl.u32(x) * 73856093) ^ (hl.u32(y) * 19349663) ^ (hl.u32(s) * 83492791)
    noise[x, y, s] = hl.i32((bits ^ (bits >> 13)) & 7)
    t = hl.RDom([(0, 16)], "t")
    total[x, y, c] = hl.u32(0)
    total[x, y, c] += hl.u32(image[x + noise[x, y, t.x], y, c])
    result[x, y, c] = hl.u8(total[x, y, c] / 16)
    result.set_estimates([(0, 1536), (0, 2560), (0, 3)])
    image.set_estimates([(0, 1543), (0, 2560), (0, 3)])
    assert _placed(_for_h100([result]), "noise") <= {"compute_inline"}


def test_what_is_stored_moves_a_step_further_on() -> None:
    """Three channels of differences are used by way of their sum alone: that is what is stored."""
    x, y, z, c = (hl.Var(n) for n in ("x", "y", "z", "c"))
    left, right = (hl.ImageParam(hl.UInt(8), 3, n) for n in ("left", "right"))
    apart, cost, sums, squared, result = map(hl.Func, ("apart", "cost", "sums", "squared", "result"))
    apart[x, y, z, c] = hl.absd(left[x, y, c], right[x + z, y, c])
    parts = [hl.pow(hl.f32(apart[x, y, z, k]), 2) for k in range(3)]
    cost[x, y, z] = parts[0] + parts[1] + parts[2]
    over = hl.RDom([(0, 32)], "over")
    sums[x, y] += cost[x, y, over.x]
    squared[x, y] += cost[x, y, over.x] * cost[x, y, over.x]
    result[x, y, z] = cost[x, y, z] * (squared[x, y] - sums[x, y]) + cost[x + 1, y, z] + cost[x, y + 1, z]
    result.set_estimates([(0, 1536), (0, 2560), (0, 32)])
    left.set_estimates([(0, 1537), (0, 2561), (0, 3)])
    right.set_estimates([(0, 1568), (0, 2561), (0, 3)])
    assert _placed(_for_h100([result]), "apart") <= {"compute_inline"}


def _loops_of(f: hl.Func) -> st.Stmt:
    return schedule_functions(build_environment([f._function]).order, [f._function], Context())


def test_blocks_are_as_large_as_the_compiler_says() -> None:
    x, y, xi, yi = (hl.Var(n) for n in ("x", "y", "xi", "yi"))
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.f32(x * y)
    f[x, y] = g[x / 2, y] + g[(x + 1) / 2, y + 8]
    f.gpu_tile(x, y, xi, yi, 32, 16)
    g.compute_at(f, x).gpu_threads(x, y)
    loops = _loops_of(f)
    sizes = {"f.min.0": 0, "f.min.1": 0, "f.extent.0": 512, "f.extent.1": 512}
    # g's box of 17 by 24 points, threads of 32 by 24.
    assert check_blocks(loops, sizes, Limits(1024, 2 * 17 * 24 * 4))
    assert not check_blocks(loops, sizes, Limits(1024, 17 * 24 * 4 - 1))
    with pytest.raises(TooManyThreads, match="f: a block has 768 threads") as problem:
        check_blocks(loops, sizes, Limits(767, 48 << 10))
    assert problem.value.kernel == "f"
    lowered = lower([f._function], TARGET)
    kernels = {k.name: k for k in lowered.kernels}
    check_launches(lowered.stmt, kernels, sizes, Limits(1024, 17 * 24 * 4))
    with pytest.raises(TooManyThreads, match="f: a block has 768 threads"):
        check_launches(lowered.stmt, kernels, sizes, Limits(767, 48 << 10))
    with pytest.raises(hl.HalideError, match="g: a block of f shares 1632 bytes"):
        check_launches(lowered.stmt, kernels, sizes, Limits(1024, 17 * 24 * 4 - 1))


def test_shared_memory_is_what_the_code_asks_for() -> None:
    """A size that the loops bound at less than the code does: the code's is the one that a launch is refused for."""
    x, y, xi, yi = (hl.Var(n) for n in ("x", "y", "xi", "yi"))
    image, outer = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("outer")
    levels = [hl.Func(f"level{k}") for k in range(4)]
    levels[0][x, y] = image[x, y] + 1
    for k in range(1, 4):
        before = levels[k - 1]
        levels[k][x, y] = before[x / 2, y / 2] + before[(x + 1) / 2, (y + 1) / 2]
    outer[x, y] = levels[3][x, y] + levels[3][x + 1, y + 1]
    outer.gpu_tile(x, y, xi, yi, 16, 16)
    for f in levels:
        f.compute_at(outer, x).tile(x, y, xi, yi, 16, 16, hl.TailStrategy.GuardWithIf).gpu_threads(xi, yi)
    sizes = {"outer.min.0": 0, "outer.min.1": 0, "outer.extent.0": 640, "outer.extent.1": 640}
    assert not check_blocks(_loops_of(outer), sizes, Limits(1024, 48 << 10))
    lowered = lower([outer._function], TARGET)
    (kernel,) = lowered.kernels
    needed = int(_number(kernel.shared_bytes, sizes) or 0)
    assert needed >= 17 * 17 * 4
    check_launches(lowered.stmt, {kernel.name: kernel}, sizes, Limits(1024, needed))
    with pytest.raises(hl.HalideError, match=rf"level\d: a block of outer shares {needed} bytes"):
        check_launches(lowered.stmt, {kernel.name: kernel}, sizes, Limits(1024, needed - 1))


@pytest.mark.parametrize("width", [1536, 1277])
def test_sectors_are_those_that_threads_touch(width: int) -> None:
    """Of rows that begin within sectors, of coordinates that are halved, and of several points a thread."""
    x, y = hl.Var("x"), hl.Var("y")
    image, f = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("f")
    f[x, y] = image[x, y] + image[x + 1, y] + image[x / 2 - 1 + 2 * (x % 2), y] + image[y, x]
    f.set_estimates([(0, width), (0, 1500)])
    image.set_estimates([(-1, width + 2), (0, 1500)])
    view = View([f._function], TARGET)
    stage = view.description.nodes["f"].stages[0]
    point = view.point(stage, frozenset())
    assert point is not None
    places = {
        "x": lambda at: at, "x + 1": lambda at: at + 1,
        "((x / 2) - 1) + (2 * (x % 2))": lambda at: at // 2 - 1 + 2 * (at % 2),
    }
    length, apart = np.array([8, 8, 16, 32, 64]), np.array([1, 2, 1, 1, 1])
    rows = Rows(length, apart, length * apart, 0)
    for site in point.reads["image"].sites:
        pattern = view.sectors.pattern(stage, site, "x")
        if str(site.args[0]) == "y":
            assert pattern is None
            continue
        assert pattern is not None
        place = places.pop(str(site.args[0]))
        for threads, each, found in zip(length, apart, pattern.sectors(rows), strict=True):
            touched = [
                len({((place(b * threads * each + t * each + e) + 1) * 4 + row * (width + 2) * 4) // 32
                     for t in range(min(threads, 32))})
                for b in range(8) for row in range(8) for e in range(each)
            ]
            assert found == pytest.approx(np.mean(touched) * max(32 / threads, 1), abs=0.2), (site.args, threads, each)
    assert not places


def test_accesses_of_several_elements() -> None:
    """As many as lie beside each other from a multiple of their bytes on, at the estimated sizes."""
    x, y = hl.Var("x"), hl.Var("y")
    image, f = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("f")
    f[x, y] = image[x, y] + image[x + 1, y] + image[x + 2, y] + image[y, x]
    f.set_estimates([(0, 1536), (0, 1534)])
    image.set_estimates([(0, 1538), (0, 1536)])
    view = View([f._function], TARGET)
    stage = view.description.nodes["f"].stages[0]
    point = view.point(stage, frozenset())
    assert point is not None
    found = {str(s.args[0]): view.beside(stage, s, "x") for s in point.reads["image"].sites}
    # Rows of the image are not whole pieces of four elements.
    assert found == {"x": 2, "x + 1": 1, "x + 2": 2, "y": 1}
    assert view.beside(stage, Site("f", stage.definition.args, 4, None), "x") == 4
