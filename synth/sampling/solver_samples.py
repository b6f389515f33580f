"""Values of the parameters from the solver, for paths that hardly any random values take."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from halide_core.ir.expr import Expr
from halide_core.ir.types import Type
from lifter.ir.effects import loads
from verifier.smt import Query, Refuted, prove
from verifier.smt.index import IndexEncoder

_SECONDS = 0.5
# How far from zero values may lie, the widest last.
_RANGES = ((1, 24), (3, 48), (-48, 48), (-300, 300))


def solved_environments(
    required: Sequence[Expr],
    names: Mapping[str, Type],
    addresses: Sequence[str],
    tests: Sequence[Callable[[Mapping[str, int]], object]],
    count: int,
    rng: random.Random,
) -> list[dict[str, int]]:
    """Up to `count` environments over `names` and `addresses` in which `required` holds, as `tests` confirm.

    Of each a part of the parameters has random values as far as the rest allows."""
    index = IndexEncoder()
    conditions = [index.expr(c) for c in required if not loads(c) and index.faithful(c)]
    found: list[dict[str, int]] = []
    for low, high in (r for r in _RANGES for _ in range(count)):
        bounds = []
        for n, t in names.items():
            symbol = index.symbol(n, t)
            bounds += [symbol >= max(low, t.min()), symbol <= min(high, t.max())]
        for k, n in enumerate(addresses):
            symbol = index.symbol(n)
            bounds += [symbol >= 1 << 20, symbol <= (k + 2) << 20]
        env = None
        for name in ("", *rng.sample(sorted(names), min(len(names), 3))):
            if name:
                bounds.append(index.symbol(name) == rng.randint(max(low, names[name].min()), min(high, 41)))
            answer = prove(Query((*index.facts, *conditions, *bounds), index.any_of([])), _SECONDS)
            if not isinstance(answer, Refuted):
                if not name:
                    break
                bounds.pop()
                continue
            env = {n: answer.model.get(n, 0) for n in (*names, *addresses)}
        try:
            if env is not None and env not in found and all(test(env) for test in tests):
                found.append(env)
        except (KeyError, ZeroDivisionError):
            continue
        if len(found) >= count:
            break
    return found
