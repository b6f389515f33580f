"""What points of the Funcs of a segment cost, by the boxes over which they are computed; each is priced once for all
candidates that have the same tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halide_core.autoschedule.analysis.description import Node, Stage
from halide_core.autoschedule.analysis.footprints import Number, NumericBox, extents
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.reuse2019.plan import Level
from halide_core.autoschedule.reuse2019.steps import passes_through
from halide_core.autoschedule.reuse2019.tiles import Tiles
from halide_core.autoschedule.rules.row_blocks import RowBlocks

# Cycles of entering a loop over a row.
_ROW = 25.0


Place = tuple[Level, Number, Number]
"""(level, points computed in a tile, points stored) of one way of placing a member."""


@dataclass(frozen=True, slots=True)
class Places:
    """The ways of placing a member: the cycles in a tile of each, and of the first one in blocks of rows, which take
    `share` of the cycles of single rows."""

    places: list[Place]
    costs: list[Number]
    eager_cost: Number
    share: Number


class PointCycles:
    """The cycles of points of the members of `tiles`, and of its output.  `row_blocks`: where rows are computed
    together."""

    def __init__(self, tiles: Tiles, machine: Machine, row_blocks: RowBlocks | None) -> None:
        self.tiles, self.machine, self.row_blocks = tiles, machine, row_blocks
        self.d, self.costs = tiles.description, tiles.costs
        self._heights: dict[str, int] = {}
        # By member, of the candidates that have nothing but their tiles.
        self.places: dict[str, Places] = {}
        # By what is computed; with the box, which lives as long as its number stands for it.
        self._known: dict[tuple[str, int, int, int, bool], tuple[NumericBox, Number]] = {}

    def of(self, node: Node, box: NumericBox, around: bool = False) -> Number:
        """Cycles a point of all stages of a Func that is computed over `box` at a time; `around`: its reduction goes
        around its loops."""
        total: Number = 0.0
        for stage in node.stages:
            total = total + self.of_stage(stage, box, around=around)
        return total

    def of_stage(self, stage: Stage, box: NumericBox, rows: int = 1, around: bool = False) -> Number:
        """Cycles a point of the Func of `stage` for that stage, `rows` rows of `box` computed together."""
        entry = stage.func, stage.index, id(box), rows, around
        if entry not in self._known:
            self._known[entry] = box, self._priced(stage, box, rows, around)
        return self._known[entry][1]

    def height(self, member: Node) -> int:
        """How many rows of a member that a tile needs are computed together."""
        if self.row_blocks is None or not member.is_pure:
            return 1
        if member.name not in self._heights:
            heights = self.row_blocks.heights(member.stages[0], self.tiles.inlined)
            self._heights[member.name] = max((1, *heights))
        return self._heights[member.name]

    def in_blocks(self, node: Node, box: NumericBox) -> Number:
        """What blocks of rows cost of a member that is computed for a tile, of what rows cost one by one."""
        high = self.height(node)
        if high == 1:
            return 1.0
        several, alone = (self.of_stage(node.stages[0], box, n) for n in (high, 1))
        return np.where(self.tiles.extents(box)[1] >= 2 * high, several / alone, 1.0)

    def rate(self, size: Number) -> Number:
        """Cycles a byte of what is reused only after `size` bytes."""
        m = self.machine
        slow = np.where(size > m.last_level_cache_size / 2, m.memory_cycles, m.last_level_cycles)
        return np.where(size > m.l2_size / 2, slow, np.where(size > m.l1_size / 2, m.l2_cycles, 0.0))

    def _priced(self, stage: Stage, box: NumericBox, rows: int, around: bool) -> Number:
        t, node = self.tiles, self.d.nodes[stage.func]
        way = self.costs.ways[stage.func, stage.index]
        args = node.function.args
        sizes = t.extents(box)
        # Pure stages run once for each point.
        per_point: Number = 1.0
        if stage.index:
            per_point = self.d.iterations(stage, box) / np.maximum(t.points(box), 1)
        width = sizes[args.index(way.vector)] if way.vector is not None else np.ones(1)
        if way.vector is None and stage.reduction:
            # Its innermost loop is one of the reduction.
            width = np.maximum(per_point, 1)
        some = np.maximum(width, 1)
        padded = np.ceil(width / way.lanes) * way.lanes / some
        whole = extents(node.region)
        channels = self.costs.together(stage.func, t.inlined)
        together = t.options.finish and all(
            bool(np.all(sizes[args.index(a)] >= whole[args.index(a)])) for a in channels
        )
        cycles: Number = self.costs.cycles(stage, t.inlined, together)
        if rows > 1 and self.row_blocks is not None:
            cycles = self.row_blocks.cycles(stage, t.inlined, rows) or cycles
        again = 3 if passes_through(stage) else 2 if stage.index and around else 0
        if again:
            # Each step of the reduction reads and writes all of the Func again, here or there.
            cycles = cycles + again * node.bytes * self.rate(t.points(box) * node.bytes)
        return per_point * (cycles * padded + _ROW / some)
