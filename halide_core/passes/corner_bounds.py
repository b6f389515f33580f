"""Intervals of integer operations whose operands lie between constants."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from halide_core.ir import expr as ir
from halide_core.ir.box import Interval
from halide_core.ir.expr import Expr, const, const_value

Ends = tuple[int, int]


def _clamped(e: Expr, value: int) -> int:
    return int(min(max(value, e.type.min()), e.type.max()))


# Functions that rise or fall with each operand while the other stands still: their extremes are at the corners.
_MONOTONIC: dict[str, Callable[[Expr, int, int], int]] = {
    "halving_add": lambda e, a, b: (a + b) >> 1,
    "rounding_halving_add": lambda e, a, b: (a + b + 1) >> 1,
    "halving_sub": lambda e, a, b: (a - b) >> 1,
    "saturating_add": lambda e, a, b: _clamped(e, a + b),
    "saturating_sub": lambda e, a, b: _clamped(e, a - b),
    "widening_add": lambda e, a, b: a + b,
    "widening_sub": lambda e, a, b: a - b,
    "widening_mul": lambda e, a, b: a * b,
}
# Of the bits of an operand.
_COUNTS = ("popcount", "count_leading_zeros", "count_trailing_zeros")


def constant_bounds(e: Expr, parts: list[Interval]) -> Interval | None:
    """The interval of `e`, whose operands are never outside of `parts`; None where nothing is known but its type."""
    if isinstance(e, ir.Call) and e.name in _COUNTS:
        return const(0, e.type), const(e.args[0].type.bits, e.type)
    ends: list[Ends] = []
    for low, high in parts:
        a, b = (None if v is None else const_value(v) for v in (low, high))
        if a is None or b is None:
            return None
        ends.append((int(a), int(b)))
    found = _ends(e, ends) if ends else None
    if found is None or found[0] < e.type.min() or found[1] > e.type.max():
        return None
    return const(found[0], e.type), const(found[1], e.type)


def _ends(e: Expr, ends: list[Ends]) -> Ends | None:
    match e:
        case ir.Add():
            return ends[0][0] + ends[1][0], ends[0][1] + ends[1][1]
        case ir.Sub():
            return ends[0][0] - ends[1][1], ends[0][1] - ends[1][0]
        case ir.Mul():
            return _corners(ends, lambda a, b: a * b)
        case ir.Div() if ends[1][0] == ends[1][1] and ends[1][0] > 0:
            return ends[0][0] // ends[1][0], ends[0][1] // ends[1][0]
        case ir.Mod() if ends[1][0] == ends[1][1] and ends[1][0] > 0:
            return 0, ends[1][0] - 1
        case ir.Call(name="shift_right") if ends[1][0] == ends[1][1] and 0 <= ends[1][0] < e.type.bits:
            return ends[0][0] >> ends[1][0], ends[0][1] >> ends[1][0]
        case ir.Call(name="bitwise_and") if ends[0][0] >= 0 and ends[1][0] >= 0:
            return 0, min(ends[0][1], ends[1][1])
        case ir.Call(name="abs"):
            least = 0 if ends[0][0] <= 0 <= ends[0][1] else min(map(abs, ends[0]))
            return least, max(map(abs, ends[0]))
        case ir.Call(name="absd"):
            below, above = ends[1][0] - ends[0][1], ends[0][0] - ends[1][1]
            return max(below, above, 0), max(ends[0][1] - ends[1][0], ends[1][1] - ends[0][0])
        case ir.Call(name=name) if name in _MONOTONIC:
            return _corners(ends, lambda a, b: _MONOTONIC[name](e, a, b))
    return None


def _corners(ends: list[Ends], at: Callable[[int, int], int]) -> Ends:
    found = [at(a, b) for a, b in product(*ends)]
    return min(found), max(found)
