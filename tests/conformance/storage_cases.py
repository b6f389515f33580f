"""Storage of Funcs: bounded, folded, hoisted, in rings, of several memory types, computed beside their consumers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal
from tests.conformance.effect_cases import printed

Two = Callable[[Any, Any, Any, dict[str, Any]], Any]


def two(hl: Any, window: Callable[[Any, Any, Any], Any], schedule: Two, sizes: list[int]) -> Any:
    """A Func that reads another one through a window."""
    v = {n: hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi", "t")}
    f, g = hl.Func("f"), hl.Func("g")
    f[v["x"], v["y"]] = v["x"] * 7 - v["y"] * v["y"] + 2
    g[v["x"], v["y"]] = window(f, v["x"], v["y"])
    schedule(hl, f, g, v)
    return g.realize(sizes)


WINDOWS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "rows": lambda f, x, y: f[x, y - 1] + 3 * f[x, y] - f[x, y + 2],
    "columns": lambda f, x, y: f[x - 2, y] * 2 + f[x + 1, y],
}
SCHEDULES: dict[str, tuple[str, Two]] = {
    "folded_by_itself": ("rows", lambda hl, f, g, v: f.store_root().compute_at(g, v["y"])),
    "folded_to_eight": ("rows", lambda hl, f, g, v: f.store_root().compute_at(g, v["y"]).fold_storage(v["y"], 8)),
    "folded_forwards": (
        "rows", lambda hl, f, g, v: f.store_root().compute_at(g, v["y"]).fold_storage(v["y"], 5, True),
    ),
    "folded_columns": (
        "columns", lambda hl, f, g, v: f.store_at(g, v["y"]).compute_at(g, v["x"]).fold_storage(v["x"], 4),
    ),
    "folded_under_a_split": (
        "rows", lambda hl, f, g, v: (
            g.split(v["y"], v["yo"], v["yi"], 4, hl.TailStrategy.GuardWithIf),
            f.store_root().compute_at(g, v["yo"]).fold_storage(v["y"], 8),
        ),
    ),
    "folded_and_reordered": (
        "columns", lambda hl, f, g, v: (
            g.reorder(v["y"], v["x"]),
            f.store_root().compute_at(g, v["x"]).fold_storage(v["x"], 4).reorder_storage(v["y"], v["x"]),
        ),
    ),
    "a_ring_of_three": (
        "rows", lambda hl, f, g, v: f.compute_at(g, v["y"]).hoist_storage_root().ring_buffer(3),
    ),
    "a_ring_in_tiles": (
        "rows", lambda hl, f, g, v: (
            g.tile(v["x"], v["y"], v["xo"], v["yo"], v["xi"], v["yi"], 4, 3, hl.TailStrategy.GuardWithIf),
            f.compute_at(g, v["xo"]).hoist_storage(g, v["yo"]).ring_buffer(2),
        ),
    ),
    "asynchronous": ("rows", lambda hl, f, g, v: f.compute_root().async_()),
    "asynchronous_rows": ("rows", lambda hl, f, g, v: f.store_root().compute_at(g, v["y"]).async_()),
    "asynchronous_in_a_ring": (
        "rows", lambda hl, f, g, v: f.compute_at(g, v["y"]).hoist_storage_root().ring_buffer(2).async_(),
    ),
    "asynchronous_and_folded": (
        "rows", lambda hl, f, g, v: f.store_root().compute_at(g, v["y"]).fold_storage(v["y"], 8).async_(),
    ),
    "hoisted_out_of_tiles": (
        "columns", lambda hl, f, g, v: (
            g.tile(v["x"], v["y"], v["xo"], v["yo"], v["xi"], v["yi"], 5, 2, hl.TailStrategy.ShiftInwards),
            f.compute_at(g, v["xo"]).hoist_storage(g, v["yo"]),
        ),
    ),
    "hoisted_out_of_a_parallel_loop": (
        "columns", lambda hl, f, g, v: (
            g.parallel(v["y"]), f.compute_at(g, v["x"]).hoist_storage(g, v["y"]),
        ),
    ),
    "hoisted_beyond_storage": (
        "rows", lambda hl, f, g, v: f.compute_at(g, v["x"]).store_at(g, v["y"]).hoist_storage_root(),
    ),
    "on_the_stack": ("columns", lambda hl, f, g, v: f.compute_at(g, v["y"]).store_in(hl.MemoryType.Stack)),
    "on_the_heap": ("columns", lambda hl, f, g, v: f.compute_at(g, v["x"]).store_in(hl.MemoryType.Heap)),
    "in_registers": (
        "columns", lambda hl, f, g, v: (
            g.vectorize(v["x"], 4),
            f.compute_at(g, v["x"]).unroll(v["x"]).store_in(hl.MemoryType.Register),
        ),
    ),
    "bounded_twice": (
        "columns", lambda hl, f, g, v: f.compute_at(g, v["y"]).bound_storage(v["x"], 24).bound_storage(v["y"], 1),
    ),
    "bounded_and_aligned": (
        "rows", lambda hl, f, g, v: f.compute_root().bound_storage(v["x"], 20).align_storage(v["x"], 8),
    ),
    "padded_rows": (
        "rows", lambda hl, f, g, v: f.compute_root().align_storage(v["x"], 16).vectorize(v["x"], 8),
    ),
}  # fmt: skip

for _name, (_window, _schedule) in SCHEDULES.items():
    add(f"storage.{_name}", lambda hl, w=WINDOWS[_window], s=_schedule: two(hl, w, s, [13, 9]))


@case
def a_bound_of_storage_that_an_image_gives(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = image[x, y] - x
    g[x, y] = f[x, y] * 3
    f.compute_at(g, y).bound_storage(x, image.width())
    image.set(hl.Buffer(np.arange(35, dtype=np.int32).reshape(5, 7)))
    return g.realize([7, 5])


@refusal("explicit allocation bound")
def a_bound_of_storage_that_is_too_small(hl: Any) -> Any:
    return two(hl, WINDOWS["columns"], lambda hl, f, g, v: f.compute_root().bound_storage(v["x"], 8), [13, 2])


@case
def folded_without_storage_outside(hl: Any) -> Any:
    return two(hl, WINDOWS["rows"], lambda hl, f, g, v: f.compute_root().fold_storage(v["y"], 2), [6, 9])


@refusal("hoist_storage")
def hoisted_inside_of_what_is_stored(hl: Any) -> Any:
    def schedule(hl: Any, f: Any, g: Any, v: dict[str, Any]) -> None:
        f.store_root().compute_at(g, v["x"]).hoist_storage(g, v["y"])

    return two(hl, WINDOWS["rows"], schedule, [6, 9])


@refusal("")
def a_ring_without_a_place(hl: Any) -> Any:
    return two(hl, WINDOWS["rows"], lambda hl, f, g, v: f.compute_root().ring_buffer(2), [6, 9])


@refusal("")
def a_storage_order_of_one_variable_twice(hl: Any) -> Any:
    return two(hl, WINDOWS["rows"], lambda hl, f, g, v: f.reorder_storage(v["x"], v["x"]), [6, 9])


@refusal("")
def a_storage_order_of_a_part(hl: Any) -> Any:
    return two(hl, WINDOWS["rows"], lambda hl, f, g, v: f.compute_root().reorder_storage(v["y"]), [6, 9])


@case
def a_cascade_of_windows_slides_as_one(hl: Any) -> Any:
    x = hl.Var("x")
    divisor = hl.Param(hl.Int(32), "divisor", 2)
    stage = hl.Func("s0")
    stage[x] = hl.print(x * x * 64, "s0", x)
    stages = [stage]
    for k in range(1, 7):
        f = hl.Func(f"s{k}")
        f[x] = (stages[-1][x] + stages[-1][x + 1]) / divisor
        stages.append(f)
    for f in stages[:-1]:
        f.store_root().compute_at(stages[-1], x)
    stages[-1].specialize(divisor == 2)
    return printed(lambda: stages[-1].realize([6]))


@case
def a_window_of_several_stages_back(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a, b, c, d = (hl.Func(n) for n in "abcd")
    a[x, y] = x + y * y
    b[x, y] = a[x, y] - a[x, y + 1]
    c[x, y] = b[x, y - 1] + a[x, y - 2]
    d[x, y] = c[x, y] * b[x, y + 1] + a[x, y]
    for f in (a, b, c):
        f.store_root().compute_at(d, y)
    return d.realize([3, 5])


@case
def a_window_under_a_reversed_reduction(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 7)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 3 + y * y
    g[x, y] = 0
    g[x, 6 - r] = f[x, 6 - r] + f[x, 8 - r]
    f.store_root().compute_at(g, r)
    return g.realize([4, 7])


@case
def a_window_along_a_reduction(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(1, 8)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.print(x * 5, "f")
    g[x] = 0
    g[r.x] = g[r.x - 1] + f[r.x] - f[r.x - 1] + f[r.x + 1]
    f.store_root().compute_at(g, r.x)
    return printed(lambda: g.realize([10]))


@case
def two_consumers_of_one_folded_stage(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g, h, out = (hl.Func(n) for n in ("f", "g", "h", "out"))
    f[x, y] = x * 3 + y * y
    g[x, y] = f[x, y - 1] + f[x, y + 1]
    h[x, y] = f[x, y] - f[x, y + 2]
    out[x, y] = g[x, y] * h[x, y]
    g.compute_at(out, y)
    h.compute_at(out, y)
    f.store_root().compute_at(out, y).fold_storage(y, 4)
    return out.realize([7, 8])


@case
def a_stage_guarded_by_a_condition(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    wanted = hl.Param(hl.Bool(), "wanted")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = hl.print(x + y, "f")
    g[x, y] = hl.select(wanted, f[x, y], -1)
    f.compute_root()
    found = []
    for value in (True, False):
        wanted.set(value)
        found += printed(lambda: g.realize([3, 2]))
    return found


@case
def stages_that_only_some_values_of_a_param_need(hl: Any) -> Any:
    found = []
    for rows in (False, True):
        for value in (5, 0, -1):
            x, y, p = hl.Var("x"), hl.Var("y"), hl.Param(hl.Int(32), "p", value)
            f, g, out = hl.Func("f"), hl.Func("g"), hl.Func("out")
            f[x, y] = hl.print(x + y, "f")
            g[x, y] = hl.print(f[x, y] * 2, "g")
            out[x, y] = hl.select(p > 3, g[x, y], x) + hl.select(p < 0, f[x, y], 1)
            f.compute_root()
            if rows:
                g.compute_at(out, y)
            else:
                g.compute_root()
            found += printed(lambda out=out: out.realize([3, 2]))
    return found


@case
def a_place_that_only_some_values_of_a_param_need(hl: Any) -> Any:
    x, p = hl.Var("x"), hl.Param(hl.Bool(), "p", False)
    table = hl.Buffer(np.arange(8, dtype=np.int32))
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.clamp(x * 3, 0, 7)
    g[x] = hl.select(p, table[hl.Expr(f[x])], -1)
    f.compute_root()
    return [g.realize([6]), p.set(True) or g.realize([6])]


@case
def a_chain_of_asynchronous_stages(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    stages = [hl.Func(f"s{k}") for k in range(5)]
    stages[0][x, y] = x - y * 2
    for a, b in pairwise(stages):
        b[x, y] = a[x, y - 1] + a[x + 1, y]
    for f in stages[:-1]:
        f.store_root().compute_at(stages[-1], y).async_()
    return stages[-1].realize([9, 6])


@case
def asynchronous_for_two_consumers(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g, h, out = (hl.Func(n) for n in ("f", "g", "h", "out"))
    f[x, y] = x * y
    g[x, y] = f[x, y] + 1
    h[x, y] = f[x, y + 1] * 2
    out[x, y] = g[x, y] - h[x, y]
    f.compute_root().async_()
    g.compute_root().async_()
    h.compute_root()
    return out.realize([8, 8])


@case
def small_stages_in_parallel_rows(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    n = hl.Param(hl.Int(32), "n", 5)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x + y
    g[x, y] = f[x % n, y] + f[n - 1, y]
    f.compute_at(g, y)
    g.parallel(y)
    return [g.realize([17, 6]), n.set(2) or g.realize([17, 6])]
