"""Things that programs do with the language: in place, undefined values, choices, domains, shuffles, hints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal
from tests.conformance.effect_cases import printed
from tests.conformance.scan_cases import signal


def strict(hl: Any, f: Any, *sizes: int) -> Any:
    return f.realize(list(sizes), hl.Target("host-strict_float"))


@case
def a_scan_of_what_is_in_the_buffer(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(1, 19)])
    f = hl.Func("f")
    f[x] = hl.undef(hl.Int(32))
    f[r.x] += f[r.x - 1]
    out = hl.Buffer(np.arange(20, dtype=np.int32) % 7)
    f.realize(out)
    return out


@case
def every_other_element_of_a_buffer(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.select(x % 2 == 0, hl.f32(1), hl.undef(hl.Float(32)))
    f.vectorize(x, 4)
    out = hl.Buffer(np.arange(24, dtype=np.float32))
    f.realize(out)
    return out


@case
def undefined_where_a_param_says_so(hl: Any) -> Any:
    x, y, p = hl.Var("x"), hl.Var("y"), hl.Param(hl.Bool(), "p", True)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = hl.select(p, x + y, hl.undef(hl.Int(32)))
    g[x, y] = hl.select(p, f[x, y], hl.undef(hl.Int(32)))
    f.compute_at(g, x)
    out = hl.Buffer(np.full((3, 5), 9, np.int32))
    p.set(False)
    g.realize(out)
    found = [np.array(out)]
    p.set(True)
    g.realize(out)
    return [*found, np.array(out)]


@case
def parts_of_a_tuple_left_as_they_are(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 4)])
    f = hl.Func("f")
    f[x] = (x, hl.f32(x), hl.u8(x))
    f[r.x + 2] = (hl.undef(hl.Int(32)), f[r.x][1] * 2, hl.undef(hl.UInt(8)))
    f[r.x] = (f[r.x][0] + 10, hl.undef(hl.Float(32)), hl.u8(3))
    f.update(0).unscheduled()
    return f.realize([8])


@case
def numbers_among_many_choices(hl: Any) -> Any:
    x, f, g = hl.Var("x"), hl.Func("f"), hl.Func("g")
    values = [3, 7, 24, 5, -37, 91]
    conditions = [a for k, v in enumerate(values) for a in (x == k, v)]
    f[x] = hl.select(*conditions, 14)
    g[x] = hl.mux(x - 2, [x, 456, f[x]])
    return f.realize([9]), g.realize([9])


@case
def a_mux_that_is_unrolled(hl: Any) -> Any:
    x, c, f = hl.Var("x"), hl.Var("c"), hl.Func("f")
    f[c, x] = hl.mux(c, [x * k - k * k for k in range(24)])
    f.bound(c, 0, 24).unroll(c)
    return f.realize([24, 3])


@case
def a_mux_of_a_tuple(hl: Any) -> Any:
    x, c, f, g = hl.Var("x"), hl.Var("c"), hl.Func("f"), hl.Func("g")
    f[x] = (x, x * x, -x)
    g[x, c] = hl.mux(c, [f[x][0], f[x][1], f[x][2]])
    f.compute_root()
    return g.realize([6, 3])


@case
def updates_by_their_stages(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 8)])
    f = hl.Func("f")
    f[x] = x
    f[0] = 1
    f[r.x * 2] = 13
    f[r.x * 4] = 14
    f[3 * r.x] = 4
    f.vectorize(x, 4)
    f.update(1).parallel(r.x)
    f.update(2).vectorize(r.x, 4)
    f.update(3).unroll(r.x, 2)
    f.update(0).unscheduled()
    return f.realize([33])


@case
def updates_that_fill_interleaved_places(hl: Any) -> Any:
    x, y, r = hl.Var("x"), hl.Var("y"), hl.RDom([(0, 8)])
    f = hl.Func("f")
    f[x, y] = hl.u8(x)
    for k, (step, row) in enumerate([(2, 0), (2, 0), (3, 1), (3, 1), (3, 1)]):
        f[step * r.x + k % step, row] = f[step * r.x + k % step, row] + hl.u8(k + 2)
        f.update(k).vectorize(r.x)
    return f.realize([26, 2])


@case
def a_domain_whose_extents_may_be_nothing(hl: Any) -> Any:
    x, y, t = hl.Var("x"), hl.Var("y"), hl.Var("t")
    across, down = hl.Param(hl.Int(32), "across"), hl.Param(hl.Int(32), "down")
    r = hl.RDom([(0, across), (0, down)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y + 1
    g[x, y] = 0
    g[r.x, r.y] = f[r.x, r.y]
    f.compute_root().fuse(x, y, t)
    found = []
    for a, b in ((0, 0), (0, 2), (3, 0), (2, 2)):
        across.set(a)
        down.set(b)
        found.append(g.realize([4, 3]))
    return found


@case
def nested_parallel_loops(hl: Any) -> Any:
    x, y, z = hl.Var("x"), hl.Var("y"), hl.Var("z")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y, z] = x * y + z * 3
    g[x, y, z] = f[x, y, z] + f[x + 1, y, z]
    f.parallel(x).parallel(y).compute_at(g, z)
    g.parallel(z).parallel(y)
    return g.realize([6, 5, 4])


@case
def reductions_in_parallel_pieces(hl: Any) -> Any:
    i, j, n, size = hl.Var("i"), hl.Var("j"), 40, 8
    source = signal(hl, "int32", n)
    r = hl.RDom([(1, size - 1)])
    rows, ends, out = hl.Func("rows"), hl.Func("ends"), hl.Func("out")
    rows[i, j] = source[hl.clamp(i + j * size, 0, n - 1)]
    rows[r.x, j] += rows[r.x - 1, j]
    q = hl.RDom([(1, n // size)])
    ends[j] = 0
    ends[q.x] = ends[q.x - 1] + rows[size - 1, q.x - 1]
    out[i] = rows[i % size, i / size] + ends[i / size]
    rows.compute_root().vectorize(i, 4).parallel(j).update().parallel(j)
    ends.compute_root()
    out.split(i, j, i, size).parallel(j)
    return out.realize([n])


@case
def a_scatter_in_parallel_of_equal_values(hl: Any) -> Any:
    x, r = hl.Var("x"), hl.RDom([(0, 60)])
    seen, f = hl.Func("seen"), hl.Func("f")
    seen[x] = hl.u8(0)
    seen[(r.x * r.x) % 17] = hl.u8(1)
    seen.compute_root().update().allow_race_conditions().parallel(r.x)
    f[x] = seen[x] + hl.u8(1)
    return f.realize([17])


@case
def hints_on_every_loop(hl: Any) -> Any:
    x, y, xi = hl.Var("x"), hl.Var("y"), hl.Var("xi")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 - y
    edge = hl.BoundaryConditions.repeat_edge(f, [(0, 17), (0, 6)])
    g[x, y] = edge[x - 2, y] + edge[x + 3, y + 1]
    f.compute_root().store_in(hl.MemoryType.Heap)
    g.split(x, x, xi, 4, hl.TailStrategy.GuardWithIf).never_partition([x]).partition(y, hl.Partition.Always)
    g.prefetch(f, y, y, 2, hl.PrefetchBoundStrategy.NonFaulting).vectorize(xi)
    return g.realize([23, 8])


@case
def conditions_that_are_likely(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = hl.select(hl.likely(x > 3) & (y < 5), x * y, hl.likely_if_innermost(x - y))
    g[x, y] = hl.min(hl.likely(f[x, y]), 20) + hl.max(hl.likely_if_innermost(x), y)
    f.compute_at(g, y)
    g.vectorize(x, 4)
    return g.realize([12, 8])


@case
def a_circle_of_which_each_row_is_bounded(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    source, f = hl.Func("source"), hl.Func("f")
    source[x, y] = x + y * 100
    source.compute_root()
    half = hl.i32(hl.ceil(hl.sqrt(hl.f32(hl.max(0, 64 - y * y)))))
    f[x, y] = 0
    f[x, y] += hl.select((x > -half) & (x < half), source[x, y], 0)
    return strict(hl, f, 12, 12)


@case
def an_expression_that_doubles_at_each_step(hl: Any) -> Any:
    x, t0, t1 = hl.Var("x"), hl.Var("t0"), hl.Var("t1")
    e, f, g = hl.u32(t0 + t1), hl.Func("f"), hl.Func("g")
    for _ in range(5):
        e = e * e + hl.u32(t0)
    f[t0, t1] = e
    last, before = hl.u32(x), hl.u32(x + 1)
    for _ in range(40):
        last, before = last + before, last
    g[x] = last
    return f.realize([5, 4]), g.realize([6])


@case
def funcs_that_double_at_each_step(hl: Any) -> Any:
    x = hl.Var("x")
    funcs = [hl.lambda_func(x, hl.u32(x)), hl.lambda_func(x, hl.u32(x + 3))]
    for _ in range(14):
        funcs.append(hl.lambda_func(x, funcs[-1][x] + funcs[-2][x]))
    for f in funcs[2:-1:4]:
        f.compute_root()
    return funcs[-1].realize([6])


@case
def lambdas_with_placeholders(hl: Any) -> Any:
    x, y, z = hl.Var("x"), hl.Var("y"), hl.Var("z")
    f, h = hl.Func("f"), hl.Func("h")
    f[x, y] = x * y
    g = hl.lambda_func(x, y, x * y - 1)
    h[x, y, z] = x + y * y + z * z * z
    first = hl.lambda_func(hl._, f[hl._] - g[hl._] + hl.lambda_func(x, y, x + y)[hl._])
    return first.realize([4, 3]), hl.lambda_func(hl._, z, h[hl._, z]).realize([3, 2, 2])


@case
def placeholders_between_coordinates(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.Buffer(np.arange(3 * 4 * 2 * 5, dtype=np.int32).reshape(3, 4, 2, 5))
    f, g = hl.Func("f"), hl.Func("g")
    f[hl._, x, y] = image[hl._, y % 3, x % 3] + 1
    g[x, hl._] = image[x, hl._] - image[1, hl._]
    return f.realize([5, 2, 2, 3]), g.realize([5, 2, 4, 3])


@case
def tiles_of_which_some_are_computed(hl: Any) -> Any:
    x, y, xi, yi = hl.Var("x"), hl.Var("y"), hl.Var("xi"), hl.Var("yi")
    wanted = hl.ImageParam(hl.Bool(), 2, "wanted")
    tiled, bright, chosen, out = (hl.Func(n) for n in ("tiled", "bright", "chosen", "out"))
    tiled[xi, yi, x, y] = x * 4 + xi + (y * 4 + yi) * 100
    bright[xi, yi, x, y] = tiled[xi, yi, x, y] * 2 + 1
    chosen[xi, yi, x, y] = hl.select(wanted[x, y], bright[xi, yi, x, y], tiled[xi, yi, x, y])
    out[x, y] = chosen[x % 4, y % 4, x / 4, y / 4]
    out.bound(x, 0, 12).bound(y, 0, 8).tile(x, y, xi, yi, 4, 4).vectorize(xi)
    bright.compute_at(chosen, x)
    chosen.compute_at(out, x)
    wanted.set(hl.Buffer(np.array([[1, 0, 1], [0, 0, 1]], bool)))
    return out.realize([12, 8])


@case
def a_convolution_only_where_it_is_needed(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(-2, 5), (-2, 5)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (x * 7 + y * 3) % 11 - 5
    g[x, y] = hl.select(f[x, y] > 0, hl.sum(f[x + r.x, y + r.y]), -1)
    return g.realize([9, 8])


@case
def a_pyramid_of_halved_images(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    stage = hl.Func("base")
    stage[x, y] = x * x + y * 3
    down = [stage]
    for k in range(3):
        f = hl.Func(f"down{k}")
        f[x, y] = (down[-1][2 * x, 2 * y] + down[-1][2 * x + 1, 2 * y] + down[-1][2 * x, 2 * y + 1]) / 3
        down.append(f)
    up = down[-1]
    for k in range(2, -1, -1):
        g = hl.Func(f"up{k}")
        g[x, y] = up[x / 2, y / 2] * 2 - up[(x + 1) / 2, y / 2] + down[k][x, y]
        up = g
    for f in down:
        f.compute_root()
    return up.realize([11, 9])


@case
def a_stencil_chain_in_updates(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 2 + y
    f.compute_root()
    g[x, y] = 0
    for k in range(4):
        g[x, y] += f[x + k, y - k] * (k + 1)
    for k in range(4):
        g.update(k).vectorize(x, 4).parallel(y)
    return g.realize([12, 6])


@case
def an_allocation_that_varies_by_lane(hl: Any) -> Any:
    x, y, r = hl.Var("x"), hl.Var("y"), hl.RDom([(0, 4)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    f[x, r.x] += 1
    g[x] = f[x, x % 4]
    f.compute_at(g, x)
    g.vectorize(x, 8)
    return g.realize([16])


@case
def many_dimensions(hl: Any) -> Any:
    names = [hl.Var(f"d{k}") for k in range(9)]
    f, g = hl.Func("f"), hl.Func("g")
    f[tuple(names)] = names[0] + names[3] * 2 + names[8] * 5
    g[tuple(names)] = f[tuple(names)] + f[(names[0] + 1, *names[1:])]
    f.compute_at(g, names[4]).reorder(*reversed(names))
    return g.realize([2, 1, 3, 2, 1, 2, 1, 1, 2])


@case
def loops_that_differ_by_one_in_range(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f = hl.Func("f")
    value = hl.Expr(0)
    for k in range(6):
        value = hl.select(x == k * 3, value + k, hl.select((x > k * 2) & (y >= k), value * 2 + y, value - 1))
    f[x, y] = value
    f.vectorize(x, 8).parallel(y)
    return f.realize([24, 5])


@case
def printed_once_per_value(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.print(x * 2, "computed")
    g[x, y] = f[x] + y
    f.compute_root()
    return printed(lambda: g.realize([3, 4]))


def memoized(how: Callable[[Any, Any, Any, Any], Any]) -> Callable[[Any], Any]:
    """A Func that may be kept between runs, of which a Param changes."""

    def script(hl: Any) -> Any:
        x, y, p = hl.Var("x"), hl.Var("y"), hl.Param(hl.Int(32), "p", 2)
        f, g = hl.Func("f"), hl.Func("g")
        f[x, y] = x * p + y
        g[x, y] = f[x, y] + f[x + 1, y]
        how(hl, f, g, y)
        found = [g.realize([6, 4])]
        p.set(5)
        return [*found, g.realize([6, 4]), g.realize([3, 2])]

    return script


add("idiom.memoized.root", memoized(lambda hl, f, g, y: f.compute_root().memoize()))
add("idiom.memoized.rows", memoized(lambda hl, f, g, y: f.compute_at(g, y).memoize()))
add("idiom.memoized.key", memoized(lambda hl, f, g, y: f.compute_root().memoize(hl.EvictionKey(7))))


@refusal("unscheduled")
def unscheduled_and_scheduled(hl: Any) -> Any:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = x
    f[x] += 1
    f.update().vectorize(x, 4)
    f.update().unscheduled()
    return f.realize([4])
