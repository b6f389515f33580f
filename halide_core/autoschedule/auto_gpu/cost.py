"""The cost of a group by the paper's listing 1, and by the model of time."""

from __future__ import annotations

import numpy as np

from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.occupancy import MOST_THREADS, WARP, guessed_registers, occupancy
from halide_core.autoschedule.auto_gpu.time_model import KernelWork, kernel_seconds, roofs

_OCCUPANCY_THRESHOLD = 0.1
_GLOBAL_LOAD = 40.0
"""Operations that an access of global memory takes, and below, of shared memory."""
_SHARED_LOAD = 4.0
_OF_OTHERS = 0.01
"""What each roof counts beside the greatest: what is told of a kernel is not exact, nor are roofs quite apart."""


def by_time(device: Device, work: KernelWork, valid: np.ndarray) -> np.ndarray:
    """Seconds of each candidate, and of those that are alike by their greatest roof less for lower others; infinite for
    those that are not valid."""
    others = sum(roofs(device, work).values())
    return np.where(valid, kernel_seconds(device, work) + _OF_OTHERS * others, np.inf)


def by_listing(device: Device, work: KernelWork, valid: np.ndarray, last: bool) -> np.ndarray:
    """Listing 1 for each candidate; infinite for those that are not valid: occupancy below a threshold, too many
    threads, SMs without a block, too much shared memory, and in the `last` pass blocks that are not of whole warps.

    Loads of what lies outside of the group count by the sectors that a warp touches, which is the paper's division by
    consecutive loads."""
    threads = np.asarray(work.threads)
    share = occupancy(device, threads, guessed_registers(device, threads), work.shared)
    active = np.maximum(share * device.threads, 1)
    valid = valid & (share >= _OCCUPANCY_THRESHOLD) & (threads <= MOST_THREADS)
    valid = valid & (np.asarray(work.shared) <= device.shared_block)
    # A pipeline too small to give each SM a block gives some none.
    enough = np.asarray(work.blocks) >= device.sms
    valid = valid & (enough | (np.asarray(work.blocks) * threads < device.sms * WARP * 8))
    if last:
        valid = valid & (threads % WARP == 0)
    arithmetic = np.asarray(work.instructions) * WARP / (np.maximum(share, 1e-9) * active)
    memory = np.asarray(work.sectors) * _GLOBAL_LOAD + np.asarray(work.shared_accesses) * WARP * _SHARED_LOAD
    cost = arithmetic + memory / (np.maximum(share, 1e-9) * active)
    return np.where(valid, cost, np.inf)
