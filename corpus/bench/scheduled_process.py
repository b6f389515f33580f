"""A pipeline under one schedule in a process of its own, which others survive: some autoschedulers take minutes, some
crash, and some of their schedules do."""

from __future__ import annotations

from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from corpus.bench.codegen import Compiled, by_hand
from corpus.bench.timed_process import TimedProcess, answer, silence
from corpus.pipelines.common import Built, PipelineFile, Size, estimate

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


class ScheduledProcess(TimedProcess[Ready]):
    """Schedules, compiles and runs `p` elsewhere."""

    def __init__(self, how: Scheduling, p: PipelineFile, size: Size) -> None:
        super().__init__(how.name, _serve, (how, p, size), _HANGING)


def load_plugins(names: tuple[str, ...]) -> None:
    """Loads autoschedulers that come with the package `halide`.  Raises ImportError where it is not installed."""
    import halide

    folder = next(Path(halide.__file__).parent.glob("lib*/libautoschedule_mullapudi2016.so")).parent
    for name in names:
        halide.load_plugin(str(folder / f"libautoschedule_{name.lower()}.so"))


def begin(hl: Any, target: Any) -> None:
    """Has the module do what it does once in a process: the package takes a second for its run time."""
    x, f = hl.Var("x"), hl.Func("first")
    f[x] = x
    f.realize([1], target)


def _serve(there: Connection, how: Scheduling, p: PipelineFile, size: Size) -> None:
    silence()
    try:
        made = _compiled(how, p, size)
        made.run(1)
        there.send(Ready(made.schedule_seconds, made.compile_seconds, made.results()))
    except Exception as problem:  # whatever it is, it is told
        there.send(("failed", f"{type(problem).__name__}: {problem}".splitlines()[0]))
        return
    answer(there, made.run)


def _compiled(how: Scheduling, p: PipelineFile, size: Size) -> Compiled:
    if how.module == "halide":
        import halide as module

        load_plugins((how.autoscheduler,) if how.autoscheduler is not None else ())
    else:
        import halide_core as module
    begin(module, module.Target(TARGET))
    arrays = p.arrays(size, np.random.default_rng(0))

    def automatic(built: Built, pipeline: Any, target: Any) -> object:
        estimate(built, p, size, arrays)
        return pipeline.apply_autoscheduler(target, module.AutoschedulerParams(how.autoscheduler, dict(how.options)))

    return Compiled(module, p, size, arrays, TARGET, by_hand if how.autoscheduler is None else automatic)
