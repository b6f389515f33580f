"""Lifts the whole corpus, compares every drop-in with its original, and all of it with the manifests.

    python -m corpus.run [SUITE...] [-f NAME]... [--jobs N] [--timeout S] [--json FILE]

The exit status is 1 if a function's status is not the manifest's, if a result differs, or if a function is missing on
either side."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from codegen.original import compile_original
from corpus.manifest import ROOT, SUITES, Entry, ManifestError, entries
from lifter.api import SourceError, lift_file
from lifter.harness.compare import Comparison, compare
from lifter.harness.timing import machine
from synth.options import Options

_STAGES = (("roi", "region"), ("terms", "terminals"), ("expression", "expression"), ("proof", "proof"))


@dataclass(slots=True)
class Result:
    """What became of one function."""

    name: str
    suite: str
    file: str
    status: str
    expected: str
    reason: str = ""
    seconds: float = 0.0
    stage_seconds: dict[str, float] = field(default_factory=dict)
    comparison: Comparison = field(default_factory=Comparison)

    def fault(self) -> str:
        """What is wrong with it, in words; empty if it is as the manifest says."""
        if self.comparison.problems:
            return self.comparison.problems[0]
        if self.status != self.expected:
            return f"{self.status}, the manifest says {self.expected}: {self.reason}"
        return ""


def run_file(file: str, chosen: Sequence[Entry], whole: bool, timeout: float) -> list[Result]:
    """Lifts the chosen functions of a file and compares them.  `whole`: none of the file's may be left out."""
    os.environ.setdefault("HL_NUM_THREADS", "2")
    known = {e.name: e for e in chosen}
    suite = Path(file).parts[0]
    with tempfile.TemporaryDirectory(prefix="corpus-") as name:
        folder = Path(name)
        report = lift_file(
            str(ROOT / file), functions=[] if whole else sorted(known), out=name, emit=("shared",),
            options=Options(timeout=timeout), one_of_several=True, run=False,
        )
        original = compile_original(ROOT / file, (), folder / "original.so")
        results = []
        for f in report.functions:
            entry = known.pop(f.name, None)
            expected = entry.status if entry is not None else "(not in the manifest)"
            r = Result(f.name, suite, file, f.status, expected, f.reason, f.seconds, dict(f.stage_seconds))
            if f.status == "verified" and f.lifted is not None and f.lifted.summary is not None:
                ranges, set_up = (entry.ranges, entry.set_up) if entry is not None else ({}, "")
                if "shared" in f.outputs:
                    r.comparison = compare(f.lifted.summary, original, Path(f.outputs["shared"]), ranges, set_up=set_up)
                else:
                    r.comparison.problems.append(f"no library was made of it: {f.reason}")
            results.append(r)
    return results + [Result(n, suite, file, "(not in the file)", e.status) for n, e in known.items()]


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("-f", "--function", "names", multiple=True, metavar="NAME", help="This one only (repeatable).")
@click.option("--jobs", default=2, show_default=True, metavar="N", help="Files lifted at a time.")
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for one function.")
@click.option("--json", "json_file", metavar="FILE", help="Also write everything to FILE, as it comes.")
@click.option("--quiet", is_flag=True, help="Only what is not as the manifest says, and the sums.")
def main(
    suites: tuple[str, ...], names: tuple[str, ...], jobs: int, timeout: float, json_file: str | None, quiet: bool
) -> None:
    """Lifts suites of the corpus (all of them by default) and holds them to their manifests."""
    try:
        found = [e for e in entries(suites or SUITES) if not names or e.name in names]
    except ManifestError as problem:
        raise click.UsageError(str(problem)) from None
    files: dict[str, list[Entry]] = {}
    for e in found:
        files.setdefault(e.file, []).append(e)
    if not names:  # a file that no manifest has
        for suite in suites or SUITES:
            for path in sorted((ROOT / suite).glob("*.c*")):
                files.setdefault(str(path.relative_to(ROOT)), [])
    results: dict[str, list[Result]] = {}
    errors = []
    console = Console(stderr=True)
    with Progress(console=console, transient=True) as progress, ProcessPoolExecutor(jobs) as pool:
        task = progress.add_task("lifting", total=len(files))
        running = {pool.submit(run_file, f, some, not names, timeout): f for f, some in files.items()}
        for done in as_completed(running):
            progress.advance(task)
            try:
                results[running[done]] = done.result()
            except SourceError as problem:
                errors.append(f"{running[done]}: {problem}")
            for r in results.get(running[done], []):
                if r.fault():  # those who watch need not wait for the end
                    console.print(f"{r.file}: {r.name}: {r.fault()}", markup=False)
            if json_file is not None:
                _write(Path(json_file), [r for f in files for r in results.get(f, [])])
    ordered = [r for f in files for r in results.get(f, [])]
    out = Console(highlight=False, soft_wrap=True)
    if not out.is_terminal:
        out = Console(highlight=False, soft_wrap=True, width=160)
    print_results(out, ordered, quiet)
    for text in errors:
        out.print(text, markup=False)
    sys.exit(1 if errors or any(r.fault() for r in ordered) else 0)


