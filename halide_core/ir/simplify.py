"""Algebraic simplification.

`simplify` holds under the documented wrapping meaning of every node.  `simplify_index` additionally assumes, as
Halide does, that int32 and int64 arithmetic on coordinates and bounds does not overflow; use it for those only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const, const_value, make_bool, with_children
from halide_core.ir.structural import cached, contains, key, transform
from halide_core.ir.types import Type

# Inclusive bounds of a variable, either side None when unknown.
Bounds = Mapping[str, tuple[int | None, int | None]]


def simplify(e: Expr, bounds: Bounds | None = None) -> Expr:
    """An equal expression, constants folded and identities applied; `bounds` are those of int variables."""
    return transform(e, lambda n: _simplify_node(n, bounds or {}))


def simplify_with_indices(e: Expr) -> Expr:
    """`simplify`, with `simplify_index` inside the indices of loads."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, ir.Load):
            return ir.with_children(n, (simplify_index(n.index), *ir.children(n)[1:]))
        return _simplify_node(n, {})

    return transform(e, rewrite)


def simplify_index(e: Expr, bounds: Bounds | None = None) -> Expr:
    """An expression equal to `e` wherever signed arithmetic of 32 bits and more does not overflow in either.

    Sums are brought to a canonical order with like terms collected.  int32 arithmetic on loaded values keeps its
    wrapping meaning."""

    if bounds:
        return transform(e, lambda n: _index_node(n, bounds))
    return cached(_SIMPLIFIED, e, lambda n, inner: _index_node(with_children(n, tuple(inner)), {}))


_SIMPLIFIED: dict[int, Expr] = {}


def _index_node(n: Expr, bounds: Bounds) -> Expr:
    n = _simplify_node(n, bounds)
    if _widens_index(n):
        n = _widen(n)
    if _computes_with_data(n):
        return n
    if _is_index(n) and isinstance(n, ir.Add | ir.Sub | ir.Mul):
        return _rebuild_sum(n)
    if _is_index(n) and isinstance(n, ir.Min | ir.Max):
        return _min_max_by_difference(n, bounds)
    if isinstance(n, ir.Div | ir.Mod) and _is_index(n):
        return _divide_sum(n)
    if isinstance(n, ir.LT | ir.LE | ir.GT | ir.GE | ir.EQ | ir.NE) and _is_index(n.a):
        return _compare_by_difference(n, bounds)
    return n


def _is_index(e: Expr) -> bool:
    return e.type.is_int() and e.type.bits >= 32 and e.type.is_scalar()


def _computes_with_data(e: Expr) -> bool:
    """Whether `e` is an operation of 32 bits on something other than coordinates: it may wrap."""
    parts = ir.children(e)
    if not parts or all(c.type.bits > 32 for c in parts):
        return False
    return contains(e, ir.Load, ir.Call)


def _is_foldable(e: Expr) -> bool:
    if not e.type.is_scalar() or isinstance(e, ir.IntImm | ir.UIntImm | ir.FloatImm | ir.StringImm | ir.Variable):
        return False
    if isinstance(e, ir.Call) and (e.call_type is not ir.CallType.INTRINSIC or e.name in ("undef", "likely")):
        return False
    if isinstance(e, ir.Load | ir.Let | ir.Reinterpret | ir.VectorReduce | ir.Shuffle):
        return False
    parts = ir.children(e)
    return bool(parts) and all(isinstance(c, ir.IntImm | ir.UIntImm | ir.FloatImm) for c in parts)


def _fold(e: Expr) -> Expr:
    value = evaluate(e, {}).item()
    if isinstance(value, float) and np.isnan(value):
        return e
    return const(value, e.type)


