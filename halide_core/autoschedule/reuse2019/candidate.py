"""The cost of a segment under one permutation of its loops: levels of its members (algorithm 1) and tile sizes.

All candidates of tile sizes are evaluated at once, as NumPy arrays."""

from __future__ import annotations

import numpy as np

from halide_core.autoschedule.analysis.footprints import Number, NumericBox, extents, points
from halide_core.autoschedule.reuse2019.plan import ROW, STEP, TILE, Level, Plan
from halide_core.autoschedule.reuse2019.point_cycles import Place, Places, PointCycles
from halide_core.autoschedule.reuse2019.steps import Steps, divided
from halide_core.runtime.memory import KEPT

# Cycles of starting a parallel task.
_TASK = 6000.0
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

    def __init__(self, cycles: PointCycles, around: str | None = None, rows: int = 1, eager: bool = False) -> None:
        tiles = cycles.tiles
        self.cycles, self.tiles, self.machine = cycles, tiles, cycles.machine
        self.d, self.options = tiles.description, tiles.options
        self.node, self.members, self.inlined = tiles.node, tiles.members, tiles.inlined
        # Rows of the output computed together.
        self.rows = rows
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
            high = self.cycles.height(self.d.nodes[n]) if plan.levels[n].compute == TILE else 1
            if high > 1 and plan.extents[n][1] >= 2 * high:
                plan.member_rows[n] = high
        return plan

    def _places_of(
        self, name: str, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], rows: Number
    ) -> Places:
        """The ways of placing a member, found once for all candidates that have the same tiles and nothing special."""
        if self.rows > 1 or self.around is not None:
            return self._priced(name, in_tile, in_row, rows)
        known = self.cycles.places
        if name not in known:
            known[name] = self._priced(name, in_tile, in_row, rows)
        return known[name]

    def _priced(
        self, name: str, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], rows: Number
    ) -> Places:
        node = self.d.nodes[name]
        choices = self._places(name, in_tile, in_row, rows)
        share = self.cycles.in_blocks(node, in_tile[name])
        rates, times = {TILE: self.cycles.of(node, in_tile[name], name == self.around)}, {TILE: 1.0, ROW: rows}
        if any(c[0].compute == ROW for c in choices):
            rates[ROW] = self.cycles.of(node, in_row[name])
        if self.steps is not None and name in self.steps.boxes:
            rates[STEP], times[STEP] = self.cycles.of(node, self.steps.boxes[name]), self.steps.count
        costs = [c[1] * rates[c[0].compute] + times[c[0].compute] * BOUNDS for c in choices]
        return Places(choices, costs, choices[0][1] * (rates[TILE] * share) + BOUNDS, share)

    def _places(
        self, name: str, in_tile: dict[str, NumericBox], in_row: dict[str, NumericBox], rows: Number
    ) -> list[Place]:
        """Each way of placing a member."""
        whole, part = self.tiles.points(in_tile[name]), self.tiles.points(in_row[name])
        if self.steps is not None and name in self.steps.boxes:
            step = self.tiles.points(self.steps.boxes[name])
            return [(Level(STEP, STEP), self.steps.count * step, step)]
        if self.tiles.slide is None or self.tiles.blocks or self.rows > 1 or name == self.around:
            return [(Level(TILE, TILE), whole, whole)]
        out = [(Level(TILE, TILE), whole, whole), (Level(ROW, ROW), part * rows, part)]
        if self.options.separate_store and self.tiles.slides(name):
            # The window slides: each point is computed once, and the rows that the next ones need are kept.
            kept = np.where(self.tiles.folds(name), np.minimum(part * 1.25, whole), whole)
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
            known = self._places_of(name, in_tile, in_row, rows)
            choices, share = known.places, known.share
            costs = known.costs if not self.eager else [known.eager_cost, *known.costs[1:]]
            if len(choices) > 1 and np.any(early):
                costs = [
                    np.where(early, np.inf, cost) if c[0].compute == ROW else cost
                    for c, cost in zip(choices, costs, strict=True)
                ]
            least = costs[0]
            for c in costs[1:]:
                least = np.minimum(least, c)
            stored, cost, computed, chosen = (np.full(np.shape(rows), x) for x in (np.inf, 0.0, 0.0, 0))
            for k, ((_, c_points, c_stored), c_cost) in enumerate(zip(choices, costs, strict=True)):
                better = (c_cost <= least * 1.05) & (c_stored < stored)
                for one, of in ((stored, c_stored), (computed, c_points), (cost, c_cost), (chosen, k)):
                    np.copyto(one, of, where=better)
            if choices[0][0].compute == TILE and not self.eager:
                cost = np.where(chosen == 0, cost * share, cost)
            self.chosen[name] = [c[0] for c in choices], chosen
            in_tiles = np.array([c[0].compute != ROW for c in choices])
            self.early[name] = in_tiles[chosen]
            total = total + cost
            held = held + stored * node.bytes
            passed = passed + computed * node.bytes
        return total, held, passed

    def _own_cost(self, tile: NumericBox) -> Number:
        total: Number = 0.0
        box = tile if self.node.is_pure else self.d.stored(self.node, tile)
        for stage in self.node.stages:
            cycles = self.cycles.of_stage(stage, box, self.rows, stage.func == self.around)
            total = total + self.tiles.points(box) * cycles * (_TURNED if self.tiles.blocks else 1.0)
        written = self.tiles.points(tile) * self.node.bytes
        whole = points(self.node.region) * self.node.bytes
        # Arrays beyond what is kept are new memory in each run, which the system clears.
        fresh = _FRESH if whole > KEPT and not self.node.is_output else 0.0
        rows = self.tiles.points(tile) / self.tiles.run(self.node.name, tile) if tile else 1.0
        started = np.where(self.cycles.rate(whole) > 0, rows * self.machine.load_cost, 0.0)
        return total + written * (self.cycles.rate(whole) * 1.5 + fresh) + started

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
            rate = self.cycles.rate(whole)
            length = self.tiles.run(name, box) * size
            lines = self.tiles.points(box) * size / np.maximum(length, 1)
            # A prefetcher follows a row once it has seen its start (equation 6 of the paper).
            missed = lines if self.options.prefetch else lines * np.ceil(length / 64)
            total = total + self.tiles.points(box) * size * rate + missed * np.where(rate > 0, m.load_cost, 0.0)
            if name in in_row:
                window = window + self.tiles.points(in_row[name]) * size
        # What flows through the buffers of the segment, at the speed of the cache that holds them.
        total = total + 2 * passed * self.cycles.rate(2 * buffers)
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
