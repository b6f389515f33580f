"""Paths as variants that run on a device where that is the faster one."""

from __future__ import annotations

from collections.abc import Callable

from codegen.device_model import gain
from codegen.device_schedule import scheduled_path
from codegen.pipeline import BuiltPath
from halide_core.aot.compile import Variant
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.backend.ptx import ptx_for
from halide_core.backend.raw_device import DeviceVariant
from halide_core.backend.raw_entry import for_device
from halide_core.errors import HalideError
from halide_core.lower import lower
from halide_core.target import Target


def device_variant(
    make: Callable[[], BuiltPath], variant: Callable[[BuiltPath], Variant], target: Target, name: str, method: str = ""
) -> DeviceVariant | str:
    """A path that `make` makes, as a `variant` under a schedule for the device; or why it has none.  `name`: the
    function's, for errors; `method`: how it is scheduled."""
    try:
        built = _scheduled(make, target, method)
        if built is None:
            return "no stage of it is work for a device"
        plan = built.plan
        return for_device(variant(built), target, lambda kernels: gain(plan, kernels), name)
    except HalideError as problem:
        return problem.text.splitlines()[0]


def device_path(make: Callable[[], BuiltPath], target: Target) -> BuiltPath | None:
    """A path that `make` makes, under a schedule for the device; None where it has none."""
    try:
        built = _scheduled(make, target)
        if built is not None:
            ptx_for(lower(built.pipeline.functions(), target).kernels, target)
        return built
    except HalideError:
        return None


def _scheduled(make: Callable[[], BuiltPath], target: Target, method: str = "") -> BuiltPath | None:
    """A path under its schedule for the device, the host's stages under theirs; None where all of it is the host's."""
    found = scheduled_path(make, target, method)
    if found is None:
        return None
    built, _ = found
    apply_default_schedule(built.pipeline, target, built.in_place, built.layouts())
    return built
