"""The order in which outputs are stored, where one reads what lies in the memory of another."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from codegen.plan import PathPlan


def turns(plan: PathPlan, readers: Mapping[str, set[str]], consumed: set[str]) -> dict[str, int] | None:
    """When each output that needs no copy has its turn, from 1 on: after those that read its array (`readers`: who
    reads an array elsewhere than at its output's own point).  None where copies must be made as if there were no
    order."""
    outputs = {o.name: o for o in plan.outputs}
    if consumed & set(outputs) or any(o.undefined or len(o.definitions) != 1 for o in plan.outputs):
        return None
    if any(i.may_coincide for i in plan.path.contract):
        return None  # what is stored first may lie in any image of the others
    direct = {n for n, o in outputs.items() if n not in readers[o.layout.array]}
    before = {n: readers[outputs[n].layout.array] & direct - {n} for n in direct}
    found: dict[str, int] = {}
    try:
        for n in TopologicalSorter(before).static_order():
            found[n] = 1 + max((found[m] for m in before[n]), default=0)
    except CycleError:
        return None
    return found
