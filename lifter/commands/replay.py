"""`lift replay`: a kept call, made again by the original as it compiles here and by the function as it lifts now."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from lifter.api import SourceError, UsageError, lift_file
from lifter.harness.kept_case import Case, read
from lifter.harness.originals import Originals
from lifter.harness.replayed import Replayed, replayed
from lifter.support.console import open_console


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", metavar="DIR")
def replay_command(folder: str) -> None:
    """Run the call kept in DIR again, beside the original.

    The exit status is 0 when the two agree, 1 when they differ, and 2 when the call cannot be made."""
    console = open_console(stderr=False)
    try:
        case, before = read(Path(folder))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise click.UsageError(f"'{folder}' holds no kept call: {problem}") from None
    try:
        found = _again(case, before, Path(folder))
    except (SourceError, UsageError) as problem:
        open_console().print(str(problem), markup=False)
        sys.exit(2)
    for line in found.lines:
        console.print(line, markup=False)
    sys.exit(1 if found.differs else 0)


def _again(case: Case, before: dict[str, bytes], folder: Path) -> Replayed:
    source = str(folder / case.source)
    args = [*case.clang_args, f"-I{case.folder}"]
    with tempfile.TemporaryDirectory(prefix="lift-") as out, Originals(source, args) as originals:
        report = lift_file(
            source, functions=[case.function], out=out, emit=(), clang_args=args, models=case.models, run=False
        )
        f = next((f for f in report.functions if f.line == case.line), report.functions[0])
        if f.status != "verified" or f.lifted is None or f.lifted.summary is None:
            raise UsageError(f"{case.function} is not verified now: {f.status}: {f.reason}")
        summary = f.lifted.summary
        originals.prepare([summary.function])
        original = originals.library(summary.function)
        if original is None:
            raise UsageError(f"the call cannot be made: {originals.why(summary.function)}")
        return replayed(case, before, summary, original, originals.packers(summary.function))
