"""What the host code of one run asks of a device, as a file: allocations, copies, launches."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Event = list[Any]
"""["malloc", address, bytes], ["free", address], ["in", address, source], ["out", address, bytes, source or null,
number of a blob or null] and ["launch", text, kernel, blocks, threads, shared, parameters].

The blob of an "out" has a bit for each byte: whether it counts.

A source is ["blob", number], or ["random", seed, shape, type, first byte, bytes] of an array that is drawn.
A parameter is ["value", hexadecimal digits] or ["address", address].  An address is one that the recording gave out,
or inside."""


class Device(Protocol):
    """What a recording is played on."""

    def malloc(self, size: int) -> int: ...

    def free(self, address: int) -> None: ...

    def copy_to_device(self, address: int, host: int, size: int) -> None: ...

    def copy_to_host(self, host: int, address: int, size: int) -> None: ...

    def launch(
        self, ptx: str, kernel: str, blocks: tuple[int, int, int], threads: tuple[int, int, int], shared: int,
        arguments: Sequence[bytes],
    ) -> None: ...  # fmt: skip


def drawn(seed: int, shape: Sequence[int], kind: str) -> np.ndarray[Any, Any]:
    """The array of a random source."""
    random, t = np.random.default_rng(seed), np.dtype(kind)
    if t.kind == "f":
        return random.random(tuple(shape)).astype(t)
    info = np.iinfo(t)
    return random.integers(info.min, info.max, tuple(shape), t, endpoint=True)


@dataclass
class Recording:
    """One run: its name, whose kernels it launches, the type of results that nothing is known of, and what it does."""

    name: str
    by: str
    kind: str = "uint8"
    events: list[Event] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    blobs: list[bytes] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Writes the file."""
        out = io.BytesIO()
        about = {"name": self.name, "by": self.by, "kind": self.kind, "events": self.events, "texts": self.texts}
        parts = [json.dumps(about).encode(), *self.blobs]
        for part in parts:
            packed = zlib.compress(part, 6)
            out.write(len(packed).to_bytes(8, "little") + packed)
        path.write_bytes(out.getvalue())

    @staticmethod
    def load(path: Path) -> Recording:
        """Reads the file."""
        content, parts, at = path.read_bytes(), [], 0
        while at < len(content):
            size = int.from_bytes(content[at : at + 8], "little")
            parts.append(zlib.decompress(content[at + 8 : at + 8 + size]))
            at += 8 + size
        about = json.loads(parts[0])
        return Recording(*(about[k] for k in ("name", "by", "kind", "events", "texts")), parts[1:])


def settle(r: Recording, devices: Iterable[Device]) -> None:
    """Has those bytes of results not count that depend on what nothing has written: memory of `devices` begins as other
    garbage than that of the one that it was recorded on.  Of a run that the first of them finds nothing in the others
    are not asked: its garbage is in no byte the same; but what is made of two bytes may be, by chance."""
    found_any = False

    def see(e: Event, found: np.ndarray[Any, Any], recorded: np.ndarray[Any, Any]) -> None:
        nonlocal found_any
        same = found == recorded
        if same.all():
            return
        found_any = True
        if e[4] is None:
            e[4] = len(r.blobs)
            r.blobs.append(np.packbits(same).tobytes())
        else:
            counted = np.unpackbits(np.frombuffer(r.blobs[e[4]], np.uint8), count=found.size).astype(bool)
            r.blobs[e[4]] = np.packbits(same & counted).tobytes()

    for device in devices:
        play(r, device, lambda _, launch: launch(), see)
        if not found_any:
            return


def play(
    r: Recording, device: Device, around: Callable[[str, Callable[[], None]], None],
    see: Callable[[Event, np.ndarray[Any, Any], np.ndarray[Any, Any]], None] | None = None,
) -> tuple[str, list[np.ndarray[Any, Any]]]:
    """Asks `device` for what was recorded: the empty string, or where a result is not the recorded one; and the results
    of which none was recorded.

    Launches are made by around(kernel, launch); `see` is shown each result and what was recorded."""
    results: list[np.ndarray[Any, Any]] = []
    real: dict[int, tuple[int, int]] = {}
    wrong = ""
    made: dict[str, np.ndarray[Any, Any]] = {}

    def there(address: int) -> int:
        base = max(b for b in real if b <= address)
        return real[base][0] + address - base

    def source(s: Sequence[Any]) -> np.ndarray[Any, Any]:
        if s[0] == "blob":
            return np.frombuffer(r.blobs[s[1]], np.uint8)
        name = json.dumps(s[1:4])
        if name not in made:
            made[name] = np.ascontiguousarray(drawn(*s[1:4])).view(np.uint8).reshape(-1)
        return made[name][s[4] : s[4] + s[5]]

    for e in r.events:
        match e[0]:
            case "malloc":
                real[e[1]] = (device.malloc(e[2]), e[2])
            case "free":
                device.free(real.pop(e[1])[0])
            case "in":
                data = np.ascontiguousarray(source(e[2]))
                device.copy_to_device(there(e[1]), data.ctypes.data, data.size)
            case "out":
                found = np.empty(e[2], np.uint8)
                device.copy_to_host(found.ctypes.data, there(e[1]), found.size)
                if e[3] is None:
                    results.append(found.view(r.kind))
                    continue
                recorded = source(e[3])
                if see is not None:
                    see(e, found, recorded)
                differs = found != recorded
                if e[4] is not None:
                    counts = np.unpackbits(np.frombuffer(r.blobs[e[4]], np.uint8), count=found.size)
                    differs &= counts.astype(bool)
                if differs.any():
                    wrong = wrong or f"{int(differs.sum())} of {found.size} bytes of a result differ"
            case "launch":
                _, text, kernel, blocks, threads, shared, parameters = e
                arguments = [
                    bytes.fromhex(v) if kind == "value" else there(v).to_bytes(8, "little") for kind, v in parameters
                ]

                def launch(
                    text: int = text, kernel: str = kernel, blocks: Any = blocks, threads: Any = threads,
                    shared: int = shared, arguments: Sequence[bytes] = arguments,
                ) -> None:  # fmt: skip
                    device.launch(r.texts[text], kernel, tuple(blocks), tuple(threads), shared, arguments)

                around(kernel, launch)
    for address, _ in real.values():
        device.free(address)
    return wrong, results
