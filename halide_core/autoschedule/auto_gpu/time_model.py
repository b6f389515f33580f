"""How long a kernel takes on a device, by what it does: the greatest of several roofs.

What a kernel does is counted by an emulator, with registers told by ptxas, or estimated from its schedule. The numbers
of time_model.toml are declared until a device has measured them. Counts may be arrays, with an element for each
candidate."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halide_core.autoschedule.auto_gpu.devices import Device
from halide_core.autoschedule.auto_gpu.occupancy import WARP, Number, blocks_of_sm

FILE = Path(__file__).with_name("time_model.toml")
SECTOR = 32
"""Bytes."""


@functools.cache
def _numbers() -> Mapping[str, float]:
    table = tomllib.loads(FILE.read_text())
    return {name: float(value) for name, value in table.items() if name != "origin"}


@dataclass(frozen=True, slots=True)
class KernelWork:
    """What one launch does, all blocks together.

    `blocks`, `threads`: how many, and of a block; `registers`: of a thread; `shared`: bytes of a block; `instructions`:
    of warps, those included that access memory; `floats`, `integers`: of warps, by type; `shared_accesses`: of warps,
    turns of conflicts included; `global_accesses`: of warps; `sectors`: of 32 bytes, for each access of a warp apart;
    `l2_bytes`: what blocks need each once; `memory_bytes`: what the kernel needs once; `barriers`: of blocks;
    `atomics`: of warps, in global memory."""

    blocks: Number
    threads: Number
    registers: Number
    shared: Number
    instructions: Number
    floats: Number = 0
    integers: Number = 0
    shared_accesses: Number = 0
    global_accesses: Number = 0
    sectors: Number = 0
    l2_bytes: Number = 0
    memory_bytes: Number = 0
    barriers: Number = 0
    atomics: Number = 0


def roofs(device: Device, work: KernelWork) -> dict[str, Number]:
    """Seconds of a launch by each limit: `instructions`, `shared`, `l1`, `l2`, `memory`, `latency`, the last with what
    is under way at a time; infinite where a block does not fit."""
    n = _numbers()
    rate = device.sms * device.clock * 1e9
    # A grid smaller than the device keeps only as many SMs busy.
    busy = np.minimum(1.0, np.asarray(work.blocks, float) / device.sms)
    cycles = np.maximum(
        np.asarray(work.instructions) / n["schedulers"],
        np.maximum(
            np.asarray(work.floats) * WARP / device.float_lanes, np.asarray(work.integers) * WARP / device.int_lanes
        ),
    )
    return {
        "instructions": cycles / (rate * busy),
        "shared": np.asarray(work.shared_accesses) / n["shared_turns"] / (rate * busy),
        "l1": (np.asarray(work.sectors) / n["l1_sectors"] + np.asarray(work.atomics) / n["atomics"]) / (rate * busy),
        "l2": np.asarray(work.l2_bytes) / (device.l2 * 1e9),
        "memory": np.asarray(work.memory_bytes) / (device.memory * 1e9),
        "latency": _latency(device, work),
    }


def kernel_seconds(device: Device, work: KernelWork) -> Number:
    """Seconds of a launch: the greatest of the roofs, and what a launch takes in any case."""
    found = roofs(device, work)
    total = found["instructions"]
    for seconds in found.values():
        total = np.maximum(total, seconds)
    return total + _numbers()["launch"]


def limit(device: Device, work: KernelWork) -> str:
    """The roof that a launch is under; "launch" where it does next to nothing."""
    found = roofs(device, work)
    name = max(found, key=lambda k: float(found[k]))
    return name if float(found[name]) > _numbers()["launch"] else "launch"


def copy_seconds(calls: Number, size: Number) -> Number:
    """Seconds of copies between host and device: how many, and bytes of them together."""
    n = _numbers()
    return calls * n["copy_call"] + size / n["copy"]


def host_seconds(operations: Number) -> Number:
    """Seconds of so many operations on the host."""
    return operations / _numbers()["host"]


def _latency(device: Device, work: KernelWork) -> Number:
    """Seconds in which a warp goes through its part, one after the other of as many as there is room for."""
    n = _numbers()
    at_once = blocks_of_sm(device, work.threads, work.registers, work.shared)
    waves = np.ceil(np.asarray(work.blocks, float) / np.maximum(at_once * device.sms, 1))
    warps = np.maximum(np.asarray(work.blocks) * -(-np.asarray(work.threads) // WARP), 1)
    memory = np.asarray(work.shared_accesses) + np.asarray(work.global_accesses)
    # What a block has read before lies in the first cache.
    missed = np.minimum(np.asarray(work.l2_bytes) / SECTOR / np.maximum(np.asarray(work.sectors), 1), 1.0)
    access = missed * n["global_cycles"] + (1 - missed) * n["cached_cycles"]
    cycles = (
        np.maximum(np.asarray(work.instructions) - memory, 0) * n["arithmetic_cycles"] / n["arithmetic_overlap"]
        + np.asarray(work.shared_accesses) * n["shared_cycles"] / n["shared_overlap"]
        + np.asarray(work.global_accesses) * access / n["global_overlap"]
    ) / warps + np.asarray(work.barriers) / np.maximum(np.asarray(work.blocks), 1) * n["barrier_cycles"]
    return np.where(at_once > 0, waves * cycles / (device.clock * 1e9), np.inf)
