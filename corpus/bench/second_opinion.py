"""What the second opinion costs: each file of the corpus lifted with it and without it, in turn.

    python -m corpus.bench.second_opinion [SUITE...] [--emit dsl] [--markdown docs/figures/second-opinion.md]"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from corpus.manifest import ROOT, SUITES, entries
from lifter.api import FunctionReport, SourceError, lift_file
from lifter.harness.timing import machine
from synth.options import Options


@dataclass(slots=True)
class Cost:
    """Seconds of one verified function, and on how many calls it was run."""

    name: str
    without: float
    lifting: float
    run: float
    calls: int
    reason: str


def measure(file: str, kinds: Sequence[str], first: bool) -> tuple[list[Cost], dict[bool, float], list[str]]:
    """The functions of a file, the seconds for the whole file with a second opinion and without, and what disagreed.

    `first`: which of the two comes first."""
    seconds: dict[bool, float] = {}
    reports: dict[bool, dict[tuple[str, int], FunctionReport]] = {}
    for run in (first, not first):
        with tempfile.TemporaryDirectory(prefix="corpus-") as out:
            start = time.perf_counter()
            report = lift_file(str(ROOT / file), out=out, emit=kinds, options=Options(timeout=60.0), run=run)
            seconds[run] = time.perf_counter() - start
        reports[run] = {(f.name, f.line): f for f in report.functions}
    costs = []
    for place, f in reports[True].items():
        other = reports[False].get(place)
        if f.run is not None and other is not None and other.status == "verified":
            costs.append(Cost(f.name, other.seconds, f.seconds, f.run.seconds, f.run.calls, f.run.reason))
    wrong = [f"{file}: {f.name}: {f.reason}" for f in reports[True].values() if f.status in ("disagreed", "error")]
    return costs, seconds, wrong


def text(costs: Sequence[Cost], files: dict[bool, list[float]], wrong: Sequence[str], kinds: str) -> str:
    """The figures, as Markdown."""
    without, with_it = [c.without for c in costs], [c.lifting + c.run for c in costs]
    rows = [
        ("a function without it, s", without), ("a function with it, s", with_it),
        ("running it, s", [c.run for c in costs]),
        ("running it over lifting it", [c.run / max(c.lifting, 1e-9) for c in costs]),
        ("a file without it, s", files[False]), ("a file with it, s", files[True]),
    ]
    lines = ["| | median | 95th percentile | most |", "|---|--:|--:|--:|"]
    for name, values in rows:
        ordered = sorted(values)
        ninety = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        lines.append(f"| {name} | {statistics.median(ordered):.2f} | {ninety:.2f} | {ordered[-1]:.2f} |")
    calls = sorted(c.calls for c in costs)
    few = sum(0 < c < 100 for c in calls)
    reasons = Counter(c.reason for c in costs if not c.calls)
    lines += [
        "", f"{len(costs)} verified functions of {len(files[True])} files, `--emit {kinds}`, the two in turn. "
        f"Run on {statistics.median(calls):.0f} calls (median); on fewer than 100: {few}; not run: "
        f"{sum(reasons.values())}; disagreed or failed: {len(wrong)}.", "",
    ]
    lines += [f"- not run, {n}: {reason}" for reason, n in reasons.most_common()]
    lines += [f"- {c.name}: {c.calls} calls; {c.reason}" for c in costs if c.calls and c.reason]
    lines += [f"- {w}" for w in wrong]
    return "\n".join([*lines, "", *(f"{k}: {v}  " for k, v in machine().items())]) + "\n"


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--emit", "kinds", default="dsl", show_default=True)
@click.option("--every", default=1, show_default=True, metavar="N", help="One of so many files.")
@click.option("--markdown", default="", help="Also write the figures to this file.")
def main(suites: tuple[str, ...], kinds: str, every: int, markdown: str) -> None:
    """Lifts the corpus, or suites of it, with a second opinion and without."""
    files = list(dict.fromkeys(e.file for e in entries(suites or SUITES)))[::every]
    costs: list[Cost] = []
    wrong: list[str] = []
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for number, file in enumerate(files):
        try:
            own, took, differing = measure(file, kinds.split(","), number % 2 == 0)
        except SourceError as problem:
            wrong.append(str(problem))
            continue
        costs += own
        wrong += differing
        for run, s in took.items():
            seconds[run].append(s)
        click.echo(f"{file}: {took[False]:.2f} s without, {took[True]:.2f} s with; {len(own)} functions", err=True)
    found = text(costs, seconds, wrong, kinds)
    click.echo(found)
    if markdown:
        head = "# What the second opinion costs\n\nWritten by `make bench-second-opinion`.\n\n"
        Path(markdown).write_text(head + found)


if __name__ == "__main__":
    main()
