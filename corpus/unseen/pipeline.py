"""Random pipelines, each the same text for its seed, over either module."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corpus.unseen import channels, points, reductions, resampling, stencils
from corpus.unseen.definitions import SOURCE, Definitions
from corpus.unseen.points import BORDERS, bordered, combined
from corpus.unseen.stage import Plane, Stage
from corpus.unseen.values import HALIDE, INTEGERS, NUMPY, Value, cast, stored

Array = np.ndarray[Any, Any]
OUTPUT = "output"
_TYPES = ("u8", "u8", "u16", "i16", "i32", "f32", "f32", "f32")
_WIDTHS = (640, 720, 801, 1000, 1024, 1277, 1280, 1536, 1920, 1999, 2048, 2304)
# Pixels of a source's plane.
_LEAST, _MOST = 300_000, 4_000_000
# Beyond the reach of what a source without borders is read at, for tails of vectors and tiles.
_SLACK = 80
_ANY: list[tuple[int, Callable[[Definitions], None]]] = [
    (4, stencils.rows), (4, stencils.columns), (5, stencils.separable), (7, stencils.window), (3, stencils.extremes),
    (3, stencils.convolution), (2, stencils.best_match), (5, points.curve), (12, points.combine), (3, points.pair),
    (3, points.edges), (5, resampling.half), (4, resampling.double), (4, resampling.resize), (1, resampling.transposed),
    (1, resampling.displaced), (3, reductions.histogram), (4, reductions.lookup), (5, reductions.scan),
    (2, reductions.totals), (3, channels.mosaic), (2, channels.coloured), (2, channels.demosaiced),
]  # fmt: skip
_COLOUR: list[tuple[int, Callable[[Definitions], None]]] = [
    (8, channels.grey), (6, channels.coloured), (5, channels.gained), (3, channels.shifted_channels),
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Image:
    """An array of the pipeline's: extents along x, y and, with channels, 3; type; whether channels are interleaved."""

    size: tuple[int, int]
    type: str
    channels: bool = False
    interleaved: bool = False

    def empty(self) -> Array:
        """Memory for it; axes in reverse of Halide's order."""
        width, height = self.size
        dtype = NUMPY[self.type]
        if not self.channels:
            return np.zeros((height, width), dtype)
        if self.interleaved:
            return np.zeros((height, width, 3), dtype).transpose(2, 0, 1)
        return np.zeros((3, height, width), dtype)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A pipeline as lines of text that bind `source` and `output`, and what a schedule must know of its stages.

    `rounds`: the output's integers are rounded floats, so that two modules may differ by one."""

    seed: int
    lines: tuple[str, ...]
    stages: tuple[Stage, ...]
    source: Image
    output: Image
    low: float
    high: float
    rounds: bool

    def array(self) -> Array:
        """The source's pixels."""
        made, rng = self.source.empty(), np.random.default_rng(self.seed)
        if self.source.type == "f32":
            made[...] = rng.random(made.shape, np.float32)
        else:
            made[...] = rng.integers(int(self.low), int(self.high) + 1, made.shape)
        return made


def random_pipeline(seed: int, size: tuple[int, int] | None = None) -> Pipeline:
    """The pipeline of a seed: of 2 to 15 stages, on 0.3 to 4 megapixels, or on a source of another `size`, of which
    some stages may then be others."""
    rng = random.Random(f"pipeline {seed}")
    d, source, interleaved, padded = _begin(rng, size)
    colour = source.channels
    count = rng.choice((1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13))
    while len(d.stages) < count:
        kinds = _ANY + (_COLOUR if any(p.channels for p in d.planes) else [])
        make = rng.choices([k for _, k in kinds], [w for w, _ in kinds])[0]
        make(d)
        d.forget()
    output, rounds, reach = _output(d)
    stages = _needed(d.stages)
    margin = math.ceil(reach) + _SLACK if padded else 0
    image = Image((source.size[0] + 2 * margin, source.size[1] + 2 * margin), source.type, colour, interleaved)
    lines = [f"MARGIN = {margin}"] if padded else []
    lines += [f'{SOURCE} = hl.ImageParam({HALIDE[source.type]}, {3 if colour else 2}, "{SOURCE}")']
    if interleaved:
        lines.append(f"{SOURCE}.dim(0).set_stride(3), {SOURCE}.dim(2).set_stride(1), {SOURCE}.dim(2).set_bounds(0, 3)")
    lines += [line for s in stages for line in s.lines]
    if output.interleaved:
        buffer = f"{OUTPUT}.output_buffer()"
        lines.append(f"{buffer}.dim(0).set_stride(3), {buffer}.dim(2).set_stride(1), {buffer}.dim(2).set_bounds(0, 3)")
    return Pipeline(seed, tuple(lines), tuple(stages), image, output, source.low, source.high, rounds)


