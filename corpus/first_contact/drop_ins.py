"""Calls the drop-ins of a library's functions beside their originals: some functions, a thousand calls each.

    make first-contact-calls DIR=../babl/extensions FLAGS="-I../babl/babl" OPTIONS="--sample 25 --calls 1000 --seed 1"

Of the functions that a first contact counts some are lifted, in an order that the seed decides, until enough of them
are verified.  The drop-in of each is built, and called beside the original on arguments that the seed and the call's
number decide: sizes around those of registers, odd, zero and negative ones, rows further apart than they are long,
memory at any address, values at the ends of types and floats that are no numbers, memory that overlaps, and contracts
that are missed, each in a process that may end.  All memory is compared bit by bit, what lies beside it and what is
returned too.  A call counts for nothing where the original does not survive it, or where it does what C++ leaves
undefined.  The exit status is 1 where a call differs, which is kept for `lift replay`, and where a drop-in could not be
made for a fault of the code generator."""

from __future__ import annotations

import math
import random
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console

from codegen.errors import EmitError
from corpus.first_contact.library import Counted, Library, count, sources
from lifter.api import SourceError, lift_file
from lifter.harness.counted_drop_in import beside_drop_in, build, plan_of
from lifter.harness.kept_case import keep
from lifter.harness.originals import Originals
from lifter.harness.second_opinion import HarnessError, Opinion
from lifter.ir.summary import Summary
from synth.options import Options


