"""Schedules that are tried and taken back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from halide_core.function import Dim, Function


def kept(functions: Sequence[Function]) -> Callable[[], None]:
    """What makes Functions as they are now: takes back directives, and what the compiler makes of definitions."""
    before = [(f, _fields(f)) for f in functions]
    definitions = [(d, _fields(d), d.schedule, _fields(d.schedule)) for f in functions for d in f.definitions()]
    dims = [(d.schedule, [Dim(x.var, x.kind) for x in d.schedule.dims]) for d, *_ in definitions]

    def restore() -> None:
        for f, values in before:
            _put(f, values)
        for d, values, schedule, inner in definitions:
            _put(d, values)
            _put(schedule, inner)
        for schedule, loops in dims:
            schedule.dims = [Dim(x.var, x.kind) for x in loops]

    return restore


def _fields(x: Any) -> dict[str, Any]:
    """The values of the fields of a record; lists and tables as they are now."""
    out: dict[str, Any] = {}
    for f in dataclasses.fields(x):
        value = getattr(x, f.name)
        out[f.name] = value.copy() if isinstance(value, list | dict) else value
    return out


def _put(x: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        now = getattr(x, name)
        if isinstance(now, list):
            now[:] = value
        elif isinstance(now, dict):
            now.clear()
            now.update(value)
        elif now is not value:
            setattr(x, name, value)
