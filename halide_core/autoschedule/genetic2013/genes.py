"""Individuals: a schedule as the directives of each Func, and how they are made at random."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.footprints import points
from halide_core.autoschedule.analysis.layouts import FEW
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.directives import GUARD, Directive, FuncName, Loop, Names, Schedule
from halide_core.autoschedule.rules.stage_loops import StageLoops, is_undef

Gene = tuple[Directive, ...]
"""The directives of one Func; none: inlined, or an output as it was written."""
PLACES = ("compute_root", "compute_at", "store_at", "store_root")
# Most transformations of the loops of one Func, so that code does not explode.
MOST = 10
_SIZES = (2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True, slots=True)
class Individual:
    """The genes of a pipeline, consumers first."""

    genes: tuple[tuple[str, Gene], ...]

    def of(self, func: str) -> Gene:
        return dict(self.genes)[func]

    def changed(self, new: Mapping[str, Gene]) -> Individual:
        """With other genes for some Funcs."""
        return Individual(tuple((f, new.get(f, g)) for f, g in self.genes))

    def schedule(self) -> Schedule:
        return Schedule([d for _, gene in self.genes for d in gene])


class Genes:
    """Makes genes for the Funcs of one pipeline."""

    def __init__(self, description: Description, costs: Costs, machine: Machine) -> None:
        self.d = description
        self.costs = costs
        self.machine = machine
        self.funcs = tuple(reversed(list(description.nodes)))

    def from_schedule(self, schedule: Schedule) -> Individual:
        """A schedule that another method made."""
        return Individual(tuple((f, tuple(d for d in schedule.directives if d.func == f)) for f in self.funcs))

    def breadth_first(self) -> Individual:
        """Every Func computed and stored whole: right for sure, the paper's plain starting point."""
        return Individual(tuple((f, self._at_root(f)) for f in self.funcs))

    def breadth_first_parallel(self) -> Individual:
        """The same in parallel and in vectors: where one thread, value by value, would take minutes."""
        return Individual(tuple((f, self.parallel(f)) for f in self.funcs))

    def reasonable(self, rng: random.Random) -> Individual:
        """Funcs of footprint one inlined, the others tiled or only parallel, by a coin whose weight is the
        individual's."""
        weight = rng.random()
        genes: list[tuple[str, Gene]] = []
        for f in self.funcs:
            if self.may_inline(f) and self._footprint_is_one(f):
                genes.append((f, ()))
            else:
                genes.append((f, self.tiled(f, rng) if rng.random() < weight else self.parallel(f)))
        return Individual(tuple(genes))

    def arbitrary(self, rng: random.Random) -> Individual:
        """Each Func on its own: any place, any transformations."""
        made = self.breadth_first()
        for f in self.funcs:
            made = made.changed({f: self.random_gene(made, f, rng)})
        return made

    def random_gene(self, whole: Individual, func: str, rng: random.Random) -> Gene:
        """A random gene of one Func in `whole`."""
        if self.may_inline(func) and rng.random() < 0.25:
            return ()
        gene = self.placed(whole, func, rng)
        for _ in range(rng.randint(0, 4)):
            more = self.transformation(func, gene, rng)
            if more is not None:
                gene = (*gene, more)
        return gene

    # -- templates

    def parallel(self, func: str) -> Gene:
        """Whole, parallel over its last large dimension, in vectors over the first."""
        node = self.d.nodes[func]
        schedule = Schedule()
        loops = StageLoops(self.d, self.costs, self.machine, schedule)
        for stage in node.stages:
            loops.loops(node, stage, None, loops.parallel(node, stage))
        return (*self._at_root(func), *schedule.directives)

    def tiled(self, func: str, rng: random.Random) -> Gene:
        """Whole, in tiles that run in parallel, vectors inside: the paper's "fully parallelized and tiled"."""
        node = self.d.nodes[func]
        pair = self.plane(func, rng)
        if not node.is_pure or pair is None:
            return self.parallel(func)
        x, y = pair
        wide = rng.choice([s for s in _SIZES if s >= 16])
        tall = rng.choice([s for s in _SIZES if s <= 128])
        x_o, x_i, y_o, y_i = (Loop(f"{v}_{k}") for v in (x, y) for k in ("o", "i"))
        others = [Loop(a) for a in node.function.args if a not in (x, y)]
        out = [
            Directive(func, 0, "split", (Loop(x), x_o, x_i, wide, GUARD)),
            Directive(func, 0, "split", (Loop(y), y_o, y_i, tall, GUARD)),
            Directive(func, 0, "reorder", (x_i, y_i, x_o, y_o, *others)),
            Directive(func, 0, "vectorize", (x_i, min(wide, self.lanes(func)), GUARD)),
            Directive(func, 0, "parallel", (y_o,)),
        ]
        return (*self._at_root(func), *out)

    def under(self, func: str, consumer: str, loop: Loop) -> Gene:
        """Computed and stored at a loop of its consumer, in vectors over its first dimension."""
        node = self.d.nodes[func]
        schedule = Schedule()
        loops = StageLoops(self.d, self.costs, self.machine, schedule)
        for stage in node.stages:
            loops.loops(node, stage, None, None)
        return (Directive(func, 0, "compute_at", (FuncName(consumer), loop)), *schedule.directives)

    # -- parts

    def placed(self, whole: Individual, func: str, rng: random.Random) -> Gene:
        """Where `func` is computed and stored, at random."""
        if self.d.nodes[func].is_output:
            return ()
        user = self.consumer(whole, func, rng)
        loops = self.read_in(user, func, whole.of(user), rng) if user is not None else []
        if user is None or not loops or rng.random() < 0.3:
            return self._at_root(func)
        at = rng.randrange(len(loops))
        out = (Directive(func, 0, "compute_at", (FuncName(user), loops[at])),)
        # Kept further out, across one loop or several.
        if at + 1 < len(loops) and rng.random() < 0.3:
            return (Directive(func, 0, "store_at", (FuncName(user), rng.choice(loops[at + 1 :]))), *out)
        return out

    def transformation(self, func: str, gene: Gene, rng: random.Random) -> Directive | None:
        """A random transformation of the loops of a stage of `func`; None where there is room for none."""
        stage = rng.choice([s for s in self.d.nodes[func].stages if not all(map(is_undef, s.definition.values))])
        k = stage.index
        loops = self.loops(func, gene, k)
        if not loops or len(gene) >= MOST * len(self.d.nodes[func].stages):
            return None
        # Loops over a reduction run in their order.
        free = [x for x in loops if x.reduction is None] or loops
        which = rng.choice(loops)
        match rng.choice(("split", "split", "reorder", "vectorize", "parallel", "unroll")):
            case "split":
                names = Names(tuple(x.name for x in loops))
                made = (k - 1, -1) if which.reduction is not None else None
                outer, inner = (Loop(names.new(which.name, n), made) for n in ("o", "i"))
                return Directive(func, k, "split", (which, outer, inner, rng.choice(_SIZES), GUARD))
            case "reorder":
                order = list(loops)
                rng.shuffle(order)
                return Directive(func, k, "reorder", tuple(order))
            case "vectorize":
                return Directive(func, k, "vectorize", (free[0], self.lanes(func), GUARD))
            case "parallel":
                return Directive(func, k, "parallel", (free[-1],))
        return Directive(func, k, "unroll", (which, rng.choice((2, 4)), GUARD))

    def loops(self, func: str, gene: Gene, stage: int = 0) -> list[Loop]:
        """The loops that a gene leaves of a stage, innermost first."""
        s = self.d.nodes[func].stages[stage]
        own: dict[str, tuple[int, int]] = {}
        if s.definition.domain is not None:
            own = {n: (stage - 1, place) for place, (n, _, _) in enumerate(s.definition.domain.variables)}
        found = [Loop(v.var, own.get(v.var)) for v in s.definition.schedule.dims]
        for d in gene:
            loops = [a for a in d.args if isinstance(a, Loop)]
            names = [x.name for x in found]
            if d.stage != stage or d.method in PLACES or not loops or loops[0].name not in names:
                continue
            at = names.index(loops[0].name)
            if d.method == "split":
                found[at : at + 1] = [loops[2], loops[1]]
            elif d.method == "reorder" and {x.name for x in loops} <= set(names):
                places = sorted(names.index(x.name) for x in loops)
                for place, x in zip(places, loops, strict=True):
                    found[place] = x
            elif d.method == "fuse" and loops[1].name in names:
                found[names.index(loops[1].name)] = loops[2]
                found.remove(loops[0])
            elif d.method == "partial_results":
                found = []
            elif d.method in ("unroll", "vectorize") and len(d.args) == 1:
                found.pop(at)
        return found

    def read_in(self, user: str, func: str, gene: Gene, rng: random.Random) -> list[Loop]:
        """The loops of a stage of `user` that reads `func`; of the first where only what is inlined does."""
        stages = [s.index for s in self.d.nodes[user].stages if func in s.reads]
        return self.loops(user, gene, rng.choice(stages) if stages else 0)

    def consumer(self, whole: Individual, func: str, rng: random.Random) -> str | None:
        """A Func that reads `func` and is not inlined in `whole`, or reads what is inlined."""
        work = [func]
        for _ in range(len(self.funcs)):
            users = self.d.nodes[rng.choice(work)].consumers
            if not users:
                return None
            user = rng.choice(users)
            if whole.of(user) or self.d.nodes[user].is_output:
                return user
            work = [user]
        return None

    def plane(self, func: str, rng: random.Random) -> tuple[str, str] | None:
        """Two adjacent dimensions that are not small."""
        node = self.d.nodes[func]
        large = [a for a, (low, high) in zip(node.function.args, node.region, strict=True) if high - low + 1 > FEW]
        pairs = list(itertools.pairwise(large))
        return rng.choice(pairs) if pairs else None

    def lanes(self, func: str) -> int:
        return max(2, self.costs.ways[func, 0].lanes)

    def _at_root(self, func: str) -> Gene:
        return () if self.d.nodes[func].is_output else (Directive(func, 0, "compute_root"),)

    def may_inline(self, func: str) -> bool:
        """Whether `func` may be computed anew at each of its calls."""
        node = self.d.nodes[func]
        return node.is_pure and not node.is_output

    def _footprint_is_one(self, func: str) -> bool:
        """Whether every consumer reads one point of `func` for each of its own."""
        for user in self.d.nodes[func].consumers:
            node = self.d.nodes[user]
            if not node.is_pure:
                return False
            point = tuple((low, low) for low, _ in node.region)
            if points(self.d.required(node.stages[0], point)[func]) != 1:
                return False
        return True

