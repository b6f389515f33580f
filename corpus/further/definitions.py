"""What the pipelines of this folder are written with."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.pipelines.common import Built, Module, PipelineFile, Size

SMALL = ((131, 75), (99, 67))
_TYPES = {"u8": np.uint8, "f32": np.float32}


@dataclass(frozen=True, slots=True)
class Image:
    """An input: its name, type, and extents for a width and a height."""

    name: str
    type: str
    extents: Callable[[Size], tuple[int, ...]]


def grey(name: str, kind: str = "u8") -> Image:
    """An image of one channel."""
    return Image(name, kind, lambda s: s)


def colour(name: str, kind: str = "u8") -> Image:
    """An image of three planes."""
    return Image(name, kind, lambda s: (*s, 3))


class Stages:
    """Funcs and inputs as they are made; `one` after the other are computed whole on the host."""

    def __init__(self, hl: Module, images: tuple[Image, ...], size: Size) -> None:
        self.hl, self.funcs = hl, dict[str, Any]()
        kinds = {"u8": hl.UInt(8), "f32": hl.Float(32)}
        self.inputs = [hl.ImageParam(kinds[i.type], len(i.extents(size)), i.name) for i in images]
        self.x, self.y, self.c = (hl.Var(n) for n in ("x", "y", "c"))

    def func(self, name: str) -> Any:
        """A new Func."""
        self.funcs[name] = self.hl.Func(name)
        return self.funcs[name]

    def plane(self, name: str, value: Any) -> Any:
        """A Func of x and y."""
        f = self.func(name)
        f[self.x, self.y] = value
        return f

    def edge(self, image: Any) -> Any:
        """An image whose edges are repeated."""
        return self.hl.BoundaryConditions.repeat_edge(image)

    def separable(self, name: str, value: Callable[[Any, Any], Any], taps: list[float]) -> Any:
        """A filter of so many taps, along columns and then along rows."""
        x, y, n = self.x, self.y, len(taps) // 2
        weights = [self.hl.f32(t) for t in taps]
        down = self.plane(f"{name}_down", sum(
            (w * value(x, y + k - n) for k, w in enumerate(weights[1:], 1)), weights[0] * value(x, y - n)
        ))
        return self.plane(name, sum(
            (w * down[x + k - n, y] for k, w in enumerate(weights[1:], 1)), weights[0] * down[x - n, y]
        ))

    def built(self, output: Any) -> Built:
        """The pipeline of an output."""

        def schedule() -> None:
            for f in self.funcs.values():
                if f is not output:
                    f.compute_root()

        return Built(self.inputs, [output], schedule)


def gaussian(sigma: float, radius: int) -> list[float]:
    """Weights that sum up to one."""
    taps = [math.exp(-k * k / (2 * sigma * sigma)) for k in range(-radius, radius + 1)]
    return [t / sum(taps) for t in taps]


@dataclass(frozen=True, slots=True)
class Description:
    """A pipeline of this folder: what builds it of Stages, its inputs, the size it is measured at and small ones, and
    the extents of its output."""

    build: Callable[[Stages, Size], Any]
    images: tuple[Image, ...]
    size: Size
    extents: Callable[[Size], tuple[int, ...]] = lambda s: s
    small: tuple[Size, ...] = SMALL


def file_of(d: Description) -> PipelineFile:
    """The pipeline as those of files are described."""

    def build(hl: Module, size: Size) -> Built:
        stages = Stages(hl, d.images, size)
        return stages.built(d.build(stages, size))

    def arrays(size: Size, rng: np.random.Generator) -> list[np.ndarray[Any, Any]]:
        out: list[np.ndarray[Any, Any]] = []
        for i in d.images:
            shape = i.extents(size)[::-1]
            out.append(rng.integers(0, 256, shape, np.uint8) if i.type == "u8" else rng.random(shape, np.float32))
        return out

    return PipelineFile(d.build.__name__, d.size, d.small, build, arrays, lambda s: [d.extents(s)])
