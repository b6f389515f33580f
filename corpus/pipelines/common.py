"""What a pipeline's file defines, and running it under either module.

A file `NAME.py` of this folder, or of `corpus/frozen`, has

    SIZE                              width, height (and what else it needs) of the papers' measurements
    SMALL                             three small sizes, odd ones among them
    build(hl, size) -> Built          the pipeline, unscheduled, and how to schedule it by hand
    arrays(size, rng) -> [array]      inputs; numpy's axes are Halide's in reverse order
    shapes(size) -> [(extent, ...)]   extents of the outputs, in Halide's order"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Size = tuple[int, ...]
Module = Any
"""`halide` or `halide_core`."""


@dataclass(frozen=True, slots=True)
class Built:
    """A pipeline: the ImageParams in the order of `arrays`, the output Funcs, and the schedules by hand, for the host
    and (where there is one) for a CUDA device, of which one is to be called."""

    inputs: list[Any]
    outputs: list[Any]
    schedule: Callable[[], None]
    device_schedule: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """One file of this folder."""

    name: str
    size: Size
    small: tuple[Size, ...]
    build: Callable[[Module, Size], Built]
    arrays: Callable[[Size, np.random.Generator], list[np.ndarray[Any, Any]]]
    shapes: Callable[[Size], list[tuple[int, ...]]]


def pipelines(package: str = "corpus.pipelines") -> list[PipelineFile]:
    """Every pipeline of a folder, by name."""
    found = []
    for info in pkgutil.iter_modules(importlib.import_module(package).__path__):
        m = importlib.import_module(f"{package}.{info.name}")
        if hasattr(m, "build"):
            found.append(PipelineFile(info.name, m.SIZE, m.SMALL, m.build, m.arrays, m.shapes))
    return found


def named_pipelines(names: Sequence[str], package: str = "corpus.pipelines") -> list[PipelineFile]:
    """Those of `names`, or all where there are none.  Raises KeyError, with a message, for a name that none has."""
    known = pipelines(package)
    unknown = sorted(set(names) - {p.name for p in known})
    if unknown:
        raise KeyError(f"no pipeline '{unknown[0]}'; there are {', '.join(p.name for p in known)}")
    return [p for p in known if not names or p.name in names]


def estimate(built: Built, p: PipelineFile, size: Size, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Tells the estimates of inputs and outputs to autoschedulers."""
    for image, array in zip(built.inputs, arrays, strict=True):
        image.set_estimates([(0, n) for n in reversed(array.shape)])
    for f, extents in zip(built.outputs, p.shapes(size), strict=True):
        f.set_estimates([(0, n) for n in extents])


def bind(hl: Module, built: Built, arrays: list[np.ndarray[Any, Any]]) -> list[Any]:
    """Gives the inputs their arrays; returns the Buffers, which the caller must keep."""
    buffers = [hl.Buffer(a) for a in arrays]
    for image, b in zip(built.inputs, buffers, strict=True):
        image.set(b)
    return buffers


def output_buffers(hl: Module, built: Built, extents: list[tuple[int, ...]]) -> list[Any]:
    """New Buffers for the outputs."""
    return [hl.Buffer(f.type(), list(e)) for f, e in zip(built.outputs, extents, strict=True)]


def run(hl: Module, p: PipelineFile, size: Size, *, scheduled: bool, seed: int = 0) -> list[np.ndarray[Any, Any]]:
    """Builds, compiles and runs a pipeline; returns its outputs.  Floats are computed as written (`strict_float`)."""
    built = p.build(hl, size)
    if scheduled:
        built.schedule()
    kept = bind(hl, built, p.arrays(size, np.random.default_rng(seed)))
    outs = output_buffers(hl, built, p.shapes(size))
    hl.Pipeline(built.outputs).realize(outs, hl.Target("host-strict_float"))
    del kept
    return [np.array(b) for b in outs]
