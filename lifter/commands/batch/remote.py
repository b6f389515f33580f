"""What a worker of a cluster does: it reads and lifts one file from what travels with it.

Neither the file nor its compiler need be there.  The work is done in a process of its own, which may fork: workers have
threads.  Running what is proved beside its original, and writing, stay with the machine that has both."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue

from lifter.api import FileReport, FunctionReport, LiftedFile, lift_file, read_file
from lifter.commands.batch import kept
from lifter.commands.file_task import FileTask, Request, lift_options
from lifter.frontend import Definition
from lifter.ir.loop_ir import Function
from lifter.running.results import Step
from lifter.support.limited import Tell, allow_depth, die_with_parent, words
from synth.trace import Trace


class RemoteError(Exception):
    """The process that lifted a file failed as a whole; the text has the last of what it said."""


class _Helper:
    """A process that lifts one file after the other; it has loaded all that it needs."""

    def __init__(self) -> None:
        self._here, there = Pipe()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lifter.commands.batch.remote", str(there.fileno())], pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL, stdout=self._said, stderr=self._said,
        )
        there.close()

    def lift(self, request: bytes) -> bytes:
        """What comes of a request.  Raises RemoteError where the process ends; it can be asked no more then."""
        self._said.truncate(0)
        try:
            self._here.send_bytes(request)
            return self._here.recv_bytes()
        except (EOFError, OSError):
            code = self._process.wait()
            self._said.seek(0)
            said = self._said.read().decode("utf-8", "replace").strip("\0 \n").splitlines()
            raise RemoteError(said[-1] if said else words(code)) from None
        except BaseException:
            self._process.kill()  # what it was asked is wanted no longer
            raise


_idle: SimpleQueue[_Helper] = SimpleQueue()
"""As many as this process has had threads that lift at once; they end with it."""


def lift_remotely(request: bytes) -> bytes:
    """A pickled pair of a file's status and its pickled FileReport, the functions with their summaries, for a pickled
    digest of the tool (`kept.tool`) and Request.  Raises RemoteError, also where this machine's tool is another one."""
    try:
        helper = _idle.get_nowait()
    except Empty:
        helper = _Helper()
    result = helper.lift(request)
    _idle.put(helper)
    return result


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
    """Answers requests, which come through the open file whose number is the argument, until it is closed.

    Each in a fork: what is emitted has its terms in an order that depends on what its process has seen before."""
    there: Connection = Connection(int(sys.argv[1]))
    os.set_inheritable(there.fileno(), False)
    this, parent = kept.tool(), os.getpid()
    allow_depth()
    while True:
        try:
            request = there.recv_bytes()
        except EOFError:
            return
        child = os.fork()
        if child == 0:
            die_with_parent(parent)
            os._exit(_answer(there, this, request))
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
            sys.exit(1)


def _answer(there: Connection, this: str, pickled: bytes) -> int:
    """Lifts, and sends the report; the exit status."""
    try:
        tool, request = pickle.loads(pickled)
        if tool != this:
            print("this worker has another version of lift, or of what it is built on", file=sys.stderr, flush=True)
            return 1
        task = FileTask(request, lift=_lift)
        while not task.ended:
            task.step_on()
            if there.poll():  # a next request comes after the answer only: nobody waits for this one
                task.interrupt()
                return 1
        there.send_bytes(pickle.dumps((task.report.status, pickle.dumps(task.report))))
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


if __name__ == "__main__":
    main()
