"""Pipeline: one or several output Funcs compiled together."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from halide_core.dsl.compilation import Compilation
from halide_core.dsl.effects import requirement
from halide_core.dsl.overloads import overloaded
from halide_core.errors import ArgumentError, HalideError
from halide_core.function import Function
from halide_core.ir.expr import Expr
from halide_core.ir.operators import as_expr
from halide_core.target import Target


class Pipeline(Compilation):
    """The Funcs that are computed together, in order."""

    def __init__(self, outputs: Any = ()) -> None:
        items = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
        self._funcs = items
        self.added_requirements: list[tuple[Expr, list[Expr]]] = []
        for f in items:
            if not f.defined():
                raise HalideError(f"Func {f.name()} has no definition")
            f._function.frozen = True

    def outputs(self) -> list[Any]:
        return list(self._funcs)

    def defined(self) -> bool:
        return bool(self._funcs)

    def get_func(self, index: int) -> Any:
        """The Func number `index` in the order in which they are computed."""
        from halide_core.dsl.func import Func
        from halide_core.passes.realization_order import build_environment

        order = build_environment(self.functions()).order
        if not 0 <= index < len(order):
            raise HalideError(f"Pipeline::get_func({index}): there are {len(order)} Funcs")
        out = Func.__new__(Func)
        out._function, out._stage = order[index], 0
        return out

    def add_requirement(self, condition: Any, *args: Any) -> None:
        """States a condition on Params that every realization checks; `args` make up the message."""
        e = as_expr(condition)
        if not e.type.is_bool():
            raise HalideError(f"A requirement must be a boolean, and {e} has type {e.type}")
        self.added_requirements.append((e, requirement(args)))

    def __repr__(self) -> str:
        return f"<halide.Pipeline [{','.join(repr(f.name()) for f in self._funcs)}]>" if self._funcs else (
            "<halide.Pipeline Pipeline()>"
        )

    def invalidate_cache(self) -> None:
        """Forgets compiled code."""
        self._compiled = None

    def functions(self) -> list[Function]:
        """The output Functions as the compiler sees them."""
        return [f._function for f in self._funcs]

    @overloaded("dst, target?", "sizes?, target?")
    def realize(self, *args: Any) -> Any:
        """Computes the outputs over a box of the given sizes, or into the given Buffers."""
        from halide_core.jit import realize

        if not self._funcs:
            raise HalideError("Pipeline is undefined")
        targets = [a for a in args if isinstance(a, Target)]
        places = [a for a in args if not isinstance(a, Target) and a is not None]
        if len(targets) > 1 or len(places) > 1:
            raise ArgumentError(
                "realize(): incompatible function arguments; it takes sizes, a Buffer or several, and a Target"
            )
        return realize(self, places[0] if places else [], targets[0] if targets else None)

    def infer_input_bounds(self, dst: Any, target: Target | None = None) -> None:
        """Gives every ImageParam without a Buffer one of the shape that a realization over `dst` reads."""
        from halide_core.jit import infer_input_bounds

        infer_input_bounds(self, dst, target)

    def compile_jit(self, target: Target | None = None) -> None:
        from halide_core.jit_code import compiled

        compiled(self, target)

    def apply_autoscheduler(self, target: Target, autoscheduler_params: AutoschedulerParams) -> AutoSchedulerResults:
        """Schedules every Func, at the sizes given by set_estimates.  Returns the schedule as text.

        'Reuse2019', 'TreeSearch' and 'Genetic2013' make the whole schedule, 'AutoGPU' one for a CUDA device; 'default'
        is a few rules for Funcs that have no schedule yet, without text.  Raises HalideError for other names, for what
        is missing and for what a method cannot schedule.

        The option `report` of all but 'default' names a file for what the schedule makes of each Func, measured at the
        estimated sizes (predicted for a device): a page where it ends with .html, else text."""
        from halide_core.autoschedule.methods import WITH_REPORTS, method
        from halide_core.autoschedule.rules.default import apply_default_schedule
        from halide_core.passes.realization_order import build_environment
        from halide_core.schedule_warnings import mark_scheduled

        params = autoscheduler_params
        if params.name == "default":
            apply_default_schedule(self, target)
            return AutoSchedulerResults(target, params)
        outputs = self.functions()
        schedule = method(params.name)(outputs, target, params.extra)
        if params.extra.get("report") and params.name not in WITH_REPORTS:
            from halide_core.autoschedule.report.report import write_report

            write_report(params.extra["report"], params.name, outputs, target, schedule)
        order = build_environment(outputs).order
        schedule.apply({f.name: f for f in order})
        mark_scheduled(order)
        return AutoSchedulerResults(target, params, schedule.cpp(), schedule.python())

    def print_loop_nest(self) -> None:
        """Prints the loops as scheduled to standard error."""
        from halide_core.dsl.loop_nest_text import loop_nest_text
        from halide_core.passes.realization_order import build_environment
        from halide_core.passes.regions import Context
        from halide_core.passes.schedule_functions import schedule_functions
        from halide_core.passes.wrap_calls import wrap_calls

        outputs = self.functions()
        wrap_calls(outputs)
        order = build_environment(outputs).order
        print(loop_nest_text(schedule_functions(order, outputs, Context()), order, outputs), end="", file=sys.stderr)


class AutoschedulerParams:
    """The name of an autoscheduler and its options."""

    name: str
    extra: dict[str, str]

    @overloaded("", "name, extra?", "target, autoscheduler_params")
    def __init__(self, name: str = "default", extra: dict[str, str] | None = None) -> None:
        self.name = name
        self.extra = {k: str(v) for k, v in (extra or {}).items()}

    def __str__(self) -> str:
        return ",".join([f"autoscheduler={self.name}", *(f"autoscheduler.{k}={v}" for k, v in self.extra.items())])


@dataclass(frozen=True, slots=True)
class AutoSchedulerResults:
    """What an autoscheduler did: the schedule in C++ (`schedule_source`) and in Python, every Func in a variable of its
    name; empty where the method does not tell."""

    target: Target | None = None
    autoscheduler_params: AutoschedulerParams | None = None
    schedule_source: str = ""
    python_schedule_source: str = ""
    featurization: tuple[int, ...] = ()
