"""What a schedule for a device makes of a pipeline, kernel by kernel, before it has run."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from halide_core.autoschedule.auto_gpu.occupancy import occupancy
from halide_core.autoschedule.auto_gpu.time_model import kernel_seconds, limit
from halide_core.autoschedule.device.loops import Loops

if TYPE_CHECKING:
    from halide_core.autoschedule.auto_gpu.pricing import Choice
    from halide_core.autoschedule.auto_gpu.scheduler import AutoGPU
    from halide_core.autoschedule.device.scheduler import DeviceSchedule

_HEAD = ["kernel", "grid", "block", "outputs", "occupancy", "shared KB", "registers", "predicted us", "limit", "with"]
_LEFT = {0, 8, 9}


def kernel_rows(made: AutoGPU) -> list[list[str]]:
    """A row for each kernel whose blocks were chosen, consumers first: what `_HEAD` says, registers as they are
    estimated."""
    rows: list[list[str]] = []
    for f in reversed(made.order):
        for loops in made.loops[f.name]:
            choice = made.choices.get((f.name, loops.stage))
            if choice is not None:
                rows.append(_row(made, loops, choice))
    return rows


def _row(made: AutoGPU, loops: Loops, choice: Choice) -> list[str]:
    name, work, device = loops.function.name, choice.work, made.device
    wide = list(zip(loops.wide, choice.threads, choice.each, strict=False))
    grid = [-(-made.view.loop_extent(name, loops.stage, n) // (t * e)) for n, t, e in wide]
    for n in loops.wide[len(wide) :]:
        grid[-1] *= made.view.loop_extent(name, loops.stage, n)
    inside = [f"{g} ({p.kind})" for g, p in made.places.items() if p.kernel is loops.function and not loops.stage]
    seconds = float(kernel_seconds(device, work))
    share = float(occupancy(device, work.threads, work.registers, work.shared))
    return [
        name if not loops.stage else f"{name}.update({loops.stage - 1})", _times(grid),
        _times(choice.threads) if work.threads == _product(choice.threads) else f"{work.threads:.0f}",
        _times(choice.each), f"{share:.2f}", f"{work.shared / 1024:.1f}", f"{work.registers:.0f}",
        f"{1e6 * seconds:.1f}" if made.options.model == "time" else "-", limit(device, work), ", ".join(inside),
    ]


def _times(numbers: list[int] | tuple[int, ...]) -> str:
    return "x".join(map(str, numbers))


def _product(numbers: tuple[int, ...]) -> int:
    total = 1
    for n in numbers:
        total *= n
    return total


def report_text(made: AutoGPU, found: DeviceSchedule) -> str:
    """The kernels as a table, what stays on the host, and the schedule."""
    rows = [_HEAD, *kernel_rows(made)]
    widths = [max(len(r[k]) for r in rows) for k in range(len(_HEAD))]
    lines = [
        "  ".join(c.ljust(w) if k in _LEFT else c.rjust(w) for k, (c, w) in enumerate(zip(r, widths, strict=True)))
        for r in rows
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    host = [f"on the host: {name}: {why}" for name, why in found.on_host.items()]
    head = f"AutoGPU, for {made.device.name}; times by a model that no device has measured"
    return "\n".join([head, "", *(x.rstrip() for x in lines), "", *host, "", found.schedule.python()])


def write_report(path: str, made: AutoGPU, found: DeviceSchedule) -> None:
    """Writes the report to a file: a page where its name ends with .html, else text."""
    text = report_text(made, found)
    page = f"<!doctype html><meta charset=\"utf-8\"><title>AutoGPU</title><pre>{escape(text)}</pre>\n"
    Path(path).write_text(page if path.endswith(".html") else text)
