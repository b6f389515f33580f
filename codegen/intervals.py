"""What values an expression can take, for text: integers by `lifter.algebra.value_ranges`, floats here, with what a
definition's region says of coordinates and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from halide_core.ir import expr as E
from halide_core.ir.constant_intervals import Range, arithmetic, full, inside
from halide_core.ir.expr import Call, CallType, Expr, Variable, const_value
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Poly
from lifter.algebra.value_ranges import node_range
from lifter.ir.summary import Definition, FuncSummary

FloatRange = tuple[float, float]
_MONOTONE = {"floor", "ceil", "trunc", "rint", "nearbyint", "sqrt"}
_MOST = (1 << 31) - 1


class Intervals:
    """Intervals of expressions over variables of which `known` says something; each distinct expression once."""

    def __init__(self, known: Mapping[str, Range]) -> None:
        self.known = known
        self._unclipped: dict[int, Range | None] = {}
        self._integers: dict[int, Range] = {}
        self._floats: dict[int, FloatRange | None] = {}

    def integer(self, e: Expr) -> Range:
        """The interval of an integer expression."""
        self._visit(e)
        return self._integers[key(e)]

    def wraps(self, e: Expr) -> bool:
        """Whether an operation may have a result that its type does not hold."""
        self._visit(e)
        found = self._unclipped[key(e)]
        return found is None or not inside(found, e.type)

    def real(self, e: Expr) -> FloatRange | None:
        """The interval of a float expression; None where it may be NaN or nothing is known."""
        self._visit(e)
        return self._floats[key(e)]

    def _visit(self, e: Expr) -> None:
        if key(e) in self._integers or key(e) in self._floats:
            return
        for n in post_order(e):
            number = key(n)
            if number in self._integers or number in self._floats:
                continue
            if n.type.is_float():
                self._floats[number] = self._float(n)
            elif n.type.is_int_or_uint():
                found = self._unclipped[number] = self._integer(n)
                self._integers[number] = found if found is not None and inside(found, n.type) else full(n.type)

    def _integer(self, n: Expr) -> Range | None:
        if isinstance(n, E.Cast) and n.value.type.is_float():
            inner = self._floats[key(n.value)]
            known = inner is not None and math.inf not in map(abs, inner)
            return (math.trunc(inner[0]), math.trunc(inner[1])) if known and inner is not None else None
        inner_ranges = [self._integers.get(key(c)) for c in E.children(n)]
        spans = [r for r in inner_ranges if r is not None]
        if isinstance(n, Call) and n.name == "shift_left" and len(spans) == len(inner_ranges):
            return arithmetic(n, spans)  # by variables, too
        return node_range(n, inner_ranges, self.known)

    def _float(self, n: Expr) -> FloatRange | None:
        value = const_value(n)
        if value is not None:
            return None if math.isnan(value) else (float(value), float(value))
        if isinstance(n, E.Cast) and n.value.type.is_int_or_uint():
            low, high = self._integers[key(n.value)]
            return _rounded(float(low), float(high), n.type)
        inner = [self._floats.get(key(c)) for c in E.children(n)]
        if isinstance(n, E.Cast):
            return None if inner[0] is None else _rounded(*inner[0], n.type)
        if isinstance(n, E.Select):
            return None if inner[1] is None or inner[2] is None else _joined(inner[1], inner[2])
        if isinstance(n, E.Min | E.Max):
            return _extreme(isinstance(n, E.Min), inner[0], inner[1])
        if isinstance(n, E.Add | E.Sub | E.Mul | E.Div):
            return _arithmetic(n, inner[0], inner[1])
        if isinstance(n, Call) and inner and inner[0] is not None:
            return _called(n, inner[0])
        return None


def _rounded(low: float, high: float, t: Type) -> FloatRange | None:
    """The interval widened by a rounding to `t`; None where that may overflow."""
    most = 3.4e38 if t.bits == 32 else 1.7e308 if t.bits == 64 else 65504.0
    if math.isnan(low) or math.isnan(high):
        return None
    if math.isinf(low) or math.isinf(high):
        return (low, high)
    slack = 2.0**-22 if t.bits == 32 else 2.0**-50 if t.bits == 64 else 2.0**-9
    least = 1e-37 if t.bits == 32 else 1e-300 if t.bits == 64 else 1e-4

    def outward(v: float, sign: float) -> float:
        if v == 0 or (v == int(v) and abs(v) < 2**10):
            return v  # small integers are floats of every width
        return v + sign * (abs(v) * slack + least)

    low, high = outward(low, -1.0), outward(high, 1.0)
    return (low, high) if max(abs(low), abs(high)) < most else None


def _joined(a: FloatRange, b: FloatRange) -> FloatRange:
    return min(a[0], b[0]), max(a[1], b[1])


def _extreme(least: bool, a: FloatRange | None, b: FloatRange | None) -> FloatRange | None:
    """Of a < b ? a : b: where `a` is NaN that is b, where `b` is NaN it is NaN."""
    if b is None:
        return None
    a = (-math.inf, math.inf) if a is None else a
    if least:
        return min(a[0], b[0]), b[1]
    return b[0], max(a[1], b[1])


def _arithmetic(n: Expr, a: FloatRange | None, b: FloatRange | None) -> FloatRange | None:
    if a is None or b is None or math.inf in map(abs, (*a, *b)):
        return None
    if isinstance(n, E.Add):
        return _rounded(a[0] + b[0], a[1] + b[1], n.type)
    if isinstance(n, E.Sub):
        return _rounded(a[0] - b[1], a[1] - b[0], n.type)
    if isinstance(n, E.Div):
        if b[0] <= 1e-30 and b[1] >= -1e-30:
            return None
        ends = [x / y for x in a for y in b]
    else:
        ends = [x * y for x in a for y in b]
    return _rounded(min(ends), max(ends), n.type)


def _called(n: Call, a: FloatRange) -> FloatRange | None:
    base = n.name if n.call_type is CallType.INTRINSIC or n.type.bits == 64 else n.name.removesuffix("f")
    if base in ("abs", "fabs"):
        return (0.0 if a[0] <= 0.0 <= a[1] else min(map(abs, a))), max(map(abs, a))
    if base not in _MONOTONE or (base == "sqrt" and a[0] < 0.0) or math.inf in map(abs, a):
        return None
    functions: dict[str, Callable[[float], float]] = {
        "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "sqrt": math.sqrt,
    }
    f = functions.get(base, round)
    return _rounded(float(f(a[0])), float(f(a[1])), n.type)


def known_of(f: FuncSummary, d: Definition, conditions: tuple[Expr, ...]) -> dict[str, Range]:
    """What holds of coordinates and parameters wherever a definition is evaluated: no dimension is empty there, and a
    coordinate lies in a box that memory holds."""
    known: dict[str, Range] = {}
    boxes = [(x.name, x.min, x.extent) for x in f.layout.dims] + [(r.name, Poly(), r.extent) for r in d.rdom]
    for name, low, extent in boxes:
        first, count = low.constant_value(), extent.constant_value()
        if first is not None:
            most = min(int(first) + _MOST - 1, _MOST) if count is None else int(first) + int(count) - 1
            if most >= first:
                known[name] = int(first), most
        single = _single(extent)
        if single is not None:
            at_least(known, *single)
    for c in conditions:
        for n in _conjuncts(c):
            value = const_value(n.b) if isinstance(n, E.GE | E.GT) else None
            if value is not None and isinstance(n, E.GE | E.GT) and isinstance(n.a, Variable) and n.a.type == E.I32:
                at_least(known, n.a.name, int(value) + isinstance(n, E.GT))
    return known


def at_least(known: dict[str, Range], name: str, least: int) -> None:
    """Notes that a variable of 32 bits is at least so much."""
    low, high = known.get(name, (-_MOST - 1, _MOST))
    if low < least <= high:
        known[name] = least, high


def _single(extent: Poly) -> tuple[str, int] | None:
    """(name, least value) where `extent` is a parameter of 32 bits and a constant, and at least one."""
    terms = [(m, c) for m, c in extent.terms.items() if m]
    if len(terms) != 1 or terms[0][1] != 1 or len(terms[0][0]) != 1:
        return None
    (atom,) = extent.atoms().values()
    return (atom.name, 1 - int(extent.terms.get((), 0))) if isinstance(atom, Variable) and atom.type == E.I32 else None


def _conjuncts(e: Expr) -> list[Expr]:
    return [*_conjuncts(e.a), *_conjuncts(e.b)] if isinstance(e, E.And) else [e]
