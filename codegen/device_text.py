"""The schedules for a device that emitted text has, one a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codegen.device_schedule import notes_of
from halide_core.autoschedule.device.scheduler import DeviceSchedule
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
