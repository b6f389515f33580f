"""The least time that a pipeline can take on this machine: what its memory and its arithmetic allow, on all threads."""

from __future__ import annotations

import functools
import math
import operator
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import halide_core as hl
from corpus.pipelines.common import PipelineFile, Size, estimate
from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description, Stage
from halide_core.target import Target
from lifter.harness.timing import threads

_RUNS = 15
# Points, chains and steps of the kernel that tells how many of the costs' cycles pass in a second.  With fewer chains
# it would wait for its own results.
_POINTS, _CHAINS, _STEPS = 1 << 20, 12, 16


def memory_ms(p: PipelineFile, size: Size) -> float:
    """Milliseconds of copying as many bytes as the inputs and outputs have, by NumPy on as many threads."""
    arrays = p.arrays(size, np.random.default_rng(0))
    built = p.build(hl, size)
    total = sum(a.nbytes for a in arrays)
    for f, extents in zip(built.outputs, p.shapes(size), strict=True):
        total += math.prod(extents) * sum(t.bytes() for t in f._function.types)
    count = threads()
    parts = [(np.zeros(total // 2 // count, np.uint8), np.ones(total // 2 // count, np.uint8)) for _ in range(count)]
    with ThreadPoolExecutor(count) as pool:
        return 1e3 * _least(lambda: list(pool.map(lambda pair: np.copyto(*pair), parts)))


def arithmetic_ms(p: PipelineFile, size: Size, target: str) -> float:
    """Milliseconds of the arithmetic of each Func on the points that the outputs need, each once, loads and stores
    apart, in vectors where there may be some: the costs' cycles, at the speed at which they pass on this machine."""
    built = p.build(hl, size)
    estimate(built, p, size, p.arrays(size, np.random.default_rng(0)))
    return 1e3 * _cycles(built.outputs, hl.Target(target)) / _speed(target)


def _cycles(outputs: list[Any], target: Target) -> float:
    description = Description([f._function for f in outputs])
    costs = Costs(description, target)
    return sum(
        float(description.iterations(stage, node.region)) * _point(stage, costs, node.bytes)
        for node in description.nodes.values() for stage in node.stages
    )


def _point(stage: Stage, costs: Costs, width: int) -> float:
    register = costs.target.vector_bytes
    cycles = stage.cost.cycles(register)
    # Lane by lane: each instruction costs as much as one on a whole register.
    return cycles if costs.ways[stage.func, stage.index].vector is not None else cycles * register / max(width, 4)


@functools.cache
def _speed(target: str) -> float:
    """Cycles of the costs in a second, of all threads: chains of multiplications and additions, from the cache."""
    x = hl.Var("x")
    image, out = hl.ImageParam(hl.Float(32), 1, "image"), hl.Func("out")
    chains = [image[x] + hl.f32(k) for k in range(_CHAINS)]
    for _ in range(_STEPS):
        chains = [c * image[x] + hl.f32(0.5) for c in chains]
    out[x] = functools.reduce(operator.add, chains)
    for f in (image, out):
        f.set_estimates([(0, _POINTS)])
    cycles = _cycles([out], hl.Target(target))
    hl.Pipeline([out]).apply_autoscheduler(hl.Target(target), hl.AutoschedulerParams("Reuse2019"))
    values, result = hl.Buffer(np.full(_POINTS, 0.5, np.float32)), hl.Buffer(hl.Float(32), [_POINTS])
    image.set(values)
    pipeline = hl.Pipeline([out])
    return cycles / _least(lambda: pipeline.realize([result], hl.Target(target)))


def _least(call: Any) -> float:
    """The least seconds of several calls."""
    call()
    times = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
