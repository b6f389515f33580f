"""Halide's own Python scripts under both modules: python -m tests.conformance.scripts FOLDER [--markdown FILE].

FOLDER is `python_bindings` of a checkout of Halide.  Each script of its tutorial and of its correctness tests is run
under the package `halide` and under `halide_core`, in a process and a folder of its own.  A script that fails under the
package, as those do that need compiled generators, says nothing and is not counted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

_ROOT = Path(__file__).resolve().parents[2]
_GROUPS = (("Lessons of the tutorial", "tutorial"), ("Correctness tests", "test/correctness"))
_HEADER = "| script | package | halide_core, at first | halide_core | what went wrong |"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a script ended, and the last line that it wrote to standard error where it failed."""

    status: str
    message: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "0"


@dataclass(frozen=True, slots=True)
class Row:
    """A script under the package and under halide_core; `first`: the status of the first run of all."""

    name: str
    package: Outcome
    ours: Outcome
    first: str


def run(command: list[str], seconds: float) -> Outcome:
    """Runs a command in a folder of its own."""
    environment = os.environ | {"PYTHONPATH": str(_ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, errors="replace"
            )
        except subprocess.TimeoutExpired:
            return Outcome("time", f"more than {seconds:g} s")
    if done.returncode == 0:
        return Outcome("0")
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return Outcome(str(done.returncode), without_paths(lines[-1]) if lines else "")


def without_paths(text: str) -> str:
    """`text` with the last part of each path only."""
    return re.sub(r"(?:/[\w.+$-]+)+/([\w.+$-]+)", r"\1", text)


def first_statuses(markdown: Path | None) -> dict[str, str]:
    """The statuses of the first run that a file keeps, by script."""
    if markdown is None or not markdown.exists():
        return {}
    rows = (line.split("|") for line in markdown.read_text().splitlines() if line.startswith("| "))
    return {cells[1].strip(): cells[3].strip() for cells in rows if len(cells) == 7 and cells[1].strip() != "script"}


def count(rows: list[Row]) -> str:
    """How many of the scripts that run under the package run here, now and at first."""
    counted = [r for r in rows if r.package.passed]
    now, first = sum(r.ours.passed for r in counted), sum(r.first == "0" for r in counted)
    return f"{now} of {len(counted)} that run under the package run under halide_core; at first it was {first}"


def report(groups: list[tuple[str, list[Row]]]) -> str:
    """The page."""
    lines = [
        "# Halide's own scripts",
        "",
        "The tutorial and the correctness tests of Halide's Python bindings, version 21.0.0, run under the package",
        "`halide` and under `halide_core` in its place: 0 is success, else the exit status is given, or `time` where a",
        "script took too long. What fails under the package too (it needs compiled generators) is not counted.",
        "`python -m tests.conformance.scripts FOLDER --markdown docs/figures/halide-tests.md` writes this page anew",
        "and keeps the column of the first run.",
        "",
    ]
    for title, rows in groups:
        lines += [f"## {title}", "", f"{count(rows)}.", "", _HEADER, "|---|---|---|---|---|"]
        for r in sorted(rows, key=lambda r: (not r.package.passed, r.name)):
            told = r.ours.message.replace("|", "\\|")[:160] if r.package.passed else "not counted"
            lines.append(f"| {r.name} | {r.package.status} | {r.first} | {r.ours.status} | {told} |")
        lines.append("")
    return "\n".join(lines)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--markdown", type=click.Path(dir_okay=False, path_type=Path), help="The page to write.")
@click.option("--seconds", default=300.0, show_default=True, help="The longest that a script may take.")
@click.option("--only", default="", help="Only the scripts whose names contain this.")
def main(folder: Path, markdown: Path | None, seconds: float, only: str) -> None:
    """Runs Halide's scripts in FOLDER, `python_bindings` of a checkout, under both modules."""
    known = first_statuses(markdown)
    groups: list[tuple[str, list[Row]]] = []
    for title, place in _GROUPS:
        rows: list[Row] = []
        for script in sorted((folder / place).resolve().glob("*.py")):
            if only not in script.stem:
                continue
            package = run([sys.executable, str(script)], seconds)
            ours = run([sys.executable, "-m", "tests.conformance.as_halide", str(script)], seconds)
            rows.append(Row(script.stem, package, ours, known.get(script.stem, ours.status)))
            told = f"{script.stem}: package {package.status}, halide_core {ours.status} {ours.message[:120]}"
            click.echo(told.rstrip())
        groups.append((title, rows))
        click.echo(f"{title}: {count(rows)}")
    if markdown is not None and not only:
        markdown.write_text(report(groups))


if __name__ == "__main__":
    main()
