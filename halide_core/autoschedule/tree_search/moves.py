"""The words of transformers that the search takes as one step: a single transformer often costs more until the next one
is applied (a loop split, and only then run in vectors)."""

from __future__ import annotations

from collections.abc import Iterator

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.rules.row_blocks import RowBlocks
from halide_core.autoschedule.tree_search import transformers as t
from halide_core.autoschedule.tree_search.tree import Graph, Level, Loop, Root, nests
from halide_core.ir.stmt import ForKind

# Rows of strips and tiles; vectors of the width of a tile.
_ROWS = (2, 4, 8, 16, 32, 64, 128)
_VECTORS = (4, 8, 16, 32, 64)


class Moves:
    """The neighbours of trees of one pipeline.  They may break rules: the search asks `well_formed.fault`."""

    def __init__(self, description: Description, costs: Costs, graph: Graph, rows: RowBlocks) -> None:
        self.d = description
        self.costs = costs
        self.rows = rows
        self.graph = graph

    def of(self, root: Root, func: str) -> Iterator[Root]:
        """What one step makes of `root` at `func`."""
        found = nests(root)
        if func not in found:
            made = t.deinline(root, self.graph, func)
            if made is not None:
                yield from self._places(self._vectorized(made, func), func)
            return
        if func not in self.graph.outputs:
            if func not in self.graph.opaque:
                inlined = t.inline(root, self.graph, func)
                if inlined is not None:
                    yield inlined
            yield from self._places(root, func)
        if func not in self.graph.opaque:
            yield from self._loops(root, func)

    def _loops(self, root: Root, func: str) -> Iterator[Root]:
        own = nests(root)[func].own
        vector = self._vectorized(root, func)
        if vector != root:
            yield vector
            yield self._parallel(vector, func)
        yield self._parallel(root, func)
        for n in own:
            if n.kind is not ForKind.UNROLLED:
                yield from filter(None, [t.reorder(root, n.level)])
            if n.kind is ForKind.PARALLEL:
                yield from filter(None, [t.change_kind(root, n.level, ForKind.SERIAL)])
            elif n.kind is ForKind.SERIAL and n.step > 1 and not _over_vectors(own, n):
                for factor in (2, 4):
                    smaller = n.step // factor
                    yield from filter(None, [t.resize(root, n.level, n.step * factor)])
                    if n.step % factor == 0 and smaller > 1:
                        yield from filter(None, [t.resize(root, n.level, smaller)])
        yield from self._strips(vector, func)
        yield from self._blocks(vector, func)

    def _blocks(self, root: Root, func: str) -> Iterator[Root]:
        """Blocks of rows that share what they read and compute: unrolled around the vectors."""
        nest, args = nests(root)[func], self.graph.args[func]
        if len(args) < 2 or not any(n.kind is ForKind.VECTORIZED and n.dim == args[0] for n in nest.own):
            return
        level = (func, args[1], 1)
        loop = next((n for n in nest.own if n.level == level), None)
        if loop is None or loop.kind is ForKind.UNROLLED:
            return
        stage = self.d.nodes[func].stages[0]
        for rows in self.rows.heights(stage, frozenset(nest.inlined)):
            made = t.split(root, level, rows)
            if made is None:
                continue
            made = t.change_kind(made, (func, args[1], rows), loop.kind)
            made = made and t.change_kind(made, level, ForKind.UNROLLED)
            while made is not None and not _around_vectors(nests(made)[func].own, level):
                made = t.reorder(made, level)
            if made is not None:
                yield made
                yield self._parallel(made, func)

    def _strips(self, root: Root, func: str) -> Iterator[Root]:
        """Strips of rows, and tiles: strips whose columns are cut too."""
        own = nests(root)[func].own
        lane = next((n for n in own if n.kind is ForKind.VECTORIZED), None)
        across = [n for n in own if n.kind is ForKind.SERIAL and (lane is None or n.dim != lane.dim)]
        wide = [n for n in own if n.kind is ForKind.SERIAL and lane is not None and n.dim == lane.dim]
        for n in across:
            if n.step != 1 or any(m.dim == n.dim and m.step > 1 for m in own):
                continue
            for rows in _ROWS:
                strip = t.split(root, n.level, rows)
                if strip is None or rows * 2 > self._extent(func, n.dim):
                    continue
                strip = self._outermost(strip, (func, n.dim, rows))
                yield strip
                yield self._parallel(strip, func)
                for x in wide[:1]:
                    for vectors in _VECTORS:
                        width = x.step * vectors
                        tile = t.split(strip, x.level, vectors)
                        if tile is None or width * 2 > self._extent(func, x.dim):
                            continue
                        # The loop over tiles goes out until it is next to that over strips.
                        tile = self._around(tile, (func, x.dim, width), (func, n.dim, 1))
                        yield tile
                        yield self._parallel(tile, func)

    def _extent(self, func: str, dim: str) -> int:
        node = self.d.nodes[func]
        low, high = node.region[node.function.args.index(dim)]
        return int(high - low + 1)

    def _outermost(self, root: Root, level: tuple[str, str, int]) -> Root:
        """`root` with a loop moved out of all others of its Func, those that are parallel apart."""
        while True:
            own = nests(root)[level[0]].own
            at = next(k for k, n in enumerate(own) if n.level == level)
            if at == 0 or own[at - 1].kind is ForKind.PARALLEL:
                return root
            moved = t.reorder(root, own[at - 1].level)
            if moved is None:
                return root
            root = moved

    def _around(self, root: Root, level: tuple[str, str, int], inner: tuple[str, str, int]) -> Root:
        """`root` with loop `level` moved out of loop `inner`."""
        while True:
            own = nests(root)[level[0]].own
            at, end = (next(k for k, n in enumerate(own) if n.level == x) for x in (level, inner))
            if at < end:
                return root
            moved = t.reorder(root, own[at - 1].level)
            if moved is None:
                return root
            root = moved

    def _vectorized(self, root: Root, func: str) -> Root:
        """`root` with the innermost part of the dense loop of `func` run in vectors, where it is not yet."""
        if func in self.graph.opaque:
            return root
        own = nests(root)[func].own
        way = self.costs.ways[func, 0]
        if way.vector is None or way.lanes < 2 or any(n.kind is ForKind.VECTORIZED for n in own):
            return root
        level = (func, way.vector, 1)
        made = t.split(root, level, way.lanes)
        made = made and t.change_kind(made, level, ForKind.VECTORIZED)
        while made is not None:
            own = nests(made)[func].own
            at = next(k for k, n in enumerate(own) if n.level == level)
            if at + 1 == len(own) or own[at + 1].kind is ForKind.UNROLLED:
                return made
            made = t.reorder(made, level)
        return root

    def _parallel(self, root: Root, func: str) -> Root:
        """`root` with the outermost loop of `func` that is not yet parallel made so, where nothing is around."""
        nest = nests(root)[func]
        if nest.around:
            return root
        for n in nest.own:
            if n.kind is ForKind.SERIAL:
                made = t.change_kind(root, n.level, ForKind.PARALLEL)
                return made if made is not None else root
            if n.kind is not ForKind.PARALLEL:
                break
        return root

    def _places(self, root: Root, func: str) -> Iterator[Root]:
        """`func` computed at each loop that its users share, kept there and further out."""
        while True:
            out = t.hoist_compute(root, func)
            if out is None:
                break
            root = out
        while True:
            out = t.hoist_storage(root, func)
            if out is None:
                break
            root = out
        yield root
        if func not in self.graph.opaque:
            yield self._parallel(root, func)
        for n in nests(root)[func].own:
            if n.kind is ForKind.PARALLEL:
                root = t.change_kind(root, n.level, ForKind.SERIAL) or root
        lowered: Root | None = root
        while True:
            assert lowered is not None
            lowered = t.lower_compute(lowered, self.graph, func)
            if lowered is None:
                return
            kept: Root | None = lowered
            while kept is not None:
                yield kept
                kept = t.lower_storage(kept, func)


def _around_vectors(own: tuple[Loop, ...], level: Level) -> bool:
    """Whether the loop `level` is the next one around the vectors."""
    at = next(k for k, n in enumerate(own) if n.level == level)
    return at + 1 < len(own) and own[at + 1].kind is ForKind.VECTORIZED


def _over_vectors(own: tuple[Loop, ...], loop: Loop) -> bool:
    """Whether the step of `loop` is the length of the vectors, or the height of a block of rows."""
    inner = [n for n in own if n.dim == loop.dim and n.step < loop.step]
    return bool(inner) and inner[0].kind in (ForKind.VECTORIZED, ForKind.UNROLLED)
