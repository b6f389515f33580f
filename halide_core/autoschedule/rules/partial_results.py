"""Histograms and sums in strips, some for each thread, that are put together at the end (rfactor)."""

from __future__ import annotations

from halide_core.autoschedule.analysis.arithmetic import is_read
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import high_name, low_name, points
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.directives import Directive, Loop
from halide_core.autoschedule.rules.default import lanes_for
from halide_core.autoschedule.rules.split_reductions import neutral
from halide_core.function import Definition
from halide_core.ir import expr as ir
from halide_core.ir.structural import post_order, variables
from halide_core.passes.races import associative_operation

# Strips for each thread, so that none waits long for the last one.
_STRIPS = 4
# Points of a reduction, and those for each cell of a strip, that are worth it.
_POINTS, _POINTS_PER_CELL = 1 << 16, 16
# Points of a histogram at a time; one by one, histogram_equalize took 1.4 times as long.
_TOGETHER = 4


def partial_results(
    description: Description, costs: Costs, machine: Machine, node: Node, stage: Stage
) -> Directive | None:
    """How an update is summed up in strips; None where it goes point by point in the order of its reduction, or has
    loops of its own to run in parallel, or where that would not be worth it.

    Exact: the order of operations on integers is free."""
    d = stage.definition
    found = associative_operation(node.function, d)
    way = costs.ways[node.name, stage.index]
    if found is None or neutral(found[0]) is None or d.domain is None or d.domain.predicates or len(d.values) != 1:
        return None
    if stage.pure or way.vector is not None:
        return None
    strips = _STRIPS * machine.parallelism
    steps = float(description.iterations(stage, node.region))
    cells = float(points(node.region))
    names = [n for n, _, _ in d.domain.variables]
    values = description.loop_values(stage, node.region)
    length = float(values[high_name(names[-1])] - values[low_name(names[-1])] + 1)
    if steps < max(_POINTS, _POINTS_PER_CELL * cells * strips) or length < strips:
        return None
    if _divides(d, names[-1]):
        return None
    indexed = any(variables(a) & set(names) for a in d.args)
    lanes = lanes_for(d, costs.target)
    first = [Loop(a) for a in node.function.args[:1] if node.region[0][1] - node.region[0][0] + 1 >= lanes]
    r = Loop(names[-1], (stage.index - 1, len(names) - 1))
    size = int(-(-length // strips))
    together = _TOGETHER if indexed else 0
    return Directive(node.name, stage.index, "partial_results", (r, size, lanes, together, *first))


def _divides(d: Definition, name: str) -> bool:
    """Whether places that are read or written take quotients of `name`: the bounds of a last, shorter strip would ask
    for more of what is read there than there is."""
    places = [*d.args, *(a for v in d.values for n in post_order(v) if is_read(n) for a in n.args)]
    return any(
        isinstance(m, ir.Div | ir.Mod) and name in variables(m)
        for a in places if name in variables(a) for m in post_order(a)
    )
