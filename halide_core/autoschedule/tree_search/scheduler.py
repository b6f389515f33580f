"""TreeSearch from end to end: description, search, directives."""

from __future__ import annotations

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import Machine, this_machine
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.tree_search.emit import emit
from halide_core.autoschedule.tree_search.features import Features
from halide_core.autoschedule.tree_search.moves import Moves
from halide_core.autoschedule.tree_search.search import Found, beam_search
from halide_core.autoschedule.tree_search.tree import Graph, Root, default_tree, graph_of
from halide_core.autoschedule.tree_search.weights import WEIGHTS, as_vector
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.target import Target

# Trees kept from step to step, visits of each Func, and trees priced in all.
_OPTIONS = {"beam_width": 6, "sweeps": 3, "limit": 6000}


class TreeSearch:
    """The search for one pipeline, whose parts can be looked at."""

    def __init__(self, outputs: list[Function], target: Target, machine: Machine) -> None:
        self.description = Description(outputs)
        self.costs = Costs(self.description, target)
        self.machine = machine
        nodes = self.description.nodes
        few = {n: frozenset(self.costs.muxes(n)) for n, d in nodes.items() if d.is_pure}
        self.graph: Graph = graph_of(self.description, few)
        self.features = Features(self.description, self.costs, machine, self.graph)
        self.moves = Moves(self.description, self.costs, self.graph, self.features.rows)

    def default(self) -> Root:
        """The default schedule: everything inlined, apart from Funcs with updates and from what would make their users
        too long to compile."""
        kept = set(self.graph.opaque)
        for name, node in self.description.nodes.items():
            inlined = frozenset(self.graph.calls) - kept - {name}
            while any(self.costs.work(s, inlined) is None for s in node.stages):
                # What it reads itself, one Func at a time, the one that brings most first.
                near = [n for n in self.graph.calls[name] if n in inlined]
                worst = max(near, key=lambda n: self.costs.count(self.description.nodes[n].stages[0], inlined))
                kept.add(worst)
                inlined -= {worst}
        return default_tree(self.graph, frozenset(kept))

    def best(self, width: int, sweeps: int, limit: int) -> Found:
        """What beam search finds from the default schedule."""
        return beam_search(self.default(), self.moves, self.features, as_vector(WEIGHTS), width, sweeps, limit)

    def schedule(self, tree: Root) -> Schedule:
        """The directives of a tree."""
        return emit(tree, self.description, self.costs, self.machine, self.graph)


def tree_schedule(outputs: list[Function], target: Target, extra: dict[str, str]) -> Schedule:
    """The schedule that TreeSearch finds for the pipeline of `outputs`, not applied yet.

    Raises HalideError where estimates are missing, a Func has a schedule, or `extra` is not understood."""
    options = dict(_OPTIONS)
    for name in _OPTIONS:
        if name in extra:
            if not extra[name].isdigit() or not int(extra[name]):
                raise HalideError(f"autoscheduler: {name} is a number from 1, not {extra[name]!r}")
            options[name] = int(extra[name])
    search = TreeSearch(outputs, target, this_machine(target, extra))
    return search.schedule(search.best(options["beam_width"], options["sweeps"], options["limit"]).tree)
