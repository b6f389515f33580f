"""Cycles a point of stages, with what is inlined into them."""

from __future__ import annotations

from dataclasses import dataclass

from halide_core.autoschedule.arithmetic import read_cycles
from halide_core.autoschedule.default import lanes_for
from halide_core.autoschedule.description import Description, Node, Stage
from halide_core.function import Function
from halide_core.ir import expr as ir
from halide_core.ir.expr import const_value
from halide_core.ir.simplify import difference
from halide_core.ir.structural import post_order, variables
from halide_core.passes.races import is_pure_loop
from halide_core.target import Target

# Extents of a dimension for which the loop may be unrolled, one case of a select for each.
FEW = 4


@dataclass(frozen=True, slots=True)
class Way:
    """How a stage runs: along which loop its vectors lie (None: lane by lane), of how many lanes."""

    vector: str | None
    lanes: int


class Costs:
    """The costs of the stages of a pipeline on a target."""

    def __init__(self, description: Description, target: Target) -> None:
        self.description = description
        self.target = target
        self.ways: dict[tuple[str, int], Way] = {}
        self.muxed: dict[str, set[str]] = {}
        for node in description.nodes.values():
            for stage in node.stages:
                self.ways[stage.func, stage.index] = self._way(node, stage)
        self._cycles: dict[tuple[str, int, str | None, frozenset[str]], float] = {}

    def _way(self, node: Node, stage: Stage) -> Way:
        d = stage.definition
        lanes = lanes_for(d, self.target)
        extents = {n: b[1] - b[0] + 1 for n, b in zip(node.function.args, node.region, strict=True)}
        for name in node.function.args:
            usable = name in stage.pure and (not stage.index or is_pure_loop(node.function, d, name))
            if usable and extents[name] >= 4:
                return Way(name, min(lanes, _power(int(extents[name]))))
        return Way(None, 1)

    def cycles(self, stage: Stage, inlined: frozenset[str]) -> float:
        """Cycles a point of `stage`, the Funcs `inlined` computed anew at each of their calls."""
        way = self.ways[stage.func, stage.index]
        found = self._of(stage, way.vector, inlined)
        width = sum(t.bytes() for t in self.description.nodes[stage.func].function.types)
        if way.vector is None:
            # Lane by lane: each instruction costs as much as one on a whole register.
            return found * max(1, self.target.vector_bytes // max(width, 4))
        return found + 0.6 * width / self.target.vector_bytes

    def _of(self, stage: Stage, vector: str | None, inlined: frozenset[str]) -> float:
        entry = stage.func, stage.index, vector, inlined
        known = self._cycles.get(entry)
        if known is not None:
            return known
        register = self.target.vector_bytes
        total = stage.cost.cycles(register)
        function = self.description.nodes[stage.func].function
        for site in stage.cost.sites:
            if site.target is function:
                total += 0.6 * site.bytes / register
                continue
            producer = self.description.nodes.get(site.name)
            if producer is not None and site.name in inlined:
                total += self._of(producer.stages[0], _along(producer.function, site.args, vector), inlined)
            elif vector is None:
                total += 0.6 * site.bytes / register
            else:
                total += read_cycles(site, vector, register)
        self._cycles[entry] = total
        return total

    def muxes(self, name: str) -> set[str]:
        """Dimensions of few coordinates between which a Func's values distinguish, as mux does of channels."""
        if name not in self.muxed:
            node = self.description.nodes[name]
            found: set[str] = set()
            for d, arg in enumerate(node.function.args):
                low, high = node.region[d]
                few = high - low + 1 <= FEW and arg != self.ways[name, 0].vector
                if few and any(_distinguishes(v, arg) for v in node.stages[0].definition.values):
                    found.add(arg)
            self.muxed[name] = found
        return self.muxed[name]


def _power(n: int) -> int:
    """The greatest power of two up to `n`."""
    return 1 << max(n, 1).bit_length() - 1


def _along(producer: Function, args: tuple[ir.Expr, ...], vector: str | None) -> str | None:
    """The dimension of an inlined producer along which the consumer's vectors run."""
    if vector is None:
        return None
    for name, a in zip(producer.args, args, strict=True):
        if vector in variables(a):
            return name
    return "(none)"


def _distinguishes(value: ir.Expr, var: str) -> bool:
    for n in post_order(value):
        if isinstance(n, ir.Select):
            for c in post_order(n.condition):
                compares = isinstance(c, ir.EQ | ir.LT | ir.LE | ir.GT | ir.GE) and const_value(c.b) is not None
                if compares and difference(ir.children(c)[0], ir.Variable(ir.I32, var)) is not None:
                    return True
    return False


