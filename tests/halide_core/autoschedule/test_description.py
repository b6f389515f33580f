"""The description that autoschedulers share: footprints held to loads that are counted one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.footprints import compiled
from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.structural import post_order

pytestmark = pytest.mark.few(4)

x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")


def described(f, extents, *images) -> Description:
    f.set_estimates([(0, n) for n in extents])
    for image, sizes in images:
        image.set_estimates([(0, n) for n in sizes])
    return Description([f._function])


def counted(stage, values, ranges) -> dict[str, list[tuple[int, int]]]:
    """By name, the least and greatest coordinate of every dimension that the loads of `stage` touch over `ranges`."""
    found: dict[str, list[tuple[int, int]]] = {}
    for point in itertools.product(*(range(a, b + 1) for a, b in ranges.values())):
        known = {**values, **dict(zip(ranges, point, strict=True))}
        for value in stage.definition.values:
            for n in post_order(value):
                if isinstance(n, ir.Call) and n.name in stage.reads:
                    at = [int(evaluate(a, known)) for a in n.args]
                    old = found.setdefault(n.name, [(p, p) for p in at])
                    found[n.name] = [(min(p, a), max(q, a)) for (p, q), a in zip(old, at, strict=True)]
    return found


def check(d: Description, name: str, tile, exact: bool = True) -> None:
    stage = d.nodes[name].stages[-1]
    ranges = dict(zip(d.nodes[name].function.args, tile, strict=True))
    if stage.definition.domain is not None:
        ranges |= {n: (int(a.value), int(a.value + e.value) - 1) for n, a, e in stage.definition.domain.variables}
    needed = d.required(stage, tuple(tile))
    for read, dims in counted(stage, d.values, ranges).items():
        got = [(int(a), int(b)) for a, b in needed[read]]
        if exact:
            assert got == dims, read
        else:
            assert all(a <= p and q <= b for (a, b), (p, q) in zip(got, dims, strict=True)), (read, got, dims)


@pytest.mark.parametrize("tile", [((0, 7), (0, 3)), ((24, 31), (8, 8)), ((5, 5), (11, 30))])
def test_stencils_and_resampling(tile) -> None:
    image = hl.ImageParam(hl.UInt(16), 2, "image")
    rows, down, up = hl.Func("rows"), hl.Func("down"), hl.Func("up")
    rows[x, y] = image[x, y] + image[x + 1, y + 3] + image[x + 4, y]
    down[x, y] = rows[2 * x - 1, y] + rows[2 * x + 2, 2 * y]
    up[x, y] = down[x / 2, y] + down[(x + 1) / 2, (y - 1) / 2]
    d = described(up, (64, 48), (image, (200, 200)))
    for name in ("rows", "down", "up"):
        check(d, name, tile)


def test_clamped_coordinates_stay_within_the_image() -> None:
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f = hl.Func("f")
    edge = hl.BoundaryConditions.repeat_edge(image)
    f[x, y] = edge[x - 2, y] + edge[x + 3, y + 1]
    d = described(f, (64, 48), (image, (64, 48)))
    assert [(int(a), int(b)) for a, b in d.nodes["repeat_edge"].region] == [(-2, 66), (0, 48)]
    check(d, "repeat_edge", ((-2, 66), (0, 48)), exact=False)
    found = d.required(d.nodes["repeat_edge"].stages[0], ((60, 66), (3, 5)))["image_im"]
    assert [(int(a), int(b)) for a, b in found] == [(60, 63), (3, 5)]


def test_reductions_read_over_their_domain() -> None:
    image = hl.ImageParam(hl.Int(32), 2, "image")
    f = hl.Func("f")
    r = hl.RDom([(-2, 5), (0, 3)], "r")
    f[x, y] += image[x + r.x, y + 2 * r.y]
    d = described(f, (32, 16), (image, (80, 80)))
    check(d, "f", ((3, 10), (2, 4)))
    assert int(d.iterations(d.nodes["f"].stages[1], ((3, 10), (2, 4)))) == 8 * 3 * 15


def test_what_depends_on_data_takes_the_whole() -> None:
    image, where = hl.ImageParam(hl.UInt(8), 1, "image"), hl.ImageParam(hl.Int(32), 1, "where")
    f = hl.Func("f")
    f[x] = image[where[x]] + image[hl.clamp(where[x], 3, 9)]
    d = described(f, (32,), (image, (100,)), (where, (32,)))
    assert d.required(d.nodes["f"].stages[0], ((0, 3),))["image"] == ((0, 99),)


def test_updates_widen_what_is_stored() -> None:
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 20)], "r")
    f[x] = x
    f[r.x + 5] = f[r.x] + 1
    g[x] = f[x]
    d = described(g, (8,))
    assert [(int(a), int(b)) for a, b in d.nodes["f"].region] == [(0, 24)]


def test_many_tiles_at_once() -> None:
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f = hl.Func("f")
    f[x, y] = image[2 * x, y] + image[2 * x + 3, y + 2]
    d = described(f, (64, 64), (image, (200, 200)))
    last = np.array([3, 7, 63])
    box = d.required(d.nodes["f"].stages[0], ((0 * last, last), (0, 0)))["image"]
    assert list(box[0][1]) == [9, 17, 129]
    assert list(np.broadcast_to(box[1][1], 3)) == [2, 2, 2]


def test_what_is_missing_is_named() -> None:
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f = hl.Func("f")
    f[x, y] = image[x, y]
    with pytest.raises(HalideError, match="estimate of dimension 0 of ImageParam image"):
        Description([f._function])
    image.set_estimates([(0, 8), (0, 8)])
    with pytest.raises(HalideError, match="estimate of dimension x of the output f"):
        Description([f._function])
    f.set_estimates([(0, 8), (0, 8)])
    f.vectorize(x, 4)
    with pytest.raises(HalideError, match="Func f has a schedule already"):
        Description([f._function])
    with pytest.raises(HalideError, match="has 2 dimensions, but the estimates"):
        f.set_estimates([(0, 8)])


def test_a_buffer_tells_its_own_range() -> None:
    table = hl.Buffer(np.arange(24, dtype=np.uint8).reshape(4, 6))
    table.set_min([-2, 1])
    f = hl.Func("f")
    f[x] = table[hl.clamp(x, -2, 3), 1]
    found = described(f, [10])
    assert found.images[table.name()] == ((-2, 3), (1, 4))
    hl.Pipeline([f]).apply_autoscheduler(hl.Target("host"), hl.AutoschedulerParams("Reuse2019", {}))
    assert list(np.asarray(f.realize([10]))) == [2, 3, 4, 5, 5, 5, 5, 5, 5, 5]


def test_coordinates_that_are_scaled_floats() -> None:
    image = hl.ImageParam(hl.Float(32), 2, "image")
    f, g = hl.Func("copied"), hl.Func("resampled")
    f[x, y] = image[x, y]
    at = hl.i32(hl.floor((hl.f32(x) + hl.f32(0.5)) * hl.f32(1.6) - hl.f32(0.5)))
    g[x, y] = f[at, y] + f[at + 1, hl.clamp(hl.i32(hl.f32(y) / hl.f32(3.0)), 0, 5)]
    d = described(g, (40, 30), (image, (70, 30)))
    check(d, "resampled", ((0, 39), (0, 5)))
    check(d, "resampled", ((8, 15), (20, 29)), exact=False)
    assert d.nodes["copied"].region == ((0, 63), (0, 29))


def test_what_is_too_deep_to_write_is_told_to_be_so() -> None:
    e: ir.Expr = ir.Variable(ir.I32, "n")
    for _ in range(300):
        e = ir.Min(ir.I32, ir.Add(ir.I32, e, ir.Variable(ir.I32, "m")), ir.Variable(ir.I32, "n"))
    assert compiled(e) is None
