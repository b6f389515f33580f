"""Lifts a library that was never run before, and counts what came of the functions that work on memory.

    make first-contact DIR=../pillow/src/libImaging FLAGS="-I/usr/include/python3.11" NAME="Pillow 12"

A function of the folder's own files, `static` ones included, counts if it has a loop over elements of memory that it
was given (`loops.py`). Templates, which are lifted where they are called, do not count. The row for
docs/figures/libraries.md is printed, the share that is verified first, then with functions that are not, but all of
whose loops are that count (of a loop that only walks along what others look at, those inside), then of those that a
pipeline could compute (`expressible.py`); nothing is to be changed for a library before its first row stands there."""

from __future__ import annotations

import datetime
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from corpus.first_contact.expressible import is_beyond
from corpus.first_contact.library import NOT_READ, Counted, Library, count, sources
from lifter.commands.batch.outcome import kind_of

STATUSES = ("verified", "not_found", "unsupported", "timeout", "disagreed", "crashed", "error", NOT_READ)


def _lift(path: Path, names: set[str], flags: list[str], timeout: float, models: tuple[str, ...]) -> dict[str, Any]:
    """The report of `lift` on functions of a file, those with internal linkage too."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "lifter", str(path), "-o", out, "--timeout", str(timeout), "--json", "--loops"]
        command += [x for n in sorted(names) for x in ("-f", n)] + [x for m in models for x in ("--model", m)]
        done = subprocess.run([*command, "--", *flags], check=False, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return json.loads(lines[0]) if lines else {"functions": [], "reason": done.stderr.strip() or "nothing was told"}


def _note_loops(function: Counted, reports: list[dict[str, Any]]) -> None:
    """Whether all of its loops are verified that count, or, of one that does nothing else with memory, those inside."""
    own = [r for r in reports if r["part_of"] == function.name]
    verified = {r["defined"]["line"] for r in own if r["status"] == "verified"}
    others = {r["defined"]["line"] for r in own if r["status"] != "verified"}
    is_lifted = (verified - others).__contains__
    function.by_loops = function.status != "verified" and all(n.is_covered(is_lifted) for n in function.loops)
    left = [r for r in own if r["status"] != "verified"]
    function.loop_reasons = tuple(f"{r['name']}: {r['status']}: {r['reason']}" for r in left)


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--flags", default="", help="Flags for the compiler, as one argument.")
@click.option("--name", default="", help="How the library is called in the row; the folder's name if not given.")
@click.option("--timeout", default=30.0, show_default=True, help="Seconds for one function.")
@click.option("--include", multiple=True, metavar="GLOB", help="As of lift batch (repeatable).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="As of lift batch (repeatable).")
@click.option("--model", multiple=True, metavar="PATH", help="As of lift batch (repeatable).")
@click.option("--json", "kept", default="", metavar="FILE", help="Also write every function to FILE.")
def main(
    folder: Path, flags: str, name: str, timeout: float, include: tuple[str, ...], exclude: tuple[str, ...],
    model: tuple[str, ...], kept: str,
) -> None:
    console = Console(highlight=False, soft_wrap=True)
    start = time.perf_counter()
    library = Library()
    given = shlex.split(flags)
    paths = sources(folder, include, exclude)
    for path in paths:
        count(path, given, library)
    names: dict[Path, set[str]] = defaultdict(set)
    for f in library.functions.values():
        names[Path(f.file)].add(f.name)
    _keep(kept, library)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = pool.map(lambda p: (p, _lift(p, names[p], given, timeout, model)), list(names))
        for path, report in reports:
            for function in report["functions"]:
                found = library.functions.get((str(path), (function["defined"] or function)["line"]))
                if found is not None:
                    found.status, found.reason = function["status"], function["reason"]
                    _note_loops(found, report.get("loops", []))
            for f in library.functions.values():
                if f.file == str(path) and f.status == NOT_READ:
                    f.reason = report["reason"]
            _keep(kept, library)  # what is done is not lost if the rest is not waited for
    seconds = time.perf_counter() - start
    _tell(console, name or folder.name, library, seconds)


def _keep(file: str, library: Library) -> None:
    if file:
        Path(file).write_text(json.dumps([asdict(f) for f in library.functions.values()], indent=1) + "\n")


def _tell(console: Console, name: str, library: Library, seconds: float) -> None:
    """The row, and why what is not verified is not."""
    day = datetime.date.today().isoformat()
    for title, intrinsics in (("plain", False), ("in intrinsics", True)):
        own = [f for f in library.functions.values() if f.intrinsics is intrinsics]
        if own:
            counts = Counter(f.status for f in own)
            numbers = " | ".join(str(counts[s]) for s in STATUSES)
            share = f"{100 * counts['verified'] / len(own):.0f} %"
            by_loops = sum(f.by_loops for f in own)
            both = f"{100 * (counts['verified'] + by_loops) / len(own):.0f} %"
            could = sum(f.status == "verified" or not is_beyond(f.reason) for f in own)
            of_those = f"{100 * counts['verified'] / max(could, 1):.0f} % of {could}"
            files = f"{library.read} of {library.files}"
            row = [day, f"{name}, {title}", files, str(len(own)), share, both, of_those, numbers]
            console.print(f"| {' | '.join(row)} |", markup=False)
    console.print(f"{seconds:.0f} s")
    reasons = Counter((f.status, kind_of(f.reason)) for f in library.functions.values() if f.status != "verified")
    table = Table("functions", "status", "reason")
    for (status, reason), n in reasons.most_common():
        table.add_row(str(n), status, reason)
    console.print(table)


if __name__ == "__main__":
    main()
