"""How many blocks an SM holds at a time, as NVIDIA's occupancy calculator has it.

All numbers may be arrays, one element for each candidate."""

from __future__ import annotations

from typing import Any

import numpy as np

from halide_core.autoschedule.auto_gpu.devices import Device

WARP = 32
MOST_THREADS = 1024
"""Of a block."""
MOST_REGISTERS = 255
"""Of a thread."""
_REGISTERS_AT_ONCE = 256
"""Registers are given to warps in such portions, and warps of a block in fours."""
_WARPS_AT_ONCE = 4
_KEPT_FROM_80 = 1024
"""Bytes of shared memory of each block that the system takes, from compute capability 8.0 on."""

Number = Any
"""A number, or an array with one for each candidate."""


def blocks_of_sm(device: Device, threads: Number, registers: Number, shared: Number) -> Number:
    """Blocks that are on an SM at a time, of so many `threads`, `registers` a thread and bytes of `shared` memory; 0
    where one alone does not fit."""
    warps = -(-np.asarray(threads) // WARP)
    by_warps = device.threads // WARP // warps
    portion = -(-(np.asarray(registers) * WARP) // _REGISTERS_AT_ONCE) * _REGISTERS_AT_ONCE
    by_registers = device.registers // (portion * (-(-warps // _WARPS_AT_ONCE) * _WARPS_AT_ONCE))
    grain = 128 if device.capability >= 80 else 256
    taken = -(-np.asarray(shared) // grain) * grain + (_KEPT_FROM_80 if device.capability >= 80 else 0)
    by_shared = np.where(taken > 0, device.shared // np.maximum(taken, 1), device.blocks)
    found = np.minimum(np.minimum(by_warps, by_registers), np.minimum(by_shared, device.blocks))
    fits = (np.asarray(threads) <= MOST_THREADS) & (np.asarray(shared) <= device.shared_block)
    return np.where(fits, found, 0)


def occupancy(device: Device, threads: Number, registers: Number, shared: Number) -> Number:
    """The share of the warps of an SM that are there at a time, 0 to 1."""
    warps = -(-np.asarray(threads) // WARP)
    return blocks_of_sm(device, threads, registers, shared) * warps * WARP / device.threads


def guessed_registers(device: Device, threads: Number) -> Number:
    """The registers of a thread that the paper reckons with: as many as there are for each of one block, and 255 at
    most."""
    given = WARP * _WARPS_AT_ONCE
    block = -(-np.maximum(np.asarray(threads), 1) // given) * given
    eights = _REGISTERS_AT_ONCE // WARP
    return np.minimum(MOST_REGISTERS, device.registers // block // eights * eights)
