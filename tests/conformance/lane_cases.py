"""Vectors: interleaved and strided loads and stores, reductions of lanes, nested vectors, guards, shuffles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add, case, refusal
from tests.conformance.effect_cases import printed
from tests.conformance.scan_cases import signal


@case
def a_choice_by_parity(hl: Any) -> Any:
    found = []
    for count in (1, 2, 3):
        x = hl.Var("x")
        f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
        values = [[x * (k + 2) - 1 for k in range(count)], [x * x + k for k in range(count)]]
        for func, parts in zip((f, g), values, strict=True):
            func[x] = parts[0] if count == 1 else tuple(parts)
            func.compute_root()
        chosen = [
            hl.select(x % 2 == 0, *((e[x / 2] if count == 1 else e[x / 2][k]) * m for e, m in ((f, 1), (g, 17))))
            for k in range(count)
        ]
        h[x] = chosen[0] if count == 1 else tuple(chosen)
        h.vectorize(x, 8)
        found.append(h.realize([16]))
    return found


@case
def a_choice_by_a_remainder_of_three(hl: Any) -> Any:
    x = hl.Var("x")
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = hl.u8(x * 11)
    g[x] = hl.select(x % 3 == 0, f[x / 3], x % 3 == 1, f[x / 3 + 1] * 2, f[2 * (x / 3)])
    f.compute_root()
    g.vectorize(x, 12)
    return g.realize([36])


def colours(hl: Any, stride: int, kind: str, reading: bool) -> Any:
    """Planes into or out of pixels of `stride` values, of which three are used."""
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    pixels = (np.arange(5 * 19 * stride) * 29 % 251).astype(kind).reshape(5, 19, stride)
    f = hl.Func("f")
    together = hl.Buffer(pixels)  # dimensions: c, x, y
    together.transpose(0, 1)
    together.transpose(1, 2)
    together.crop(2, 0, 3)
    if reading:
        image = hl.ImageParam(together.type(), 3, "image")
        image.dim(0).set_stride(stride)
        image.dim(2).set_bounds(0, 3).set_stride(1)
        f[x, y, c] = image[x, y, c] + hl.cast(together.type(), 1)
        image.set(together)
    else:
        f[x, y, c] = hl.cast(together.type(), x * 3 + y * 5 + c)
        f.output_buffer().dim(0).set_stride(stride)
        f.output_buffer().dim(2).set_bounds(0, 3).set_stride(1)
    f.reorder(c, x, y).bound(c, 0, 3).vectorize(x, 8, hl.TailStrategy.GuardWithIf).unroll(c)
    if reading:
        return f.realize([19, 5, 3])
    f.realize(together)
    return pixels


for _stride in (3, 4):
    for _kind in ("uint8", "uint16", "float32"):
        add(f"lanes.pixels_to_planes.{_stride}.{_kind}", lambda hl, s=_stride, k=_kind: colours(hl, s, k, True))
        add(f"lanes.planes_to_pixels.{_stride}.{_kind}", lambda hl, s=_stride, k=_kind: colours(hl, s, k, False))


@case
def loads_at_every_stride(hl: Any) -> Any:
    found = []
    for stride in (-3, -1, 0, 2, 4, 7):
        x = hl.Var("x")
        source, f, g = signal(hl, "int16", 140), hl.Func("f"), hl.Func("g")
        f[x] = source[60 + x * stride] if stride else source[x / 8]
        g[x] = f[x] - source[70 + x * stride + (1 if stride > 0 else -1)]
        g.vectorize(x, 8)
        found.append(g.realize([8]))
    return found


@case
def quotients_in_lanes(hl: Any) -> Any:
    found = []
    for divisor in (2, 3, 8):
        x = hl.Var("x")
        source, f = signal(hl, "uint8", 40), hl.Func("f")
        f[x] = source[x / divisor] + source[(x + 3) / divisor] * 3 + source[x % divisor]
        f.vectorize(x, 16)
        found.append(f.realize([32]))
    return found


@case
def upsampled_twice_in_one_vector(hl: Any) -> Any:
    x = hl.Var("x")
    source, f, g = hl.Func("source"), hl.Func("f"), hl.Func("g")
    source[x] = x * x
    source.compute_root()
    f[x] = source[x / 2 + 1]
    g[x] = f[x / 2 + 1]
    g.bound(x, 0, 32).vectorize(x)
    return g.realize([32])


@case
def a_transposition_of_a_block(hl: Any) -> Any:
    found = []
    for size in (4, 8, 11):
        x, y = hl.Var("x"), hl.Var("y")
        square, turned = hl.Func("square"), hl.Func("turned")
        square[x, y] = hl.u16(5 * x + y * y)
        turned[x, y] = square[y, x]
        square.compute_root().bound(x, 0, size).bound(y, 0, size)
        turned.bound(x, 0, size).bound(y, 0, size).unroll(x).vectorize(y)
        found.append(turned.realize([size, size]))
    return found


@case
def a_flipped_image_of_which_a_part_is_loaded(hl: Any) -> Any:
    x = hl.Var("x")
    source, f = signal(hl, "uint8", 21), hl.Func("f")
    f[x] = source[20 - x]
    f.vectorize(x, 16, hl.TailStrategy.GuardWithIf)
    return f.realize([21])


Reduce = Callable[[Any, Any, Any], Any]

KINDS: dict[str, tuple[str, str, Reduce]] = {
    "sum_of_bytes": ("uint8", "u8", lambda hl, a, b: a + b),
    "wide_sum_of_bytes": ("uint8", "u16", lambda hl, a, b: a + hl.u16(b)),
    "wider_sum_of_bytes": ("int8", "i32", lambda hl, a, b: a + hl.i32(b)),
    "products_of_bytes": ("int8", "i16", lambda hl, a, b: a + hl.i16(b) * hl.i16(b)),
    "products_of_words": ("int16", "i32", lambda hl, a, b: a + hl.i32(b) * hl.i32(b)),
    "product": ("uint32", "u32", lambda hl, a, b: a * (b | hl.u32(1))),
    "least": ("int16", "i16", lambda hl, a, b: hl.min(a, b)),
    "greatest": ("float32", "f32", lambda hl, a, b: hl.max(a, b)),
}


def reduced(name: str, factor: int, rows: bool) -> Callable[[Any], Any]:
    """A reduction of which the lanes of one vector are part, over rows too if `rows`."""
    kind, result, step = KINDS[name]

    def script(hl: Any) -> Any:
        x = hl.Var("x")
        source = signal(hl, kind, 48, 9)
        r = hl.RDom([(0, 48)])
        inner, outer = hl.RVar("inner"), hl.RVar("outer")
        f, g = hl.Func("f"), hl.Func("g")
        f[x] = getattr(hl, result)(3)
        f[x] = step(hl, f[x], source[x, r.x])
        g[x] = f[x]
        update = f.compute_root().update()
        update.split(r.x, outer, inner, factor)
        if rows:
            update.reorder(inner, x, outer).vectorize(x, 8, hl.TailStrategy.GuardWithIf)
        update.atomic().vectorize(inner)
        return g.realize([9])

    return script


for _name in KINDS:
    add(f"lanes.reduced.{_name}", reduced(_name, 8, False))
for _name in ("wide_sum_of_bytes", "products_of_words", "least"):
    add(f"lanes.reduced_in_rows.{_name}", reduced(_name, 4, True))


@case
def a_loop_of_which_all_is_reduced(hl: Any) -> Any:
    x = hl.Var("x")
    source = signal(hl, "int32", 4, 16)
    r = hl.RDom([(0, 16)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x] += source[r.x, x]
    g[x] = f[x] * 2
    f.compute_at(g, x).update().atomic().vectorize(r.x)
    g.unroll(x, 2)
    return g.realize([4])


@case
def fused_rows_of_a_reduction(hl: Any) -> Any:
    found = []
    for first in (True, False):
        x = hl.Var("x")
        source, f = signal(hl, "int32", 3, 8), hl.Func("f")
        r, both = hl.RDom([(0, 3)]), hl.RVar("both")
        f[x] = x
        f[x] = f[x] * 3 + source[x, r.x]
        f.update().fuse(x, r.x, both) if first else f.update().fuse(r.x, x, both).unroll(both, 2)
        found.append(f.realize([8]))
    return found


@case
def loops_fused_around_another(hl: Any) -> Any:
    found = []
    for outer in (False, True):
        x, y, c, t = (hl.Var(n) for n in "xyct")
        f = hl.Func("f")
        f[x, y, c] = hl.print(x + 10 * y + 100 * c)
        f.fuse(*((c, x) if outer else (x, c)), t)
        found += printed(lambda f=f: f.realize([2, 2, 3]))
    return found


@case
def booleans_reduced_in_lanes(hl: Any) -> Any:
    x = hl.Var("x")
    source = signal(hl, "int32", 5, 16)
    r = hl.RDom([(0, 16)])
    some, every = hl.Func("some"), hl.Func("every")
    some[x] = hl.Expr(False)
    some[x] = some[x] | (source[r.x, x] > 97)
    every[x] = hl.Expr(True)
    every[x] = every[x] & (source[r.x, x] > 0)
    for f in (some, every):
        f.compute_root().update().atomic().vectorize(r.x, 8)
    out = hl.Func("out")
    out[x] = hl.select(some[x], 1, 0) + hl.select(every[x], 2, 0)
    return out.realize([5])


@case
def vectors_of_vectors(hl: Any) -> Any:
    x, y, xo, yo, xi, yi = (hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi"))
    source = signal(hl, "uint8", 8, 12)
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = hl.i32(source[x, y]) * 3
    g[x, y] = f[x, y] + f[y % 12, x % 8] - y
    f.compute_root().tile(x, y, xo, yo, xi, yi, 4, 2).vectorize(xi).vectorize(yi)
    g.tile(x, y, xo, yo, xi, yi, 4, 4, hl.TailStrategy.RoundUp).vectorize(yi).vectorize(xi)
    return g.realize([12, 8])


@case
def a_producer_in_a_vector_of_a_vector(hl: Any) -> Any:
    x, y, xi, yi = (hl.Var(n) for n in ("x", "y", "xi", "yi"))
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x * 10 + y
    g[x, y] = f[x, y] * f[x + 1, y]
    g.tile(x, y, xi, yi, 4, 2).vectorize(xi).vectorize(yi)
    f.compute_at(g, x).vectorize(x).unroll(y)
    return g.realize([8, 4])


@case
def a_matrix_product_in_nested_vectors(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    a, b = signal(hl, "int8", 8, 16), signal(hl, "int8", 16, 8)
    r = hl.RDom([(0, 16)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] += hl.i32(a[r.x, y]) * hl.i32(b[x, r.x])
    g[x, y] = f[x, y]
    f.compute_root()
    f.update().reorder(r.x, x, y).atomic().vectorize(r.x, 4).vectorize(x, 4)
    return g.realize([8, 8])


def guarded(border: str) -> Callable[[Any], Any]:
    """A border around values of narrow types, in a vector that a guard cuts."""

    def script(hl: Any) -> Any:
        found = []
        for kind in ("u8", "u32"):
            x = hl.Var("x")
            f, g = hl.Func("f"), hl.Func("g")
            f[x] = getattr(hl, kind)(x * 3)
            f.compute_root()
            edge = getattr(hl.BoundaryConditions, border)
            args = [f, getattr(hl, kind)(17)] if border == "constant_exterior" else [f]
            g[x] = edge(*args, [(5, 30)])[x]
            g.vectorize(x, 32, hl.TailStrategy.GuardWithIf)
            found.append(g.realize([75]))
        return found

    return script


for _border in ("repeat_edge", "repeat_image", "constant_exterior", "mirror_image", "mirror_interior"):
    add(f"lanes.guarded.{_border}", guarded(_border))


def predicated(name: str) -> Callable[[Any], Any]:
    """Loads and stores that only some lanes make."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        source = signal(hl, "int32", 6, 30)
        f, g = hl.Func("f"), hl.Func("g")
        f[x, y] = source[x, y] + y
        f.compute_root()
        r = hl.RDom([(0, 30), (0, 6)])
        g[x, y] = 10
        match name:
            case "sides":
                r.where((r.x < 10) | (r.x > 20))
                g[r.x, r.y] += f[r.x, r.y]
            case "strided":
                r.where(r.x < 2 * r.y + 3)
                g[r.x, r.y] += f[29 - r.x, r.y]
            case "scattered":
                r.where(r.x % 5 != 2)
                g[(r.x * 7) % 30, r.y] = f[r.x, r.y]
            case "broadcast":
                r.where(r.x * r.y < 40)
                g[r.x, r.y] += f[3, r.y]
            case "by_data":
                r.where(f[r.x, r.y] > 50)
                g[r.x, r.y] = f[r.x, r.y]
            case _:
                r.where((r.x > 4) & (r.x < 26))
                g[r.x, r.y] = f[r.x / 2, r.y] + f[r.x, r.y]
        update = g.update()
        if name == "scattered":
            update.allow_race_conditions()
        update.vectorize(r.x, 8)
        return g.realize([30, 6])

    return script


