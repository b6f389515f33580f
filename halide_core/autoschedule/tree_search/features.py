"""What a schedule tree makes the machine do, as numbers that weights turn into nanoseconds.

Beside the five groups of the page (memory, loads, stores, arithmetic, mathematics): whether arithmetic is in vectors,
what loops and threads cost, and locality, as bytes that each cache fetches from the next one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Stage
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.rules.row_blocks import RowBlocks
from halide_core.autoschedule.tree_search.extents import Box, Extents, Placed, size
from halide_core.autoschedule.tree_search.tree import Compute, Graph, Loop, Root, computes, nests, placed, places
from halide_core.ir.stmt import ForKind

NAMES = (
    "vector", "dense", "scalar", "library", "loads", "gathers", "stores", "bodies", "rows", "realizations", "l1", "l2",
    "memory", "lines", "tasks", "fresh", "nests",
)
"""vector, dense, scalar: cycles of arithmetic in vectors, in innermost loops along rows, of which LLVM makes vectors
where it can, and lane by lane; library: of mathematical functions; loads, gathers, stores: cycles of reading and
writing; bodies: how often a body runs; rows: innermost loops entered; realizations: computations inside of loops; l1,
l2, memory: bytes fetched from beyond each cache; lines: starts of rows among them; tasks: parallel tasks; fresh: bytes
of arrays stored whole; nests: arrays stored whole.

