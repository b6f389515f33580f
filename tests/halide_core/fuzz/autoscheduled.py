"""Schedules by the autoschedulers, for sizes and machines other than those at hand."""

from __future__ import annotations

import math
import random
from typing import Any

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.genetic2013.genes import Genes
from halide_core.autoschedule.genetic2013.mutation import crossover, mutated
from halide_core.autoschedule.genetic2013.repair import repaired
from halide_core.target import Target

METHODS = ("Reuse2019", "TreeSearch", "Genetic2013")
# Of a body, by all unrolled loops together: the search gives up on what compiles for long.
_MOST_COPIES = 64
_PARTS = ("fusion", "separate_store", "any_size", "prefetch", "row_blocks", "partial_results", "finish")


def directives(rng: random.Random, method: str, source: tuple[int, int], target: str) -> list[str]:
    """Lines that schedule `output` by a method, for an estimate and a machine left to chance: small caches, so that
    small images are tiled too.  Of Genetic2013 it is what the search makes of individuals, not the search."""
    width, height = rng.choice([7, 16, 40, 64, 200, 333, 1920]), rng.choice([5, 16, 33, 100, 1080])
    options = {
        "parallelism": rng.choice([1, 2, 2, 8]), "l1_size": rng.choice([1 << 10, 4 << 10, 32 << 10]),
        "l2_size": rng.choice([4 << 10, 64 << 10, 1 << 20]), "memory_cycles": rng.choice([0.1, 0.35, 1.0]),
    }
    if method == "Reuse2019":
        options |= {part: 0 for part in _PARTS if rng.random() < 0.1}
    given = {k: str(v) for k, v in options.items()}
    lines = [
        f"source.set_estimates([(0, {source[0]}), (0, {source[1]})])",
        f"output.set_estimates([(0, {width}), (0, {height})])",
    ]
    if method == "Genetic2013":
        lines.append("from tests.halide_core.fuzz.autoscheduled import as_individual")
        lines.append(f"as_individual(output, {target or 'host'!r}, {given!r}, {rng.randrange(1 << 30)})")
    else:
        params = f"hl.AutoschedulerParams({method!r}, {given!r})"
        lines.append(f"hl.Pipeline(output).apply_autoscheduler(hl.Target({target or 'host'!r}), {params})")
    return lines


def as_individual(output: Any, target: str, options: dict[str, str], seed: int) -> None:
    """Schedules the pipeline of a Func as a random individual of Genetic2013."""
    rng = random.Random(seed)
    compiled = Target(target)
    description = Description([output._function])
    genes = Genes(description, Costs(description, compiled), this_machine(compiled, options))
    while True:
        some = [make(rng) for make in (genes.reasonable, genes.arbitrary)]
        whole = rng.choice([*some, crossover(some[0], some[1], rng)])
        for _ in range(rng.randrange(6)):
            whole = mutated(repaired(whole, genes), genes, rng)
        schedule = repaired(whole, genes).schedule()
        copies = math.prod(d.args[1] for d in schedule.directives if d.method == "unroll" and len(d.args) > 1)
        if copies <= _MOST_COPIES:
            break
    schedule.apply({f.name: f for f in description.environment.order})
