"""The devices that schedules are made for: a table by name, with what options override."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from halide_core.errors import HalideError

FILE = Path(__file__).with_name("devices.toml")
DEFAULT = "H100"


@dataclass(frozen=True, slots=True)
class Device:
    """A CUDA device.

    `clock`: GHz; `threads`, `blocks`, `registers`, `shared` (bytes): of an SM; `shared_block`: bytes that one block may
    have; `float_lanes`, `int_lanes`: operations that an SM begins in a cycle; `memory`, `l2`: GB a second; `l2_size`:
    bytes."""

    name: str
    capability: int
    sms: int
    clock: float
    threads: int
    blocks: int
    registers: int
    shared: int
    shared_block: int
    float_lanes: int
    int_lanes: int
    memory: float
    l2: float
    l2_size: int


@functools.cache
def known_devices() -> Mapping[str, Device]:
    """The devices of the table, by name."""
    table = tomllib.loads(FILE.read_text())
    return {name: Device(name, **entry) for name, entry in table.items()}


def chosen_device(extra: Mapping[str, str]) -> Device:
    """The device that the option `device` names, H100 without it, with the numbers that other options give.

    Raises HalideError for a device that is not in the table and for a value that is no positive number."""
    name = extra.get("device", DEFAULT)
    if name not in known_devices():
        raise HalideError(f"autoscheduler: there is no device {name!r}; there are {', '.join(known_devices())}")
    device = known_devices()[name]
    given: dict[str, float] = {}
    for f in fields(Device):
        if f.name == "name" or f.name not in extra:
            continue
        try:
            number = float(extra[f.name])
        except ValueError as e:
            raise HalideError(f"autoscheduler: {f.name} must be a number, not {extra[f.name]!r}") from e
        if not number > 0:
            raise HalideError(f"autoscheduler: {f.name} must be positive, not {extra[f.name]!r}")
        given[f.name] = number if f.name in ("clock", "memory", "l2") else int(number)
    return replace(device, **given)  # type: ignore[arg-type]