def _simplify_node(e: Expr, bounds: Bounds) -> Expr:
    if _is_foldable(e) and not e.type.is_handle():
        return _fold(e)
    match e:
        case ir.Add() | ir.Sub() | ir.Mul() | ir.Div() | ir.Mod():
            return e if e.type.is_float() else _arithmetic(e)
        case ir.Min() | ir.Max():
            return _min_max(e, bounds)
        case ir.EQ() | ir.NE() | ir.LT() | ir.LE() | ir.GT() | ir.GE():
            return _comparison(e, bounds)
        case ir.And() | ir.Or() | ir.Not():
            return _logic(e)
        case ir.Select():
            return _select(e)
        case ir.Cast():
            return _cast(e)
        case ir.Call(name="strict_float" | "likely", call_type=ir.CallType.INTRINSIC):
            return e.args[0]
    return e


def _arithmetic(e: ir._Binary) -> Expr:
    """Identities of wrapping integers."""
    a, b = e.a, e.b
    va, vb = const_value(a), const_value(b)
    zero = const(0, e.type)
    match e:
        case ir.Add():
            if va == 0:
                return b
            if vb == 0:
                return a
            if va is not None:
                return ir.Add(e.type, b, a)
            if vb is not None and isinstance(a, ir.Add) and (inner := const_value(a.b)) is not None:
                return _simplify_node(ir.Add(e.type, a.a, const(int(inner) + int(vb), e.type)), {})
        case ir.Sub():
            if vb == 0:
                return a
            if key(a) == key(b):
                return zero
            if vb is not None and not e.type.is_bool() and e.type.is_int():
                return _simplify_node(ir.Add(e.type, a, const(-int(vb), e.type)), {})
        case ir.Mul():
            if va == 0 or vb == 0:
                return zero
            if va == 1:
                return b
            if vb == 1:
                return a
            if va is not None:
                return ir.Mul(e.type, b, a)
            if vb is not None and isinstance(a, ir.Mul) and (inner := const_value(a.b)) is not None:
                return _simplify_node(ir.Mul(e.type, a.a, const(int(inner) * int(vb), e.type)), {})
        case ir.Div():
            if vb == 1:
                return a
            if va == 0 or vb == 0:
                return zero
        case ir.Mod():
            if vb == 1 or va == 0 or vb == 0:
                return zero
    return e


