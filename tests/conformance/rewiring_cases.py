"""Funcs put in each other's place: wrappers, clones, common loops, specializations, reductions factored, by turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal
from tests.conformance.scan_cases import signal


def pipeline(hl: Any) -> dict[str, Any]:
    """a is read by b and c, and all by d."""
    x, y = hl.Var("x"), hl.Var("y")
    made: dict[str, Any] = {n: hl.Func(n) for n in "abcd"}
    made.update({n: hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi", "u")})
    made["a"][x, y] = x * 3 + y * y
    made["b"][x, y] = made["a"][x, y] + made["a"][x + 1, y] * 2
    made["c"][x, y] = made["a"][x, y - 1] - 4
    made["d"][x, y] = made["b"][x, y] * made["c"][x, y] + made["a"][x, y + 1]
    return made


Schedule = Callable[[Any, dict[str, Any]], Any]

WRAPPED: dict[str, Schedule] = {
    "all_in_tiles": lambda hl, p: (
        p["a"].compute_root(),
        p["d"].tile(p["x"], p["y"], p["xo"], p["yo"], p["xi"], p["yi"], 4, 4),
        p["a"].in_().compute_at(p["d"], p["xo"]).unroll(p["x"], 2),
    ),
    "one_of_three": lambda hl, p: (
        p["a"].compute_root(), p["b"].compute_root(),
        p["a"].in_(p["b"]).compute_at(p["b"], p["y"]).vectorize(p["x"], 4),
    ),
    "two_of_three": lambda hl, p: (
        p["a"].compute_root(), p["b"].compute_root(), p["c"].compute_root(),
        p["a"].in_([p["b"], p["c"]]).compute_root().reorder_storage(p["y"], p["x"]),
    ),
    "one_and_all": lambda hl, p: (
        p["a"].compute_root(), p["b"].compute_root(),
        p["a"].in_(p["b"]).compute_root().vectorize(p["x"], 8), p["a"].in_().compute_at(p["d"], p["y"]),
    ),
    "a_wrapper_of_a_wrapper": lambda hl, p: (
        p["a"].compute_root(), p["a"].in_(p["d"]).compute_root(),
        p["a"].in_(p["d"]).in_(p["d"]).compute_at(p["d"], p["y"]),
    ),
    "the_output": lambda hl, p: (p["a"].compute_root(), p["d"].in_().compute_at(p["d"].in_(), p["y"])),
    "a_clone_in_tiles": lambda hl, p: (
        p["a"].compute_root(), p["b"].compute_root(),
        p["a"].clone_in(p["b"]).compute_at(p["b"], p["y"]).vectorize(p["x"], 4),
    ),
    "a_clone_of_a_clone": lambda hl, p: (
        p["b"].compute_root(), p["a"].clone_in(p["b"]).compute_root().clone_in(p["b"]).compute_at(p["b"], p["y"]),
    ),
    "a_wrapper_of_a_clone": lambda hl, p: (
        p["b"].compute_root(), p["a"].compute_root(), p["a"].clone_in(p["b"]).compute_root().in_(p["b"]).compute_root(),
    ),
    "b_with_c": lambda hl, p: (
        p["a"].compute_root(), p["b"].compute_root(), p["c"].compute_root().compute_with(p["b"], p["y"]),
    ),
    "c_with_b_in_tiles": lambda hl, p: (
        p["a"].compute_root(),
        p["d"].tile(p["x"], p["y"], p["xo"], p["yo"], p["xi"], p["yi"], 4, 3, hl.TailStrategy.GuardWithIf),
        p["c"].compute_at(p["d"], p["xo"]), p["b"].compute_at(p["d"], p["xo"]).compute_with(p["c"], p["x"]),
    ),
    "a_wrapper_with_another_func": lambda hl, p: (
        p["b"].compute_root(), p["a"].in_(p["c"]).compute_root().compute_with(p["b"], hl.Var.outermost()),
        p["a"].compute_root(),
    ),
    "split_alike_and_together": lambda hl, p: (
        p["a"].compute_root(),
        p["b"].compute_root().split(p["x"], p["xo"], p["xi"], 4).vectorize(p["xi"]),
        p["c"].compute_root().split(p["x"], p["xo"], p["xi"], 4).vectorize(p["xi"]).compute_with(p["b"], p["xo"]),
    ),
}  # fmt: skip


def wired(schedule: Schedule) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        p = pipeline(hl)
        schedule(hl, p)
        out = p["d"].in_() if schedule is WRAPPED["the_output"] else p["d"]
        return out.realize([13, 7])

    return script


for _name, _schedule in WRAPPED.items():
    add(f"rewiring.{_name}", wired(_schedule))


@case
def outputs_in_common_loops(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + y
    g[x, y] = x - y * 2
    h[x, y] = x * y
    g.compute_with(f, y)
    h.compute_with(g, x)
    return hl.Pipeline([f, g, h]).realize([9, 5])


@case
def updates_in_common_loops(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    r = hl.RDom([(0, 5)])
    f, g, out = hl.Func("f"), hl.Func("g"), hl.Func("out")
    f[x, y] = x
    f[x, y] += y * r.x
    g[x, y] = y
    g[x, y] += x - r.x
    out[x, y] = f[x, y] * g[x, y]
    f.compute_root()
    g.compute_root().compute_with(f, y)
    g.update().compute_with(f.update(), r.x)
    return out.realize([6, 5])


@case
def stages_of_different_sizes_together(hl: Any) -> Any:
    found = []
    for align in ("AlignStart", "AlignEnd"):
        x, y = hl.Var("x"), hl.Var("y")
        f, g, out = hl.Func("f"), hl.Func("g"), hl.Func("out")
        f[x, y] = x + y * 3
        g[x, y] = x * y
        out[x, y] = f[x / 2, y + 4] + g[x + 3, y - 1] + g[x, y]
        f.compute_root()
        g.compute_root().compute_with(f, y, getattr(hl.LoopAlignStrategy, align))
        found.append(out.realize([9, 6]))
    return found


def factored(order: str, twice: bool) -> Callable[[Any], Any]:
    """A sum over two dimensions, part of which goes into a Func of its own."""

    def script(hl: Any) -> Any:
        x, u, v = hl.Var("x"), hl.Var("u"), hl.Var("v")
        source = signal(hl, "int32", 7, 12)
        r = hl.RDom([(0, 12), (0, 7)])
        inner, outer = hl.RVar("inner"), hl.RVar("outer")
        f, g = hl.Func("f"), hl.Func("g")
        f[x] = 5
        f[x] += source[r.x, r.y] * (x + 1)
        g[x] = f[x] * 2
        f.compute_root()
        match order:
            case "rows":
                part = f.update().rfactor(r.y, u)
                part.compute_root().update().parallel(u)
            case "columns":
                part = f.update().split(r.x, outer, inner, 4).rfactor(inner, u)
                part.compute_root().vectorize(u, 4).update().vectorize(u, 4)
            case "both":
                part = f.update().rfactor([(r.x, u), (r.y, v)])
                part.compute_at(f, x)
            case _:
                part = f.update().split(r.x, outer, inner, 5).rfactor([(outer, u), (r.y, v)])
                part.compute_root().reorder_storage(v, u, x)
        if twice:
            further = part.update().rfactor(r.x, hl.Var("w"))
            further.compute_root()
        return g.realize([4])

    return script


for _order in ("rows", "columns", "both", "blocks"):
    add(f"rewiring.factored.{_order}", factored(_order, False))
add("rewiring.factored.rows.twice", factored("rows", True))


@case
def the_greatest_of_each_row_factored_with_a_condition(hl: Any) -> Any:
    x, u = hl.Var("x"), hl.Var("u")
    source = signal(hl, "int32", 6, 20)
    r = hl.RDom([(0, 20)])
    inner, outer = hl.RVar("inner"), hl.RVar("outer")
    r.where(source[r.x, 0] % 3 != 1)
    f = hl.Func("f")
    f[x] = -1000
    f[x] = hl.max(f[x], source[r.x, x])
    part = f.update().split(r.x, outer, inner, 6).rfactor(outer, u)
    part.compute_root().vectorize(u, 2)
    return f.realize([6])


@case
def a_tuple_factored(hl: Any) -> Any:
    x, u = hl.Var("x"), hl.Var("u")
    source = signal(hl, "int32", 5, 16)
    r = hl.RDom([(0, 16)])
    inner, outer = hl.RVar("inner"), hl.RVar("outer")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = (0, 100000)
    f[x] = (f[x][0] + source[r.x, x], hl.min(f[x][1], source[r.x, x]))
    g[x] = f[x][0] * 1000 + f[x][1]
    part = f.compute_root().update().split(r.x, outer, inner, 4).rfactor(outer, u)
    part.compute_root()
    return g.realize([5])


def special(value: int, how: Schedule) -> Callable[[Any], Any]:
    """Specialized by conditions on a Param p and on the width of the output."""

    def script(hl: Any) -> Any:
        p = pipeline(hl)
        p["p"] = hl.Param(hl.Int(32), "p", value)
        p["x1"] = hl.Var("x1")
        x, y = p["x"], p["y"]
        p["d"][x, y] += p["p"]
        how(hl, p)
        return [p["d"].realize(list(s)) for s in ((4, 3), (16, 5))]

    return script


SPECIAL: dict[str, Schedule] = {
    "of_a_producer": lambda hl, p: p["a"].compute_root().specialize(p["p"] > 2).vectorize(p["x"], 8),
    "of_an_update": lambda hl, p: (
        p["d"].update().specialize(p["p"] == 3).parallel(p["y"]), p["d"].update().unroll(p["x"], 2),
    ),
    "by_the_width": lambda hl, p: p["d"].specialize(p["d"].output_buffer().width() == 16).vectorize(p["x"], 8),
    "nested": lambda hl, p: p["d"].specialize(p["p"] > 0).specialize(p["p"] > 3).vectorize(p["x"], 4),
    "several": lambda hl, p: (
        p["d"].specialize(p["p"] == 3).vectorize(p["x"], 4), p["d"].specialize(p["p"] == 5).unroll(p["x"], 2),
        p["d"].specialize(p["p"] < 0).parallel(p["y"]),
    ),
    "with_a_producer_in_one": lambda hl, p: (
        p["d"].specialize(p["p"] > 3).split(p["x"], p["xo"], p["xi"], 4).vectorize(p["xi"]),
        p["a"].compute_at(p["d"], p["y"]),
    ),
    "splits_of_different_sizes": lambda hl, p: (
        p["d"].specialize(p["d"].output_buffer().width() >= 8).split(p["x"], p["xo"], p["xi"], 8).vectorize(p["xi"]),
        p["d"].specialize(p["d"].output_buffer().width() >= 4).split(p["x"], p["xo"], p["xi"], 4).unroll(p["xi"]),
    ),
    "of_a_boolean_of_both": lambda hl, p: (
        p["b"].compute_root().specialize((p["p"] > 1) & (p["p"] < 9)).vectorize(p["x"], 4),
        p["c"].compute_root().specialize((p["p"] < 1) | (p["p"] == 5)).unroll(p["x"], 3),
    ),
}  # fmt: skip

for _name, _schedule in SPECIAL.items():
    for _value in (3, 5):
        add(f"rewiring.special.{_name}.{_value}", special(_value, _schedule))


@case
def specialized_until_none_is_left(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    f[x] = image[x]
    image.dim(0).set_stride(hl.Expr())
    f.specialize(image.dim(0).stride() == 1)
    f.specialize(image.dim(0).stride() == 2)
    f.specialize_fail("another stride")
    whole = np.arange(24, dtype=np.int32)
    found = []
    for step in (1, 2):
        image.set(hl.Buffer(whole[::step]))
        found.append(f.realize([8]))
    return found


@refusal("another stride")
def a_stride_without_a_specialization(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    f[x] = image[x]
    image.dim(0).set_stride(hl.Expr())
    f.specialize(image.dim(0).stride() == 1)
    f.specialize_fail("another stride")
    image.set(hl.Buffer(np.arange(24, dtype=np.int32)[::3]))
    return f.realize([8])


IMAGES: dict[str, Schedule] = {
    "of_all": lambda hl, p: p["image"].in_().compute_root().vectorize(hl.Var("_0"), 4),
    "of_one": lambda hl, p: p["image"].in_(p["f"]).compute_at(p["g"], p["y"]),
    "of_two": lambda hl, p: (p["f"].compute_root(), p["image"].in_([p["f"], p["g"]]).compute_root()),
    "of_two_told_apart": lambda hl, p: (
        p["f"].compute_root(), p["image"].in_(p["f"]).compute_at(p["f"], p["y"]),
        p["image"].in_(p["g"]).compute_at(p["g"], p["x"]),
    ),
    "twice_the_same": lambda hl, p: (
        p["image"].in_(p["g"]).compute_root(), p["image"].in_(p["g"]).parallel(hl.Var("_1")),
    ),
    "of_a_wrapper": lambda hl, p: (p["image"].in_().compute_root(), p["image"].in_().in_().compute_at(p["g"], p["y"])),
    "of_one_and_of_the_rest": lambda hl, p: (
        p["f"].compute_root(), p["image"].in_(p["f"]).compute_root(), p["image"].in_().compute_at(p["g"], p["y"]),
    ),
    "transposed": lambda hl, p: p["image"].in_(p["g"]).compute_root().reorder(hl.Var("_1"), hl.Var("_0")),
}  # fmt: skip


def of_an_image(schedule: Schedule) -> Callable[[Any], Any]:
    def script(hl: Any) -> Any:
        p = {n: hl.Var(n) for n in ("x", "y")}
        image = p["image"] = hl.ImageParam(hl.UInt(8), 2, "image")
        p |= {n: hl.Func(n) for n in ("f", "g")}
        x, y = p["x"], p["y"]
        p["f"][x, y] = hl.i32(image[x, y]) * 3 + image[x + 1, y]
        p["g"][x, y] = p["f"][x, y] - p["f"][x, y + 1] + image[x, y]
        schedule(hl, p)
        data = np.arange(14 * 8, dtype=np.uint8).reshape(8, 14)
        image.set(hl.Buffer(data))
        return p["g"].realize([13, 7])

    return script


for _name, _schedule in IMAGES.items():
    add(f"rewiring.an_image_{_name}", of_an_image(_schedule))


@refusal("which does not read it")
def an_image_in_a_func_that_does_not_read_it(hl: Any) -> Any:
    x = hl.Var("x")
    image, f, g = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("f"), hl.Func("g")
    f[x] = image[x]
    g[x] = f[x] + 1
    image.in_(g).compute_root()
    image.set(hl.Buffer(np.zeros(9, dtype=np.uint8)))
    return g.realize([9])


@refusal("another wrapper")
def an_image_in_two_wrappers(hl: Any) -> Any:
    x = hl.Var("x")
    image, f, g = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Func("f"), hl.Func("g")
    f[x] = image[x]
    g[x] = f[x] + image[x]
    image.in_(g)
    return image.in_([f, g])
