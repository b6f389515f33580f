"""`lift batch`: a whole code base, file by file, in parallel (DESIGN section 5)."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from lifter.api import EMIT_KINDS, SourceError, UsageError, lift_file
from lifter.toolchain.command import Command, command_for
from lifter.toolchain.database import DatabaseError, commands
from synth.options import Options

SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".c++"}


@dataclass(frozen=True, slots=True)
class Job:
    """One file of the code base, with its flags and where its outputs go."""

    command: Command
    out: str

    @property
    def path(self) -> str:
        return self.command.path


@click.command()
@click.argument("root", metavar="DIR_OR_COMPILE_COMMANDS")
@click.option("-o", "--out", default="lifted", show_default=True, metavar="DIR", help="Folder for the outputs.")
@click.option("-j", "--jobs", default=2, show_default=True, metavar="N", help="Files lifted at a time.")
@click.option("--emit", default="dsl", show_default=True, metavar="KIND,...", help=", ".join(EMIT_KINDS))
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for one function.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file on standard output.")
@click.option("--model", "models", multiple=True, metavar="PATH", help="Definitions of external functions, or folder.")
@click.option("--no-run", is_flag=True, help="Do not run what is proved beside the compiled original.")
def batch_command(
    root: str, out: str, jobs: int, emit: str, timeout: float, as_json: bool, models: tuple[str, ...], no_run: bool
) -> None:
    """Lift every C and C++ file under a folder, or of a compilation database.

    Each file's outputs go to a folder of their own under DIR, named as the file.  One file's failure stops no other."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    clang_args: list[str] = click.get_current_context().obj or []
    if jobs < 1:
        raise click.UsageError(f"-j must be at least 1, not {jobs}")
    kinds = tuple(dict.fromkeys(k.strip() for k in emit.split(",") if k.strip()))
    unknown = [k for k in kinds if k not in EMIT_KINDS]
    if unknown or not kinds:
        raise click.UsageError(f"--emit: '{', '.join(unknown)}' is no kind; the kinds are {', '.join(EMIT_KINDS)}")
    work = list(_jobs(Path(root), Path(out), clang_args))
    if not work:
        raise click.UsageError(f"'{root}' holds no C or C++ file; name a folder or a compile_commands.json")
    failed, counts, table = 0, Counter[str](), Table(title=f"{root}: {len(work)} files")
    for column in ("file", "functions", "verified", "others"):
        table.add_column(column, justify="left" if column in ("file", "others") else "right")
    with Progress(console=console, transient=True) as progress, ProcessPoolExecutor(jobs) as pool:
        task = progress.add_task("lifting", total=len(work))
        running = {pool.submit(_lift, job, kinds, timeout, models, not no_run): job for job in work}
        for done in as_completed(running):
            report, error = done.result()
            progress.advance(task)
            if error is not None:
                failed += 1
                table.add_row(running[done].path, "-", "-", error)
                continue
            here = Counter(f["status"] for f in report["functions"])
            counts.update(here)
            others = ", ".join(f"{n} {s}" for s, n in here.items() if s != "verified")
            table.add_row(report["file"], str(sum(here.values())), str(here["verified"]), others)
            if as_json:
                sys.stdout.write(json.dumps(report) + "\n")
    console.print(table)
    text = ", ".join(f"{n} {s}" for s, n in counts.most_common()) or "no functions"
    console.print(f"{sum(counts.values())} functions: {text}; {failed} files could not be parsed", markup=False)
    if failed:
        sys.exit(2)
    sys.exit(0 if counts and set(counts) == {"verified"} else 1)


def _jobs(root: Path, out: Path, clang_args: list[str]) -> Iterator[Job]:
    database = root / "compile_commands.json" if root.is_dir() else root
    if database.name.endswith(".json"):
        if not database.exists():
            found: dict[str, Command] = {}
        else:
            try:
                found = {c.path: c for c in reversed(list(commands(str(database))))}
            except DatabaseError as problem:
                raise click.UsageError(str(problem)) from None
        if found:
            for path, command in sorted(found.items()):
                yield Job(command.and_flags(clang_args), str(out / Path(path).stem))
            return
    if root.is_dir():
        for f in sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES):
            yield Job(command_for(str(f), clang_args), str(out / f.relative_to(root).with_suffix("")))


def _lift(
    job: Job, kinds: tuple[str, ...], timeout: float, models: tuple[str, ...], run: bool
) -> tuple[dict[str, Any], str | None]:
    try:
        report = lift_file(
            job.path, out=job.out, emit=kinds, models=models, clang_args=job.command,
            options=Options(timeout=timeout), run=run,
        )
    except (SourceError, UsageError) as problem:
        return {}, str(problem).splitlines()[0]
    return report.as_json(), None
