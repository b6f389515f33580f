"""`lift bench`: lifted functions timed against the originals compiled by g++."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from lifter.api import (
    FileReport,
    FunctionReport,
    LiftError,
    SourceError,
    Step,
    UsageError,
    defined_nowhere,
    lift_file,
)
from lifter.harness.argument_extents import NoArguments
from lifter.harness.own_process import ProcessDied, told_by
from lifter.harness.side_by_side import load
from lifter.harness.stubs import make_stubs
from lifter.harness.timing import COLD, O2, O3, SAMPLE, Loops, build, interleave, machine
from lifter.harness.timing_arguments import Arguments, Known, arguments, contract_holds
from lifter.ir.loop_ir import Function
from lifter.support.console import open_console
from lifter.support.progress import StatusLine
from lifter.toolchain.command import SUFFIXES, Command, command_for
from lifter.toolchain.database import command_in

DIFFERS = "DIFFERS"
SLOWER = 0.995
"""Ratios from here on print as 1.00."""


Lookup = Callable[[str, Function], Known | None]
"""What is known of the arguments of a file's function."""


def nothing_known(file: str, function: Function) -> Known | None:
    """Arguments are drawn from names and summaries."""
    return None


@dataclass(frozen=True, slots=True)
class Row:
    """One function at one size: seconds of a call, and how much faster the lifted code is (medians of ratios)."""

    file: str
    function: str
    size: int
    lifted_s: float
    o3_s: float
    o2_s: float
    over_o3: float
    over_o2: float
    rounds: int
    remark: str = ""
    over_one_thread: float | None = None
    """How much faster it is than on one thread, where that was asked for."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds for one function in all, and at a time; cold: each call comes after other work, when threads sleep;
    one_thread: the lifted code is timed on one thread too."""

    all: float
    turn: float
    cold: bool
    one_thread: bool = False


@dataclass(slots=True)
class Results:
    """Everything that a run found."""

    rows: list[Row] = field(default_factory=list)
    not_timed: list[tuple[str, str, str]] = field(default_factory=list)
    """(file, function, why)"""
    different: list[str] = field(default_factory=list)
    unknown: UsageError | None = None
    """Names asked for that no file defines."""

    def as_json(self) -> dict[str, object]:
        return {
            "machine": machine(),
            "results": [asdict(r) for r in self.rows],
            "not_timed": [{"file": a, "function": b, "reason": c} for a, b, c in self.not_timed],
        }


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="FILE_OR_DIR...")
@click.option("-f", "--function", "functions", multiple=True, metavar="NAME", help="Time this one only (repeatable).")
@click.option("--sizes", default="64,1024,4096", show_default=True, metavar="N,...", help="Sides of the images.")
@click.option("--seconds", default=0.3, show_default=True, metavar="S", help="Time spent on one function at one size.")
@click.option(
    "--sample", default=SAMPLE * 1e3, show_default=True, metavar="MS",
    help="Milliseconds that each function runs before the next has its turn.",
)
@click.option("--warm", is_flag=True, help="Call after call, threads awake; not each after 2 ms of other work.")
@click.option("--one-thread", is_flag=True, help="Time the lifted code on one thread, too.")
@click.option("--json", "json_file", metavar="FILE", help="Also write the figures to FILE.")
@click.option("--timeout", default=60.0, show_default=True, metavar="S", help="Seconds to lift one function.")
@click.option("--autoscheduler", default="", metavar="NAME", help="Autoscheduler of the lifted functions.")
@click.option("-p", "database", metavar="BUILD_DIR", help="Take commands from BUILD_DIR/compile_commands.json.")
@click.option("--target", default="host", show_default=True, help="Halide target of the lifted functions.")
def bench_command(
    paths: tuple[str, ...], functions: tuple[str, ...], sizes: str, seconds: float, sample: float,
    warm: bool, one_thread: bool, json_file: str | None, timeout: float, autoscheduler: str, target: str,
    database: str | None = None, known: Lookup = nothing_known,
) -> None:
    """Time lifted functions against the originals built by g++ with -O2, and with -O3 -march=native.

    All three run on the same memory, in turn, in one process; results are compared before anything is timed.  Each call
    comes after 2 ms of other work, as in a program that does not live on this function alone (--warm: one after the
    other).
    Flags for clang and g++ go after `--`."""
    console = open_console()
    clang_args: list[str] = click.get_current_context().obj or []
    try:
        if not 0 < seconds <= 3600:
            raise UsageError(f"--seconds must be a positive number, not {seconds:g}")
        if not 0 < sample <= 10_000:
            raise UsageError(f"--sample must be a positive number of milliseconds, not {sample:g}")
        if not 0 < timeout <= 86400:
            raise UsageError(f"--timeout must be a positive number of seconds, not {timeout:g}")
        _check_device(target)
        numbers = _sizes(sizes)
        files = _files(paths)
        times = Times(seconds, sample / 1e3, not warm, one_thread)
        results = run(
            files, functions, numbers, times, timeout, clang_args, console, autoscheduler, known, database, target
        )
        if json_file is not None:
            _write(Path(json_file), json.dumps(results.as_json(), indent=2) + "\n")
    except LiftError as problem:
        console.print(str(problem) if isinstance(problem, SourceError) else f"error: {problem}", markup=False)
        sys.exit(2)
    if results.rows or results.not_timed:
        out = open_console(stderr=False)
        plain = Console(highlight=False, emoji=False, soft_wrap=True, width=120)
        print_results(out if out.is_terminal else plain, results)
    elif results.unknown is None:
        results.unknown = UsageError("no function to time in the files given")
    if results.unknown is not None:
        console.print(f"error: {results.unknown}", markup=False)
        sys.exit(2)
    sys.exit(1 if results.different else 0)


