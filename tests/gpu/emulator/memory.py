"""Memory of the emulated device, which knows its bounds and who accessed it last."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np

# Generic addresses of shared and local memory; those of global memory lie above.
SHARED, LOCAL, GLOBAL = 1 << 32, 1 << 36, 1 << 40
WINDOW = 1 << 32
_GAP = 1 << 16


class DeviceError(Exception):
    """What a real device would do wrong without a word, or with a fault: stray accesses, races, lost barriers."""


@dataclass
class Who:
    """The threads that make an access: numbers in the whole grid, and how often their blocks have met at a barrier."""

    thread: Any
    epoch: Any
    per_block: int


class Area:
    """Bytes, with marks of what threads did to each of them."""

    def __init__(self, size: int, fill: np.random.Generator | None, name: str) -> None:
        # What was never stored to is anything.
        self.data = np.zeros(size, np.uint8) if fill is None else fill.integers(0, 256, size, np.uint8)
        self.name = name
        self.constant = False
        self.forget()

    def forget(self) -> None:
        """Begins anew: whatever was done is over."""
        self.marks: Any = None

    def _marked(self) -> Any:
        if self.marks is None:
            n = len(self.data)
            self.marks = tuple(np.full(n, value, np.int64) for value in (-1, 0, -1, 0))
            self.in_one_step = np.zeros(n, bool)
        return self.marks

    def _apart(self, other: Any, when: Any, who: Who) -> Any:
        """Whether what `other` did at `when` and what `who` does now may happen in either order."""
        different = (other >= 0) & (other != who.thread)
        return different & ((other // who.per_block != who.thread // who.per_block) | (when == who.epoch))

    def load(self, places: Any, size: int, who: Who | None) -> Any:
        """Elements of `size` bytes as bits."""
        if who is not None:
            writer, written, reader, read = self._marked()
            for k in range(size):
                p = places + k
                bad = self._apart(writer[p], written[p], who)
                if bad.any():
                    self._race("reads", p, bad, who, writer)
                reader[p], read[p] = who.thread, who.epoch
        if size == 1:
            return self.data[places]
        return self.data.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[size])[places // size]

    def store(self, places: Any, values: Any, size: int, who: Who | None) -> None:
        """Stores elements of `size` bytes, given as bits."""
        if who is not None:
            writer, written, reader, read = self._marked()
            parts = np.ascontiguousarray(values).view(np.uint8).reshape(-1, size)
            for k in range(size):
                p, new = places + k, parts[:, k]
                changes = self.data[p] != new
                bad = changes & (self._apart(writer[p], written[p], who) | self._apart(reader[p], read[p], who))
                if bad.any():
                    others = np.where(self._apart(writer[p], written[p], who), writer[p], reader[p])
                    i = int(np.flatnonzero(bad)[0])
                    raise DeviceError(
                        f"race: thread {int(who.thread[i])} writes byte {int(p[i])} of {self.name}, which thread "
                        f"{int(others[i])} has accessed since the last barrier"
                    )
                self.data[p] = new
                lost = self.data[p] != new
                if lost.any():
                    i = int(np.flatnonzero(lost)[0])
                    raise DeviceError(f"race: threads write different values to byte {int(p[i])} of {self.name}")
                writer[p[changes]], written[p[changes]] = who.thread[changes], who.epoch[changes]
                self.in_one_step[p[changes]] = False
            return
        if size == 1:
            self.data[places] = values
        else:
            self.data.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[size])[places // size] = values

    def update(self, place: int, size: int, who: Who) -> None:
        """Marks an element that a thread updates in one step: that races with all but other such updates."""
        writer, written, reader, read = self._marked()
        p = place + np.arange(size)
        bad = self._apart(writer[p], written[p], who) & ~self.in_one_step[p]
        others = np.where(bad, writer[p], reader[p])
        bad |= self._apart(reader[p], read[p], who)
        if bad.any():
            raise DeviceError(
                f"race: thread {int(who.thread[0])} updates byte {place} of {self.name} in one step, which thread "
                f"{int(others[np.flatnonzero(bad)[0]])} has accessed since the last barrier"
            )
        writer[p], written[p], self.in_one_step[p] = who.thread, who.epoch, True

    def _race(self, what: str, p: Any, bad: Any, who: Who, writer: Any) -> None:
        i = int(np.flatnonzero(bad)[0])
        raise DeviceError(
            f"race: thread {int(who.thread[i])} {what} byte {int(p[i])} of {self.name}, which thread "
            f"{int(writer[p[i]])} has written since the last barrier"
        )


class GlobalMemory:
    """Allocations, apart from each other."""

    def __init__(self, seed: int = 1, checked: bool = True, inverted: bool = False) -> None:
        """`checked`: races are looked for, and what was never stored to is anything; else it is 0.  `inverted`: what
        was never stored to is in no byte what it is without."""
        self.random = np.random.default_rng(seed) if checked else None
        self.inverted = inverted
        self.checked = checked
        self.starts: list[int] = []
        self.areas: dict[int, tuple[Area, int]] = {}
        self._next = GLOBAL
        self.peak = self.used = 0

    def malloc(self, size: int, name: str = "") -> int:
        start = self._next
        room = -(-size // 256) * 256
        self._next += room + _GAP
        # As far as a load that begins within may reach.
        area = Area(-(-size // 16) * 16, self.random, name or f"allocation of {size} bytes")
        if self.inverted:
            area.data ^= 0xFF
        self.areas[start] = (area, size)
        self.starts.append(start)
        self.used += size
        self.peak = max(self.peak, self.used)
        return start

    def free(self, start: int) -> None:
        if start not in self.areas:
            raise DeviceError(f"free of address {start:#x}, at which no allocation starts")
        self.used -= self.areas.pop(start)[1]
        self.starts.remove(start)

    def find(self, address: int, size: int) -> tuple[Area, int]:
        """(area, offset) of so many bytes."""
        k = bisect.bisect_right(self.starts, address) - 1
        start = self.starts[k] if k >= 0 else 0
        if k < 0 or address + size > start + self.areas[start][1]:
            near = f"; one of {self.areas[start][1]} starts {address - start} below" if k >= 0 else ""
            raise DeviceError(f"access outside: {size} bytes at {address:#x} are in no allocation{near}")
        return self.areas[start][0], address - start

    def split(self, addresses: Any, size: int) -> list[tuple[Area, Any, Any]]:
        """(area, offsets, which of the addresses) for all areas that are accessed."""
        out: list[tuple[Area, Any, Any]] = []
        left = np.arange(len(addresses))
        while len(left):
            area, _ = self.find(int(addresses[left[0]]), size)
            start = next(s for s, (a, _) in self.areas.items() if a is area)
            own = addresses[left].astype(np.int64) - start
            inside = (own >= 0) & (own + size <= self.areas[start][1])
            out.append((area, own[inside], left[inside]))
            left = left[~inside]
        return out
