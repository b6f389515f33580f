"""A pair compiled by one module in a process of its own, which others survive."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from corpus.bench.scheduled_process import begin, load_plugins
from corpus.bench.timed_process import TimedProcess, answer, silence
from corpus.unseen.pipeline import Array, Pipeline
from corpus.unseen.script import bound_names, estimates

# Seconds after which a run counts as hanging.
_HANGING = 60.0


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


class ContenderProcess(TimedProcess[Ready]):
    """Compiles and runs elsewhere."""

    def __init__(self, how: Contender, p: Pipeline) -> None:
        super().__init__(how.name, _serve, (how, p), _HANGING)


def _serve(there: Connection, how: Contender, p: Pipeline) -> None:
    silence()
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
    answer(there, lambda count: [run() for _ in range(count)])


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
    begin(hl, target)
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