def _check_device(target: str) -> None:
    """Raises UsageError where the target has a device and this machine none, or no driver for it."""
    if "cuda" not in target.split("-"):
        return
    from halide_core.errors import HalideError
    from halide_core.gpu.driver import LIBRARY, driver

    try:
        driver()
    except HalideError as problem:
        why = f"there is no CUDA driver ({LIBRARY})" if LIBRARY in problem.text else problem.text
        raise UsageError(
            f"--target {target}: nothing can be timed on a device here: {why}; without --target the lifted functions "
            "are timed on the host"
        ) from None


def _sizes(text: str) -> list[int]:
    parts = [s.strip() for s in text.split(",") if s.strip()]
    if not parts or not all(s.isdigit() and 0 < int(s) <= 1 << 15 for s in parts):
        raise UsageError(f"--sizes must be numbers from 1 to {1 << 15} with commas between them, not '{text}'")
    return [int(s) for s in parts]


def _files(paths: Sequence[str]) -> list[str]:
    if not paths:
        raise UsageError("no input file; usage: lift bench FILE_OR_DIR... [options] [-- CLANG_ARGS]")
    files: list[str] = []
    for p in paths:
        if Path(p).is_dir():
            found = sorted(str(f) for f in Path(p).rglob("*") if f.suffix in SUFFIXES)
            if not found:
                raise UsageError(f"no C or C++ files in the folder '{p}' (looked for {', '.join(SUFFIXES)})")
            files += found
        else:
            files.append(p)
    return files


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as problem:
        raise UsageError(f"cannot write '{path}': {problem.strerror}") from None


