"""Schedules never change results: compiled pipelines against the reference interpreter and the `halide` package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.pipeline import evaluate_function

pytestmark = pytest.mark.few(6)

GUARD = hl.TailStrategy.GuardWithIf
SHIFT = hl.TailStrategy.ShiftInwards


def picture(width: int = 37, height: int = 23) -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).integers(0, 256, (height, width)).astype(np.uint8)


def blur(lib: Any, data: np.ndarray[Any, Any]) -> dict[str, Any]:
    x, y = lib.Var("x"), lib.Var("y")
    source = lib.ImageParam(lib.UInt(8), 2, "src")
    buffer = lib.Buffer(data)
    source.set(buffer)
    edge = lib.BoundaryConditions.repeat_edge(source)
    bx, by = lib.Func("bx"), lib.Func("by")
    bx[x, y] = (lib.u16(edge[x - 1, y]) + lib.u16(edge[x, y]) + lib.u16(edge[x + 1, y])) / 3
    by[x, y] = lib.u8((bx[x, y - 1] + bx[x, y] + bx[x, y + 1]) / 3)
    return {"bx": bx, "by": by, "x": x, "y": y, "source": source, "keep": buffer}


def numpy_blur(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    p = np.pad(a, 1, mode="edge").astype(np.uint16)
    r = (p[:, :-2] + p[:, 1:-1] + p[:, 2:]) // 3
    return ((r[:-2] + r[1:-1] + r[2:]) // 3).astype(np.uint8)


def v(name: str) -> hl.Var:
    return hl.Var(name)


SCHEDULES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "inline": lambda p: None,
    "root": lambda p: p["bx"].compute_root(),
    "vector": lambda p: (p["by"].vectorize(p["x"], 16).parallel(p["y"]), p["bx"].compute_root().vectorize(p["x"], 8)),
    "shift": lambda p: p["by"].vectorize(p["x"], 16, SHIFT).unroll(p["y"], 2, SHIFT),
    "shift_small": lambda p: p["by"].vectorize(p["x"], 64, SHIFT),
    "tile": lambda p: (
        p["by"].tile(p["x"], p["y"], v("xo"), v("yo"), v("xi"), v("yi"), 16, 8, GUARD).vectorize(v("xi"), 8),
        p["bx"].compute_at(p["by"], v("xo")).vectorize(p["x"], 8),
    ),
    "slide": lambda p: (
        p["by"].split(p["y"], v("yo"), v("yi"), 8, GUARD).parallel(v("yo")).vectorize(p["x"], 32, GUARD),
        p["bx"].store_at(p["by"], v("yo")).compute_at(p["by"], v("yi")).vectorize(p["x"], 8),
    ),
    "turned": lambda p: (
        p["by"].reorder(p["y"], p["x"]).unroll(p["y"], 3, GUARD),
        p["bx"].compute_at(p["by"], p["x"]).reorder_storage(p["y"], p["x"]),
    ),
    "fused": lambda p: p["by"].fuse(p["x"], p["y"], v("xy")).vectorize(v("xy"), 16, GUARD).parallel(v("xy")),
    "split_twice": lambda p: (
        p["by"]
        .split(p["x"], v("xo"), v("xi"), 10, GUARD)
        .split(v("xi"), v("xm"), v("xii"), 4, GUARD)
        .vectorize(v("xii"))
        .reorder(p["y"], v("xii"), v("xm"), v("xo"))
    ),
    "inside_out": lambda p: p["by"].split(p["x"], v("xo"), v("xi"), 8, GUARD).reorder(v("xo"), p["y"], v("xi")),
    "strip": lambda p: (
        p["by"].parallel(p["y"], 5),
        p["bx"].compute_at(p["by"], p["y"]).unroll(p["x"], 4, GUARD).vectorize(p["y"], 2, GUARD),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_blur_is_the_same_under_every_schedule(name: str) -> None:
    p = blur(hl, picture())
    SCHEDULES[name](p)
    for size in ((37, 23), (16, 8), (1, 1), (5, 40)):
        data = picture(*size)
        p["source"].set(hl.Buffer(data))
        assert np.array_equal(np.asarray(p["by"].realize(list(size))), numpy_blur(data)), size


def test_reference_interpreter_on_the_blur() -> None:
    data = picture()
    p = blur(hl, data)
    (got,) = evaluate_function(p["by"]._function, ((0, 37), (0, 23)), {"src": (data.T, (0, 0))})
    assert np.array_equal(got.T, numpy_blur(data))


def updates(lib: Any, data: np.ndarray[Any, Any]) -> list[tuple[Any, list[int], Any]]:
    """(Func, sizes, what must stay alive) of several update definitions."""
    x, y = lib.Var("x"), lib.Var("y")
    height, width = data.shape
    source = lib.ImageParam(lib.UInt(8), 2, "src")
    buffer = lib.Buffer(data)
    source.set(buffer)
    out = []
    r = lib.RDom([(0, width), (0, height)])
    hist = lib.Func("hist")
    hist[x] = lib.u32(0)
    hist[lib.i32(source[r.x, r.y])] += lib.u32(1)
    out.append((hist, [256], buffer))
    row = lib.RDom([(0, width)])
    rows = lib.Func("rows")
    rows[y] = lib.i32(0)
    rows[y] += lib.i32(source[row.x, y])
    out.append((rows, [height], buffer))
    after = lib.RDom([(1, width - 1)])
    scan = lib.Func("scan")
    scan[x, y] = lib.i32(source[x, y])
    scan[after.x, y] = scan[after.x, y] + scan[after.x - 1, y]
    out.append((scan, [width, height], buffer))
    tri = lib.RDom([(0, width), (0, width)])
    tri.where(tri.x <= tri.y)
    pairs = lib.Func("pairs")
    pairs[x] = lib.i32(7)
    pairs[tri.y] += tri.x
    out.append((pairs, [width], buffer))
    extreme = lib.Func("extreme")
    extreme[y] = lib.maximum(lib.i32(source[row.x, y])) - lib.minimum(lib.i32(source[row.x, y]))
    out.append((extreme, [height], buffer))
    pair = lib.Func("pair")
    pair[x, y] = lib.Tuple((lib.i32(source[x, y]), lib.f32(x) * lib.f32(0.5)))
    pair.compute_root()
    both = lib.Func("both")
    both[x, y] = lib.f32(pair[x, y][0]) - pair[x, y][1]
    out.append((both, [width, height], buffer))
    return out


@pytest.mark.parametrize("scheduled", [False, True])
def test_updates_agree_with_halide_and_the_interpreter(scheduled: bool) -> None:
    theirs = pytest.importorskip("halide")
    data = picture()
    for (f, sizes, _), (g, _, _keep) in zip(updates(hl, data), updates(theirs, data), strict=True):
        (wanted,) = evaluate_function(f._function, tuple((0, n) for n in sizes), {"src": (data.T, (0, 0))})
        if scheduled:
            from halide_core.autoschedule.rules.default import apply_default_schedule

            apply_default_schedule(hl.Pipeline([f]), hl.get_host_target())
        got = np.asarray(f.realize(sizes))
        assert np.array_equal(got, np.asarray(g.realize(sizes))), f.name()
        assert np.array_equal(got, wanted.T), f.name()


def test_a_sum_that_reads_no_image_is_split_into_strips() -> None:
    from halide_core.autoschedule.rules.default import apply_default_schedule

    width, height = hl.Param(hl.Int(32), "width", 100), hl.Param(hl.Int(32), "height", 90)
    cells, count = hl.RDom([(0, width), (0, height)]), hl.Func("count")
    count[()] = hl.i64(0)
    count[()] += hl.i64(hl.u16(hl.min(cells.x * 8 + 8, 300)) - hl.u16(cells.x))
    apply_default_schedule(hl.Pipeline([count]), hl.get_host_target())
    x = np.arange(100)
    assert np.asarray(count.realize([]))[()] == 90 * ((np.minimum(x * 8 + 8, 300) - x) % 65536).sum()


@pytest.mark.parametrize(
    "name", ["constant_exterior", "repeat_edge", "repeat_image", "mirror_image", "mirror_interior"]
)
def test_boundary_conditions_agree_with_halide(name: str) -> None:
    theirs = pytest.importorskip("halide")
    data = picture(9, 7)
    results = []
    for lib in (hl, theirs):
        x, y = lib.Var("x"), lib.Var("y")
        source = lib.ImageParam(lib.UInt(8), 2, "src")
        buffer = lib.Buffer(data)
        source.set(buffer)
        condition = getattr(lib.BoundaryConditions, name)
        edge = condition(source, lib.u8(77)) if name == "constant_exterior" else condition(source)
        f = lib.Func("f")
        f[x, y] = edge[x - 6, y - 5]
        f.vectorize(x, 8, lib.TailStrategy.GuardWithIf)
        results.append(np.asarray(f.realize([21, 17])).copy())
    assert np.array_equal(*results)


def test_several_outputs_and_undefined_pure_definitions() -> None:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x * 2
    f.compute_root()
    g[x] = hl.undef(hl.Int(32))
    r = hl.RDom([(0, 3)], "r")
    g[r.x] = f[r.x] + g[r.x]
    into = [np.zeros(5, np.int32), np.full(5, 100, np.int32)]
    hl.Pipeline([f, g]).realize([hl.Buffer(a) for a in into])
    assert into[0].tolist() == [0, 2, 4, 6, 8] and into[1].tolist() == [100, 102, 104, 100, 100]


def refused(action: Callable[[], Any], *words: str) -> None:
    with pytest.raises(hl.HalideError) as caught:
        action()
    for w in words:
        assert w in str(caught.value), str(caught.value)


def test_illegal_schedules_are_refused_by_name() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x + y
    f[x, y] = g[x, y] + g[x, y + 1]
    refused(lambda: f.vectorize(hl.Var("q"), 4), "Func f has no loop q", "y, x")
    refused(lambda: f.split(x, hl.Var("a"), y, 4), "already has a loop y")
    g.compute_at(f, hl.Var("nowhere"))
    refused(lambda: f.realize([4, 4]), "g.compute_at(f, nowhere)", "g.compute_at(f, y)")
    h = hl.Func("h")
    h[x] = x
    r = hl.RDom([(1, 9)], "r")
    h[r.x] = h[r.x - 1] + h[r.x]
    refused(lambda: h.update(0).parallel(r.x), f"Func h.update(0): loop {r.x.name()} cannot be parallel")
    refused(lambda: h.update(0).vectorize(r.x, 4), "cannot be vectorized")
    k = hl.Func("k")
    k[x] = h[x]
    assert np.asarray(k.realize([10])).tolist() == list(np.cumsum(range(10)))
    w = hl.Func("w")
    w[x] = x
    w.vectorize(x)
    refused(lambda: w.realize([10]), "Loop w.s0.x has no constant extent")


def test_accesses_outside_buffers_are_errors() -> None:
    x = hl.Var("x")
    source = hl.ImageParam(hl.UInt(8), 1, "src")
    source.set(np.zeros(10, np.uint8))
    f = hl.Func("f")
    f[x] = source[x + 1]
    refused(lambda: f.realize([10]), "Input buffer src is accessed at 10, which is beyond the max (9) in dimension 0")
    f.vectorize(x, 8)
    assert np.asarray(f.realize([9])).tolist() == [0] * 9


def test_indices_computed_from_data_wrap() -> None:
    x = hl.Var("x")
    source, table = hl.ImageParam(hl.Int(32), 1, "src"), hl.ImageParam(hl.UInt(8), 1, "table")
    data = np.array([0, 1, 2**30, 2**31 - 1, -5, 123456789, -(2**31), 77], np.int32)
    entries = np.random.default_rng(0).integers(0, 256, 256).astype(np.uint8)
    source.set(data)
    table.set(entries)
    f = hl.Func("f")
    f[x] = table[((source[x] * 16 + 48) / 16) & 255]
    f.vectorize(x, 4)
    with np.errstate(over="ignore"):
        index = ((data * np.int32(16) + np.int32(48)) >> 4) & 255
    assert np.array_equal(np.asarray(f.realize([8])), entries[index])
