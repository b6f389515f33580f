"""A pair compiled by one module in a process of its own, which others survive."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal

from corpus.scheduled_process import load_plugins
from corpus.unseen.pipeline import Array, Pipeline
from corpus.unseen.script import bound_names, estimates

# Seconds after which a run counts as hanging.
_HANGING = 60.0
Kind = Literal["refused", "failed", "late"]


@dataclass(frozen=True, slots=True)
class Contender:
    """What a pipeline is compiled by: a module, under directives or one of its autoschedulers."""

    name: str
    module: str
    target: str
    directives: tuple[str, ...] = ()
    autoscheduler: str = ""
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """What a process tells once it can run: seconds of scheduling and of compiling, and the output."""

    schedule_s: float
    compile_s: float
    result: Array


class ContenderError(Exception):
    """A pair that a module refused (an error of its own), failed on (a crash, another exception), or was late with."""

    def __init__(self, process: ContenderProcess, kind: Kind, why: str) -> None:
        super().__init__(why)
        self.process, self.kind = process, kind


class ContenderProcess:
    """Compiles and runs elsewhere; `run` has it run, and returns the seconds that it took."""

    def __init__(self, how: Contender, p: Pipeline) -> None:
        self.name = how.name
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, how, p), daemon=True)
        self._start = time.perf_counter()
        self._process.start()
        there.close()

    def ready(self, limit: float) -> Ready:
        """Waits until it can run, at most until `limit` seconds after its start.  Raises ContenderError."""
        left = self._start + limit - time.perf_counter()
        found = self._answer(max(left, 0.0), f"not ready after {limit:.0f} s")
        assert isinstance(found, Ready)
        return found

    def run(self, count: int) -> float:
        """Runs it `count` times.  Raises ContenderError."""
        try:
            self._here.send(count)
        except OSError as problem:
            raise ContenderError(self, "failed", self._death()) from problem
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
            raise ContenderError(self, "late", late)
        try:
            found: object = self._here.recv()
        except (EOFError, OSError) as problem:
            raise ContenderError(self, "failed", self._death()) from problem
        if isinstance(found, tuple):
            raise ContenderError(self, *found)
        return found

    def _death(self) -> str:
        self._process.join(5)
        code = self._process.exitcode
        return f"crashed (signal {-code})" if code is not None and code < 0 else f"ended with status {code}"


def _serve(there: Connection, how: Contender, p: Pipeline) -> None:
    # What compilers print of their progress is of no use.
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    # Expressions of many stages are deep trees.
    sys.setrecursionlimit(20_000)
    module = _module(how)
    try:
        run, ready = _compiled(module, how, p)
        there.send(ready)
    except (module.HalideError, RuntimeError) as problem:
        there.send(("refused", f"{type(problem).__name__}: {problem}".strip()))
        return
    except Exception as problem:  # whatever it is, it is told
        there.send(("failed", f"{type(problem).__name__}: {problem}".strip()))
        return
    while True:
        try:
            count = there.recv()
        except EOFError:
            return
        start = time.perf_counter()
        for _ in range(count):
            run()
        there.send(time.perf_counter() - start)


def _module(how: Contender) -> Any:
    if how.module == "halide":
        import halide

        load_plugins((how.autoscheduler,) if how.autoscheduler else ())
        return halide
    # What is on disk from an earlier run would take no time to compile.
    os.environ["HL_JIT_CACHE_DIR"] = ""
    import halide_core

    return halide_core


def _compiled(hl: Any, how: Contender, p: Pipeline) -> tuple[Any, Ready]:
    """A callable that runs it once, and what is told of it."""
    names: dict[str, Any] = bound_names(p, [*how.directives, *(estimates(p) if how.autoscheduler else ())], hl)
    target, pipeline = hl.Target(how.target), hl.Pipeline([names["output"]])
    _begin(hl, target)
    start = time.perf_counter()
    if how.autoscheduler:
        pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(how.autoscheduler, dict(how.options)))
    scheduled = time.perf_counter()
    pipeline.compile_jit(target)
    compiled = time.perf_counter()
    result, array = p.output.empty(), p.array()
    pixels, outputs = hl.Buffer(array), [hl.Buffer(result)]
    names["source"].set(pixels)
    # The package keeps neither the Buffer nor the array alive.
    kept = array, pixels

    def run(kept: object = kept) -> None:
        pipeline.realize(outputs, target)

    run()
    return run, Ready(scheduled - start, compiled - scheduled, result)


def _begin(hl: Any, target: Any) -> None:
    """Has the module do what it does once in a process: the package takes a second for its run time."""
    x, f = hl.Var("x"), hl.Func("first")
    f[x] = x
    f.realize([1], target)
