"""Which part of an image is asked for, by coordinates of every kind, and checks of images that are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal

Coordinate = Callable[[Any, Any], Any]


def box(buffer: Any) -> list[tuple[int, int]]:
    """Where each dimension begins, and how long it is."""
    return [(buffer.dim(i).min(), buffer.dim(i).extent()) for i in range(buffer.dimensions())]


def asked(hl: Any, f: Any, image: Any, start: list[int], sizes: list[int]) -> Any:
    """The box of `image` that a result of these bounds needs."""
    out = hl.Buffer.make_bounds_query(type=f.type(), sizes=sizes)
    out.set_min(start)
    image.reset()
    f.infer_input_bounds(out)
    return np.array(box(image.get()))


def needed(coordinate: Coordinate, start: int = -700, size: int = 1900) -> Callable[[Any], Any]:
    """What of a row is read at a coordinate of `x`."""

    def script(hl: Any) -> Any:
        x = hl.Var("x")
        image = hl.ImageParam(hl.Int(32), 1, "image")
        f = hl.Func("f")
        f[x] = image[coordinate(hl, x)]
        return asked(hl, f, image, [start], [size])

    return script


COORDINATES: dict[str, Coordinate] = {
    "abs_of_bytes": lambda hl, x: hl.i32(hl.abs(hl.i8(x))),
    "abs_of_words": lambda hl, x: hl.i32(hl.abs(hl.i16(x))),
    "abs_of_floats": lambda hl, x: hl.i32(hl.abs(hl.f32(x))),
    "reflected": lambda hl, x: 60 - hl.i32(hl.abs(60 - (x % 120))),
    "reciprocal": lambda hl, x: hl.i32(hl.clamp(hl.abs(hl.f32(2) / (hl.f32(x) + hl.f32(0.25))), 0, 30)),
    "unsigned_bytes": lambda hl, x: hl.i32(hl.u8(x)),
    "signed_bytes": lambda hl, x: hl.i32(hl.i8(x)),
    "unsigned_words": lambda hl, x: hl.i32(hl.u16(x)),
    "halves": lambda hl, x: x / 2,
    "negative_halves": lambda hl, x: x / -2,
    "products": lambda hl, x: (x / 100) * (x / 200),
    "squares": lambda hl, x: (x / 64) * (x / 64),
    "remainders": lambda hl, x: x % 37,
    "shifts_right": lambda hl, x: x >> 3,
    "shifts_left": lambda hl, x: (x >> 4) << 2,
    "masked": lambda hl, x: x & 31,
    "chosen": lambda hl, x: hl.select(x < 40, x + 3, 90 - x),
    "least": lambda hl, x: hl.min(x * 3, 200),
    "clamped": lambda hl, x: hl.clamp(x * 5 - 3, -11, 77),
    "rounded": lambda hl, x: hl.i32(hl.round(hl.f32(x) * hl.f32(0.25))),
    "ceilings": lambda hl, x: hl.i32(hl.ceil(hl.f32(0.5) * hl.floor(hl.f32(x) * hl.f32(1.5)))),
    "saturated": lambda hl, x: hl.i32(hl.u8_sat(x)),
    "saturated_words": lambda hl, x: hl.i32(hl.i16_sat(x * 100)),
    "differences": lambda hl, x: hl.i32(hl.absd(hl.u8(x), hl.u8(7))),
    "set_bits": lambda hl, x: hl.i32(hl.popcount(hl.u8(x))),
    "leading_zeros": lambda hl, x: hl.i32(hl.count_leading_zeros(hl.u16(x))),
    "one_of_three": lambda hl, x: hl.mux(x, [x / 4, 9, 300]),
    "booleans": lambda hl, x: hl.i32(x > 5),
    "halving": lambda hl, x: hl.i32(hl.halving_add(hl.u8(x), hl.u8(9))),
    "widening": lambda hl, x: hl.i32(hl.widening_mul(hl.i8(x), hl.i8(3))),
    "two_clamps": lambda hl, x: hl.clamp(x, 0, 20) + hl.clamp(x, 10, 50),
}

for _name, _coordinate in COORDINATES.items():
    add(f"inferred.{_name}", needed(_coordinate))


@case
def through_a_func_of_clamped_values(hl: Any) -> Any:
    x = hl.Var("x")
    image, last = hl.ImageParam(hl.Float(32), 1, "image"), hl.Param(hl.Int(32), "last", 23)
    found = []
    for limit in (31, last):
        f, g = hl.Func("f"), hl.Func("g")
        f[x] = hl.clamp(x, 4, limit)
        f.compute_root()
        g[x] = image[hl.Expr(f[x])]
        found.append(asked(hl, g, image, [0], [500]))
    return found


@case
def through_a_func_of_itself(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.UInt(8), 1, "image")
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x] = hl.min(x, 60)
    g[x] = hl.max(f[x] - 7, -2)
    f.compute_root()
    g.compute_root()
    h[x] = image[hl.Expr(g[hl.Expr(g[hl.Expr(g[x])])])]
    return asked(hl, h, image, [0], [400])


@case
def through_sums_and_differences_of_a_tuple(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.UInt(8), 1, "image")
    last = hl.Func("f0")
    last[x] = (hl.clamp(x, 0, 3), hl.clamp(x, 2, 4))
    last.compute_root()
    for k in range(1, 6):
        f = hl.Func(f"f{k}")
        f[x] = (last[x][0] + last[x][1], last[x][1] - last[x][0])
        f.compute_root()
        last = f
    h = hl.Func("h")
    h[x] = image[last[x][0] + last[x][1]]
    return asked(hl, h, image, [0], [100])


@case
def through_an_update_with_a_domain(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    r = hl.RDom([(-3, 7), (1, 4)])
    f = hl.Func("f")
    f[x, y] = 0
    f[x, y] += image[2 * x + r.x, y - r.y]
    return asked(hl, f, image, [5, -2], [10, 6])


@case
def through_a_domain_with_a_triangle(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    r = hl.RDom([(0, 12), (0, 12)])
    r.where(r.x + r.y < 5)
    f = hl.Func("f")
    f[x] = 0
    f[x] += image[x + r.x, r.y]
    return asked(hl, f, image, [3], [4])


@case
def by_the_extent_of_a_domain_that_a_param_gives(hl: Any) -> Any:
    x = hl.Var("x")
    image, n = hl.ImageParam(hl.Int(32), 1, "image"), hl.Param(hl.Int(32), "n", 6)
    r = hl.RDom([(-n, 2 * n + 1)])
    f = hl.Func("f")
    f[x] = hl.sum(image[x + r.x])
    return [asked(hl, f, image, [10], [20]), n.set(2) or asked(hl, f, image, [10], [20])]


@case
def a_fresnel_of_five_stages(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.UInt(16), 2, "image")
    stage = image
    for k in range(5):
        f = hl.Func(f"s{k}")
        f[x, y] = stage[x - k, y] + stage[x, y + 2 * k - 3]
        if k % 2:
            f.compute_root()
        stage = f
    return asked(hl, stage, image, [2, 3], [9, 5])


@case
def in_strips_of_a_given_output(hl: Any) -> Any:
    x, y, yo = hl.Var("x"), hl.Var("y"), hl.Var("yo")
    image = hl.ImageParam(hl.UInt(8), 2, "image")
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = image[x, y]
    g[x, y] = f[x, y] + f[x + 1, y + 1]
    f.compute_at(g, y)
    g.split(y, yo, y, 8, hl.TailStrategy.GuardWithIf)
    g.output_buffer().dim(0).set_bounds(0, 13)
    g.output_buffer().dim(1).set_bounds(0, 21)
    image.set(hl.Buffer((np.arange(22 * 14) % 256).astype(np.uint8).reshape(22, 14)))
    return g.realize([13, 21])


@case
def a_product_of_a_param_is_no_overflow(hl: Any) -> Any:
    found = []
    for kind in (hl.Int(32), hl.Int(16)):
        x = hl.Var("x")
        image, bound = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Param(kind, "bound")
        bound.set(4)
        f = hl.Func("f")
        f[x] = image[hl.i32(hl.clamp(hl.cast(kind, x), 0, bound * 2 - 1))]
        image.set(hl.Buffer(np.arange(8, dtype=np.uint8)))
        found.append(f.realize([20]))
    return found


@case
def a_query_and_then_its_answer(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    source, f = hl.Func("source"), hl.Func("f")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    source[x, y] = x * 5 - y
    f[x, y] = image[x - 1, y - 2] + image[x + 3, y]
    f.infer_input_bounds([11, 6])
    given = image.get()
    source.realize(given)
    return [np.array(box(given)), f.realize([11, 6])]


@case
def an_output_that_makes_itself_larger(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Float(32), 2, "image")
    f = hl.Func("f")
    f[x, y] = image[x + 2, y] + image[x, y - 1]
    f[x, y] *= 2
    f.update().vectorize(x, 8)
    out = f.output_buffer()
    image.dim(0).set_bounds(image.dim(1).min() - 6, image.dim(1).extent() + out.dim(0).extent())
    out.dim(0).set_bounds(0, hl.select(out.dim(0).extent() < 12, out.dim(0).extent() + 2, out.dim(0).extent()))
    query = hl.Buffer.make_bounds_query(type=hl.Float(32), sizes=[3, 4])
    query.set_min([1, 5])
    f.infer_input_bounds(query)
    return [np.array(box(query)), np.array(box(image.get()))]


@case
def where_an_image_begins_and_ends(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    f[x] = x * hl.select(x < image.left(), -2, x > image.right(), 7, 1)
    given = hl.Buffer(np.zeros(4, np.int32))
    given.set_min([3])
    image.set(given)
    out = hl.Buffer(hl.Int(32), [9])
    out.set_min([1])
    f.realize(out)
    return out


@case
def a_domain_as_long_as_a_value_of_an_image(hl: Any) -> Any:
    x = hl.Var("x")
    image, lengths = hl.ImageParam(hl.UInt(8), 1, "image"), hl.Buffer(np.array([2, 9, 5, 250], np.uint8))
    which = hl.Param(hl.Int(32), "which", 2)
    r = hl.RDom([(0, hl.i32(hl.clamp(lengths[hl.Expr(which)], 0, 30)))])
    f = hl.Func("f")
    f[x] = x + image.width()
    f[r.x] = 41
    image.set(hl.Buffer(np.zeros(11, np.uint8)))
    return [f.realize([32]), which.set(3) or f.realize([32])]


@case
def a_domain_bounded_by_a_maximum_of_params(hl: Any) -> Any:
    x = hl.Var("x")
    a, b = hl.Param(hl.Int(32), "a", 3), hl.Param(hl.Int(32), "b", 8)
    r = hl.RDom([(hl.min(a, b), hl.max(a, b) - hl.min(a, b) + 1)])
    f = hl.Func("f")
    f[x] = hl.product(hl.i32(r.x)) + x
    return [f.realize([2]), b.set(1) or f.realize([2])]


@refusal("is accessed at 14")
def an_image_a_column_too_narrow(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = image[x] + image[x + 5]
    f.compute_root().vectorize(x, 4, hl.TailStrategy.GuardWithIf)
    g[x] = f[x]
    image.set(hl.Buffer(np.zeros(14, np.int32)))
    return g.realize([10])


@refusal("is accessed at -1")
def an_image_that_begins_too_late(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    f[x] = image[hl.clamp(x * x, 3, 5) - 4 + 0 * x]
    image.set(hl.Buffer(np.zeros(14, np.int32)))
    return f.realize([10])


@case
def a_condition_that_spares_the_border(hl: Any) -> Any:
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    f[x] = hl.select(hl.likely(x > 2), image[hl.max(x - 3, 0)], -1)
    image.set(hl.Buffer(np.arange(5, dtype=np.int32)))
    return f.realize([8])


@case
def of_a_choice_by_constants(hl: Any) -> Any:
    """What is never chosen is not asked for."""
    x = hl.Var("x")
    image = hl.ImageParam(hl.Int(32), 1, "image")
    f = hl.Func("f")
    pattern = hl.u16(3)
    f[x] = hl.select(pattern == hl.u16(1), image[x], pattern == hl.u16(3), image[x + 5], image[x + 9])
    return asked(hl, f, image, [2], [11])
