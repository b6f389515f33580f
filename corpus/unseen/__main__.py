"""Random pipelines under random schedules, compiled by halide_core and by the package `halide`, and timed in turn.

    python -m corpus.unseen --seed 100 --count 40

Each pair of a pipeline and a schedule runs in processes of its own; a ratio above 1 means that halide_core is faster.
With `--autoschedule` the schedules are those of Reuse2019 and of the package's autoschedulers."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from corpus.bench.scheduled_process import load_plugins
from corpus.unseen.measure import Finding, Result, measure, measure_autoscheduled
from corpus.unseen.report import distribution, finding_line, line, result_script, worst, write
from lifter.harness.timing import machine


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--count", default=40, show_default=True, help="Pipelines; each takes one seed.")
@click.option("--seed", default=0, show_default=True, help="The first seed.")
@click.option("--seconds", default=3.0, show_default=True, metavar="S", help="Time spent on timing one pair.")
@click.option("--limit", default=120.0, show_default=True, metavar="S", help="Time in which each module must be ready.")
@click.option("--autoschedule", is_flag=True, help="Reuse2019 against Mullapudi2016 and Adams2019, the better of them.")
@click.option("--strict-float", is_flag=True, help="Floats as written in the package `halide` too.")
@click.option("--folder", default="build/unseen", show_default=True, metavar="DIR", help="Where scripts and JSON go.")
def main(
    count: int, seed: int, seconds: float, limit: float, autoschedule: bool, strict_float: bool, folder: str
) -> None:
    console = Console(highlight=False, soft_wrap=True)
    try:
        load_plugins(())
    except ImportError:
        problem = "the package `halide` is not installed; install the extra: pip install -e '.[halide]'"
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    results: list[Result] = []
    findings: list[Finding] = []
    about: dict[str, object] = {
        "seed": seed, "count": count, "autoschedule": autoschedule, "strict_float": strict_float, "seconds": seconds,
    }
    run = measure_autoscheduled if autoschedule else measure
    for s in range(seed, seed + count):
        result, found = run(s, seconds, limit, strict_float)
        if result is not None:
            results.append(result)
            print(line(result), flush=True)
        findings += found
        for f in found:
            print(f"  {finding_line(f)}", flush=True)
        write(Path(folder), results, findings, about)
    for r in reversed(worst(results)):
        print(f"\n# ---- {r.ratio:.2f}\n{result_script(r)}")
    console.print(distribution(results))
    for what, text in machine().items():
        console.print(f"{what}: {text}", markup=False)
    differ = sum(bool(r.differs) for r in results)
    told = f"{differ} with other results, {len(findings)} findings; scripts and JSON in {folder}"
    console.print(f"{len(results)} of {count} pairs timed, {told}", markup=False)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
