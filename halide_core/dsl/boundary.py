"""BoundaryConditions: an image extended past its edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halide_core.dsl.func import Func
from halide_core.dsl.functions import clamp, likely, select
from halide_core.dsl.functions import max as expr_max
from halide_core.errors import HalideError
from halide_core.ir.expr import Expr, make_bool
from halide_core.ir.operators import as_expr

_Pair = tuple[Expr, Expr] | None


def _bounds(name: str, source: Any, bounds: Any) -> tuple[Func, list[_Pair]]:
    """The source as a Func, and (min, extent) of its first dimensions, None for those without bounds."""
    func = source if isinstance(source, Func) else Func(source)
    if bounds is None:
        if source is func:
            raise HalideError(f"{name}: the bounds of Func {func.name()} must be given")
        return func, [(as_expr(d.min()), as_expr(d.extent())) for d in source._dims()]
    if len(bounds) > func.dimensions():
        raise HalideError(
            f"{name} called with more bounds ({len(bounds)}) than dimensions ({func.dimensions()}) Func "
            f"{func.name()} has."
        )
    pairs: list[_Pair] = []
    for d, b in enumerate(bounds):
        low, extent = (b.min, b.extent) if hasattr(b, "extent") else b
        given = [v is not None and not getattr(v, "is_undefined", False) for v in (low, extent)]
        if given[0] != given[1]:
            raise HalideError(f"Partially undefined bounds for dimension {func.args()[d]} of Func {func.name()}")
        pairs.append((as_expr(low), as_expr(extent)) if given[0] else None)
    return func, pairs


def _mapped(name: str, source: Any, bounds: Any, coordinate: Callable[[Expr, Expr, Expr], Expr]) -> Func:
    func, pairs = _bounds(name, source, bounds)
    args = func.args()
    pairs += [None] * (len(args) - len(pairs))
    mapped = [v if p is None else coordinate(v._as_expr(), *p) for v, p in zip(args, pairs, strict=True)]
    f = Func(name)
    f[tuple(args)] = func[tuple(mapped)]
    return f


def _outside(e: Expr, low: Expr, n: Expr) -> Expr:
    return (e < low) | (e >= low + n)


def _within(e: Expr, low: Expr, n: Expr) -> Expr:
    return clamp(likely(e), low, low + n - 1)


def _elsewhere(mapped: Callable[[Expr, Expr, Expr], Expr]) -> Callable[[Expr, Expr, Expr], Expr]:
    """`mapped` where a coordinate is outside only: what lies within is read from where it is, and bounds show it."""
    return lambda e, low, n: select(_outside(e, low, n), mapped(e, low, n), _within(e, low, n))


def repeat_edge(f: Any, bounds: Any = None) -> Func:
    """Past an edge, the nearest element."""
    return _mapped("repeat_edge", f, bounds, _within)


def constant_exterior(f: Any, exterior: Any, bounds: Any = None) -> Func:
    """Past an edge, `exterior`: an Expr, or a Tuple for a Func of several values."""
    func, pairs = _bounds("constant_exterior", f, bounds)
    args = func.args()
    outside: Expr = make_bool(False)
    for v, p in zip(args, pairs, strict=False):
        if p is not None:
            outside = outside | _outside(v._as_expr(), *p)
    inside = repeat_edge(func, [(None, None) if p is None else p for p in pairs])[tuple(args)]
    values = list(exterior) if isinstance(exterior, tuple | list) else [exterior]
    if len(values) != inside.size():
        raise HalideError(f"constant_exterior: {len(values)} values for Func {func.name()}, which has {inside.size()}")
    out = Func("constant_exterior")
    out[tuple(args)] = tuple(select(outside, v, likely(e)) for v, e in zip(values, inside.elements(), strict=True))
    return out


def repeat_image(f: Any, bounds: Any = None) -> Func:
    """Past an edge, the image again."""
    return _mapped("repeat_image", f, bounds, _elsewhere(lambda v, low, n: low + (v - low) % n))


def mirror_image(f: Any, bounds: Any = None) -> Func:
    """Past an edge, the image mirrored, the edge element twice."""

    def coordinate(v: Expr, low: Expr, n: Expr) -> Expr:
        period = (v - low) % (2 * n)
        return clamp(low + select(period >= n, 2 * n - 1 - period, period), low, low + n - 1)

    return _mapped("mirror_image", f, bounds, _elsewhere(coordinate))


def mirror_interior(f: Any, bounds: Any = None) -> Func:
    """Past an edge, the image mirrored about its edge element."""

    def coordinate(v: Expr, low: Expr, n: Expr) -> Expr:
        limit = n - 1
        period = (v - low) % expr_max(2 * limit, 1)
        folded = limit - expr_max(limit - period, period - limit)
        return clamp(low + folded, low, low + limit)

    return _mapped("mirror_interior", f, bounds, _elsewhere(coordinate))
