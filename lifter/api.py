"""The Python API of `lift`: what the command line does, as functions.

    from lifter.api import lift_file
    report = lift_file("legacy.cpp", out="lifted", emit=("dsl", "shared"))
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.emit import EMIT_KINDS
from lifter.frontend import Definition, ParsedFile, SourceError, parse_file
from lifter.harness.originals import Originals
from lifter.ir.loop_ir import Function
from lifter.running.one_function import report_of
from lifter.running.output import Judge, Output, OutputError
from lifter.running.results import VERIFIED, FileReport, FunctionReport, Step
from lifter.support.errors import LiftError
from lifter.toolchain.command import Command
from synth.options import Options

Listener = Callable[[Step | FileReport | FunctionReport], None]
"""Is told each step as it begins, the report of the file once it is read, and that of each function, again where it
changes."""


class UsageError(LiftError):
    """Something the caller asked for cannot be; the text says what and what to do."""


def lift_file(
    path: str,
    *,
    functions: Sequence[str] = (),
    out: str = "lifted",
    emit: Sequence[str] = ("dsl",),
    target: str = "host",
    autoscheduler: str = "",
    models: Sequence[str] = (),
    clang_args: Sequence[str] | Command = (),
    options: Options | None = None,
    unverified: bool = False,
    isolate: bool = True,
    run: bool = True,
    one_of_several: bool = False,
    selected: Callable[[Definition], bool] = lambda _: True,
    listener: Listener = lambda _: None,
    lifted: LiftedFile | None = None,
    dependence: bool = False,
) -> FileReport:
    """Lifts the functions defined in one file and writes the outputs asked for.

    Raises frontend.SourceError for a file that cannot be read or parsed, UsageError for unknown names (unless the
    file is `one_of_several`: they then stand in the report), kinds and output folders.
    What happens inside one function is in its report and stops no other.  With `run`, what is proved is run beside the
    compiled original; where the two differ it is `disagreed`, and the call is kept in the output folder.
    Without names in `functions` those that are visible outside the file are lifted, and of either only the `selected`
    ones.  With `lifted` the file is neither read nor lifted: that was done elsewhere.  With `dependence`, definitions
    say what text they depend on."""
    options = options or Options()
    _check_kinds(emit)
    if target != "host":
        _check_target(target)
    _check_autoscheduler(autoscheduler, target)
    directory = _output_folder(out)
    listener(Step("reading"))
    with Originals(path, clang_args) if run else contextlib.nullcontext() as originals:
        if lifted is None:
            meanwhile = _load_harness if run else _nothing
            lifted = read_file(
                path, functions=functions, clang_args=clang_args, models=models, options=options, isolate=isolate,
                with_text="summary" in emit, selected=selected, meanwhile=meanwhile, listener=listener,
                dependence=dependence,
            )
        report = lifted.report
        if report.missing and not one_of_several:
            close = ", ".join(sorted(lifted.known)) or "none"
            raise UsageError(f"no function '{report.missing[0]}' is defined in {path}; it defines: {close}")
        listener(report)
        judge = _judge(originals, path, clang_args, models, directory, listener) if originals is not None else None
        if originals is not None:
            originals.prepare(lifted.lowered)
        output = Output(path, directory, emit, target, clang_args, autoscheduler)
        try:
            _write_all(lifted.functions, report, unverified, output, judge, listener)
        except OutputError as problem:
            raise UsageError(str(problem)) from None
    return report


def _check_kinds(emit: Sequence[str]) -> None:
    unknown = [k for k in emit if k not in EMIT_KINDS]
    if unknown:
        raise UsageError(f"unknown output kind '{unknown[0]}'; the kinds are {', '.join(EMIT_KINDS)}")


@dataclass(slots=True)
class LiftedFile:
    """A file that is read, and whose functions are lifted as they are taken; nothing is run or written yet."""

    report: FileReport
    """Without its functions."""
    functions: Iterable[FunctionReport]
    lowered: Sequence[Function] = ()
    """Those that the loop language can express."""
    known: frozenset[str] = frozenset()
    """The names of all."""


def read_file(
    path: str, *, functions: Sequence[str], clang_args: Sequence[str] | Command, models: Sequence[str],
    options: Options, isolate: bool, with_text: bool, selected: Callable[[Definition], bool],
    meanwhile: Callable[[], None], listener: Listener, dependence: bool = False,
) -> LiftedFile:
    """The first half of `lift_file`; `meanwhile` is done while other processes lift.  Raises SourceError."""
    parsed = parse_file(
        path, clang_args, models, timeout=options.timeout,
        wanted=lambda d, internal: (d.name in functions if functions else not internal) and selected(d),
        reading=lambda d: listener(Step("reading", d)), dependence=dependence,
    )

    def lifted() -> Iterator[FunctionReport]:
        for f, definition, seconds in zip(parsed.functions, parsed.definitions, parsed.seconds, strict=True):
            listener(Step("lifting", definition))
            yield report_of(f, definition, options, isolate, with_text, seconds, meanwhile)

    known = frozenset({f.name for f in parsed.functions} | set(parsed.others))
    report = FileReport(path, missing=[n for n in functions if n not in known], text=_text(parsed))
    return LiftedFile(report, lifted(), [f for f in parsed.functions if isinstance(f, Function)], known)


def _write_all(
    functions: Iterable[FunctionReport], report: FileReport, unverified: bool, output: Output, judge: Judge | None,
    listener: Listener,
) -> None:
    """Judges and writes one function after the other; at the end what is made of all of them."""
    together: list[FunctionReport] = []
    for done in functions:
        report.functions.append(done)
        if judge is not None and done.status == VERIFIED and not output.judged_compiled:
            judge(done, None, False)
        if not _is_written(done, unverified):
            listener(done)
        elif output.of_all:
            together.append(done)
            listener(done)  # it may yet change
        else:
            listener(Step("writing", done.definition))
            output.write([done], judge)
            listener(done)
    if together:
        listener(Step("writing"))
        output.write(together, judge)
    for done in together:
        listener(done)


def _is_written(report: FunctionReport, unverified: bool) -> bool:
    if report.lifted is None or report.lifted.summary is None:
        return False
    return report.status == VERIFIED or (unverified and report.status not in ("disagreed", "error"))


def _text(parsed: ParsedFile) -> str:
    why = f"the project's compiler '{parsed.missing}' is not here" if parsed.missing else "no compiler for it is here"
    return parsed.text or f"libclang ({why})"


def _nothing() -> None:
    """There is nothing to do meanwhile."""


def _load_harness() -> None:
    """Loads the compiler and what runs functions, while another process lifts."""
    importlib.import_module("lifter.harness.second_opinion")


def _judge(
    originals: Originals, source: str, clang_args: Sequence[str] | Command, models: Sequence[str], out: Path,
    listener: Listener,
) -> Judge:
    """What gives a verified function its second opinion, and keeps the call on which it is another one."""

    def judge(report: FunctionReport, library: Path | None, drop_in: bool) -> None:
        from lifter.harness.kept_case import keep
        from lifter.harness.second_opinion import HarnessError, second_opinion

        if report.status != VERIFIED:  # which the user asked for
            return
        listener(Step("running", report.definition))
        assert report.lifted is not None and report.lifted.summary is not None
        try:
            report.run = second_opinion(report.lifted.summary, originals, report.processor, library, drop_in)
        except HarnessError as problem:
            if os.environ.get("LIFT_DEBUG"):
                raise
            last = str(problem).strip().splitlines()[-1]
            report.status, report.reason = "error", f"internal error while running it beside its original: {last}"
            return
        if report.run.kept is not None:
            kept = keep(report.run.kept, report.lifted.function, source, clang_args, models, out)
            report.status = "disagreed"
            report.reason = f"proved, but beside the compiled original {report.run.reason}; the call is kept in {kept}"

    return judge


def _check_target(target: str) -> None:
    from halide_core.errors import HalideError
    from halide_core.target import Target

    try:
        Target(target).check_compiled()
    except HalideError as problem:
        raise UsageError(problem.text) from None


def _check_autoscheduler(name: str, target: str) -> None:
    if not name:
        return
    from codegen.autoschedule import NAMES

    if name not in NAMES:
        raise UsageError(f"unknown autoscheduler '{name}'; there are {', '.join(NAMES)}")
    if name == "AutoGPU" and "cuda" not in target.split("-"):
        raise UsageError("the autoscheduler AutoGPU schedules for a device; choose one by --target host-cuda")


def _output_folder(out: str) -> Path:
    """The folder, which is made when something is written to it."""
    directory = Path(out).absolute()
    there = next(d for d in (directory, *directory.parents) if d.exists() or d.is_symlink())
    code = 0 if os.access(there, os.W_OK | os.X_OK) else errno.EACCES
    if not there.is_dir():
        code = errno.ENOTDIR
    if code:
        text = f"cannot write to the output folder '{out}': {os.strerror(code)}; choose another with -o"
        raise UsageError(text)
    return Path(out)


def defined_nowhere(reports: Sequence[FileReport]) -> UsageError | None:
    """The error of a name that none of several files defines."""
    for n in reports[0].missing if reports else ():
        if all(n in r.missing for r in reports):
            return UsageError(f"no function '{n}' is defined in {', '.join(r.file for r in reports)}")
    return None


__all__ = [
    "EMIT_KINDS", "FileReport", "FunctionReport", "LiftError", "LiftedFile", "SourceError", "Step", "UsageError",
    "defined_nowhere", "lift_file", "read_file",
]
