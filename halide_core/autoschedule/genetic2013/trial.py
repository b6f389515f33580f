"""Trials: candidates compiled, checked and timed in child processes, so that a crash or a hang of one loses nothing."""

from __future__ import annotations

import contextlib
import functools
import gc
import multiprocessing
import random
import signal
import statistics
import tempfile
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.report.measure import Bench
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.jit_code import Compiled
from halide_core.jit_memory import release_memory
from halide_core.target import Target

# Rounds that a candidate and the incumbent run in turn, and seconds after which there is no further one.
_ROUNDS, _SECONDS = 60, 0.4
# A candidate that takes this many times as long is not timed any further; nor one that takes _FAR times as long once.
_HOPELESS, _FAR = 1.6, 4.0
IMAGES = 2
# Seconds that each candidate gets, and how many times as long as the longest that ran.
_FEWEST, _TIMES = 5.0, 4.0
# Times the limit that schedules get of which much is expected, on a machine that is busy.
_PATIENCE = 4.0
# Further times that a candidate must be seen to be faster.
_TIMES_AGAIN = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate.

    `kind`: "timed", "invalid" (refused), "wrong" (other results), "crashed" or "late"; "right": checked, not timed yet;
    `ratio`: its time over the incumbent's, of rounds that both run; `seconds`: its own, the least seen."""

    kind: str
    reason: str = ""
    ratio: float = 0.0
    seconds: float = 0.0


