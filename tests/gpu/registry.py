"""Pipelines with schedules for a device, each as a function of the module that it is written in.

A case makes (Func, ImageParams by name); `device` says whether it is scheduled for one.  The arithmetic is of integers
or strict, so that both modules give the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[Any, bool], tuple[Any, dict[str, Any]]]


@dataclass(frozen=True)
class Case:
    """`make` and the sizes of the output, those of the inputs (in x, y order), and whether the package takes it."""

    make: Make
    size: tuple[int, ...]
    inputs: dict[str, tuple[tuple[int, ...], str]]
    package: bool = True


CASES: dict[str, Case] = {}


def case(size: tuple[int, ...], package: bool = True, **inputs: tuple[tuple[int, ...], str]) -> Callable[[Make], Make]:
    """Enters a case; an input is (sizes, NumPy type)."""

    def enter(make: Make) -> Make:
        CASES[make.__name__] = Case(make, size, inputs, package)
        return make

    return enter


def data_of(c: Case, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays for the inputs of a case, in C's order of axes."""
    random = np.random.default_rng(seed)
    out: dict[str, np.ndarray] = {}
    for name, (sizes, kind) in c.inputs.items():
        shape = sizes[::-1]
        t = np.dtype(kind)
        if t.kind == "f":
            out[name] = random.random(shape).astype(t)
        else:
            info = np.iinfo(t)
            out[name] = random.integers(info.min, info.max, shape, t, endpoint=True)
    return out


def named(hl: Any, names: str) -> list[Any]:
    """Vars of the names in a text."""
    return [hl.Var(n) for n in names.split()]


def strict(hl: Any, e: Any) -> Any:
    """`e` with every operation as it is written."""
    return hl.strict_float(e)
