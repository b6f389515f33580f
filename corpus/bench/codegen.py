"""The pipelines of corpus/pipelines, compiled by halide_core and by the package `halide` under the same schedule.

Both run on the same inputs, in turn, in one process; results are compared before anything is timed."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import halide_core
from corpus.pipelines.common import Built, Module, PipelineFile, Size, bind, named_pipelines, output_buffers
from lifter.harness.timing import interleave, machine

SLOW = 0.85
"""The ratio to Halide below which a pipeline is named."""


@dataclass(frozen=True, slots=True)
class Row:
    """One pipeline: seconds of a run and of compiling, under halide_core and under halide.

    `ratio` is Halide's time over ours (median of the rounds): 2 is twice as fast as Halide."""

    pipeline: str
    size: Size
    ours_s: float
    halide_s: float
    ratio: float
    ours_compile_s: float
    halide_compile_s: float
    remark: str = ""


def by_hand(built: Built, _: Any, __: Any) -> None:
    """Schedules a pipeline as its file says."""
    built.schedule()


class Compiled:
    """A pipeline scheduled and compiled by one module, its inputs and outputs bound.

    `schedule` is given the pipeline's file built, its Pipeline and the Target."""

    def __init__(
        self, hl: Module, p: PipelineFile, size: Size, arrays: list[np.ndarray[Any, Any]], target: str,
        schedule: Callable[[Built, Any, Any], object] = by_hand,
    ) -> None:
        built = p.build(hl, size)
        self.target = hl.Target(target)
        self.pipeline = hl.Pipeline(built.outputs)
        start = time.perf_counter()
        schedule(built, self.pipeline, self.target)
        self.schedule_seconds = time.perf_counter() - start
        start = time.perf_counter()
        self.pipeline.compile_jit(self.target)
        self.compile_seconds = time.perf_counter() - start
        self.inputs = bind(hl, built, arrays)
        self.outputs = output_buffers(hl, built, p.shapes(size))

    def run(self, count: int) -> None:
        for _ in range(count):
            self.pipeline.realize(self.outputs, self.target)

    def results(self) -> list[np.ndarray[Any, Any]]:
        return [np.array(b) for b in self.outputs]


def measure(p: PipelineFile, size: Size, seconds: float, target: str) -> Row:
    """Times one pipeline.  Raises HalideError where one of them cannot compile it."""
    import halide

    arrays = p.arrays(size, np.random.default_rng(0))
    theirs = Compiled(halide, p, size, arrays, target)
    ours = Compiled(halide_core, p, size, arrays, target)
    for c in (ours, theirs):
        c.run(1)
    remark = "" if all(map(equal, ours.results(), theirs.results())) else "differs"
    t = interleave([ours.run, theirs.run], lambda: None, seconds)
    return Row(
        p.name, size, t.seconds[0], t.seconds[1], t.ratios[1], ours.compile_seconds, theirs.compile_seconds, remark
    )


def equal(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> bool:
    """Whether two modules' results agree, floats to rounding."""
    if ours.dtype.kind != "f":
        return bool(np.array_equal(ours, theirs))
    return bool(np.allclose(ours, theirs, rtol=1e-5, atol=1e-5, equal_nan=True))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=3.0, show_default=True, metavar="S", help="Time spent on one pipeline.")
@click.option("--small", is_flag=True, help="At the smallest size, to try that everything runs.")
@click.option(
    "--fast", is_flag=True,
    help="Let Halide contract and reorder floating-point operations, as it does by default and halide_core never.",
)
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE.")
def main(names: tuple[str, ...], seconds: float, small: bool, fast: bool, json_file: str | None) -> None:
    """Compare the code of halide_core with that of the package `halide`, pipeline by pipeline."""
    console = Console(stderr=True, highlight=False)
    try:
        import halide  # noqa: F401
    except ImportError:
        console.print("error: the package `halide` is not installed; install the extra: pip install -e '.[halide]'")
        sys.exit(2)
    try:
        chosen = named_pipelines(names)
    except KeyError as problem:
        console.print(f"error: {problem.args[0]}", markup=False)
        sys.exit(2)
    rows: list[Row] = []
    failed: list[tuple[str, str]] = []
    for p in chosen:
        with console.status(p.name):
            try:
                size = p.small[0] if small else p.size
                rows.append(measure(p, size, seconds, "host" if fast else "host-strict_float"))
            except Exception as problem:  # one pipeline's failure, named below, stops no other
                failed.append((p.name, f"{type(problem).__name__}: {problem}"))
    out = Console(highlight=False)
    out.print(_table(rows))
    if rows:
        ratios = [r.ratio for r in rows]
        out.print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, minimum {min(ratios):.2f}")
        slow = ", ".join(f"{r.pipeline} {r.ratio:.2f}" for r in sorted(rows, key=lambda r: r.ratio) if r.ratio < SLOW)
        if slow:
            out.print(f"below {SLOW} of Halide's speed: {slow}", markup=False)
    for name, why in failed:
        out.print(f"not compiled: {name}: {why}", markup=False)
    for what, text in machine().items():
        out.print(f"{what}: {text}", markup=False)
    if json_file is not None:
        figures = {"machine": machine(), "results": [asdict(r) for r in rows], "failed": dict(failed)}
        Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
    sys.exit(1 if failed or any(r.remark for r in rows) else 0)


def _table(rows: list[Row]) -> Table:
    table = Table(title="Milliseconds of a run, and how many times faster than Halide", title_justify="left")
    table.add_column("pipeline", no_wrap=True)
    for head in ("size", "ours ms", "Halide ms", "ratio", "compiled s", "Halide s"):
        table.add_column(head, justify="right")
    table.add_column("")
    for r in rows:
        table.add_row(
            r.pipeline, "x".join(map(str, r.size)),
            f"{r.ours_s * 1e3:.2f}", f"{r.halide_s * 1e3:.2f}", f"{r.ratio:.2f}",
            f"{r.ours_compile_s:.2f}", f"{r.halide_compile_s:.2f}", r.remark, style="red" if r.ratio < SLOW else None,
        )
    return table


if __name__ == "__main__":
    main()
