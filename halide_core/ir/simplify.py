"""Algebraic simplification.

`simplify` holds under the documented wrapping meaning of every node.  `simplify_index` additionally assumes, as
Halide does, that int32 and int64 arithmetic on coordinates and bounds does not overflow; use it for those only."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const_value, make_bool, with_children
from halide_core.ir.identities import Bounds, apply_identities
from halide_core.ir.ranges import upper_bound
from halide_core.ir.structural import cached, contains, expression_cache, key, transform
from halide_core.ir.sums import (
    build_sum,
    depends_on_data,
    difference,
    is_coordinate,
    is_index,
    linear_terms,
    widened,
    widens_index,
)


def simplify(e: Expr, bounds: Bounds | None = None) -> Expr:
    """An equal expression, constants folded and identities applied; `bounds` are those of int variables."""
    if bounds:
        return transform(e, lambda n: apply_identities(n, bounds))
    return _itself(e, cached(_FOLDED, e, lambda n, inner: apply_identities(with_children(n, tuple(inner)), {})))


_FOLDED: dict[int, Expr] = expression_cache()


def simplify_with_indices(e: Expr) -> Expr:
    """`simplify`, with `simplify_index` inside the indices of loads."""

    def rewrite(n: Expr, inner: list[Expr]) -> Expr:
        n = with_children(n, tuple(inner))
        if isinstance(n, ir.Load):
            return with_children(n, (simplify_index(n.index), *ir.children(n)[1:]))
        return apply_identities(n, {})

    return _itself(e, cached(_WITH_INDICES, e, rewrite))


def _itself(e: Expr, found: Expr) -> Expr:
    """What was found for an expression equal to `e`, which is `e` where nothing was changed."""
    return e if key(e) == key(found) else found


_WITH_INDICES: dict[int, Expr] = expression_cache()


def simplify_index(e: Expr, bounds: Bounds | None = None) -> Expr:
    """An expression equal to `e` wherever signed arithmetic of 32 bits and more does not overflow in either.

    Sums are brought to a canonical order with like terms collected.  int32 arithmetic on loaded values keeps its
    wrapping meaning."""

    if bounds:
        return transform(e, lambda n: _index_node(n, bounds))
    known = _SIMPLIFIED.get(key(e))
    return known if known is not None else cached(_SIMPLIFIED, e, _without_bounds)


_SIMPLIFIED: dict[int, Expr] = expression_cache()


def _without_bounds(e: Expr, inner: list[Expr]) -> Expr:
    return _index_node(with_children(e, tuple(inner)), {})


def _index_node(n: Expr, bounds: Bounds) -> Expr:
    n = apply_identities(n, bounds)
    if widens_index(n):
        n = widened(n)
    if _computes_with_data(n):
        return n
    if is_index(n) and isinstance(n, ir.Add | ir.Sub | ir.Mul):
        return _rebuild_sum(n)
    if is_index(n) and isinstance(n, ir.Min | ir.Max):
        return _min_max_by_difference(n, bounds)
    if isinstance(n, ir.Div | ir.Mod) and is_index(n):
        return _divide_sum(n)
    if isinstance(n, ir.LT | ir.LE | ir.GT | ir.GE | ir.EQ | ir.NE) and is_index(n.a):
        return _compare_by_difference(n, bounds)
    return n


def _computes_with_data(e: Expr) -> bool:
    """Whether `e` is an operation of 32 bits on something other than coordinates: it may wrap."""
    parts = ir.children(e)
    if not parts or all(c.type.bits > 32 for c in parts):
        return False
    return depends_on_data(e)


def _rebuild_sum(e: Expr) -> Expr:
    terms, constant = linear_terms(e)
    return build_sum(terms, constant, e.type)


def _min_max_by_difference(e: Expr, bounds: Bounds) -> Expr:
    if not isinstance(e, ir.Min | ir.Max):
        return e
    d = difference(e.a, e.b)
    if d is None and is_coordinate(e):
        if _is_at_most(e.a, e.b, 0, bounds):
            d = -1
        elif _is_at_most(e.b, e.a, 0, bounds):
            d = 1
    if d is None:
        return _nested_min_max(e)
    return e.a if (d <= 0) == isinstance(e, ir.Min) else e.b


def _nested_min_max(e: ir.Min | ir.Max) -> Expr:
    """Min(Min(x, p), q) where q - p or q - x is constant keeps the smaller of the two."""
    for outer, nested in ((e.b, e.a), (e.a, e.b)):
        if not isinstance(nested, type(e)):
            continue
        assert isinstance(nested, ir._Binary)
        for kept, rival in ((nested.a, nested.b), (nested.b, nested.a)):
            d = difference(outer, rival)
            if d is not None:
                best = outer if (d <= 0) == isinstance(e, ir.Min) else rival
                return type(e)(e.type, kept, best)
    return e


def _divide_sum(e: Expr) -> Expr:
    """(c*k*x + r) / c and % c, pulling the multiples of the constant divisor c > 0 out."""
    assert isinstance(e, ir.Div | ir.Mod)
    c = const_value(e.b)
    if c is None or c <= 0:
        return e
    c = int(c)
    terms, constant = linear_terms(e.a)
    whole = {k: (t, v // c) for k, (t, v) in terms.items() if v % c == 0}
    rest = {k: (t, v) for k, (t, v) in terms.items() if v % c != 0}
    if not whole and 0 <= constant < c:
        return e
    inner = build_sum(rest, constant % c, e.type)
    if isinstance(e, ir.Mod):
        return apply_identities(ir.Mod(e.type, inner, e.b), {})
    quotient = apply_identities(ir.Div(e.type, inner, e.b), {})
    return _rebuild_sum(ir.Add(e.type, build_sum(whole, constant // c, e.type), quotient))


def _compare_by_difference(e: Expr, bounds: Bounds) -> Expr:
    assert isinstance(e, ir._Binary)
    d = difference(e.a, e.b)
    if d is None:
        return _compare_by_range(e, bounds) if is_coordinate(e.a) and is_coordinate(e.b) else e
    match e:
        case ir.LT():
            return make_bool(d < 0)
        case ir.LE():
            return make_bool(d <= 0)
        case ir.GT():
            return make_bool(d > 0)
        case ir.GE():
            return make_bool(d >= 0)
        case ir.EQ():
            return make_bool(d == 0)
    return make_bool(d != 0)


def _compare_by_range(e: ir._Binary, bounds: Bounds) -> Expr:
    less, strict = isinstance(e, ir.LT | ir.LE), isinstance(e, ir.LT | ir.GT)
    if not less and not isinstance(e, ir.GT | ir.GE):
        return e
    a, b = (e.a, e.b) if less else (e.b, e.a)
    if _is_at_most(a, b, -1 if strict else 0, bounds):
        return make_bool(True)
    return make_bool(False) if _is_at_most(b, a, 0 if strict else -1, bounds) else e


def _is_at_most(a: Expr, b: Expr, apart: int, bounds: Bounds) -> bool:
    """Whether a - b is known to be at most `apart`."""
    if not bounds and not contains(a, *_CHOICES) and not contains(b, *_CHOICES):
        return False
    most = upper_bound(ir.Sub(a.type, a, b), bounds)
    return most is not None and most <= apart


_CHOICES = (ir.Min, ir.Max, ir.Div, ir.Mod)
