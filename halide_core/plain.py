"""Records as text that is only ever parsed: what `disk_cache` keeps.

Reading runs nothing: the text names kinds out of a table, and gives each its fields.  Everything that is in others
stands before these and has a number, so that expressions of any depth are a flat list, and shared ones stand once."""

from __future__ import annotations

import base64
import enum
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from halide_core.interface import Array, Interface
from halide_core.ir import expr as ir
from halide_core.ir.box import Box
from halide_core.ir.stmt import ExternCall
from halide_core.ir.types import Type, TypeCode


class NotPlain(Exception):
    """A record of a kind that is not in the table, or text that is not one of this module's."""


@cache
def _kinds() -> dict[str, type[Any]]:
    nodes = [c for c in vars(ir).values() if isinstance(c, type) and issubclass(c, ir.Expr) and is_dataclass(c)]
    return {c.__name__: c for c in (*nodes, Type, Box, Array, Interface, ExternCall)}


@cache
def _enums() -> dict[str, type[enum.Enum]]:
    return {c.__name__: c for c in (TypeCode, ir.CallType)}


def encoded(record: Any) -> bytes:
    """A record's text.  Raises NotPlain for what is not in the table."""
    out: list[Any] = []
    numbers: dict[int, int] = {}
    kept: list[Any] = []  # so that the ids stay theirs
    stack = [(record, False)]
    while stack:
        value, ready = stack.pop()
        if id(value) in numbers:
            continue
        if not ready:
            stack.append((value, True))
            stack += [(part, False) for part in _parts(value) if id(part) not in numbers]
            continue
        numbers[id(value)] = len(out)
        kept.append(value)
        out.append(_entry(value, numbers))
    return json.dumps(out, separators=(",", ":")).encode()


def decoded(text: bytes) -> Any:
    """The record of a text.  Raises NotPlain where it is none."""
    try:
        entries = json.loads(text)
        values: list[Any] = []
        for entry in entries:
            values.append(_value(entry, values))
        return values[-1]
    except (ValueError, TypeError, KeyError, IndexError) as problem:
        raise NotPlain(str(problem)) from problem


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for k, v in value.items():
            yield k
            yield v
    elif isinstance(value, list | tuple):
        yield from value
    elif is_dataclass(value):
        yield from (getattr(value, f.name) for f in fields(value))


def _entry(value: Any, numbers: dict[int, int]) -> Any:
    name = type(value).__name__
    if isinstance(value, enum.Enum):
        if _enums().get(name) is not type(value):
            raise NotPlain(name)
        return [name, value.name]
    if value is None or isinstance(value, bool | str):
        return ["=", value]
    if isinstance(value, int):
        return ["i", str(int(value))]
    if isinstance(value, float):
        return ["f", value.hex()]
    if isinstance(value, bytes):
        return ["b", base64.b85encode(value).decode()]
    if isinstance(value, dict):
        return ["d", [[numbers[id(k)], numbers[id(v)]] for k, v in value.items()]]
    if isinstance(value, list | tuple):
        return ["l" if isinstance(value, list) else "t", [numbers[id(v)] for v in value]]
    if _kinds().get(name) is not type(value):
        raise NotPlain(name)
    return [name, {f.name: numbers[id(getattr(value, f.name))] for f in fields(value)}]


def _value(entry: Any, values: list[Any]) -> Any:
    kind, content = entry
    match kind:
        case "=":
            return content
        case "i":
            return int(content)
        case "f":
            return float.fromhex(content)
        case "b":
            return base64.b85decode(content)
        case "d":
            return {values[k]: values[v] for k, v in content}
        case "l":
            return [values[k] for k in content]
        case "t":
            return tuple(values[k] for k in content)
    if kind in _enums():
        return _enums()[kind][content]
    return _kinds()[kind](**{name: values[k] for name, k in content.items()})
