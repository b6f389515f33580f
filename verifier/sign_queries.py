"""Questions of symbolic execution, put to the solver: about signs, comparisons and equal values."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import Expr
from halide_core.ir.structural import variables
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import loads
from verifier.smt import IndexEncoder, Proved, Query, ValueEncoder, prove


def decided(conditions: Sequence[Expr], test: Expr) -> bool | None:
    """Whether `test` holds, or fails, for all parameters for which `conditions` hold; None where neither is proved."""
    names = {n for c in conditions for n in variables(c)}
    index = IndexEncoder()
    if loads(test) or not variables(test) & names or not index.faithful(test):
        return None
    given = [index.given(c) for c in conditions if not loads(c)]
    goal = index.expr(test)
    for answer, claim in ((True, goal), (False, index.negate(goal))):
        if isinstance(prove(Query((*index.facts, *given), claim), 2.0), Proved):
            return answer
    return None


def follows(conditions: Sequence[Expr], p: Poly) -> bool:
    """Whether p >= 0 is proved for all parameters for which `conditions` hold."""
    if any(loads(a) for a in p.atoms().values()):
        return False
    index = IndexEncoder()
    goal = index.poly(p) >= 0
    given = [index.given(c) for c in conditions if not loads(c)]
    return isinstance(prove(Query((*index.facts, *given), goal), 1.0), Proved)


def same_values(conditions: Sequence[Expr], a: Expr, b: Expr) -> bool:
    """Whether two values are proved equal, bit for bit, wherever `conditions` hold, whatever reads and calls give."""
    encoder = ValueEncoder()
    given = tuple(encoder.encode(c) for c in conditions)
    return isinstance(prove(Query(given, encoder.equal(a, b)), 2.0), Proved)
