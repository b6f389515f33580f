"""The cost of a segment under one permutation of its loops: levels of its members (algorithm 1) and tile sizes.

All candidates of tile sizes are evaluated at once, as NumPy arrays."""

from __future__ import annotations

import numpy as np

from halide_core.autoschedule.description import Node, Stage
from halide_core.autoschedule.footprints import Number, NumericBox, extents, points
from halide_core.autoschedule.machine import Machine
from halide_core.autoschedule.reuse2019.plan import ROW, STEP, TILE, Level, Plan
from halide_core.autoschedule.reuse2019.steps import Steps, divided, passes_through
from halide_core.autoschedule.reuse2019.tiles import Tiles
from halide_core.autoschedule.row_blocks import RowBlocks
from halide_core.runtime.memory import KEPT

# Cycles of entering a loop over a row, and of starting a parallel task.
_ROW, _TASK = 25.0, 6000.0
# Cycles of finding the bounds of a stage in an iteration of the sliding loop.
BOUNDS = 80.0
# How much worse tiles are that do not divide the output.
_RAGGED = 1.05
# Cycles a byte of memory that the system gives anew, in huge pages.
_FRESH = 1.0
# What a block transposed in registers costs of what gathers would.
_TURNED = 0.2


class Candidate:
    """All tile sizes of one permutation of the loops."""

    def __init__(
        self, tiles: Tiles, machine: Machine, around: str | None = None, rows: int = 1,
        row_blocks: RowBlocks | None = None, eager: bool = False,
    ) -> None:
        self.tiles, self.machine = tiles, machine
        self.d, self.costs, self.options = tiles.description, tiles.costs, tiles.options
        self.node, self.members, self.inlined = tiles.node, tiles.members, tiles.inlined
        # Rows computed together, of the output and, where `row_blocks` is given, of members.
        self.rows, self.row_blocks = rows, row_blocks
        # Whether members are computed for whole tiles for that alone.  It takes along all that they read, so that the
        # better one of both is not to be seen from one member.
        self.eager = eager
        # By member: its levels, and which of them each candidate takes.
        self.chosen: dict[str, tuple[list[Level], Number]] = {}
        # Whether each candidate computes a member in the loop over tiles.
        self.early: dict[str, Number] = {}
        # The member whose reduction goes around its loops, if any, and its steps.
        self.around = around
        self.steps: Steps | None = None

    def best(self) -> Plan | None:
        t = self.tiles
        wide, tall = t.wide, t.tall
        in_tile, in_row = t.in_tile, t.in_row
        if self.around is not None:
            self.steps = divided(self.d, self.d.nodes[self.around], self.members, t.order, in_tile)
            if self.steps is None:
                return None
        in_step = self.steps.boxes if self.steps is not None else {}
        counts = {a: t.extent[a] for a in t.outside}
        tiles: Number = np.ones_like(wide, dtype=float)
        across = down = tiles
        if self.node.is_pure and t.vector is not None:
            across = np.ceil(t.extent[t.vector] / wide)
        if t.slide is not None:
            down = np.ceil(t.extent[t.slide] / tall)
        outer: Number = tiles
        for c in counts.values():
            outer = outer * c
        tiles = across * down * outer
        rows = tall if t.slide is not None else np.ones_like(wide)
        total, buffers, held = self._members_cost(in_tile, in_row, rows)
        total = total + self._own_cost(t.tile)
        total = total + self._loads(in_tile, in_row, buffers, held)
        total = total * tiles
        tasks = self._tasks(across, down, counts)
        threads = self.machine.parallelism
        share = np.ceil(tasks / threads) / tasks
        # Tasks that end at different times leave threads idle: few large ones cost more.
        cost = total * share * (1 + 0.15 * (tasks > 1) * threads / np.maximum(tasks, threads)) + tasks * _TASK
        cost = np.where(tasks > 1, cost, total * np.maximum(share, 1.0))
        if t.slide is not None:
            # The bounds of a last, shorter tile are not always exact: more may be computed and read than needed.
            cost = cost * np.where(t.extent[t.slide] % tall == 0, 1.0, _RAGGED)
            # A last block that is not whole is guarded row by row.
            cost = cost * np.where(tall % self.rows == 0, 1.0, _RAGGED)
            cost = np.where(tall < self.rows, np.inf, cost)
        k = int(np.argmin(cost))
        if not np.isfinite(cost[k]):
            return None
        plan = Plan(
            self.node.name, tuple(n for n in self.d.nodes if n in self.members), float(cost[k]),
            t.slide, t.inside, t.outside, blocks=t.blocks, around=self.around, rows=self.rows,
        )
        if t.vector is not None and self.node.is_pure and wide[k] < t.extent[t.vector]:
            plan.tile[t.vector] = int(wide[k])
        if t.slide is not None and tall[k] < t.extent[t.slide]:
            plan.tile[t.slide] = int(tall[k])
        for n in plan.members:
            levels, chosen = self.chosen[n]
            plan.levels[n] = levels[int(_at(chosen, k))]
            box = {ROW: in_row, TILE: in_tile, STEP: in_step}[plan.levels[n].compute]
            plan.extents[n] = tuple(int(_at(e, k)) for e in extents(box[n]))
            high = self._height(self.d.nodes[n]) if plan.levels[n].compute == TILE else 1
            if high > 1 and plan.extents[n][1] >= 2 * high:
                plan.member_rows[n] = high
        return plan

    def _height(self, member: Node) -> int:
        """How many rows of a member that a tile needs are computed together."""
        if self.row_blocks is None or not member.is_pure:
            return 1
        return max((1, *self.row_blocks.heights(member.stages[0], self.inlined)))

    def _folds(self, name: str, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox]) -> Number:
        """Whether the window over a member moves by the same whole number each time, as folding it takes: windows of
        what is sampled at twice the resolution stand still every other time."""
        even: Number = True
        boxes = zip(in_tile[name], in_row[name], self.tiles.in_next_row[name], strict=True)
        for (t_low, t_high), (low, high), (next_low, next_high) in boxes:
            rate = ((t_high - t_low) - (high - low)) / np.maximum(self.tiles.tall - 1, 1)
            same = (np.abs(next_low - low - rate) < 0.2) & (np.abs(next_high - high - rate) < 0.2)
            even = even & (same | (self.tiles.tall <= 1))
        return even

    def _options_of(
        self, name: str, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], rows: Number
    ) -> list[tuple[Level, Number, Number]]:
        """(level, points computed in a tile, points stored) for each way of placing a member."""
        node = self.d.nodes[name]
        whole, part = points(in_tile[name]), points(in_row[name])
        if self.steps is not None and name in self.steps.boxes:
            step = points(self.steps.boxes[name])
            return [(Level(STEP, STEP), self.steps.count * step, step)]
        if self.tiles.slide is None or self.tiles.blocks or self.rows > 1 or name == self.around:
            return [(Level(TILE, TILE), whole, whole)]
        out = [(Level(TILE, TILE), whole, whole), (Level(ROW, ROW), part * rows, part)]
        if node.is_pure and self.options.separate_store:
            # The window slides: each point is computed once, and the rows that the next ones need are kept.
            kept = np.where(self._folds(name, in_tile, in_row), np.minimum(part * 1.25, whole), whole)
            out.append((Level(ROW, TILE), whole, kept))
        return out

    def _members_cost(
        self, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], rows: Number
    ) -> tuple[Number, Number, Number]:
        """(cycles in a tile, bytes that the buffers of the members take, bytes that pass through them).

        Algorithm 1, with its levels compared by cost: of those that cost hardly more than the cheapest, the one that
        stores least; where windows overlap, that is to compute in the sliding loop and to store outside of it."""
        total: Number = np.zeros(np.shape(rows), dtype=float)
        held: Number = np.zeros(np.shape(rows), dtype=float)
        passed: Number = np.zeros(np.shape(rows), dtype=float)
        # Consumers first: what they need for a whole tile must be there by then.
        for name in self.tiles.order:
            if name not in in_tile:
                continue
            node = self.d.nodes[name]
            early: Number = False
            for user in node.consumers:
                early = early | self.early.get(user, False)
            if name in self.inlined:
                self.early[name] = early
                continue
            choices = self._options_of(name, in_tile, in_row, rows)
            share = self._in_blocks(node, in_tile[name])
            rates, times = {TILE: self.point_cycles(node, in_tile[name])}, {TILE: 1.0, ROW: rows}
            if self.eager:
                rates[TILE] = rates[TILE] * share
            if any(c[0].compute == ROW for c in choices):
                rates[ROW] = self.point_cycles(node, in_row[name])
            if self.steps is not None and name in self.steps.boxes:
                rates[STEP], times[STEP] = self.point_cycles(node, self.steps.boxes[name]), self.steps.count
            costs = [c[1] * rates[c[0].compute] + times[c[0].compute] * BOUNDS for c in choices]
            costs = [
                np.where(early, np.inf, cost) if c[0].compute == ROW else cost
                for c, cost in zip(choices, costs, strict=True)
            ]
            least = costs[0]
            for c in costs[1:]:
                least = np.minimum(least, c)
            stored: Number = np.inf
            cost = computed = chosen = np.zeros(np.shape(rows))
            for k, ((_, c_points, c_stored), c_cost) in enumerate(zip(choices, costs, strict=True)):
                better = (c_cost <= least * 1.05) & (c_stored < stored)
                stored = np.where(better, c_stored, stored)
                computed = np.where(better, c_points, computed)
                cost = np.where(better, c_cost, cost)
                chosen = np.where(better, k, chosen)
            if choices[0][0].compute == TILE and not self.eager:
                cost = np.where(chosen == 0, cost * share, cost)
            self.chosen[name] = [c[0] for c in choices], chosen
            in_tiles = np.array([c[0].compute != ROW for c in choices])
            self.early[name] = in_tiles[np.asarray(chosen, dtype=int)]
            total = total + cost
            held = held + stored * node.bytes
            passed = passed + computed * node.bytes
        return total, held, passed

    def point_cycles(self, node: Node, box: NumericBox) -> Number:
        """Cycles a point of all stages of a Func that is computed over `box` at a time."""
        total: Number = 0.0
        for stage in node.stages:
            total = total + self._stage_cycles(stage, box, 1.0)
        return total

    def _in_blocks(self, node: Node, box: NumericBox) -> Number:
        """What blocks of rows cost of a member that is computed for a tile, of what rows cost one by one."""
        high = self._height(node)
        if high == 1:
            return 1.0
        several, alone = (self._stage_cycles(node.stages[0], box, 1.0, n) for n in (high, 1))
        return np.where(extents(box)[1] >= 2 * high, several / alone, 1.0)

    def _stage_cycles(self, stage: Stage, box: NumericBox, computed: Number, rows: int = 1) -> Number:
        """Cycles of `stage` where `computed` points of its Func are computed, a tile's being `box`, `rows` rows of it
        together."""
        way = self.costs.ways[stage.func, stage.index]
        args = self.d.nodes[stage.func].function.args
        sizes = extents(box)
        per_point = self.d.iterations(stage, box) / np.maximum(points(box), 1)
        width = sizes[args.index(way.vector)] if way.vector is not None else np.ones(1)
        padded = np.ceil(width / way.lanes) * way.lanes / np.maximum(width, 1)
        whole = extents(self.d.nodes[stage.func].region)
        channels = self.costs.muxes(stage.func, self.inlined)
        together = self.options.finish and all(
            bool(np.all(sizes[args.index(a)] >= whole[args.index(a)])) for a in channels
        )
        cycles = self.costs.cycles(stage, self.inlined, together)
        if rows > 1 and self.row_blocks is not None:
            cycles = self.row_blocks.cycles(stage, self.inlined, rows) or cycles
        again = 3 if passes_through(stage) else 2 if stage.index and stage.func == self.around else 0
        if again:
            # Each step of the reduction reads and writes all of the Func again, here or there.
            width_bytes = self.d.nodes[stage.func].bytes
            cycles = cycles + again * width_bytes * self.rate(points(box) * width_bytes)
        return computed * per_point * (cycles * padded + _ROW / np.maximum(width, 1))

    def _own_cost(self, tile: NumericBox) -> Number:
        total: Number = 0.0
        box = tile if self.node.is_pure else self.d.stored(self.node, tile)
        for stage in self.node.stages:
            cycles = self._stage_cycles(stage, box, points(box), self.rows)
            total = total + cycles * (_TURNED if self.tiles.blocks else 1.0)
        written = points(tile) * self.node.bytes
        whole = points(self.node.region) * self.node.bytes
        # Arrays beyond what is kept are new memory in each run, which the system clears.
        fresh = _FRESH if whole > KEPT and not self.node.is_output else 0.0
        rows = points(tile) / np.maximum(extents(tile)[0], 1) if tile else 1.0
        started = np.where(self.rate(whole) > 0, rows * self.machine.load_cost, 0.0)
        return total + written * (self.rate(whole) * 1.5 + fresh) + started

    def rate(self, size: Number) -> Number:
        """Cycles a byte of what is reused only after `size` bytes."""
        m = self.machine
        slow = np.where(size > m.last_level_cache_size / 2, m.memory_cycles, m.last_level_cycles)
        return np.where(size > m.l2_size / 2, slow, np.where(size > m.l1_size / 2, m.l2_cycles, 0.0))

    def _loads(
        self, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], buffers: Number, passed: Number,
    ) -> Number:
        """Cycles of bringing in a tile what is stored outside of the segment, and of what its buffers do not keep."""
        total: Number = 0.0
        window = buffers
        m = self.machine
        for name, box in in_tile.items():
            if name in self.members or name in self.inlined:
                continue
            size = self.d.bytes(name)
            whole = points(self.d.whole(name)) * size
            sizes = extents(box)
            rate = self.rate(whole)
            length = sizes[0] * size if sizes else np.ones(1)
            lines = points(box) * size / np.maximum(length, 1)
            # A prefetcher follows a row once it has seen its start (equation 6 of the paper).
            missed = lines if self.options.prefetch else lines * np.ceil(length / 64)
            total = total + points(box) * size * rate + missed * np.where(rate > 0, m.load_cost, 0.0)
            if name in in_row:
                window = window + points(in_row[name]) * size
        # What flows through the buffers of the segment, at the speed of the cache that holds them.
        total = total + 2 * passed * self.rate(2 * buffers)
        # Windows that do not fit are loaded again for each row of them.
        spilled = window > m.l2_size
        return total + np.where(spilled, 2 * window * m.last_level_cycles, 0.0)

    def _tasks(self, across: Number, down: Number, counts: dict[str, int]) -> Number:
        if not self.node.is_pure:
            total: Number = np.ones(1)
            for c in counts.values():
                total = total * c
            return total
        total = down if self.tiles.slide is not None else across
        for c in counts.values():
            total = total * c
        return total


def _at(value: Number, k: int) -> Number:
    found = np.asarray(value)
    return found if found.ndim == 0 else found[k] if found.shape[0] > 1 else found[0]
