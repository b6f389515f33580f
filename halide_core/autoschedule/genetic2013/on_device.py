"""Genetic2013 for a device: where each Func is computed, by generations that AutoGPU's model prices; nothing is run.

The templates are the paper's for GPUs: a Func is a kernel of its own, in tiles of blocks and threads; or in the blocks
of the kernel that uses it; or by the thread that does; or computed at its uses.  Tiles are the model's best ones."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from halide_core.autoschedule.auto_gpu.group import BLOCK, INLINE, ROOT
from halide_core.autoschedule.auto_gpu.grouping import Grouping
from halide_core.autoschedule.auto_gpu.scheduler import auto_gpu
from halide_core.autoschedule.directives import Schedule
from halide_core.function import Function
from halide_core.target import Target

# Shares of a generation; the rest is random.
_ELITE, _CROSSED, _MUTATED = 0.15, 0.25, 0.52
_TOURNAMENT = 3
# How often a Func that the one before reads goes into the same kernel, too.
_FURTHER = 0.5

Places = tuple[str, ...]
"""Where each Func is computed, in realization order."""


def genetic_device_schedule(
    outputs: list[Function], target: Target, extra: Mapping[str, str], size: int, seed: int, generations: int,
    deadline: float, seeded: bool,
) -> Schedule:
    """The cheapest schedule found in so many generations of `size` individuals, or until `deadline`; `seeded`: from
    what AutoGPU finds, too.  Raises HalideError as `auto_gpu` does."""

    def search(grouping: Grouping) -> None:
        found = DeviceSearch(grouping, random.Random(seed), size)
        if grouping.refused.placed:
            # What the compiler refused is mended, and not searched for once more.
            grouping.placed = found.placed(found.repaired(grouping.refused.placed))
            return
        first = []
        if seeded:
            grouping.run()
            first.append(found.repaired(grouping.placed))
        grouping.placed = found.placed(found.run(first, generations, deadline))

    return auto_gpu(outputs, target, extra, search=search)[1].schedule


@dataclass(slots=True)
class DeviceSearch:
    """Generations of places in one pipeline."""

    grouping: Grouping
    rng: random.Random
    size: int
    order: list[str] = field(init=False)
    costs: dict[Places, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.order = list(self.grouping.view.description.nodes)

    def placed(self, individual: Places) -> dict[str, str]:
        """The places by name."""
        return dict(zip(self.order, individual, strict=True))

    def cost(self, individual: Places) -> float:
        """Seconds by the model."""
        if individual not in self.costs:
            placed = self.placed(individual)
            kernels = {n for n, kind in placed.items() if kind == ROOT}
            self.costs[individual] = self.grouping.total(kernels, placed)
        return self.costs[individual]

    def repaired(self, wanted: Mapping[str, str]) -> Places:
        """Each Func where it is wanted, if it may be there, else whole; consumers first."""
        placed = dict.fromkeys(self.order, ROOT)
        for name in reversed(self.order):
            if wanted[name] in self.grouping.kinds(name, placed):
                placed[name] = wanted[name]
        return tuple(placed.values())

    def run(self, first: list[Places], generations: int, deadline: float) -> Places:
        """The cheapest individual, of those found from `first`, all Funcs whole and random ones."""
        whole = self.repaired(dict.fromkeys(self.order, ROOT))
        trivial = {n: INLINE if self.grouping.trivial(n) else ROOT for n in self.order}
        population = [*first, whole, self.repaired(trivial)]
        population += [self._random() for _ in range(self.size - len(population))]
        for _ in range(generations):
            population.sort(key=self.cost)
            if time.perf_counter() > deadline:
                break
            population = self._next(population)
        return min(population, key=self.cost)

    def _next(self, old: list[Places]) -> list[Places]:
        """The next generation; `old` has the cheapest first."""
        size = self.size
        kept = list(dict.fromkeys(old))[: max(1, round(_ELITE * size))]
        crossed = [self._crossed(self._parent(old), self._parent(old)) for _ in range(round(_CROSSED * size))]
        changed = [self._mutated(self._parent(old)) for _ in range(round(_MUTATED * size))]
        rest = size - len(kept) - len(crossed) - len(changed)
        return [*kept, *crossed, *changed, *(self._random() for _ in range(rest))]

    def _parent(self, old: list[Places]) -> Places:
        return min(self.rng.choices(old, k=_TOURNAMENT), key=self.cost)

    def _random(self) -> Places:
        placed = dict.fromkeys(self.order, ROOT)
        for name in reversed(self.order):
            placed[name] = self.rng.choice([ROOT, *self.grouping.kinds(name, placed)])
        return tuple(placed.values())

    def _crossed(self, a: Places, b: Places) -> Places:
        first, last = sorted(self.rng.sample(range(len(a) + 1), 2))
        return self.repaired(self.placed((*a[:first], *b[first:last], *a[last:])))

    def _mutated(self, a: Places) -> Places:
        """Another template for one Func, or one as a kernel with what it reads in its blocks, until a coin fails."""
        placed, name = self.placed(a), self.rng.choice(self.order)
        if self.rng.random() < 0.5:
            placed[name] = self.rng.choice([ROOT, *self.grouping.kinds(name, placed)])
            return self.repaired(placed)
        placed[name] = ROOT
        work = [name]
        while work:
            user = work.pop()
            for stage in self.grouping.view.description.nodes[user].stages:
                for read in stage.reads:
                    if read in placed and read != user:
                        placed[read] = self.rng.choice([BLOCK, INLINE])
                        work += [read] if self.rng.random() < _FURTHER else []
        return self.repaired(placed)

