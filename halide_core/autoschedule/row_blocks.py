"""Rows that are computed together: what is inlined into a Func is computed once for all of them (beyond the paper).

A blur by columns of what blurs by rows, say, is computed four rows at a time from six blurred rows that stay in
registers, where a sliding window would store each of them and load it three times."""

from __future__ import annotations

from collections.abc import Iterator

from halide_core.autoschedule.arithmetic import arithmetic, read_cycles
from halide_core.autoschedule.costs import Costs
from halide_core.autoschedule.description import Stage
from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, Variable, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, substitute
from halide_core.passes.inline import make_inliner

ROWS = (2, 4, 8)
"""Heights of blocks."""
# Reads of a block with what is inlined written out, beyond which it is too long to compile.
_MANY_READS = 250
# Registers that hold nothing from row to row, and what storing and loading a register costs.
_BUSY, _SPILLED = 8, 1.2
# Bytes of a register from which there are 32 of them.
_WIDE = 64


class RowBlocks:
    """Prices blocks of rows, each once."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self._known: dict[tuple[str, frozenset[str], int], float | None] = {}
        self._values: dict[tuple[str, frozenset[str]], tuple[list[Expr], list[list[Expr]]]] = {}
        self._heights: dict[tuple[str, frozenset[str]], list[int]] = {}

    def cycles(self, stage: Stage, inlined: frozenset[str], rows: int) -> float | None:
        """Cycles a point of a pure stage where `rows` rows are computed together, the Funcs `inlined` anew at each of
        their calls; None where that is not done: without vectors along rows, or what is too long to compile."""
        near = self.costs.near(stage, inlined)
        one, several = self._price(stage, near, 1), self._price(stage, near, rows)
        # In proportion to one row: what is written out is simplified, and may be priced otherwise for that alone.
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
            rows.setdefault(site.name, set()).update(map(key, site.args[1:2]))
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

    def _block(self, stage: Stage, near: frozenset[str], rows: int) -> list[list[Expr]]:
        """The values of `rows` neighbouring rows, with the Funcs `near` written out."""
        node, entry = self.costs.description.nodes[stage.func], (stage.func, near)
        if entry not in self._values:
            expand = make_inliner({id(self.costs.description.nodes[n].function) for n in near})
            self._values[entry] = [expand(v) for v in stage.definition.values], []
        written, known = self._values[entry]
        y = Variable(ir.I32, node.function.args[1])
        for k in range(len(known), rows):
            place = {y.name: ir.Add(ir.I32, y, ir.const(k, ir.I32))}
            known.append([simplify(substitute(v, place)) for v in written])
        return known[:rows]

    def _priced(self, stage: Stage, near: frozenset[str], rows: int) -> float | None:
        costs = self.costs
        node = costs.description.nodes[stage.func]
        args = node.function.args
        way = costs.ways[stage.func, stage.index]
        if len(args) < 2 or way.vector != args[0] or costs.muxes(stage.func, near):
            return None
        if costs.count(stage, near) * rows > _MANY_READS:
            return None
        blocks = self._block(stage, near, rows)
        cost = arithmetic(tuple(v for row in blocks for v in row))
        register = costs.target.vector_bytes
        alone = arithmetic(tuple(blocks[0]))
        loads, own = (sum(read_cycles(site, args[0], register) for site in c.sites) for c in (cost, alone))
        # Loads run beside arithmetic: half of what is saved of them is.
        total = cost.cycles(register) + 0.5 * (loads + rows * own)
        held = _held(*blocks[:2]) * way.lanes / register if rows > 1 else 0.0
        spilled = max(0.0, held + _BUSY - (32 if register >= _WIDE else 16))
        return total / rows + 0.6 * node.bytes / register + _SPILLED * spilled / way.lanes


def _held(row: list[Expr], below: list[Expr]) -> float:
    """Bytes a lane of what is kept from a row for the one below it."""
    shared = {key(n) for n in _computed(row)}
    kept: dict[int, int] = {}
    for n in _computed(below):
        if key(n) not in shared:
            kept |= {key(c): c.type.bytes() for c in _operands(n) if key(c) in shared}
    return float(sum(kept.values()))


def _computed(values: list[Expr]) -> Iterator[Expr]:
    """What is computed in vectors, each once: not coordinates, not constants."""
    seen: set[int] = set()
    work = list(values)
    while work:
        n = work.pop()
        if key(n) in seen or isinstance(n, Variable) or const_value(n) is not None:
            continue
        seen.add(key(n))
        yield n
        work += _operands(n)


def _operands(n: Expr) -> list[Expr]:
    read = isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE)
    return [] if read else [c for c in ir.children(n) if not isinstance(c, Variable) and const_value(c) is None]
