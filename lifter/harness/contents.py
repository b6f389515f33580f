"""What stands in the memory that functions are given: values at random, ends of types, the numbers of the source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.random  # NumPy loads it at its first use, which is in a process for each function

from halide_core.ir.types import Type

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
WAYS = 4
"""In how many ways memory is filled, by number."""


def numpy_type(t: Type) -> np.dtype[Any]:
    """The NumPy type of an element."""
    return np.dtype("bool" if t.is_bool() else str(t))


def fill(target: Bytes, t: Type, rng: np.random.Generator) -> None:
    """Random values: full range for integers, [-0.5, 1.5) with some exact zeros and ones for floats."""
    if t.is_float():
        count = len(target) // t.bytes()
        values = rng.random(count) * 2.0 - 0.5
        values[rng.random(count) < 0.1] = rng.choice([0.0, 1.0])
        target[:] = np.frombuffer(values.astype(numpy_type(t)).tobytes(), np.uint8)
    elif t.is_bool():  # any other byte is no value of a bool
        target[:] = rng.integers(0, 2, len(target), dtype=np.uint8)
    else:
        target[:] = rng.integers(0, 256, len(target), dtype=np.uint8)
        extremes = rng.random(len(target)) < 0.1
        target[extremes] = rng.choice([0, 255], int(extremes.sum()))


def hold_between(target: Bytes, t: Type, least: int, most: int, places: slice = slice(None)) -> None:
    """Brings the integers at some places between two of them, both of which occur where there is room; all are `least`
    where `most` is less."""
    count = len(target) // t.bytes()
    whole = target[: count * t.bytes()]
    values = np.frombuffer(whole.tobytes(), numpy_type(t)).copy()
    some = values[places]
    if len(some):
        some[:] = [least + int(v) % (max(most, least) - least + 1) for v in some]
        some[0], some[-1] = max(most, least), least
    whole[:] = np.frombuffer(values.tobytes(), np.uint8)


def fill_with(target: Bytes, t: Type, rng: np.random.Generator, numbers: Sequence[int | float], way: int) -> None:
    """Fills memory in one of several ways: 0 at random; 1 half of it, and 2 all of it, the type's edges and `numbers`;
    3 numbers that are small for the type, each different from its neighbours."""
    count = len(target) // t.bytes()
    whole = target[: count * t.bytes()]
    fill(target, t, rng)
    if way == 0 or not count or t.is_bool():
        return
    kind = numpy_type(t)
    values = np.frombuffer(whole.tobytes(), kind).copy()
    if way == 3:
        small = rng.integers(0, 9, count) if not t.is_float() else rng.integers(-512, 512, count) / 2.0
        values[:] = small.astype(kind)
    else:
        pool = edges(t, numbers)
        chosen = rng.random(count) < (0.5 if way == 1 else 1.0)
        values[chosen] = rng.choice(pool, int(chosen.sum()))
    whole[:] = np.frombuffer(values.tobytes(), np.uint8)


def edges(t: Type, numbers: Sequence[int | float] = ()) -> np.ndarray[Any, Any]:
    """Values of a type at which things change: its ends, zeros, and those of `numbers` that it has.

    Floats are also not numbers, infinite, denormal, huge, and halfway between integers."""
    kind = numpy_type(t)
    if t.is_float():
        info = np.finfo(kind)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, -info.smallest_subnormal, info.tiny]
        special += [info.max, -info.max, 1e9, -1e9, 0.5, -0.5, 1.5, 2.5, 127.5, 254.5, 255.5, 1.0, -1.0, 255.0, 256.0]
        with np.errstate(over="ignore"):
            own = np.array([float(n) for n in numbers if abs(n) < 1e300], kind)
        return np.concatenate([np.array(special, kind), own, own + kind.type(0.5)])
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    own_numbers = [int(n) for n in numbers if math.isfinite(n)]
    some = [low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, -1, 2, *own_numbers]
    return np.array([v for v in dict.fromkeys(some) if low <= v <= high], kind)
