"""Extents that only a bound makes constant, reductions inside expressions, what is stored inside vectorized loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.cases import add, refusal


def image(hl: Any, dtype: str, *shape: int) -> Any:
    count = int(np.prod(shape))
    return hl.Buffer((np.arange(count) * 37 % 101).astype(dtype).reshape(shape))


def realized(hl: Any, f: Any, *shape: int) -> Any:
    return f.realize(list(shape), hl.Target("host-strict_float"))


def unrolled_inside(dtype: str, width: int, height: int, factor: int) -> Any:
    def script(hl: Any) -> Any:
        x, y, xo, xi = (hl.Var(n) for n in ("x", "y", "xo", "xi"))
        source = image(hl, dtype, height + 2, width + 4)
        guard = hl.TailStrategy.GuardWithIf
        inner, outer = hl.Func("inner"), hl.Func("outer")
        inner[x, y] = source[x, y] + source[x + 1, y + 1]
        outer[x, y] = inner[x, y] * 2 + inner[x + 3, y]
        outer.split(x, xo, xi, factor, guard)
        inner.compute_at(outer, xo).unroll(x)
        return realized(hl, outer, width, height)

    return script


def accumulated(dtype: str, width: int, height: int) -> Any:
    def script(hl: Any) -> Any:
        x, y, xo, yo, xi, yi = (hl.Var(n) for n in ("x", "y", "xo", "yo", "xi", "yi"))
        a, b = image(hl, dtype, height, 11), image(hl, dtype, 11, width)
        guard = hl.TailStrategy.GuardWithIf
        k = hl.RDom([(0, 11)], "k")
        product, result = hl.Func("product"), hl.Func("result")
        product[x, y] += a[k.x, y] * b[x, k.x]
        result[x, y] = product[x, y]
        result.tile(x, y, xo, yo, xi, yi, 16, 3, guard).vectorize(xi, 8, guard).unroll(xi).unroll(yi).parallel(yo)
        product.compute_at(result, xo).vectorize(x, 8, guard).unroll(x).unroll(y)
        product.update().reorder(x, y, k.x).vectorize(x, 8, guard).unroll(x).unroll(y)
        return realized(hl, result, width, height)

    return script


def reduced(kind: str, dtype: str, width: int, vector: int) -> Any:
    """A reduction inside an expression, run for every pixel; its source may be computed in the loops around it."""

    def script(hl: Any) -> Any:
        x, y = hl.Var("x"), hl.Var("y")
        source = image(hl, dtype, 9, width + 6)
        guard = hl.TailStrategy.GuardWithIf
        d = hl.RDom([(-2, 5)], "d")
        if kind == "where":
            d.where(d.x != 1)
        shifted, f = hl.Func("shifted"), hl.Func("f")
        shifted[x, y] = source[x + 2, y] + source[x + 3, y]
        taken = shifted[x + d.x, y]
        if kind in ("argmin", "argmax"):
            found = getattr(hl, kind)(taken)
            f[x, y] = hl.i32(found[0]) * 1000 + hl.i32(found[1])
        elif kind == "table":
            # Which element is read depends on what was reduced.
            f[x, y] = source[hl.clamp(hl.i32(hl.maximum(taken)), 0, width - 1), y]
        else:
            f[x, y] = getattr(hl, "sum" if kind == "where" else kind)(taken) + 1
        shifted.compute_at(f, y)
        if vector:
            f.vectorize(x, vector, guard)
        return realized(hl, f, width, 9)

    return script


def stored_in_lanes(width: int, extent: int) -> Any:
    """A Func of several elements for every lane, with a condition on the lane in its update."""

    def script(hl: Any) -> Any:
        x, k = hl.Var("x"), hl.Var("k")
        source = image(hl, "int32", width + extent)
        guard = hl.TailStrategy.GuardWithIf
        r = hl.RDom([(1, extent - 1)], "r")
        r.where(source[r.x] % 3 != 0)
        scan, f = hl.Func("scan"), hl.Func("f")
        scan[x, k] = source[x + k]
        scan[x, r.x] = scan[x, r.x - 1] * 3 + scan[x, r.x]
        f[x] = scan[x, extent - 1] - scan[x, source[x] % extent]
        scan.compute_at(f, x)
        f.vectorize(x, 8, guard)
        return realized(hl, f, width)

    return script


def decided_in_lanes(width: int) -> Any:
    """What is stored for each lane decides what it reads, and whether it is written."""

    def script(hl: Any) -> Any:
        x = hl.Var("x")
        source, table = image(hl, "int32", width + 4), image(hl, "int16", 101)
        guard = hl.TailStrategy.GuardWithIf
        r = hl.RDom([(0, 4)], "r")
        first, last, f = hl.Func("first"), hl.Func("last"), hl.Func("f")
        first[x] = 0
        first[x] += source[x + r.x]
        q = hl.RDom([(0, 3)], "q")
        q.where(first[x] % 2 == 0)
        last[x] = hl.i32(table[hl.clamp(first[x], 0, 100)])
        last[x] += q.x + table[hl.clamp(first[x] % 7 + q.x, 0, 100)]
        f[x] = last[x] + table[hl.clamp(last[x], 0, 100)]
        first.compute_at(f, x)
        last.compute_at(f, x)
        f.vectorize(x, 8, guard)
        return realized(hl, f, width)

    return script


for _dtype in ("uint8", "int16", "int32", "float32"):
    for _size in ((1, 1), (5, 2), (23, 3)):
        for _factor in (1, 4, 7):
            _name = f"extent_cases.unrolled.{_dtype}.{_size[0]}x{_size[1]}.{_factor}"
            add(_name, unrolled_inside(_dtype, *_size, _factor))
for _dtype in ("uint16", "float32"):
    for _size in ((1, 1), (16, 3), (33, 7), (48, 6)):
        add(f"extent_cases.accumulated.{_dtype}.{_size[0]}x{_size[1]}", accumulated(_dtype, *_size))
for _kind in ("sum", "product", "minimum", "maximum", "argmin", "argmax", "where", "table"):
    for _dtype, _vector in (("uint8", 0), ("uint8", 16), ("int32", 8), ("float32", 8)):
        add(f"extent_cases.{_kind}.{_dtype}.{_vector}", reduced(_kind, _dtype, 29, _vector))
for _size in ((8, 2), (13, 3), (30, 5)):
    add(f"extent_cases.lanes.{_size[0]}.{_size[1]}", stored_in_lanes(*_size))
for _width in (8, 13, 40):
    add(f"extent_cases.decided.{_width}", decided_in_lanes(_width))


@refusal("no constant extent")
def unrolled_without_bound(hl: Any) -> Any:
    x = hl.Var("x")
    f = hl.Func("f")
    f[x] = x
    f.unroll(x)
    return realized(hl, f, 7)
