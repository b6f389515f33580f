"""What a worker of a cluster does: it reads and lifts one file from what travels with it.

Neither the file nor its compiler need be there.  The work is done in a process of its own, which may fork: workers have
threads.  Running what is proved beside its original, and writing, stay with the machine that has both."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

from lifter.api import FileReport, FunctionReport, LiftedFile, lift_file, read_file
from lifter.batch import kept
from lifter.file_task import FileTask, Request, lift_options
from lifter.frontend import Definition
from lifter.limited import Tell, allow_depth
from lifter.loops import Function
from lifter.results import Step
from synth.trace import Trace


class RemoteError(Exception):
    """The process that lifted a file failed as a whole; the text has the last of what it said."""


def lift_remotely(request: bytes) -> bytes:
    """A pickled FileReport, its functions with their summaries, for a pickled digest of the tool (`kept.tool`) and
    Request.  Raises RemoteError, also where this machine's tool is another one."""
    done = subprocess.run(
        [sys.executable, "-m", "lifter.batch.remote"], input=request, capture_output=True, check=False
    )
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RemoteError(said[-1] if said else f"status {done.returncode}")
    return done.stdout


def _lift(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> None:
    """Reads and lifts; what is told keeps its summaries."""
    read = read_file(
        request.path, functions=request.functions, clang_args=request.given, models=(), options=request.options,
        isolate=True, with_text="summary" in request.emit, selected=lambda d: request.selected(d) and wanted(d),
        meanwhile=lambda: None, listener=lambda said: tell(said) if isinstance(said, Step) else None,
    )
    tell(read.report)
    for f in read.functions:
        if f.lifted is not None:
            f.lifted = replace(f.lifted, paths=[], trace=Trace())
        tell(f)


def finish(result: bytes) -> Callable[[Request, Callable[[Definition], bool], Tell], None]:
    """What runs and writes, in a process here, what was lifted elsewhere."""

    def work(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> None:
        report: FileReport = pickle.loads(result)
        functions: list[FunctionReport] = [f for f in report.functions if f.definition is None or wanted(f.definition)]
        lowered: list[Function] = [f.lifted.function for f in functions if f.lifted is not None]
        header = FileReport(report.file, missing=report.missing, text=report.text)
        lift_file(
            request.path, lifted=LiftedFile(header, functions, lowered), **lift_options(request, wanted, tell)
        )

    return work


def main() -> None:
    """Reads a request from standard input, and writes the report to standard output."""
    out = os.dup(1)
    os.dup2(2, 1)  # nothing else gets into it
    allow_depth()
    tool, request = pickle.load(sys.stdin.buffer)
    if tool != kept.tool():
        sys.exit("this worker has another version of lift, or of what it is built on")
    task = FileTask(request, lift=_lift)
    while not task.ended:
        task.step_on()
    with open(out, "wb") as f:
        pickle.dump(task.report, f)


if __name__ == "__main__":
    main()
