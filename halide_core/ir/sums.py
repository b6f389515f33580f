"""Sums of coordinates: taken apart into terms, and put together in a canonical order."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, const, const_value
from halide_core.ir.identities import apply_identities, interval
from halide_core.ir.structural import cached, expression_cache, key, remembered
from halide_core.ir.types import Type

# {key(term): (term, coefficient)}
Terms = dict[int, tuple[Expr, int]]


def linear_terms(e: Expr) -> tuple[Terms, int]:
    """`e` as a sum of coefficient * term plus a constant.

    Assumes no overflow, as `simplify_index` does."""
    terms, constant = remembered(_TERMS, e, _linear_terms)
    return dict(terms), constant


_TERMS: dict[int, tuple[Terms, int]] = expression_cache()


def add_scaled(to: tuple[Terms, int], more: tuple[Terms, int], k: int) -> tuple[Terms, int]:
    """The sum `to` + k * `more`."""
    terms = dict(to[0])
    with_quotients = False
    for number, (term, n) in more[0].items():
        old = terms.get(number)
        total = n * k + (old[1] if old is not None else 0)
        if total:
            terms[number] = term, total
        elif old is not None:
            del terms[number]
        with_quotients = with_quotients or isinstance(term, ir.Mod | ir.Div | ir.Cast)
    return (_merge_quotients(terms) if with_quotients else terms), to[1] + more[1] * k


def _linear_terms(e: Expr) -> tuple[Terms, int]:
    terms: Terms = {}
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
        elif widens_index(node):
            work.append((widened(node), scale))
        else:
            number = key(node)
            term, old = terms.get(number, (node, 0))
            terms[number] = (term, old + scale)
    return _merge_quotients({k: v for k, v in terms.items() if v[1]}), constant


def _merge_quotients(terms: Terms) -> Terms:
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
    return apply_identities(ir.Mul(a.type, a, b), {})


def build_sum(terms: Terms, constant: int, type_: Type) -> Expr:
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


def difference(a: Expr, b: Expr) -> int | None:
    """a - b when it is a known constant (no overflow assumed), or None."""
    terms, constant = add_scaled(linear_terms(a), linear_terms(b), -1)
    return None if terms else constant


def is_index(e: Expr) -> bool:
    return e.type.is_int() and e.type.bits >= 32 and e.type.is_scalar()


_COORDINATES: dict[int, bool] = {}


# How far from 0 data is that is added to coordinates.
_NEAR = 1 << 20


def is_coordinate(e: Expr) -> bool:
    """Whether `e` is int32 or int64 arithmetic on variables and constants only, so assumed not to overflow; choices
    between such, and what floats of such are rounded to, count as variables."""
    return cached(_COORDINATES, e, _own_coordinate)


def _own_coordinate(e: Expr, inner: list[bool]) -> bool:
    if not is_index(e):
        return False
    if isinstance(e, ir.Variable | ir.IntImm):
        return True
    if isinstance(e, ir.Cast) and isinstance(e.value, ir.Variable) and e.value.type.is_int_or_uint():
        return True  # a parameter of another width, of which the sums are assumed not to overflow either
    if isinstance(e, ir.Select):
        return inner[1] and inner[2] and not depends_on_data(e.condition)
    if isinstance(e, ir.Cast) and e.value.type.is_float():
        return not depends_on_data(e.value)
    arithmetic = ir.Add | ir.Sub | ir.Mul | ir.Div | ir.Mod | ir.Min | ir.Max | ir.Cast
    return isinstance(e, arithmetic) and all(inner)


_DATA: dict[int, bool] = {}


def depends_on_data(e: Expr) -> bool:
    """Whether `e` is computed of what is in memory, or by operations on bits: its sums may wrap.  Functions of floats
    do not make it so."""
    return cached(_DATA, e, _own_data)


def _own_data(e: Expr, inner: list[bool]) -> bool:
    if isinstance(e, ir.Call):
        pure = e.call_type in (ir.CallType.INTRINSIC, ir.CallType.PURE_EXTERN) and e.type.is_float()
        return not pure or any(inner)
    return isinstance(e, ir.Load) or any(inner)


def widens_index(e: Expr) -> bool:
    return (
        isinstance(e, ir.Cast)
        and e.type == ir.I64
        and e.value.type == ir.I32
        and isinstance(e.value, ir.Add | ir.Sub | ir.Mul)
        and _is_sum_of_coordinates(e.value)
    )


def widened(e: Expr) -> Expr:
    """int64(a + b) as int64(a) + int64(b), all the way down."""
    assert isinstance(e, ir.Cast)
    inner = e.value
    if not isinstance(inner, ir.Add | ir.Sub | ir.Mul) or not _is_sum_of_coordinates(inner):
        return apply_identities(e, {})
    return type(inner)(e.type, widened(ir.Cast(e.type, inner.a)), widened(ir.Cast(e.type, inner.b)))


_SUMS: dict[int, bool] = {}


def _is_sum_of_coordinates(e: Expr) -> bool:
    """Whether `e` is a sum of coordinates and of data within a few constants, or held between coordinates, which is
    assumed not to overflow either: the bounds of what is read there are sums with these constants and coordinates."""
    return cached(_SUMS, e, _own_sum_of_coordinates)


def _own_sum_of_coordinates(e: Expr, inner: list[bool]) -> bool:
    if isinstance(e, ir.Add | ir.Sub) and is_index(e):
        return all(inner)
    near = is_index(e) and all(n is not None and abs(n) <= _NEAR for n in interval(e, {}))
    return near or is_coordinate(e) or _is_held(e)


def _is_held(e: Expr) -> bool:
    """Whether `e` is a value held between two coordinates, max(low, min(data, high)) or the other way round; constants
    among them are near."""
    if not isinstance(e, ir.Min | ir.Max) or not is_index(e):
        return False
    for end, inside in ((e.a, e.b), (e.b, e.a)):
        other = ir.Max if isinstance(e, ir.Min) else ir.Min
        if isinstance(inside, other) and _is_end(end) and any(map(_is_end, (inside.a, inside.b))):
            return True
    return False


def _is_end(e: Expr) -> bool:
    value = const_value(e)
    return is_coordinate(e) if value is None else abs(value) <= _NEAR
