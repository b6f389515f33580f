"""Calls the functions of `frontend/programs/temporaries.cpp` of two libraries, the original's first, and compares."""

from __future__ import annotations

import ctypes
import sys

import numpy as np

WIDTH, HEIGHT = 3000, 800


def pointer(a: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(a.ctypes.data)


def results(path: str) -> list[np.ndarray]:
    library = ctypes.CDLL(path)
    rng = np.random.default_rng(1)
    source = rng.integers(0, 256, HEIGHT * (WIDTH + 4) + 64).astype(np.uint8)
    blurred = np.zeros(HEIGHT * WIDTH, np.uint8)
    library["_Z5blur2PhPKhii"](pointer(blurred), pointer(source), WIDTH, HEIGHT)
    in_place = source[: HEIGHT * WIDTH].copy()
    library["_Z7columnsPhii"](pointer(in_place), WIDTH, HEIGHT)
    return [blurred, in_place]


same = [np.array_equal(a, b) for a, b in zip(*map(results, sys.argv[1:3]), strict=True)]
sys.exit(0 if all(same) else f"differ: {same}")
