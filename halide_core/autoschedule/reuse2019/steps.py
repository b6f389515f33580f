"""Members computed for one step of another member's reduction, whose loops go around all others: what they store is as
small as what a step needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import Number, NumericBox, joined, points
from halide_core.passes.races import is_pure_loop

# What steps may compute of a member, over what all of them need of it: the rest would be computed anew by each.
_ANEW = 1.7


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of the reduction of `around`: how many, and what one needs of the members that are there for it."""

    around: str
    count: Number
    boxes: dict[str, NumericBox]


def may_go_around(description: Description, costs: Costs, name: str) -> bool:
    """Whether the reduction of a Func may be the outermost of its loops, with vectors inside."""
    node = description.nodes[name]
    if len(node.stages) != 2 or costs.ways[name, 1].vector is None:
        return False
    update = node.stages[1]
    d = update.definition
    if d.domain is None or d.domain.predicates or passes_through(update):
        return False
    return all(is_pure_loop(node.function, d, a) for a in update.pure)


def divided(
    description: Description, around: Node, members: frozenset[str], order: Sequence[str],
    in_tile: dict[str, NumericBox],
) -> Steps | None:
    """The steps of the reduction of `around`, of which a tile needs `in_tile`; None where no member is for it alone.
    `order`: members and inlined Funcs, consumers first."""
    update = around.stages[1]
    found = dict(description.required(update, in_tile[around.name], one_step=True))
    alone = {around.name}
    count = description.iterations(update, tuple((low, low) for low, _ in around.region))
    boxes: dict[str, NumericBox] = {}
    for name in order:
        node = description.nodes[name]
        if name not in found or name in around.stages[0].reads or not alone.issuperset(node.consumers):
            continue
        box = description.stored(node, found[name])
        if name in members:
            if bool(np.any(count * points(box) > _ANEW * points(in_tile[name]))):
                continue
            boxes[name] = box
        alone.add(name)
        for stage in node.stages:
            for read, b in description.required(stage, box).items():
                found[read] = joined(found.get(read), b)
    return Steps(around.name, count, boxes) if boxes else None


def passes_through(stage: Stage) -> bool:
    """Whether the steps of an update write, and read, in different places: scans, and tables of wider and wider
    windows."""
    return stage.own is not None and stage.moves
