"""Whether a pipeline is worth a device: what its kernels take, with copies of what goes in and comes out, beside what
the host would.

Both are the model's.  Where memory stays on the device between runs there are no copies, and nobody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halide_core.autoschedule.analysis.footprints import points
from halide_core.autoschedule.auto_gpu.occupancy import MOST_THREADS
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, copy_seconds, host_seconds, kernel_seconds
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.device.loops import Loops

if TYPE_CHECKING:
    from halide_core.autoschedule.auto_gpu.scheduler import AutoGPU
    from halide_core.autoschedule.device.scheduler import DeviceSchedule

_REGISTERS = 32
_LAUNCHES = 3
"""Kernels of a reduction that blocks add up, at the most or nearly so."""


def seconds_on_host(view: View, names: list[str]) -> float:
    """What Funcs take on the host, each point of them once."""
    total = 0.0
    for name in names:
        node = view.description.nodes[name]
        for stage in node.stages:
            point = view.point(stage, frozenset())
            each = point.operations if point is not None else 0.0
            total += max(each, 1.0) * float(view.description.iterations(stage, node.region))
    return float(host_seconds(total))


def seconds_with_copies(made: AutoGPU, found: DeviceSchedule) -> float:
    """What a pipeline takes under the schedule `found`: kernels, what stays on the host, and copies."""
    view, description = made.view, made.view.description
    total = seconds_on_host(view, list(found.on_host))
    for name, node in description.nodes.items():
        kernel = name not in found.on_host and made.places[name].kind == "root"
        for loops in made.stages(node.function) if kernel else ():
            choice = made.choices.get((name, loops.stage))
            total += float(kernel_seconds(made.device, choice.work)) if choice else _reduced(made, loops)
    moved = [description.bytes(n) * float(points(box)) for n, box in description.images.items()]
    moved += [description.bytes(n) * float(points(description.nodes[n].region)) for n in description.outputs]
    return total + float(copy_seconds(len(moved), sum(moved)))


def _reduced(made: AutoGPU, loops: Loops) -> float:
    """What a stage takes of which each point has many threads: they read what is there once."""
    view = made.view
    node = view.description.nodes[loops.function.name]
    stage = node.stages[loops.stage]
    steps = float(view.description.iterations(stage, node.region))
    point = view.point(stage, frozenset())
    reads = sum(view.description.bytes(n) for n in point.reads) if point is not None else 0
    each = point.operations if point is not None else 1.0
    blocks = max(steps // MOST_THREADS, 1.0)
    work = KernelWork(blocks, MOST_THREADS, _REGISTERS, 0, each * steps / 32, memory_bytes=steps * reads)
    return float(kernel_seconds(made.device, work)) + (_LAUNCHES - 1) * float(
        kernel_seconds(made.device, KernelWork(1, 32, 1, 0, 0))
    )
