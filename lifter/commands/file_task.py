"""One file lifted in processes of its own: what crashes, hangs or takes all memory costs one function."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lifter.api import LiftError, lift_file
from lifter.commands.loops import Listener, asked, lift_loops
from lifter.frontend import Definition
from lifter.outline.fragments import function_of
from lifter.running.output import OF_ALL
from lifter.running.results import VERIFIED, FileReport, FunctionReport, Step
from lifter.support.limited import LimitedProcess, Tell
from lifter.toolchain.command import Command
from synth.options import Options

MEMORY = 6 << 30
"""Bytes of address space for a file, its compiler included."""
READING = 10.0
"""Seconds to read a file in any case."""
WRITING = 600.0
"""Seconds to compile what is written for a file."""
_STEP = 0.1
"""Seconds between two looks at the limits."""
_GRACE = 5.0
"""Seconds over a limit that the process keeps itself."""
_MOST_STARTS = 12
_DEBUG = "set LIFT_DEBUG=1 to see where"
_RAISE = "raise it with --timeout"
_PASSIVE = {"reading": "read", "lifting": "lifted", "running": "run", "writing": "written"}
_DONE = {"reading": "read", "lifting": "lifted", "running": "ran", "writing": "wrote"}


@dataclass(frozen=True, slots=True)
class Every:
    """Selects every function."""

    def __call__(self, definition: Definition) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of one file: the arguments of `lift_file`."""

    path: str
    given: Command | tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    out: str = "lifted"
    emit: tuple[str, ...] = ("dsl",)
    target: str = "host"
    autoscheduler: str = ""
    models: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    unverified: bool = False
    run: bool = True
    one_of_several: bool = False
    loops: bool = False
    """Whether loops of functions that cannot be lifted whole are lifted."""
    selected: Callable[[Definition], bool] = Every()


Lift = Callable[[Request, Callable[[Definition], bool], Tell], None]
"""Lifts what is wanted of a file, and tells Steps, a FileReport and FunctionReports."""


def lift(request: Request, wanted: Callable[[Definition], bool], tell: Tell, dependence: bool = False) -> None:
    """Lifts functions of a file in this process; with `dependence`, definitions say what text they depend on."""
    lift_file(request.path, **lift_options(request, wanted, tell), dependence=dependence)


