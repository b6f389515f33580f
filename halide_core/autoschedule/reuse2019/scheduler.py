"""Reuse2019 from end to end: description, grouping, directives."""

from __future__ import annotations

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import this_machine
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.reuse2019.emit import Emitter
from halide_core.autoschedule.reuse2019.grouping import group
from halide_core.autoschedule.reuse2019.options import options
from halide_core.autoschedule.reuse2019.segment import Segments
from halide_core.function import Function
from halide_core.target import Target


def reuse_schedule(outputs: list[Function], target: Target, extra: dict[str, str]) -> Schedule:
    """The schedule that Reuse2019 finds for the pipeline of `outputs`, not applied yet.

    Raises HalideError where estimates are missing, a Func has a schedule, or `extra` is not understood."""
    machine, chosen = this_machine(target, extra), options(extra)
    description = Description(outputs)
    costs = Costs(description, target)
    segments = Segments(description, costs, machine, chosen)
    state, plans = group(description, segments, chosen)
    emitter = Emitter(description, costs, machine, chosen, frozenset(state.inlined))
    # Consumers first: a person reads a schedule from the output back.
    for plan in reversed(plans):
        emitter.segment(plan)
    return emitter.schedule
