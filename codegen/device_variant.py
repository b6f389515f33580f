"""Paths as variants that run on a device where that is the faster one."""

from __future__ import annotations

from collections.abc import Callable

import halide_core as hl
from codegen.device_model import gain
from codegen.pipeline import BuiltPath
from halide_core.aot.compile import Variant
from halide_core.backend.ptx import ptx_for
from halide_core.backend.raw_device import DeviceVariant
from halide_core.backend.raw_entry import for_device
from halide_core.errors import HalideError
from halide_core.lower import lower
from halide_core.target import Target


def is_for_device(target: Target) -> bool:
    """Whether a target has a device that kernels are made for."""
    return target.has_feature("cuda")


def device_variant(
    make: Callable[[], BuiltPath], variant: Callable[[BuiltPath], Variant], target: Target, name: str
) -> DeviceVariant | str:
    """A path that `make` makes, as a `variant` under a schedule for the device; or why it has none.  `name`: the
    function's, for errors."""
    try:
        built = _scheduled(make)
        if built is None:
            return "no stage of it is work for a device"
        plan = built.plan
        return for_device(variant(built), target, lambda kernels: gain(plan, kernels), name)
    except HalideError as problem:
        return problem.text.splitlines()[0]


def device_path(make: Callable[[], BuiltPath], target: Target) -> BuiltPath | None:
    """A path that `make` makes, under a schedule for the device; None where it has none."""
    try:
        built = _scheduled(make)
        if built is not None:
            ptx_for(lower(built.pipeline.functions(), target).kernels, target)
        return built
    except HalideError:
        return None


def _scheduled(make: Callable[[], BuiltPath]) -> BuiltPath | None:
    """Point-wise outputs of two dimensions and more in tiles of 32 by 8 threads."""
    built = make()
    found = False
    for f in built.pipeline.functions():
        func = next(x for x in built.funcs.values() if x._function is f)
        if len(f.args) >= 2 and not f.updates:
            x, y = (hl.Var(a) for a in f.args[:2])
            func.gpu_tile(x, y, hl.Var("device.x"), hl.Var("device.y"), 32, 8, hl.TailStrategy.GuardWithIf)
            found = True
    return built if found else None
