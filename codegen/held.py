"""Coordinates of which Halide finds no bounds, held to the box that is read.

That every read lies in the box of what it reads, at each point of the definition, is proved (`within` and `defined`,
verifier/conditions/reads.py), so that the clamp changes no value."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, Expr, const_value
from halide_core.ir.structural import cached
from halide_core.ir.types import Int
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.summary import Layout

Ends = tuple[bool, bool]
"""Whether a lower and an upper bound are found."""
_BOTH, _NONE = (True, True), (False, False)
_ENDS: dict[int, Ends] = {}


def held(
    n: Call, args: tuple[Expr, ...], boxes: Mapping[str, Layout], tight: AbstractSet[str] = frozenset()
) -> tuple[Expr, ...]:
    """The coordinates `args` of a read, those without bounds between the ends of its box; so are all others but
    bare ones where the box is one of those `tight` ones (`codegen/tight.py`)."""
    layout = boxes.get(n.name)
    if layout is None or len(layout.dims) != len(args):
        return args
    out = []
    for a, d in zip(args, layout.dims, strict=True):
        plain = isinstance(a, E.Variable) or const_value(a) is not None
        if cached(_ENDS, a, _ends) != _BOTH or (n.name in tight and not plain):
            low, high = (from_poly(p, Int(32)) for p in (d.min, d.min + d.extent - Poly.constant(1)))
            a = E.Max(I32, E.Min(I32, a, high), low)
        out.append(a)
    return tuple(out)


def _ends(n: Expr, inner: list[Ends]) -> Ends:
    """As Halide's bounds inference has it, where it is sure."""
    if const_value(n) is not None or isinstance(n, E.Variable):
        return _BOTH
    if isinstance(n, E.Cast):
        return _cast(n, inner[0])
    if isinstance(n, E.Select):
        return inner[1][0] and inner[2][0], inner[1][1] and inner[2][1]
    if isinstance(n, E.Add):
        return inner[0][0] and inner[1][0], inner[0][1] and inner[1][1]
    if isinstance(n, E.Sub):
        return inner[0][0] and inner[1][1], inner[0][1] and inner[1][0]
    if isinstance(n, E.Mul):
        return _BOTH if inner == [_BOTH, _BOTH] else _NONE
    if isinstance(n, E.Min):
        return inner[0][0] and inner[1][0], inner[0][1] or inner[1][1]
    if isinstance(n, E.Max):
        return inner[0][0] or inner[1][0], inner[0][1] and inner[1][1]
    if isinstance(n, E.Div):
        return inner[0] if (const_value(n.b) or 0) > 0 else _NONE
    if isinstance(n, E.Mod):
        return inner[1] if not n.type.is_float() else _NONE
    return _called(n, inner) if isinstance(n, Call) else _NONE


def _cast(n: E.Cast, inner: Ends) -> Ends:
    source = n.value.type
    if source.is_int_or_uint() and (source.bits <= 16 or n.type.is_float()):
        return _BOTH if source.bits <= 16 else inner
    # Of numbers of 32 bits and more conversions may wrap, for all that Halide knows.
    return inner if source.is_float() or source == n.type else _NONE


def _called(n: Call, inner: list[Ends]) -> Ends:
    constants = [const_value(a) for a in n.args]
    if n.name == "bitwise_and":
        return _BOTH if any(v is not None and v >= 0 for v in constants) else _NONE
    if n.name in ("shift_left", "shift_right"):
        return inner[0] if constants[1] is not None else _NONE
    return _BOTH if n.type.is_int_or_uint() and n.type.bits <= 16 else _NONE
