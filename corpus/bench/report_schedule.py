"""What an autoscheduler makes of a pipeline of corpus/pipelines, Func by Func.

    python -m corpus.bench.report_schedule harris --autoscheduler TreeSearch -o harris.html"""

from __future__ import annotations

import sys

import click
import numpy as np
from rich.console import Console

import halide_core as hl
from corpus.pipelines.common import bind, estimate, named_pipelines
from halide_core.autoschedule.methods import METHODS, method
from halide_core.autoschedule.report.report import report, write_report


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", metavar="PIPELINE")
@click.option("--autoscheduler", default="Reuse2019", show_default=True, type=click.Choice(list(METHODS)))
@click.option("--option", "given", multiple=True, metavar="KEY=VALUE", help="An option of it (repeatable).")
@click.option("-o", "--out", metavar="FILE", help="Write a page (.html) or text to FILE instead of printing text.")
@click.option("--small", is_flag=True, help="At the smallest size.")
def main(name: str, autoscheduler: str, given: tuple[str, ...], out: str | None, small: bool) -> None:
    """Report where each Func of PIPELINE is computed and stored, and what that costs."""
    console = Console(stderr=True, highlight=False)
    try:
        (p,) = named_pipelines([name])
        extra = dict(o.split("=", 1) for o in given)
    except (KeyError, ValueError) as problem:
        why = problem.args[0] if isinstance(problem, KeyError) else "an option is KEY=VALUE"
        console.print(f"error: {why}", markup=False)
        sys.exit(2)
    size = p.small[0] if small else p.size
    built, arrays = p.build(hl, size), p.arrays(size, np.random.default_rng(0))
    estimate(built, p, size, arrays)
    kept = bind(hl, built, arrays)
    target = hl.Target("host-strict_float")
    outputs = [f._function for f in built.outputs]
    try:
        with console.status(f"{name}: {autoscheduler}"):
            schedule = method(autoscheduler)(outputs, target, extra)
            if out is not None:
                write_report(out, f"{name}: {autoscheduler}", outputs, target, schedule)
            else:
                print(report(outputs, target, schedule).text(), end="")
    except (hl.HalideError, OSError) as problem:
        console.print(f"error: {problem}", markup=False)
        sys.exit(2)
    del kept


if __name__ == "__main__":
    main()
