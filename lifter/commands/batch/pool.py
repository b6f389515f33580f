"""Several files lifted at a time, until all are done or somebody wants it to end."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from lifter.commands.batch import kept
from lifter.commands.batch.plan import Job
from lifter.commands.file_task import FileTask, Lift, Request, lift
from lifter.frontend import Definition
from lifter.running.results import FileReport
from lifter.support.errors import LiftError
from lifter.support.limited import Tell
from lifter.toolchain.command import Command
from lifter.toolchain.facts import elsewhere

_STEP = 0.1
"""Seconds between two looks at signals and limits."""


class Pool:
    """Files in processes of their own, `width` at a time."""

    def __init__(self, jobs: Sequence[Job], request: Callable[[Job], Request], width: int, force: bool) -> None:
        order = sorted(jobs, key=_size, reverse=True)  # the longest last would keep one process alone
        self._unknown = deque(() if force else order)
        """Of which it is not known yet whether they have changed."""
        self._waiting = deque(order if force else ())
        self._request, self._width, self._force = request, width, force
        self._running: dict[FileTask, Job] = {}
        self._exists = functools.cache(os.path.exists)  # many files look for the same headers
        self.signal = 0
        """What has ended it before its end; 0 for nothing."""

    @property
    def running(self) -> list[Job]:
        """What is being lifted."""
        return list(self._running.values())

    def run(self, tick: Callable[[], None]) -> Iterator[tuple[Job, FileReport]]:
        """Each file's report once it is done; `tick` is called every now and then."""
        with self._signals():
            while (self._unknown or self._waiting or self._running) and not self.signal:
                yield from self._unchanged()
                while self._waiting and len(self._running) < self._width:
                    self._start(self._waiting.popleft(), lift_unless_kept(self._force))
                if self._running:
                    self._wait()
                tick()
                for task in [t for t in self._running if t.ended]:
                    yield self._done(task)
            for task in list(self._running):
                task.interrupt()
                yield self._done(task)

    def not_begun(self) -> list[Job]:
        """What was left when it ended."""
        return sorted([*self._unknown, *self._waiting], key=lambda j: j.name)

    def _unchanged(self) -> Iterator[tuple[Job, FileReport]]:
        """Files of whose results it is known at once that they would come out the same, until enough others wait, and
        for a moment only while others are lifted."""
        end = time.perf_counter() + _STEP
        while self._unknown and len(self._waiting) < self._width and not self.signal:
            job = self._unknown.popleft()
            found = None
            with contextlib.suppress(OSError, RuntimeError, subprocess.SubprocessError):  # said where the file is read
                found = kept.load_unchanged(self._request(job), self._exists)
            if found is None:
                self._waiting.append(job)
            else:
                yield job, found
            if self._running and time.perf_counter() > end:
                return

    def _start(self, job: Job, how: Lift) -> FileTask:
        """Begins a file, after the compiler was asked what it answers alike for all files with its flags: their
        processes inherit that."""
        with contextlib.suppress(OSError, RuntimeError, subprocess.SubprocessError):  # said where the file is read
            job.command.float_rules()
        task = FileTask(self._request(job), lift=how)
        self._running[task] = job
        return task

    def _wait(self) -> None:
        with selectors.DefaultSelector() as selector:
            for task in self._running:
                selector.register(task, selectors.EVENT_READ, task)
            for key, _ in selector.select(_STEP):
                key.data.take()
        for task in self._running:
            task.check_time()

    def _done(self, task: FileTask) -> tuple[Job, FileReport]:
        job = self._running.pop(task)
        report = task.report
        if not report.kept:
            with contextlib.suppress(OSError):  # a full disk: it will be lifted again
                kept.store(report.digest, report, job.out)
                kept.store_functions(report.digest_of_functions, report, job.out)
        return job, report

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """One signal ends it soon, in order; another one at once."""
        before = {n: signal.signal(n, self._caught) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _caught(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            for task in list(self._running):
                task.interrupt()
            os._exit(128 + number)
        self.signal = number


def _size(job: Job) -> int:
    try:
        return os.path.getsize(job.path)
    except OSError:
        return 0


def lift_unless_kept(force: bool) -> Lift:
    """Takes what is kept of an earlier run, or lifts the file; with `force` it is lifted in any case."""

    def work(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> None:
        digests, read = kept.digests(request)
        found = None if force else kept.load(digests.file, request.out)
        if found is not None:
            _tell_kept(found, tell)
            return

        def is_new(d: Definition) -> bool:
            known = kept.load_function(digests.functions, d, request.out) if wanted(d) and not force else None
            if known is not None:
                tell(known)
            return wanted(d) and known is None

        tell(FileReport(request.path, digest=digests.file, digest_of_functions=digests.functions))
        lift(read, is_new, tell, bool(digests.functions))

    return work


def prepare(force: bool) -> Lift:
    """Takes what is kept of an earlier run, or tells in bytes what another machine needs to lift the file."""

    def work(request: Request, wanted: Callable[[Definition], bool], tell: Tell) -> None:
        digests, read = kept.digests(request)
        found = None if force else kept.load(digests.file, request.out)
        if found is not None:
            _tell_kept(found, tell)
        elif digests.file:
            tell(FileReport(request.path, digest=digests.file))
            assert isinstance(read.given, Command)
            tell(pickle.dumps((kept.tool(), replace(read, given=elsewhere(read.given)))))

    return work


def _tell_kept(found: FileReport, tell: Tell) -> None:
    tell(FileReport(found.file, missing=found.missing, text=found.text, kept=True))
    if found.status:
        raise LiftError(found.reason)
    for f in (*found.functions, *found.loops):
        tell(f)
    if found.outlined:
        tell(FileReport(found.file, outlined=found.outlined))
