"""A pipeline under one schedule in a process of its own, which others survive: some autoschedulers take minutes, some
crash, and some of their schedules do."""

from __future__ import annotations

import multiprocessing
import os
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from corpus.bench_codegen import Compiled, by_hand
from corpus.pipelines.common import Built, PipelineFile, Size, estimate, named_pipelines

TARGET = "host-strict_float"
# Seconds after which a run counts as hanging.
_HANGING = 120.0
Arrays = list[np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class Scheduling:
    """How a pipeline is scheduled: the module, and its autoscheduler with options; None: by hand."""

    name: str
    module: str
    autoscheduler: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """What a process tells once it can run: seconds of scheduling and of compiling, and the outputs."""

    schedule_s: float
    compile_s: float
    results: Arrays


class ScheduledError(Exception):
    """A schedule that was refused, ran into its time limit, or crashed; says which."""

    def __init__(self, process: ScheduledProcess, why: str) -> None:
        super().__init__(why)
        self.process = process


class ScheduledProcess:
    """Schedules, compiles and runs `p` elsewhere; `run` has it run, and returns the seconds that it took."""

    def __init__(self, how: Scheduling, p: PipelineFile, size: Size) -> None:
        self.name = how.name
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, how, p.name, size), daemon=True)
        self._start = time.perf_counter()
        self._process.start()
        there.close()

    def ready(self, limit: float) -> Ready:
        """Waits until it can run, at most until `limit` seconds after its start.  Raises ScheduledError."""
        left = self._start + limit - time.perf_counter()
        found = self._answer(max(left, 0.0), f"not ready after {limit:.0f} s")
        assert isinstance(found, Ready)
        return found

    def run(self, count: int) -> float:
        """Runs it `count` times.  Raises ScheduledError."""
        try:
            self._here.send(count)
        except OSError as problem:
            raise ScheduledError(self, self._death()) from problem
        found = self._answer(_HANGING, f"a run took over {_HANGING:.0f} s")
        assert isinstance(found, float)
        return found

    def close(self) -> None:
        """Ends the process."""
        self._here.close()
        self._process.kill()
        self._process.join()

    def _answer(self, limit: float, late: str) -> object:
        if not self._here.poll(limit):
            raise ScheduledError(self, late)
        try:
            found: object = self._here.recv()
        except (EOFError, OSError) as problem:
            raise ScheduledError(self, self._death()) from problem
        if isinstance(found, str):
            raise ScheduledError(self, found)
        return found

    def _death(self) -> str:
        self._process.join(5)
        code = self._process.exitcode
        return f"crashed (signal {-code})" if code is not None and code < 0 else f"ended with status {code}"


def load_plugins(names: tuple[str, ...]) -> None:
    """Loads autoschedulers that come with the package `halide`.  Raises ImportError where it is not installed."""
    import halide

    folder = next(Path(halide.__file__).parent.glob("lib*/libautoschedule_mullapudi2016.so")).parent
    for name in names:
        halide.load_plugin(str(folder / f"libautoschedule_{name.lower()}.so"))


def _serve(there: Connection, how: Scheduling, name: str, size: Size) -> None:
    # What the autoschedulers print of their progress is of no use.
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    try:
        made = _compiled(how, name, size)
        made.run(1)
        there.send(Ready(made.schedule_seconds, made.compile_seconds, made.results()))
    except Exception as problem:  # whatever it is, it is told
        there.send(f"{type(problem).__name__}: {problem}".splitlines()[0])
        return
    while True:
        try:
            count = there.recv()
        except EOFError:
            return
        start = time.perf_counter()
        made.run(count)
        there.send(time.perf_counter() - start)


def _compiled(how: Scheduling, name: str, size: Size) -> Compiled:
    if how.module == "halide":
        import halide as module

        load_plugins((how.autoscheduler,) if how.autoscheduler is not None else ())
    else:
        import halide_core as module
    (p,) = named_pipelines([name])
    arrays = p.arrays(size, np.random.default_rng(0))

    def automatic(built: Built, pipeline: Any, target: Any) -> object:
        estimate(built, p, size, arrays)
        return pipeline.apply_autoscheduler(target, module.AutoschedulerParams(how.autoscheduler, dict(how.options)))

    return Compiled(module, p, size, arrays, TARGET, by_hand if how.autoscheduler is None else automatic)