def _begin(rng: random.Random, other: tuple[int, int] | None) -> tuple[Definitions, Plane, bool, bool]:
    """A source with borders or a margin; whether its channels are interleaved, and whether it is the margin."""
    colour = rng.random() < 0.3
    t = rng.choice(_TYPES)
    width = rng.choice(_WIDTHS)
    most = _MOST // 3 if colour else _MOST
    height = rng.randint(max(200, _LEAST // width), max(most // width, _LEAST // width + 1))
    if rng.random() < 0.4:
        height -= height % 16
    size = other or (width, height)
    low, high = (0.0, 1.0) if t == "f32" else map(float, INTEGERS[t])
    if t == "i32":
        low, high = -4000.0, 4000.0
    elif t == "u16":
        high = float(rng.choice((1023, 4095, 65535)))
    elif t == "i16":
        low, high = (-1024.0, 1023.0)
    padded = rng.random() < 0.25
    d = Definitions(rng, size)
    source = Plane(SOURCE, t, low, high, size, colour)
    d.planes.append(source)
    if padded:
        # Room for what stencils read beyond the edges, as cameras' images have.
        v = d.read(source, "x + MARGIN", "y + MARGIN", access="stencil")
        d.plane("inner", source, Value(v.text, t, low, high))
    else:
        bordered(d, source, rng.choice(BORDERS))
    # Nothing else reads the source, which has no pixels beyond its edges.
    d.planes.pop(0)
    return d, source, colour and rng.random() < 0.5, padded


def _output(d: Definitions) -> tuple[Image, bool, float]:
    """The last stage: what is left over of the last plane's size, together.  Also how far all of it reads."""
    rng = d.rng
    p = d.planes[-1]
    unused = [q for q in d.planes[:-1] if q.func not in d.used and q.size == p.size and q.channels <= p.channels]
    v, exact = d.near(p, 0, 0), p.exact
    for q in unused[-2:]:
        exact = exact and q.exact
        v = combined(d, stored(rng, v), d.near(q, 0, 0), exact)
    v = stored(rng, v)
    rounds = False
    if v.is_float and rng.random() < 0.35:
        scale = 250 / max(v.magnitude(), 1e-3)
        text = f"hl.u8(hl.clamp(hl.abs({v.text}) * hl.f32({scale:.5g}) + hl.f32(0.5), hl.f32(0), hl.f32(255)))"
        v, rounds = Value(text, "u8", 0, 255), True
    elif not v.is_float and rng.random() < 0.4:
        v = Value(f"hl.u8(hl.clamp({v.text}, 0, 255))", "u8", 0, 255) if v.type != "u8" else cast(v, "u8")
    rounds = rounds or (not v.is_float and not exact)
    dims = ["x", "y", "c"] if p.channels else ["x", "y"]
    s = d.stage("output", dims, [v], d.extents(p))
    s.lines = [line.replace(s.name, OUTPUT) for line in s.lines]
    s.name = OUTPUT
    d.done(s, p.size, p.scale)
    return Image(p.size, v.type, p.channels, p.channels and rng.random() < 0.5), rounds, d.planes[-1].reach


def _needed(stages: list[Stage]) -> list[Stage]:
    """Those that the last one needs, in their order."""
    wanted = {stages[-1].name}
    for s in reversed(stages):
        if s.name in wanted:
            wanted |= s.callees().keys()
    return [s for s in stages if s.name in wanted]
