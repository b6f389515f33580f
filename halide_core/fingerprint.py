"""A pipeline's definitions and schedules as a digest that is the same in every process."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from halide_core.function import Function, Image, LevelHandle, StageSchedule
from halide_core.ir.expr import Expr, children
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type

# What code does not depend on: the data of buffers, the objects that users hold, and hints.
_LEFT_OUT = {
    (Image, "array"),
    (Image, "owner"),
    (Image, "estimates"),
    (Function, "estimates"),
    (Function, "frozen"),
    (StageSchedule, "touched"),
}

# The fields of each kind of expression, and whether they hold others.
_FIELDS: dict[type[Expr], tuple[tuple[str, bool], ...]] = {}


def digest(functions: list[Function], images: list[Image], rest: Iterable[str]) -> str:
    """A hexadecimal digest of everything in `functions`, in an order that has callees first, of `images`, and of
    the texts `rest`.  Equal digests mean equal code.

    Every field of the records counts, those that a later version adds too; an object of an unknown kind is a
    TypeError."""
    encoder = _Encoder(functions, images)
    for f in functions:
        encoder.fields(f)
        for i in f.buffers:
            encoder.fields(i)
    for i in images:
        encoder.fields(i)
    for text in rest:
        encoder.out.append(repr(text))
    return hashlib.sha256("\n".join(encoder.out).encode()).hexdigest()


class _Encoder:
    """Text in which each distinct expression stands once and has a number."""

    def __init__(self, functions: list[Function], images: list[Image]) -> None:
        self.out: list[str] = []
        self.numbers: dict[str, int] = {}
        # The expressions are kept, so that the ids stay theirs.
        self.known: dict[int, tuple[Expr, int]] = {}
        # By id: to hash a type takes longer than to write it.
        self.types: dict[int, tuple[Type, str]] = {}
        self.names: dict[int, str] = {id(f): f"Function {k}" for k, f in enumerate(functions)}
        self.names |= {id(i): f"Image {k}" for k, i in enumerate(images)}

    def fields(self, record: Any) -> None:
        kind = type(record)
        self.out.append(kind.__name__)
        for f in fields(record):
            if (kind, f.name) not in _LEFT_OUT:
                self.out.append(f.name)
                self.value(getattr(record, f.name))

    def value(self, v: Any) -> None:
        if isinstance(v, Expr):
            self.out.append(f"#{self.expression(v)}")
        elif isinstance(v, Function | Image):
            self.out.append(self._named(v))
        elif isinstance(v, LevelHandle):
            self.out.append(f"LevelHandle {v.known}")
            self.value(v.level)
        elif isinstance(v, dict):
            self.out.append(f"{{{len(v)}")
            for k, item in v.items():
                self.value(k)
                self.value(item)
        elif isinstance(v, list | tuple):
            self.out.append(f"[{len(v)}")
            for item in v:
                self.value(item)
        elif is_dataclass(v):
            self.fields(v)
        else:
            self.out.append(self._plain(v))

    def _named(self, v: Function | Image) -> str:
        # Not among those given: a Func that only a schedule names, such as a consumer left out of the pipeline.
        return self.names.get(id(v)) or f"{type(v).__name__} {v.name!r}"

    def _plain(self, v: Any) -> str:
        if isinstance(v, Type):
            known = self.types.get(id(v))
            if known is None:
                known = self.types[id(v)] = v, repr(v)
            return known[1]
        if v is None or isinstance(v, str | int | float):
            return v.hex() if isinstance(v, float) else repr(v)
        if isinstance(v, enum.Enum):
            return f"{type(v).__name__}.{v.name}"
        raise TypeError(f"No text for {type(v).__name__} in a fingerprint")

    def expression(self, e: Expr) -> int:
        """The number of a structure, the same wherever it stands."""
        if id(e) in self.known:
            return self.known[id(e)][1]
        for n in post_order(e):
            if id(n) in self.known:
                continue
            inner = [self.known[id(c)][1] for c in children(n)]
            text = f"{type(n).__name__} {inner} {self._attributes(n)}"
            number = self.numbers.get(text)
            if number is None:
                number = self.numbers[text] = len(self.numbers)
                self.out.append(text)
            self.known[id(n)] = (n, number)
        return self.known[id(e)][1]

    def _attributes(self, n: Expr) -> str:
        parts: list[str] = []
        kind = type(n)
        if kind not in _FIELDS:
            _FIELDS[kind] = tuple((f.name, f.name in n.child_fields) for f in fields(n))
        for name, is_child in _FIELDS[kind]:
            v = getattr(n, name)
            if is_child:
                parts.append(str(len(v)) if isinstance(v, tuple) else str(v is None))
            elif isinstance(v, Function | Image):
                parts.append(self._named(v))
            elif isinstance(v, tuple):
                parts.append("(" + " ".join(self._plain(x) for x in v) + ")")
            else:
                parts.append(self._plain(v))
        return " ".join(parts)