@dataclass(slots=True)
class Campaign:
    """What came of it."""

    statuses: Counter[str] = field(default_factory=Counter)
    """Of the functions that were lifted."""
    called: list[tuple[Counted, Opinion]] = field(default_factory=list)
    not_called: list[tuple[Counted, str]] = field(default_factory=list)
    """Verified functions without a drop-in that can be called, and why."""
    different: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """What stopped a code generator, or what runs functions."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """How functions are lifted and called.  `kept`: where calls that differ go; `minutes`: after which no further
    function is begun."""

    flags: Sequence[str]
    models: Sequence[str]
    timeout: float
    calls: int
    seed: int
    kept: Path
    minutes: float = math.inf


def run(functions: Sequence[Counted], sample: int, drawn: Drawn, console: Console) -> Campaign:
    """Lifts functions in an order that the seed decides, until `sample` of them are called."""
    done = Campaign()
    order = sorted(functions, key=lambda f: (f.file, f.line))
    random.Random(drawn.seed).shuffle(order)
    end = time.monotonic() + 60.0 * drawn.minutes
    for f in order:
        if len(done.called) >= sample or time.monotonic() > end:
            break
        summary = _lifted(f, drawn, done)
        if summary is None:
            continue
        with Originals(f.file, list(drawn.flags), drawn.models) as originals:
            _call(f, summary, originals, drawn, done)
        console.print(_words(f, done), markup=False)
    return done


def _lifted(f: Counted, drawn: Drawn, done: Campaign) -> Summary | None:
    """The summary of a function, where it is proved."""
    try:
        with tempfile.TemporaryDirectory() as out:
            report = lift_file(
                f.file, functions=[f.name], out=out, emit=(), models=drawn.models, clang_args=list(drawn.flags),
                options=Options(timeout=drawn.timeout), run=False, one_of_several=True,
            )
    except SourceError:
        done.statuses["not read"] += 1
        return None
    own = (r for r in report.functions if (r.definition.line if r.definition is not None else r.line) == f.line)
    found = next(own, None)
    f.status, f.reason = (found.status, found.reason) if found is not None else ("not read", "")
    done.statuses[f.status] += 1
    return found.lifted.summary if found is not None and found.verified and found.lifted is not None else None


def _call(f: Counted, summary: Summary, originals: Originals, drawn: Drawn, done: Campaign) -> None:
    with tempfile.TemporaryDirectory(prefix="drop-in-") as folder:
        try:
            drop_in = build(summary, originals, Path(folder))
        except EmitError as problem:
            done.not_called.append((f, str(problem)))
            return
        except Exception as problem:  # a defect of a code generator, told beside what differs
            done.faults.append(f"{f.name} ({f.file}:{f.line}): while its drop-in is built: {problem}")
            return
        try:
            opinion = beside_drop_in(summary, originals, drop_in, plan_of(drawn.calls, drawn.seed))
        except HarnessError as problem:
            done.faults.append(f"{f.name} ({f.file}:{f.line}): {str(problem).strip().splitlines()[-1]}")
            return
    if not opinion.calls and opinion.kept is None:
        done.not_called.append((f, opinion.reason))
        return
    done.called.append((f, opinion))
    if opinion.kept is not None:
        where_kept = keep(opinion.kept, summary.function, f.file, list(drawn.flags), drawn.models, drawn.kept)
        scalars = ", ".join(f"{n} = {v}" for n, v in opinion.kept.scalars.items())
        where = f"{f.name} ({f.file}:{f.line}), call {opinion.kept.number} of seed {drawn.seed}"
        done.different.append(f"{where}: {opinion.kept.words}, with {scalars or 'no numbers'}; kept in {where_kept}")


def _words(f: Counted, done: Campaign) -> str:
    """What came of the last function."""
    if done.faults and done.faults[-1].startswith(f"{f.name} ({f.file}:{f.line})"):
        return f"FAULT: {done.faults[-1]}"
    if done.not_called and done.not_called[-1][0] is f:
        return f"{f.name}: not called: {done.not_called[-1][1]}"
    opinion = done.called[-1][1]
    if opinion.kept is not None:
        return f"{f.name}: DIFFERENT: {done.different[-1]}"
    left = "".join(f", {n} {why}" for why, n in opinion.left_out.items())
    lifted = opinion.calls - opinion.handed
    reason = f"; {opinion.reason}" if opinion.reason else ""
    return f"{f.name}: {opinion.calls} calls, {lifted} lifted, {opinion.handed} by the original{left}{reason}"


def row(name: str, done: Campaign) -> str:
    """The library in the table of docs/soundness.md."""
    calls = sum(o.calls for _, o in done.called)
    handed = sum(o.handed for _, o in done.called)
    left_out = sum((o.left_out for _, o in done.called), Counter[str]())
    numbers = [
        sum(done.statuses.values()), done.statuses["verified"], len(done.called), calls, calls - handed, handed,
        left_out["not survived"], left_out["undefined"], len(done.different),
    ]
    return f"| {name} | {' | '.join(f'{n:,}' for n in numbers)} |"


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--flags", default="", help="Flags for the compiler, as one argument.")
@click.option("--name", default="", help="How the library is called in the row; the folder's name if not given.")
@click.option("--sample", default=25, show_default=True, help="Functions that are called.")
@click.option("--calls", default=1000, show_default=True, help="Calls of each.")
@click.option("--seed", default=0, show_default=True, help="Which functions, and which arguments.")
@click.option("--timeout", default=30.0, show_default=True, help="Seconds for lifting one function.")
@click.option("--minutes", default=math.inf, help="After which no further function is begun.")
@click.option("--include", multiple=True, metavar="GLOB", help="As of lift batch (repeatable).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="As of lift batch (repeatable).")
@click.option("--model", multiple=True, metavar="PATH", help="As of lift batch (repeatable).")
@click.option("-f", "only", multiple=True, metavar="NAME", help="Functions of these names alone (repeatable).")
@click.option("--kept", default="build/different", show_default=True, metavar="DIR", help="For calls that differ.")
def main(
    folder: Path, flags: str, name: str, sample: int, calls: int, seed: int, timeout: float, minutes: float,
    include: tuple[str, ...], exclude: tuple[str, ...], model: tuple[str, ...], only: tuple[str, ...], kept: str,
) -> None:
    console = Console(highlight=False, soft_wrap=True)
    library = Library()
    given = shlex.split(flags)
    for path in sources(folder, include, exclude):
        count(path, given, library)
    functions = [f for f in library.functions.values() if not only or f.name in only]
    done = run(functions, sample, Drawn(given, model, timeout, calls, seed, Path(kept), minutes), console)
    console.print(row(name or folder.name, done), markup=False)
    for f, why in done.not_called:
        console.print(f"not called: {f.name}: {why}", markup=False)
    for words in done.faults:
        console.print(f"fault: {words}", markup=False)
    for words in done.different:
        console.print(f"different: {words}", markup=False)
    sys.exit(1 if done.different or done.faults else 0)


if __name__ == "__main__":
    main()
