"""A device that keeps what it is asked for."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.gpu.check.recording import Recording
from tests.gpu.emulator.device import Emulator

# Where addresses begin that are given out without an emulator: no number that is no address comes near.
_BASE = 0x5EED << 40


class Recorder:
    """A `halide_core.gpu.runtime.DeviceRuntime`.  With an emulator results are computed and kept; without one only what
    is asked for is, and the host's memory stays as it is.

    `drawn`: arrays of the host's that need not be kept, with (seed, shape, type) of each."""

    def __init__(
        self, name: str, by: str, emulator: Emulator | None,
        drawn: Mapping[tuple[int, tuple[int, ...], str], np.ndarray[Any, Any]],
    ) -> None:  # fmt: skip
        self.recording = Recording(name, by)
        self._emulator, self._drawn = emulator, drawn
        self._live: dict[int, int] = {}
        self._next = _BASE
        self._blobs: dict[bytes, int] = {}

    def _keep(self, event: list[Any]) -> None:
        self.recording.events.append(event)

    def malloc(self, size: int) -> int:
        if self._emulator is not None:
            address = self._emulator.malloc(size)
        else:
            address = self._next
            self._next += -(-size // 256) * 256 + 256
        self._live[address] = size
        self._keep(["malloc", address, size])
        return address

    def free(self, address: int) -> None:
        del self._live[address]
        if self._emulator is not None:
            self._emulator.free(address)
        self._keep(["free", address])

    def _source(self, host: int, size: int) -> list[Any]:
        for (seed, shape, kind), a in self._drawn.items():
            if a.ctypes.data <= host and host + size <= a.ctypes.data + a.nbytes:
                return ["random", seed, list(shape), kind, host - a.ctypes.data, size]
        content = ctypes.string_at(host, size)
        if content not in self._blobs:
            self._blobs[content] = len(self.recording.blobs)
            self.recording.blobs.append(content)
        return ["blob", self._blobs[content]]

    def copy_to_device(self, address: int, host: int, size: int) -> None:
        if self._emulator is not None:
            self._emulator.copy_to_device(address, host, size)
        self._keep(["in", address, self._source(host, size)])

    def copy_to_host(self, host: int, address: int, size: int) -> None:
        wanted = None
        if self._emulator is not None:
            self._emulator.copy_to_host(host, address, size)
            wanted = self._source(host, size)
        self._keep(["out", address, size, wanted, None])

    def synchronize(self) -> None:
        """Nothing: a kernel has run when its launch is over."""

    def launch(
        self, ptx: str, kernel: str, blocks: tuple[int, int, int], threads: tuple[int, int, int], shared: int,
        arguments: Sequence[bytes],
    ) -> None:  # fmt: skip
        if self._emulator is not None:
            self._emulator.launch(ptx, kernel, blocks, threads, shared, arguments)
        if ptx not in self.recording.texts:
            self.recording.texts.append(ptx)
        text = self.recording.texts.index(ptx)
        parameters = [self._parameter(a) for a in arguments]
        self._keep(["launch", text, kernel, list(blocks), list(threads), shared, parameters])

    def _parameter(self, given: bytes) -> list[Any]:
        number = int.from_bytes(given, "little")
        if len(given) == 8 and any(a <= number < a + max(n, 1) for a, n in self._live.items()):
            return ["address", number]
        return ["value", given.hex()]
