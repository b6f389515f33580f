"""The loops of one stage as every method makes them: vectors, reductions around them, unrolled channels, threads."""

from __future__ import annotations

from collections.abc import Sequence

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.analysis.vector_loops import Way
from halide_core.autoschedule.directives import GUARD, Loop, Names, Schedule
from halide_core.passes.races import is_pure_loop

# Strips of columns for each thread, and the fewest points of one, the steps of the reduction among them.
_STRIPS, _POINTS = 4, 1 << 16


class StageLoops:
    """Appends to `schedule` the directives of single stages.

    `unroll`: whether dimensions of few coordinates between which values distinguish are bounded and unrolled;
    `inlined`: the Funcs that are computed in their users."""

    def __init__(
        self, description: Description, costs: Costs, machine: Machine, schedule: Schedule, unroll: bool = True,
        inlined: frozenset[str] = frozenset(),
    ) -> None:
        self.d = description
        self.costs = costs
        self.machine = machine
        self.schedule = schedule
        self.unroll = unroll
        self.inlined = inlined

    def together(self, node: Node, moving: frozenset[str] = frozenset()) -> list[str]:
        """Dimensions that are unrolled, so that what their points share is computed once; bounded, where their values
        distinguish, so that each is computed for its own channel only.  Not those `moving`, of which another part is
        computed in each iteration of the loops around."""
        if not self.unroll:
            return []
        wanted, muxed = (f(node.name, self.inlined) for f in (self.costs.together, self.costs.muxes))
        found = [a for a in node.function.args if a in wanted and a not in moving]
        for a in found:
            if a not in muxed:
                continue
            low, high = node.region[node.function.args.index(a)]
            self.schedule.add(node.name, 0, "bound", Loop(a), int(low), int(high - low + 1))
        return found

    def storage(self, node: Node) -> None:
        """Planes in place of pixels, where a Func is stored and its first dimension has few coordinates."""
        axes = self.d.axes(node)
        if not node.is_output and axes != tuple(node.function.args):
            self.schedule.add(node.name, 0, "reorder_storage", *map(Loop, axes))

    def as_row(self, node: Node, names: Names) -> Loop | None:
        """The loop over the interleaved channels of all pixels of a row, made of two, where they run as one."""
        if not self.costs.is_row(node.name, self.inlined):
            return None
        add, channel, pixel = self.schedule.add, self.d.axes(node)[-1], self.d.axes(node)[0]
        low, high = node.region[node.function.args.index(channel)]
        others = [a for a in node.function.args if a not in (channel, pixel)]
        row = Loop(names.new(pixel, "row"))
        add(node.name, 0, "bound", Loop(channel), int(low), int(high - low + 1))
        if node.function.args[:2] != (channel, pixel):
            add(node.name, 0, "reorder", Loop(channel), Loop(pixel), *map(Loop, others))
        add(node.name, 0, "fuse", Loop(channel), Loop(pixel), row)
        return row

    def unrolled(self, node: Node, stage: Stage, moving: frozenset[str]) -> list[str]:
        """The loops of an update over dimensions that its Func's pure definition has bounded."""
        if not self.unroll or all(is_undef(v) for v in node.stages[0].definition.values):
            return []
        return [a for a in self.costs.unrolled(stage, self.inlined) if a not in moving]

    def parallel(self, node: Node, stage: Stage) -> str | None:
        """The outermost dimension over which a stage may run in parallel."""
        way = self.costs.ways[node.name, stage.index]
        for a in reversed(node.function.args):
            low, high = node.region[node.function.args.index(a)]
            free = a in stage.pure and (not stage.index or is_pure_loop(node.function, stage.definition, a))
            unrolled = self.unroll and a in self.costs.together(node.name, self.inlined)
            if free and not unrolled and a != way.vector and high - low + 1 >= self.machine.parallelism:
                return a
        return None

    def loops(
        self, node: Node, stage: Stage, sizes: tuple[int, ...] | None, parallel: str | None,
        moving: frozenset[str] = frozenset(), outside: bool = False,
    ) -> None:
        """The loops of one stage: its vectors, reductions around them or `outside` of all others, and threads."""
        add, name, k = self.schedule.add, node.name, stage.index
        way = self.costs.ways[name, k]
        if all(is_undef(v) for v in stage.definition.values):
            return
        # Bounded with the pure definition; updates unroll those along which their points are independent.
        together = self.together(node, moving) if not k else self.unrolled(node, stage, moving)
        if way.vector is None:
            self._along_reduction(stage, way)
            # At the root, rows that an update fills may be filled side by side.
            rows = self._free_reduction(node, stage) if parallel is None and sizes is None else None
            outermost = Loop(parallel) if parallel is not None else rows
            if outermost is not None:
                add(name, k, "parallel", outermost)
            return
        lanes = way.lanes
        if sizes is not None:
            lanes = min(lanes, max(2, 1 << max(sizes[node.function.args.index(way.vector)] - 1, 1).bit_length()))
        order, threads, lane = self._order(node, stage, sizes, parallel, together, lanes, outside)
        if [o.name for o in order] != [v.var for v in stage.definition.schedule.dims]:
            add(name, k, "reorder", *order)
        if lane is not None:
            add(name, k, "vectorize", lane)
        elif lanes > 1:
            add(name, k, "vectorize", Loop(way.vector), lanes, GUARD)
        for a in together:
            self.unrolled_loop(node, k, a, sizes is None)
        for loop in threads:
            add(name, k, "parallel", loop)

    def _order(
        self, node: Node, stage: Stage, sizes: tuple[int, ...] | None, parallel: str | None, together: Sequence[str],
        lanes: int, outside: bool,
    ) -> tuple[list[Loop], list[Loop], Loop | None]:
        """The loops of a stage that has vectors, from the inside outwards, which are split where they have to be; those
        that run on threads; and the one over the lanes, where there is one of its own."""
        add, name, k = self.schedule.add, node.name, stage.index
        vector = self.costs.ways[name, k].vector
        assert vector is not None
        x = Loop(vector)
        reductions = [self.reduction(stage, n) for n in stage.reduction]
        others = [Loop(a) for a in stage.pure if a not in (vector, parallel, *together)]
        last = [Loop(parallel)] if parallel is not None else []
        shared = [o for o in others if o.name in self.costs.shared(stage, self.inlined)]
        names = Names((*node.function.args, *stage.reduction))
        lane = Loop(names.new(vector, "v"))
        block = Loop(names.new(vector, "b"))
        if lanes == 1:
            # Point by point, neighbours in turn: these write apart, so that none waits for the one before.
            inner = [*(Loop(a) for a in together), x]
            order = [*inner, *others, *reductions] if outside else [*inner, *reductions, *others, *last]
        elif shared:
            add(name, k, "split", x, block, lane, lanes, GUARD)
            rest = [o for o in others if o not in shared]
            order = [lane, *shared, *(Loop(a) for a in together), block, *rest, *last]
        elif not reductions:
            order = [*(Loop(a) for a in together), x, *others, *last]
        else:
            # Rows in pieces take as long as their threads save where each step writes them.
            whole = sizes is None and parallel is None and not stage.moves
            strip = self._strip(node, stage, x, lanes, names) if whole else None
            if strip is not None:
                last = [strip[0]]
                add(name, k, "split", x, *last, x, strip[1], GUARD)
            add(name, k, "split", x, block, lane, lanes, GUARD)
            # Where each step of the reduction writes elsewhere, rows are finished one after the other.
            middle = [block, *reductions] if stage.moves else [*reductions, block]
            # What the channels of a point share (where to gather from, weights) is computed once.
            order = [lane, *(Loop(a) for a in together), *middle, *others, *last]
            if outside:
                order = [lane, *(Loop(a) for a in together), block, *others, *reductions]
        return order, last, lane if lanes > 1 and (reductions or shared) else None

    def unrolled_loop(self, node: Node, stage: int, name: str, whole: bool = True) -> None:
        """Unrolls a loop of `together`; `whole`: the Func is not computed in the loops of another, in which a bound may
        not be known to hold: a factor unrolls all the same."""
        if whole and name in self.costs.muxes(node.name, self.inlined):
            self.schedule.add(node.name, stage, "unroll", Loop(name))
            return
        low, high = node.region[node.function.args.index(name)]
        self.schedule.add(node.name, stage, "unroll", Loop(name), int(high - low + 1), GUARD)

    def _along_reduction(self, stage: Stage, way: Way) -> None:
        """Vectors along a loop of the reduction; where their lanes are put together, it becomes the innermost one."""
        add, name, k = self.schedule.add, stage.func, stage.index
        if way.along is None:
            return
        loops = [v.var for v in stage.definition.schedule.dims]
        if way.summed:
            add(name, k, "atomic")
        if loops[0] != way.along:
            order = [way.along, *(n for n in loops if n != way.along)]
            add(name, k, "reorder", *(self.reduction(stage, n) if n in stage.reduction else Loop(n) for n in order))
        add(name, k, "vectorize", self.reduction(stage, way.along), way.lanes, GUARD)

    def _free_reduction(self, node: Node, stage: Stage) -> Loop | None:
        """The outermost loop of a reduction whose steps touch elements of their own."""
        way = self.costs.ways[node.name, stage.index]
        for n in reversed(stage.reduction):
            if n != way.along and is_pure_loop(node.function, stage.definition, n):
                return self.reduction(stage, n)
        return None

    def _strip(self, node: Node, stage: Stage, x: Loop, lanes: int, names: Names) -> tuple[Loop, int] | None:
        """The loop over strips of an update at the root that has no other loop to run in parallel, and their size."""
        low, high = node.region[node.function.args.index(x.name)]
        extent = int(high - low + 1)
        steps = max(float(self.d.iterations(stage, node.region)) / extent, 1.0)
        size = -(-max(extent // (_STRIPS * self.machine.parallelism), int(_POINTS / steps)) // lanes) * lanes
        return (Loop(names.new(x.name, "o")), size) if self.machine.parallelism > 1 and 2 * size <= extent else None

    def rows(self, node: Node, rows: int) -> None:
        """The loops of a pure Func of which `rows` rows are computed together."""
        add, name = self.schedule.add, node.name
        first, second, *others = self.d.axes(node)
        names = Names(tuple(node.function.args))
        block, lane = Loop(names.new(first, "b")), Loop(names.new(first, "v"))
        high, row = Loop(names.new(second, "b")), Loop(names.new(second, "r"))
        add(name, 0, "split", Loop(second), high, row, rows, GUARD)
        add(name, 0, "split", Loop(first), block, lane, self.costs.ways[name, 0].lanes, GUARD)
        add(name, 0, "reorder", lane, row, block, high, *map(Loop, others))
        add(name, 0, "vectorize", lane)
        add(name, 0, "unroll", row)

    def reduction(self, stage: Stage, name: str) -> Loop:
        domain = stage.definition.domain
        assert domain is not None
        return Loop(name, (stage.index - 1, [n for n, _, _ in domain.variables].index(name)))


def is_undef(e: object) -> bool:
    """Whether a value is left undefined."""
    return getattr(e, "name", "") == "undef"