def lift_options(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> dict[str, Any]:
    """The arguments of `lift_file` for a request, of which only what is `wanted` is lifted."""

    def listener(said: Step | FileReport | FunctionReport) -> None:
        if isinstance(said, FunctionReport):
            tell(said.plain())
        elif isinstance(said, FileReport):
            tell(FileReport(said.file, missing=said.missing, text=said.text))
        else:
            tell(said)

    return {
        "functions": request.functions, "out": request.out, "emit": request.emit, "target": request.target,
        "autoscheduler": request.autoscheduler, "models": request.models, "clang_args": request.given,
        "options": request.options, "unverified": request.unverified, "run": request.run,
        "one_of_several": request.one_of_several, "selected": lambda d: request.selected(d) and wanted(d),
        "listener": listener,
    }


def _lift_loops(request: Request, report: FileReport, tell: Tell) -> None:
    """Lifts loops of the functions that a report says are not lifted, but for those that it has already."""

    def lift_some(
        path: str, command: Command, names: Sequence[str], emit: Sequence[str], listener: Listener
    ) -> None:
        own = replace(
            request, path=path, given=command, functions=tuple(names), emit=tuple(emit), one_of_several=True,
            selected=Every(),
        )
        lift_file(path, **(lift_options(own, lambda d: d.name in names, tell) | {"listener": listener}))

    lift_loops(
        request.path, request.given, request.out, request.emit, report.functions, report.loops, tell, lift_some
    )


@dataclass(frozen=True, slots=True)
class _End:
    """The last message: the work is done, or cannot be."""

    error: LiftError | None = None
    failure: str = ""
    """A defect of the lifter."""


class FileTask:
    """A file that is being lifted.  Its owner waits until `fileno` can be read and calls `take`, and now and then
    `check_time`, until `ended`; `report` has what is known so far."""

    def __init__(self, request: Request, memory: int = MEMORY, lift: Lift = lift) -> None:
        self.request, self.report = request, FileReport(request.path)
        self.error: LiftError | None = None
        """What is wrong with the request or the file; the report then has no functions."""
        self.ended = False
        self.step = Step("reading")
        self.payload = b""
        """Bytes that the process told."""
        self._memory, self._lift, self._starts, self._written = memory, lift, 0, False
        self._of_all = bool(OF_ALL & set(request.emit))
        self._in_loops = False
        """Whether the functions are done, and loops of those that are not lifted are at hand."""
        self._unfinished: set[tuple[str, int]] = set()
        """Functions that are proved, and wait for what is compiled of all of them, and is run then."""
        self._start()

    def fileno(self) -> int:
        """The file to wait for."""
        return self._process.fileno()

    def take(self) -> None:
        """Takes what has come from the process."""
        try:
            while not self.ended and self._process.has_message():
                self._took(self._process.message())
        except EOFError:
            how = self._process.end()
            self._stopped("crashed", f"the process that {_DONE[self.step.doing]} it ended by {how or 'itself'}")

    def check_time(self) -> None:
        """Ends the process where it is at one thing for too long."""
        if not self.ended and time.perf_counter() > self._until:
            self._process.stop()
            self._stopped("timeout", f"it could not be {_PASSIVE[self.step.doing]} within {self._limit:g} s; {_RAISE}")

    def interrupt(self) -> None:
        """Ends all at once; the report keeps what is finished."""
        if not self.ended:
            self._process.stop()
            self.report.functions = [f for f in self.report.functions if f.key not in self._unfinished]
            what = self.step.function.name if self.step.function is not None else "the file"
            self._end("interrupted", f"interrupted while {self.step.doing} {what}")

    def wait(self, on_step: Callable[[Step], None] = lambda _: None) -> FileReport:
        """Waits for the end; raises what is wrong with the file or the request."""
        while not self.ended:
            self.step_on()
            on_step(self.step)
        if self.error is not None:
            raise self.error
        return self.report

    def step_on(self) -> None:
        """Waits a little, and takes what has come."""
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            selector.select(_STEP)
        self.take()
        self.check_time()

    def _start(self) -> None:
        self._starts += 1
        self._begin(Step("reading"))
        final = {
            f.key for f in self.report.functions
            # Some are compiled with the others.
            if self._in_loops or not (self._of_all and f.status in (VERIFIED, "disagreed"))
        }
        self.report.functions = [f for f in self.report.functions if f.key in final]
        self._unfinished.clear()
        self._written = False
        request, work, report, loops = self.request, self._lift, self.report, self._in_loops

        def run(tell: Tell) -> None:
            try:
                if loops:
                    _lift_loops(request, report, tell)
                else:
                    work(request, lambda d: (d.symbol, d.line) not in final, tell)
            except LiftError as problem:
                tell(_End(problem))
            except MemoryError:
                tell(_End(failure="it takes too much memory"))
            except Exception as problem:  # told as such, never as a verdict
                if os.environ.get("LIFT_DEBUG"):
                    raise
                tell(_End(failure=f"internal error: {type(problem).__name__}: {problem}; {_DEBUG}"))
            else:
                tell(_End())

        self._process = LimitedProcess(run, self._memory)

    def _begin(self, step: Step) -> None:
        self.step = step
        allowed = self.request.options.timeout
        self._limit = max(allowed, READING) if step == Step("reading") else allowed
        if step.doing == "writing":
            self._limit = max(allowed, WRITING)
        elif step.doing == "running":
            self._limit = max(allowed, WRITING / 10)  # it may wait for the compiler
        self._until = time.perf_counter() + self._limit + (_GRACE if step.function is not None else 0.0)

    def _took(self, said: object) -> None:
        if isinstance(said, Step):
            self._written |= said == Step("writing")
            self._begin(said)
        elif isinstance(said, FunctionReport):
            self._add(said)
        elif isinstance(said, bytes):
            self.payload = said
        elif isinstance(said, FileReport):
            if said.outlined:
                self.report.outlined = said.outlined
                return
            self.report.missing, self.report.text = said.missing, said.text
            self.report.digest, self.report.kept = said.digest or self.report.digest, said.kept
            self.report.digest_of_functions = said.digest_of_functions or self.report.digest_of_functions
        else:
            assert isinstance(said, _End)
            self._process.end()
            if said.failure:
                self._stopped("error", said.failure)
            elif said.error is not None:
                self.error = said.error
                self._end("unreadable", str(said.error))
            elif self.request.loops and not (self._in_loops or self.report.kept) and asked(self.report.functions):
                self._in_loops, self._starts = True, 0
                self._start()
            else:
                self._end("", "")

    def _add(self, report: FunctionReport) -> None:
        if report.part_of:
            self.report.loops = [*(f for f in self.report.loops if f.key != report.key), report]
            return
        self.report.functions = [*(f for f in self.report.functions if f.key != report.key), report]
        if self._of_all and report.status == VERIFIED and not self._written:
            self._unfinished.add(report.key)
        else:
            self._unfinished.discard(report.key)

    def _stopped(self, status: str, reason: str) -> None:
        """The process has ended before its work did: the function that it was at goes without, the others go on."""
        d = self.step.function
        if d is not None:
            of = function_of(d.name) if self._in_loops else ""
            self._add(FunctionReport(d.name, status, reason, d.line, definition=d, part_of=of))
        if d is None or self._starts >= _MOST_STARTS:
            for f in self.report.functions:
                if f.key in self._unfinished:
                    f.status, f.reason = status, reason
            self._end(status, reason if d is None else f"the {self._starts}th of its functions ends so: {reason}")
        else:
            self._start()

    def _end(self, status: str, reason: str) -> None:
        self.ended = True
        self.report.status, self.report.reason = status, reason
        for reports in (self.report.functions, self.report.loops):
            reports.sort(key=lambda f: (f.definition.line, f.definition.column) if f.definition else (0, 0))


__all__ = ["FileTask", "Lift", "Request", "lift", "lift_options"]
