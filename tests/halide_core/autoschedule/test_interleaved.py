"""Interleaved channels: stored together, or as one long row; what is stored in between lies in planes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.layouts import Layout
from tests.halide_core.autoschedule.test_reuse2019 import MACHINE, TARGET, named
from tests.pairs import ALL

pytestmark = pytest.mark.long

SIZE = 1536, 1024
METHODS = ("Reuse2019", "TreeSearch")
Read = Callable[[Any, Any, Any], Any]


class Pixels:
    """Pipelines over interleaved images, whose dimensions are in an order such as "cxy", under `h`."""

    def __init__(self, h: Any, order: str, channels: int = 3, step: int | None = None) -> None:
        self.h, self.order, self.channels, self.step = h, order, channels, step or channels
        self.x, self.y, self.c = h.Var("x"), h.Var("y"), h.Var("c")
        self.source = h.ImageParam(h.UInt(8), 3, "source")

    def arranged(self, c: Any, x: Any, y: Any) -> list[Any]:
        return [{"c": c, "x": x, "y": y}[o] for o in self.order]

    def state(self, image: Any, size: tuple[int, int], margin: int) -> None:
        width, height = size
        image.dim(self.order.index("c")).set_stride(1).set_bounds(0, self.channels)
        image.dim(self.order.index("x")).set_stride(self.step)
        estimates = self.arranged((0, self.channels), (0, width + margin), (0, height + margin))
        for d, (low, extent) in enumerate(estimates):
            image.dim(d).set_estimate(low, extent)

    def read(self, f: Any) -> Read:
        return lambda c, x, y: f[self.arranged(c, x, y)]

    def output(self, name: str, value: Any, size: tuple[int, int], margin: int = 0) -> Any:
        f = self.h.Func(name)
        f[self.arranged(self.c, self.x, self.y)] = value
        self.state(self.source, size, margin)
        self.state(f.output_buffer(), size, 0)
        return f

    def memory(self, width: int, height: int) -> np.ndarray[Any, Any]:
        return np.zeros((height, width, self.step), np.uint8)

    def buffer(self, memory: np.ndarray[Any, Any]) -> Any:
        pixels = memory[:, :, : self.channels]
        return self.h.Buffer(pixels if self.order == "cxy" else np.moveaxis(pixels, 2, 0))


def invert(p: Pixels, size: tuple[int, int]) -> tuple[Any, int]:
    return p.output("inverted", p.h.u8(255 - p.read(p.source)(p.c, p.x, p.y)), size), 0


def swap(p: Pixels, size: tuple[int, int]) -> tuple[Any, int]:
    return p.output("swapped", p.read(p.source)(p.channels - 1 - p.c, p.x, p.y), size), 0


def near(p: Pixels, size: tuple[int, int]) -> tuple[Any, int]:
    """A window without borders, blurred along rows and down columns."""
    h, s = p.h, p.read(p.source)
    rows = h.Func("rows")
    rows[p.arranged(p.c, p.x, p.y)] = sum(h.u16(s(p.c, p.x + k, p.y)) for k in range(3))
    r = p.read(rows)
    return p.output("blurred", h.u8(sum(r(p.c, p.x, p.y + k) for k in range(3)) / 9), size, 2), 2


def luma(p: Pixels, size: tuple[int, int]) -> tuple[Any, int]:
    """Each channel sharpened by a blur of all of them."""
    h, s = p.h, p.read(p.source)
    grey, blurred = h.Func("grey"), h.Func("blurred")
    grey[p.x, p.y] = sum(h.i32(s(k, p.x, p.y)) * (k + 1) for k in range(p.channels))
    blurred[p.x, p.y] = sum(grey[p.x + i, p.y + k] * (1 + i % 2) for i in range(3) for k in range(3))
    value = h.i32(s(p.c, p.x + 1, p.y + 1)) * 2 - blurred[p.x, p.y] / 72
    return p.output("sharpened", h.u8(h.clamp(value, 0, 255)), size, 2), 2


def lookup(p: Pixels, size: tuple[int, int]) -> tuple[Any, int]:
    """A costly value of each channel, of which several neighbours are read: stored, in planes."""
    h, s = p.h, p.read(p.source)
    roots = h.Func("roots")
    roots[p.arranged(p.c, p.x, p.y)] = h.sqrt(h.f32(s(p.c, p.x, p.y)) + 1.0) * h.exp(h.f32(s(p.c, p.x, p.y)) / 99.0)
    r = p.read(roots)
    value = sum(r(p.c, p.x + i, p.y + k) for i in range(3) for k in range(3))
    return p.output("summed", h.u8(h.clamp(value, 0.0, 255.0)), size, 2), 2


PIPELINES = [invert, swap, near, luma, lookup]


def run(p: Pixels, f: Any, margin: int, width: int, height: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(width)
    source, out = p.memory(width + margin, height + margin), p.memory(width, height)
    source[...] = rng.integers(0, 256, source.shape)
    p.source.set(p.buffer(source))
    p.h.Pipeline(f).realize(p.buffer(out))
    return out


def text_of(build: Any, p: Pixels, method: str = "Reuse2019") -> str:
    f, _ = build(p, SIZE)
    params = hl.AutoschedulerParams(method, MACHINE)
    return str(hl.Pipeline([f]).apply_autoscheduler(TARGET, params).python_schedule_source)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("order", "channels", "step"), [("cxy", 3, 3), ("xyc", 3, 3), ("cxy", 4, 4), ("cxy", 3, 4), ("xyc", 2, 2)]
)
def test_results_are_those_without_a_schedule(order: str, channels: int, step: int) -> None:
    for number, build in enumerate(PIPELINES):
        plain = Pixels(hl, order, channels, step)
        f, margin = build(plain, SIZE)
        expected = {s: run(plain, f, margin, *s) for s in ((1, 1), (67, 35), (200, 131))}
        # Of the second method each pipeline has some of the layouts.
        for method in METHODS if ALL or (number + channels) % 2 else METHODS[:1]:
            p = Pixels(hl, order, channels, step)
            g, _ = build(p, SIZE)
            hl.Pipeline([g]).apply_autoscheduler(TARGET, hl.AutoschedulerParams(method, MACHINE))
            for size, wanted in expected.items():
                assert np.array_equal(run(p, g, margin, *size), wanted), (method, build.__name__, size)


@pytest.mark.parametrize("order", ["cxy", "xyc"])
def test_what_is_computed_channel_by_channel_runs_as_one_row(order: str) -> None:
    for build in (invert, near):
        text = text_of(build, Pixels(hl, order))
        assert "fuse(c, x, x_row)" in text and "unroll(c)" not in text, build.__name__
    # Pixels of which one element is left alone are no row.
    assert "fuse" not in text_of(invert, Pixels(hl, order, 3, 4))


@pytest.mark.parametrize("order", ["cxy", "xyc"])
def test_channels_are_stored_together(order: str) -> None:
    for build, channels, step in itertools.product((swap, luma), (3, 4), (3, 4)):
        if channels <= step:
            text = text_of(build, Pixels(hl, order, channels, step))
            assert f".bound(c, 0, {channels})" in text and ".unroll(c)" in text, (build.__name__, channels, step)
            assert ".vectorize(c" not in text


def test_a_lone_row_of_pixels_is_cut_for_threads() -> None:
    for swapped in (False, True):
        x, c = hl.Var("x"), hl.Var("c")
        source, f = hl.ImageParam(hl.UInt(8), 2, "source"), hl.Func("f")
        f[c, x] = hl.u8(255 - source[2 - c if swapped else c, x])
        f.set_estimates([(0, 3), (0, 1 << 22)])
        source.set_estimates([(0, 3), (0, 1 << 22)])
        for image in (source, f.output_buffer()):
            image.dim(0).set_stride(1).set_bounds(0, 3)
            image.dim(1).set_stride(3)
        params = hl.AutoschedulerParams("Reuse2019", MACHINE)
        text = hl.Pipeline([f]).apply_autoscheduler(TARGET, params).python_schedule_source
        assert "f.parallel(x_o)" in text and ("fuse" in text) != swapped
        pixels, out = np.random.default_rng(0).integers(0, 256, (1001, 3), np.uint8), np.zeros((1001, 3), np.uint8)
        source.set(hl.Buffer(pixels))
        f.realize(hl.Buffer(out))
        assert np.array_equal(out, 255 - (pixels[:, ::-1] if swapped else pixels))


def test_without_strides_nothing_is_bounded() -> None:
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    f = hl.Func("f")
    f[c, x, y] = hl.u8(c + x + y)
    f.set_estimates([(0, 3), (0, 1000), (0, 1000)])
    params = hl.AutoschedulerParams("Reuse2019", MACHINE)
    assert "bound" not in hl.Pipeline([f]).apply_autoscheduler(TARGET, params).python_schedule_source
    assert np.array(f.realize([4, 5, 6])).shape == (6, 5, 4)


def test_what_is_stored_lies_in_planes() -> None:
    text = text_of(lookup, Pixels(hl, "cxy"))
    assert "roots.reorder_storage(x, y, c)" in text
    assert "roots.vectorize(x" in text or "roots.vectorize(x_v" in text
    assert "reorder_storage" not in text_of(lookup, Pixels(hl, "xyc"))


def test_layouts() -> None:
    for order, axes in (("cxy", (1, 2, 0)), ("xyc", (0, 1, 2))):
        p = Pixels(hl, order)
        f, _ = luma(p, SIZE)
        layouts = Description([f._function]).layouts
        channels = order.index("c")
        assert layouts["source"] == layouts["sharpened"] == Layout(axes, 3, channels, True)
        assert layouts["grey"] == Layout((0, 1))
    # Nothing is stated: of dimension 0 it is known that memory runs along it, and of the others nothing.
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    f = hl.Func("f")
    f[c, x, y] = hl.u8(c + x + y)
    f.set_estimates([(0, 3), (0, 1000), (0, 1000)])
    assert Description([f._function]).layouts["f"] == Layout((1, 2, 0), None, 0)


def test_the_text_runs_under_the_package() -> None:
    halide = pytest.importorskip("halide")
    for build, order in itertools.product((invert, luma, lookup), ("cxy", "xyc")):
        text = text_of(build, Pixels(hl, order))
        results = []
        for h in (hl, halide):
            p = Pixels(h, order)
            f, margin = build(p, SIZE)
            if h is halide:
                exec(text, named(halide.Pipeline([f]), halide))
            results.append(run(p, f, margin, 131, 67))
        close = build is lookup
        assert np.array_equal(*results) or (close and np.max(np.abs(results[0].astype(int) - results[1])) <= 1)
