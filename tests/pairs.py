"""Combinations of parameters, as few as have every pair of values.

What goes wrong for one value or two together is seen by these as by the whole product, which `make test-combinations`
runs; it takes three at once for a fault to be seen by that alone."""

from __future__ import annotations

import itertools
import os
from collections.abc import Hashable, Sequence

ALL = bool(os.environ.get("ALL_COMBINATIONS"))


def in_pairs(*axes: Sequence[Hashable]) -> list[tuple[Hashable, ...]]:
    """Rows of a value of each axis, such that any two values of two axes stand in some row; with ALL_COMBINATIONS set,
    the product.  The same each time."""
    rows = list(itertools.product(*axes))
    if ALL:
        return rows
    left = {p for row in rows for p in _pairs(row)}
    chosen = []
    while left:
        best = max(rows, key=lambda row: len(_pairs(row) & left))
        chosen.append(best)
        left -= _pairs(best)
    return chosen


def _pairs(row: Sequence[Hashable]) -> set[tuple[tuple[int, Hashable], ...]]:
    return set(itertools.combinations(enumerate(row), 2))
