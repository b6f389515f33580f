"""The Python API of `lift`: what the command line does, as functions (DESIGN section 5).

    from lifter.api import lift_file
    report = lift_file("legacy.cpp", out="lifted", emit=("dsl", "shared"))
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from codegen.differs import differences
from codegen.emit import EMIT_KINDS, emit_file
from codegen.errors import EmitError
from codegen.notation import StageText, stage_texts
from lifter.frontend import FunctionError, SourceError, parse_file
from lifter.loops import Function
from synth.lift import Lifted, lift_function, out_of_time
from synth.options import Options

Progress = Callable[[str, str], None]
MEMORY_LIMIT = 6 << 30


class UsageError(Exception):
    """Something the caller asked for cannot be; the text says what and what to do."""


@dataclass(slots=True)
class FunctionReport:
    """The outcome for one function, as `--json` prints it."""

    name: str
    status: str
    reason: str = ""
    line: int = 0
    seconds: float = 0.0
    stage_seconds: dict[str, float] = field(default_factory=dict)
    stages: list[StageText] = field(default_factory=list)
    contract: list[str] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    halide_differs: list[str] = field(default_factory=list)
    """What the emitted text computes otherwise under the package `halide`, a phrase each."""
    lifted: Lifted | None = None

    def as_json(self) -> dict[str, Any]:
        """The object of DESIGN section 5."""
        return {
            "name": self.name,
            "status": self.status,
            "reason": self.reason,
            "line": self.line,
            "seconds": round(self.seconds, 4),
            "stages": [
                {"name": s.name, "roi": s.roi, "terms": s.terms, "left": s.left, "expression": s.expression}
                for s in self.stages
            ],
            "contract": self.contract,
            "outputs": self.outputs,
            "halide_differs": self.halide_differs,
        }


@dataclass(slots=True)
class FileReport:
    """The outcome for one file."""

    file: str
    functions: list[FunctionReport] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Names asked for that another of several files may define."""

    @property
    def verified(self) -> bool:
        """Whether every selected function is verified."""
        return all(f.status == "verified" for f in self.functions)

    def as_json(self) -> dict[str, Any]:
        """The object of DESIGN section 5."""
        return {"file": self.file, "functions": [f.as_json() for f in self.functions]}


def lift_file(
    path: str,
    *,
    functions: Sequence[str] = (),
    out: str = "lifted",
    emit: Sequence[str] = ("dsl",),
    target: str = "host",
    autoscheduler: str = "",
    models: Sequence[str] = (),
    clang_args: Sequence[str] = (),
    options: Options | None = None,
    unverified: bool = False,
    isolate: bool = True,
    one_of_several: bool = False,
    progress: Progress | None = None,
) -> FileReport:
    """Lifts the functions defined in one file and writes the outputs asked for.

    Raises frontend.SourceError for a file that cannot be read or parsed, UsageError for unknown names (unless the
    file is `one_of_several`: they then stand in the report), kinds and output folders.
    What happens inside one function is in its report and stops no other."""
    options = options or Options()
    unknown = [k for k in emit if k not in EMIT_KINDS]
    if unknown:
        raise UsageError(f"unknown output kind '{unknown[0]}'; the kinds are {', '.join(EMIT_KINDS)}")
    if target != "host":
        _check_target(target)
    _check_autoscheduler(autoscheduler)
    directory = _output_folder(out)
    parsed = parse_file(
        path, clang_args, models, timeout=options.timeout,
        wanted=lambda name, internal: name in functions if functions else not internal,
    )
    known = {f.name for f in parsed.functions} | set(parsed.others)
    report = FileReport(path, missing=[n for n in functions if n not in known])
    if report.missing and not one_of_several:
        close = ", ".join(sorted(known)) or "none"
        raise UsageError(f"no function '{report.missing[0]}' is defined in {path}; it defines: {close}")
    for f, seconds in zip(parsed.functions, parsed.seconds, strict=True):
        if progress is not None:
            progress(f.name, "lifting")
        report.functions.append(_one(f, options, isolate, "summary" in emit, seconds))
    if progress is not None:
        progress("", "writing")
    emitted = [
        r for r in report.functions
        if r.lifted is not None and r.lifted.summary is not None and (r.status == "verified" or unverified)
    ]
    _emit(path, emitted, directory, emit, target, clang_args, autoscheduler)
    return report