All but the last five are those of the busiest thread; bytes from memory pass one bus."""
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
_AT = {n: k for k, n in enumerate(NAMES)}
_LINE = 64
# What stands for a body too long to compile.
HOPELESS = 1e15


class Features:
    """The features of the trees of one pipeline; those of each nest at the root are found once."""

    def __init__(self, description: Description, costs: Costs, machine: Machine, graph: Graph) -> None:
        self.d = description
        self.costs = costs
        self.machine = machine
        self.graph = graph
        self.rows = RowBlocks(costs)
        self.extents = Extents(description)
        self._known: dict[tuple[object, ...], Vector] = {}
        self._points: dict[tuple[object, ...], dict[int, float]] = {}

    def of(self, root: Root) -> Vector:
        """The features of a whole tree, in the order of NAMES."""
        total = np.zeros(len(NAMES))
        stored, items = places(root)
        for item in items:
            inside = frozenset(c.func for c in computes(item))
            entry = item, frozenset(stored) & inside
            found = self._known.get(entry)
            if found is None:
                found = self._known[entry] = self._nest(item, tuple(sorted(frozenset(stored) & inside)))
            total += found
        return total

    def _nest(self, item: Loop | Compute, stored: tuple[str, ...]) -> Vector:
        out = np.zeros(len(NAMES))
        found = self.extents.place(nests(Root(placed(stored, (item,)))))
        top = found[item.func]
        for p in found.values():
            self._body(out, p, p is top)
        self._traffic(out, top, found)
        tasks = 1.0
        for p in found.values():
            for loop, trips in zip(p.nest.own, p.trips, strict=True):
                tasks *= trips if loop.kind is ForKind.PARALLEL else 1
        if item.func in self.graph.opaque:
            tasks = self._opaque_tasks(item.func)
        threads = self.machine.parallelism
        share = np.ceil(tasks / threads) / tasks if tasks > 1 else 1.0
        shared = [_AT[n] for n in NAMES[: _AT["memory"]]]
        out[shared] *= share
        out[_AT["tasks"]] += tasks if tasks > 1 else 0.0
        out[_AT["nests"]] += 1.0
        if item.func not in self.graph.outputs:
            out[_AT["fresh"]] += size(top.computed) * self.d.nodes[item.func].bytes
        return out

    def _opaque_tasks(self, func: str) -> float:
        """Tasks of a Func with updates, which is parallel over its outermost free dimension."""
        node = self.d.nodes[func]
        for a, (low, high) in reversed(list(zip(node.function.args, node.region, strict=True))):
            last = node.stages[-1]
            if a in last.pure and a != self.costs.ways[func, last.index].vector:
                count = int(high - low + 1)
                return float(count) if count >= self.machine.parallelism else 1.0
        return 1.0

    def _body(self, out: Vector, p: Placed, is_top: bool) -> None:
        """The arithmetic, reads and writes of one Func."""
        func, node = p.nest.func, self.d.nodes[p.nest.func]
        own = list(zip(p.nest.own, p.trips, strict=True))
        for stage in node.stages:
            way = self.costs.ways[func, stage.index]
            if func in self.graph.opaque:
                vector = way.runs_along
                lanes = way.lanes if vector is not None else 1
                bodies = p.times * float(self.d.iterations(stage, p.computed)) / lanes
                per_body, last = float(lanes), bodies / 16
            else:
                vector = next((n.dim for n, _ in own if n.kind is ForKind.VECTORIZED), None)
                inner = [n for n, _ in own if n.kind in (ForKind.VECTORIZED, ForKind.UNROLLED)]
                bodies = p.times * _product(t for n, t in own if n not in inner)
                per_body = _product(self._written(p, n, t) for n, t in own if n in inner)
                serial = [t for n, t in own if n.kind is ForKind.SERIAL]
                last = bodies / (serial[-1] if serial else 1)
            out[_AT["bodies"]] += bodies
            out[_AT["rows"]] += last
            points = bodies * per_body
            # Innermost loops along the rows of arrays: LLVM may do what a vectorized loop does.
            dense = vector is None and bool(own) and own[-1][0].dim == way.vector and own[-1][1] >= way.lanes
            along = way.vector if dense else vector
            rows = self._rows(p)
            for k, rate in self._rates(stage, frozenset(p.nest.inlined), along, dense, rows).items():
                out[k] += points * rate
        if not is_top:
            out[_AT["realizations"]] += p.times

    def _rows(self, p: Placed) -> int:
        """How many rows are computed together."""
        args = self.graph.args[p.nest.func]
        own = zip(p.nest.own, p.trips, strict=True) if p.nest.func not in self.graph.opaque else ()
        few = self.graph.unrolled.get(p.nest.func, frozenset())
        return next((t for n, t in own if n.kind is ForKind.UNROLLED and n.dim == args[1] and n.dim not in few), 1)

    def _rates(
        self, stage: Stage, inlined: frozenset[str], vector: str | None, dense: bool, rows: int
    ) -> dict[int, float]:
        """Features of one point of `stage`, by their number."""
        entry = stage.func, stage.index, self.costs.near(stage, inlined), vector, dense, rows
        if entry in self._points:
            return self._points[entry]
        work = self.costs.work(stage, inlined)
        register = self.costs.target.vector_bytes
        width = self.d.nodes[stage.func].bytes
        rates = dict.fromkeys(("vector", "dense", "scalar", "library", "loads", "gathers", "stores"), 0.0)
        if work is None:
            rates["scalar"] = HOPELESS
        elif vector is None:
            rates["library"] = work.lane_cycles
            # An operation of a lane costs as much as one of a register.
            rates["scalar"] = work.vector_bytes / max(width, 4) + 0.6 * (1 + len(work.sites))
        else:
            rates["library"] = work.lane_cycles
            rates["dense" if dense else "vector"] = work.vector_bytes / register
            rates["stores"] = 0.6 * width / register
            for site in work.sites:
                cost = self.costs.read(site, vector)
                rates["loads" if cost * register <= 1.5 * site.bytes else "gathers"] += cost
            together = self.rows.cycles(stage, inlined, rows) if rows > 1 else None
            if together is not None:
                shared = together / self.costs.cycles(stage, inlined)
                rates |= {n: shared * r for n, r in rates.items() if n != "stores"}
        found = self._points[entry] = {_AT[n]: r for n, r in rates.items()}
        return found

    def _written(self, p: Placed, loop: Loop, trips: int) -> float:
        """How many points a loop of constant extent covers: all lanes, even where the box is narrower."""
        if loop.kind is ForKind.UNROLLED:
            return trips
        outer = [n.step for n in p.nest.own if n.dim == loop.dim and n.step > loop.step]
        return min(outer) / loop.step if outer else trips

    def _traffic(self, out: Vector, top: Placed, found: dict[str, Placed]) -> None:
        """Bytes that each cache fetches: of the loops of the outermost Func, the first whose single iterations find all
        they touch in the cache fetches what it touches as a whole once each time it is entered."""
        own = top.nest.own if top.nest.func not in self.graph.opaque else ()
        # By loop, from the outermost: what it touches outside of the nest, its buffers, how often it is entered.
        levels: list[tuple[dict[str, Box], float, float]] = []
        entered = 1.0
        for k in range(len(own) + 1):
            touched, buffers = self._touched(top, found, own[:k])
            levels.append((touched, buffers, entered))
            if k < len(own):
                entered *= top.trips[k]
        sizes = [self._bytes(touched) + buffers for touched, buffers, _ in levels]
        m = self.machine
        for name, cache in (("l1", m.l1_size), ("l2", m.l2_size), ("memory", m.last_level_cache_size)):
            k = 0
            while k + 1 < len(levels) and sizes[k + 1] > cache:
                k += 1
            touched, _, times = levels[k]
            for array, box in touched.items():
                whole = self._array(array)
                if name != "l1" and whole <= cache / 2 and array in self.d.nodes:
                    continue  # still there from when it was computed
                fetched = self._lines(array, box) * times
                # What is written is fetched first, and written back later.
                fetched *= 2.0 if array == top.nest.func and name == "memory" else 1.0
                out[_AT[name]] += fetched
                if name == "l2":
                    out[_AT["lines"]] += times * size(box[1:])
            if k + 1 == len(levels):
                # Not even one iteration fits: its own buffers pass through.
                out[_AT[name]] += 2 * levels[k][1] * times

    def _touched(self, top: Placed, found: dict[str, Placed], around: tuple[Loop, ...]) -> tuple[dict[str, Box], float]:
        """What one iteration of `around` reads and writes outside of the nest, and the bytes of its buffers."""
        box = self.extents.within(top, around)
        wanted: dict[str, Box] = {top.nest.func: box}
        touched: dict[str, Box] = {top.nest.func: box}
        buffers = 0.0
        for name, p in found.items():
            if name not in wanted:
                continue
            for read, b in self.extents.reads(name, p.nest.inlined, wanted[name]).items():
                into = wanted if read in found else touched
                old = into.get(read)
                into[read] = b if old is None else tuple(
                    (min(x, u), max(y, v)) for (x, y), (u, v) in zip(old, b, strict=True)
                )
            if p is not top:
                buffers += min(size(wanted[name]), size(p.kept)) * self.d.nodes[name].bytes
        return touched, buffers

    def _array(self, name: str) -> float:
        box = tuple((int(a), int(b)) for a, b in self.d.whole(name))
        return float(size(box) * self.d.bytes(name))

    def _lines(self, name: str, box: Box) -> float:
        """The bytes of the lines that a box lies in."""
        width = self.d.bytes(name)
        if not box:
            return float(width)
        row = (box[0][1] - box[0][0] + 1) * width
        low, high = self.d.whole(name)[0]
        whole = int(high - low + 1) * width
        rounded = row if row >= whole else min(whole, (row // _LINE + 1) * _LINE)
        return float(rounded * size(box[1:]))

    def _bytes(self, touched: dict[str, Box]) -> float:
        return sum(self._lines(n, b) for n, b in touched.items())


def _product(numbers: Iterator[float]) -> float:
    total = 1.0
    for n in numbers:
        total *= n
    return total
