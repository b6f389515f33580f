"""Memory of no size for small runs: every element of every array has a value that its place says."""

from __future__ import annotations

from typing import Any

from halide_core.ir.types import Type

Scalar = int | float | bool
# Larger numbers would wrap where the source may assume that they do not.
_LARGEST = 1 << 15


class SampleMemory:
    """An array of a parameter: elements that were not written have a value made of the array's name, their index and a
    seed; small integers of both signs, eighths where the type is floating-point.

    Reads and writes take a line for the message that bounded memory has; here no index is out of bounds."""

    __slots__ = ("name", "seed", "type", "written")

    def __init__(self, name: str, type_: Type, seed: int) -> None:
        self.name, self.type, self.seed = name, type_, seed
        self.written: dict[int, Any] = {}

    def initial(self, index: int) -> Scalar:
        """What stands at `index` before anything is written."""
        return initial_value(self.name, self.type, index, self.seed)

    def load(self, index: int, line: int = 0) -> Any:
        found = self.written.get(index)
        return self.initial(index) if found is None else found

    def store(self, index: int, value: Any, line: int = 0) -> None:
        self.written[index] = value

    load_any = load
    store_any = store


def initial_value(name: str, type_: Type, index: int, seed: int) -> Scalar:
    """The value of an element that nothing has been stored to."""
    mixed = index * 0x9E3779B1 + seed * 0x85EBCA77 + sum(ord(c) * (k + 1) for k, c in enumerate(name)) * 0xC2B2AE3D
    mixed = (mixed ^ (mixed >> 15)) * 0x2C1B3C6D & 0xFFFFFFFF
    mixed = (mixed ^ (mixed >> 12)) * 0x297A2D39 & 0xFFFFFFFF
    mixed ^= mixed >> 15
    if type_.is_bool():
        return bool(mixed & 1)
    if type_.is_float():
        return (mixed % 4096 - 1024) / 8.0
    if type_.bits <= 16:
        return type_.wrap(mixed)
    return mixed % _LARGEST if type_.is_uint() else mixed % (2 * _LARGEST) - _LARGEST


def any_scalar(name: str, type_: Type, seed: int) -> Scalar:
    """A value for a parameter of which nothing is asked: a small one."""
    value = initial_value(name, type_, seed, seed)
    return float(value) % 8.0 - 2.0 if type_.is_float() else value
