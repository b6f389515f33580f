"""The tiles of a segment under one permutation of its loops: all sizes that are tried, and what one needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node
from halide_core.autoschedule.analysis.footprints import Number, NumericBox, Range, extents, joined, points
from halide_core.autoschedule.reuse2019.options import Options
from halide_core.autoschedule.reuse2019.plan import MOST_ROWS
from halide_core.passes.sliding import keeps_to


class Tiles:
    """Tiles of `node` with `members` computed for them, `inlined` where they are called: they slide along `slide`,
    `inside` are the dimensions that each holds whole, `outside` those of which it has one point.

    `blocks`: they are transposed in registers.  Boxes are of NumPy arrays, one element for each size."""

    def __init__(
        self, description: Description, costs: Costs, options: Options, node: Node, members: frozenset[str],
        inlined: frozenset[str], slide: str | None, inside: tuple[str, ...], outside: tuple[str, ...],
        blocks: bool = False,
    ) -> None:
        self.description, self.costs, self.options = description, costs, options
        self.node, self.members, self.inlined = node, members, inlined
        self.slide, self.inside, self.outside, self.blocks = slide, inside, outside, blocks and slide is not None
        self.vector = costs.vector_loop(node)
        args = node.function.args
        self.extent = {a: int(max(high - low + 1, 1)) for a, (low, high) in zip(args, node.region, strict=True)}
        # Consumers first.
        self.order = [n for n in reversed(list(description.nodes)) if n in members or n in inlined]
        # What is known of boxes, by their numbers; with the boxes, which live as long as these stand for them.
        self._extents: dict[int, tuple[NumericBox, list[Number]]] = {}
        self._points: dict[int, tuple[NumericBox, Number]] = {}
        self._folds: dict[str, Number] = {}
        self.wide, self.tall = self._sizes()
        self.tile, self.row = self._boxes()

    @property
    def in_tile(self) -> dict[str, NumericBox]:
        """What a tile in the middle of the output needs."""
        return self._needs[0]

    @property
    def in_row(self) -> dict[str, NumericBox]:
        """What one iteration of its sliding loop needs."""
        return self._needs[1]

    @cached_property
    def _needs(self) -> list[dict[str, NumericBox]]:
        """What a tile needs, one iteration of its sliding loop, and the iteration after that: found at once, as if
        there were three times as many sizes, for what takes its time here is the number of operations."""
        args = self.node.function.args
        next_row = [(a + 1, b + 1) if n == self.slide else (a, b) for n, (a, b) in zip(args, self.row, strict=True)]
        found = self.required(tuple(map(_one_behind_the_other, self.tile, self.row, next_row)))
        count = len(self.wide)
        parts = [slice(k * count, (k + 1) * count) for k in range(3)]
        return [{n: tuple((_part(a, k), _part(b, k)) for a, b in box) for n, box in found.items()} for k in parts]

    def extents(self, box: NumericBox) -> list[Number]:
        """`footprints.extents`, found once for each box."""
        entry = self._extents.get(id(box))
        if entry is None:
            entry = self._extents[id(box)] = box, extents(box)
        return entry[1]

    def points(self, box: NumericBox) -> Number:
        """`footprints.points`, found once for each box."""
        entry = self._points.get(id(box))
        if entry is None:
            entry = self._points[id(box)] = box, points(box)
        return entry[1]

    def run(self, name: str, box: NumericBox) -> Number:
        """The elements of `box` of an array that lie next to each other: those of a row, of all its channels."""
        if not box:
            return np.ones(1)
        layout, sizes = self.description.layouts[name], self.extents(box)
        found = sizes[layout.axes[0]]
        if layout.channels is not None:
            found = found * sizes[layout.channels]
        return np.maximum(found, 1)

    def slides(self, name: str) -> bool:
        """Whether earlier rows of a member need not be computed again: no update of it leaves the row that it is in."""
        f = self.description.nodes[name].function
        rows = [(row, following) for _, row, following in self._windows(name)]
        moving = [k for k, both in enumerate(rows) if any(np.any(a != b) for a, b in zip(*both, strict=True))]
        return all(keeps_to(f, d, k) for d in f.definitions() for k in moving)

    def _windows(self, name: str) -> Iterator[tuple[Range, ...]]:
        """Of each dimension of a member: what a tile needs, one iteration of its sliding loop, and the next one."""
        return zip(*(needed[name] for needed in self._needs), strict=True)

    def folds(self, name: str) -> Number:
        """Whether the window over a member moves by the same whole number each time, as folding it takes: windows of
        what is sampled at twice the resolution stand still every other time."""
        if name in self._folds:
            return self._folds[name]
        even: Number = True
        for (t_low, t_high), (low, high), (next_low, next_high) in self._windows(name):
            if not any(isinstance(n, np.ndarray) for n in (t_low, t_high, low, high)):
                continue
            rate = ((t_high - t_low) - (high - low)) / np.maximum(self.tall - 1, 1)
            same = (np.abs(next_low - low - rate) < 0.2) & (np.abs(next_high - high - rate) < 0.2)
            even = even & (same | (self.tall <= 1))
        self._folds[name] = even
        return even

    def required(self, box: NumericBox) -> dict[str, NumericBox]:
        """What is needed of every member, inlined Func and stored array to compute `box` of the output."""
        d = self.description
        found: dict[str, NumericBox] = {}

        def visit(node: Node, over: NumericBox) -> None:
            for stage in node.stages:
                for read, b in d.required(stage, over).items():
                    found[read] = joined(found.get(read), b)

        visit(self.node, d.stored(self.node, box))
        for name in self.order:
            if name in found:
                node = d.nodes[name]
                found[name] = d.stored(node, found[name])
                visit(node, found[name])
        return found

    def _sizes(self) -> tuple[Number, Number]:
        """Candidates of the tile's width and of its height."""
        if not self.node.is_pure or self.vector is None:
            return np.ones(1, dtype=np.int64), np.ones(1, dtype=np.int64)
        lanes = self.costs.ways[self.node.name, 0].lanes
        width = self.extent[self.vector]
        if self.blocks and self.slide is not None:
            side = min(lanes, MOST_ROWS)
            tall_blocks = [side * k for k in (1, 2, 3, 4, 6, 8, 12, 16, 32) if side * k <= self.extent[self.slide]]
            return np.full(len(tall_blocks) or 1, width), np.array(tall_blocks or [side])
        powers = [1 << k for k in range(2, 16)]
        wide = {width} | {p for p in powers if lanes <= p < width}
        if self.options.any_size:
            wide |= {_round_up(-(-width // k), lanes) for k in range(2, 13)}
        wide = {w for w in wide if w == width or (4 * lanes <= w < width)}
        if self.slide is None:
            wide = {w for w in wide if w >= min(width, 1024)}
            pairs = [(w, 1) for w in sorted(wide)]
        else:
            height = self.extent[self.slide]
            tall = {height} | {p for p in (1, 2, *powers) if p < height}
            if self.options.any_size:
                tall |= {n for n in range(1, height) if height % n == 0}
                tall |= {-(-height // k) for k in (2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32)} | {6, 12, 24, 48, 96}
            pairs = [(w, t) for w in sorted(wide) for t in sorted(tall) if t <= height]
        both = np.array(pairs, dtype=np.int64)
        return both[:, 0], both[:, 1]

    def _boxes(self) -> tuple[NumericBox, NumericBox]:
        """A tile in the middle of the output, and one iteration of its sliding loop."""
        tile, row = [], []
        for a, (low, high) in zip(self.node.function.args, self.node.region, strict=True):
            if a == self.vector or a == self.slide:
                size = self.wide if a == self.vector else self.tall
                if a == self.vector and not self.node.is_pure:
                    size = np.full_like(self.wide, self.extent[a])
                start = low + np.where(size >= self.extent[a], 0, (self.extent[a] - size) // 16 * 8)
                tile.append((start, start + size - 1))
                middle = start + size // 16 * 8
                row.append((start, start + size - 1) if a == self.vector else (middle, middle))
            elif a in self.outside:
                middle = low + (high - low) // 2
                tile.append((middle, middle))
                row.append((middle, middle))
            else:
                tile.append((low, high))
                row.append((low, high))
        return tuple(tile), tuple(row)


def _one_behind_the_other(*ranges: Range) -> Range:
    lows, highs = zip(*ranges, strict=True)
    if any(isinstance(n, np.ndarray) for n in (*lows, *highs)):
        return np.concatenate(lows), np.concatenate(highs)
    return ranges[0]


def _part(n: Number, part: slice) -> Number:
    return n[part] if isinstance(n, np.ndarray) and n.ndim else n


def _round_up(n: int, multiple: int) -> int:
    return -(-n // multiple) * multiple
