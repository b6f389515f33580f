"""The schedules of Reuse2019 against the package `halide`'s autoschedulers and the schedules by hand.

All run on the same inputs, in turn, each in a process of its own: Reuse2019 and the schedule by hand compiled by
halide_core, the other autoschedulers by the package `halide` from the same algorithm; floats as written
(`strict_float`) everywhere."""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
import numpy as np
from rich.console import Console

from corpus.bench.codegen import equal
from corpus.bench.scheduled_process import Arrays, Ready, ScheduledProcess, Scheduling, load_plugins
from corpus.bench.timed_process import NotTimed
from corpus.pipelines.common import PipelineFile, Size, named_pipelines
from lifter.harness.timing import Timing, interleave, machine, threads

HAND, OWN = "by hand", "Reuse2019"
PEERS = ("Mullapudi2016", "Adams2019")
"""The autoschedulers that Reuse2019 is held to."""
OTHERS = ("Li2018",)
ABLATIONS = {
    "no fusion": {"fusion": "0"},
    "store at compute": {"separate_store": "0"},
    "powers of two": {"any_size": "0"},
    "no prefetch": {"prefetch": "0"},
    "no row blocks": {"row_blocks": "0"},
    "no partial results": {"partial_results": "0"},
    "no final steps": {"finish": "0"},
}
# Seconds in which the schedules that halide_core compiles must be ready.
_READY = 600.0


@dataclass(slots=True)
class Result:
    """One pipeline: milliseconds of a run, seconds of scheduling and of compiling, by schedule; why others did not
    run; whose results differ; seconds that all of it took.

    `ratios`: medians over the rounds of the time under a schedule over that under the first one that ran."""

    pipeline: str
    size: Size
    ms: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    scheduling_s: dict[str, float] = field(default_factory=dict)
    compiling_s: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def over_peers(self) -> float | None:
        """The time of the better peer over Reuse2019's; None where no peer ran."""
        found = [self.ms[n] for n in PEERS if n in self.ms]
        return min(found) / self.ms[OWN] if found and OWN in self.ms else None

    def over(self, name: str) -> float | None:
        """The time under the schedule `name` over Reuse2019's."""
        return self.ms[name] / self.ms[OWN] if {name, OWN} <= self.ms.keys() else None


def schedulings(ablations: bool) -> list[Scheduling]:
    """What is compared: the schedule by hand, Reuse2019, then parts of it or others."""
    ours = [Scheduling(HAND, "halide_core"), Scheduling(OWN, "halide_core", OWN)]
    if ablations:
        return ours + [Scheduling(n, "halide_core", OWN, tuple(e.items())) for n, e in ABLATIONS.items()]
    parallelism = (("parallelism", str(threads())),)
    return ours + [Scheduling(n, "halide", n, parallelism) for n in (*PEERS, *OTHERS)]


def measure(p: PipelineFile, size: Size, seconds: float, wanted: list[Scheduling], limit: float) -> Result:
    """Times one pipeline under every schedule; `limit`: seconds in which others must be scheduled and compiled."""
    start = time.perf_counter()
    result = Result(p.name, size)
    ready: list[ScheduledProcess] = []
    running: list[ScheduledProcess] = []
    reference: Arrays | None = None
    others = [w for w in wanted if w.module == "halide" and w.autoscheduler is not None]
    try:
        # Ours and those by hand are compiled with nothing beside them, for that is timed; the others all at once.
        for group in [*([w] for w in wanted if w not in others), others]:
            started = [ScheduledProcess(how, p, size) for how in group]
            running += started
            for how, process in zip(group, started, strict=True):
                ours = how.module == "halide_core"
                found = _ready(process, _READY if ours else limit, result)
                if found is None:
                    continue
                if reference is not None and not all(map(np.array_equal if ours else equal, found.results, reference)):
                    result.wrong.append(how.name)
                reference = reference if reference is not None else found.results
                ready.append(process)
        _time(ready, seconds, result)
    finally:
        for process in running:
            process.close()
    result.seconds = time.perf_counter() - start
    return result


def _ready(process: ScheduledProcess, limit: float, result: Result) -> Ready | None:
    try:
        found = process.ready(limit)
    except NotTimed as problem:
        result.failed[process.name] = str(problem)
        process.close()
        return None
    result.scheduling_s[process.name], result.compiling_s[process.name] = found.schedule_s, found.compile_s
    return found


