"""A pipeline that is compiled and timed in a process of its own, which others survive."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Generic, Literal, TypeVar

R = TypeVar("R")
Kind = Literal["refused", "failed", "late"]


class NotTimed(Exception):
    """A pipeline that was refused (an error of the module's own), failed (a crash, another exception), or was late."""

    def __init__(self, process: TimedProcess[Any], kind: Kind, why: str) -> None:
        super().__init__(why)
        self.process, self.kind = process, kind


class TimedProcess(Generic[R]):
    """Compiles and runs elsewhere; `run` has it run, and returns the seconds that it took.

    `work` is called there with a Connection and `args`; it sends what it knows once it can run (an R), or a kind and
    why not, and then calls `answer`."""

    def __init__(self, name: str, work: Callable[..., None], args: tuple[object, ...], hanging: float) -> None:
        """`hanging`: seconds after which a run counts as such."""
        self.name, self._hanging = name, hanging
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=work, args=(there, *args), daemon=True)
        self._start = time.perf_counter()
        self._process.start()
        there.close()

    def ready(self, limit: float) -> R:
        """Waits until it can run, at most until `limit` seconds after its start.  Raises NotTimed."""
        left = self._start + limit - time.perf_counter()
        found: R = self._answer(max(left, 0.0), f"not ready after {limit:.0f} s")
        return found

    def run(self, count: int) -> float:
        """Runs it `count` times.  Raises NotTimed."""
        try:
            self._here.send(count)
        except OSError as problem:
            raise NotTimed(self, "failed", self._death()) from problem
        return float(self._answer(self._hanging, f"a run took over {self._hanging:.0f} s"))

    def close(self) -> None:
        """Ends the process."""
        self._here.close()
        self._process.kill()
        self._process.join()

    def _answer(self, limit: float, late: str) -> Any:
        if not self._here.poll(limit):
            raise NotTimed(self, "late", late)
        try:
            found = self._here.recv()
        except (EOFError, OSError) as problem:
            raise NotTimed(self, "failed", self._death()) from problem
        if isinstance(found, tuple):
            raise NotTimed(self, *found)
        return found

    def _death(self) -> str:
        self._process.join(5)
        code = self._process.exitcode
        return f"crashed (signal {-code})" if code is not None and code < 0 else f"ended with status {code}"


def silence() -> None:
    """What compilers and autoschedulers print of their progress is of no use."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def answer(there: Connection, run: Callable[[int], object]) -> None:
    """Runs as often as is asked, and sends the seconds, until nobody asks."""
    while True:
        try:
            count = there.recv()
        except EOFError:
            return
        start = time.perf_counter()
        run(count)
        there.send(time.perf_counter() - start)