def _write(file: Path, results: Sequence[Result]) -> None:
    content = {"machine": machine(), "suites": sums(results), "functions": [asdict(r) for r in results]}
    file.write_text(json.dumps(content, indent=2) + "\n")


def print_results(console: Console, results: Sequence[Result], quiet: bool) -> None:
    """Every function, what is not as expected, and the sums by suite."""
    table = Table(title="The corpus", title_justify="left")
    numbers = ("seconds", "calls: met", "missed", "overlapping")
    for head in ("function", "file", "status", *numbers, "why not"):
        table.add_column(head, justify="right" if head in numbers else "left")
    for r in results:
        if quiet and not r.fault():
            continue
        c = r.comparison
        style = "red" if r.fault() else None if r.status == "verified" else "yellow"
        counts = (c.met, c.missed, c.overlapping) if r.status == "verified" else ("", "", "")
        reason = r.reason.splitlines()[0][:90] if r.reason else ""
        table.add_row(r.name, r.file, r.status, f"{r.seconds:.2f}", *map(str, counts), reason, style=style)
    if table.row_count:
        console.print(table)
    for r in results:
        if r.fault():
            console.print(f"{r.file}: {r.name}: {r.fault()}", markup=False, style="red")
    total = Table(title="By suite", title_justify="left")
    stages = (label + " s" for _, label in _STAGES)
    for head in ("suite", "functions", "verified", "%", "median s", "95 % s", *stages, "others"):
        total.add_column(head, justify="left" if head in ("suite", "others") else "right")
    for suite, row in sums(results).items():
        total.add_row(suite, *(f"{v:.2f}" if isinstance(v, float) else str(v) for v in row.values()))
    console.print(total)


def sums(results: Sequence[Result]) -> dict[str, dict[str, int | float | str]]:
    """By suite: how many, how many verified, times of one function, seconds of each stage, the other statuses."""
    found: dict[str, dict[str, int | float | str]] = {}
    for suite in dict.fromkeys(r.suite for r in results):
        own = [r for r in results if r.suite == suite]
        times = sorted(r.seconds for r in own)
        verified = sum(r.status == "verified" for r in own)
        found[suite] = {
            "functions": len(own),
            "verified": verified,
            "percent": 100.0 * verified / len(own),
            "median": statistics.median(times),
            "percentile_95": times[min(len(times) - 1, int(0.95 * len(times)))],
            **{label: sum(r.stage_seconds.get(key, 0.0) for r in own) for key, label in _STAGES},
            "others": ", ".join(f"{n} {s}" for s, n in Counter(r.status for r in own).items() if s != "verified"),
        }
    return found


if __name__ == "__main__":
    main()
