"""Individuals: a schedule as the directives of each Func, and how they are made at random."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass

from halide_core.autoschedule.costs import FEW, Costs
from halide_core.autoschedule.description import Description
from halide_core.autoschedule.directives import GUARD, Directive, FuncName, Loop, Names, Schedule
from halide_core.autoschedule.footprints import points
from halide_core.autoschedule.machine import Machine
from halide_core.autoschedule.stage_loops import StageLoops

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

    def reasonable(self, rng: random.Random) -> Individual:
        """Funcs of footprint one inlined, the others tiled or only parallel, by a coin whose weight is the
        individual's."""
        weight = rng.random()
        genes: list[tuple[str, Gene]] = []
        for f in self.funcs:
            if self._may_inline(f) and self._footprint_is_one(f):
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
        if self._may_inline(func) and rng.random() < 0.25:
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

    def under(self, func: str, consumer: str, loop: str) -> Gene:
        """Computed and stored at a loop of its consumer, in vectors over its first dimension."""
        node = self.d.nodes[func]
        schedule = Schedule()
        loops = StageLoops(self.d, self.costs, self.machine, schedule)
        for stage in node.stages:
            loops.loops(node, stage, None, None)
        return (Directive(func, 0, "compute_at", (FuncName(consumer), Loop(loop))), *schedule.directives)

    # -- parts

    def placed(self, whole: Individual, func: str, rng: random.Random) -> Gene:
        """Where `func` is computed and stored, at random."""
        if self.d.nodes[func].is_output:
            return ()
        user = self.consumer(whole, func, rng)
        loops = self.loops(user, whole.of(user)) if user is not None else []
        if user is None or not loops or rng.random() < 0.3:
            return self._at_root(func)
        at = rng.randrange(len(loops))
        out = (Directive(func, 0, "compute_at", (FuncName(user), Loop(loops[at]))),)
        # Kept further out, across one loop or several.
        if at + 1 < len(loops) and rng.random() < 0.3:
            return (Directive(func, 0, "store_at", (FuncName(user), Loop(rng.choice(loops[at + 1 :])))), *out)
        return out

    def transformation(self, func: str, gene: Gene, rng: random.Random) -> Directive | None:
        """A random transformation of the loops of the first stage of `func`; None where there is room for none."""
        loops = self.loops(func, gene)
        if not loops or len(gene) >= MOST:
            return None
        which = rng.choice(loops)
        match rng.choice(("split", "split", "reorder", "vectorize", "parallel", "unroll")):
            case "split":
                names = Names(tuple(loops))
                outer, inner = names.new(which, "o"), names.new(which, "i")
                return Directive(func, 0, "split", (Loop(which), Loop(outer), Loop(inner), rng.choice(_SIZES), GUARD))
            case "reorder":
                order = list(loops)
                rng.shuffle(order)
                return Directive(func, 0, "reorder", tuple(Loop(n) for n in order))
            case "vectorize":
                return Directive(func, 0, "vectorize", (Loop(loops[0]), self.lanes(func), GUARD))
            case "parallel":
                return Directive(func, 0, "parallel", (Loop(loops[-1]),))
        return Directive(func, 0, "unroll", (Loop(which), rng.choice((2, 4)), GUARD))

    def loops(self, func: str, gene: Gene) -> list[str]:
        """The loops that a gene leaves of the first stage, innermost first."""
        found = list(self.d.nodes[func].function.args)
        for d in gene:
            names = [a.name for a in d.args if isinstance(a, Loop)]
            if d.stage or not names or names[0] not in found:
                continue
            at = found.index(names[0])
            if d.method == "split":
                found[at : at + 1] = [names[2], names[1]]
            elif d.method == "reorder" and set(names) <= set(found):
                places = sorted(found.index(n) for n in names)
                for place, n in zip(places, names, strict=True):
                    found[place] = n
            elif d.method in ("unroll", "vectorize") and len(d.args) == 1:
                found.pop(at)
        return found

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

    def _may_inline(self, func: str) -> bool:
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

