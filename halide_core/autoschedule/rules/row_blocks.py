"""Rows that are computed together: what is inlined into a Func is computed once for all of them (beyond the paper).

A blur by columns of what blurs by rows, say, is computed four rows at a time from six blurred rows that stay in
registers, where a sliding window would store each of them and load it three times."""

from __future__ import annotations

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Stage
from halide_core.autoschedule.analysis.neighbours import Coordinates, Neighbours
from halide_core.ir.structural import key

ROWS = (2, 4, 8)
"""Heights of blocks."""
# Reads of a block with what is inlined written out, beyond which it is too long to compile.
_MANY_READS = 900
# Registers that hold nothing from row to row, and what storing and loading a register costs.
_BUSY, _SPILLED = 8, 1.2
# What of the loads saved is: the rest runs beside arithmetic.
_SAVED = 0.8
# Bytes of a register from which there are 32 of them.
_WIDE = 64


class RowBlocks:
    """Prices blocks of rows, each once."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._known: dict[tuple[str, frozenset[str], int], float | None] = {}
        self._neighbours: dict[tuple[str, frozenset[str]], Neighbours] = {}
        self._coordinates = Coordinates()
        self._heights: dict[tuple[str, frozenset[str]], list[int]] = {}

    def cycles(self, stage: Stage, inlined: frozenset[str], rows: int) -> float | None:
        """Cycles a point of a pure stage where `rows` rows are computed together, the Funcs `inlined` anew at each of
        their calls; None where that is not done: without vectors along rows, or what is too long to compile."""
        near = self.costs.near(stage, inlined)
        one, several = self._price(stage, near, 1), self._price(stage, near, rows)
        # In proportion to one row: coordinates are simplified, which may alone be priced otherwise.
        return None if one is None or several is None else self.costs.cycles(stage, near) * several / one

    def _price(self, stage: Stage, near: frozenset[str], rows: int) -> float | None:
        entry = stage.func, near, rows
        if entry not in self._known:
            self._known[entry] = self._priced(stage, near, rows)
        return self._known[entry]

    def heights(self, stage: Stage, inlined: frozenset[str]) -> list[int]:
        """The heights that are worth more than one row at a time."""
        near = self.costs.near(stage, inlined)
        entry = stage.func, near
        if entry not in self._heights:
            self._heights[entry] = self._worth(stage, near) if self._reads_rows(stage, near) else []
        return self._heights[entry]

    def _reads_rows(self, stage: Stage, near: frozenset[str]) -> bool:
        """Whether a point reads several rows of anything: else neighbours share nothing."""
        work = self.costs.work(stage, near)
        rows: dict[str, set[int]] = {}
        for site in work.sites if work is not None else ():
            layout = self.costs.description.layouts.get(site.name)
            rows.setdefault(site.name, set()).update(key(site.args[d]) for d in (layout.axes[1:2] if layout else ()))
        return any(len(r) > 1 for r in rows.values())

    def _worth(self, stage: Stage, inlined: frozenset[str]) -> list[int]:
        found: list[int] = []
        least = self.costs.cycles(stage, inlined) * 0.97
        for rows in ROWS:
            cycles = self.cycles(stage, inlined, rows)
            if cycles is None:
                break
            # Rows that skip their neighbour share something only by fours.
            if cycles <= least:
                found.append(rows)
                least = cycles * 0.97
        return found

    def _rows(self, stage: Stage, near: frozenset[str]) -> Neighbours:
        """The rows of a pure stage, with the Funcs `near` written out."""
        entry = stage.func, near
        if entry not in self._neighbours:
            row = self.costs.description.axes(self.costs.description.nodes[stage.func])[1]
            self._neighbours[entry] = Neighbours(self.costs.written_out(stage, near), row, self._coordinates)
        return self._neighbours[entry]

    def _priced(self, stage: Stage, near: frozenset[str], rows: int) -> float | None:
        costs = self.costs
        node = costs.description.nodes[stage.func]
        axes = costs.description.axes(node)
        way = costs.ways[stage.func, stage.index]
        if len(axes) < 2 or way.vector is None or way.vector != axes[0] or costs.together(stage.func, near):
            return None
        if costs.count(stage, near) * rows > _MANY_READS:
            return None
        block = self._rows(stage, near)
        cost, alone = block.cost(rows), block.cost(1)
        register = costs.target.vector_bytes
        as_row = costs.is_row(stage.func, near)
        loads, own = (sum(costs.read(site, axes[0], as_row) for site in c.sites) for c in (cost, alone))
        total = cost.cycles(register) + _SAVED * loads + (1 - _SAVED) * rows * own
        held = block.held() * way.lanes / register if rows > 1 else 0.0
        spilled = max(0.0, held + _BUSY - (32 if register >= _WIDE else 16))
        return total / rows + 0.6 * node.bytes / register + _SPILLED * spilled / way.lanes
