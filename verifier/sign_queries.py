"""Questions of symbolic execution, put to the solver: about signs, comparisons and equal values."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.ir.expr import Expr
from halide_core.ir.structural import key, variables
from lifter.algebra.polynomial import Poly
from lifter.ir.effects import loads
from verifier.smt import IndexEncoder, Proved, Query, Unknown, ValueEncoder, prove

_MOST_KNOWN = 1 << 14
_FOLLOWS: dict[tuple[frozenset[int], Poly], bool] = {}
"""Questions of `follows` that were decided, by the numbers of their conditions."""


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
    asked = frozenset(key(c) for c in conditions), p
    if asked not in _FOLLOWS:
        index = IndexEncoder()
        goal = index.poly(p) >= 0
        given = [index.given(c) for c in conditions if not loads(c)]
        answer = prove(Query((*index.facts, *given), goal), 1.0)
        if isinstance(answer, Unknown):  # another time there may be longer
            return False
        if len(_FOLLOWS) >= _MOST_KNOWN:
            _FOLLOWS.clear()
        _FOLLOWS[asked] = isinstance(answer, Proved)
    return _FOLLOWS[asked]


def same_values(conditions: Sequence[Expr], a: Expr, b: Expr) -> bool:
    """Whether two values are proved equal, bit for bit, wherever `conditions` hold, whatever reads and calls give."""
    encoder = ValueEncoder()
    given = tuple(encoder.encode(c) for c in conditions)
    return isinstance(prove(Query(given, encoder.equal(a, b)), 2.0), Proved)
