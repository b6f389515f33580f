"""Intervals of integer values, with what their types say where nothing else is known: a source of claims, which the
verifier proves before use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from halide_core.ir import expr as E
from halide_core.ir.constant_intervals import Range, asked, full, inside, joined
from halide_core.ir.expr import Expr, const_value
from halide_core.ir.structural import cached, post_order
from halide_core.ir.types import Type

_ASKED = frozenset({
    "abs", "absd", "likely", "strict_float", "saturating_cast", "div_round_to_zero", "mod_round_to_zero", "shift_left",
    "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor", "saturating_add", "saturating_sub", "halving_add",
    "rounding_halving_add",
})  # fmt: skip


def ranges(e: Expr, known: Mapping[str, Range]) -> dict[int, Range]:
    """Interval of every integer node under `e`, by id; `known` gives those of variables."""
    out: dict[int, Range] = {}
    for n in post_order(e):
        if n.type.is_int_or_uint():
            out[id(n)] = _clip(node_range(n, [out.get(id(c)) for c in E.children(n)], known), n.type)
    return out


def ranges_of(known: Mapping[str, Range]) -> Callable[[Expr], Range]:
    """The interval of each integer that is asked about; `known` gives those of variables.  What is part of several is
    looked at once."""
    cache: dict[int, Range | None] = {}

    def one(n: Expr, inner: list[Range | None]) -> Range | None:
        return _clip(node_range(n, inner, known), n.type) if n.type.is_int_or_uint() else None

    return lambda e: cached(cache, e, one) or full(e.type)


def interval(e: Expr) -> Range | None:
    """Interval of an expression whatever the values of its variables; None if it is not of integers."""
    return cached(_INTERVALS, e, _interval)


_INTERVALS: dict[int, Range | None] = {}


def _interval(n: Expr, inner: list[Range | None]) -> Range | None:
    return _clip(node_range(n, inner, {}), n.type) if n.type.is_int_or_uint() else None


def _clip(r: Range | None, t: Type) -> Range:
    return r if r is not None and inside(r, t) else full(t)


def node_range(n: Expr, inner: list[Range | None], known: Mapping[str, Range]) -> Range | None:
    """Interval of one node from those of its children, before wrapping."""
    value = const_value(n)
    if value is not None:
        return int(value), int(value)
    if isinstance(n, E.Variable):
        return known.get(n.name)
    if isinstance(n, E.Cast):
        return inner[0]
    parts = inner[1:] if isinstance(n, E.Select) else inner
    spans = [r for r in parts if r is not None]
    if len(spans) < len(parts):
        return None
    return joined(*spans) if isinstance(n, E.Select) else asked(n, spans, _ASKED, any_sign=True)
