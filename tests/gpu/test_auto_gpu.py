"""Schedules of AutoGPU: what the host computes, bit for bit, and what the package takes.

At one odd size each, those that compile quickly; with ALL_TESTS set all pipelines, with ALL_SIZES at all sizes."""

from __future__ import annotations

import contextlib
import os
import random
import re
import time
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from corpus.pipelines.common import PipelineFile, estimate, pipelines
from halide_core.autoschedule.auto_gpu import trial
from halide_core.autoschedule.auto_gpu.block_sizes import TooManyThreads
from halide_core.autoschedule.auto_gpu.grouping import Grouping
from halide_core.autoschedule.auto_gpu.scheduler import auto_gpu
from halide_core.autoschedule.directives import identifier
from halide_core.autoschedule.genetic2013.on_device import DeviceSearch
from halide_core.gpu.runtime import device_runtime
from lifter.api import lift_file
from tests.gpu import package, papers, running
from tests.gpu.fuzz import auto_result, by_default, outcome
from tests.gpu.sampled import SampledEmulator
from tests.gpu.unlike import unlike_pipelines
from tests.halide_core.fuzz.case import reference

pytestmark = pytest.mark.few(6)

ALL = bool(os.environ.get("ALL_SIZES"))
PIPELINES = {p.name: p for p in pipelines()}
QUICK = ("blur", "harris", "histogram_equalize", "mat_mul", "unsharp")
LONG = ("bilateral_grid", "conv_layer", "iir_blur", "max_filter", "nl_means")
WHOLE = ALL or bool(os.environ.get("ALL_TESTS"))
NAMES = [*QUICK, *(pytest.param(n, marks=pytest.mark.long) for n in (PIPELINES if WHOLE else LONG) if n not in QUICK)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_host(name: str) -> None:
    """At an odd size, under the schedule made for the papers' sizes."""
    p: PipelineFile = PIPELINES[name]
    for small in p.small if ALL else p.small[1:2]:
        wanted = papers.on_host(p, small)
        found, device = papers.under_auto_gpu(p, small, p.size)
        assert device.launches
        for a, b in zip(found, wanted, strict=True):
            assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@pytest.mark.parametrize("fusion", ["none", "forced"])
def test_modes_equal_the_host(fusion: str) -> None:
    p = PIPELINES["harris"]
    wanted = papers.on_host(p, p.small[1])
    found, device = papers.under_auto_gpu(p, p.small[1], p.size, fusion=fusion)
    assert device.launches
    assert np.array_equal(found[0], wanted[0])


def test_genetic_search_by_the_model() -> None:
    """For a device Genetic2013 runs nothing: it finds places that take no longer by the model than AutoGPU's."""
    p = PIPELINES["harris"]
    wanted = papers.on_host(p, p.small[1])
    found, device = papers.under_auto_gpu(
        p, p.small[1], p.size, by="Genetic2013", generations="3", population="10", seconds="100"
    )
    assert device.launches
    assert np.array_equal(found[0], wanted[0])
    costs: list[float] = []

    def compared(grouping: Grouping) -> None:
        grouping.run()
        search = DeviceSearch(grouping, random.Random(0), 10)
        deadline = time.perf_counter() + 100
        mine = search.repaired(grouping.placed)
        assert search.placed(mine) == grouping.placed
        whole = search.repaired(dict.fromkeys(grouping.placed, "root"))
        costs.extend(map(search.cost, (mine, search.run([mine], 3, deadline), search.run([], 3, deadline), whole)))

    built = _estimated(hc, p)
    auto_gpu([f._function for f in built.outputs], hc.Target(running.TARGET), {}, search=compared)
    assert costs[1] <= costs[0]
    assert costs[2] <= costs[3]


@pytest.mark.parametrize("seed", [2, 5, 17])
def test_random_pipelines(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setenv("HL_CHECK_IR", "1")
    case = by_default(seed)
    assert outcome(case, reference(case), auto_result) == ("equal", ""), case.text()


def _kernels(text: str) -> set[tuple[str, str]]:
    """The Funcs and stages whose loops kernels have."""
    names = re.findall(r"\.entry _?kernel_(\w+?)_s(\d+)_", text)
    return {(re.sub(r"__?\d+$", "", n), s) for n, s in names}


@pytest.mark.parametrize("name", ["harris", "unsharp", "mat_mul", "stretched", "standardised", "row_profile"])
def test_the_package_takes_it(name: str) -> None:
    """The text runs under the package, and gives the same kernels."""
    hl = pytest.importorskip("halide")
    p = PIPELINES[name] if name in PIPELINES else {u.name: u for u in unlike_pipelines()}[name]
    built = _estimated(hc, p)
    target = hc.Target("host-cuda-cuda_capability_70")
    source = hc.Pipeline(built.outputs).apply_autoscheduler(
        target, hc.AutoschedulerParams("AutoGPU", {})
    ).python_schedule_source
    other = p.build(hl, p.size)
    exec(source, {"hl": hl, **_functions(other.outputs)})
    theirs = package.ptx_of(package.assembly_of(other.outputs[0], other.inputs))
    ours = papers.kernels_of(built, "host-cuda-cuda_capability_70")
    if name in PIPELINES:
        assert _kernels(theirs) == _kernels(ours)
    else:  # which has other names for what rfactor makes
        assert theirs.count(".entry ") == ours.count(".entry ") > 2


def _functions(outputs: list[Any]) -> dict[str, Any]:
    """The Funcs of a pipeline of the package by name."""
    import halide as hl

    pipeline = hl.Pipeline(outputs)
    found: list[Any] = []
    with contextlib.suppress(hl.HalideError):  # which says that there are no more
        while True:
            found.append(pipeline.get_func(len(found)))
    return {identifier(re.sub(r"\$\d+$", "", f.name())): f for f in found}


def _estimated(module: Any, p: PipelineFile) -> Any:
    built = p.build(module, p.size)
    estimate(built, p, p.size, p.arrays(p.size, np.random.default_rng(0)))
    return built


def test_a_target_without_a_device_is_refused() -> None:
    built = _estimated(hc, PIPELINES["blur"])
    with pytest.raises(hc.HalideError, match="add the feature cuda"):
        hc.Pipeline(built.outputs).apply_autoscheduler(hc.Target("host"), hc.AutoschedulerParams("AutoGPU", {}))


def test_a_search_for_a_device_keeps_no_state() -> None:
    built = _estimated(hc, PIPELINES["blur"])
    params = hc.AutoschedulerParams("Genetic2013", {"state_file": "kept.json"})
    with pytest.raises(hc.HalideError, match="searches for a device have no state_file"):
        hc.Pipeline(built.outputs).apply_autoscheduler(hc.Target(running.TARGET), params)


def test_what_is_refused_is_made_plainer_and_then_left_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    built = _estimated(hc, PIPELINES["harris"])
    outputs = [f._function for f in built.outputs]
    target = hc.Target(running.TARGET)
    seen: list[set[str]] = []

    def refusal(_outputs: Any, schedule: Any, *_: Any) -> str | None:
        grey = {d.method for d in schedule.directives if d.func == "grey"}
        seen.append(grey)
        return "Func grey cannot be so" if any(m.startswith("gpu") for m in grey) else None

    monkeypatch.setattr("halide_core.autoschedule.auto_gpu.scheduler.refusal_of", refusal)
    _, found = auto_gpu(outputs, target, {})
    assert found.on_host == {"grey": "Func grey cannot be so"}
    assert "compute_at" in seen[0]
    assert "compute_root" in seen[1]
    assert trial.refusal_of(outputs, found.schedule, target) is None


def test_blocks_that_are_too_large_go_over_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel whose blocks have a thread for each point of a box, and too many, gets a fixed number of threads."""
    built = _estimated(hc, PIPELINES["harris"])
    outputs, target = [f._function for f in built.outputs], hc.Target(running.TARGET)
    seen: list[bool] = []

    def refusal(_outputs: Any, schedule: Any, *_: Any) -> TooManyThreads | None:
        within, threads, boxes = (
            {d.func for d in schedule.directives if d.method == m} for m in ("compute_at", "gpu_threads", "tile")
        )
        seen.append(within & threads <= boxes)
        return TooManyThreads("corners", 2000) if len(seen) == 1 else None

    monkeypatch.setattr("halide_core.autoschedule.auto_gpu.scheduler.refusal_of", refusal)
    _, found = auto_gpu(outputs, target, {"fusion": "overlap", "register_tiles": "0"})
    assert seen == [False, True]
    assert trial.refusal_of(outputs, found.schedule, target) is None


@pytest.mark.parametrize("width", [160, 157])
def test_sectors_are_those_that_the_device_touches(width: int) -> None:
    """Of images whose rows begin at sectors, and of others."""
    x, y = hc.Var("x"), hc.Var("y")
    image, out = hc.ImageParam(hc.Float(32), 2, "image"), hc.Func("out")
    edge = hc.BoundaryConditions.repeat_edge(image, [(0, width), (0, 64)])
    out[x, y] = edge[x, y] + edge[x + 1, y] + edge[x + 2, y]
    image.set_estimates([(0, width), (0, 64)])
    out.set_estimates([(0, width), (0, 64)])
    made, found = auto_gpu([out._function], hc.Target(running.TARGET), {})
    found.apply([out._function])
    device = SampledEmulator()
    image.set(hc.Buffer(np.ones((64, width), np.float32)))
    with device_runtime(device):
        out.realize([width, 64], hc.Target(running.TARGET))
    (launched,) = device.launches
    choice = made.choices["out", 0]
    assert choice.work.sectors == pytest.approx(launched.counts.sectors, rel=0.1)
    assert choice.work.l2_bytes == pytest.approx(32 * sum(launched.counts.block_sectors.values()), rel=0.1)


def test_a_trial_leaves_no_trace() -> None:
    built = _estimated(hc, PIPELINES["histogram_equalize"])
    outputs = [f._function for f in built.outputs]
    target = hc.Target(running.TARGET)
    first = auto_gpu(outputs, target, {})[1].schedule.python()
    assert auto_gpu(outputs, target, {})[1].schedule.python() == first


def test_lifted_functions(tmp_path: Any) -> None:
    source = tmp_path / "sums.cpp"
    source.write_text("""
        void sums(const unsigned char *s, unsigned char *d, int w, int h) {
            for (int y = 1; y < h - 1; y++)
                for (int x = 1; x < w - 1; x++) {
                    int t = 0;
                    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) t += s[(y + j) * w + x + i];
                    d[y * w + x] = t / 9;
                }
        }""")
    report = lift_file(
        str(source), out=str(tmp_path / "out"), emit=("dsl",), target=running.TARGET, autoscheduler="AutoGPU",
        run=False,
    )
    assert report.functions[0].notes == ["on the device: d"]
    text = (tmp_path / "out" / "sums.py").read_text()
    # Threads of several outputs, which the default schedule has none of.
    assert "d.unroll(ye)" in text
