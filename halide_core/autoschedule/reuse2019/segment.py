"""The segments of a pipeline and the permutations of their loops (algorithm 3)."""

from __future__ import annotations

import itertools

import numpy as np

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import extents
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.reuse2019.candidate import Candidate
from halide_core.autoschedule.reuse2019.options import Options
from halide_core.autoschedule.reuse2019.plan import TILE, Level, Plan
from halide_core.autoschedule.reuse2019.point_cycles import PointCycles
from halide_core.autoschedule.reuse2019.register_tile import best_register_tile, reduction_of
from halide_core.autoschedule.reuse2019.steps import may_go_around, passes_through
from halide_core.autoschedule.reuse2019.tile_work import TileWork
from halide_core.autoschedule.reuse2019.tiles import Tiles
from halide_core.autoschedule.rules.row_blocks import RowBlocks
from halide_core.passes.races import is_pure_loop

# (sliding loop, dimensions inside, dimensions outside)
_Shape = tuple[str | None, tuple[str, ...], tuple[str, ...]]


class Segments:
    """Evaluates segments of one pipeline, each once."""

    def __init__(self, description: Description, costs: Costs, machine: Machine, options: Options) -> None:
        self.description = description
        self.costs = costs
        self.machine = machine
        self.options = options
        self.row_blocks = RowBlocks(costs)
        self.known: dict[tuple[str, frozenset[str], frozenset[str]], Plan] = {}

    def plan(self, output: str, members: frozenset[str], inlined: frozenset[str]) -> Plan:
        """The best plan for `output` with `members` computed in it; `inlined` are those of the whole pipeline."""
        near = self._inlined_near(output, members, inlined)
        entry = output, members, near
        if entry not in self.known:
            self.known[entry] = self._search(output, members, near)
        return self.known[entry]

    def _inlined_near(self, output: str, members: frozenset[str], inlined: frozenset[str]) -> frozenset[str]:
        found: set[str] = set()
        work = [output, *members]
        while work:
            for stage in self.description.nodes[work.pop()].stages:
                for read in stage.reads:
                    if read in inlined and read not in found:
                        found.add(read)
                        work.append(read)
        return frozenset(found)

    def _search(self, output: str, members: frozenset[str], inlined: frozenset[str]) -> Plan:
        node = self.description.nodes[output]
        # Whose reduction goes around its loops, and whether members are eager for blocks of rows.
        ways: list[tuple[str | None, bool]] = [(None, False)]
        if self.options.fusion and self.options.finish:
            ways += [(n, False) for n in sorted(members) if may_go_around(self.description, self.costs, n)]
        row_blocks = self.row_blocks if self.options.row_blocks else None
        if any(self._heights(self.description.nodes[n], inlined) for n in members):
            ways.append((None, True))
        found: list[Plan | None] = []
        for shape in self._shapes(node, inlined):
            cycles = PointCycles(self._tiles(node, members, inlined, shape), self.machine, row_blocks)
            found += [Candidate(cycles, n, eager=eager).best() for n, eager in ways]
            if self.description.axes(node)[1:2] == (shape[0],):
                found += [Candidate(cycles, rows=r).best() for r in self._heights(node, inlined)]
            if self.options.finish and self.costs.turned(output) == shape[0]:
                turned = self._tiles(node, members, inlined, shape, blocks=True)
                found.append(Candidate(PointCycles(turned, self.machine, row_blocks)).best())
        if self.options.finish:
            found += [self._register_tile(node, name, members, inlined) for name in sorted(members)]
        return min((p for p in found if p is not None), key=lambda p: p.cost)

    def _tiles(
        self, node: Node, members: frozenset[str], inlined: frozenset[str], shape: _Shape, blocks: bool = False
    ) -> Tiles:
        return Tiles(self.description, self.costs, self.options, node, members, inlined, *shape, blocks)

    def _heights(self, node: Node, inlined: frozenset[str]) -> list[int]:
        """The heights of blocks of rows that are tried."""
        if not self.options.row_blocks or not node.is_pure or len(node.function.args) < 2:
            return []
        return self.row_blocks.heights(node.stages[0], inlined)

    def _register_tile(
        self, node: Node, name: str, members: frozenset[str], inlined: frozenset[str]
    ) -> Plan | None:
        """The plan that holds the reduction `name` in registers, what else is in the segment computed for each tile."""
        if reduction_of(self.description, self.costs, node, name) is None:
            return None
        rest = members - {name}
        nodes = [self.description.nodes[n] for n in rest]
        tables = [n.is_pure or any(map(passes_through, n.stages)) for n in nodes]
        if rest and (not all(tables) or all(n.is_pure for n in nodes)):
            # Measured: borders, and other reductions, in the loops of a convolution cost more than they save.
            return None
        work = TileWork(PointCycles(self._tiles(node, members, inlined, (None, (), ())), self.machine, None), rest)
        block = best_register_tile(
            self.description, self.costs, self.machine, node, name, inlined, work.cost if rest else None, rest
        )
        if block is None:
            return None
        order = tuple(n for n in self.description.nodes if n in rest)
        plan = Plan(node.name, order, block.cost, register_tile=block)
        boxes = work.boxes(block.across, np.array([block.tile[0]]), np.array([block.tile[1]]))
        for n in order:
            plan.levels[n] = Level(TILE, TILE)
            plan.extents[n] = tuple(int(np.asarray(e).flat[0]) for e in extents(boxes[n]))
        return plan

    def _shapes(self, node: Node, inlined: frozenset[str]) -> list[_Shape]:
        """The permutations of the loops that are tried."""
        args = node.function.args
        if not node.is_pure:
            free = [a for a in args if all(self._free(node, s, a) for s in node.stages)]
            return [(None, (), tuple(a for a in args if a in free and a != self.costs.vector_loop(node)))]
        vector = self.costs.vector_loop(node)
        others = [a for a in args if a != vector]
        # Unrolled dimensions are innermost, whatever the rest, and so are channels that run with pixels as one row.
        unrolled = self.costs.together(node.name, inlined) if self.options.finish else set()
        if self.costs.is_row(node.name, inlined):
            unrolled = unrolled | {self.description.axes(node)[-1]}
        inner = tuple(a for a in others if a in unrolled)
        others = [a for a in others if a not in unrolled]
        if not others:
            return [(None, inner, ())]
        out: list[_Shape] = []
        # The first of those that cost the same goes through storage in its order.
        order = self.description.axes(node)
        for slide in sorted(others, key=order.index, reverse=True):
            rest = [a for a in others if a != slide]
            for count in range(len(rest) + 1):
                for inside in itertools.combinations(rest, count):
                    out.append((slide, (*inner, *inside), tuple(a for a in rest if a not in inside)))
        return out

    def _free(self, node: Node, stage: Stage, name: str) -> bool:
        """Whether the loop over `name` may run in parallel in `stage`."""
        return name in stage.pure and (not stage.index or is_pure_loop(node.function, stage.definition, name))
