"""The Python API of `lift`: what the command line does, as functions (DESIGN section 5).

    from lifter.api import lift_file
    report = lift_file("legacy.cpp", out="lifted", emit=("dsl", "shared"))
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codegen.emit import EMIT_KINDS
from codegen.notation import StageText, stage_texts
from lifter.frontend import FunctionError, ParsedFile, SourceError, parse_file
from lifter.harness.originals import Originals
from lifter.loops import Function
from lifter.output import Output, OutputError
from lifter.toolchain.command import Command
from synth.lift import Lifted, lift_function, out_of_time
from synth.options import Options

if TYPE_CHECKING:
    from lifter.harness.second_opinion import Opinion

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
    run: Opinion | None = None
    """What running it beside its original said; None where nobody asked, or nothing is proved."""
    halide_differs: list[str] = field(default_factory=list)
    """What the emitted text computes otherwise under the package `halide`, a phrase each."""
    lifted: Lifted | None = None
    processor: float = 0.0
    """Seconds of processor time that lifting it took, on a busy machine less than `seconds`."""

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
            "run": self.run.as_json() if self.run is not None else None,
            "halide_differs": self.halide_differs,
        }


@dataclass(slots=True)
class FileReport:
    """The outcome for one file."""

    file: str
    functions: list[FunctionReport] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Names asked for that another of several files may define."""
    text: str = ""
    """Whose preprocessed text was read: "c++ (GCC 12.2.0)", or "libclang" and why."""

    @property
    def verified(self) -> bool:
        """Whether every selected function is verified."""
        return all(f.status == "verified" for f in self.functions)

    def as_json(self) -> dict[str, Any]:
        """The object of DESIGN section 5."""
        return {"file": self.file, "text": self.text, "functions": [f.as_json() for f in self.functions]}


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
    progress: Progress | None = None,
) -> FileReport:
    """Lifts the functions defined in one file and writes the outputs asked for.

    Raises frontend.SourceError for a file that cannot be read or parsed, UsageError for unknown names (unless the
    file is `one_of_several`: they then stand in the report), kinds and output folders.
    What happens inside one function is in its report and stops no other.  With `run`, what is proved is run beside the
    compiled original; where the two differ it is `disagreed`, and the call is kept in the output folder."""
    options = options or Options()
    unknown = [k for k in emit if k not in EMIT_KINDS]
    if unknown:
        raise UsageError(f"unknown output kind '{unknown[0]}'; the kinds are {', '.join(EMIT_KINDS)}")
    if target != "host":
        _check_target(target)
    _check_autoscheduler(autoscheduler)
    directory = _output_folder(out)
    with Originals(path, clang_args) if run else contextlib.nullcontext() as originals:
        parsed = parse_file(
            path, clang_args, models, timeout=options.timeout,
            wanted=lambda name, internal: name in functions if functions else not internal,
        )
        known = {f.name for f in parsed.functions} | set(parsed.others)
        report = FileReport(path, missing=[n for n in functions if n not in known], text=_text(parsed))
        if report.missing and not one_of_several:
            close = ", ".join(sorted(known)) or "none"
            raise UsageError(f"no function '{report.missing[0]}' is defined in {path}; it defines: {close}")
        judge = _judge(originals, path, clang_args, models, directory) if originals is not None else None
        compiled = target == "host" and bool({"shared", "object"} & set(emit))
        if originals is not None:
            originals.prepare([f for f in parsed.functions if isinstance(f, Function)])
        for f, seconds in zip(parsed.functions, parsed.seconds, strict=True):
            if progress is not None:
                progress(f.name, "lifting")
            done = _one(f, options, isolate, "summary" in emit, seconds, _load_harness if run else _nothing)
            report.functions.append(done)
            if judge is not None and done.status == "verified" and not compiled:
                judge(done, None, False)
        if progress is not None:
            progress("", "writing")
        emitted = [
            r for r in report.functions if r.lifted is not None and r.lifted.summary is not None
            and (r.status == "verified" or (unverified and r.status not in ("disagreed", "error")))
        ]
        try:
            Output(path, directory, emit, target, clang_args, autoscheduler).write(emitted, judge)
        except OutputError as problem:
            raise UsageError(str(problem)) from None
    return report


def _text(parsed: ParsedFile) -> str:
    why = f"the project's compiler '{parsed.missing}' is not here" if parsed.missing else "no compiler for it is here"
    return parsed.text or f"libclang ({why})"


def _nothing() -> None:
    """There is nothing to do meanwhile."""


def _load_harness() -> None:
    """Loads the compiler and what runs functions, while another process lifts."""
    importlib.import_module("lifter.harness.second_opinion")


def _judge(
    originals: Originals, source: str, clang_args: Sequence[str] | Command, models: Sequence[str], out: Path
) -> Callable[[FunctionReport, Path | None, bool], None]:
    """What gives a verified function its second opinion, and keeps the call on which it is another one."""

    def judge(report: FunctionReport, library: Path | None, drop_in: bool) -> None:
        from lifter.harness.kept_case import keep
        from lifter.harness.second_opinion import HarnessError, second_opinion

        if report.status != "verified":  # which the user asked for
            return
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
    f: Function | FunctionError, options: Options, isolate: bool, with_text: bool, reading: float,
    meanwhile: Callable[[], None],
) -> FunctionReport:
    """`reading`: the seconds that the function took of its time already; `meanwhile`: what to do while another process
    lifts it."""
    if isinstance(f, FunctionError):
        reason = f.reason.construct + (f"; {f.reason.advice}" if f.reason.advice else "")
        return FunctionReport(f.name, f.status, reason, f.reason.line or f.line, reading)
    start, used = time.perf_counter() - reading, _processor_time()
    left = replace(options, timeout=max(options.timeout - reading, 0.0))
    lifted = _isolated(f, left, with_text, meanwhile) if isolate else lift_function(f, left)
    if lifted.status == "timeout":
        lifted.reason = out_of_time(lifted.stage, options.timeout)
    report = FunctionReport(f.name, lifted.status, lifted.reason, lifted.line or f.line, lifted=lifted)
    report.seconds = time.perf_counter() - start
    report.processor = min(_processor_time() - used + reading, report.seconds)
    report.stage_seconds = {k: v for k, v in lifted.seconds.items() if k != "total"}
    report.notes = list(f.notes)
    if lifted.summary is not None:
        for p in lifted.summary.paths:
            report.stages += stage_texts(p)
            report.contract += [i.text for i in p.contract if i.text not in report.contract]
            report.inferred += [i.text for i in p.contract if i.inferred and i.text not in report.inferred]
    return report


def _processor_time() -> float:
    """Of this process and of those that it has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def _isolated(f: Function, options: Options, with_text: bool, meanwhile: Callable[[], None]) -> Lifted:
    """Lifts in a child process, under its time and memory limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(f, options, with_text, sender), daemon=True)
    child.start()
    sender.close()
    end = time.perf_counter() + options.timeout + 2.0
    meanwhile()
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
