"""Genetic2013 against Reuse2019, from which it starts: searches of some minutes for each pipeline, then both schedules
in turn, beside what the machine's memory and arithmetic allow.

Searches are kept in a folder, and taken up where they ended."""

from __future__ import annotations

import json
import multiprocessing
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
import numpy as np
from rich.console import Console

import halide_core as hl
from corpus.bench.autoschedule import HAND, OWN
from corpus.bench.roofline import arithmetic_ms, memory_ms
from corpus.bench.scheduled_process import TARGET, Arrays, ScheduledProcess, Scheduling
from corpus.bench.timed_process import NotTimed
from corpus.pipelines.common import PipelineFile, Size, bind, estimate, named_pipelines, output_buffers, run
from halide_core.autoschedule.methods import method
from halide_core.passes.realization_order import build_environment
from lifter.harness.timing import interleave, machine

SEARCH = "Genetic2013"
# Seconds in which a schedule that is known must be compiled.
_READY = 600.0
# How often two schedules are timed, each time in new processes: one process may be 8 % faster than another with the
# same code, by where its memory lies.
_PROCESSES = 3


@dataclass(slots=True)
class Result:
    """One pipeline: milliseconds of a run by schedule, and those that memory and arithmetic take at least; the search's
    seconds and candidates, by what became of them; whether it found nothing better than Reuse2019's schedule; what went
    wrong."""

    pipeline: str
    size: Size
    ms: dict[str, float] = field(default_factory=dict)
    memory_ms: float = 0.0
    arithmetic_ms: float = 0.0
    searched_s: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    same: bool = False
    problems: list[str] = field(default_factory=list)

    def over(self, name: str) -> float | None:
        """The time under the schedule `name` over that under the schedule found."""
        return self.ms[name] / self.ms[SEARCH] if {name, SEARCH} <= self.ms.keys() else None

    @property
    def roof(self) -> float | None:
        """The share of the found schedule's time that memory or arithmetic takes at least."""
        return max(self.memory_ms, self.arithmetic_ms) / self.ms[SEARCH] if SEARCH in self.ms else None


def search(p: PipelineFile, size: Size, seconds: float, state: Path, progress: bool) -> None:
    """Searches until `seconds` are spent on `p` in all.  Raises HalideError."""
    spent = json.loads(state.read_text())["elapsed"] if state.exists() else 0.0
    left = max(seconds - spent, 0.0) if spent < 0.98 * seconds else 0.0
    arrays = p.arrays(size, np.random.default_rng(0))
    built = p.build(hl, size)
    estimate(built, p, size, arrays)
    options = {"seconds": f"{left:.0f}", "state_file": str(state), "plot": str(state.with_suffix(".svg"))}
    if progress:
        options["progress"] = "1"
    result = hl.Pipeline(built.outputs).apply_autoscheduler(hl.Target(TARGET), hl.AutoschedulerParams(SEARCH, options))
    state.with_suffix(".py").write_text(result.python_schedule_source)


def compare(p: PipelineFile, size: Size, state: Path, seconds: float, result: Result) -> None:
    """Times the schedule found, Reuse2019's and the one by hand in turn, and holds their results to each other.

    What is Reuse2019's schedule itself is timed once."""
    found = Scheduling(SEARCH, "halide_core", SEARCH, (("seconds", "0"), ("state_file", str(state))))
    wanted = [Scheduling(OWN, "halide_core", OWN), Scheduling(HAND, "halide_core")]
    if not result.same:
        wanted = [found, *wanted]
    times: dict[str, list[float]] = {how.name: [] for how in wanted}
    for number in range(_PROCESSES):
        processes = [ScheduledProcess(how, p, size) for how in wanted]
        try:
            outputs: list[Arrays] = [process.ready(_READY).results for process in processes]
            if not (number or result.same or all(map(np.array_equal, outputs[0], outputs[1]))):
                result.problems.append("other results than Reuse2019's")
            timing = interleave([process.run for process in processes], lambda: None, seconds / _PROCESSES)
        except NotTimed as problem:
            result.problems.append(f"{problem.process.name}: {problem}")
            return
        finally:
            for process in processes:
                process.close()
        for how, s in zip(wanted, timing.seconds, strict=True):
            times[how.name].append(s)
    result.ms = {name: 1e3 * statistics.median(s) for name, s in times.items()}
    if result.same:
        result.ms[SEARCH] = result.ms[OWN]


def same(name: str, size: Size, state: Path) -> bool:
    """Whether Reuse2019's schedule of a pipeline is the best that the search knows.

    For a process of its own, as `check_sizes`."""
    p = named_pipelines((name,))[0]
    built = p.build(hl, size)
    estimate(built, p, size, p.arrays(size, np.random.default_rng(0)))
    outputs = [f._function for f in built.outputs]
    found, own = (
        method(how)(outputs, hl.Target(TARGET), options)
        for how, options in ((SEARCH, {"seconds": "0", "state_file": str(state)}), (OWN, {}))
    )
    # The search has the directives Func by Func.
    return sorted(found.directives, key=lambda d: d.func) == sorted(own.directives, key=lambda d: d.func)


