"""How outputs are stored that lie in memory which others read: one after the other, or together point by point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from codegen.plan import PathPlan
from lifter.ir.summary import FuncSummary


@dataclass(frozen=True, slots=True)
class Turns:
    """Outputs that need no copy: (the turn of each, from 1 on, those that are stored together)."""

    turn: Mapping[str, int]
    together: tuple[tuple[str, ...], ...]


def turns(
    plan: PathPlan,
    readers: Mapping[str, set[str]],
    at_own_point: set[tuple[str, str]],
    consumed: set[str],
    together: bool,
) -> Turns | None:
    """Outputs are stored after those that read their memory.  `readers`: who reads an array elsewhere than at its
    output's own point; `at_own_point`: (Func, array) where the Func reads the array at its own point only; `together`:
    outputs that read each other so may be made one of several values.  None where no order is known."""
    outputs = {o.name: o for o in plan.outputs}
    if consumed & set(outputs) or any(o.undefined or len(o.definitions) != 1 for o in plan.outputs):
        return None
    if any(i.may_coincide for i in plan.path.contract):
        return None  # what is stored first may lie in any image of the others
    direct = [n for n, o in outputs.items() if n not in readers[o.layout.array]]
    reads = {(n, m) for m in direct for n in readers[outputs[m].layout.array] if n in direct}
    groups = _groups(direct, outputs, reads, at_own_point if together else set())
    before = {g: {groups[n] for n, m in reads if groups[m] == g and groups[n] != g} for g in groups.values()}
    found: dict[tuple[str, ...], int] = {}
    try:
        for g in TopologicalSorter(before).static_order():
            found[g] = 1 + max((found[b] for b in before[g]), default=0)
    except CycleError:
        return None
    several = tuple(g for g in dict.fromkeys(groups.values()) if len(g) > 1)
    return Turns({n: found[g] for n, g in groups.items()}, several)


def _groups(
    direct: list[str],
    outputs: Mapping[str, FuncSummary],
    reads: set[tuple[str, str]],
    at_own_point: set[tuple[str, str]],
) -> dict[str, tuple[str, ...]]:
    """Outputs of one size of which some read others, all of them at their own points."""
    groups: dict[str, tuple[str, ...]] = {n: (n,) for n in direct}
    for n, m in sorted(reads):
        if groups[n] != groups[m] and _size(outputs[n]) == _size(outputs[m]):
            both = (*groups[n], *groups[m])
            inner = [(a, b) for a, b in reads if a in both and b in both]
            if all((a, outputs[b].layout.array) in at_own_point for a, b in inner):
                groups |= dict.fromkeys(both, both)
    return groups


def _size(f: FuncSummary) -> list[tuple[object, object]]:
    return [(d.min, d.extent) for d in f.layout.dims]
