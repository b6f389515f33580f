"""Histograms and sums in strips of their reduction, some for each thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl
from tests.halide_core.autoschedule.test_reuse2019 import named, scheduled

pytestmark = pytest.mark.few(4)

SIZE = (1024, 768)


def histogram(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f, i = h.ImageParam(h.UInt(8), 2, "input"), h.Func("histogram"), h.Var("i")
    r = h.RDom([(0, size[0]), (0, size[1])], "r")
    f[i] = h.cast(h.Int(32), 0)
    f[h.cast(h.Int(32), image[r.x, r.y])] += 1
    return image, f, [(0, 256)]


def total(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f = h.ImageParam(h.UInt(8), 2, "input"), h.Func("total")
    r = h.RDom([(0, size[0]), (0, size[1])], "r")
    f[()] = h.cast(h.UInt(32), 0)
    f[()] += h.cast(h.UInt(32), image[r.x, r.y])
    return image, f, []


def largest(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f = h.ImageParam(h.UInt(8), 2, "input"), h.Func("largest")
    r = h.RDom([(0, size[0]), (0, size[1])], "r")
    f[()] = h.cast(h.UInt(8), 0)
    f[()] = h.max(f[()], image[r.x, r.y])
    return image, f, []


def difference(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f = h.ImageParam(h.UInt(8), 2, "input"), h.Func("difference")
    r = h.RDom([(0, size[0]), (0, size[1])], "r")
    f[()] = h.cast(h.Int(32), 7)
    f[()] -= h.cast(h.Int(32), image[r.x, r.y])
    return image, f, []


def mean(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f = h.ImageParam(h.UInt(8), 2, "input"), h.Func("mean")
    r = h.RDom([(0, size[0]), (0, size[1])], "r")
    f[()] = h.cast(h.Float(32), 0)
    f[()] += h.cast(h.Float(32), image[r.x, r.y])
    return image, f, []


def made(build: Any, h: Any, size: tuple[int, int], estimate: tuple[int, int] = SIZE) -> tuple[Any, Any]:
    image, f, extents = build(h, size)
    image.set_estimates([(0, n) for n in estimate])
    f.set_estimates(extents)
    return image, f


def values(size: tuple[int, int]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 256, (size[1], size[0]), np.uint8)


@pytest.mark.parametrize("size", [SIZE, (1, 1), (1023, 767), (3000, 17), (17, 1031)])
@pytest.mark.parametrize("build", [histogram, total, largest, difference])
def test_results_are_those_of_one_thread(build: Any, size: tuple[int, int]) -> None:
    """At sizes that are not the one the schedule was made for, too."""
    outcome = []
    text = scheduled(made(build, hl, SIZE)[1]).python_schedule_source
    for with_schedule in (False, True):
        image, f = made(build, hl, size)
        if with_schedule:
            exec(text, named(hl.Pipeline([f]), hl))
        image.set(hl.Buffer(values(size)))
        outcome.append(np.array(f.realize([256] if build is histogram else [])))
    assert "rfactor" in text
    assert np.array_equal(*outcome)


def test_the_text_runs_under_the_package() -> None:
    halide = pytest.importorskip("halide")
    for build in (histogram, total):
        text = scheduled(made(build, hl, SIZE)[1]).python_schedule_source
        image, f, _ = build(halide, SIZE)
        exec(text, named(halide.Pipeline([f]), halide))
        pixels = values(SIZE)
        image.set(halide.Buffer(pixels))
        found = np.array(f.realize([256] if build is histogram else []))
        expected = np.bincount(pixels.ravel(), minlength=256) if build is histogram else pixels.sum()
        assert np.array_equal(found, expected)


def test_sums_whose_order_counts_are_left() -> None:
    assert "rfactor" not in scheduled(made(mean, hl, SIZE)[1]).python_schedule_source


def flat(h: Any, size: tuple[int, int]) -> tuple[Any, Any, list[tuple[int, int]]]:
    image, f = h.ImageParam(h.UInt(8), 2, "input"), h.Func("flat")
    r = h.RDom([(0, size[0] * size[1])], "r")
    f[()] = h.cast(h.UInt(32), 0)
    f[()] += h.cast(h.UInt(32), image[r.x % size[0], r.x // size[0]])
    return image, f, []


def test_quotients_of_the_reductions_variable_are_left() -> None:
    """Strips of it would ask for rows that small images do not have."""
    assert "rfactor" not in scheduled(made(flat, hl, SIZE)[1]).python_schedule_source


def test_few_points_are_left() -> None:
    _, f = made(histogram, hl, (64, 64), (64, 64))
    assert "rfactor" not in scheduled(f).python_schedule_source


def test_they_can_be_left_out() -> None:
    assert "rfactor" not in scheduled(made(total, hl, SIZE)[1], partial_results="0").python_schedule_source


@pytest.mark.long
def test_genetic2013_keeps_them(tmp_path: Any) -> None:
    """They are one directive of a gene, which a state file holds."""
    state = tmp_path / "state.json"
    for _ in range(2):
        image, f = made(histogram, hl, SIZE)
        options = {"seconds": "600", "generations": "1", "population": "6", "state_file": str(state)}
        found = hl.Pipeline([f]).apply_autoscheduler(hl.Target("host"), hl.AutoschedulerParams("Genetic2013", options))
        image.set(hl.Buffer(values(SIZE)))
        assert np.array_equal(np.array(f.realize([256])), np.bincount(values(SIZE).ravel(), minlength=256))
        assert found.python_schedule_source


def test_the_report_takes_them_back(tmp_path: Any) -> None:
    image, f = made(histogram, hl, SIZE)
    scheduled(f, report=str(tmp_path / "report.txt"))
    assert "histogram_strips" in (tmp_path / "report.txt").read_text()
    image.set(hl.Buffer(values(SIZE)))
    assert np.array_equal(np.array(f.realize([256])), np.bincount(values(SIZE).ravel(), minlength=256))