def _emit(
    path: str, reports: list[FunctionReport], directory: Path, kinds: Sequence[str], target: str,
    clang_args: Sequence[str], autoscheduler: str,
) -> None:
    """Writes the outputs.  A function that makes a code generator fail gets the status `error` and stops no other."""

    def write(some: list[FunctionReport]) -> None:
        lifted = [r.lifted for r in some if r.lifted is not None]
        for r in some:
            if r.lifted is not None and r.lifted.summary is not None:
                r.halide_differs = differences(r.lifted.summary)
        emit_file(path, lifted, directory, kinds, target, clang_args, [r.outputs for r in some], autoscheduler)

    try:
        write(reports)
        return
    except EmitError as problem:
        raise UsageError(str(problem)) from None
    except Exception:  # a defect of a code generator
        if os.environ.get("LIFT_DEBUG"):
            raise
    good = []
    for r in reports:
        try:
            write([r])
            good.append(r)
        except Exception as problem:
            r.outputs.clear()
            r.status, r.reason = "error", f"internal error while writing it: {type(problem).__name__}: {problem}"
    if good:
        write(good)


def _check_target(target: str) -> None:
    from halide_core.errors import HalideError
    from halide_core.target import Target

    try:
        Target(target)
    except HalideError as problem:
        raise UsageError(str(problem)) from None


def _check_autoscheduler(name: str) -> None:
    if not name:
        return
    from codegen.autoschedule import NAMES

    if name not in NAMES:
        raise UsageError(f"unknown autoscheduler '{name}'; there are {', '.join(NAMES)}")


def _output_folder(out: str) -> Path:
    directory = Path(out)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".lift-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as problem:
        text = f"cannot write to the output folder '{out}': {problem.strerror}; choose another with -o"
        raise UsageError(text) from None
    return directory


def defined_nowhere(reports: Sequence[FileReport]) -> UsageError | None:
    """The error of a name that none of several files defines."""
    for n in reports[0].missing if reports else ():
        if all(n in r.missing for r in reports):
            return UsageError(f"no function '{n}' is defined in {', '.join(r.file for r in reports)}")
    return None


def _one(
    f: Function | FunctionError, options: Options, isolate: bool, with_text: bool, reading: float
) -> FunctionReport:
    """`reading`: the seconds that the function took of its time already."""
    if isinstance(f, FunctionError):
        reason = f.reason.construct + (f"; {f.reason.advice}" if f.reason.advice else "")
        return FunctionReport(f.name, f.status, reason, f.reason.line or f.line, reading)
    start = time.perf_counter() - reading
    left = replace(options, timeout=max(options.timeout - reading, 0.0))
    lifted = _isolated(f, left, with_text) if isolate else lift_function(f, left)
    if lifted.status == "timeout":
        lifted.reason = out_of_time(lifted.stage, options.timeout)
    report = FunctionReport(f.name, lifted.status, lifted.reason, lifted.line or f.line, lifted=lifted)
    report.seconds = time.perf_counter() - start
    report.stage_seconds = {k: v for k, v in lifted.seconds.items() if k != "total"}
    report.notes = list(f.notes)
    if lifted.summary is not None:
        for p in lifted.summary.paths:
            report.stages += stage_texts(p)
            report.contract += [i.text for i in p.contract if i.text not in report.contract]
            report.inferred += [i.text for i in p.contract if i.inferred and i.text not in report.inferred]
    return report


def _isolated(f: Function, options: Options, with_text: bool) -> Lifted:
    """Lifts in a child process, under its time and memory limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(f, options, with_text, sender), daemon=True)
    child.start()
    sender.close()
    end = time.perf_counter() + options.timeout + 2.0
    result: Lifted | None = None
    stage = ""
    with contextlib.suppress(EOFError):
        while result is None and receiver.poll(max(end - time.perf_counter(), 0.0)):
            said = receiver.recv()
            if isinstance(said, str):  # the stage that it has come to
                stage = said
            else:
                result = said
    if result is None:
        alive = child.is_alive()
        child.kill()
        child.join()
        if alive:
            return Lifted(f, "timeout", line=f.line, stage=stage)
        return Lifted(f, "error", f"the lifter ended with status {child.exitcode} (out of memory?)", f.line)
    child.join()
    return result


def _child(f: Function, options: Options, with_text: bool, sender: Connection) -> None:
    gc.freeze()  # collecting what the parent holds would copy it
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    try:
        lifted = lift_function(f, options, sender.send)
    except MemoryError:
        lifted = Lifted(f, "error", "out of memory", f.line)
    except Exception as problem:  # a defect of the lifter: said as such, never as a verdict on the function
        lifted = Lifted(f, "error", f"internal error: {type(problem).__name__}: {problem}", f.line)
        if os.environ.get("LIFT_DEBUG"):
            raise
    lifted.verdicts = [v.portable(with_text) for v in lifted.verdicts]
    sender.send(lifted)
    sender.close()


__all__ = [
    "EMIT_KINDS", "FileReport", "FunctionReport", "SourceError", "UsageError", "defined_nowhere", "lift_file",
]
