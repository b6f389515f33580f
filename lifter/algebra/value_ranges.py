"""Intervals of integer values by interval arithmetic: a source of claims, which the verifier proves before use."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Expr, const_value
from halide_core.ir.structural import cached, key, post_order
from halide_core.ir.types import Type

Range = tuple[int, int]


def ranges(e: Expr, known: Mapping[str, Range]) -> dict[int, Range]:
    """Interval of every integer node under `e`, by id; `known` gives those of variables."""
    out: dict[int, Range] = {}
    for n in post_order(e):
        if n.type.is_int_or_uint():
            out[id(n)] = _clip(node_range(n, [out.get(id(c)) for c in E.children(n)], known), n.type)
    return out


def interval(e: Expr) -> Range | None:
    """Interval of an expression whatever the values of its variables; None if it is not of integers."""
    return cached(_INTERVALS, e, _interval)


_INTERVALS: dict[int, Range | None] = {}


def _interval(n: Expr, inner: list[Range | None]) -> Range | None:
    return _clip(node_range(n, inner, {}), n.type) if n.type.is_int_or_uint() else None


def full(t: Type) -> Range:
    """Every value of a type."""
    return t.min(), t.max()


def _clip(r: Range | None, t: Type) -> Range:
    if r is None or r[0] < t.min() or r[1] > t.max():
        return full(t)
    return r


def node_range(n: Expr, inner: list[Range | None], known: Mapping[str, Range]) -> Range | None:
    """Interval of one node from those of its children, before wrapping."""
    value = const_value(n)
    if value is not None:
        return int(value), int(value)
    if isinstance(n, E.Variable):
        return known.get(n.name)
    if isinstance(n, E.Cast):
        return inner[0]
    if isinstance(n, E.Select):
        return _join(inner[1], inner[2])
    if any(r is None for r in inner) or not inner:
        return None
    if isinstance(n, E.Add | E.Sub | E.Mul | E.Min | E.Max | E.Div | E.Mod):
        return _arithmetic(n, inner[0], inner[1])  # type: ignore[arg-type]
    if isinstance(n, Call) and n.call_type is CallType.INTRINSIC:
        return _intrinsic(n, inner)  # type: ignore[arg-type]
    return None


def _join(a: Range | None, b: Range | None) -> Range | None:
    return None if a is None or b is None else (min(a[0], b[0]), max(a[1], b[1]))


def _arithmetic(n: Expr, a: Range, b: Range) -> Range | None:
    if isinstance(n, E.Add):
        return a[0] + b[0], a[1] + b[1]
    if isinstance(n, E.Sub):
        return a[0] - b[1], a[1] - b[0]
    if isinstance(n, E.Min):
        return min(a[0], b[0]), min(a[1], b[1])
    if isinstance(n, E.Max):
        return max(a[0], b[0]), max(a[1], b[1])
    if isinstance(n, E.Mul) and key(n.a) == key(n.b):
        squares = a[0] * a[0], a[1] * a[1]
        return (0 if a[0] <= 0 <= a[1] else min(squares)), max(squares)
    if isinstance(n, E.Mul):
        corners = [x * y for x in a for y in b]
        return min(corners), max(corners)
    if b[0] == b[1] and b[0] > 0:
        return (a[0] // b[0], a[1] // b[0]) if isinstance(n, E.Div) else (0, b[0] - 1)
    return None


def _intrinsic(n: Call, r: list[Range]) -> Range | None:
    a = r[0]
    if n.name == "abs":
        low = 0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))
        return low, max(abs(a[0]), abs(a[1]))
    if n.name in ("likely", "strict_float"):
        return a
    if n.name == "saturating_cast":
        return _saturated(a, n.type)
    if len(r) < 2:
        return None
    b = r[1]
    if n.name == "absd":
        return 0, max(abs(a[1] - b[0]), abs(b[1] - a[0]))
    if n.name == "div_round_to_zero" and b[0] == b[1] and b[0] > 0:
        return _toward_zero(a[0], b[0]), _toward_zero(a[1], b[0])
    if n.name == "mod_round_to_zero" and b[0] == b[1] and b[0] > 0:
        top = b[0] - 1
        return (0 if a[0] >= 0 else -top), (top if a[1] >= 0 else 0)
    if n.name == "shift_right" and b[0] == b[1] and 0 <= b[0] < n.type.bits:
        return a[0] >> b[0], a[1] >> b[0]
    if n.name == "shift_left" and b[0] == b[1] and 0 <= b[0] < n.type.bits:
        return a[0] << b[0], a[1] << b[0]
    if n.name == "bitwise_and" and (a[0] >= 0 or b[0] >= 0):
        tops = [x[1] for x in (a, b) if x[0] >= 0]
        return 0, min(tops)
    if n.name in ("bitwise_or", "bitwise_xor") and a[0] >= 0 and b[0] >= 0:
        return 0, (1 << max(a[1].bit_length(), b[1].bit_length())) - 1
    if n.name in ("saturating_add", "saturating_sub"):
        s = (a[0] + b[0], a[1] + b[1]) if n.name == "saturating_add" else (a[0] - b[1], a[1] - b[0])
        return _saturated(s, n.type)
    if n.name == "halving_add":
        return (a[0] + b[0]) >> 1, (a[1] + b[1]) >> 1
    if n.name == "rounding_halving_add":
        return (a[0] + b[0] + 1) >> 1, (a[1] + b[1] + 1) >> 1
    return None


def _saturated(r: Range, t: Type) -> Range:
    return max(min(r[0], t.max()), t.min()), max(min(r[1], t.max()), t.min())


def _toward_zero(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)