def _time(ready: list[ScheduledProcess], seconds: float, result: Result) -> None:
    """Times what is ready; what crashes meanwhile is named, and the others are timed again."""
    while ready:
        try:
            timing: Timing = interleave([r.run for r in ready], lambda: None, seconds)
        except NotTimed as problem:
            result.failed[problem.process.name] = str(problem)
            ready[:] = [r for r in ready if r is not problem.process]
            continue
        result.ms = {r.name: 1e3 * s for r, s in zip(ready, timing.seconds, strict=True)}
        result.ratios = {r.name: ratio for r, ratio in zip(ready, timing.ratios, strict=True)}
        return


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=6.0, show_default=True, metavar="S", help="Time spent on one pipeline.")
@click.option(
    "--limit", default=150.0, show_default=True, metavar="S",
    help="Time in which another autoscheduler must have scheduled and compiled a pipeline; else it is left out.",
)
@click.option("--small", is_flag=True, help="At the smallest size, to try that everything runs.")
@click.option("--ablations", is_flag=True, help="Reuse2019 without parts of it, in place of the other autoschedulers.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE, after each pipeline.")
@click.option("--markdown", metavar="FILE", help="Also write the table to FILE, after each pipeline.")
@click.option("--resume", is_flag=True, help="Keep the figures that the file of --json has, and measure the rest.")
def main(
    names: tuple[str, ...], seconds: float, limit: float, small: bool, ablations: bool, json_file: str | None,
    markdown: str | None, resume: bool,
) -> None:
    """Compare Reuse2019 with the autoschedulers of the package `halide` and with schedules by hand."""
    console = Console(stderr=True, highlight=False)
    try:
        if not ablations:
            load_plugins(())
        chosen = named_pipelines(names)
    except ImportError:
        console.print("error: the package `halide` is not installed; install the extra: pip install -e '.[halide]'")
        sys.exit(2)
    except KeyError as problem:
        console.print(f"error: {problem.args[0]}", markup=False)
        sys.exit(2)
    results: list[Result] = _kept(json_file) if resume and json_file is not None else []
    for p in chosen:
        size = p.small[0] if small else p.size
        if any((r.pipeline, r.size) == (p.name, size) for r in results):
            continue
        results.append(measure(p, size, seconds, schedulings(ablations), limit))
        print(progress(results[-1]), flush=True)
        if json_file is not None:
            figures = {"machine": machine(), "results": [asdict(r) for r in results]}
            Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
        if markdown is not None:
            Path(markdown).write_text(table(results, ablations))
    print()
    print(table(results, ablations), end="")
    ours = {HAND, OWN, *ABLATIONS}
    sys.exit(1 if any(ours & r.failed.keys() or ours & set(r.wrong) for r in results) else 0)


def _kept(json_file: str) -> list[Result]:
    """The results of an earlier run, if there are any."""
    path = Path(json_file)
    found = json.loads(path.read_text())["results"] if path.exists() else []
    return [Result(**{**r, "size": tuple(r["size"])}) for r in found]


def progress(r: Result) -> str:
    """One line on a pipeline, for who waits."""
    parts = [f"{n} {ms:.2f} ms" for n, ms in r.ms.items()]
    parts += [f"{n}: {why}" for n, why in r.failed.items()]
    parts += [f"the results of {n} differ" for n in r.wrong]
    return f"{r.pipeline} ({r.seconds:.0f} s): " + "; ".join(parts)


def table(results: list[Result], ablations: bool) -> str:
    """The results as a Markdown table, means and remarks below it."""
    columns = [HAND, OWN, *(ABLATIONS if ablations else (*PEERS, *OTHERS))]
    ratios = [f"{n} / {OWN}" for n in ABLATIONS] if ablations else ["over peers"]
    heads = ["pipeline", "size", *(f"{c} ms" for c in columns), "over hand", *ratios, "scheduled s"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for r in results:
        values = [r.over(HAND), *([r.over(n) for n in ABLATIONS] if ablations else [r.over_peers()])]
        cells = [r.pipeline, "x".join(map(str, r.size))]
        cells += [f"{r.ms[c]:.2f}" if c in r.ms else "-" for c in columns]
        cells += ["-" if v is None else f"{v:.2f}" for v in values]
        cells.append(f"{r.scheduling_s[OWN]:.2f}" if OWN in r.scheduling_s else "-")
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    means = [("over the schedules by hand", [r.over(HAND) for r in results])]
    if ablations:
        means += [(f"{n}: time over that of all parts", [r.over(n) for r in results]) for n in ABLATIONS]
    else:
        means.append((f"over the better of {' and '.join(PEERS)}", [r.over_peers() for r in results]))
    for what, all_of in means:
        found = [v for v in all_of if v is not None]
        if found:
            mean = statistics.geometric_mean(found)
            lines.append(
                f"- {what}: geometric mean {mean:.2f}, minimum {min(found):.2f}, of {len(found)} pipelines"
            )
    for r in results:
        lines += [f"- {r.pipeline}: {name} failed: {why}" for name, why in r.failed.items()]
        lines += [f"- {r.pipeline}: the results of {name} differ" for name in r.wrong]
    lines += [f"- {what}: {text}" for what, text in machine().items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
