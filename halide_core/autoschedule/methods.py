"""The autoschedulers that make whole schedules, by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from halide_core.autoschedule.directives import Schedule
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.target import Target

Method = Callable[[list[Function], Target, dict[str, str]], Schedule]
"""From the outputs, a target and options to a schedule that is not applied yet."""
# By name: the module, imported when it is asked for, and its function.
METHODS = {
    "Reuse2019": ("reuse2019.scheduler", "reuse_schedule"),
    "TreeSearch": ("tree_search.scheduler", "tree_schedule"),
    "AutoGPU": ("auto_gpu.scheduler", "gpu_schedule"),
    "Genetic2013": ("genetic2013.scheduler", "genetic_schedule"),
}

# Those that write what the option `report` asks for themselves: nothing runs a schedule for a device that is not there.
WITH_REPORTS = frozenset({"AutoGPU"})


def method(name: str) -> Method:
    """The autoscheduler called `name`.  Raises HalideError where there is none."""
    if name not in METHODS:
        names = ", ".join(repr(n) for n in METHODS)
        raise HalideError(f"There is no autoscheduler called {name!r}; there are {names} and 'default'")
    module, function = METHODS[name]
    found: Method = getattr(importlib.import_module(f"halide_core.autoschedule.{module}"), function)
    return found
