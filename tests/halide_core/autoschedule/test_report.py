"""Reports of schedules, and the profiler behind them."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.directives import GUARD, FuncName, Loop, Schedule
from halide_core.autoschedule.report.html import html
from halide_core.autoschedule.report.measure import Bench
from halide_core.autoschedule.report.report import report
from halide_core.jit_code import compiled

pytestmark = pytest.mark.few(4)

TARGET = hl.Target("host-strict_float")
SIZE = 96


def blur() -> tuple[Any, Any]:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    scaled, rows, blurred = hl.Func("scaled"), hl.Func("rows"), hl.Func("blurred")
    scaled[x, y] = image[x, y] * 3
    rows[x, y] = (scaled[x, y] + scaled[x + 1, y] + scaled[x + 2, y]) / 3
    blurred[x, y] = (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3
    image.set_estimates([(0, SIZE + 2), (0, SIZE + 2)])
    blurred.set_estimates([(0, SIZE), (0, SIZE)])
    return image, blurred


def strips(store: str) -> Schedule:
    out = Schedule()
    out.add("blurred", 0, "split", Loop("y"), Loop("y_o"), Loop("y_i"), 8, GUARD)
    out.add("blurred", 0, "parallel", Loop("y_o"))
    out.add("rows", 0, "store_at", FuncName("blurred"), Loop(store))
    out.add("rows", 0, "compute_at", FuncName("blurred"), Loop("y_i"))
    out.add("rows", 0, "vectorize", Loop("x"), 8, GUARD)
    return out


def test_windows_that_slide_are_computed_once() -> None:
    _, f = blur()
    found = report([f._function], TARGET, strips("y_o"))
    blurred, rows, scaled = found.stages
    assert (blurred.func, blurred.computed, blurred.stored) == ("blurred", "root", "root")
    assert blurred.tile == {"y": [8]} and blurred.extents == (SIZE, SIZE)
    assert (rows.computed, rows.stored) == ("blurred.y_i", "blurred.y_o")
    assert rows.realizations == SIZE and rows.extents == (SIZE, 1)
    assert rows.points == SIZE * SIZE and rows.region == SIZE * (SIZE + 2)
    # Three rows are read at a time, and four are what a window is folded to.
    assert rows.kept_bytes == 4 * 4 * SIZE
    assert scaled.computed == "inlined" and scaled.measured_s is None
    assert found.wall_s > 0 < rows.measured_s


def test_overlapping_tiles_are_computed_again() -> None:
    _, f = blur()
    rows = report([f._function], TARGET, strips("y_i")).stages[1]
    assert rows.extents == (SIZE, 3) and rows.kept_bytes == 3 * 4 * SIZE
    assert rows.recomputation == pytest.approx(3 * SIZE / (SIZE + 2))


def test_the_text_and_the_page() -> None:
    _, f = blur()
    found = report([f._function], TARGET, strips("y_o"))
    text = found.text()
    assert "func     computed at  stored at    tile" in text
    assert "rows     blurred.y_i  blurred.y_o  x:8" in text and "produce rows:" in text

    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []
            self.seen: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.seen.append(tag)
            if tag != "meta":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    page = html(found, "blur <3x3>")
    parser = Tags()
    parser.feed(page)
    assert not parser.open and parser.seen.count("rect") == 4 and parser.seen.count("tr") == 4
    assert "blur &lt;3x3&gt;" in page and "consume rows" in page


def test_an_autoscheduler_writes_it(tmp_path) -> None:
    image, f = blur()
    page, text = tmp_path / "r.html", tmp_path / "r.txt"
    hl.Pipeline([f]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("Reuse2019", {"report": str(page)}))
    assert page.read_text().startswith("<!DOCTYPE html>")
    # The schedule is still applied, and runs.
    assert f._function.pure.schedule.splits
    image.set(hl.Buffer(np.zeros((12, 12), np.int32)))
    assert not np.array(f.realize([10, 10])).any()
    hl.Pipeline([blur()[1]]).apply_autoscheduler(TARGET, hl.AutoschedulerParams("TreeSearch", {"report": str(text)}))
    assert text.read_text().startswith("TreeSearch\n\nfunc")


def test_times_are_kept_by_func_and_thread() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    slow, quick = hl.Func("slow"), hl.Func("quick")
    slow[x, y] = hl.sin(hl.cos(hl.sin(hl.cos(hl.f32(x * y)))))
    quick[x, y] = slow[x, y] + 1.0
    slow.compute_at(quick, y)
    quick.parallel(y)
    target = TARGET.with_feature("profile")
    pipeline, out = hl.Pipeline([quick]), hl.Buffer(hl.Float(32), [200, 160])
    pipeline.realize([out], target)
    (profile,) = compiled(pipeline, target).profiles
    # A busy machine may stop a thread at any place, but not each time at the same.
    for _ in range(50):
        profile.reset()
        assert profile.times() == []
        pipeline.realize([out], target)
        times = {t.func: t for t in profile.times()}
        if times["slow"].seconds > 3 * times["quick"].seconds:
            break
    assert set(times) <= {"(rest)", "slow", "quick"}
    assert times["slow"].count == 160 and times["quick"].count == 1
    assert times["slow"].seconds > 3 * times["quick"].seconds > 0
    took = times["quick"].last - times["quick"].first
    assert times["quick"].first <= times["slow"].first <= times["slow"].last <= times["quick"].last
    assert sum(t.seconds for t in times.values()) <= 1.05 * took * len(os.sched_getaffinity(0))
    pipeline.realize([out], target)
    assert {t.func: t.count for t in profile.times()}["slow"] == 320
    plain = hl.Buffer(hl.Float(32), [200, 160])
    pipeline.realize([plain], TARGET)
    assert compiled(pipeline, TARGET).profiles == []
    assert np.array_equal(np.array(plain), np.array(out))


def test_a_bench_leaves_funcs_and_params_as_they_were() -> None:
    x = hl.Var("x")
    gain, f, g = hl.Param(hl.Int(32), "gain"), hl.Func("f"), hl.Func("g")
    g[x] = x * gain
    f[x] = g[x] + g[x + 1]
    gain.set_estimate(3)
    f.set_estimate(x, 4, 10)
    bench = Bench([f._function], TARGET)
    schedule = Schedule()
    schedule.add("g", 0, "compute_root")
    schedule.add("f", 0, "vectorize", Loop("x"), 4, GUARD)
    (out,) = bench.run(bench.compiled(schedule), bench.inputs[0])
    assert np.array_equal(np.array(out), [3 * (2 * k + 1) for k in range(4, 14)])
    assert gain.get() is None and g._function.compute is None and not f._function.pure.schedule.splits
