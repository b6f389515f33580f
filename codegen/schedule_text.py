"""The schedules of emitted text, made of the very Funcs that the text makes."""

from __future__ import annotations

from codegen.device_schedule import Schedulable, layouts_of, schedule_for_device
from codegen.device_text import ScheduledText
from codegen.halide_python import dsl_module
from codegen.plan import plan_path
from codegen.reading import executed
from codegen.reductions import as_reductions
from halide_core.autoschedule.device.scheduler import DeviceSchedule
from halide_core.target import Target
from lifter.ir.summary import Summary


def scheduled_text(summary: Summary, file: str, target: str, method: str = "") -> ScheduledText:
    """The schedules of the text that `dsl_module` writes of a summary: of the very Funcs that the text makes.
    `method`: how they are made."""
    apart = as_reductions(summary)
    module = executed(dsl_module(apart, file))
    many = len(apart.paths) > 1
    schedules: list[DeviceSchedule | None] = []
    for number, path in enumerate(apart.paths):
        if not path.funcs and path.result is None:
            schedules.append(None)
            continue
        build = module[f"build_{number}" if many else "build"]
        layouts = layouts_of(plan_path(apart, number))

        def make(build: object = build, layouts: object = layouts) -> Schedulable:
            _, _, outputs = build()  # type: ignore[operator]
            return Schedulable([f._function for f in outputs.values()], layouts)  # type: ignore[arg-type]

        schedules.append(schedule_for_device(make, Target(target), method))
    return ScheduledText(apart, schedules, target)
