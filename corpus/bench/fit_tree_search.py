"""Measures random schedule trees of random pipelines and fits the weights of TreeSearch to the times.

    python -m corpus.bench.fit_tree_search --pipelines 80 --trees 6 --measurements trees.jsonl --write

Every tree's results are held to those of the default schedule.  Compiled code comes from the cache on disk where it is
there, so that a second run, on a machine that does nothing else, only measures."""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import halide_core as hl
from corpus.bench.random_pipelines import random_pipeline
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.tree_search import weights as weights_file
from halide_core.autoschedule.tree_search.features import HOPELESS, NAMES
from halide_core.autoschedule.tree_search.scheduler import TreeSearch
from halide_core.autoschedule.tree_search.tree import Root
from halide_core.autoschedule.tree_search.well_formed import fault
from lifter.harness.timing import machine

_TARGET = "host-strict_float"
# Trees that would take longer are not run.
_LONGEST = 0.2
# Steps of descent; the logarithmic error from which on it counts linearly; how much weights keep to what they were.
_STEPS, _LARGE, _PULL = 3000, 0.7, 2e-4


@dataclass(frozen=True, slots=True)
class Measurement:
    """One tree of the pipeline `seed`: its features, and seconds of a run."""

    seed: int
    tree: int
    features: list[float]
    seconds: float


def random_tree(search: TreeSearch, rng: random.Random) -> Root:
    """A well-formed tree some random steps away from the default one."""
    tree = search.default()
    for _ in range(rng.randint(1, 3 * len(search.graph.calls))):
        func = rng.choice(list(search.graph.calls))
        choices = [t for t in search.moves.of(tree, func) if fault(t, search.graph) is None]
        if choices:
            tree = rng.choice(choices)
    return tree


def trees_of(seed: int, count: int) -> list[Root]:
    """The default tree, those of searches with the weights as they are and with some changed, and random ones."""
    p = random_pipeline(hl, seed)
    target = hl.Target(_TARGET)
    search = TreeSearch([p.output._function], target, this_machine(target, {}))
    rng = random.Random(seed)
    found = [search.default(), search.best(2, 1, 400).tree]
    while len(found) < count:
        found.append(random_tree(search, rng))
    # A tree twice says nothing new.
    return list(dict.fromkeys(found))


def measure(seed: int, count: int, budget: float) -> list[Measurement]:
    """Times the trees of one pipeline, in turn.  Raises AssertionError where one's results differ."""
    target = hl.Target(_TARGET)
    runs = []
    for number, tree in enumerate(trees_of(seed, count)):
        p = random_pipeline(hl, seed)
        search = TreeSearch([p.output._function], target, this_machine(target, {}))
        features = search.features.of(tree)
        # A rough guess keeps what would take minutes from being run.
        if number and float(features @ weights_file.as_vector(weights_file.WEIGHTS)) * 1e-9 > 5 * _LONGEST:
            continue
        if features.max() >= HOPELESS:
            continue
        search.schedule(tree).apply({f.name: f for f in search.description.environment.order})
        p.image.set(hl.Buffer(p.array))
        pipeline, out = hl.Pipeline([p.output]), hl.Buffer(p.output.type(), list(p.extents))
        pipeline.realize([out], target)
        runs.append((number, features, p, pipeline, out))
    wanted = np.array(runs[0][4])
    for number, _, _, _, out in runs:
        assert np.array_equal(wanted, np.array(out), equal_nan=wanted.dtype.kind == "f"), (seed, number)
    times: list[list[float]] = [[] for _ in runs]
    stop = time.perf_counter() + budget
    while len(times[0]) < 3 or (time.perf_counter() < stop and len(times[0]) < 50):
        for found, (_, _, _, pipeline, out) in zip(times, runs, strict=True):
            start = time.perf_counter()
            pipeline.realize([out], target)
            found.append(time.perf_counter() - start)
    return [
        # Noise only adds: the lower quarter is nearest to the truth.
        Measurement(seed, number, [float(v) for v in features], float(np.quantile(found, 0.25)))
        for (number, features, _, _, _), found in zip(runs, times, strict=True)
    ]


