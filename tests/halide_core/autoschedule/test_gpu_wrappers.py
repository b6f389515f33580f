"""Wrappers of Funcs with updates under AutoGPU: which there are, and what becomes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.auto_gpu import scheduler
from halide_core.autoschedule.auto_gpu.block_sizes import check_written
from halide_core.autoschedule.auto_gpu.scheduler import auto_gpu
from halide_core.autoschedule.auto_gpu.wrappers import with_wrappers
from halide_core.gpu.runtime import device_runtime
from halide_core.ir.expr import Call
from halide_core.ir.structural import nodes
from halide_core.passes.bound_extents import bound_extents
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions
from tests.gpu.emulator.device import Emulator

pytestmark = pytest.mark.few(2)

TARGET = hl.Target("host-cuda-cuda_capability_75")


def _columns(width: int, height: int) -> tuple[hl.Func, hl.ImageParam]:
    """Sums of nine rows, of which many are read for each point of the output."""
    x, y = hl.Var("x"), hl.Var("y")
    image, sums, out = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("sums"), hl.Func("out")
    r = hl.RDom([(0, 9)], "r")
    sums[x, y] = hl.f32(0)
    sums[x, y] += image[x, y + r.x] * hl.f32(r.x)
    t = hl.RDom([(0, 5), (0, 5)], "t")
    box = hl.Func("box")
    box[x, y] += sums[x + 9 * t.x, y + 9 * t.y]
    out[x, y] = box[x, y] / 25
    image.set_estimates([(0, width + 36), (0, height + 44)])
    out.set_estimates([(0, width), (0, height)])
    return out, image


def _text(out: hl.Func) -> str:
    return auto_gpu([out._function], TARGET, {})[1].schedule.python()


def test_threads_keep_what_an_update_adds_to() -> None:
    out, _ = _columns(1536, 2560)
    made, found = auto_gpu([out._function], TARGET, {})
    text = found.schedule.python()
    assert "sums_global_wrapper = sums.in_()" in text
    assert "sums.compute_at(sums_global_wrapper, xi)" in text
    # What it says of Funcs is of those that there are.
    assert found.on_device == ["sums", "box", "out"] and not found.on_host
    assert made.view.wrapped == {"sums_global_wrapper": "sums"}


@pytest.mark.parametrize("size", [(64, 40), (37, 19)])
def test_results_are_the_hosts(size: tuple[int, int]) -> None:
    width, height = size
    values = np.random.default_rng(1).random((height + 44, width + 36), np.float32)
    results = []
    for device in (Emulator(), None):
        out, image = _columns(1536, 2560)
        image.set(hl.Buffer(values))
        if device is not None:
            auto_gpu([out._function], TARGET, {})[1].apply([out._function])
            with device_runtime(device):
                results.append(np.asarray(out.realize([width, height], TARGET)))
            assert [n for n in (x.kernel for x in device.launches) if "sums_global_wrapper" in n]
        else:
            results.append(np.asarray(out.realize([width, height])))
    assert np.array_equal(*results)


def test_the_pipeline_is_left_alone() -> None:
    out, _ = _columns(64, 40)
    copies, wrapped = with_wrappers([out._function])
    order = build_environment([out._function]).order
    assert [f.name for f in order] == ["sums", "box", "out"] and not any(f.wrappers for f in order)
    inside = build_environment(copies).order
    assert [f.name for f in inside] == ["sums", "sums_global_wrapper", "box", "out"]
    assert wrapped == {inside[1].name: "sums"}
    assert not {id(f) for f in inside} & {id(f) for f in order}
    for f in inside:
        called = {n.target for d in f.definitions() for v in d.values for n in nodes(v, Call) if n.name in wrapped}
        assert called == ({inside[1]} if f.name == "box" else set())


def _one_user(sums: hl.Func, out: hl.Func, at: Any) -> None:
    x, y, image = at
    r = hl.RDom([(0, 9)], "r")
    sums[x, y] += image[x, y + r.x]
    out[x, y] = sums[y, x] + 1


def _scattered(sums: hl.Func, out: hl.Func, at: Any) -> None:
    x, y, image = at
    r = hl.RDom([(0, 100), (0, 100)], "r")
    sums[x, y] = hl.f32(0)
    sums[r.x, image.width() % 3] += image[r.x, r.y]
    out[x, y] = sums[x, y] + sums[x + 1, y]


def _rows(sums: hl.Func, out: hl.Func, at: Any) -> None:
    x, y, image = at
    r = hl.RDom([(0, 512)], "r")
    sums[x] += hl.u32(image[r.x, x])
    out[x, y] = hl.f32(sums[y] + sums[y + 1])


@pytest.mark.parametrize("define", [_one_user, _scattered, _rows])
def test_others_have_none(define: Any) -> None:
    """Where a thread of the user does as well, data or the reduction choose places, or threads share a row."""
    x, y = hl.Var("x"), hl.Var("y")
    image, sums, out = hl.ImageParam(hl.Float(32), 2, "image"), hl.Func("sums"), hl.Func("out")
    define(sums, out, (x, y, image))
    assert with_wrappers([out._function]) == ([out._function], {})
    # An output is the caller's.
    assert with_wrappers([sums._function])[1] == {}


def test_what_is_refused_is_computed_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    out, _ = _columns(1536, 2560)
    refused = scheduler.refusal_of

    def refusal(outputs: Any, schedule: Any, *rest: Any) -> Any:
        kept = any(d.func == "sums" and d.method == "compute_at" for d in schedule.directives)
        return "Func sums cannot be so" if kept else refused(outputs, schedule, *rest)

    monkeypatch.setattr(scheduler, "refusal_of", refusal)
    text = _text(out)
    assert "sums.compute_root()" in text and "wrapper" not in text


def test_a_thread_writes_out_no_image() -> None:
    """Of a box between clamped coordinates the compiler bounds the extent by the image's alone."""
    x, y, xi, yi = (hl.Var(n) for n in ("x", "y", "xi", "yi"))
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.f32(x * y)
    f[x, y] = g[hl.clamp(x, 0, 1279), y] + g[hl.clamp(x + 1, 0, 1279), y]
    f.gpu_tile(x, y, xi, yi, 32, 8)
    g.compute_at(f, xi).unroll(x)
    loops = schedule_functions(build_environment([f._function]).order, [f._function], Context())
    with pytest.raises(hl.HalideError, match=r"g\.s0\.x: a thread would write out iterations without a bound"):
        check_written(bound_extents(loops))
