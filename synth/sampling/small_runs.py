"""What small runs of the loops show of places: where stores land, for values of the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halide_core.ir.expr import Expr
from halide_core.ir.structural import variables
from lifter.algebra.fold import clauses
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import Effect, loads
from lifter.ir.summary import EffectMap, Layout
from synth.sampling.samples import Env, NotConcrete, compiled, compiled_poly, visited


@dataclass(frozen=True, slots=True)
class SmallRuns:
    """The stores of one region under `samples`, values of the parameters."""

    samples: Sequence[Env]
    effects: Mapping[int, Effect]
    """By their orders."""
    layout: Layout

    def same_place(self, names: list[str], a: Poly, b: Poly, m: EffectMap) -> bool:
        """Whether two addresses are one in the iterations of an effect that small values of the parameters give."""
        try:
            first, second = compiled_poly(a), compiled_poly(b)
            place = [compiled_poly(c) for c in m.coords]
            seen = False
            for env in self.samples:
                for here in visited(self.effects[m.order], env):
                    point = {**here, **{n: c(here) for n, c in zip(names, place, strict=True)}}
                    if first(point) != second(point):
                        return False
                    seen = True
        except (NotConcrete, KeyError, ZeroDivisionError):
            return False
        return seen

    def ends(self, m: EffectMap, position: int) -> tuple[Poly, Poly] | None:
        """The first coordinate of an effect along a dimension, and the one after its last, if it takes each between."""
        e, c = self.effects[m.order], m.coords[position]
        counters = [loop for loop in e.loops if loop.counter in c.names()]
        first = c.substitute({loop.counter: Poly() for loop in counters})
        left, step = list(counters), Poly.constant(1)
        while left:  # a tile's rows, then its elements: each counter goes on where the one before has ended
            loop = next((x for x in left if c.coefficient(x.counter) == step), None)
            if loop is None:
                return None
            left.remove(loop)
            step = step * loop.trip
        ends = first, first + step
        return None if any(p.names() & set(e.counters) for p in ends) else ends

    def before(self, a: Poly, b: Poly) -> bool:
        """Whether a polynomial over parameters is at most another one under all samples."""
        try:
            first, second = compiled_poly(a), compiled_poly(b)
            return all(first(env) <= second(env) for env in self.samples)
        except (NotConcrete, KeyError, ZeroDivisionError):
            return False

    def remainder(self, m: EffectMap, position: int, step: int) -> int | None:
        """The remainder by `step` of all coordinates of an effect along a dimension; None where there are several."""
        try:
            place = compiled_poly(m.coords[position])
            found = {place(here) % step for env in self.samples for here in visited(self.effects[m.order], env)}
        except (NotConcrete, KeyError, ZeroDivisionError):
            return None
        return found.pop() if len(found) == 1 else None

    def guard(self, m: EffectMap) -> tuple[Expr, ...]:
        """The conditions on parameters alone under which an effect stores to a fixed place of the region, where small
        runs show that the place is there without them too: the last pixel of an odd row."""
        guard = self.effects[m.order].guard
        counters = set(self.effects[m.order].counters)
        held = clauses(guard) if guard is not None else []
        known = [c for c in held if not loads(c) and not variables(c) & counters]
        fixed = [(c, d) for c, d in zip(m.coords, self.layout.dims, strict=True) if not c.names() & set(m.inverse)]
        try:
            tests = [compiled(c) for c in known]
            places = [[compiled_poly(p) for p in (c, d.min, d.min + d.extent)] for c, d in fixed]
            for env in self.samples:
                if all(test(env) for test in tests):
                    continue
                here = [tuple(value(env) for value in place) for place in places]
                if all(low <= place < end for place, low, end in here):
                    return tuple(known)
        except (NotConcrete, KeyError, ZeroDivisionError):
            return ()
        return ()


def no_remainder(_m: EffectMap, _position: int, _step: int) -> int | None:
    """For where small runs are not asked."""
    return None
