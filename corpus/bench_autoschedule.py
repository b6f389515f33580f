"""The schedules of Reuse2019 against the package `halide`'s autoschedulers and the schedules by hand.

All run on the same inputs, in turn, in one process: Reuse2019 and the schedule by hand compiled by halide_core, the
other autoschedulers by the package `halide` from the same algorithm; floats as written (`strict_float`) everywhere."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import halide_core
from corpus.bench_codegen import Compiled, by_hand, equal
from corpus.pipelines.common import Built, PipelineFile, Size, estimate, named_pipelines
from corpus.timing import interleave, machine, threads

PEERS = ("Mullapudi2016", "Adams2019")
"""The autoschedulers that Reuse2019 is held to."""
OTHERS = ("Li2018",)
ABLATIONS = {
    "no fusion": {"fusion": "0"},
    "store at compute": {"separate_store": "0"},
    "powers of two": {"any_size": "0"},
    "no prefetch": {"prefetch": "0"},
    "no final steps": {"finish": "0"},
}
_TARGET = "host-strict_float"


@dataclass(slots=True)
class Result:
    """One pipeline: milliseconds of a run and seconds of scheduling, by schedule; why others did not run."""

    pipeline: str
    size: Size
    ms: dict[str, float] = field(default_factory=dict)
    scheduling_s: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def over_peers(self) -> float | None:
        """The time of the better peer over Reuse2019's; None where no peer ran."""
        found = [self.ms[n] for n in PEERS if n in self.ms]
        return min(found) / self.ms["Reuse2019"] if found and "Reuse2019" in self.ms else None

    def over_hand(self) -> float | None:
        """The time of the schedule by hand over Reuse2019's."""
        return self.ms["by hand"] / self.ms["Reuse2019"] if {"by hand", "Reuse2019"} <= self.ms.keys() else None


Scheduler = Callable[[Built, Any, Any], object]


def load_plugins() -> None:
    """Loads the autoschedulers that come with the package `halide`."""
    import halide

    folder = next(Path(halide.__file__).parent.glob("lib*/libautoschedule_mullapudi2016.so")).parent
    for name in (*PEERS, *OTHERS):
        halide.load_plugin(str(folder / f"libautoschedule_{name.lower()}.so"))


def automatic(
    hl: Any, name: str, extra: dict[str, str], p: PipelineFile, size: Size, arrays: list[np.ndarray[Any, Any]]
) -> Scheduler:
    """What schedules a pipeline by the autoscheduler `name` of a module."""

    def schedule(built: Built, pipeline: Any, target: Any) -> object:
        estimate(built, p, size, arrays)
        return pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(name, extra))

    return schedule


def measure(p: PipelineFile, size: Size, seconds: float, ablations: bool) -> Result:
    """Times one pipeline under every schedule."""
    import halide

    arrays = p.arrays(size, np.random.default_rng(0))
    result = Result(p.name, size)
    wanted: list[tuple[str, Any, Scheduler]] = [
        ("by hand", halide_core, by_hand),
        ("Reuse2019", halide_core, automatic(halide_core, "Reuse2019", {}, p, size, arrays)),
    ]
    if ablations:
        wanted += [
            (n, halide_core, automatic(halide_core, "Reuse2019", e, p, size, arrays)) for n, e in ABLATIONS.items()
        ]
    else:
        extra = {"parallelism": str(threads())}
        wanted += [(n, halide, automatic(halide, n, extra, p, size, arrays)) for n in (*PEERS, *OTHERS)]
    ready: list[tuple[str, Compiled]] = []
    for name, module, schedule in wanted:
        try:
            made = Compiled(module, p, size, arrays, _TARGET, schedule)
            made.run(2)
        except Exception as problem:  # one schedule's failure, named below, stops no other
            result.failed[name] = f"{type(problem).__name__}: {problem}"
            continue
        result.scheduling_s[name] = made.schedule_seconds
        same_compiler = module is halide_core and bool(ready) and ready[0][0] == "by hand"
        compare = np.array_equal if same_compiler else equal
        if ready and not all(map(compare, made.results(), ready[0][1].results())):
            result.wrong.append(name)
        ready.append((name, made))
    timing = interleave([c.run for _, c in ready], lambda: None, seconds)
    result.ms = {n: 1e3 * s for (n, _), s in zip(ready, timing.seconds, strict=True)}
    return result


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=6.0, show_default=True, metavar="S", help="Time spent on one pipeline.")
@click.option("--small", is_flag=True, help="At the smallest size, to try that everything runs.")
@click.option("--ablations", is_flag=True, help="Reuse2019 without parts of it, in place of the other autoschedulers.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE.")
def main(names: tuple[str, ...], seconds: float, small: bool, ablations: bool, json_file: str | None) -> None:
    """Compare Reuse2019 with the autoschedulers of the package `halide` and with schedules by hand."""
    console = Console(stderr=True, highlight=False)
    try:
        load_plugins()
    except ImportError:
        console.print("error: the package `halide` is not installed; install the extra: pip install -e '.[halide]'")
        sys.exit(2)
    try:
        chosen = named_pipelines(names)
    except KeyError as problem:
        console.print(f"error: {problem.args[0]}", markup=False)
        sys.exit(2)
    results: list[Result] = []
    for p in chosen:
        with console.status(p.name):
            results.append(measure(p, p.small[0] if small else p.size, seconds, ablations))
    out = Console(highlight=False, width=150)
    columns = ["by hand", "Reuse2019", *(ABLATIONS if ablations else (*PEERS, *OTHERS))]
    out.print(_table(results, columns))
    _print_means(out, results)
    for r in results:
        for name, why in r.failed.items():
            out.print(f"{r.pipeline}: {name} failed: {why.splitlines()[0]}", markup=False)
        for name in r.wrong:
            out.print(f"{r.pipeline}: the results of {name} differ", markup=False)
    for what, text in machine().items():
        out.print(f"{what}: {text}", markup=False)
    if json_file is not None:
        figures = {"machine": machine(), "results": [asdict(r) for r in results]}
        Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
    ours = {"by hand", "Reuse2019", *ABLATIONS}
    sys.exit(1 if any(ours & r.failed.keys() or ours & set(r.wrong) for r in results) else 0)


def _print_means(out: Console, results: list[Result]) -> None:
    for what, ratios in (
        (f"the better of {' and '.join(PEERS)}", [r.over_peers() for r in results]),
        ("the schedules by hand", [r.over_hand() for r in results]),
    ):
        found = [r for r in ratios if r is not None]
        if found:
            out.print(
                f"over {what}: geometric mean {statistics.geometric_mean(found):.2f}, minimum {min(found):.2f}, "
                f"of {len(found)} pipelines"
            )


def _table(results: list[Result], columns: list[str]) -> Table:
    table = Table(title="Milliseconds of a run; times over Reuse2019's", title_justify="left")
    table.add_column("pipeline", no_wrap=True)
    for head in ("size", *columns, "over hand", "over peers", "scheduled s"):
        table.add_column(head, justify="right")
    for r in results:
        cells = [f"{r.ms[c]:.2f}" if c in r.ms else "-" for c in columns]
        ratios = [f"{v:.2f}" if v is not None else "-" for v in (r.over_hand(), r.over_peers())]
        seconds = f"{r.scheduling_s['Reuse2019']:.2f}" if "Reuse2019" in r.scheduling_s else "-"
        table.add_row(r.pipeline, "x".join(map(str, r.size)), *cells, *ratios, seconds)
    return table


if __name__ == "__main__":
    main()
