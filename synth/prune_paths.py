"""Paths without what comes to nothing."""

from __future__ import annotations

from halide_core.ir.expr import EQ, NE, const_value
from lifter.algebra.polynomial import ahead_of, to_poly
from lifter.ir.effect_edits import Edit, left_to_original, restate
from lifter.ir.effects import Effect, LoopInfo, Path, loads
from verifier.smt import IndexEncoder, Proved, Query, prove


def left_alone(path: Path) -> Edit | None:
    """The path without what it does, if its conditions hold for sizes only whose arithmetic wraps, or of which there is
    nothing, or if it takes an arm in a loop that is the original's.  The contract leaves such calls to the original."""
    if path.effects and any(const_value(c) == 0 for c, _ in path.asserts):
        return left_to_original(path)
    index = IndexEncoder()
    given = []
    for c in path.conditions:
        ahead = ahead_of(c)
        if ahead is not None:
            given.append(index.poly(ahead) >= 0)
        elif isinstance(c, EQ | NE) and c.a.type.is_int_or_uint() and not loads(c):
            difference = index.poly(to_poly(c.a) - to_poly(c.b))
            given.append(difference == 0 if isinstance(c, EQ) else index.negate(difference == 0))
    never = index.negate(index.all_of([]))
    if len(given) < len(path.conditions) or not given:
        return None
    if not _for_nothing(path) and not isinstance(prove(Query((*index.facts, *given), never), 0.5), Proved):
        return None
    return left_to_original(path)


def _for_nothing(path: Path) -> bool:
    """Whether a path allocates memory for sizes of which there is nothing: a product or a sum of several is zero."""
    if not path.arrays or path.result is not None:
        return False
    conditions = [c for c in path.conditions if isinstance(c, EQ) and c.a.type.is_uint() and not loads(c)]
    zero = [to_poly(c.a) - to_poly(c.b) for c in conditions]
    return any(len(p.names()) > 1 and p.terms.get((), 0) >= 0 for p in zero)


def without_idle(path: Path) -> Edit | None:
    """The path without stores that it never makes: a path for sizes whose product is zero, on which no loop runs.

    That counts of iterations fit 31 bits is among the items of every contract."""
    if not path.conditions or not all(e.loops for e in path.effects):
        return None
    index = IndexEncoder()
    given = [index.given(c) for c in path.conditions if not loads(c)]

    def run(loops: tuple[LoopInfo, ...]) -> bool:
        inside = []
        for loop in loops:
            trip, counter = index.poly(loop.trip), index.symbol(loop.counter)
            inside += [trip < 1 << 31, counter >= 0, counter < trip]
        never = index.negate(index.all_of(inside))
        return not isinstance(prove(Query((*index.facts, *given), never), 0.5), Proved)

    some = {loops: run(loops) for loops in dict.fromkeys(e.loops for e in path.effects)}
    idle: dict[int, Effect | None] = {e.order: None for e in path.effects if not some[e.loops]}
    return restate(path, idle) if idle else None
