"""Kernels at sizes that no emulator runs whole: some blocks of each launch, whose counts stand for all of them.

Results are none.  What a kernel does where data decide is what it does with zeros in place of what other blocks would
have stored."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from halide_core.autoschedule.auto_gpu.time_model import KernelWork
from tests.gpu.emulator import machine
from tests.gpu.emulator.device import Emulator, Launched
from tests.gpu.emulator.machine import Counts
from tests.gpu.emulator.memory import GlobalMemory
from tests.gpu.test_ptxas import assembler, resources

_THREADS = 3072
"""Threads of a launch that are run, about."""
_LEAST_BLOCKS = 5
_FREE = ("move", "parameter")
"""Instructions of PTX that the assembler makes none of."""


@dataclass
class SampledEmulator(Emulator):
    """An Emulator that runs some blocks of each launch, and scales what it counts."""

    memory: GlobalMemory = field(default_factory=lambda: GlobalMemory(checked=False))
    sizes: list[dict[int, int]] = field(default_factory=list)
    """Of each launch, the bytes of the allocations that it touches, by start."""

    def launch(
        self, ptx: str, kernel: str, blocks: tuple[int, int, int], threads: tuple[int, int, int], shared: int,
        arguments: Sequence[bytes],
    ) -> None:
        module, symbols = self.loaded(ptx)
        count, size = int(np.prod(blocks)), int(np.prod(threads))
        some = min(count, max(_LEAST_BLOCKS, _THREADS // size))
        only = np.sort(np.random.default_rng(len(self.launches)).choice(count, some, replace=False))
        counts = machine.run(
            module, module.kernels[kernel], self.memory, blocks, threads, shared, list(arguments), symbols,
            machine.Lenient(self.lockstep, self.ask_ended), only,
        )
        self.launches.append(Launched(kernel, blocks, threads, shared, _scaled(counts, count / some)))
        self.sizes.append({s: self.memory.areas[s][1] for s in counts.block_sectors if s in self.memory.areas})


def _scaled(counts: Counts, factor: float) -> Counts:
    out = Counts({k: round(n * factor) for k, n in counts.instructions.items()})
    for f in dataclasses.fields(Counts):
        if f.type == "int":
            setattr(out, f.name, round(getattr(counts, f.name) * factor))
    out.block_sectors = {k: round(n * factor) for k, n in counts.block_sectors.items()}
    return out


def registers_of(device: SampledEmulator, capability: int) -> dict[str, dict[str, int]]:
    """What ptxas says of each kernel that was loaded; nothing where there is no assembler."""
    path = assembler()
    found: dict[str, dict[str, int]] = {}
    for ptx in device.texts() if path is not None else ():
        with tempfile.TemporaryDirectory() as folder:
            found |= resources(path, ptx, capability, Path(folder))
    return found


def work_of(launched: Launched, sizes: dict[int, int], used: dict[str, int]) -> KernelWork:
    """What the model of time asks of a launch; `used`: what ptxas says of its kernel."""
    counts = launched.counts
    total = max(counts.total(), 1)
    free = sum(counts.instructions.get(k, 0) for k in _FREE) / total
    sectors = counts.block_sectors
    return KernelWork(
        blocks=int(np.prod(launched.blocks)), threads=int(np.prod(launched.threads)),
        registers=used.get("registers", 32), shared=launched.shared + used.get("shared", 0),
        instructions=counts.warp_instructions * (1 - free),
        floats=_warps(counts, "float", "fused"), integers=_warps(counts, "integer", "choice", "conversion"),
        shared_accesses=counts.shared_accesses + counts.bank_conflicts, global_accesses=counts.global_accesses,
        sectors=counts.sectors, l2_bytes=32 * sum(sectors.values()),
        memory_bytes=sum(min(32 * n, sizes.get(s, 1 << 60)) for s, n in sectors.items()),
        barriers=counts.barriers, atomics=_warps(counts, "global atomic"),
    )


def _warps(counts: Counts, *names: str) -> float:
    return sum(counts.instructions.get(n, 0) for n in names) / 32


__all__ = ["SampledEmulator", "registers_of", "work_of"]
