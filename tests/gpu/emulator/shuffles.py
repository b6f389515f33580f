"""Exchanges of values within a warp: `shfl.sync`, which waits for all lanes that its mask names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.gpu.emulator.memory import DeviceError
from tests.gpu.emulator.text import Instruction, Many, NotUnderstood

WARP = 32
_ANYTHING = np.uint32(0xA5C3B1D7)


def _each(x: Any, number: int) -> Any:
    return np.broadcast_to(x, (number,))


def absent(m: Any, i: Instruction, threads: Any) -> Any:
    """Of each of the `threads` that stand at the shuffle `i`: a lane that its mask names and that is neither here nor
    has ended; -1 where there is none."""
    if "sync" not in i.mods or i.guard is not None:
        raise NotUnderstood(i.text)
    mask = _each(m.value(i.operands[4], 32, threads), len(threads))
    here = np.zeros(m.n, bool)
    here[threads] = True
    lane = m.lane[threads]
    first, lanes = threads - lane, _lanes(m, threads)
    out = np.full(len(threads), -1)
    for k in range(WARP):
        named = ((mask >> np.uint32(k)) & 1).astype(bool)
        if (~named & (lane == k)).any():
            raise DeviceError(f"shuffle: lane {k} takes part, and the mask does not name it: {i.text}")
        other = np.where(named & (k < lanes), first + k, threads)
        out = np.where(~here[other] & ~m.exited[other], k, out)
    return out


def _lanes(m: Any, threads: Any) -> Any:
    """How many lanes the warps of threads have."""
    return np.minimum(m.per_block - (threads % m.per_block - m.lane[threads]), WARP)


def shuffle(m: Any, i: Instruction, threads: Any) -> None:
    """Gives each of the threads, all that take part, the value of another."""
    mode = next(x for x in i.mods if x in ("up", "down", "bfly", "idx"))
    to = i.operands[0]
    d, p = to.items if isinstance(to, Many) else (to, None)
    value = np.zeros(m.n, np.uint32)
    value[threads] = _each(m.value(i.operands[1], 32, threads), len(threads))
    here = np.zeros(m.n, bool)
    here[threads] = True
    b, c = (_each(m.value(o, 32, threads), len(threads)).astype(np.int64) for o in i.operands[2:4])
    lane = m.lane[threads].astype(np.int64)
    clamp, mask = c & 31, (c >> 8) & 31
    most, least = (lane & mask) | (clamp & ~mask), lane & mask
    b = b & 31
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": least | (b & ~mask)}[mode]
    good = source >= most if mode == "up" else source <= most
    picked = np.where(good, source, lane)
    there = picked < _lanes(m, threads)
    lost = ~there | ~here[np.where(there, threads - lane + picked, threads)]
    if lost.any() and not m.ask_ended:
        raise DeviceError(f"shuffle: lane {int(picked[lost][0])}, whose value is asked for, is not there: {i.text}")
    # What is asked of a lane that has ended is anything; the package's kernels do so, and make no use of it.
    found = np.where(lost, _ANYTHING, value[np.where(lost, threads, threads - lane + picked)])
    m.put(d, found, "b32", threads)
    if p is not None:
        m.put(p, good, "pred", threads)
