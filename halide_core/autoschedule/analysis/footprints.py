"""Numeric footprints: what a definition reads, as functions of the box of its loops.

The compiler's interval arithmetic (`passes.bounds`) gives the least and greatest coordinate of every read as an
expression of the ends of the loops; here these become NumPy functions, so that many tile sizes are tried at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable, const_value
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key, post_order
from halide_core.passes.bounds import Scope, bounds_of

Number = Any
"""An int, or an array with one for each candidate."""
Range = tuple[Number, Number]
"""(least, greatest)."""
NumericBox = tuple[Range, ...]
Values = Mapping[str, Number]
End = Callable[[Values], Number]

_LARGEST = 1 << 60

_BINARY = {ir.Add: "({} + {})", ir.Sub: "({} - {})", ir.Mul: "({} * {})", ir.Min: "least({}, {})",
           ir.Max: "most({}, {})", ir.Div: "quotient({}, {})", ir.Mod: "remainder({}, {})",
           ir.LT: "({} < {})", ir.LE: "({} <= {})", ir.GT: "({} > {})", ir.GE: "({} >= {})", ir.EQ: "({} == {})",
           ir.NE: "({} != {})", ir.And: "both({}, {})", ir.Or: "either({}, {})"}
_CALLS = {"shift_left": "({} * 2 ** power({}, 0))", "shift_right": "({} // 2 ** power({}, 0))", "likely": "{}",
          "strict_float": "{}", "bitwise_and": "({} & {})", "bitwise_or": "({} | {})", "abs": "abs({})"}
# Of floats, by the names of the C library's functions without their types.
_ROUNDED = {"floor": "floor({})", "ceil": "ceil({})", "round": "rint({})", "trunc": "trunc({})", "sqrt": "sqrt({})"}


def _least(a: Number, b: Number) -> Number:
    """np.minimum, which takes ten times as long for numbers as Python does."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.minimum(a, b)
    return a if a <= b else b


def _most(a: Number, b: Number) -> Number:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.maximum(a, b)
    return a if a >= b else b


def _bounded(n: Number) -> Number:
    """Numbers of Python's do not wrap around, and would not fit arrays that they are added to."""
    return n if isinstance(n, np.ndarray) or -_LARGEST < n < _LARGEST else _LARGEST if n > 0 else -_LARGEST


