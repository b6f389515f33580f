"""Scripts for Halide, to be run under the package `halide` and under `halide_core`.

A case is a function of the module (`halide` or `halide_core`) that returns what it computed; a refusal is one that
must raise under both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Script = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Case:
    """`ulp`: how far floats may differ, for transcendental functions and approximations only.  `message`: what a
    refusal must say."""

    name: str
    script: Script
    ulp: int = 0
    refused: bool = False
    message: str = ""


CASES: list[Case] = []


def case(script: Script | None = None, *, ulp: int = 0) -> Any:
    """Registers a script whose results must agree: arrays, Buffers, numbers, or tuples and lists of them."""

    def register(f: Script) -> Script:
        _add(Case(_name(f), f, ulp))
        return f

    return register if script is None else register(script)


def refusal(message: str = "") -> Callable[[Script], Script]:
    """Registers a script that both must refuse with an error; ours must say `message`."""

    def register(f: Script) -> Script:
        _add(Case(_name(f), f, refused=True, message=message))
        return f

    return register


def add(name: str, script: Script, *, ulp: int = 0) -> None:
    """Registers one of a family of scripts."""
    _add(Case(name, script, ulp))


def _add(new: Case) -> None:
    if any(c.name == new.name for c in CASES):
        raise ValueError(f"two cases are named {new.name}")
    CASES.append(new)


def _name(f: Script) -> str:
    return f"{f.__module__.rsplit('.', 1)[-1]}.{f.__name__}"


def results(found: Any) -> list[np.ndarray]:
    """What a script returned, as arrays in order."""
    if isinstance(found, tuple | list):
        return [a for item in found for a in results(item)]
    return [np.array(found)]


def difference(ours: np.ndarray, theirs: np.ndarray, ulp: int) -> str:
    """Why two results differ, or the empty string; NaNs are equal to each other, zeros of different sign are not."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return f"{ours.dtype}{list(ours.shape)} instead of {theirs.dtype}{list(theirs.shape)}"
    if ours.dtype.kind != "f":
        same = ours == theirs
    else:
        bits = f"i{ours.dtype.itemsize}"
        a, b = np.ascontiguousarray(ours).view(bits), np.ascontiguousarray(theirs).view(bits)
        same = (a == b) | (np.isnan(ours) & np.isnan(theirs))
        if ulp:
            low = np.iinfo(bits).min
            x, y = (np.where(v < 0, low - v, v).astype(object) for v in (a, b))
            same |= np.asarray(np.abs(x - y) <= ulp, bool) & ~np.isnan(ours) & ~np.isnan(theirs)
    if same.all():
        return ""
    where = tuple(int(i) for i in np.argwhere(~same)[0]) if same.ndim else ()
    return f"at {list(where)}: {ours[where]!r} instead of {theirs[where]!r}; {int((~same).sum())} of {same.size} differ"
