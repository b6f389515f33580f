"""Tails that run beyond their range (RoundUp): what of an image is asked for, and that values are as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.conformance.cases import add
from tests.conformance.inferred_cases import asked

Schedule = Callable[[Any, Any, Any, Any, Any], None]
WIDTH, HEIGHT = 83, 29


def chain(hl: Any, schedule: Schedule) -> Any:
    """Three stages, the first of an image of exactly the size that is asked for: their values, and that size."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    first, second, out = hl.Func("first"), hl.Func("second"), hl.Func("out")
    first[x, y] = image[x, y] * 3 + 1
    second[x, y] = first[x - 1, y] + first[x + 2, y - 1] * 5
    out[x, y] = second[x, y - 2] - second[x + 1, y + 1]
    schedule(hl, first, second, out, (x, y))
    return values(hl, out, image)


def values(hl: Any, out: Any, image: Any) -> Any:
    boxes = asked(hl, out, image, [5, 3], [WIDTH, HEIGHT])
    (left, width), (top, height) = boxes
    pixels = hl.Buffer((np.arange(width * height).reshape(height, width) * 7 % 101).astype(np.int32))
    pixels.set_min([int(left), int(top)])
    image.set(pixels)
    result = hl.Buffer(hl.Int(32), [WIDTH, HEIGHT])
    result.set_min([5, 3])
    out.realize(result)
    return np.concatenate([boxes.ravel(), np.array(result).ravel()])


def vectors(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    first.compute_root()
    second.compute_root().vectorize(at[0], 8, hl.TailStrategy.RoundUp)


def vectors_of_the_image(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    first.compute_root().vectorize(at[0], 8, hl.TailStrategy.RoundUp)
    second.compute_root()


def all_in_vectors(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    first.compute_root().vectorize(at[0], 16)
    second.compute_root().vectorize(at[0], 16, hl.TailStrategy.RoundUp)


def tiles(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    xo, yo, xi, yi = (hl.Var(n) for n in ("xo", "yo", "xi", "yi"))
    first.compute_root()
    second.compute_root().tile(*at, xo, yo, xi, yi, 32, 8, hl.TailStrategy.RoundUp).vectorize(xi, 8)


def inside_of_rows(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    yo, yi = hl.Var("yo"), hl.Var("yi")
    second.compute_root().split(at[1], yo, yi, 8, hl.TailStrategy.RoundUp)
    first.compute_at(second, yo).vectorize(at[0], 4)


def inside_of_tiles(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    xo, yo, xi, yi = (hl.Var(n) for n in ("xo", "yo", "xi", "yi"))
    second.compute_root().tile(*at, xo, yo, xi, yi, 32, 8, hl.TailStrategy.RoundUp)
    first.compute_at(second, xo).vectorize(at[0], 4)


def shifted_below(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    first.compute_root()
    second.compute_root().vectorize(at[0], 16, hl.TailStrategy.RoundUp)
    second.split(at[1], hl.Var("yo"), hl.Var("yi"), 4, hl.TailStrategy.ShiftInwards)


def split_twice(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    xo, xi, xv = hl.Var("xo"), hl.Var("xi"), hl.Var("xv")
    first.compute_root()
    second.compute_root().split(at[0], xo, xi, 24, hl.TailStrategy.RoundUp)
    second.split(xi, xi, xv, 8, hl.TailStrategy.RoundUp).vectorize(xv)


def sliding(hl: Any, first: Any, second: Any, out: Any, at: Any) -> None:
    second.store_root().compute_at(out, at[1]).vectorize(at[0], 8, hl.TailStrategy.RoundUp)
    first.compute_root()


def fused(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    xo, yo, xi, yi, t = (hl.Var(n) for n in ("xo", "yo", "xi", "yi", "t"))
    first.compute_root()
    second.compute_root().tile(*at, xo, yo, xi, yi, 16, 8, hl.TailStrategy.RoundUp).fuse(xo, yo, t).parallel(t)


def in_vectors_of_parts(hl: Any, first: Any, second: Any, _out: Any, at: Any) -> None:
    first.compute_root().vectorize(at[0], 4, hl.TailStrategy.GuardWithIf)
    second.compute_root().vectorize(at[0], 8, hl.TailStrategy.RoundUp).unroll(at[1], 2, hl.TailStrategy.RoundUp)


for _schedule in (
    vectors, vectors_of_the_image, all_in_vectors, tiles, inside_of_rows, inside_of_tiles, shifted_below, split_twice,
    sliding, fused, in_vectors_of_parts,
):
    add(f"rounded.{_schedule.__name__}", lambda hl, s=_schedule: chain(hl, s))


def updates(hl: Any) -> Any:
    """A scan down the columns, in vectors that run beyond, of what is computed before."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    first, scan, out = hl.Func("first"), hl.Func("scan"), hl.Func("out")
    first[x, y] = image[x, y] + 1
    scan[x, y] = first[x, y]
    r = hl.RDom([(4, HEIGHT - 2)])
    scan[x, r] = scan[x, r - 1] + first[x, r]
    out[x, y] = scan[x, y] + scan[x + 3, y]
    first.compute_root()
    scan.compute_root()
    scan.update().vectorize(x, 16, hl.TailStrategy.RoundUp)
    return values(hl, out, image)


def places(hl: Any) -> Any:
    """Coordinates that a stage computes: they are some wherever a tail reads them."""
    x, y = hl.Var("x"), hl.Var("y")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    where, moved, out = hl.Func("where"), hl.Func("moved"), hl.Func("out")
    where[x, y] = hl.clamp((x * 7 + y * 3) % 50, 0, 49)
    moved[x, y] = image[where[x, y], y]
    out[x, y] = moved[x, y] - moved[x + 1, y]
    where.compute_root()
    moved.compute_root().vectorize(x, 16, hl.TailStrategy.RoundUp)
    return values(hl, out, image)


add("rounded.updates", updates)
add("rounded.places", places)
