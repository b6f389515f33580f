"""What is computed for each tile of a segment whose reduction stays in registers."""

from __future__ import annotations

import numpy as np

from halide_core.autoschedule.footprints import Number, NumericBox, points
from halide_core.autoschedule.reuse2019.candidate import BOUNDS, Candidate


class TileWork:
    """What the Funcs `rest` of a segment cost that are computed for each tile of its output."""

    def __init__(self, candidate: Candidate, rest: frozenset[str]) -> None:
        self.candidate = candidate
        self.rest = rest

    def boxes(self, across: str, width: Number, height: Number) -> dict[str, NumericBox]:
        """What a tile in the middle needs of everything: `width` points along the vectors, `height` along `across`."""
        c = self.candidate
        sizes = {c.tiles.vector: width, across: height}
        box: list[tuple[Number, Number]] = []
        for a, (low, high) in zip(c.node.function.args, c.node.region, strict=True):
            length = np.minimum(sizes.get(a, 1), high - low + 1)
            start = low + (high - low + 1 - length) // 16 * 8
            box.append((start, start + length - 1))
        return c.tiles.required(tuple(box))

    def cost(self, across: str, width: Number, height: Number) -> tuple[Number, Number]:
        """(cycles, bytes that the buffers take) for one tile."""
        c = self.candidate
        found = self.boxes(across, width, height)
        cycles: Number = np.zeros(np.shape(width))
        held: Number = np.zeros(np.shape(width))
        for name in self.rest:
            if name in found:
                node = c.d.nodes[name]
                cycles = cycles + points(found[name]) * c.point_cycles(node, found[name]) + BOUNDS
                held = held + points(found[name]) * node.bytes
        for name, box in found.items():
            if name not in c.members and name not in c.inlined:
                size = c.d.bytes(name)
                rate = c.rate(points(c.d.whole(name)) * size)
                cycles = cycles + points(box) * size * rate
        return cycles, held
