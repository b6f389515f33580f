"""Compute capabilities: what a target's devices have at least, and what their blocks may share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from halide_core.device_limits import MOST_THREADS, STATIC_SHARED

__all__ = ["MOST_THREADS", "STATIC_SHARED", "capability", "most_shared"]

if TYPE_CHECKING:
    from halide_core.target import Target

# Bytes of shared memory that a block may ask for (CUDA C++ Programming Guide, technical specifications).
_SHARED = {c: n << 10 for c, n in ((70, 96), (75, 64), (80, 163), (86, 99), (87, 163), (89, 99), (90, 227))}
_LEAST = 70


def capability(target: Target) -> int:
    """The compute capability, times ten, that code is made for: the target's cuda_capability_*, 70 at least."""
    found = [int(m[1]) for f in target.features if (m := re.fullmatch(r"cuda_capability_(\d+)", f))]
    return max([_LEAST, *found])


def most_shared(target: Target) -> int:
    """Bytes of memory that the threads of one block may share."""
    known = capability(target)
    return _SHARED[max(c for c in _SHARED if c <= known)]
