"""Contracts without the items that the proof does without."""

from __future__ import annotations

import time
from dataclasses import replace

from lifter.ir.effects import Path
from lifter.ir.loop_ir import Function
from lifter.ir.summary import ContractItem, PathSummary
from lifter.support.deadline import TimedOut, until
from verifier.conditions.path import PathConditions
from verifier.decide import Verdict, decide

_SECONDS = 0.5
"""For one condition."""
_MOST = 16
"""Items of one path that are tried, the last ones stated first."""
_ALTOGETHER = 10.0
"""For one path, or a quarter of what its whole proof took: no more than a guard, so that what a contract says does not
depend on the machine."""


def without_needless(
    function: Function, path: Path, summary: PathSummary, verdict: Verdict
) -> tuple[PathSummary, Verdict]:
    """A summary that `verdict` proves, without the items of its contract that are not needed for it, and what proves
    that."""
    tried = [i for i in reversed(summary.contract) if _may_go(i)]
    end = time.perf_counter() + max(_ALTOGETHER, verdict.seconds / 4)
    for item in tried[:_MOST]:
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
        likely.layout(f)
        likely.located(f)
    for i in summary.inputs:
        likely.located(i)
    found = decide(likely.out, _SECONDS, stop_early=True, examples=False)
    if any(not d.proved for d in found.decisions):
        return None
    found = decide(PathConditions(function, path, summary).generate(), _SECONDS, stop_early=True, examples=False)
    return found if found.proved else None


def _may_go(item: ContractItem) -> bool:
    """Whether the proof alone says what an item is good for: not of what it says of memory."""
    return item.inferred and item.condition is not None and item.kind not in ("apart", "inside")
