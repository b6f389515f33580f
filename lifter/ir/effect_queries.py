"""Questions about effects and conditions: what is observed, what is promised, what the reads of an effect see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from halide_core.ir.expr import Expr, children
from halide_core.ir.structural import key
from lifter.algebra.polynomial import Obligation, Poly, ahead_of, to_poly
from lifter.ir.effects import Effect, arrays_in, loads, sites
from lifter.ir.names import array_of

Follows = Callable[[Sequence[Expr], Poly], bool]
"""Whether a polynomial is not negative wherever conditions hold."""


def observed(effects: Sequence[Effect], outputs: AbstractSet[str], result: Expr | None) -> list[Effect]:
    """The effects without stores to local arrays that nothing reads: what is read of them at once has been put in place
    of the reads."""
    while True:
        seen = set(outputs)
        for e in effects:
            for x in (*sites(e), *_bounds(e)):
                seen |= arrays_in([x])
        if result is not None:
            seen |= arrays_in([result])
        kept = [e for e in effects if e.array in seen]
        if len(kept) == len(effects):
            return kept
        effects = kept


def least(asked: Sequence[Expr], given: Sequence[Expr], follows: Follows) -> list[Expr]:
    """Comparisons of order without those that follow from the rest and from what is given."""
    left = list({key(c): c for c in asked}.values())
    for c in list(left):
        others = [x for x in left if x is not c]
        ahead = ahead_of(c)
        if ahead is not None and follows([*given, *others], ahead):
            left = others
    return left


def ahead_exactly(guard: Expr, given: Sequence[Expr], follows: Follows) -> Poly | None:
    """What is zero or more where a guard holds, if that is known not to wrap."""
    return ahead_of(guard) if compares_integers(guard, {}, given, follows) else None


def compares_integers(comparison: Expr, at: Mapping[str, Poly], given: Sequence[Expr], follows: Follows) -> bool:
    """Whether what is compared is known not to wrap, with counters as `at` says."""
    met: list[Obligation] = []
    for x in children(comparison):
        to_poly(x, met)
    return hold(met, at, given, follows)


def hold(met: Sequence[Obligation], at: Mapping[str, Poly], given: Sequence[Expr], follows: Follows) -> bool:
    """Whether obligations are met, with counters as `at` says."""
    for o in met:
        if promised(o):
            continue
        p = o.poly.substitute(at)
        ends = [p] if o.type is None else [p - Poly.constant(o.type.min()), Poly.constant(o.type.max()) - p]
        if not all(follows(given, end) for end in ends):
            return False
    return True


def promised(o: Obligation) -> bool:
    """Whether C++ itself promises it: signed arithmetic of 32 bits or more does not overflow."""
    return o.type is not None and o.type.is_int() and o.type.bits >= 32


def own_reads(e: Effect) -> list[Poly]:
    """Where an effect reads the array that it writes, for its value or to decide whether it writes."""
    read = [n for x in (e.value, *([e.guard] if e.guard is not None else [])) for n in loads(x)]
    return [to_poly(n.index) for n in read if array_of(n) == e.array]


def _bounds(e: Effect) -> list[Expr]:
    return [a for loop in e.loops for a in loop.trip.atoms().values()]
