"""The pipelines of corpus/pipelines under their schedules for a device, on the emulated one."""

from __future__ import annotations

from typing import Any

import numpy as np

import halide_core as hc
from corpus.pipelines.common import PipelineFile, Size, bind, estimate, output_buffers
from halide_core.backend.ptx import to_ptx
from halide_core.gpu.runtime import device_runtime
from halide_core.lower import lower
from tests.gpu import package, running
from tests.gpu.emulator.device import Emulator

_STRICT = "-strict_float"


def inputs_of(p: PipelineFile, size: Size) -> list[np.ndarray]:
    """Arrays for the inputs of a pipeline, without gaps; channels that are interleaved stay so."""
    arrays = p.arrays(size, np.random.default_rng(0))
    return [a if a.transpose(np.argsort(a.strides)[::-1]).flags.c_contiguous else a.copy() for a in arrays]


def scheduled(module: Any, p: PipelineFile, size: Size) -> Any:
    """The pipeline with its schedule for a device."""
    built = p.build(module, size)
    assert built.device_schedule is not None, p.name
    built.device_schedule()
    return built


def on_host(p: PipelineFile, size: Size) -> list[np.ndarray]:
    """Our results by the schedule for the host."""
    built = p.build(hc, size)
    built.schedule()
    return realized(p, size, built, hc.Target("host"))


def on_device(p: PipelineFile, size: Size) -> tuple[list[np.ndarray], Emulator]:
    """Our results on an emulated device, which is left without allocations."""
    return _emulated(p, size, scheduled(hc, p, size))


def under_auto_gpu(
    p: PipelineFile, size: Size, made_for: Size, **options: str
) -> tuple[list[np.ndarray], Emulator]:
    """Our results on an emulated device, under a schedule that AutoGPU makes for images of a size `made_for`."""
    return _emulated(p, size, auto_scheduled(p, size, made_for, **options))


def auto_scheduled(p: PipelineFile, size: Size, made_for: Size, by: str = "AutoGPU", **options: str) -> Any:
    """The pipeline for images of `size`, scheduled by AutoGPU, or another method, for those of another one."""
    built = p.build(hc, size)
    estimate(built, p, made_for, p.arrays(made_for, np.random.default_rng(0)))
    params = hc.AutoschedulerParams(by, options)
    hc.Pipeline(built.outputs).apply_autoscheduler(hc.Target(running.TARGET), params)
    return built


def _emulated(p: PipelineFile, size: Size, built: Any) -> tuple[list[np.ndarray], Emulator]:
    device = Emulator()
    with device_runtime(device):
        out = realized(p, size, built, hc.Target(running.TARGET))
    for image in built.inputs:
        image.reset()
    assert running.left(device) == 0
    return out, device


def realized(p: PipelineFile, size: Size, built: Any, target: Any) -> list[np.ndarray]:
    """The results of a pipeline under the schedule that it has."""
    kept = bind(hc, built, inputs_of(p, size))
    outs = output_buffers(hc, built, p.shapes(size))
    hc.Pipeline(built.outputs).realize(outs, target)
    results = [np.array(b) for b in outs]
    for b in (*kept, *outs):
        b.device_free()
    return results


def by_package(p: PipelineFile, size: Size, like: list[np.ndarray]) -> tuple[list[np.ndarray], Emulator]:
    """The results of the package's kernels under the same schedule; `like`: ours, for their types.

    The package still makes one instruction of a multiplication and an addition."""
    import halide as hl

    built = scheduled(hl, p, size)
    (f,) = built.outputs
    device = Emulator(lockstep=True, ask_ended=True)
    out = np.zeros(like[0].shape, like[0].dtype)
    package.run(f, list(zip(built.inputs, inputs_of(p, size), strict=True)), out, device, package.TARGET + _STRICT)
    return [out], device


def kernels_of(built: Any, target: str) -> str:
    """The PTX of a pipeline that is scheduled."""
    found = lower([f._function for f in built.outputs], hc.Target(target)).kernels
    return to_ptx(found, 70)


def kernels(p: PipelineFile, size: Size, target: str) -> Any:
    """Our kernels, lowered."""
    built = scheduled(hc, p, size)
    return lower([f._function for f in built.outputs], hc.Target(target)).kernels

