"""From the plans of segments to directives: levels, loops, vectors and threads (section 4.4, final optimisations)."""

from __future__ import annotations

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.directives import GUARD, FuncName, Loop, Names, Schedule
from halide_core.autoschedule.reuse2019.options import Options
from halide_core.autoschedule.reuse2019.plan import MOST_ROWS, ROW, STEP, Plan
from halide_core.autoschedule.reuse2019.register_tile import RegisterTile
from halide_core.autoschedule.rules.partial_results import partial_results
from halide_core.autoschedule.rules.shared_rows import shared_rows
from halide_core.autoschedule.rules.stage_loops import StageLoops, is_undef

# Vectors of a row from which on it is padded, and bytes apart at which rows displace each other.
_ROW_VECTORS, _ALIASING = 4, 2048


class Emitter:
    """Writes the directives of all segments of one pipeline."""

    def __init__(
        self, description: Description, costs: Costs, machine: Machine, options: Options, inlined: frozenset[str]
    ) -> None:
        self.d = description
        self.costs = costs
        self.machine = machine
        self.options = options
        self.inlined = inlined
        self.schedule = Schedule()
        self.loops = StageLoops(description, costs, machine, self.schedule, options.finish, inlined)

    def segment(self, plan: Plan) -> None:
        """A Func that is stored whole, and those computed in its loops."""
        node = self.d.nodes[plan.output]
        if not node.is_output:
            self.schedule.add(node.name, 0, "compute_root")
        for name in (plan.output, *plan.members):
            self.loops.storage(self.d.nodes[name])
        if plan.register_tile is not None:
            level = self._register_tile(node, plan.register_tile, bool(plan.members))
            for name in reversed(plan.members):
                self._member(plan, self.d.nodes[name], level, level)
            return
        tile_loop: Loop | None
        row_loop: Loop | None
        if plan.blocks:
            tile_loop, row_loop = self._blocks(node, plan), None
        elif node.is_pure:
            tile_loop, row_loop = self._tiles(node, plan)
        else:
            tile_loop, row_loop = self._updates_at_root(node, plan), None
        for name in reversed(plan.members):
            self._member(plan, self.d.nodes[name], tile_loop, row_loop)

    def _tiles(self, node: Node, plan: Plan) -> tuple[Loop | None, Loop | None]:
        """The loops of a pure Func; returns the innermost loop over tiles, and the sliding one within a tile."""
        add, name = self.schedule.add, node.name
        names = Names(node.function.args)
        together = self.loops.together(node)
        way = self.costs.ways[name, 0]
        first = self.costs.vector_loop(node)
        if first is None:
            return None, None
        as_row = self.loops.as_row(node, names)
        channels = self.d.axes(node)[-1:] if as_row is not None else ()
        inner: list[Loop] = [as_row or Loop(first)]
        outer: list[Loop] = []
        x_outer: Loop | None = None
        # Nothing is computed in the loops of a row of channels: it is cut for threads alone.
        if first in plan.tile and (as_row is None or plan.slide is None):
            x, size = inner[0], plan.tile[first]
            if as_row is not None:
                size *= self.d.layouts[name].step or 1
            x_outer, inner[0] = Loop(names.new(first, "o")), Loop(names.new(first, "i"))
            add(name, 0, "split", x, x_outer, inner[0], size, GUARD)
        row_loop: Loop | None = None
        y_outer: Loop | None = None
        if plan.slide is not None:
            row_loop = Loop(plan.slide)
            if plan.tile.get(plan.slide) == 1:
                # Whole rows are the tiles.
                y_outer, row_loop = row_loop, None
            elif plan.slide in plan.tile:
                y_outer, row_loop = Loop(names.new(plan.slide, "o")), Loop(names.new(plan.slide, "i"))
                add(name, 0, "split", Loop(plan.slide), y_outer, row_loop, plan.tile[plan.slide], GUARD)
        around = [Loop(a) for a in plan.inside if a not in (*together, *channels)]
        inside = [Loop(a) for a in together if a != first]
        outside = [Loop(a) for a in plan.outside if a not in together]
        inner += around
        if row_loop is not None:
            inner.append(row_loop)
        outer = [x for x in (x_outer, y_outer) if x is not None] + outside
        rows = self._shared_rows(node, plan)
        if rows and row_loop is not None and not inside:
            row_loop = self._rows(node, rows, inner[0], around, row_loop, outer, names)
        else:
            order = [*inside, *inner, *outer]
            if [x.name for x in order] != [a for a in node.function.args if a not in channels]:
                add(name, 0, "reorder", *order)
            if way.vector is not None:
                add(name, 0, "vectorize", inner[0], way.lanes, GUARD)
            for x in inside:
                self.loops.unrolled_loop(node, 0, x.name)
        parallel = [x for x in outer if x is not x_outer] or ([x_outer] if x_outer is not None else [])
        for x in reversed(parallel):
            add(name, 0, "parallel", x)
        tile_loop = outer[0] if outer else None
        return tile_loop, row_loop if row_loop is not None else tile_loop

    def _shared_rows(self, node: Node, plan: Plan) -> int:
        """How many rows are computed together, where windows of whole numbers share their sums (beyond the paper)."""
        args = node.function.args
        sliding = any(level.compute == ROW for level in plan.levels.values())
        if plan.rows > 1:
            return plan.rows
        plain = self.d.layouts[node.name].axes[:2] == (0, 1)
        if not self.options.finish or sliding or len(args) < 2 or plan.slide != args[1] or not plain:
            return 0
        along = self.costs.ways[node.name, 0].vector == args[0]
        return shared_rows(node.function, node.stages[0].definition, 0) if along else 0

    def _rows(
        self, node: Node, rows: int, x: Loop, around: list[Loop], y: Loop, outer: list[Loop], names: Names
    ) -> Loop:
        """Blocks of `rows` rows, of which each vector is computed before the next; returns the loop over blocks."""
        add, name = self.schedule.add, node.name
        first, second = self.d.axes(node)[:2]
        blocks, row = Loop(names.new(second, "b")), Loop(names.new(second, "r"))
        vectors, lane = Loop(names.new(first, "b")), Loop(names.new(first, "v"))
        add(name, 0, "split", y, blocks, row, rows, GUARD)
        add(name, 0, "split", x, vectors, lane, self.costs.ways[name, 0].lanes, GUARD)
        add(name, 0, "reorder", lane, row, vectors, *around, blocks, *outer)
        add(name, 0, "vectorize", lane)
        add(name, 0, "unroll", row)
        return blocks

    def _blocks(self, node: Node, plan: Plan) -> Loop:
        """Square blocks, read along one dimension and stored along the other; returns the loop over their rows."""
        add, name, args = self.schedule.add, node.name, node.function.args
        names, lanes = Names(args), min(self.costs.ways[name, 0].lanes, MOST_ROWS)
        x, y = Loop(args[0]), Loop(plan.slide or args[-1])
        (xo, xi), (yo, yi) = ((Loop(names.new(v.name, "o")), Loop(names.new(v.name, "i"))) for v in (x, y))
        rows: list[Loop] = []
        size = plan.tile.get(y.name, lanes)
        if size > lanes:
            rows = [Loop(names.new(y.name, "b"))]
            add(name, 0, "split", y, yo, rows[0], size, GUARD)
        add(name, 0, "split", rows[0] if rows else y, rows[0] if rows else yo, yi, lanes, GUARD)
        add(name, 0, "split", x, xo, xi, lanes, GUARD)
        around = [Loop(a) for a in args if a not in (x.name, y.name)]
        add(name, 0, "reorder", xi, yi, xo, *rows, yo, *around)
        add(name, 0, "vectorize", xi)
        # Rows that are written out are transposed in registers, whatever else the compiler knows of their loop.
        add(name, 0, "unroll", yi)
        for loop in (*reversed(around), yo):
            add(name, 0, "parallel", loop)
        return yo

    def _register_tile(self, node: Node, block: RegisterTile, has_members: bool) -> Loop | None:
        """Blocks of vectors, unrolled, with the reduction in the innermost loop around them; returns the loop over
        tiles, if any.  `has_members`: something is computed there."""
        add, name, args = self.schedule.add, node.name, node.function.args
        names = Names(args)
        x, y = Loop(self.costs.ways[name, 0].vector or args[0]), Loop(block.across)
        extent = {a: int(high - low + 1) for a, (low, high) in zip(args, node.region, strict=True)}
        # By variable: the loop within a block, those over blocks within a tile, those over tiles.
        loops: dict[str, tuple[Loop, list[Loop], list[Loop]]] = {}
        for var, size, tile in ((x, block.wide * block.lanes, block.tile[0]), (y, block.high, block.tile[1])):
            outer, middle, inner = (Loop(names.new(var.name, n)) for n in ("o", "b", "r"))
            # Blocks first, then tiles of blocks: the extent of a block is then seen to be constant.
            add(name, 0, "split", var, middle, inner, size, GUARD)
            if size < tile < extent[var.name]:
                add(name, 0, "split", middle, outer, middle, tile // size, GUARD)
                loops[var.name] = inner, [middle], [outer]
            elif tile < extent[var.name]:
                loops[var.name] = inner, [], [middle]
            else:
                loops[var.name] = inner, [middle], []
        around = [Loop(a) for a in args if a not in (x.name, y.name)]
        (xr, xi, xo), (yr, yi, yo) = loops[x.name], loops[y.name]
        blocks = [*xi, *yi, *xo, *yo]
        add(name, 0, "reorder", xr, yr, *blocks, *around)
        add(name, 0, "vectorize", xr, block.lanes, GUARD)
        if block.wide > 1:
            add(name, 0, "unroll", xr)
        add(name, 0, "unroll", yr)
        tiles = [*xo, *yo, *around]
        for loop in reversed(tiles if has_members else [*(yo or yi), *around]):
            add(name, 0, "parallel", loop)
        dims = args.index(x.name), args.index(y.name)
        self._accumulators(self.d.nodes[block.reduction], block, FuncName(name), blocks[0], dims)
        return tiles[0] if tiles else None

    def _accumulators(
        self, node: Node, block: RegisterTile, at: FuncName, level: Loop, dims: tuple[int, int]
    ) -> None:
        add, name, args = self.schedule.add, node.name, node.function.args
        x, y = Loop(args[dims[0]]), Loop(args[dims[1]])
        others = [Loop(a) for a in args if a not in (x.name, y.name)]
        add(name, 0, "compute_at", at, level)
        for stage in node.stages:
            k = stage.index
            if all(is_undef(v) for v in stage.definition.values):
                continue
            # The order first: the loop over lanes is made where its loop stands.
            add(name, k, "reorder", x, y, *(self.loops.reduction(stage, n) for n in stage.reduction), *others)
            add(name, k, "vectorize", x, block.lanes, GUARD)
            # Whole: by factors, full blocks would not be told from the last ones, and sums would go through memory.
            add(name, k, "unroll", x)
            add(name, k, "unroll", y)

    def _updates_at_root(self, node: Node, plan: Plan) -> Loop | None:
        """The loops of all stages; returns the one that all have that read members, if any."""
        levels: set[str | None] = set()
        for stage in node.stages:
            parallel = self.loops.parallel(node, stage)
            wanted = self.options.partial_results
            strips = partial_results(self.d, self.costs, self.machine, node, stage) if wanted else None
            if strips is not None:
                self.schedule.directives.append(strips)
                parallel = None
            else:
                self.loops.loops(node, stage, None, parallel)
            if self._reads_members(stage, plan):
                levels.add(parallel)
        level = levels.pop() if len(levels) == 1 else None
        return Loop(level) if level is not None else None

    def _reads_members(self, stage: Stage, plan: Plan) -> bool:
        """Whether a stage reads a member, through what is inlined too."""
        seen: set[str] = set()
        work = list(stage.reads)
        while work:
            read = work.pop()
            if read in plan.members:
                return True
            if read in self.inlined and read not in seen:
                work += [r for s in self.d.nodes[read].stages for r in s.reads]
            seen.add(read)
        return False

    def _member(self, plan: Plan, node: Node, tile_loop: Loop | None, row_loop: Loop | None) -> None:
        level = plan.levels[node.name]
        at = FuncName(plan.output)
        if level.compute == STEP and plan.around is not None:
            update = self.d.nodes[plan.around].stages[1]
            tile_loop, at = self.loops.reduction(update, update.reduction[0]), FuncName(plan.around)
        compute = row_loop if level.compute == ROW else tile_loop
        store = row_loop if level.store == ROW else tile_loop
        if compute is None:
            self.schedule.add(node.name, 0, "compute_root")
        elif store is None:
            self.schedule.add(node.name, 0, "store_root")
            self.schedule.add(node.name, 0, "compute_at", at, compute)
        else:
            if store != compute:
                self.schedule.add(node.name, 0, "store_at", at, store)
            self.schedule.add(node.name, 0, "compute_at", at, compute)
        sizes = plan.extents.get(node.name)
        self._align(node, sizes)
        # Dimensions of which one iteration of the loops around takes a part.
        moving = frozenset(
            a for a, (low, high), size in zip(node.function.args, node.region, sizes or (), strict=False)
            if size < high - low + 1
        )
        if node.name in plan.member_rows:
            self.loops.rows(node, plan.member_rows[node.name])
            return
        for stage in node.stages:
            self.loops.loops(node, stage, sizes, None, moving, bool(stage.index) and node.name == plan.around)

    def _align(self, node: Node, sizes: tuple[int, ...] | None) -> None:
        """Pads rows to whole vectors, so that those of all rows lie in one line of the cache each.  Arrays stored whole
        are left: they gain little, and large ones cost more."""
        way, axes = self.costs.ways[node.name, 0], self.d.axes(node)
        if not self.options.finish or sizes is None or len(axes) < 2 or way.vector != axes[0]:
            return
        length = sizes[self.d.layouts[node.name].axes[0]]
        padded = -(-length // way.lanes) * way.lanes
        # Few vectors are little to gain, and rows at multiples of a page lie in the same places of the cache.
        if length >= _ROW_VECTORS * way.lanes and padded != length and padded * node.bytes % _ALIASING:
            self.schedule.add(node.name, 0, "align_storage", Loop(axes[0]), way.lanes)
