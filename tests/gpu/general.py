"""Pipelines that AutoGPU was not tuned to: random ones, those of `corpus/frozen` and of `corpus/further`."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.further import further_pipelines
from corpus.pipelines.common import Built, Module, PipelineFile, Size, pipelines
from corpus.unseen.pipeline import Pipeline, random_pipeline
from corpus.unseen.script import bound_names
from tests.gpu.unlike import unlike_pipelines

_RANDOM = "random "
_SMALL = ((197, 131), (203, 150))


def written_pipelines() -> list[PipelineFile]:
    """Those after papers and libraries, of one output."""
    frozen = [p for p in pipelines("corpus.frozen") if len(p.shapes(p.size)) == 1]
    return [*frozen, *further_pipelines()]


def random_name(seed: int) -> str:
    """What the random pipeline of a seed is called."""
    return f"{_RANDOM}{seed}"


def pipeline_named(name: str) -> PipelineFile:
    """A random pipeline, or one that is written in one of the folders."""
    if name.startswith(_RANDOM):
        return _random(int(name.removeprefix(_RANDOM)))
    return {p.name: p for p in (*pipelines(), *written_pipelines(), *unlike_pipelines())}[name]


def _random(seed: int) -> PipelineFile:
    """The random pipeline of a seed; its small sizes are sources, of which some stages may be others."""
    whole = random_pipeline(seed)

    def at(size: Size) -> Pipeline:
        return whole if size == whole.source.size else random_pipeline(seed, (size[0], size[1]))

    def build(hl: Module, size: Size) -> Built:
        p = at(size)
        # Channels that are interleaved would need arrays that are.
        names = bound_names(_planar(p), (), hl)
        output = names["output"]

        def schedule() -> None:
            for f in names.values():
                if isinstance(f, hl.Func) and f is not output:
                    f.compute_root()

        return Built([names["source"]], [output], schedule)

    def arrays(size: Size, _: np.random.Generator) -> list[np.ndarray[Any, Any]]:
        return [np.ascontiguousarray(at(size).array())]

    def shapes(size: Size) -> list[tuple[int, ...]]:
        image = at(size).output
        return [(*image.size, 3) if image.channels else image.size]

    return PipelineFile(random_name(seed), whole.source.size, _SMALL, build, arrays, shapes)


def _planar(p: Pipeline) -> Pipeline:
    lines = tuple(line for line in p.lines if ".set_stride(" not in line)
    return Pipeline(p.seed, lines, p.stages, p.source, p.output, p.low, p.high, p.rounds)
