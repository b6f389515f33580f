"""Whether two ways of running a nest store the same, in the same order: row by row, and all rows as one.

    if (src_stride == width && dst_stride == width) { width *= height; height = 1; src_stride = dst_stride = 0; }
    for (y < height) for (x < width) dst[y * dst_stride + x] = src[y * src_stride + x];

Where the condition holds, the one loop's iteration y * width + x is iteration (y, x) of the two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from halide_core.ir.expr import EQ, I32, NE, Expr, Load, Variable, make_bool
from halide_core.ir.structural import key, transform, variables
from lifter.algebra.fold import clauses, fold_node
from lifter.algebra.polynomial import Obligation, Poly, exact, from_poly, to_poly
from lifter.algebra.wrapping import reads_memory
from lifter.ir.effect_queries import promised
from lifter.ir.effects import Effect, LoopInfo
from lifter.ir.names import is_address, is_counter, is_undefined

Values = Mapping[str, Poly]
"""What variables are."""


def equalities(condition: Expr) -> dict[str, Poly]:
    """What a condition says that parameters are, over the others."""
    known: dict[str, Poly] = {}
    for c in clauses(condition):
        if not isinstance(c, EQ) or not c.a.type.is_int_or_uint() or c.a.type.is_bool():
            continue
        if any(is_address(n) or is_undefined(n) or is_counter(n) for n in variables(c)):
            continue
        met: list[Obligation] = []
        difference = (to_poly(c.a, met) - to_poly(c.b, met)).substitute(known)
        if not all(map(promised, met)):
            continue
        common = math.gcd(*difference.terms.values())
        difference = Poly({m: c // common for m, c in difference.terms.items()})
        for name in sorted(difference.names()):
            factor = difference.coefficient(name)
            unit = factor.constant_value() if factor is not None else None
            if unit in (1, -1):
                value = difference.substitute({name: Poly()}).scale(-unit)
                known = {n: p.substitute({name: value}) for n, p in known.items()} | {name: value}
                break
    return known


def settled(e: Expr, known: Values) -> Expr:
    """An expression where variables are what is `known`, in a form by which those with one value are one."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Variable) and n.name in known:
            return exact(known[n.name], n.type)
        if isinstance(n, Load):
            return Load(n.type, n.name, from_poly(to_poly(n.index)))
        if isinstance(n, EQ | NE) and n.a.type.is_int() and not reads_memory(n):
            met: list[Obligation] = []
            apart = (to_poly(n.a, met) - to_poly(n.b, met)).constant_value()
            if apart is not None and all(map(promised, met)):
                return make_bool((apart == 0) == isinstance(n, EQ))
        return fold_node(n)

    return transform(e, rewrite)


def same_value(a: Expr | None, b: Expr | None, known: Values, places: Values) -> bool:
    """Whether two expressions are one, the counters of the first being `places`."""
    if a is None or b is None:
        return a is b
    return key(settled(a, {**known, **places})) == key(settled(b, known))


def same_effects(one: Sequence[Effect], other: Sequence[Effect], known: Values) -> bool:
    """Whether the effects of `one`, whose loops may run over the rows of several of `other`'s, are those of `other`."""
    return len(one) == len(other) and all(_same(a, b, known) for a, b in zip(one, other, strict=True))


def _same(a: Effect, b: Effect, known: Values) -> bool:
    places = counters(a.loops, b.loops, known)
    if places is None or (a.array, a.order, a.rewritten) != (b.array, b.order, b.rewritten):
        return False
    known = {**known, **{loop.counter: Poly() for loop in b.loops if _once(loop, known)}}
    if a.index.substitute({**known, **places}) != b.index.substitute(known):
        return False
    return same_value(a.value, b.value, known, places) and same_value(a.guard, b.guard, known, places)


def counters(one: Sequence[LoopInfo], other: Sequence[LoopInfo], known: Values) -> dict[str, Poly] | None:
    """The counters of loops over those of others that run through the same iterations in the same order; None where
    that is not seen.  The numbers of iterations of `other` must not be negative."""
    left = [(loop, loop.trip.substitute(known)) for loop in other if not _once(loop, known)]
    places: dict[str, Poly] = {}
    for loop in one:
        if _once(loop, known):
            places[loop.counter] = Poly()
            continue
        trip = loop.trip.substitute({**known, **places})
        place, product = Poly(), Poly.constant(1)
        while left:
            inner, length = left.pop(0)
            if length.names() & place.names():
                return None
            place, product = place * length + Poly.variable(inner.counter, I32), product * length
            if product == trip:
                break
        else:
            return None
        places[loop.counter] = place
    return None if left else places


def _once(loop: LoopInfo, known: Values) -> bool:
    return loop.trip.substitute(known).constant_value() == 1


__all__ = ["Values", "counters", "equalities", "promised", "same_effects", "same_value", "settled"]
