"""The emulator as a device that pipelines run on."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.gpu.emulator import machine
from tests.gpu.emulator.machine import Counts
from tests.gpu.emulator.memory import DeviceError, GlobalMemory
from tests.gpu.emulator.text import Module, parse

MOST_THREADS, MOST_SHARED = 1024, 227 << 10


@dataclass
class Launched:
    """One launch, and what it did."""

    kernel: str
    blocks: tuple[int, int, int]
    threads: tuple[int, int, int]
    shared: int
    counts: Counts


@dataclass
class Emulator:
    """A `halide_core.gpu.runtime.DeviceRuntime`: memory and kernels in this process.

    `lockstep`: the threads of a warp do not race with each other, as on devices before those of capability 7.0, which
    code that exchanges values of lanes without a barrier counts on; `ask_ended`: a shuffle may ask a lane that has
    ended, and gets anything."""

    memory: GlobalMemory = field(default_factory=GlobalMemory)
    launches: list[Launched] = field(default_factory=list)
    copied_to_device: int = 0
    copied_to_host: int = 0
    lockstep: bool = False
    ask_ended: bool = False
    _modules: dict[str, tuple[Module, dict[str, int]]] = field(default_factory=dict)
    _own: int = 0

    def malloc(self, size: int) -> int:
        return self.memory.malloc(size)

    def free(self, address: int) -> None:
        self.memory.free(address)

    def copy_to_device(self, address: int, host: int, size: int) -> None:
        area, start = self.memory.find(address, size)
        area.data[start : start + size] = np.frombuffer((ctypes.c_uint8 * size).from_address(host), np.uint8)
        self.copied_to_device += size

    def copy_to_host(self, host: int, address: int, size: int) -> None:
        area, start = self.memory.find(address, size)
        np.frombuffer((ctypes.c_uint8 * size).from_address(host), np.uint8)[:] = area.data[start : start + size]
        self.copied_to_host += size

    def synchronize(self) -> None:
        """Nothing: a kernel has run when its launch is over."""

    def launch(
        self,
        ptx: str,
        kernel: str,
        blocks: tuple[int, int, int],
        threads: tuple[int, int, int],
        shared: int,
        arguments: Sequence[bytes],
    ) -> None:
        module, symbols = self.loaded(ptx)
        if min(*blocks, *threads) < 1 or threads[0] * threads[1] * threads[2] > MOST_THREADS or threads[2] > 64:
            raise DeviceError(f"{kernel} is launched on {blocks} blocks of {threads} threads")
        if shared > MOST_SHARED:
            raise DeviceError(f"{kernel} asks for {shared} bytes of shared memory")
        found = module.kernels[kernel]
        if found.most_threads is not None and math.prod(threads) > found.most_threads:
            raise DeviceError(f"{kernel} is launched on more threads than it says, {threads}")
        lenient = machine.Lenient(self.lockstep, self.ask_ended)
        counts = machine.run(
            module, found, self.memory, blocks, threads, shared, list(arguments), symbols, lenient
        )
        self.launches.append(Launched(kernel, blocks, threads, shared, counts))

    def loaded(self, ptx: str) -> tuple[Module, dict[str, int]]:
        """The module of a text, and where its variables in global memory are."""
        if ptx not in self._modules:
            module = parse(ptx)
            symbols: dict[str, int] = {}
            for v in module.variables:
                if v.space in ("global", "const"):
                    symbols[v.name] = self.memory.malloc(v.size or 1, v.name)
                    self._own += 1
                    area, _ = self.memory.find(symbols[v.name], v.size or 1)
                    area.constant = v.space == "const"
                    area.data[:] = 0
                    area.data[: len(v.data)] = np.frombuffer(v.data, np.uint8)
            self._modules[ptx] = (module, symbols)
        return self._modules[ptx]

    def texts(self) -> list[str]:
        """The PTX of all kernels that were loaded."""
        return list(self._modules)

    def left(self) -> int:
        """Allocations that were not freed."""
        return len(self.memory.areas) - self._own
