"""`lift batch`: a whole code base, file by file, in parallel."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from lifter.api import EMIT_KINDS, UsageError
from lifter.commands.batch import kept, report_terminal
from lifter.commands.batch.outcome import Outcome, Row
from lifter.commands.batch.plan import Job, NameLike, plan
from lifter.commands.batch.pool import Pool
from lifter.commands.batch.report_html import html
from lifter.commands.batch.report_sarif import sarif
from lifter.commands.batch.timings import Timings
from lifter.commands.file_task import Every, Request
from lifter.support.console import open_console
from lifter.support.files import write_whole
from lifter.support.progress import StatusLine
from lifter.support.shown import shown
from lifter.support.stdout import write_line
from lifter.toolchain.preprocess import own_headers
from synth.options import Options


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("root", metavar="DIR_OR_COMPILE_COMMANDS")
@click.option("-o", "--out", default="lifted", show_default=True, metavar="DIR", help="Folder for outputs and reports.")
@click.option("-j", "--jobs", type=int, metavar="N", help="Files lifted at a time.  [default: the number of CPUs]")
@click.option("--include", multiple=True, metavar="GLOB", help="Only files that match, as in .gitignore (repeatable).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="No files that match (repeatable).")
@click.option("--functions", default="", metavar="REGEX", help="Only functions whose qualified name has a match.")
@click.option("--emit", default="dsl", show_default=True, metavar="KIND,...", help=", ".join(EMIT_KINDS))
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds for one function.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file on standard output.")
@click.option("--model", "models", multiple=True, metavar="PATH", help="Definitions of external functions, or folder.")
@click.option("--loops", is_flag=True, help="Of functions that are not lifted, lift the loops.")
@click.option("--no-run", is_flag=True, help="Do not run what is proved beside the compiled original.")
@click.option("--dask", "address", metavar="ADDRESS", help="Lift on this cluster of dask.distributed, or on local:N.")
@click.option("--timings", default="", metavar="FILE", help="Report the times that lift bench --json FILE has found.")
@click.option("--force", is_flag=True, help="Lift what was lifted before, too.")
@click.option("--dry-run", is_flag=True, help="Say what would be lifted, how it is compiled, and where outputs go.")
@click.option("-q", "--quiet", is_flag=True, help="Print the last lines only.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for every function.")
def batch_command(
    root: str, out: str, jobs: int | None, include: tuple[str, ...], exclude: tuple[str, ...], functions: str,
    emit: str, timeout: float, as_json: bool, models: tuple[str, ...], loops: bool, no_run: bool, address: str | None,
    timings: str, force: bool, dry_run: bool, quiet: bool, verbose: bool,
) -> None:
    """Lift every C and C++ file under a folder, or of a compilation database.

    Outputs go to DIR/PATH/OF/THE/FILE.c/, beside report.html, report.json and report.sarif in DIR.  Each file has a
    process of its own: one file's failure, whatever it is, stops no other.  What was lifted before from the same
    text with the same flags is taken from the cache ($LIFT_CACHE_DIR, or lift in the user's folder for caches).

    Flags for the compiler go after `--`.  One Ctrl-C ends it within seconds and keeps what is finished; the same
    command goes on from there."""
    console = open_console()
    kinds = _checked(jobs, emit, timeout, functions)
    if loops and address is not None:
        raise click.UsageError("--loops is not for a cluster; leave out --dask")
    flags: list[str] = click.get_current_context().obj or []
    try:
        speeds = Timings(timings)
        found = plan(root, out, flags, include, exclude)
    except UsageError as problem:
        raise click.UsageError(str(problem)) from None
    if dry_run:
        for job in found.jobs:
            console.print(f"{job.command.words()} -> {shown(job.out)}", markup=False)
        sys.exit(0)
    selected = NameLike(functions) if functions else Every()

    def request(job: Job) -> Request:
        return Request(
            job.path, job.command, out=job.out, emit=kinds, models=models, options=Options(timeout=timeout),
            run=not no_run, loops=loops, selected=selected,
        )

    kept.tool()  # once, not in each process; so are modules
    own_headers()
    importlib.import_module("lifter.harness.second_opinion")
    outcome, start = Outcome(found, timings=speeds), time.perf_counter()
    width = jobs or len(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        pool = Pool(found.jobs, request, width, force)
        if address is not None:
            pool = _on_cluster(stack, address, found.jobs, request, width, force)
        _run(pool, outcome, stack.enter_context(StatusLine(console)), _Told(console, quiet, verbose, as_json))
    outcome.sort()
    outcome.not_begun, outcome.seconds = pool.not_begun(), time.perf_counter() - start
    report_terminal.print_outcome(console, outcome, _write_reports(outcome, Path(out)), quiet)
    kept.prune()
    if pool.signal:
        sys.exit(128 + pool.signal)
    sys.exit(2 if outcome.not_read() else 0 if outcome.all_verified else 1)


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of each file as it is finished."""

    console: Console
    quiet: bool
    verbose: bool
    as_json: bool

    def row(self, row: Row) -> None:
        if not self.quiet:
            self.console.print(report_terminal.line_of(row), markup=False)
        for f in row.report.functions if self.verbose and not self.quiet else ():
            self.console.print(f"  {f.name}: {f.status}{f': {f.reason}' if f.reason else ''}", markup=False)
        if self.as_json:
            write_line(json.dumps(row.report.as_json()))


def _run(pool: Pool, outcome: Outcome, status: StatusLine, told: _Told) -> None:
    """Lifts the files of a pool, and tells of each."""

    def tick() -> None:
        at = ", ".join(shown(j.name) for j in pool.running)
        status.show(f"{len(outcome.rows)} of {len(outcome.plan.jobs)} files; at {at}")

    for job, report in pool.run(tick):
        outcome.rows.append(Row(job, report))
        told.row(outcome.rows[-1])


def _on_cluster(
    stack: contextlib.ExitStack, address: str, jobs: Sequence[Job], request: Callable[[Job], Request], width: int,
    force: bool,
) -> Pool:
    """A pool on a cluster, which ends with the stack.  Raises ClusterError and UsageError."""
    from lifter.commands.batch.cluster import Cluster
    from lifter.commands.batch.cluster_pool import ClusterPool

    if jobs and request(jobs[0]).models:
        raise UsageError("--model is of files that are here; leave it out with --dask")
    cluster = Cluster(address)
    stack.callback(cluster.close)
    return ClusterPool(jobs, request, width, force, cluster)


def _checked(jobs: int | None, emit: str, timeout: float, functions: str) -> tuple[str, ...]:
    """The kinds of output.  Raises click.UsageError."""
    if jobs is not None and jobs < 1:
        raise click.UsageError(f"-j must be at least 1, not {jobs}")
    if not 0 < timeout < float("inf"):
        raise click.UsageError(f"--timeout must be a positive number of seconds, not {timeout:g}")
    try:
        re.compile(functions)
    except re.error as problem:
        raise click.UsageError(f"--functions: '{functions}' is no regular expression: {problem}") from None
    kinds = tuple(dict.fromkeys(k.strip() for k in emit.split(",") if k.strip()))
    unknown = [k for k in kinds if k not in EMIT_KINDS]
    if unknown or not kinds:
        raise click.UsageError(f"--emit: '{', '.join(unknown)}' is no kind; the kinds are {', '.join(EMIT_KINDS)}")
    return kinds


def _write_reports(outcome: Outcome, out: Path) -> list[str]:
    """Writes the reports; their paths.  Raises UsageError where that cannot be."""
    texts = {
        "report.html": html(outcome),
        "report.json": json.dumps(outcome.as_json(), indent=1) + "\n",
        "report.sarif": json.dumps(sarif(outcome), indent=1) + "\n",
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_whole(out / name, text)
    except OSError as problem:
        raise UsageError(f"cannot write the reports to '{out}': {problem.strerror}; choose another with -o") from None
    return [str(out / name) for name in texts]
