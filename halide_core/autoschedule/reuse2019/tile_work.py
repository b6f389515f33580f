"""What is computed for each tile of a segment whose reduction stays in registers."""

from __future__ import annotations

import numpy as np

from halide_core.autoschedule.analysis.footprints import Number, NumericBox, points
from halide_core.autoschedule.reuse2019.candidate import BOUNDS
from halide_core.autoschedule.reuse2019.point_cycles import PointCycles


class TileWork:
    """What the Funcs `rest` of a segment cost that are computed for each tile of its output."""

    def __init__(self, cycles: PointCycles, rest: frozenset[str]) -> None:
        self.cycles = cycles
        self.rest = rest

    def boxes(self, across: str, width: Number, height: Number) -> dict[str, NumericBox]:
        """What a tile in the middle needs of everything: `width` points along the vectors, `height` along `across`."""
        t = self.cycles.tiles
        sizes = {t.vector: width, across: height}
        box: list[tuple[Number, Number]] = []
        for a, (low, high) in zip(t.node.function.args, t.node.region, strict=True):
            length = np.minimum(sizes.get(a, 1), high - low + 1)
            start = low + (high - low + 1 - length) // 16 * 8
            box.append((start, start + length - 1))
        return t.required(tuple(box))

    def cost(self, across: str, width: Number, height: Number) -> tuple[Number, Number]:
        """(cycles, bytes that the buffers take) for one tile."""
        t = self.cycles.tiles
        found = self.boxes(across, width, height)
        cycles: Number = np.zeros(np.shape(width))
        held: Number = np.zeros(np.shape(width))
        for name in self.rest:
            if name in found:
                node = t.description.nodes[name]
                cycles = cycles + points(found[name]) * self.cycles.of(node, found[name]) + BOUNDS
                held = held + points(found[name]) * node.bytes
        # What the members write, and their users read again, at the speed of what holds all of their buffers.
        cycles = cycles + 2 * held * self.cycles.rate(2 * held)
        for name, box in found.items():
            if name not in t.members and name not in t.inlined:
                size = t.description.bytes(name)
                rate = self.cycles.rate(points(t.description.whole(name)) * size)
                cycles = cycles + points(box) * size * rate
        return cycles, held
