"""Genetic2013 from end to end: seeds, search, the best schedule found."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import Machine, this_machine
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.genetic2013.genes import Genes
from halide_core.autoschedule.genetic2013.on_device import genetic_device_schedule
from halide_core.autoschedule.genetic2013.plot import plot
from halide_core.autoschedule.genetic2013.search import Search
from halide_core.autoschedule.genetic2013.state import State, fingerprint, load, save
from halide_core.autoschedule.genetic2013.trial import Outcome, Trials
from halide_core.autoschedule.reuse2019.scheduler import reuse_schedule
from halide_core.autoschedule.tree_search.scheduler import tree_schedule
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.target import Target

# Candidates that compile at the same time: each has images of its own.
_WORKERS = 4


@dataclass(frozen=True, slots=True)
class Options:
    """`seconds`: of searching; `generations`: at most so many more; `population`: individuals of one; `seed`: of
    chance; `candidate_seconds`: for compiling and running one; `seeds`: 0 leaves out what the other methods find;
    `state_file`: kept up to date, and taken up where it exists; `plot`: an SVG file of times over the search;
    `progress`: 1 shows the best time so far on standard error."""

    seconds: float = 60.0
    generations: int = 1 << 30
    population: int = 32
    seed: int = 0
    candidate_seconds: float = 30.0
    seeds: int = 1
    state_file: str = ""
    plot: str = ""
    progress: int = 0


def options(extra: dict[str, str]) -> Options:
    """The options that `extra` names.  Raises HalideError for values that are no numbers where they must be."""
    given: dict[str, Any] = {}
    for f in fields(Options):
        if f.name in extra:
            kind: type[float | int | str] = {"float": float, "int": int, "str": str}[str(f.type)]
            try:
                given[f.name] = kind(extra[f.name])
            except ValueError:
                raise HalideError(f"autoscheduler: {f.name} must be a number, not {extra[f.name]!r}") from None
            if kind is not str and given[f.name] < (1 if f.name == "population" else 0):
                raise HalideError(f"autoscheduler: {f.name} is {extra[f.name]}, which is too small")
    return Options(**given)


def genetic_schedule(outputs: list[Function], target: Target, extra: dict[str, str]) -> Schedule:
    """The fastest schedule found for the pipeline of `outputs`, not applied yet; for a device the one that takes least
    by AutoGPU's model.

    Raises HalideError where estimates are missing, a Func has a schedule, the pipeline does not run on random images of
    the estimated sizes, or `extra` is not understood."""
    chosen = options(extra)
    if target.has_feature("cuda"):
        if chosen.state_file or chosen.plot:
            raise HalideError("Genetic2013: searches for a device have no state_file and no plot")
        deadline = time.perf_counter() + chosen.seconds
        return genetic_device_schedule(
            outputs, target, extra, chosen.population, chosen.seed, chosen.generations, deadline, bool(chosen.seeds)
        )
    description = Description(outputs)
    genes = Genes(description, Costs(description, target), this_machine(target, extra))
    rng = random.Random(chosen.seed)
    name = fingerprint(description)
    path = Path(chosen.state_file) if chosen.state_file else None
    functions = {f.name: f for f in description.environment.order}
    state = (load(path, rng, name, functions) if path is not None else None) or State()
    if not state.population or (chosen.seconds and chosen.generations):
        def keep() -> None:
            if path is not None:
                save(path, state, rng, name)

        _search(outputs, target, extra, chosen, state, genes, rng, keep)
    if chosen.plot:
        Path(chosen.plot).write_text(plot(state))
    return state.best.individual.schedule()


def _search(
    outputs: list[Function], target: Target, extra: dict[str, str], chosen: Options, state: State, genes: Genes,
    rng: random.Random, keep: Callable[[], None],
) -> None:
    """Takes `state` further."""
    deadline = time.perf_counter() + chosen.seconds
    of_machine = {k: v for k, v in extra.items() if k not in {f.name for f in fields(Options)}}
    wanted = bool(chosen.seeds and not state.population)
    methods = {"Reuse2019": reuse_schedule, "TreeSearch": tree_schedule} if wanted else {}
    seeds = [(n, m(outputs, target, of_machine)) for n, m in methods.items()]
    others = of_other_machines(outputs, target, of_machine, genes.machine) if wanted else iter(())
    trials = Trials(outputs, target, chosen.candidate_seconds, chosen.seed, min(genes.machine.parallelism, _WORKERS))
    with trials, _Progress(chosen) as progress:
        search = Search(genes, trials, rng, state, chosen.population, progress.show)
        try:
            search.run(seeds, others, deadline, chosen.generations, keep)
        except KeyboardInterrupt:
            # Who cannot wait takes what there is.
            if not state.population:
                raise
        keep()


def of_other_machines(
    outputs: list[Function], target: Target, extra: dict[str, str], machine: Machine
) -> Iterator[tuple[str, Schedule]]:
    """What Reuse2019 finds with other costs of memory, other caches, and parts of it left out, made as they are asked
    for: its model is wrong somewhere else on each pipeline."""
    m = machine
    changes: list[dict[str, float]] = [
        {"memory_cycles": 3 * m.memory_cycles}, {"any_size": 0}, {"separate_store": 0}, {"row_blocks": 0},
        {"l2_size": m.l2_size // 2}, {"memory_cycles": m.memory_cycles / 3}, {"load_cost": 4 * m.load_cost},
        {"l1_size": 2 * m.l1_size}, {"parallelism": 2 * m.parallelism}, {"any_size": 0, "separate_store": 0},
        {"l2_size": 2 * m.l2_size}, {"row_blocks": 0, "separate_store": 0}, {"prefetch": 0},
    ]
    for change in changes:
        texts = {k: f"{v:.6g}" if isinstance(v, float) else str(v) for k, v in change.items()}
        if not texts.keys() & extra.keys():
            name = ", ".join(f"{k} {v}" for k, v in texts.items())
            yield f"Reuse2019 with {name}", reuse_schedule(outputs, target, {**extra, **texts})


class _Progress:
    """The best time so far, the generation and what became of the candidates, where that is wanted."""

    def __init__(self, chosen: Options) -> None:
        from rich.console import Console

        self.seconds = chosen.seconds
        self.status: Any = None
        if chosen.progress:
            self.status = Console(stderr=True, highlight=False).status("first schedules")
        self.context: Any = self.status if self.status is not None else nullcontext()

    def __enter__(self) -> _Progress:
        self.context.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self.context.__exit__(*(problem or (None, None, None)))

    def show(self, state: State, _: Outcome) -> None:
        """One trial more."""
        if self.status is not None and state.population:
            counts = ", ".join(f"{n} {kind}" for kind, n in sorted(state.counts.items()))
            self.status.update(
                f"best {1e3 * state.best.seconds:.3f} ms after {state.elapsed:.0f} of {self.seconds:.0f} s, "
                f"generation {state.generation}: {counts}"
            )
            sys.stderr.flush()
