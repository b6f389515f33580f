"""The schedule for a device of what is lifted, and what of it stays on the host.

A schedule is tried: the pipeline is lowered under it, and a Func that is refused is left on the host."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from codegen.pipeline import BuiltPath
from codegen.plan import PathPlan
from halide_core.aot.compile import RawBuffer
from halide_core.autoschedule.device.scheduler import DeviceSchedule, device_schedule
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.interp.expr import evaluate
from halide_core.ir.expr import I32, I64, const
from halide_core.ir.structural import variables
from halide_core.passes.realization_order import build_environment
from halide_core.target import Target
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.summary import Layout

AUTO_GPU = "AutoGPU"
"""The method that schedules for devices, and for nothing else."""
_SIDE = 1024
"""What the sizes of images are taken to be."""
ALL = "all of it"
"""Stands for all stages where it is said why none of them is on the device."""


@dataclass(frozen=True, slots=True)
class Schedulable:
    """A pipeline without a schedule, made anew each time that one is tried.  `pinned`: Funcs that are computed whole,
    whatever is done with others."""

    outputs: list[Function]
    layouts: Mapping[str, RawBuffer]
    pinned: Collection[str] = ()


def is_for_device(target: Target | str) -> bool:
    """Whether a target has a device that kernels are made for."""
    return (Target(target) if isinstance(target, str) else target).has_feature("cuda")


def schedule_for_device(make: Callable[[], Schedulable], target: Target, method: str = "") -> DeviceSchedule:
    """The schedule, not applied, of the pipeline that `make` makes; Funcs that the device cannot compute are left on
    the host, with the reason.  `method`: "AutoGPU" or, for the default schedule, anything else."""
    host: dict[str, str] = {}
    while True:
        tried = make()
        found = _found(tried, target, method, host)
        if not found.on_device:
            return found
        refused = _refused(tried, found, target)
        if refused is None:
            return found
        for name in _named(refused, found.on_device) or found.on_device:
            host[name] = refused.splitlines()[0]


def _found(tried: Schedulable, target: Target, method: str, host: Mapping[str, str]) -> DeviceSchedule:
    """The schedule of a pipeline that has none, by a method where that knows it, else the default one."""
    if method == AUTO_GPU and not tried.pinned and _estimated(tried):
        from halide_core.autoschedule.auto_gpu.scheduler import auto_gpu  # loaded only where it is needed

        try:
            return auto_gpu(tried.outputs, target, {}, tried.layouts, host)[1]
        except HalideError:
            pass  # what it does not know; the default schedule has no such limits
    return device_schedule(tried.outputs, tried.layouts, tried.pinned, host)


def _estimated(tried: Schedulable) -> bool:
    """Gives outputs and images their likely sizes, images of some thousand rows; whether these make sense."""
    for f in tried.outputs:
        layout = tried.layouts.get(f.name)
        for k, a in enumerate(f.args):
            box = (0, _SIDE)
            if layout is not None:
                ends = layout.mins[k], layout.extents[k]
                low, extent = (int(evaluate(e, dict.fromkeys(variables(e), _SIDE)).item()) for e in ends)
                if not 0 < extent < 1 << 16:
                    return False
                box = low, extent
            f.estimates[a] = const(box[0], I32), const(box[1], I32)
    for image in build_environment(tried.outputs).images:
        for d in range(image.dimensions):
            image.estimates.setdefault(d, (const(0, I32), const(_SIDE, I32)))
    return True


def scheduled_path(
    make: Callable[[], BuiltPath], target: Target, method: str = ""
) -> tuple[BuiltPath, DeviceSchedule] | None:
    """A path that `make` makes, for compiled code, under its schedule for the device; None where that has none.

    What stays on the host has no schedule yet."""
    found = schedule_for_device(lambda: schedulable(make()), target, method)
    if not found.on_device:
        return None
    built = make()
    found.apply(built.pipeline.functions())
    return built, found


def schedulable(built: BuiltPath) -> Schedulable:
    """A path that is compiled, over the caller's memory."""
    layouts = layouts_of(built.plan) | built.layouts()
    pinned = [n for n, f in built.funcs.items() if f._function.compute is not None]
    return Schedulable(built.pipeline.functions(), layouts, pinned)


def layouts_of(plan: PathPlan) -> dict[str, RawBuffer]:
    """How the Funcs of a path lie, or would lie, in memory."""
    return {f.name: _raw(f.layout) for f in plan.path.funcs}


def _raw(layout: Layout) -> RawBuffer:
    dims = layout.dims
    return RawBuffer(
        layout.array, from_poly(layout.offset, I64), tuple(from_poly(d.min, I64) for d in dims),
        tuple(from_poly(d.extent, I64) for d in dims), tuple(from_poly(d.stride or Poly(), I64) for d in dims),
    )


def _refused(tried: Schedulable, found: DeviceSchedule, target: Target) -> str | None:
    """Why a schedule cannot be, in the compiler's words."""
    from halide_core.backend.ptx import check  # the compiler is loaded only where it is needed
    from halide_core.lower import lower

    try:
        found.apply(tried.outputs)
        for kernel in lower(tried.outputs, target).kernels:
            check(kernel)
    except HalideError as problem:
        return str(problem)
    return None


def _named(text: str, names: Sequence[str]) -> list[str]:
    """The Func that a refusal is about: the first one that it names."""
    at = {n: m.start() for n in names if (m := re.search(rf"(?<![A-Za-z0-9]){re.escape(n)}(?![A-Za-z0-9])", text))}
    return [min(at, key=lambda n: (at[n], -len(n)))] if at else []


def notes_of(schedules: Sequence[DeviceSchedule | None]) -> list[str]:
    """What the report says of the schedules of a function's paths."""
    made = [s for s in schedules if s is not None]
    device = list(dict.fromkeys(n for s in made for n in s.on_device))
    host = {n: why for s in made for n, why in s.on_host.items()}
    why = "; ".join(f"{n}: {reason}" for n, reason in host.items())
    if not device:
        return [f"on the host, all of it: {why or 'nothing is computed'}"]
    out = [f"on the device: {', '.join(device)}"]
    return [*out, f"on the host: {why}"] if host else out
