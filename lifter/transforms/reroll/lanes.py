"""Expressions of the lanes of registers as one expression over the number of the lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Cast, Expr, IntImm, Load, UIntImm, Variable, const
from lifter.algebra.anti_unify import INSIDE, AntiUnifier, Inside
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.names import array_of, is_read, split_tag


class Lanes:
    """Expressions of lanes as one over a counter."""

    def __init__(self, written: set[str], counter: str) -> None:
        self.written = written
        self.counter = Variable(I32, counter)
        self._unifier = AntiUnifier(self._differing, fold_node)

    def one(self, lanes: Sequence[Expr]) -> Expr | None:
        """An expression over the counter that is each lane's for its number; None where there is none of their form."""
        return self._unifier.one(lanes)

    def _differing(self, lanes: Sequence[Expr]) -> Expr | Inside | None:
        first = lanes[0]
        if any(type(e) is not type(first) or e.type != first.type for e in lanes):
            return None
        if isinstance(first, Load):
            return self._read([e for e in lanes if isinstance(e, Load)])
        if isinstance(first, IntImm | UIntImm):
            return self._constant([e.value for e in lanes if isinstance(e, IntImm | UIntImm)], first)
        return INSIDE

    def _read(self, lanes: list[Load]) -> Expr | None:
        names = {e.name for e in lanes}
        arrays = {array_of(e) for e in lanes}
        if len(names) > 1 and (len(arrays) > 1 or arrays & self.written or not all(map(is_read, lanes))):
            return None
        # At the latest of their times: where another array is the same memory, that is what must be early enough.
        name = max(names, key=lambda n: split_tag(n)[1]) if len(names) > 1 else lanes[0].name
        index = self._index([to_poly(e.index) for e in lanes])
        if index is None:
            plain = self.one([e.index for e in lanes])
            return None if plain is None else replace(lanes[0], name=name, index=plain)
        return replace(lanes[0], name=name, index=from_poly(index))

    def _index(self, places: list[Poly]) -> Poly | None:
        step = places[1] - places[0]
        if any(p - places[0] != step.scale(k) for k, p in enumerate(places)):
            return None
        return places[0] + Poly.variable(self.counter.name, I32) * step

    def _constant(self, values: list[int], first: Expr) -> Expr | None:
        """An arithmetic progression, all of which the type holds."""
        step = values[1] - values[0]
        if any(v != values[0] + step * k for k, v in enumerate(values)) or first.type.bits < 8:
            return None
        lane = self.counter if step == 1 else E.Mul(I32, self.counter, const(step, I32))
        wide = fold_node(E.Add(I32, const(values[0], I32), lane))
        if not all(-(1 << 30) < v < 1 << 30 for v in values):
            return None
        return wide if first.type == I32 else Cast(first.type, wide)


__all__ = ["Lanes"]