def run(
    files: Sequence[str], functions: Sequence[str], sizes: Sequence[int], seconds: Times, timeout: float,
    clang_args: Sequence[str], console: Console, autoscheduler: str = "", known: Lookup = nothing_known,
    database: str | None = None, target: str = "host",
) -> Results:
    """Lifts, builds and times everything.

    Raises LiftError."""
    from synth.options import Options

    results = Results()
    reports: list[FileReport] = []
    for file in files:
        with tempfile.TemporaryDirectory(prefix="lift-bench-") as name, StatusLine(console) as status:
            folder = Path(name)
            given = command_in(database, file).and_flags(clang_args) if database else clang_args

            def listen(said: Step | FileReport | FunctionReport, file: str = file, line: StatusLine = status) -> None:
                if isinstance(said, Step):
                    line.show(f"{file}: {said.words()}")

            report = lift_file(
                file, functions=functions, out=name, emit=("shared",), target=target, clang_args=given,
                run=False, options=Options(timeout=timeout), one_of_several=len(files) > 1, autoscheduler=autoscheduler,
                listener=listen,
            )
            reports.append(report)
            timed = []
            for f in report.functions:
                if "shared" in f.outputs:
                    timed.append(f)
                else:
                    reason = f.reason.splitlines()[0] if f.reason else ""
                    results.not_timed.append((file, f.name, f"{f.status}: {reason}"))
            if timed:
                _time_file(file, timed, sizes, seconds, given, folder, results, status.show, known)
    results.unknown = defined_nowhere(reports)
    return results


def _time_file(
    file: str, timed: Sequence[FunctionReport], sizes: Sequence[int], seconds: Times,
    given: Sequence[str] | Command, folder: Path, results: Results, say: Callable[[str], None], known: Lookup,
) -> None:
    """Times the functions of a file, in a process of their own: where a call crashes, another one times the rest."""
    o3, o2 = build(file, given, O3, folder / "o3.so"), build(file, given, O2, folder / "o2.so")
    drop_in = Path(timed[0].outputs["shared"])
    make_stubs(drop_in, command_for(file, given).compiler)
    libraries = [load(drop_in), o3, o2]
    if seconds.one_thread:  # a library of its own has threads of its own
        libraries.append(load(Path(shutil.copy(drop_in, folder / "one_thread.so"))))
    loops = Loops([f.lifted.function for f in timed if f.lifted is not None], folder)

    def work(left: Sequence[FunctionReport], tell: Callable[[_Told], None]) -> None:
        for number, f in enumerate(left):
            for size in sizes:

                def doing(what: str, number: int = number, size: int = size) -> None:
                    tell(_Doing(number, size, what))

                doing("making up arguments")
                told = _time_function(file, f, size, libraries, loops, seconds, doing, known)
                tell(told)

    left = timed
    while left:
        now = _Doing(0, sizes[0], "starting")
        try:
            for told in told_by(partial(work, left)):
                if isinstance(told, _Doing):
                    now = told
                    say(f"{file}: {left[now.number].name} at {now.size}x{now.size}: {now.what}")
                elif isinstance(told, Row):
                    results.rows.append(told)
                    if told.remark == DIFFERS:
                        results.different.append(f"{told.function} at {told.size}x{told.size}")
                else:
                    results.not_timed.append(told)
            return
        except ProcessDied as problem:
            results.not_timed.append((file, left[now.number].name, f"{problem} at {now.size}x{now.size}, {now.what}"))
            left = left[now.number + 1 :]


@dataclass(frozen=True, slots=True)
class _Doing:
    """What a timing process does now."""

    number: int
    size: int
    what: str


_Told = Row | _Doing | tuple[str, str, str]


def _time_function(
    file: str, f: FunctionReport, size: int, libraries: Sequence[ctypes.CDLL], loops: Loops,
    seconds: Times, doing: Callable[[str], None], known: Lookup,
) -> Row | tuple[str, str, str]:
    """Times one function at one size; `libraries`: the lifted code, the original under -O3 and -O2, and where it is to
    be timed on one thread too the lifted code again."""
    assert f.lifted is not None and f.lifted.summary is not None
    function = f.lifted.function
    try:
        args = arguments(f.lifted.summary, size, known(file, function))
    except NoArguments as problem:
        return file, f.name, f"no arguments at {size}x{size}: {problem}"
    values = args.values(function)
    calls = [loops.call(library, function, values, seconds.cold) for library in libraries]
    calls[3:] = [partial(_on_one_thread, call) for call in calls[3:]]
    before = args.save()
    doing("running the original")
    calls[2](1)
    wanted = args.save()
    args.restore(before)
    doing("running the lifted code")
    calls[0](1)
    remark = ""
    if not args.equals(wanted):
        remark = DIFFERS
    elif not contract_holds(f.lifted.summary, args):
        remark = "original ran"
    args.restore(before)
    doing("timing")
    t = interleave(calls, _resetter(args, before), seconds.all, seconds.turn, COLD if seconds.cold else 0.0)
    lifted_s, o3_s, o2_s = t.seconds[:3]
    one = t.ratios[3] if seconds.one_thread else None
    return Row(file, f.name, size, lifted_s, o3_s, o2_s, t.ratios[1], t.ratios[2], t.rounds, remark, one)


