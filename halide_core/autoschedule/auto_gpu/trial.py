"""Whether the compiler takes a schedule: it is applied, lowered, and taken back.

Lowering a pipeline of a hundred Funcs takes longer than finding its schedule.  Of large ones loops are made, which is
where schedules are refused, and no code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.kept import kept
from halide_core.compiler_memory import frugal
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.gpu.nests import check_nests, check_target
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions
from halide_core.passes.wrap_calls import wrap_calls
from halide_core.target import Target

_MANY = 20
"""Funcs beyond which a pipeline is large."""


def refusal_of(outputs: list[Function], schedule: Schedule, target: Target) -> str | None:
    """Why a pipeline without a schedule cannot have this one, in the compiler's words; None where it can."""
    from halide_core.backend.ptx import check  # the compiler is loaded only where it is needed
    from halide_core.lower import lower

    order = build_environment(outputs).order
    restore = kept(order)
    try:
        schedule.apply({f.name: f for f in order})
        scheduled = build_environment(outputs).order
        if len(scheduled) > _MANY:
            check_target(scheduled, target)
            _check_loops(scheduled, outputs)
            return None
        for kernel in lower(outputs, target).kernels:
            check(kernel)
    except HalideError as problem:
        return str(problem)
    finally:
        restore()
    return None


@frugal
@on_deep_stack(lambda order, *_, **__: is_deep(order))
def _check_loops(order: list[Function], outputs: list[Function]) -> None:
    """Raises HalideError for loops that no device runs."""
    del order  # which says how deep they are
    wrap_calls(outputs)
    check_nests(schedule_functions(build_environment(outputs).order, outputs, Context()))


def named(text: str, names: Sequence[str]) -> list[str]:
    """The Func that a refusal is about: the first one that it names."""
    at = {n: m.start() for n in names if (m := re.search(rf"(?<![A-Za-z0-9]){re.escape(n)}(?![A-Za-z0-9])", text))}
    return [min(at, key=lambda n: (at[n], -len(n)))] if at else []
