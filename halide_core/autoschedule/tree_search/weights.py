"""The weights of TreeSearch's cost: nanoseconds a unit of each feature.

They stand in weights.toml, which `python -m corpus.bench.fit_tree_search` writes and which says what they were fitted
to."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from halide_core.autoschedule.tree_search.features import NAMES, Vector

FILE = Path(__file__).with_name("weights.toml")
WEIGHTS: dict[str, float] = {n: float(w) for n, w in tomllib.loads(FILE.read_text())["nanoseconds"].items()}


def as_vector(weights: dict[str, float]) -> Vector:
    """The weights in the order of the features."""
    return np.array([weights[n] for n in NAMES])
