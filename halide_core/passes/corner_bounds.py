"""Intervals of integer operations whose operands lie between constants."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.constant_intervals import Range, asked, inside
from halide_core.ir.expr import Expr, const, const_value

_ASKED = frozenset({
    "abs", "absd", "shift_right", "bitwise_and", "saturating_add", "saturating_sub", "halving_add", "halving_sub",
    "rounding_halving_add", "widening_add", "widening_sub", "widening_mul",
})  # fmt: skip
# Of the bits of an operand, wherever it lies.
_COUNTS = ("popcount", "count_leading_zeros")


def constant_bounds(e: Expr, parts: list[Interval]) -> Interval | None:
    """The interval of `e`, whose operands are never outside of `parts`; None where nothing is known but its type."""
    if isinstance(e, ir.Call) and e.name in _COUNTS:
        return const(0, e.type), const(e.args[0].type.bits, e.type)
    spans: list[Range] = []
    for low, high in parts:
        a, b = (None if v is None else const_value(v) for v in (low, high))
        if a is None or b is None:
            return None
        spans.append((int(a), int(b)))
    found = None if isinstance(e, ir.Min | ir.Max) else asked(e, spans, _ASKED)
    if found is None or not inside(found, e.type):
        return None
    return const(found[0], e.type), const(found[1], e.type)
