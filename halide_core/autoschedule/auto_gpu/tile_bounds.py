"""Which tiles are tried: the bounds of section 4.2, powers of two first, and steps of two around what was found."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from halide_core.autoschedule.auto_gpu.occupancy import MOST_THREADS, WARP, Number

_LONG, _VERY_LONG = 64, 1024
_EACH = (1, 2, 4, 8)
"""Outputs of a thread along rows' other dimension."""
_MOST_EACH = 16
"""Outputs of a thread."""
_MOST_COLUMN = 24
"""Points of a short third dimension, all of which one thread may have."""


def least(extent: int) -> int:
    """T_min of the paper."""
    return 8 if extent >= _LONG else 2


def most(extent: int, tiled: int) -> int:
    """T_max of the paper, where `tiled` dimensions are."""
    if extent >= _VERY_LONG:
        return extent // (128 if tiled == 1 else 32)
    return max(extent // 2, 1)


@dataclass(frozen=True, slots=True)
class Tiles:
    """Candidates, an element of each array for each: `threads` and `each` by dimension, the one along memory first;
    `whole`: whether a block's Funcs have a thread for each point."""

    threads: tuple[np.ndarray, ...]
    each: tuple[np.ndarray, ...]
    whole: np.ndarray

    def __len__(self) -> int:
        return len(self.whole)

    def chosen(self, which: np.ndarray) -> Tiles:
        """Some of the candidates."""
        return Tiles(tuple(t[which] for t in self.threads), tuple(e[which] for e in self.each), self.whole[which])


def product_of(count: int, factors: Iterable[Number]) -> Number:
    """The product of numbers and arrays of `count` elements."""
    total: Number = np.ones(count)
    for f in factors:
        total = total * f
    return total


def _powers(low: int, high: int) -> list[int]:
    return [1 << k for k in range(11) if low <= 1 << k <= max(high, low)]


@functools.lru_cache(maxsize=256)
def power_of_two_tiles(extents: tuple[int, ...], register_tiles: bool, paper: bool) -> Tiles:
    """The tiles of the first pass, for up to three dimensions of such extents; `paper`: within its bounds, and one
    output a thread."""
    tiled = sum(e >= 2 for e in extents[:2])
    choices: list[list[int]] = []
    for k, extent in enumerate(extents[:2]):
        if paper:
            choices.append(_powers(least(extent), most(extent, tiled)))
        else:
            choices.append(_powers(min(8, extent) if not k else 1, min(extent * 2 - 1, 256 if not k else 32)))
    rows: list[tuple[int, ...]] = []
    each = _EACH if register_tiles and not paper else (1,)
    flags = (True, False)
    for threads in product(*choices):
        if not _likely(threads, extents):
            continue
        for e in product(*[each if k else (1, 2, 4) if len(each) > 1 else (1,) for k in range(len(choices))]):
            if math.prod(e) > _MOST_EACH or any(a * t > 2 * x for a, t, x in zip(e, threads, extents, strict=False)):
                continue
            if all(a == 1 for a in e) or len(each) > 1:
                rows += [(*threads, *e, w) for w in flags]
    found = _of(rows, len(choices), len(extents))
    if len(extents) < 3 or len(each) == 1 or not 1 < extents[2] <= _MOST_COLUMN:
        return found
    alone = [r for r in rows if all(a == 1 for a in r[len(choices) : 2 * len(choices)])]
    return _both(found, _of(alone, len(choices), len(extents), extents[2]))


def _both(a: Tiles, b: Tiles) -> Tiles:
    """All of the candidates of two tables."""
    return Tiles(
        tuple(map(np.concatenate, zip(a.threads, b.threads, strict=True))),
        tuple(map(np.concatenate, zip(a.each, b.each, strict=True))), np.concatenate((a.whole, b.whole)),
    )


def finer_tiles(threads: Sequence[int], each: Sequence[int], whole: bool, extents: Sequence[int]) -> Tiles:
    """The tiles of the second pass: of sizes in steps of two around those of the first one."""
    choices = [range(max(2, t // 2), t * 2 + 1, 2) if t > 1 else (1,) for t in threads[:2]]
    rows = [(*t, *each[:2], whole) for t in product(*choices) if _likely(t, extents)]
    return _of(rows, len(choices), len(extents), each[2] if len(each) > 2 else 1)


def _likely(threads: Sequence[int], extents: Sequence[int]) -> bool:
    """Whether a block is no more than allowed, and no less than a warp where there is as much to do."""
    total = math.prod(threads)
    points = math.prod(min(e, WARP) for e in extents[:2])
    return min(WARP, points) <= total <= MOST_THREADS


def _of(rows: list[tuple[int, ...]], tiled: int, dimensions: int, column: int = 1) -> Tiles:
    table = np.array(rows or np.zeros((0, 2 * tiled + 1)), dtype=np.int64).reshape(-1, 2 * tiled + 1)
    one = np.ones(len(table), np.int64)
    more = tuple(one for _ in range(tiled, dimensions))
    columns = tuple(one * (column if k == 2 else 1) for k in range(tiled, dimensions))
    return Tiles(
        (*(table[:, k] for k in range(tiled)), *more), (*(table[:, tiled + k] for k in range(tiled)), *columns),
        table[:, -1].astype(bool),
    )
