"""The functions that are lifted with each fault, and which lines each of them runs through."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

from tests.planted.mutate import ROOT, files

FUNCTIONS = {
    "corpus/dexter/figures.cpp": ("AdjustOpacity", "DissolveMask"),
    "corpus/blend/classic.cpp": ("OverlayBlend", "ColorDodgeBlend", "NormalBlendFloat", "MultiplyRGBA"),
    "corpus/filter/stencils.cpp": ("Box3x3", "Convolve", "Downsample2x2", "MirrorHorizontal", "BlurFloat"),
    "corpus/filter/pointwise.cpp": ("Threshold", "GammaTable", "ShiftLeftSaturate", "FloatToByte", "Interleave"),
    "corpus/filter/reductions.cpp": ("Histogram", "RowSums", "MinMax", "PrefixSum", "MaxFloat"),
    "corpus/filter/words.cpp": ("ArgbToRgb565", "ScaleByFours"),
    "corpus/filter/drivers.cpp": ("InvertOrHalve", "SubtractByCallback"),
    "corpus/filter/classes.cpp": ("gain_view",),
    "corpus/sse_blend/layers.cpp": ("SseMultiplyBlend", "SseThreshold", "SseAverage"),
    "corpus/sse_blend/pixels.cpp": ("SsePremultiply", "SseBgraToGrey16", "SseClampFloat", "SseSumAbsDifference"),
}


def lines_of_functions(cache: Path) -> dict[str, dict[str, list[str]]]:
    """For each file and line of the planted modules the sample's functions that run through it ("file:name").

    Kept in `cache`: tracing is slow."""
    if not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps(_traced()))
    found: dict[str, dict[str, list[str]]] = json.loads(cache.read_text())
    return found


def _traced() -> dict[str, dict[str, list[str]]]:
    from lifter.api import lift_file

    wanted = {str(ROOT / f): f for _, f in files()}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    now = ""

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        file = wanted.get(frame.f_code.co_filename)
        if file is None:
            return None
        if event == "line":
            own = found[file][str(frame.f_lineno)]
            if not own or own[-1] != now:
                own.append(now)
        return trace

    for file, names in FUNCTIONS.items():
        for name in names:
            now = f"{file}:{name}"
            with tempfile.TemporaryDirectory() as out:
                sys.settrace(trace)
                try:
                    kinds = ("dsl", "shared")
                    lift_file(str(ROOT / file), functions=[name], out=out, emit=kinds, isolate=False, run=False)
                finally:
                    sys.settrace(None)
            if os.environ.get("LIFT_DEBUG"):
                print(now, file=sys.stderr)
    return found
