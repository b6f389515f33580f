"""Lifts a library that was never run before, and counts what came of the functions that work on memory.

    make first-contact DIR=../pillow/src/libImaging FLAGS="-I/usr/include/python3.11" NAME="Pillow 12"

A function of the folder's own files counts if it has a loop over elements of memory that it was given (`loops.py`).
Templates, which are lifted where they are called, do not count. The row for
docs/figures/libraries.md is printed; nothing is to be changed for a library before its first row stands there."""

from __future__ import annotations

import datetime
import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
from clang import cindex
from clang.cindex import Cursor, CursorKind
from rich.console import Console
from rich.table import Table

from corpus.first_contact.loops import works_on_memory
from lifter.commands.batch.outcome import kind_of
from lifter.frontend.clang.libclang import place, preorder
from lifter.frontend.clang.parsing import SourceError, parse
from lifter.toolchain.command import command_for

STATUSES = ("verified", "not_found", "unsupported", "timeout", "disagreed", "crashed", "error")
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD}
_INTRINSICS = ("_mm_", "_mm256_", "_mm512_", "vld1", "vst1", "vaddq", "vmull")


@dataclass(slots=True)
class Counted:
    """One function that counts."""

    file: str
    line: int
    name: str
    intrinsics: bool
    status: str = "not read"
    reason: str = ""


@dataclass(slots=True)
class Library:
    """What was found."""

    files: int = 0
    read: int = 0
    functions: dict[tuple[str, int], Counted] = field(default_factory=dict)


def _count(path: Path, flags: list[str], library: Library) -> None:
    """Notes the functions of a file that count, of one that cannot be read those that libclang makes out."""
    library.files += 1
    try:
        tree = parse(str(path), command_for(str(path), flags)).unit.cursor
        library.read += 1
    except SourceError:
        tree = cindex.Index.create().parse(str(path), args=flags).cursor
    for c in preorder(tree):
        if c.kind in _FUNCTIONS and c.is_definition():
            file, line, _ = place(c.location)
            if file and Path(file).resolve() == path.resolve() and works_on_memory(c):
                key = str(path), line
                library.functions.setdefault(key, Counted(*key, c.spelling, _has_intrinsics(c)))


def _has_intrinsics(c: Cursor) -> bool:
    return any(n.kind is CursorKind.CALL_EXPR and n.spelling.startswith(_INTRINSICS) for n in preorder(c))


def _lifted(folder: Path, flags: list[str], timeout: float, given: list[str]) -> dict[str, object]:
    """The report of `lift batch`."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "lifter", "batch", str(folder), "-o", out, "--timeout", str(timeout), "-q"]
        subprocess.run([*command, *given, "--", *flags], check=False, stdout=subprocess.DEVNULL)
        report: dict[str, object] = json.loads((Path(out) / "report.json").read_text())
        return report


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
    options = {"--include": include, "--exclude": exclude, "--model": model}
    given = [x for option, values in options.items() for v in values for x in (option, v)]
    report = _lifted(folder, shlex.split(flags), timeout, given)
    seconds = time.perf_counter() - start
    library = Library()
    for file in report["files"]:
        path = folder / file["name"]
        _count(path, shlex.split(flags), library)
        for f in file["functions"]:
            found = library.functions.get((str(path), (f["defined"] or f)["line"]))
            if found is not None:
                found.status, found.reason = f["status"], f["reason"]
    _tell(console, name or folder.name, library, seconds)
    if kept:
        Path(kept).write_text(json.dumps([asdict(f) for f in library.functions.values()], indent=1) + "\n")


def _tell(console: Console, name: str, library: Library, seconds: float) -> None:
    """The row, and why what is not verified is not."""
    day = datetime.date.today().isoformat()
    for title, intrinsics in (("plain", False), ("in intrinsics", True)):
        own = [f for f in library.functions.values() if f.intrinsics is intrinsics]
        if own:
            counts = Counter(f.status for f in own)
            numbers = " | ".join(str(counts[s]) for s in STATUSES)
            share = f"{100 * counts['verified'] / len(own):.0f} %"
            row = f"| {day} | {name}, {title} | {library.read} of {library.files} | {len(own)} | {share} | {numbers} |"
            console.print(row, markup=False)
    console.print(f"{seconds:.0f} s")
    reasons = Counter((f.status, kind_of(f.reason)) for f in library.functions.values() if f.status != "verified")
    table = Table("functions", "status", "reason")
    for (status, reason), n in reasons.most_common():
        table.add_row(str(n), status, reason)
    console.print(table)


if __name__ == "__main__":
    main()
