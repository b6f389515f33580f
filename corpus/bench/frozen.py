"""The pipelines of corpus/frozen, which nothing was tuned to: halide_core against the package `halide`.

By hand, both compile the same schedule; then Reuse2019 against the package's autoschedulers.  Each runs in a process
of its own, in turn with the others; floats as written (`strict_float`) everywhere."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from corpus.bench.autoschedule import HAND, OWN, PEERS, Result, measure, progress, schedulings
from corpus.bench.codegen import SLOW
from corpus.bench.scheduled_process import Scheduling, load_plugins
from corpus.pipelines.common import named_pipelines
from lifter.harness.timing import machine

PACKAGE = "frozen"
THEIRS = "package by hand"
PEER_SLOW = 0.9
"""The ratio to the better peer below which a pipeline is named."""
_HEADS = (
    "pipeline", "size", "ours ms", "package ms", "by hand", "compiling", f"{OWN} ms", *(f"{p} ms" for p in PEERS),
    "over peers",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One pipeline under the schedules by hand, and under the autoschedulers."""

    hand: Result
    auto: Result

    @property
    def by_hand(self) -> float | None:
        """The package's time over ours; None where one did not run."""
        return self.hand.ratios[THEIRS] if {HAND, THEIRS} <= self.hand.ratios.keys() else None

    @property
    def compiling(self) -> float | None:
        """The package's time of compiling the schedule by hand over ours."""
        s = self.hand.compiling_s
        return s[THEIRS] / s[HAND] if {HAND, THEIRS} <= s.keys() else None

    @property
    def over_peers(self) -> float | None:
        """The time of the better peer over that of Reuse2019; None where none ran."""
        found = [self.auto.ratios[n] for n in PEERS if n in self.auto.ratios]
        return min(found) if found and OWN in self.auto.ratios else None

    def cells(self) -> list[str]:
        """What `_HEADS` names."""
        hand, auto = self.hand.ms, self.auto.ms
        ms = [hand.get(HAND), hand.get(THEIRS), self.by_hand, self.compiling]
        ms += [*(auto.get(n) for n in (OWN, *PEERS)), self.over_peers]
        return [self.hand.pipeline, "x".join(map(str, self.hand.size)), *("-" if v is None else f"{v:.2f}" for v in ms)]

    def slow(self) -> bool:
        """Whether a ratio of it lies below its goal."""
        return (self.by_hand or 1.0) < SLOW or (self.over_peers or 1.0) < PEER_SLOW


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[PIPELINE]...")
@click.option("--seconds", default=6.0, show_default=True, metavar="S", help="Time spent on timing one comparison.")
@click.option("--limit", default=150.0, show_default=True, metavar="S", help="Time in which the package must be ready.")
@click.option("--small", is_flag=True, help="At the smallest size, to try that everything runs.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE, after each pipeline.")
@click.option("--markdown", metavar="FILE", help="Also append the table to FILE, with date, commit and machine.")
def main(
    names: tuple[str, ...], seconds: float, limit: float, small: bool, json_file: str | None, markdown: str | None
) -> None:
    """Compare halide_core with the package `halide` on pipelines that nothing was tuned to."""
    try:
        load_plugins(())
        chosen = named_pipelines(names, f"corpus.{PACKAGE}")
    except ImportError:
        print("error: the package `halide` is not installed; install the extra: pip install -e '.[halide]'")
        sys.exit(2)
    except KeyError as problem:
        print(f"error: {problem.args[0]}")
        sys.exit(2)
    # What is on disk from an earlier run would take no time to compile.
    os.environ["HL_JIT_CACHE_DIR"] = ""
    about = _about()
    by_hand = [Scheduling(HAND, "halide_core"), Scheduling(THEIRS, "halide")]
    automatic = [s for s in schedulings(ablations=False) if s.name in (OWN, *PEERS)]
    rows: list[Row] = []
    for p in chosen:
        size = p.small[0] if small else p.size
        rows.append(Row(*(measure(p, size, seconds, how, limit) for how in (by_hand, automatic))))
        for result in (rows[-1].hand, rows[-1].auto):
            print(progress(result), flush=True)
        if json_file is not None:
            figures = {"about": about, "machine": machine(), "results": [asdict(r) for r in rows]}
            Path(json_file).write_text(json.dumps(figures, indent=2) + "\n")
    console = Console(highlight=False, width=130)
    console.print(_table(rows))
    for line in summary(rows):
        console.print(line, markup=False)
    if markdown is not None:
        with Path(markdown).open("a") as file:
            file.write(section(rows, about))
    sys.exit(1 if any(r.hand.failed or r.hand.wrong or r.auto.wrong for r in rows) else 0)


def _about() -> str:
    """The date, the commit, and what else ran on the machine."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    load = os.getloadavg()[0]
    busy = f"busy: a load of {load:.1f} before it began" if load > 0.5 else "idle"
    return f"{time.strftime('%Y-%m-%d')}, commit {commit.stdout.strip() or 'unknown'}, {busy}"


def _table(rows: list[Row]) -> Table:
    table = Table(title="Milliseconds, and how many times faster than the package", title_justify="left")
    for n, head in enumerate(_HEADS):
        table.add_column(head, justify="right" if n else "left", no_wrap=n == 0)
    for r in rows:
        table.add_row(*r.cells(), style="red" if r.slow() else None)
    return table


def summary(rows: list[Row]) -> Iterator[str]:
    """Means, and what failed."""
    for what, values in (
        ("by hand", [r.by_hand for r in rows]), ("compiling", [r.compiling for r in rows]),
        ("over the better peer", [r.over_peers for r in rows]),
    ):
        found = [v for v in values if v is not None]
        if found:
            mean, least = statistics.geometric_mean(found), min(found)
            yield f"{what}: geometric mean {mean:.2f}, least {least:.2f}, of {len(found)} pipelines"
    for r in (result for row in rows for result in (row.hand, row.auto)):
        yield from (f"{r.pipeline}: {name} failed: {why}" for name, why in r.failed.items())
        yield from (f"{r.pipeline}: the results of {name} differ" for name in r.wrong)


def section(rows: list[Row], about: str) -> str:
    """The results as a section of Markdown."""
    lines = ["", f"## {about}", "", "| " + " | ".join(_HEADS) + " |", "|---|" + "---:|" * (len(_HEADS) - 1)]
    lines += ["| " + " | ".join(r.cells()) + " |" for r in rows]
    lines += ["", *(f"- {line}" for line in summary(rows)), f"- {machine()['machine']}; {machine()['threads']} threads"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