def _quotient(a: Number, b: Number) -> Number:
    return np.where(np.equal(b, 0), 0, a // np.where(np.equal(b, 0), 1, b))


def _remainder(a: Number, b: Number) -> Number:
    return np.where(np.equal(b, 0), 0, a % np.where(np.equal(b, 0), 1, np.abs(b)))


def _ratio(a: Number, b: Number) -> Number:
    return np.where(np.equal(b, 0), 0.0, a / np.where(np.equal(b, 0), 1, b))


def _whole(n: Number) -> Number:
    """A float as a coordinate; what is none is far away."""
    return np.trunc(np.clip(np.nan_to_num(n), -_LARGEST, _LARGEST)).astype(np.int64)


_NAMES: dict[str, Any] = {"ratio": _ratio, "whole": _whole, "floor": np.floor, "ceil": np.ceil, "rint": np.rint,
                          "trunc": np.trunc, "sqrt": np.sqrt,
                          "least": _least, "most": _most, "power": np.maximum, "quotient": _quotient,
                          "remainder": _remainder,
                          "both": np.logical_and, "either": np.logical_or, "where": np.where, "abs": np.abs}


def low_name(var: str) -> str:
    """The Variable for the least value of loop `var`."""
    return f"{var}..low"


def high_name(var: str) -> str:
    """The Variable for the greatest value of loop `var`."""
    return f"{var}..high"


def compiled(e: Expr) -> End | None:
    """A function from the values of the Variables of `e` to its value; None where `e` reads data, or is very long."""
    text: dict[int, str] = {}
    for n in post_order(e):
        inner = [text.get(id(c)) for c in ir.children(n)]
        parts = [p for p in inner if p is not None]
        if len(parts) < len(inner):
            return None
        constant = const_value(n)
        form: str | None = None
        if constant is not None:
            if not math.isfinite(constant):
                return None
            text[id(n)] = repr(float(constant) if n.type.is_float() else int(constant))
            continue
        match n:
            case Variable():
                text[id(n)] = f"v[{n.name!r}]"
                continue
            case ir.Select():
                form = "where({}, {}, {})"
            case ir.Cast():
                form = "whole({})" if n.value.type.is_float() and not n.type.is_float() else "{}"
            case ir.Not():
                form = "(1 - {})"
            case Call(call_type=CallType.INTRINSIC):
                form = _CALLS.get(n.name)
            case Call(call_type=CallType.PURE_EXTERN) if len(parts) == 1:
                form = _ROUNDED.get(n.name.split("_f")[0])
            case ir.Div() if n.type.is_float():
                form = "({} / {})" if const_value(n.b) else "ratio({}, {})"
            case ir.Mod() if n.type.is_float():
                form = None
            case ir._Binary():
                form = _BINARY.get(type(n))
        if form is None or len(text) > 4000:
            return None
        if isinstance(n, ir.Div | ir.Mod) and not n.type.is_float() and const_value(n.b):
            form = "({} // {})" if isinstance(n, ir.Div) else "({} % {})"
        text[id(n)] = form.format(*parts)
    try:
        found: End = eval(f"lambda v: {text[id(e)]}", dict(_NAMES))  # of arithmetic written above
    except SyntaxError:  # Python has a limit on how deep parentheses nest
        return None
    return found


class Footprint:
    """The box that some reads of one producer touch, as a function of the box of the loops around."""

    def __init__(self, reads: list[tuple[Expr, ...]], loops: list[str], ranges: Scope) -> None:
        """`reads`: the coordinates of each read; `loops`: the variables whose ranges the box depends on; `ranges`:
        what is known of the values of Funcs."""
        scope = {**ranges, **{n: (Variable(I32, low_name(n)), Variable(I32, high_name(n))) for n in loops}}
        memo: dict[int, tuple[Expr | None, Expr | None]] = {}
        # By dimension: the distinct least, and the distinct greatest coordinates of the reads; None: unbounded.
        self.ends: list[tuple[list[End] | None, list[End] | None]] = []
        for dim in range(len(reads[0])):
            sides: list[list[End] | None] = []
            for side in (0, 1):
                ends: dict[int, Expr] = {}
                bounded = True
                for r in reads:
                    e = bounds_of(r[dim], scope, memo)[side]
                    if e is None:
                        bounded = False
                        break
                    e = simplify_index(e)
                    ends[key(e)] = e
                functions = [compiled(e) for e in ends.values()] if bounded else []
                known = [f for f in functions if f is not None]
                sides.append(known if bounded and len(known) == len(functions) else None)
            self.ends.append((sides[0], sides[1]))

    def box(self, values: Values, whole: NumericBox) -> NumericBox:
        """The box at `values` (the ends of the loops, Params, metadata); `whole` stands in where it is unbounded.

        Raises KeyError for a Variable without a value."""
        out: list[Range] = []
        for (lows, highs), (first, last) in zip(self.ends, whole, strict=True):
            low, high = first, last
            if lows is not None:
                low = lows[0](values)
                for f in lows[1:]:
                    low = _least(low, f(values))
            if highs is not None:
                high = highs[0](values)
                for f in highs[1:]:
                    high = _most(high, f(values))
            out.append((_bounded(low), _bounded(high)))
        return tuple(out)


def joined(a: NumericBox | None, b: NumericBox) -> NumericBox:
    """The smallest box around both."""
    if a is None:
        return b
    return tuple(
        (_least(p, r), _most(q, s)) for (p, q), (r, s) in zip(a, b, strict=True)
    )


def extents(box: NumericBox) -> list[Number]:
    """The extents of a box, none below 0."""
    return [_most(high - low + 1, 0) for low, high in box]


def points(box: NumericBox) -> Number:
    """How many points a box has."""
    total: Number = 1.0
    for e in extents(box):
        total = total * e
    return total
