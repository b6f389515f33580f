"""Random image pipelines to measure schedules on: chains and diamonds of stencils, point-wise stages, resampling and
mathematics, over the types that images have."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.pipelines.common import Module

_SIZES = ((320, 200), (640, 480), (1024, 768), (1536, 1024), (2048, 1200))
_TYPES = ("uint8", "uint16", "int32", "float32", "float32")


@dataclass(slots=True)
class RandomPipeline:
    """A pipeline of one input and one output, with estimates; `array` is the input, `extents` those of the output."""

    image: Any
    output: Any
    array: np.ndarray[Any, Any]
    extents: tuple[int, int]


def random_pipeline(hl: Module, seed: int) -> RandomPipeline:
    """The pipeline that `seed` stands for, of two to four stages."""
    rng = random.Random(seed)
    width, height = rng.choice(_SIZES)
    x, y = hl.Var("x"), hl.Var("y")
    name = rng.choice(_TYPES)
    types = {"uint8": hl.UInt(8), "uint16": hl.UInt(16), "int32": hl.Int(32), "float32": hl.Float(32)}
    image = hl.ImageParam(types[name], 2, "image")
    edge = hl.BoundaryConditions.repeat_edge(image, [(0, width), (0, height)])
    wide = hl.Float(32) if name == "float32" else hl.Int(32)
    # Each with how often it is sampled more densely than the input.
    stages: list[tuple[Any, int]] = [(edge, 0)]
    for k in range(rng.randint(1, 3)):
        f = hl.Func(f"s{k}")
        value, scale = _stage(hl, rng, *rng.choice(stages[-2:]), wide, x, y)
        f[x, y] = value
        stages.append((f, scale))
    output = hl.Func("result")
    value, scale = _stage(hl, rng, *stages[-1], wide, x, y)
    other = [f for f, at in stages[1:-1] if at == scale]
    if other and rng.random() < 0.6:
        value = value - hl.cast(wide, other[-1][x, y])
    output[x, y] = hl.cast(types[name], hl.clamp(value, 0, 200))
    image.set_estimates([(0, width), (0, height)])
    output.set_estimates([(0, width), (0, height)])
    values = np.random.default_rng(seed).integers(0, 200, (height, width)).astype(name)
    return RandomPipeline(image, output, values, (width, height))


def _stage(hl: Module, rng: random.Random, f: Any, scale: int, wide: Any, x: Any, y: Any) -> tuple[Any, int]:
    """What a stage computes of an earlier one that is sampled at `scale`, at type `wide`; and its own scale."""
    floats = wide == hl.Float(32)

    def at(dx: Any, dy: Any) -> Any:
        return hl.cast(wide, f[dx, dy])

    match rng.choice(("rows", "columns", "window", "window", "point", "mathematics", "half", "double")):
        case "rows":
            n = rng.randint(1, 5)
            return sum((at(x + k, y) * (k % 3 + 1) for k in range(1, n + 1)), at(x, y)) / (2 * n), scale
        case "columns":
            n = rng.randint(1, 5)
            return sum((at(x, y + k) * (k % 3 + 1) for k in range(1, n + 1)), at(x, y)) / (2 * n), scale
        case "window":
            places = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
            return sum((at(x + i, y + j) for i, j in places), 2 * at(x, y)) / 10, scale
        case "mathematics" if floats:
            name = rng.choice(("sqrt", "exp", "sin"))
            return getattr(hl, name)(hl.abs(at(x, y)) / 100.0) * 50.0, scale
        case "half" if scale < 1:
            return at(x / 2, y / 2) + at((x + 1) / 2, y / 2), scale + 1
        case "double" if scale > -1:
            return (at(2 * x, 2 * y) + at(2 * x + 1, 2 * y + 1)) / 2, scale - 1
    value = at(x, y)
    return hl.select(value > 100, value - 30, value * 2 + at(x, y) / 3), scale