def fit(measurements: list[Measurement]) -> dict[str, float]:
    """Weights, all positive, of least mean logarithmic error of the times.

    Large errors, of what the model cannot know, count linearly; a weight that hardly any measurement speaks of stays
    near what it was."""
    times = np.log(np.array([m.seconds for m in measurements]) * 1e9)
    table = np.array([m.features for m in measurements])
    start = np.log(np.maximum(weights_file.as_vector(weights_file.WEIGHTS), 1e-6))
    found, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, _STEPS + 1):
        parts = table * np.exp(found)
        modelled = parts.sum(axis=1)
        error = np.clip(np.log(modelled) - times, -_LARGE, _LARGE)
        slope = (error / modelled) @ parts / len(times) + _PULL * (found - start)
        # Adam: slopes of very different sizes.
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        rate = 0.03 * (1 - step / _STEPS)
        found = found - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
    return dict(zip(NAMES, (float(v) for v in np.exp(found)), strict=True))


def quality(measurements: list[Measurement], weights: dict[str, float]) -> tuple[float, float]:
    """(median of the factor between modelled and measured time, how much slower than the best measured tree of a
    pipeline the one is that the model likes best: geometric mean)."""
    vector = weights_file.as_vector(weights)
    factors: list[float] = []
    by_seed: dict[int, list[tuple[float, float]]] = {}
    for m in measurements:
        modelled = max(float(np.array(m.features) @ vector) * 1e-9, 1e-9)
        factors.append(max(modelled / m.seconds, m.seconds / modelled))
        by_seed.setdefault(m.seed, []).append((modelled, m.seconds))
    regrets = [min(of)[1] / min(t for _, t in of) for of in by_seed.values()]
    return statistics.median(factors), statistics.geometric_mean(regrets)


def _file(weights: dict[str, float], measurements: list[Measurement], remark: str) -> str:
    known = machine()
    head = [
        "Weights of TreeSearch's features (features.py), made by `python -m corpus.bench.fit_tree_search --write`.",
        f"Fitted to {len(measurements)} trees of {len({m.seed for m in measurements})} random pipelines.",
        f"Machine: {known['machine']}; {known['threads'].split()[0]} threads.",
        *remark.splitlines(),
    ]
    return "".join([*(f"# {t}\n" for t in head), "\n[nanoseconds]\n", *(f"{n} = {weights[n]:.3g}\n" for n in NAMES)])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--pipelines", default=80, show_default=True, metavar="N", help="Random pipelines to measure.")
@click.option("--seed", default=0, show_default=True, help="The first pipeline; each takes one number.")
@click.option("--trees", default=6, show_default=True, metavar="N", help="Trees of each pipeline.")
@click.option("--seconds", default=0.3, show_default=True, metavar="S", help="Time spent on running those of one.")
@click.option("--measurements", required=True, metavar="FILE", help="JSON lines to add measurements to and to fit.")
@click.option("--write", is_flag=True, help="Put the weights into halide_core/autoschedule/tree_search/weights.toml.")
def main(pipelines: int, seed: int, trees: int, seconds: float, measurements: str, write: bool) -> None:
    """Measure random schedule trees and fit TreeSearch's weights to the times."""
    path = Path(measurements)
    known = {}
    if path.exists():
        known = {(m.seed, m.tree): m for m in (Measurement(**json.loads(t)) for t in path.read_text().splitlines())}
    console = Console(stderr=True, highlight=False)
    seeds = {s for s, _ in known}
    with Progress(console=console) as progress, path.open("a") as file:
        for s in progress.track(range(seed, seed + pipelines), description="pipelines"):
            if s in seeds:
                continue
            for m in measure(s, trees, seconds):
                known[m.seed, m.tree] = m
                file.write(json.dumps(asdict(m)) + "\n")
            file.flush()
    of = list(known.values())
    if not of:
        console.print("error: nothing was measured", markup=False)
        sys.exit(2)
    # Fitted on all but every fifth pipeline, which says how good the weights are.
    held = [m for m in of if m.seed % 5 == 0]
    weights = fit([m for m in of if m.seed % 5])
    error, regret = quality(held, weights)
    before = quality(held, weights_file.WEIGHTS)
    remark = (
        f"Of pipelines that were not fitted, a modelled time is off by a factor of {error:.2f} (median), and the tree\n"
        f"of least modelled time takes {regret:.2f} times as long as the fastest one measured (geometric mean)."
    )
    table = Table("feature", "weight", "before", title="Nanoseconds a unit")
    for n in NAMES:
        table.add_row(n, f"{weights[n]:.3g}", f"{weights_file.WEIGHTS[n]:.3g}")
    out = Console(highlight=False)
    out.print(table)
    out.print(remark, markup=False)
    out.print(f"Before: {before[0]:.2f} and {before[1]:.2f}.", markup=False)
    if write:
        weights_file.FILE.write_text(_file(weights, of, remark))


if __name__ == "__main__":
    main()
