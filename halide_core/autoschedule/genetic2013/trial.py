"""Trials: candidates compiled, checked and timed in a child process, so that a crash or a hang of one loses nothing."""

from __future__ import annotations

import multiprocessing
import signal
import statistics
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from halide_core.autoschedule.bench import Bench
from halide_core.autoschedule.directives import Schedule
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.jit_code import Compiled
from halide_core.target import Target

# Rounds that a candidate and the incumbent run in turn, and seconds after which there is no further one.
_ROUNDS, _SECONDS = 15, 0.4
# A candidate that takes this many times as long is not timed any further.
_HOPELESS = 1.6
IMAGES = 2
# Seconds that each candidate gets, and how many times as long as the longest that ran.
_FEWEST, _TIMES = 5.0, 4.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate.

    `kind`: "timed", "invalid" (refused), "wrong" (other results), "crashed" or "late"; `ratio`: its time over the
    incumbent's, the median of rounds run in turn; `seconds`: its own, the least seen."""

    kind: str
    reason: str = ""
    ratio: float = 0.0
    seconds: float = 0.0


class Trials:
    """Tries schedules of one pipeline, in one child process after the other.

    `limit`: most seconds for one candidate; one gets several times as many as those that ran needed.  Use as a context
    manager."""

    def __init__(self, outputs: list[Function], target: Target, limit: float, seed: int = 0) -> None:
        self.outputs, self.target, self.limit, self.seed = outputs, target, limit, seed
        self._longest = 0.0
        self._process: Any = None
        self._pipe: Connection | None = None

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def reference(self, plain: Schedule) -> None:
        """`plain` computes what all candidates must compute.  Raises HalideError where it does not run."""
        self.plain = plain
        found = self.of(plain, plain)
        if found.kind != "timed":
            raise HalideError(f"Genetic2013: the plain schedule of the pipeline is {found.kind}: {found.reason}")

    def of(self, candidate: Schedule, incumbent: Schedule) -> Outcome:
        """Compiles, checks and times `candidate` against `incumbent`."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        start = time.perf_counter()
        limit = min(self.limit, _FEWEST + _TIMES * self._longest) if self._longest else self.limit
        try:
            self._pipe.send((candidate, incumbent))
            if not self._pipe.poll(limit):
                self._stop()
                return Outcome("late", f"not done within {limit:.3g} s")
            found: Outcome = self._pipe.recv()
        except (EOFError, ConnectionError):
            self._process.join(1.0)
            status = self._process.exitcode
            self._stop()
            return Outcome("crashed", f"the process ended with status {status}")
        if found.kind == "timed":
            self._longest = max(self._longest, time.perf_counter() - start)
        return found

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        # The child holds the parent's end too, until it closes it.
        self._process = context.Process(
            target=_serve, args=(theirs, self._pipe, self.outputs, self.target, self.plain, self.seed), daemon=True
        )
        self._process.start()
        theirs.close()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _serve(
    pipe: Connection, parent: Connection, outputs: list[Function], target: Target, plain: Schedule, seed: int
) -> None:
    """The child: answers until the pipe closes."""
    parent.close()
    # Who interrupts the search means the parent, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bench: Judge | None = None
    while True:
        try:
            candidate, incumbent = pipe.recv()
        except EOFError:
            return
        try:
            if bench is None:
                bench = Judge(outputs, target, plain, seed)
            answer = bench.trial(candidate, incumbent)
        except HalideError as problem:
            answer = Outcome("invalid", str(problem).splitlines()[0])
        pipe.send(answer)


class Judge(Bench):
    """Holds the results of schedules to those of a plain one, on several images, and their times to the incumbent's."""

    def __init__(self, outputs: list[Function], target: Target, plain: Schedule, seed: int) -> None:
        super().__init__(outputs, target, IMAGES, seed)
        code = self.compiled(plain)
        self.wanted = [[np.array(b) for b in self.run(code, given)] for given in self.inputs]

    def trial(self, candidate: Schedule, incumbent: Schedule) -> Outcome:
        """Results first, then times in turn with the incumbent's."""
        theirs, mine = self.compiled(incumbent), self.compiled(candidate)
        for number, (given, wanted) in enumerate(zip(self.inputs, self.wanted, strict=True)):
            for b in self.results:
                np.asarray(b)[...] = 0
            for found, expected in zip(self.run(mine, given), wanted, strict=True):
                if not np.array_equal(np.array(found), expected, equal_nan=expected.dtype.kind == "f"):
                    return Outcome("wrong", f"other results on image {number}")
        ratios: list[float] = []
        own: list[float] = []
        stop = time.perf_counter() + _SECONDS
        while len(ratios) < _ROUNDS and (len(ratios) < 3 or time.perf_counter() < stop):
            other = self._timed(theirs)
            own.append(self._timed(mine))
            ratios.append(own[-1] / other)
            if len(ratios) >= 3 and min(ratios) > _HOPELESS:
                break
        return Outcome("timed", "", statistics.median(ratios), min(own))

    def _timed(self, code: Compiled) -> float:
        start = time.perf_counter()
        self.run(code, self.inputs[0])
        return time.perf_counter() - start
