"""Cycles a point of stages, with what is inlined into them."""

from __future__ import annotations

from dataclasses import replace

from halide_core.autoschedule.analysis.arithmetic import (
    Arithmetic,
    Site,
    arithmetic,
    is_read,
    read_cycles,
    write_cycles,
)
from halide_core.autoschedule.analysis.description import Description, Node, Stage
from halide_core.autoschedule.analysis.footprints import Range
from halide_core.autoschedule.analysis.layouts import FEW, runs_as_row
from halide_core.autoschedule.analysis.vector_loops import Way, way_of
from halide_core.autoschedule.rules.default import transposed_dimension
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Variable, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import post_order, substitute, variables
from halide_core.ir.sums import difference
from halide_core.passes.inline import make_inliner
from halide_core.passes.races import is_pure_loop
from halide_core.target import Target

# Reads of a stage with what is inlined into it, beyond which inlining is out of the question.
_MANY_READS = 400
# What bodies of loops cost beyond their instructions where channels of what is inlined are unrolled: long ones overlap
# less (camera_pipe took 1.13 as long).
_LONG = 1.1
# What of its reads and of its time a point may take, where it is computed together with those that share with it.
_ALIKE, _WORTH = 0.7, 0.9
# The most coordinates that share a value, which goes to as many places one after the other.
_SHARED = 8


