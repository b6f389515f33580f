"""What neighbouring rows of a Func have in common, without writing the rows out.

Rows differ in nothing but their coordinates: only those are simplified, everything else keeps its shape."""

from __future__ import annotations

from halide_core.autoschedule.analysis.arithmetic import Arithmetic, Site, is_read, node_cost, site_of
from halide_core.ir import expr as ir
from halide_core.ir.expr import Expr, Variable, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, key, operator_of, substitute, variables


class Coordinates:
    """The coordinates of other rows, each simplified once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str, int], int] = {}

    def moved(self, coordinate: Expr, row: str, rows: int) -> int:
        """The number of `coordinate` as it is `rows` further along `row`."""
        entry = key(coordinate), row, rows
        if entry not in self._known:
            place = {row: ir.Add(ir.I32, Variable(ir.I32, row), ir.const(rows, ir.I32))}
            self._known[entry] = key(simplify(substitute(coordinate, place)))
        return self._known[entry]


class Neighbours:
    """Rows of `values` along the variable `row`: the first, and those below it."""

    def __init__(self, values: tuple[Expr, ...], row: str, coordinates: Coordinates) -> None:
        self.row, self.coordinates = row, coordinates
        # What is computed or read, each once, operands first.
        self._nodes: list[Expr] = []
        # The places of its operands there.
        self._operands: list[list[int]] = []
        self._place: dict[int, int] = {}
        for v in values:
            self._add(v)
        self._costs = [node_cost(n) for n in self._nodes]
        self._sites = [site_of(n) if is_read(n) else None for n in self._nodes]
        self._moving = [k for k, n in enumerate(self._nodes) if row in variables(n)]
        self._numbers: dict[tuple[object, ...], int] = {}
        # Numbers by place, for each row: what is the same in two rows has the same number.
        self._rows: list[list[int]] = []

    def _add(self, value: Expr) -> None:
        stack = [value]
        while stack:
            n = stack[-1]
            if key(n) in self._place:
                stack.pop()
                continue
            inner = [a for a in n.args if contains(a, ir.Call)] if is_read(n) else ir.children(n)
            missing = [c for c in inner if key(c) not in self._place]
            if missing:
                stack += missing
                continue
            self._place[key(n)] = len(self._nodes)
            self._nodes.append(n)
            self._operands.append([self._place[key(c)] for c in inner])
            stack.pop()

    def _numbered(self, k: int) -> list[int]:
        """The numbers of row `k`."""
        for rows in range(len(self._rows), k + 1):
            numbers = list(self._rows[0]) if rows else [0] * len(self._nodes)
            for place in self._moving if rows else range(len(self._nodes)):
                n = self._nodes[place]
                shape: tuple[object, ...]
                if is_read(n):
                    moved = (self.coordinates.moved(a, self.row, rows) for a in ir.children(n))
                    shape = operator_of(n), *moved
                elif isinstance(n, Variable) and n.name == self.row:
                    shape = n.name, rows
                else:
                    shape = operator_of(n), *(numbers[c] for c in self._operands[place])
                numbers[place] = self._numbers.setdefault(shape, len(self._numbers))
            self._rows.append(numbers)
        return self._rows[k]

    def cost(self, rows: int) -> Arithmetic:
        """The cost of `rows` rows together: what they share is counted once."""
        vector_bytes = lane_cycles = 0.0
        sites: list[Site] = []
        seen: set[int] = set()
        for k in range(rows):
            for place, number in enumerate(self._numbered(k)):
                if number in seen:
                    continue
                seen.add(number)
                site = self._sites[place]
                if site is not None:
                    sites.append(site)
                else:
                    more, scalar = self._costs[place]
                    vector_bytes += more
                    lane_cycles += scalar
        return Arithmetic(vector_bytes, lane_cycles, tuple(sites))

    def held(self) -> float:
        """Bytes a lane of what is kept from a row for the one below it."""
        first, second = self._numbered(0), self._numbered(1)
        shared = {first[p] for p in range(len(self._nodes)) if self._computed(p)}
        kept: dict[int, int] = {}
        for place, number in enumerate(second):
            if number in shared or not self._computed(place) or self._sites[place] is not None:
                continue
            kept |= {
                second[c]: self._nodes[c].type.bytes()
                for c in self._operands[place] if self._computed(c) and second[c] in shared
            }
        return float(sum(kept.values()))

    def _computed(self, place: int) -> bool:
        """Whether a vector holds it: not coordinates, not constants."""
        n = self._nodes[place]
        return not isinstance(n, Variable) and const_value(n) is None