class Trials:
    """Tries schedules of one pipeline in child processes, one for each thread, which compile at the same time and run
    one after the other.

    `limit`: most seconds for one candidate; one gets several times as many as those that ran needed.  Use as a context
    manager."""

    def __init__(self, outputs: list[Function], target: Target, limit: float, seed: int = 0, workers: int = 1) -> None:
        self.limit = limit
        self._longest = 0.0
        self._folder = tempfile.TemporaryDirectory(prefix="genetic2013-")
        self._children = [_Child(outputs, target, seed) for _ in range(max(workers, 1))]

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.stop()
        self._folder.cleanup()

    @property
    def workers(self) -> int:
        """How many candidates compile at the same time."""
        return len(self._children)

    def reference(self, plain: list[Schedule]) -> Schedule:
        """The first of some plain schedules that is done in time; all candidates must compute what it computes.

        The last one gets several times as long.  Raises HalideError where none of them runs."""
        for number, schedule in enumerate(plain):
            kept = Path(tempfile.mkdtemp(dir=self._folder.name))
            for child in self._children:
                child.plain, child.kept = schedule, kept
            start = time.perf_counter()
            self._children[0].ask("reference", schedule, schedule)
            last = number == len(plain) - 1
            found = self._children[0].answer(self.limit * (_PATIENCE if last else 1), start)
            if found.kind == "right":
                return schedule
            if found.kind != "late":
                break
        raise HalideError(f"Genetic2013: the plain schedule of the pipeline is {found.kind}: {found.reason}")

    def of(self, candidate: Schedule, incumbent: Schedule, patient: bool = False) -> Outcome:
        """Compiles, checks and times `candidate` against `incumbent`."""
        return self.of_all([candidate], incumbent, patient=patient)[0]

    def again(self, candidate: Schedule, incumbent: Schedule) -> Outcome:
        """Times a candidate that has been checked, in several new processes; the outcome of the middle ratio."""
        child, found = self._children[0], list[Outcome]()
        for _ in range(_TIMES_AGAIN + 1):
            child.stop()
            found.append(child.timed(candidate, incumbent, _PATIENCE * self.limit))
            if found[-1].kind != "timed":
                return found[-1]
        child.stop()
        return sorted(found, key=lambda o: o.ratio)[len(found) // 2]

    def of_all(
        self, candidates: list[Schedule], incumbent: Schedule, doubtful: float = 0.0, patient: bool = False
    ) -> list[Outcome]:
        """The same of several, at most as many as there are workers: compiled and checked at once, timed in turn.
        `patient`: however long those before took.

        Those whose ratio is less than `doubtful` are timed again, each time in a new process, until they are not, or
        have been _TIMES_AGAIN times more: among hundreds of candidates some are lucky once or twice, and each that is
        believed lowers the mark."""
        pairs = list(zip(self._children, candidates, strict=False))
        start = time.perf_counter()
        limit = min(self.limit, _FEWEST + _TIMES * self._longest) if self._longest else self.limit
        if patient:
            limit = _PATIENCE * self.limit
        for child, candidate in pairs:
            child.ask("check", candidate, incumbent)
        checked = [child.answer(limit, start) for child, _ in pairs]
        took = time.perf_counter() - start
        out: list[Outcome] = []
        for (child, candidate), found in zip(pairs, checked, strict=True):
            if found.kind == "right":
                start = time.perf_counter()
                found = child.timed(candidate, incumbent, limit)
                self._longest = max(self._longest, took + time.perf_counter() - start)
                seen = [found]
                while len(seen) <= _TIMES_AGAIN and found.kind == "timed" and found.ratio < doubtful:
                    # In a new process: what an old one has of memory, and where it lies, may suit one of the two.
                    child.stop()
                    found = child.timed(candidate, incumbent, limit)
                    seen.append(found)
                if found.kind == "timed" and found.ratio < doubtful:
                    found = sorted(seen, key=lambda o: o.ratio)[len(seen) // 2]
            out.append(found)
        return out


class _Child:
    """A child process that compiles and runs schedules; started when it is asked for something."""

    def __init__(self, outputs: list[Function], target: Target, seed: int) -> None:
        self.outputs, self.target, self.seed = outputs, target, seed
        self.plain = Schedule()
        self.kept: Path | None = None
        self._process: Any = None
        self._pipe: Connection | None = None

    def ask(self, what: str, candidate: Schedule, incumbent: Schedule) -> None:
        """Sends a question; a child that has died meanwhile is found out by `answer`."""
        if self._process is None or not self._process.is_alive():
            self.stop()
            self._start()
        assert self._pipe is not None
        with contextlib.suppress(ConnectionError):
            self._pipe.send((what, candidate, incumbent))

    def answer(self, limit: float, since: float) -> Outcome:
        """What the child found; "late" where it takes more than `limit` seconds from `since` on."""
        assert self._pipe is not None
        try:
            if not self._pipe.poll(max(since + limit - time.perf_counter(), 0.0)):
                self.stop()
                return Outcome("late", f"not done within {limit:.3g} s")
            found: Outcome = self._pipe.recv()
            return found
        except (EOFError, ConnectionError):
            self._process.join(1.0)
            status = self._process.exitcode
            self.stop()
            return Outcome("crashed", f"the process ended with status {status}")

    def timed(self, candidate: Schedule, incumbent: Schedule, limit: float) -> Outcome:
        """Times a candidate that has been checked."""
        start = time.perf_counter()
        self.ask("time", candidate, incumbent)
        return self.answer(limit, start)

    def stop(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        # The child holds the parent's end too, until it closes it.
        given = (self.outputs, self.target, self.plain, self.seed, self.kept)
        self._process = context.Process(target=_serve, args=(theirs, self._pipe, *given), daemon=True)
        self._process.start()
        theirs.close()


def _serve(
    pipe: Connection, parent: Connection, outputs: list[Function], target: Target, plain: Schedule, seed: int,
    kept: Path | None,
) -> None:
    """The child: answers until the pipe closes."""
    gc.freeze()  # collecting what the parent holds would copy it
    parent.close()
    # Who interrupts the search means the parent, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    judge: Judge | None = None
    while True:
        try:
            what, candidate, incumbent = pipe.recv()
        except EOFError:
            return
        try:
            if judge is None:
                judge = Judge(outputs, target, plain, seed, kept)
            match what:
                case "check":
                    answer = judge.check(candidate, incumbent)
                case "time":
                    answer = judge.time(candidate, incumbent)
                case _:
                    answer = Outcome("right") if judge.wanted else Outcome("invalid", "there is nothing to compute")
        except HalideError as problem:
            answer = Outcome("invalid", str(problem).splitlines()[0])
        pipe.send(answer)


class Judge(Bench):
    """Holds the results of schedules to those of a plain one, on several images, and their times to the incumbent's.

    `kept`: a folder for the results of the plain schedule, which the next process finds there: some run for minutes."""

    def __init__(
        self, outputs: list[Function], target: Target, plain: Schedule, seed: int, kept: Path | None = None
    ) -> None:
        super().__init__(outputs, target, IMAGES, seed)
        self.rng = random.Random(seed)
        self.plain = plain
        self.kept = kept

    @functools.cached_property
    def wanted(self) -> list[list[Any]]:
        """The results of the plain schedule, for each of the images."""
        done = self.kept / "done" if self.kept is not None else None
        if self.kept is not None and done is not None and done.exists():
            return [[np.load(self.kept / f"{k}-{n}.npy", mmap_mode="r") for n, _ in enumerate(self.results)]
                    for k, _ in enumerate(self.inputs)]
        code = self.compiled(self.plain)
        found = [[np.array(b) for b in self.run(code, given)] for given in self.inputs]
        if self.kept is not None and done is not None:
            for k, results in enumerate(found):
                for n, values in enumerate(results):
                    np.save(self.kept / f"{k}-{n}.npy", values)
            done.touch()
        return found

    def check(self, candidate: Schedule, incumbent: Schedule) -> Outcome:
        """Whether the results are right; both are compiled afterwards."""
        everything = self.wanted
        self.compiled(incumbent)
        mine = self.compiled(candidate)
        for number, (given, wanted) in enumerate(zip(self.inputs, everything, strict=True)):
            for b in self.results:
                np.asarray(b)[...] = 0
            for found, expected in zip(self.run(mine, given), wanted, strict=True):
                if not np.array_equal(found, expected, equal_nan=expected.dtype.kind == "f"):
                    return Outcome("wrong", f"other results on image {number}")
        return Outcome("right")

    def time(self, candidate: Schedule, incumbent: Schedule) -> Outcome:
        """Times in turn with the incumbent's."""
        theirs, mine = self.compiled(incumbent), self.compiled(candidate)
        # What earlier candidates left would suit one of the two better than the other.
        release_memory()
        first, second = (self._timed(code) for code in (theirs, mine))
        if second > _FAR * first and second > _SECONDS:
            return Outcome("timed", "", second / first, second)
        ratios: list[float] = []
        own: list[float] = []
        others: list[float] = []
        stop = time.perf_counter() + _SECONDS
        while len(ratios) < _ROUNDS and (len(ratios) < 3 or time.perf_counter() < stop):
            # In an order left to chance: strictly in turn, runs of some milliseconds fall into step with the time
            # slices of what else runs, and one of the two is interrupted more often.
            pair = [(theirs, others), (mine, own)]
            self.rng.shuffle(pair)
            for code, times in pair:
                # In the memory that its own last run has left, as when it runs alone: it would take the other's anew.
                self.run(code, self.inputs[0])
                times.append(self._timed(code))
            ratios.append(own[-1] / others[-1])
            if (len(ratios) >= 3 and min(ratios) > _HOPELESS) or (ratios[-1] < 1 / _FAR and others[-1] > _SECONDS):
                break
        # Of two measures the worse one: the ratio of most rounds, and that of the rounds in which little else ran.
        quiet = _low(own) / _low(others)
        return Outcome("timed", "", max(statistics.median(ratios), quiet), min(own))

    def _timed(self, code: Compiled) -> float:
        start = time.perf_counter()
        self.run(code, self.inputs[0])
        return time.perf_counter() - start


def _low(times: list[float]) -> float:
    """The tenth of the times from the least one on."""
    return sorted(times)[len(times) // 10]
