"""Where Funcs are computed and stored: every level, sliding windows, folded storage, wrappers, common loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal


def variables(hl: Any, names: str) -> list[Any]:
    return [hl.Var(n) for n in names.split()]


def picture(hl: Any, width: int = 29, height: int = 17) -> Any:
    data = np.random.default_rng(5).integers(0, 256, (height, width)).astype(np.uint8)
    return hl.BoundaryConditions.repeat_edge(hl.Buffer(data))


Schedule = Callable[[Any, dict[str, Any]], Any]


def blur(hl: Any, schedule: Schedule, sizes: list[int]) -> Any:
    """Three stages of 3-point stencils, in x, in y and in both."""
    x, y = variables(hl, "x y")
    p: dict[str, Any] = {n: hl.Func(n) for n in ("a", "b", "c")}
    source = picture(hl)
    p["a"][x, y] = hl.u16(source[x - 1, y]) + hl.u16(source[x, y]) * hl.u16(2) + hl.u16(source[x + 1, y])
    p["b"][x, y] = p["a"][x, y - 1] + p["a"][x, y] * hl.u16(2) + p["a"][x, y + 1]
    p["c"][x, y] = p["b"][x, y] + p["b"][x - 1, y + 1]
    p.update(x=x, y=y, **{n: hl.Var(n) for n in ("xo", "yo", "xi", "yi", "u")})
    schedule(hl, p)
    return p["c"].realize(sizes)


def tiled(p: dict[str, Any], tail: Any) -> Any:
    return p["c"].tile(p["x"], p["y"], p["xo"], p["yo"], p["xi"], p["yi"], 8, 4, tail)


SCHEDULES: dict[str, Schedule] = {
    "roots": lambda hl, p: (p["a"].compute_root(), p["b"].compute_root()),
    "inner": lambda hl, p: (p["a"].compute_at(p["c"], p["x"]), p["b"].compute_at(p["c"], p["x"])),
    "rows": lambda hl, p: (p["a"].compute_at(p["b"], p["y"]), p["b"].compute_at(p["c"], p["y"])),
    "outermost": lambda hl, p: (
        p["a"].compute_at(p["b"], hl.Var.outermost()),
        p["b"].compute_at(p["c"], hl.Var.outermost()),
    ),
    "slide_rows": lambda hl, p: (
        p["a"].store_root().compute_at(p["c"], p["y"]),
        p["b"].store_root().compute_at(p["c"], p["y"]),
    ),
    "slide_rows_vectors": lambda hl, p: (
        p["a"].store_root().compute_at(p["c"], p["y"]).vectorize(p["x"], 8),
        p["b"].store_root().compute_at(p["c"], p["y"]).vectorize(p["x"], 8, hl.TailStrategy.RoundUp),
        p["c"].vectorize(p["x"], 8, hl.TailStrategy.GuardWithIf),
    ),
    "slide_columns": lambda hl, p: (
        p["a"].store_root().compute_at(p["c"], p["x"]),
        p["b"].store_at(p["c"], p["y"]).compute_at(p["c"], p["x"]),
    ),
    "slide_in_strips": lambda hl, p: (
        p["c"].split(p["y"], p["yo"], p["yi"], 5, hl.TailStrategy.GuardWithIf).parallel(p["yo"]),
        p["a"].store_at(p["c"], p["yo"]).compute_at(p["c"], p["yi"]),
        p["b"].store_at(p["c"], p["yo"]).compute_at(p["c"], p["yi"]),
    ),
    "slide_in_shifted_strips": lambda hl, p: (
        p["c"].split(p["y"], p["yo"], p["yi"], 5, hl.TailStrategy.ShiftInwards).parallel(p["yo"]),
        p["a"].store_at(p["c"], p["yo"]).compute_at(p["c"], p["yi"]),
        p["b"].store_at(p["c"], p["yo"]).compute_at(p["c"], p["yi"]),
    ),
    "slide_over_split_rows": lambda hl, p: (
        p["c"].split(p["y"], p["yo"], p["yi"], 4, hl.TailStrategy.GuardWithIf),
        p["b"].store_root().compute_at(p["c"], p["yo"]),
        p["a"].store_root().compute_at(p["c"], p["yo"]),
    ),
    "slide_unrolled": lambda hl, p: (
        p["c"].split(p["y"], p["yo"], p["yi"], 4, hl.TailStrategy.RoundUp).unroll(p["yi"]),
        p["b"].store_at(p["c"], p["yo"]).compute_at(p["c"], p["yi"]),
        p["a"].store_root().compute_at(p["c"], p["yo"]),
    ),
    "slide_backwards": lambda hl, p: (
        p["c"].rename(p["y"], p["u"]),
        p["a"].store_root().compute_at(p["c"], p["u"]),
        p["b"].store_root().compute_at(p["c"], p["u"]).unroll(p["x"], 3),
    ),
    "slide_within_slide": lambda hl, p: (
        p["b"].store_root().compute_at(p["c"], p["y"]),
        p["a"].store_root().compute_at(p["b"], p["y"]),
    ),
    "fold": lambda hl, p: (
        p["a"].store_root().compute_at(p["c"], p["y"]).fold_storage(p["y"], 4),
        p["b"].store_root().compute_at(p["c"], p["y"]).fold_storage(p["y"], 2),
    ),
    "fold_larger": lambda hl, p: (
        p["a"].store_root().compute_at(p["c"], p["y"]).fold_storage(p["y"], 7),
        p["b"].store_root().compute_at(p["c"], p["y"]).fold_storage(p["y"], 3),
    ),
    "fold_columns": lambda hl, p: (
        p["b"].store_at(p["c"], p["y"]).compute_at(p["c"], p["x"]).fold_storage(p["x"], 4),
        p["a"].compute_root(),
    ),
    "fold_turned": lambda hl, p: (
        p["c"].reorder(p["y"], p["x"]),
        p["b"].store_root().compute_at(p["c"], p["x"]).fold_storage(p["x"], 4),
        p["a"].store_root().compute_at(p["c"], p["x"]).reorder_storage(p["y"], p["x"]),
    ),
    "hoist": lambda hl, p: (
        p["b"].hoist_storage(p["c"], p["y"]).compute_at(p["c"], p["x"]),
        p["a"].hoist_storage_root().compute_at(p["c"], p["y"]),
    ),
    "tiles": lambda hl, p: (
        tiled(p, hl.TailStrategy.GuardWithIf).parallel(p["yo"]).vectorize(p["xi"]),
        p["b"].compute_at(p["c"], p["xo"]).vectorize(p["x"], 4),
        p["a"].compute_at(p["c"], p["xo"]).vectorize(p["x"], 8, hl.TailStrategy.RoundUp),
    ),
    "shifted_tiles": lambda hl, p: (
        tiled(p, hl.TailStrategy.ShiftInwards).parallel(p["yo"]).vectorize(p["xi"]),
        p["b"].compute_at(p["c"], p["xo"]).vectorize(p["x"], 4),
        p["a"].store_at(p["c"], p["xo"]).compute_at(p["b"], p["y"]),
    ),
    "in_a_vectorized_loop": lambda hl, p: (
        p["c"].split(p["x"], p["xo"], p["xi"], 4).vectorize(p["xi"]),
        p["b"].compute_at(p["c"], p["xi"]),
        p["a"].compute_at(p["c"], p["xo"]),
    ),
    "in_an_unrolled_loop": lambda hl, p: (
        p["c"].split(p["x"], p["xo"], p["xi"], 4, hl.TailStrategy.GuardWithIf).unroll(p["xi"]),
        p["b"].compute_at(p["c"], p["xi"]),
        p["a"].compute_at(p["b"], p["x"]),
    ),
    "levels": lambda hl, p: (
        p["b"].compute_at(hl.LoopLevel(p["c"], p["y"])),
        p["a"].compute_at(hl.LoopLevel.root()),
    ),
    "aligned": lambda hl, p: (
        p["b"].compute_root().align_bounds(p["x"], 8).align_storage(p["x"], 16).vectorize(p["x"], 8),
        p["a"].compute_at(p["b"], p["y"]).align_bounds(p["x"], 4, 3).align_extent(p["y"], 2),
    ),
    "async_and_rings": lambda hl, p: (
        p["b"].store_root().compute_at(p["c"], p["y"]),
        p["a"].compute_root().memoize(),
    ),
}

for _name, _schedule in SCHEDULES.items():
    for _sizes in ([23, 11], [8, 8]):
        add(
            f"placement.{_name}.{_sizes[0]}",
            lambda hl, s=_schedule, n=_sizes: blur(hl, s, list(n)),
        )


@case
def a_level_that_is_set_later(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y
    g[x, y] = f[x, y] - f[x + 2, y]
    level = hl.LoopLevel()
    f.compute_at(level)
    level.set(hl.LoopLevel(g, y))
    return g.realize([9, 4])


@refusal("never set")
def a_level_that_is_never_set(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y
    g[x, y] = f[x, y]
    f.compute_at(hl.LoopLevel())
    return g.realize([9, 4])


@case
def downsampling_slides_without_overlap(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    g[x, y] = f[x, 3 * y] + f[x, 3 * y + 1]
    f.store_root().compute_at(g, y)
    return g.realize([6, 9])


@case
def upsampling_slides_by_halves(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    g[x, y] = f[x, y / 2] + f[x, (y + 1) / 2]
    f.store_root().compute_at(g, y)
    return g.realize([6, 9])


@case
def a_window_that_moves_downwards(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    g[x, y] = f[x, 20 - y] + f[x, 22 - y]
    f.store_root().compute_at(g, y)
    return g.realize([6, 9])


@case
def a_window_of_an_update(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    f[x, y] = f[x, y] * 5 - x
    g[x, y] = f[x, y - 1] + f[x, y + 1]
    f.store_root().compute_at(g, y)
    return g.realize([6, 9])


@case
def a_window_in_two_directions(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    g[x, y] = f[x, 10 - y] + f[x, y]
    f.store_root().compute_at(g, y)
    return g.realize([6, 9])


@case
def consumers_of_an_update_and_of_its_pure_stage(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 4)])
    f[x, y] = x * 3 + y
    g[x, y] = 7
    g[x, y] += f[x + r.x, y] * r.x
    f.compute_at(g, y)
    return g.realize([6, 9])


@case
def computed_at_a_reduction_loop(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 4), (1, 3)])
    f[x, y] = x * 3 + y
    g[x, y] = 7
    g[x, y] += f[x + r.x, y - r.y] * r.x
    f.compute_at(g, r.x)
    return g.realize([6, 5])


@case
def an_update_without_a_schedule(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 4)])
    f[x, y] = x * 3 + y
    f[x, y] += r.x * y
    g[x, y] = f[x, y] + f[y, x]
    return g.realize([6, 5])


@case
def an_update_without_a_schedule_in_a_vector(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y
    f[x, y] += y
    g[x, y] = f[x, y] + f[x + 1, y]
    g.vectorize(x, 4).parallel(y)
    return g.realize([9, 5])


@case
def a_histogram_and_its_sum_at_levels(hl: Any) -> Any:
    x, y, i = variables(hl, "x y i")
    source = picture(hl)
    h, c, g = hl.Func("h"), hl.Func("c"), hl.Func("g")
    r, s = hl.RDom([(0, 13)]), hl.RDom([(1, 255)])
    h[i, y] = 0
    h[hl.i32(source[r.x, y]), y] += 1
    c[i, y] = h[i, y]
    c[s.x, y] = c[s.x - 1, y] + h[s.x, y]
    g[x, y] = c[hl.i32(source[x, y]), y]
    h.compute_at(g, y)
    c.compute_at(g, y)
    return g.realize([13, 5])


@case
def tuples_at_a_level(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = (x * y, hl.f32(x) - hl.f32(y))
    f[x, y] = (f[x, y][0] + 1, f[x, y][1] * 2)
    g[x, y] = hl.f32(f[x, y][0]) * f[x + 1, y][1]
    f.store_root().compute_at(g, y).vectorize(x, 4).update().vectorize(x, 4)
    return g.realize([10, 6])


@case
def two_outputs_one_uses_the_other(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * y + 3
    g[x, y] = f[x, y] * 2
    f.vectorize(x, 4)
    g.parallel(y)
    return hl.Pipeline([f, g]).realize([8, 5])


def bounded(hl: Any, how: Callable[[Any, Any, Any], Any]) -> Any:
    x, c = variables(hl, "x c")
    f = hl.Func("f")
    f[x, c] = x * 10 + c
    how(f, x, c)
    return f.realize([10, 3])


add("bound.unrolled", lambda hl: bounded(hl, lambda f, x, c: f.bound(c, 0, 3).unroll(c).vectorize(x, 4)))
add("bound.reordered", lambda hl: bounded(hl, lambda f, x, c: f.reorder(c, x).bound(c, 0, 3).unroll(c)))
add("bound.extent", lambda hl: bounded(hl, lambda f, x, c: f.bound_extent(c, 3).reorder(c, x).unroll(c)))
add("bound.aligned", lambda hl: bounded(hl, lambda f, x, c: f.align_bounds(x, 4).vectorize(x, 4)))
add("bound.aligned_off", lambda hl: bounded(hl, lambda f, x, c: f.align_bounds(x, 4, 3)))
add("bound.aligned_extent", lambda hl: bounded(hl, lambda f, x, c: f.align_extent(x, 4)))
add("bound.storage_order", lambda hl: bounded(hl, lambda f, x, c: f.bound(c, 0, 3).reorder_storage(x, c)))


@case
def bounds_of_a_stage_inside(hl: Any) -> Any:
    x, y, c = variables(hl, "x y c")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y, c] = x * 10 + y + c * 100
    g[x, y, c] = f[x, y, c] + f[x + 1, y, c]
    f.compute_root().bound(c, 0, 3).reorder(c, x, y).unroll(c).reorder_storage(c, x, y)
    g.bound(c, 0, 3)
    return g.realize([7, 4, 3])


@case
def storage_with_room(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 10 + y
    g[x, y] = f[x, y] + f[x + 1, y]
    f.compute_at(g, y).bound_storage(x, 32).align_storage(x, 16)
    return g.realize([9, 4])


def into_buffer(hl: Any, sizes: list[int], how: Callable[[Any, Any], Any]) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * 10 + y
    how(f, x)
    out = hl.Buffer(hl.Int(32), sizes)
    f.realize(out)
    return out


@refusal("Bounds given for f")
def bound_smaller_than_the_output(hl: Any) -> Any:
    return into_buffer(hl, [20, 3], lambda f, x: f.bound(x, 0, 10))


@refusal("accessed at 9")
def bound_larger_than_the_output(hl: Any) -> Any:
    return into_buffer(hl, [5, 3], lambda f, x: f.bound(x, 0, 10))


@refusal("Bounds given for f")
def bound_extent_smaller_than_the_output(hl: Any) -> Any:
    return into_buffer(hl, [20, 3], lambda f, x: f.bound_extent(x, 10))


@refusal("accessed at 7")
def aligned_beyond_the_output(hl: Any) -> Any:
    return into_buffer(hl, [6, 3], lambda f, x: f.align_bounds(x, 4))


@refusal("Bounds given for f in x")
def bound_of_a_stage_that_is_too_small(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 10 + y
    g[x, y] = f[x + 4, y]
    f.compute_root().bound(x, 0, 8)
    return g.realize([8, 4])


@refusal("too small")
def fold_that_is_too_small(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 10 + y
    g[x, y] = f[x, y - 1] + f[x, y + 1]
    f.store_root().compute_at(g, y).fold_storage(y, 2)
    return g.realize([8, 8])


@refusal("g.compute_at(f, nowhere)")
def compute_at_an_unknown_loop(hl: Any) -> Any:
    x, y, nowhere = variables(hl, "x y nowhere")
    f, g = hl.Func("f"), hl.Func("g")
    g[x, y] = x + y
    f[x, y] = g[x, y] + g[x + 1, y]
    g.compute_at(f, nowhere)
    return f.realize([8, 8])


@refusal("store_at")
def store_inside_of_compute(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y]
    f.store_at(g, x).compute_at(g, y)
    return g.realize([8, 8])


@refusal("store_at")
def store_without_compute(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y]
    f.store_at(g, y)
    return g.realize([8, 8])


@refusal("hoist_storage")
def hoist_without_compute(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y]
    f.hoist_storage(g, y)
    return g.realize([8, 8])


@refusal("parallel or vectorized loop")
def stored_outside_a_parallel_loop(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x, y - 1] + f[x, y]
    f.store_root().compute_at(g, y)
    g.parallel(y)
    return g.realize([8, 8])


@refusal("compute_at(h, y)")
def compute_at_a_consumer_among_several(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + y
    g[x, y] = f[x, y]
    h[x, y] = g[x, y] + f[x + 1, y]
    g.compute_at(h, y)
    f.compute_at(g, x)
    return h.realize([8, 8])


@refusal("store_root")
def stored_for_two_consumers_computed_for_one(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + y
    g[x, y] = f[x, y] + f[x, y + 1]
    h[x, y] = g[x, y] + f[x + 1, y]
    g.compute_root()
    f.store_root().compute_at(h, y)
    return h.realize([8, 8])


@refusal("memoize")
def memoized_output(hl: Any) -> Any:
    x, y = variables(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x + y
    f.memoize()
    return f.realize([8, 8])
