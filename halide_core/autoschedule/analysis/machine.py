"""What the cost models know of the machine: read from the system, overridable by AutoschedulerParams."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from pathlib import Path

from halide_core.errors import HalideError
from halide_core.target import Target

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Machine:
    """Threads, bytes of a register, of the caches of one core (L1, L2) and of the last one, and the costs of memory.

    `load_cost`: cycles of reaching a line of memory that no prefetcher foresaw; `memory_cycles`: cycles a byte of one
    thread while all of them stream from memory; of the caches it is taken in proportion."""

    parallelism: int
    vector_bytes: int
    l1_size: int = 32 << 10
    l2_size: int = 512 << 10
    last_level_cache_size: int = 8 << 20
    load_cost: float = 60.0
    memory_cycles: float = 0.35

    @property
    def last_level_cycles(self) -> float:
        """Cycles a byte from the last cache."""
        return self.memory_cycles / 4

    @property
    def l2_cycles(self) -> float:
        """Cycles a byte from the second cache."""
        return self.memory_cycles / 14


def this_machine(target: Target, extra: dict[str, str]) -> Machine:
    """The machine at hand with what `extra` overrides.  Raises HalideError for a value that is no number."""
    threads = os.environ.get("HL_NUM_THREADS", "")
    count = int(threads) if threads.isdigit() and int(threads) else len(os.sched_getaffinity(0))
    machine = Machine(count, target.vector_bytes, **_cache_sizes())
    given: dict[str, float] = {}
    for f in fields(Machine):
        if f.name in extra:
            try:
                number = float(extra[f.name])
            except ValueError as e:
                raise HalideError(f"autoscheduler: {f.name} must be a number, not {extra[f.name]!r}") from e
            given[f.name] = number if f.name in ("load_cost", "memory_cycles") else int(number)
    return replace(machine, **given)  # type: ignore[arg-type]


def _cache_sizes() -> dict[str, int]:
    """Sizes of the data caches as Linux tells them; empty where it does not."""
    out: dict[str, int] = {}
    for folder in sorted(_CACHES.glob("index*")):
        level, kind = ((folder / n).read_text().strip() for n in ("level", "type"))
        text = (folder / "size").read_text().strip()
        name = {"1": "l1_size", "2": "l2_size", "3": "last_level_cache_size"}.get(level)
        if kind != "Instruction" and name is not None and text[:-1].isdigit() and text[-1] in _UNITS:
            out[name] = int(text[:-1]) * _UNITS[text[-1]]
    if "l2_size" in out and "last_level_cache_size" not in out:
        out["last_level_cache_size"] = out["l2_size"]
    return out