class Costs:
    """The costs of the stages of a pipeline on a target."""

    def __init__(self, description: Description, target: Target) -> None:
        self.description = description
        self.target = target
        self.ways: dict[tuple[str, int], Way] = {}
        self._rows: dict[tuple[str, frozenset[str]], bool] = {}
        self._muxed: dict[tuple[str, frozenset[str]], set[str]] = {}
        self._sharing: dict[tuple[str, frozenset[str]], set[str]] = {}
        for node in description.nodes.values():
            for stage in node.stages:
                self.ways[stage.func, stage.index] = way_of(description, target, node, stage)
        self._cycles: dict[tuple[str, int, frozenset[str], bool], float] = {}
        self._work: dict[tuple[str, int, frozenset[str]], Arithmetic | None] = {}
        self._written: dict[tuple[str, int, frozenset[str]], tuple[ir.Expr, ...]] = {}
        for node in description.nodes.values():
            for stage in node.stages[1:]:
                way = self.ways[stage.func, stage.index]
                if way.vector is None or not stage.scatters:
                    continue
                alone = replace(way, lanes=1)
                if self._in(alone, stage, frozenset(), True) < self._in(way, stage, frozenset(), True):
                    self.ways[stage.func, stage.index] = alone

    def vector_loop(self, node: Node) -> str | None:
        """The loop along which a Func's vectors lie, or its first where it has none."""
        args = node.function.args
        return self.ways[node.name, 0].vector or (args[0] if args else None)

    def is_row(self, name: str, inlined: frozenset[str] = frozenset()) -> bool:
        """Whether the interleaved channels of an output run as one long row, with what is `inlined` into it."""
        node, layout = self.description.nodes[name], self.description.layouts[name]
        if not node.is_output or not node.is_pure or layout.channels is None:
            return False
        if self.ways[name, 0].vector != self.description.axes(node)[0]:
            return False
        stage = node.stages[0]
        near = self.near(stage, inlined)
        if (name, near) not in self._rows:
            written = self.written_out(stage, near) if self.work(stage, near) is not None else None
            self._rows[name, near] = written is not None and runs_as_row(
                written, node.function.args, self.description.layouts, layout
            )
        return self._rows[name, near]

    def read(self, site: Site, vector: str, as_row: bool = False) -> float:
        """Cycles a point of reading `site` in a loop over `vector`; `as_row`: over channels and pixels as one row."""
        layout = self.description.layouts.get(site.name)
        axis, step = (layout.axes[0], layout.step) if layout is not None and layout.axes else (0, 1)
        return read_cycles(site, vector, self.target.vector_bytes, axis, 1 if as_row else step)

    def cycles(self, stage: Stage, inlined: frozenset[str], together: bool = True) -> float:
        """Cycles a point of `stage`, the Funcs `inlined` computed anew at each of their calls; `together`: the points
        along the dimensions of `unrolled` share what they can."""
        near = self.near(stage, inlined)
        entry = stage.func, stage.index, near, together
        if entry not in self._cycles:
            self._cycles[entry] = self._priced(stage, near, together)
        return self._cycles[entry]

    def work(self, stage: Stage, inlined: frozenset[str]) -> Arithmetic | None:
        """The cost of the expressions with what is inlined written out: reads of equal places are shared.

        None where they would be too long to compile."""
        near = self.near(stage, inlined)
        entry = stage.func, stage.index, near
        if entry not in self._work:
            self._work[entry] = self._expanded(stage, near)
        return self._work[entry]

    def near(self, stage: Stage, inlined: frozenset[str]) -> frozenset[str]:
        """The inlined Funcs that `stage` computes."""
        found: set[str] = set()
        work = [r for r in stage.reads if r in inlined]
        while work:
            name = work.pop()
            if name not in found:
                found.add(name)
                work += [r for s in self.description.nodes[name].stages for r in s.reads if r in inlined]
        return frozenset(found)

    def count(self, stage: Stage, near: frozenset[str]) -> int:
        """How many reads `stage` has with `near` written out, if none of them were the same."""
        total = 0
        for name, sites in stage.sites.items():
            total += sites * (self.count(self.description.nodes[name].stages[0], near) if name in near else 1)
        return total

    def _expanded(self, stage: Stage, near: frozenset[str]) -> Arithmetic | None:
        if self.count(stage, near) > _MANY_READS:
            return None
        return arithmetic(self.written_out(stage, near)) if near else stage.cost

    def written_out(self, stage: Stage, near: frozenset[str]) -> tuple[ir.Expr, ...]:
        """The values of `stage` and the places that it writes, with the Funcs `near` in place of their calls."""
        entry = stage.func, stage.index, near
        if entry not in self._written:
            expand = make_inliner({id(self.description.nodes[n].function) for n in near})
            d = stage.definition
            places = (a for a in d.args if not isinstance(a, ir.Variable))
            self._written[entry] = tuple(expand(e) for e in (*d.values, *places))
        return self._written[entry]

    def unrolled(self, stage: Stage, inlined: frozenset[str] = frozenset()) -> list[str]:
        """The dimensions of `together` whose points one iteration of the loops of `stage` computes."""
        node = self.description.nodes[stage.func]
        return [
            a for a in node.function.args
            if a in self.together(stage.func, inlined) and a in stage.pure
            and (not stage.index or is_pure_loop(node.function, stage.definition, a))
        ]

    def _ranges(self, stage: Stage, names: list[str]) -> list[Range]:
        node = self.description.nodes[stage.func]
        return [node.region[node.function.args.index(n)] for n in names]

    def _together(self, stage: Stage, near: frozenset[str]) -> tuple[Arithmetic | None, int]:
        """(the work of the points that are computed together, how many): what they share is counted once."""
        along = self.unrolled(stage, near)
        cost = self.work(stage, near)
        if not along or cost is None:
            return cost, 1
        return self._of_all(stage, near, along)

    def _of_all(self, stage: Stage, near: frozenset[str], along: list[str]) -> tuple[Arithmetic, int]:
        """(the work of all points along dimensions, with `near` written out, how many they are)."""
        places: list[dict[str, ir.Expr]] = [{}]
        for a, (low, high) in zip(along, self._ranges(stage, along), strict=True):
            places = [{**p, a: ir.const(k, ir.I32)} for p in places for k in range(int(low), int(high) + 1)]
        values = tuple(simplify(substitute(e, p)) for p in places for e in self.written_out(stage, near))
        return arithmetic(values), len(places)

    def _priced(self, stage: Stage, near: frozenset[str], together: bool) -> float:
        return self._in(self.ways[stage.func, stage.index], stage, near, together)

    def _in(self, way: Way, stage: Stage, near: frozenset[str], together: bool) -> float:
        cost, count = self._together(stage, near) if together else (self.work(stage, near), 1)
        if cost is None:
            # No need to know its price.
            return float(self.count(stage, near))
        register = self.target.vector_bytes
        vector, as_row = way.runs_along, self.is_row(stage.func, near)
        total = self._instructions(cost, vector, as_row) / count
        for low, high in self._ranges(stage, self.shared(stage, near)):
            total /= high - low + 1
        if count > 1 and not any(a in stage.pure for a in self.muxes(stage.func)):
            total *= _LONG
        width = self.description.nodes[stage.func].bytes
        if vector is None:
            # Lane by lane: each instruction costs as much as one on a whole register.
            return total * max(1, register // max(width, 4))
        step = 1 if as_row else self.description.layouts[stage.func].step
        return total + write_cycles(stage.definition.args, width, register, step)

    def _instructions(self, cost: Arithmetic, vector: str | None, as_row: bool = False) -> float:
        """Cycles of computing and reading, in a loop over `vector` (None: of one element)."""
        register = self.target.vector_bytes
        reads = (0.6 * s.bytes / register if vector is None else self.read(s, vector, as_row) for s in cost.sites)
        return cost.cycles(register) + sum(reads)

    def shared(self, stage: Stage, inlined: frozenset[str] = frozenset()) -> list[str]:
        """Dimensions of few coordinates that the first values of a Func with updates do not depend on, though they take
        some computing: loops over them go right around vectors, which then are computed once for all of them."""
        node, way = self.description.nodes[stage.func], self.ways[stage.func, stage.index]
        # The loops of other Funcs may be those of tiles.
        if node.is_pure or stage.index or way.vector is None or not stage.reads:
            return []
        apart = {way.vector, *self.together(stage.func, inlined)}
        names = {n for v in stage.definition.values for n in variables(v)}
        sizes = zip(node.function.args, node.region, strict=True)
        return [a for a, (low, high) in sizes if a not in apart | names and 1 <= high - low < _SHARED]

    def turned(self, name: str) -> str | None:
        """The dimension along which a pure Func reads memory while its vectors run along another: a transpose."""
        node, way = self.description.nodes[name], self.ways[name, 0]
        if not node.is_pure or not node.function.args or way.vector != node.function.args[0]:
            return None
        return transposed_dimension(node.function, node.stages[0].definition, 0)

    def together(self, name: str, inlined: frozenset[str] = frozenset()) -> set[str]:
        """Dimensions of few coordinates that are unrolled: those of `muxes` and of `sharing`."""
        return self.muxes(name, inlined) | self.sharing(name, inlined)

    def sharing(self, name: str, inlined: frozenset[str] = frozenset()) -> set[str]:
        """Dimensions of three or four coordinates whose points read mostly the same, in a pure Func with what is
        `inlined` into it: unrolled, though not bounded.  Coordinates that are computed alike are nothing to gain."""
        node = self.description.nodes[name]
        stage, way = node.stages[0], self.ways[name, 0]
        sizes = zip(node.function.args, node.region, strict=True)
        few = [a for a, (low, high) in sizes if 2 <= high - low < FEW and a != way.vector]
        if not few or not node.is_pure or way.vector is None:
            return set()
        near = self.near(stage, inlined)
        entry = name, near
        if entry not in self._sharing:
            apart = self.muxes(name, near)
            self._sharing[entry] = {a for a in few if a not in apart and self._pays(stage, near, a)}
        return self._sharing[entry]

    def _pays(self, stage: Stage, near: frozenset[str], arg: str) -> bool:
        """Whether the points along a dimension, computed together, read and take so much less."""
        alone = self.work(stage, near)
        if alone is None:
            return False
        beside = sum(self._lies_beside(s, arg) for s in alone.sites)
        if 2 * beside > len(alone.sites):
            return True
        apart = sum(any(arg in variables(a) for a in s.args) for s in alone.sites)
        ((low, high),) = self._ranges(stage, [arg])
        if apart + (len(alone.sites) - apart) / (high - low + 1) > _ALIKE * len(alone.sites):
            return False
        several, count = self._of_all(stage, near, [arg])
        write = write_cycles(stage.definition.args, self.description.nodes[stage.func].bytes, self.target.vector_bytes)
        vector = self.ways[stage.func, stage.index].vector
        together = self._instructions(several, vector) / count + write
        return _LONG * together < _WORTH * (self._instructions(alone, vector) + write)

    def _lies_beside(self, site: Site, arg: str) -> bool:
        """Whether data choose a place at which the points along a dimension read neighbours: one line of the cache, and
        one address for all."""
        layout = self.description.layouts[site.name]
        if not site.args:
            return False
        inner = layout.channels if layout.channels is not None else layout.axes[0]
        mine = [d for d, a in enumerate(site.args) if arg in variables(a)]
        chosen = any(is_read(n) for d, a in enumerate(site.args) if d != inner for n in post_order(a))
        return chosen and mine == [inner] and difference(site.args[inner], Variable(I32, arg)) is not None

    def muxes(self, name: str, inlined: frozenset[str] = frozenset()) -> set[str]:
        """Dimensions of few coordinates between which a Func's values distinguish, as mux does of channels; where they
        are three or more, also those between which what is `inlined` into it distinguishes; and interleaved channels
        that are stored together, and do not run as one row."""
        node = self.description.nodes[name]
        near = frozenset(n for s in node.stages for n in self.near(s, inlined))
        entry = name, near
        if entry not in self._muxed:
            found: set[str] = set()
            layout = self.description.layouts[name]
            # Without a stated stride there is nothing to gain, and dimensions would be bounded by their estimates.
            apart = node.is_output and layout.step not in (1, None) and not self.is_row(name, near)
            together = layout.channels if apart else None
            for d, arg in enumerate(node.function.args):
                low, high = node.region[d]
                few = high - low + 1 <= FEW and all(self.ways[name, s.index].vector != arg for s in node.stages)
                if not few:
                    continue
                free = [s for s in node.stages if arg in s.pure]
                own = d == together or any(_distinguishes(v, arg) for s in free for v in s.definition.values)
                # Of two channels one is half of the work, whoever computes it.
                if own or (high - low >= 2 and any(self._distinguish(s, arg, near) for s in free)):
                    found.add(arg)
            self._muxed[entry] = found
        return self._muxed[entry]

    def _distinguish(self, stage: Stage, var: str, inlined: frozenset[str]) -> bool:
        """Whether what is inlined into `stage` distinguishes between the coordinates `var`."""
        for site in stage.cost.sites:
            if site.name not in inlined:
                continue
            producer = self.description.nodes[site.name]
            for a, inner in zip(site.args, producer.function.args, strict=True):
                if difference(a, ir.Variable(ir.I32, var)) is None:
                    continue
                made = producer.stages[0]
                own = any(_distinguishes(v, inner) for v in made.definition.values)
                if own or self._distinguish(made, inner, inlined):
                    return True
        return False


def _distinguishes(value: ir.Expr, var: str) -> bool:
    for n in post_order(value):
        if isinstance(n, ir.Select):
            for c in post_order(n.condition):
                compares = isinstance(c, ir.EQ | ir.LT | ir.LE | ir.GT | ir.GE) and const_value(c.b) is not None
                if compares and difference(ir.children(c)[0], ir.Variable(ir.I32, var)) is not None:
                    return True
    return False