def interval(e: Expr, bounds: Bounds) -> tuple[int | None, int | None]:
    """Inclusive constant bounds of an integer expression, sound under wrapping; None where unknown."""
    t = e.type
    if not t.is_int_or_uint():
        return (None, None)
    lo: int | None
    hi: int | None
    value = const_value(e)
    if value is not None:
        return (int(value), int(value))
    match e:
        case ir.Variable(name=name) if name in bounds:
            lo, hi = bounds[name]
        case ir.Broadcast(value=inner):
            lo, hi = interval(inner, bounds)
        case ir.Cast(value=inner) if inner.type.is_int_or_uint():
            lo, hi = interval(inner, bounds)
            lo = inner.type.min() if lo is None and inner.type.bits < 64 else lo
            hi = inner.type.max() if hi is None and inner.type.bits < 64 else hi
        case ir.Min(a=a, b=b):
            (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
            lo = None if la is None or lb is None else min(la, lb)
            hi = min((h for h in (ha, hb) if h is not None), default=None)
        case ir.Max(a=a, b=b):
            (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
            hi = None if ha is None or hb is None else max(ha, hb)
            lo = max((x for x in (la, lb) if x is not None), default=None)
        case ir.Add(a=a, b=b):
            (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
            lo = None if la is None or lb is None else la + lb
            hi = None if ha is None or hb is None else ha + hb
        case ir.Mod(b=b) if (m := const_value(b)) is not None and m > 0:
            lo, hi = 0, int(m) - 1
        case _:
            lo = hi = None
    if lo is None or hi is None or lo < t.min() or hi > t.max():
        if t.bits < 32 or t.is_uint():
            return (t.min(), t.max())
        wraps = (lo is not None and lo < t.min()) or (hi is not None and hi > t.max())
        return (None, None) if wraps or not isinstance(e, ir.Variable | ir.Min | ir.Max | ir.Broadcast) else (lo, hi)
    return (lo, hi)


def _min_max(e: ir.Min | ir.Max, bounds: Bounds) -> Expr:
    a, b = e.a, e.b
    if e.type.is_float():
        return e
    if key(a) == key(b):
        return a
    (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
    a_below = ha is not None and lb is not None and ha <= lb
    b_below = hb is not None and la is not None and hb <= la
    if a_below or b_below:
        return (a if a_below else b) if isinstance(e, ir.Min) else (b if a_below else a)
    inner_value, outer_value = const_value(a.b) if isinstance(a, type(e)) else None, const_value(b)
    if inner_value is not None and outer_value is not None:
        assert isinstance(a, ir._Binary)
        pick = min if isinstance(e, ir.Min) else max
        return type(e)(e.type, a.a, const(pick(inner_value, outer_value), e.type))
    if isinstance(a, type(e)) and key(b) in (key(a.a), key(a.b)):
        return a
    if isinstance(b, type(e)) and key(a) in (key(b.a), key(b.b)):
        return b
    return e


def _comparison(e: ir._Binary, bounds: Bounds) -> Expr:
    a, b = e.a, e.b
    if a.type.is_float() or not e.type.is_scalar():
        return e
    if isinstance(e, ir.GT):
        return _comparison(ir.LT(e.type, b, a), bounds)
    if isinstance(e, ir.GE):
        return _comparison(ir.LE(e.type, b, a), bounds)
    if key(a) == key(b):
        return make_bool(isinstance(e, ir.EQ | ir.LE))
    (la, ha), (lb, hb) = interval(a, bounds), interval(b, bounds)
    below = ha is not None and lb is not None and ha < lb
    above = hb is not None and la is not None and la > hb
    if below:
        return make_bool(isinstance(e, ir.NE | ir.LT | ir.LE))
    if above:
        return make_bool(isinstance(e, ir.NE))
    if isinstance(e, ir.LE) and ha is not None and lb is not None and ha <= lb:
        return make_bool(True)
    if isinstance(e, ir.LT) and hb is not None and la is not None and la >= hb:
        return make_bool(False)
    return e


def _logic(e: Expr) -> Expr:
    if isinstance(e, ir.Not):
        if isinstance(e.a, ir.Not):
            return e.a.a
        opposite: dict[type[Expr], type[ir._Binary]] = {ir.EQ: ir.NE, ir.NE: ir.EQ}
        if isinstance(e.a, ir.EQ | ir.NE):
            return opposite[type(e.a)](e.type, e.a.a, e.a.b)
        return e
    assert isinstance(e, ir.And | ir.Or)
    absorbing = 0 if isinstance(e, ir.And) else 1
    for x, y in ((e.a, e.b), (e.b, e.a)):
        value = const_value(x)
        if value is not None:
            return const(bool(absorbing), e.type) if value == absorbing else y
    return e.a if key(e.a) == key(e.b) else e


def _select(e: ir.Select) -> Expr:
    value = const_value(e.condition)
    if value is not None:
        return e.true_value if value else e.false_value
    if key(e.true_value) == key(e.false_value):
        return e.true_value
    if isinstance(e.condition, ir.Not):
        return ir.Select(e.type, e.condition.a, e.false_value, e.true_value)
    return e


def _cast(e: ir.Cast) -> Expr:
    value = e.value
    if value.type == e.type:
        return value
    if isinstance(value, ir.Broadcast) and e.type.is_vector():
        return ir.Broadcast(e.type, _simplify_node(ir.Cast(e.type.element_of(), value.value), {}), value.lanes)
    if not isinstance(value, ir.Cast) or not e.type.is_int_or_uint() or e.type.is_bool():
        return e
    middle, source = value.type, value.value.type
    if not source.is_int_or_uint() or not middle.is_int_or_uint() or middle.is_bool():
        return e
    # Low bits survive a wider or value-preserving middle type.
    if middle.bits >= e.type.bits or middle.can_represent(source):
        return _simplify_node(ir.Cast(e.type, value.value), {})
    return e


def linear_terms(e: Expr) -> tuple[dict[int, tuple[Expr, int]], int]:
    """`e` as a sum of coefficient * term plus a constant: ({key(term): (term, coefficient)}, constant).

    Assumes no overflow, as `simplify_index` does."""
    terms: dict[int, tuple[Expr, int]] = {}
    constant = 0
    work: list[tuple[Expr, int]] = [(e, 1)]
    while work:
        node, scale = work.pop()
        value = const_value(node)
        if value is not None:
            constant += int(value) * scale
        elif isinstance(node, ir.Add):
            work += [(node.a, scale), (node.b, scale)]
        elif isinstance(node, ir.Sub):
            work += [(node.a, scale), (node.b, -scale)]
        elif isinstance(node, ir.Mul) and (factor := const_value(node.b)) is not None:
            work.append((node.a, scale * int(factor)))
        elif isinstance(node, ir.Mul) and (factor := const_value(node.a)) is not None:
            work.append((node.b, scale * int(factor)))
        elif isinstance(node, ir.Mul) and isinstance(node.a, ir.Add | ir.Sub):
            sign = 1 if isinstance(node.a, ir.Add) else -1
            work.append((_product(node.a.a, node.b), scale))
            work.append((_product(node.a.b, node.b), scale * sign))
        elif isinstance(node, ir.Mul) and isinstance(node.b, ir.Add | ir.Sub):
            sign = 1 if isinstance(node.b, ir.Add) else -1
            work.append((_product(node.a, node.b.a), scale))
            work.append((_product(node.a, node.b.b), scale * sign))
        elif _widens_index(node):
            work.append((_widen(node), scale))
        else:
            number = key(node)
            term, old = terms.get(number, (node, 0))
            terms[number] = (term, old + scale)
    return _merge_quotients({k: v for k, v in terms.items() if v[1]}), constant


def _merge_quotients(terms: dict[int, tuple[Expr, int]]) -> dict[int, tuple[Expr, int]]:
    """k * (x % c) + k * c * (x / c) is k * x, for a constant c > 0."""
    for number, (term, factor) in list(terms.items()):
        inner = term.value if isinstance(term, ir.Cast) else term
        if not isinstance(inner, ir.Mod) or number not in terms:
            continue
        c = const_value(inner.b)
        if c is None or c <= 0 or inner.type.bits < 32 or not inner.type.is_int():
            continue
        quotient: Expr = ir.Div(inner.type, inner.a, inner.b)
        whole = inner.a
        if isinstance(term, ir.Cast):
            quotient, whole = ir.Cast(term.type, quotient), ir.Cast(term.type, whole)
        partner = terms.get(key(quotient))
        if partner is None or partner[1] != factor * int(c):
            continue
        del terms[number], terms[key(quotient)]
        more, rest = linear_terms(ir.Mul(term.type, whole, const(factor, term.type)))
        if rest:
            # The constant has no place among the terms; keep the dividend whole.
            more = {key(whole): (whole, factor)}
        for k, (t, v) in more.items():
            old = terms.get(k, (t, 0))[1]
            terms[k] = (t, old + v)
    return {k: v for k, v in terms.items() if v[1]}


def _product(a: Expr, b: Expr) -> Expr:
    return _simplify_node(ir.Mul(a.type, a, b), {})


_COORDINATES: dict[int, bool] = {}
# How far from 0 data is that is added to coordinates.
_NEAR = 1 << 20


def is_coordinate(e: Expr) -> bool:
    """Whether `e` is int32 or int64 arithmetic on variables and constants only, so assumed not to overflow."""
    return cached(_COORDINATES, e, _own_coordinate)


def _own_coordinate(e: Expr, inner: list[bool]) -> bool:
    if not _is_index(e):
        return False
    if isinstance(e, ir.Variable | ir.IntImm):
        return True
    if isinstance(e, ir.Cast) and isinstance(e.value, ir.Variable) and e.value.type.is_int_or_uint():
        return True  # a parameter of another width, of which the sums are assumed not to overflow either
    arithmetic = ir.Add | ir.Sub | ir.Mul | ir.Div | ir.Mod | ir.Min | ir.Max | ir.Cast
    return isinstance(e, arithmetic) and all(inner)


def _widens_index(e: Expr) -> bool:
    return (
        isinstance(e, ir.Cast)
        and e.type == ir.I64
        and e.value.type == ir.I32
        and isinstance(e.value, ir.Add | ir.Sub | ir.Mul)
        and _is_sum_of_coordinates(e.value)
    )


_SUMS: dict[int, bool] = {}


def _is_sum_of_coordinates(e: Expr) -> bool:
    """Whether `e` is a sum of coordinates and of data within a few constants, which is assumed not to overflow either:
    the bounds of what is read there are sums with these constants."""
    return cached(_SUMS, e, _own_sum_of_coordinates)


def _own_sum_of_coordinates(e: Expr, inner: list[bool]) -> bool:
    if isinstance(e, ir.Add | ir.Sub) and _is_index(e):
        return all(inner)
    return is_coordinate(e) or (_is_index(e) and all(n is not None and abs(n) <= _NEAR for n in interval(e, {})))


def build_sum(terms: dict[int, tuple[Expr, int]], constant: int, type_: Type) -> Expr:
    """The sum that `linear_terms` took apart, in a canonical order."""
    positive = [(t, c) for _, (t, c) in sorted(terms.items()) if c > 0]
    negative = [(t, -c) for _, (t, c) in sorted(terms.items()) if c < 0]
    out: Expr | None = None
    for term, c in positive:
        scaled = term if c == 1 else ir.Mul(type_, term, const(c, type_))
        out = scaled if out is None else ir.Add(type_, out, scaled)
    if out is None:
        out = const(constant, type_)
        constant = 0
    for term, c in negative:
        scaled = term if c == 1 else ir.Mul(type_, term, const(c, type_))
        out = ir.Sub(type_, out, scaled)
    return out if constant == 0 else ir.Add(type_, out, const(constant, type_))


def _widen(e: Expr) -> Expr:
    """int64(a + b) as int64(a) + int64(b), all the way down."""
    assert isinstance(e, ir.Cast)
    inner = e.value
    if not isinstance(inner, ir.Add | ir.Sub | ir.Mul) or not _is_sum_of_coordinates(inner):
        return _simplify_node(e, {})
    return type(inner)(e.type, _widen(ir.Cast(e.type, inner.a)), _widen(ir.Cast(e.type, inner.b)))


def _rebuild_sum(e: Expr) -> Expr:
    terms, constant = linear_terms(e)
    return build_sum(terms, constant, e.type)


def difference(a: Expr, b: Expr) -> int | None:
    """a - b when it is a known constant (no overflow assumed), or None."""
    terms, constant = linear_terms(ir.Sub(a.type, a, b))
    return None if terms else constant


def _min_max_by_difference(e: Expr, bounds: Bounds) -> Expr:
    if not isinstance(e, ir.Min | ir.Max):
        return e
    d = difference(e.a, e.b)
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
        return _simplify_node(ir.Mod(e.type, inner, e.b), {})
    quotient = _simplify_node(ir.Div(e.type, inner, e.b), {})
    return _rebuild_sum(ir.Add(e.type, build_sum(whole, constant // c, e.type), quotient))


def _compare_by_difference(e: Expr, bounds: Bounds) -> Expr:
    assert isinstance(e, ir._Binary)
    d = difference(e.a, e.b)
    if d is None:
        return e
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