def check_sizes(name: str, size: Size, state: Path) -> list[str]:
    """Holds the schedule found for a pipeline to the results of its schedule by hand, at small sizes; what is wrong.

    For a process of its own: what `hl.maximum` and its like define is called otherwise once that name is taken."""
    p, problems, checked = named_pipelines((name,))[0], list[str](), 0
    arrays = p.arrays(size, np.random.default_rng(0))
    built = p.build(hl, size)
    estimate(built, p, size, arrays)
    options = {"seconds": "0", "state_file": str(state)}
    outputs = [f._function for f in built.outputs]
    names = [f.name for f in build_environment(outputs).order]
    schedule = method(SEARCH)(outputs, hl.Target(TARGET), options)
    for small in p.small:
        own = p.build(hl, small)
        kept = bind(hl, own, p.arrays(small, np.random.default_rng(0)))
        outs = output_buffers(hl, own, p.shapes(small))
        pipeline = hl.Pipeline(own.outputs)
        order = build_environment(pipeline.functions()).order
        if len(order) != len(names):
            continue  # another number of layers: another pipeline
        schedule.apply(dict(zip(names, order, strict=True)))
        checked += 1
        named = "x".join(map(str, small))
        try:
            pipeline.realize(outs, hl.Target(TARGET))
        except hl.HalideError as problem:
            # Tiles that read more of an input than is there: the compiler says so, and nothing is computed.
            problems.append(f"refused at {named}: {str(problem).splitlines()[0]}")
            continue
        del kept
        for a, b in zip(outs, run(hl, p, small, scheduled=True), strict=True):
            if not np.array_equal(np.array(a), b, equal_nan=b.dtype.kind == "f"):
                problems.append(f"wrong at {named}")
    return problems if checked else ["no small size has the same Funcs"]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=600.0, show_default=True, metavar="S", help="Of searching, for each pipeline.")
@click.option("--compare", "timed", default=4.0, show_default=True, metavar="S",
              help="Of timing what was found, in all.")
@click.option("--folder", default="bench-genetic", show_default=True, metavar="DIR",
              help="For the searches (NAME.json), their plots (.svg) and the schedules found (.py).")
@click.option("--small", is_flag=True, help="At the smallest size, to try that everything runs.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE, after each pipeline.")
@click.option("--markdown", metavar="FILE", help="Also write the table to FILE, after each pipeline.")
def main(
    names: tuple[str, ...], seconds: float, timed: float, folder: str, small: bool, json_file: str | None,
    markdown: str | None,
) -> None:
    """Search for schedules with Genetic2013, and compare them with those of Reuse2019."""
    console = Console(stderr=True, highlight=False)
    try:
        chosen = named_pipelines(names)
    except KeyError as problem:
        console.print(f"error: {problem.args[0]}", markup=False)
        sys.exit(2)
    Path(folder).mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for p in chosen:
        size = p.small[0] if small else p.size
        result = Result(p.name, size)
        results.append(result)
        state = Path(folder) / f"{p.name}.json"
        start = time.perf_counter()
        try:
            search(p, size, seconds, state, console.is_terminal)
            record = json.loads(state.read_text())
            result.searched_s, result.counts = record["elapsed"], record["counts"]
            result.memory_ms, result.arithmetic_ms = memory_ms(p, size), arithmetic_ms(p, size, TARGET)
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as fresh:
                result.same = fresh.submit(same, p.name, size, state).result()
                compare(p, size, state, timed, result)
                result.problems += fresh.submit(check_sizes, p.name, size, state).result()
        except hl.HalideError as problem:
            result.problems.append(str(problem).splitlines()[0])
        print(progress(result, time.perf_counter() - start), flush=True)
        if json_file is not None:
            figures = {"machine": machine(), "results": [asdict(r) for r in results]}
            Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
        if markdown is not None:
            Path(markdown).write_text(table(results))
    print()
    print(table(results), end="")
    sys.exit(1 if any("refused" not in x for r in results for x in r.problems) else 0)


def progress(r: Result, seconds: float) -> str:
    """One line on a pipeline, for who waits."""
    parts = [f"{n} {ms:.2f} ms" for n, ms in r.ms.items()]
    parts += [f"{OWN}'s schedule"] * r.same
    parts += [", ".join(f"{n} {kind}" for kind, n in sorted(r.counts.items())), *r.problems]
    return f"{r.pipeline} ({seconds:.0f} s): " + "; ".join(parts)


def table(results: list[Result]) -> str:
    """The results as a Markdown table, the means below it."""
    heads = ["pipeline", f"{HAND} ms", f"{OWN} ms", f"{SEARCH} ms", f"over {OWN}", f"over {HAND}", "memory ms",
             "arithmetic ms", "of the roof", "searched s", "candidates"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for r in results:
        ratios = [r.over(OWN), r.over(HAND)]
        cells = [r.pipeline, *(f"{r.ms[n]:.2f}" if n in r.ms else "-" for n in (HAND, OWN, SEARCH))]
        cells += ["-" if v is None else f"{v:.2f}" for v in ratios]
        cells += [f"{r.memory_ms:.2f}", f"{r.arithmetic_ms:.2f}", "-" if r.roof is None else f"{r.roof:.2f}"]
        cells += [f"{r.searched_s:.0f}", str(sum(r.counts.values()))]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    for name in (OWN, HAND):
        found = [v for v in (r.over(name) for r in results) if v is not None]
        if found:
            mean = statistics.geometric_mean(found)
            lines.append(f"- over {name}: geometric mean {mean:.2f}, least {min(found):.2f}, of {len(found)} pipelines")
    lines.append("- memory: copying as many bytes as inputs and outputs have; arithmetic: each Func once, at the peak")
    lines += [f"- {r.pipeline}: nothing better found than {OWN}'s schedule, timed once" for r in results if r.same]
    lines += [f"- {r.pipeline}: {x}" for r in results for x in r.problems]
    lines += [f"- {what}: {text}" for what, text in machine().items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
