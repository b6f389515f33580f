"""Beam search for the schedule tree of least weighted cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.tree_search.features import Features, Vector
from halide_core.autoschedule.tree_search.moves import Moves
from halide_core.autoschedule.tree_search.tree import Root
from halide_core.autoschedule.tree_search.well_formed import fault


@dataclass(frozen=True, slots=True)
class Found:
    """A tree and its cost in nanoseconds, as the weights have it."""

    tree: Root
    cost: float


def beam_search(
    start: Root, moves: Moves, features: Features, weights: Vector, width: int, sweeps: int, limit: int
) -> Found:
    """The best tree that steps at one Func at a time lead to from `start`.

    Funcs are visited from the outputs to the inputs, in `sweeps` at most; `width` trees are kept; no more than about
    `limit` trees are priced."""
    graph = moves.graph
    seen = {start}
    beam = [Found(start, float(features.of(start) @ weights))]
    for _ in range(sweeps):
        before = beam[0].cost
        for func in reversed(list(graph.calls)):
            new = beam
            # What was not in the beam at the last round has not been taken further.
            while new:
                children: list[Found] = []
                for state in new:
                    for tree in moves.of(state.tree, func):
                        if tree in seen:
                            continue
                        seen.add(tree)
                        if fault(tree, graph) is None:
                            children.append(Found(tree, float(np.dot(features.of(tree), weights))))
                old = {id(s) for s in beam}
                beam = sorted([*beam, *children], key=lambda s: s.cost)[:width]
                new = [s for s in beam if id(s) not in old]
                if len(seen) > limit:
                    return beam[0]
        if beam[0].cost >= before * 0.999:
            break
    return beam[0]
