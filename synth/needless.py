"""Contracts without the items that the proof does without."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import GE
from lifter.deadline import TimedOut, until
from lifter.effects import Path
from lifter.loops import Function
from lifter.poly import Poly, to_poly
from lifter.summary import ContractItem, PathSummary
from verifier.check import Verdict, decide
from verifier.conditions import PathConditions

_SECONDS = 0.5
"""For one condition."""
_MOST = 6
"""Items of one path that are tried, the last ones stated first."""
_ALTOGETHER = 10.0
"""For one path, or a quarter of what its whole proof took: no more than a guard, so that what a contract says does not
depend on the machine."""


def without_needless(
    function: Function, path: Path, summary: PathSummary, verdict: Verdict, demanding: bool
) -> tuple[PathSummary, Verdict]:
    """A summary that `verdict` proves, without the items of its contract that are not needed for it, and what proves
    that.  What bounds products is tried where another such item bounds the same ones; of a contract that asks for more
    than the usual (`demanding`), each item."""
    bounds = [i.bound for i in summary.contract if i.bound is not None]
    bounds += [to_poly(i.condition.a).scale(-1) for i in summary.contract if isinstance(i.condition, GE)]
    tried = [i for i in reversed(summary.contract) if _may_go(i) and (demanding or i.bound is not None)]
    end = time.perf_counter() + max(_ALTOGETHER, verdict.seconds / 4)
    for item in [i for i in tried if i.bound is None or _covered(i.bound, bounds)][:_MOST]:
        less = replace(summary, contract=tuple(i for i in summary.contract if i is not item))
        try:
            with until(end):
                found = _proof(function, path, less)
        except TimedOut:
            break
        if found is not None:
            summary, verdict = less, found
    return summary, verdict


def _proof(function: Function, path: Path, summary: PathSummary) -> Verdict | None:
    """What proves a summary; None where something does not hold, or is not proved soon."""
    likely = PathConditions(function, path, summary)  # to fail, and few
    for f in summary.funcs:
        likely.located(f)
    for i in summary.inputs:
        likely.located(i)
    found = decide(likely.out, _SECONDS, stop_early=True, examples=False)
    if any(not d.proved for d in found.decisions):
        return None
    found = decide(PathConditions(function, path, summary).generate(), _SECONDS, stop_early=True, examples=False)
    return found if found.proved else None


def _covered(bound: Poly, bounds: Sequence[Poly]) -> bool:
    """Whether the variables of each product in a bound, if there is one, stand in a product of another bound, with its
    sign."""
    wide = [p for other in bounds if other is not bound for p in _products(other)]
    return all(any(m <= w and up == sign for w, sign in wide) for m, up in _products(bound))


def _products(bound: Poly) -> list[tuple[frozenset[str], bool]]:
    return [(Poly({m: c}).names(), c > 0) for m, c in bound.terms.items() if len(m) > 1]


def _may_go(item: ContractItem) -> bool:
    """Whether the proof alone says what an item is good for: not of what it says of memory."""
    return item.inferred and item.condition is not None and item.kind not in ("apart", "inside")