def _on_one_thread(call: Callable[[int], float], count: int) -> float:
    """A call of a library that takes its number of threads from the environment when it first needs some."""
    before = os.environ.get("HL_NUM_THREADS")
    os.environ["HL_NUM_THREADS"] = "1"
    try:
        return call(count)
    finally:
        del os.environ["HL_NUM_THREADS"]
        if before is not None:
            os.environ["HL_NUM_THREADS"] = before


def _resetter(args: Arguments, before: dict[str, Any]) -> Callable[[], None]:
    """What to do before each sample: an in-place function must see the same data each time."""
    return partial(args.restore, before) if args.in_place else lambda: None


def print_results(console: Console, results: Results) -> None:
    """The table, its summary, what was not timed, and what the times depend on."""
    if results.rows:
        console.print(_table(results.rows))
        console.print(_summary(results.rows))
        for size in sorted({r.size for r in results.rows}):
            own = [r for r in results.rows if r.size == size]
            slow = sorted((r for r in own if r.over_o3 < SLOWER), key=lambda r: r.over_o3)
            if slow:
                names = ", ".join(f"{r.function} {r.over_o3:.2f}" for r in slow)
                console.print(f"slower than -O3 at {size}x{size}: {names}", markup=False)
            worse = [(r.over_one_thread, r.function) for r in own if (r.over_one_thread or 1.0) < SLOWER]
            if worse:
                names = ", ".join(f"{name} {ratio:.2f}" for ratio, name in sorted(worse))
                console.print(f"slower than on one thread at {size}x{size}: {names}", markup=False)
    for text in results.different:
        console.print(f"DIFFERENT RESULTS: {text}; please report this", style="red")
    for file, name, why in results.not_timed:
        console.print(f"not timed: {name} ({file}): {why}", markup=False)
    for what, text in machine().items():
        console.print(f"{what}: {text}", markup=False)


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title="Times of one call, and how many times faster the lifted code is", title_justify="left")
    table.add_column("function", no_wrap=True)
    one_thread = any(r.over_one_thread is not None for r in rows)
    more = ["over one thread"] if one_thread else []
    for head in ("size", "lifted µs", "-O3 µs", "-O2 µs", "over -O3", "over -O2", *more):
        table.add_column(head, justify="right")
    table.add_column("")
    for r in rows:
        table.add_row(
            r.function, str(r.size), *(f"{s * 1e6:,.1f}" for s in (r.lifted_s, r.o3_s, r.o2_s)),
            f"{r.over_o3:.2f}", f"{r.over_o2:.2f}", *([f"{r.over_one_thread:.2f}"] if one_thread else []), r.remark,
            style="red" if r.over_o3 < SLOWER else None,
        )
    return table


def _summary(rows: Sequence[Row]) -> Table:
    table = Table(title="How many times faster, over all functions", title_justify="left")
    for head in ("size", "functions", "over -O3: median", "minimum", "over -O2: median", "minimum"):
        table.add_column(head, justify="right")
    for size in sorted({r.size for r in rows}):
        own = [r for r in rows if r.size == size]
        cells = []
        for ratios in ([r.over_o3 for r in own], [r.over_o2 for r in own]):
            cells += [f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}"]
        table.add_row(str(size), str(len(own)), *cells)
    return table
