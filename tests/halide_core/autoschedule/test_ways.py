"""Updates: along which loop they run in vectors, and which of their loops run in parallel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from tests.halide_core.autoschedule.test_reuse2019 import MACHINE, TARGET, named

pytestmark = pytest.mark.few(4)

WIDTH, HEIGHT = 10000, 700
Built = tuple[Any, Any]


class Rows:
    """An image, whose reductions have its size at run time, and a Func to be defined, under `h`."""

    def __init__(self, h: Any, kind: Any = None) -> None:
        self.h, self.x, self.y = h, h.Var("x"), h.Var("y")
        self.image = h.ImageParam(kind or h.UInt(8), 2, "image")
        self.image.set_estimates([(0, WIDTH), (0, HEIGHT)])
        self.f = h.Func("f")
        width, height = self.image.dim(0).extent(), self.image.dim(1).extent()
        self.columns, self.rows = h.RDom([(0, width)]), h.RDom([(0, height)])
        self.all = h.RDom([(0, width), (0, height)])

    def sized(self, *sizes: int) -> Any:
        self.f.set_estimates([(0, n) for n in sizes])
        return self.f


def sums(p: Rows) -> Any:
    p.f[p.y] = p.h.i32(0)
    p.f[p.y] += p.h.i32(p.image[p.columns, p.y])
    return p.sized(HEIGHT)


def largest(p: Rows) -> Any:
    p.f[p.y] = p.h.u8(0)
    p.f[p.y] = p.h.max(p.f[p.y], p.image[p.columns, p.y])
    return p.sized(HEIGHT)


def float_sums(p: Rows) -> Any:
    """The order of additions counts."""
    p.f[p.y] = 0.0
    p.f[p.y] += p.h.f32(p.image[p.columns, p.y]) / 7
    return p.sized(HEIGHT)


def columns(p: Rows) -> Any:
    p.f[p.x] = p.h.i32(0)
    p.f[p.x] += p.h.i32(p.image[p.x, p.rows])
    return p.sized(WIDTH)


def histograms(p: Rows) -> Any:
    p.f[p.x, p.y] = p.h.i32(0)
    p.f[p.h.i32(p.image[p.columns, p.y]), p.y] += 1
    return p.sized(256, HEIGHT)


def cells(p: Rows) -> Any:
    """A histogram of each cell of eight columns: what is read lies apart, and so does what is written."""
    r = p.h.RDom([(0, 8), (0, p.image.dim(1).extent())], "cell")
    z = p.h.Var("z")
    p.f[p.x, z] = p.h.i32(0)
    p.f[p.x, p.h.i32(p.image[p.x * 8 + r.x, r.y] / 16)] += 1
    return p.sized(WIDTH // 8, 16)


def involved_cells(p: Rows) -> Any:
    """The same of what takes long to compute."""
    r = p.h.RDom([(0, 8), (0, p.image.dim(1).extent())], "cell")
    z = p.h.Var("z")
    value = p.h.f32(p.image[p.x * 8 + r.x, r.y])
    for k in range(8):
        value = value * value / (value + k + 1)
    p.f[p.x, z] = p.h.i32(0)
    p.f[p.x, p.h.i32(p.h.clamp(value, p.h.f32(0), p.h.f32(15)))] += 1
    return p.sized(WIDTH // 8, 16)


def scan(p: Rows) -> Any:
    r = p.h.RDom([(1, p.image.dim(0).extent() - 1)])
    p.f[p.x, p.y] = p.h.i32(p.image[p.x, p.y])
    p.f[r, p.y] = p.f[r - 1, p.y] + p.h.i32(p.image[r, p.y])
    return p.sized(WIDTH, HEIGHT)


def scan_down(p: Rows) -> Any:
    r = p.h.RDom([(1, p.image.dim(1).extent() - 1)])
    p.f[p.x, p.y] = p.h.i32(p.image[p.x, p.y])
    p.f[p.x, r] = p.f[p.x, r - 1] + p.h.i32(p.image[p.x, r])
    return p.sized(WIDTH, HEIGHT)


def filled(p: Rows) -> Any:
    """A rectangle in another one."""
    p.f[p.x, p.y] = p.h.u8(7)
    p.f[p.all.x + 1, p.all.y + 2] = p.h.u8(p.image[p.all.x, p.all.y] * 3)
    return p.sized(WIDTH + 3, HEIGHT + 4)


def from_above(p: Rows) -> Any:
    """Rows that go on from the row above."""
    p.f[p.x, p.y] = p.h.i32(1)
    r = p.all
    p.f[r.x, r.y + 1] = p.f[r.x, r.y] * 3 + p.h.i32(p.image[r.x, r.y])
    return p.sized(WIDTH, HEIGHT + 1)


PIPELINES: dict[Callable[[Rows], Any], Callable[[int, int], tuple[int, ...]]] = {
    sums: lambda w, h: (h,), largest: lambda w, h: (h,), float_sums: lambda w, h: (h,), columns: lambda w, h: (w,),
    histograms: lambda w, h: (256, h), cells: lambda w, h: (w // 8, 16), involved_cells: lambda w, h: (w // 8, 16),
    scan: lambda w, h: (w, h), scan_down: lambda w, h: (w, h),
    filled: lambda w, h: (w + 3, h + 4), from_above: lambda w, h: (w, h + 1),
}


def run(p: Rows, f: Any, sizes: tuple[int, ...], width: int, height: int) -> Any:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width), np.uint8)
    p.image.set(p.h.Buffer(pixels))
    return np.array(f.realize(list(sizes)))


def text_of(build: Callable[[Rows], Any], method: str = "Reuse2019") -> str:
    params = hl.AutoschedulerParams(method, MACHINE)
    return str(hl.Pipeline([build(Rows(hl))]).apply_autoscheduler(TARGET, params).python_schedule_source)


@pytest.mark.parametrize("method", ["Reuse2019", "TreeSearch"])
@pytest.mark.parametrize("build", PIPELINES, ids=lambda b: b.__name__)
def test_results_are_those_without_a_schedule(build: Callable[[Rows], Any], method: str) -> None:
    plain, p = Rows(hl), Rows(hl)
    f, g = build(plain), build(p)
    hl.Pipeline([g]).apply_autoscheduler(TARGET, hl.AutoschedulerParams(method, MACHINE))
    for width, height in ((1, 1), (5, 3), (67, 35), (333, 130)):
        sizes = PIPELINES[build](width, height)
        expected, got = (run(q, k, sizes, width, height) for q, k in ((plain, f), (p, g)))
        assert np.array_equal(got, expected), (width, height)


@pytest.mark.parametrize("build", [sums, largest])
def test_sums_along_rows_run_in_vectors_of_their_points(build: Callable[[Rows], Any]) -> None:
    text = text_of(build)
    assert "f.update(0).atomic()" in text and "f.update(0).parallel(y)" in text
    assert "f.update(0).vectorize(f_r" in text


def test_sums_of_floats_keep_their_order() -> None:
    assert "atomic" not in text_of(float_sums)


@pytest.mark.parametrize("build", [scan, histograms])
def test_what_rows_hand_on_goes_point_by_point(build: Callable[[Rows], Any]) -> None:
    lines = [line for line in text_of(build).splitlines() if line.startswith("f.update(0)")]
    assert lines == ["f.update(0).parallel(y)"]


def test_scattered_stores_run_in_vectors_where_arithmetic_pays_for_them() -> None:
    alone, involved = (
        [line for line in text_of(build).splitlines() if line.startswith("f.update(0)")]
        for build in (cells, involved_cells)
    )
    (line,) = alone
    assert re.fullmatch(r"f\.update\(0\)\.reorder\(x, f_cell\w*_x, f_cell\w*_y\)", line)
    assert any(".vectorize(x_v)" in line for line in involved)


def test_columns_are_summed_in_strips() -> None:
    assert "f.update(0).parallel(x_o)" in text_of(columns)


def test_rows_are_filled_in_vectors() -> None:
    for build, parallel in ((filled, True), (from_above, False)):
        text = text_of(build)
        assert "f.update(0).vectorize(f_r" in text and "atomic" not in text, build.__name__
        assert ("f.update(0).parallel(f_r" in text) == parallel, build.__name__


def test_the_text_runs_under_the_package() -> None:
    halide = pytest.importorskip("halide")
    for build in (sums, largest, histograms, cells, columns, filled):
        text = text_of(build)
        results = []
        for h in (hl, halide):
            p = Rows(h)
            f = build(p)
            if h is halide:
                exec(text, named(halide.Pipeline([f]), halide))
            results.append(run(p, f, PIPELINES[build](131, 67), 131, 67))
        assert np.array_equal(*results), build.__name__
