"""Pipelines after papers and libraries beyond those of `corpus/pipelines` and `corpus/frozen`, without schedules by
hand: what autoschedulers are measured on that were tuned to others."""

from __future__ import annotations

from corpus.further import stills, vision
from corpus.further.definitions import file_of
from corpus.pipelines.common import PipelineFile


def further_pipelines() -> list[PipelineFile]:
    """All of them."""
    return [file_of(x) for x in (*stills.ALL, *vision.ALL)]