for _name in ("sides", "strided", "scattered", "broadcast", "by_data", "halves"):
    add(f"lanes.predicated.{_name}", predicated(_name))


@case
def comparisons_of_two_widths(hl: Any) -> Any:
    x, y = hl.Var("x"), hl.Var("y")
    wide, thin = signal(hl, "int32", 40), signal(hl, "uint8", 40)
    f = hl.Func("f")
    f[x] = hl.select((wide[x] > 40) & (thin[x] < 60), thin[x], hl.u8(wide[x] >> 2))
    f.vectorize(x, 16)
    pred, chosen = hl.Func("pred"), hl.Func("chosen")
    pred[x, y] = x < y
    chosen[x, y] = hl.select(pred[x, y], 1, 0) + hl.i32(hl.u8(pred[y, x]))
    pred.compute_root().vectorize(x, 8)
    chosen.vectorize(x, 8)
    return f.realize([32]), chosen.realize([16, 7])


@refusal("")
def a_vector_of_a_reduction_that_needs_its_order(hl: Any) -> Any:
    x = hl.Var("x")
    r = hl.RDom([(0, 16)])
    f = hl.Func("f")
    f[x] = 1
    f[x] = f[x] * 2 - r.x
    f.update().atomic().vectorize(r.x, 8)
    return f.realize([3])
