"""BoundaryConditions: an image extended past its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.dsl.func import Func, FuncRef
from halide_core.dsl.functions import clamp, likely, select
from halide_core.dsl.functions import max as expr_max
from halide_core.dsl.functions import min as expr_min
from halide_core.dsl.variables import Var
from halide_core.errors import HalideError
from halide_core.ir.expr import Expr
from halide_core.ir.operators import as_expr, cast_to


def _bounds(source: Any, bounds: Any) -> list[tuple[Expr, Expr]]:
    if bounds is not None:
        return [
            (
                as_expr(getattr(b, "min", None) if hasattr(b, "min") else b[0]),
                as_expr(getattr(b, "extent", None) if hasattr(b, "extent") else b[1]),
            )
            for b in bounds
        ]
    if isinstance(source, Func):
        raise HalideError(f"The bounds of Func {source.name()} must be given to its boundary condition")
    return [(as_expr(d.min()), as_expr(d.extent())) for d in source._dims()]


def _read(source: Any, coordinates: list[Any]) -> Expr:
    value = source(*coordinates)
    return value._as_expr() if isinstance(value, FuncRef) else as_expr(value)


def _mapped(name: str, source: Any, bounds: Any, coordinate: Callable[[Expr, Expr, Expr], Expr]) -> Func:
    pairs = _bounds(source, bounds)
    count = source.dimensions()
    args = [Var(f"_{i}") for i in range(count)]
    mapped: list[Any] = [coordinate(args[i]._as_expr(), *pairs[i]) if i < len(pairs) else args[i] for i in range(count)]
    f = Func(f"{name}${source.name()}")
    f[tuple(args)] = _read(source, mapped)
    return f


def repeat_edge(source: Any, bounds: Any = None) -> Func:
    """Past an edge, the nearest element."""
    return _mapped("repeat_edge", source, bounds, lambda v, low, n: clamp(likely(v), low, low + n - 1))


def constant_exterior(source: Any, value: Any, bounds: Any = None) -> Func:
    """Past an edge, `value`."""
    pairs = _bounds(source, bounds)
    count = source.dimensions()
    args = [Var(f"_{i}") for i in range(count)]
    outside: Any = None
    for v, (low, n) in zip(args, pairs, strict=False):
        test = (v < low) | (v >= low + n)
        outside = test if outside is None else outside | test
    inside = _read(repeat_edge(source, bounds), list(args))
    f = Func(f"constant_exterior${source.name()}")
    f[tuple(args)] = select(outside, cast_to(inside.type, as_expr(value, inside.type)), inside)
    return f


def repeat_image(source: Any, bounds: Any = None) -> Func:
    """Past an edge, the image again."""
    return _mapped("repeat_image", source, bounds, lambda v, low, n: low + (v - low) % n)


def mirror_image(source: Any, bounds: Any = None) -> Func:
    """Past an edge, the image mirrored, the edge element twice."""

    def coordinate(v: Expr, low: Expr, n: Expr) -> Expr:
        period = (v - low) % (2 * n)
        return clamp(low + select(period >= n, 2 * n - 1 - period, period), low, low + n - 1)

    return _mapped("mirror_image", source, bounds, coordinate)


def mirror_interior(source: Any, bounds: Any = None) -> Func:
    """Past an edge, the image mirrored about its edge element."""

    def coordinate(v: Expr, low: Expr, n: Expr) -> Expr:
        limit = n - 1
        period = (v - low) % expr_max(2 * limit, 1)
        folded = limit - expr_max(limit - period, period - limit)
        return clamp(low + folded, low, expr_min(low + limit, low + limit))

    return _mapped("mirror_interior", source, bounds, coordinate)
