"""The schedules for a device that emitted text has, one a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codegen.device_schedule import Schedulable, layouts_of, notes_of, schedule_for_device
from codegen.plan import plan_path
from codegen.reductions import as_reductions
from halide_core.autoschedule.device.scheduler import DeviceSchedule
from halide_core.target import Target
from lifter.ir.summary import Summary


@dataclass(frozen=True, slots=True)
class ScheduledText:
    """What text is written of: a summary whose Funcs a device can compute, and their schedules, by path."""

    summary: Summary
    schedules: Sequence[DeviceSchedule | None]
    target: str

    @property
    def is_made(self) -> bool:
        """Whether a device computes anything."""
        return any(s is not None and s.on_device for s in self.schedules)

    def notes(self) -> list[str]:
        """What the report says, a line each."""
        return notes_of(self.schedules)

    def words(self) -> list[str]:
        """What the text says of its schedules."""
        if not self.is_made:
            return ["", *(f"For {self.target}: {n}." for n in self.notes())]
        return ["", f"Scheduled for {self.target}:", *(f"    {n}" for n in self.notes())]


def scheduled_text(summary: Summary, file: str, target: str) -> ScheduledText:
    """The schedules of the text that `dsl_module` writes of a summary: of the very Funcs that the text makes."""
    from codegen.halide_python import dsl_module
    from codegen.reading import executed

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

        schedules.append(schedule_for_device(make, Target(target)))
    return ScheduledText(apart, schedules, target)
