"""Arguments to time a function with: as the corpus says, or guessed from what its summary reads and writes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.pipeline import path_condition
from corpus.cases import Case
from corpus.extents import NoArguments, Scalars, corners_of, layouts_of, row_length
from corpus.harness import fill
from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate as evaluate_expr
from halide_core.ir.types import Type
from lifter.loops import Function
from lifter.summary import Summary

_PATTERN = 131071 * 8
"""Bytes of random contents that large images repeat: too long for a branch predictor to learn."""
MAX_ELEMENTS = 1 << 30


class Memory:
    """The memory behind one pointer: `count` elements, of which `origin` lie before the address given."""

    def __init__(self, type_: Type, count: int, origin: int, seed: int) -> None:
        size = max(count * type_.bytes(), 1)
        raw = np.empty(size + 63, np.uint8)
        start = -raw.ctypes.data % 64
        self.bytes = raw[start : start + size]
        pattern = np.empty(min(_PATTERN, (size + 7) // 8 * 8), np.uint8)
        fill(pattern, type_, np.random.default_rng(seed))
        self.bytes[:] = np.resize(pattern, size)
        self.pointer = int(self.bytes.ctypes.data) + origin * type_.bytes()


@dataclass(slots=True)
class Arguments:
    """One call's arguments, and which memory a call changes."""

    scalars: Scalars
    memory: dict[str, Memory]
    written: tuple[str, ...]
    in_place: bool
    """Whether a call reads what it overwrites: a second call would then see other data."""

    def values(self, function: Function) -> list[Any]:
        return [self.memory[p.name].pointer if p.pointer else self.scalars[p.name] for p in function.params]

    def save(self) -> dict[str, Any]:
        return {n: self.memory[n].bytes.copy() for n in self.written}

    def restore(self, saved: dict[str, Any]) -> None:
        for n, contents in saved.items():
            self.memory[n].bytes[:] = contents

    def equals(self, saved: dict[str, Any]) -> bool:
        return all(np.array_equal(self.memory[n].bytes, contents) for n, contents in saved.items())


class _Typical(random.Random):
    """Always two thirds into a range."""

    def randint(self, a: int, b: int) -> int:
        return a + 2 * (b - a) // 3


def arguments(summary: Summary, case: Case | None, size: int) -> Arguments:
    """Arguments for images of size x size.  Raises NoArguments."""
    function = summary.function
    if case is not None and {p.name for p in function.params if p.pointer} == set(case.pointers):
        scalars, regions = _from_case(function, case, size)
    else:
        scalars, regions = _guessed(summary, size)
    too_large = [n for n, (count, _) in regions.items() if count > MAX_ELEMENTS]
    if too_large:
        raise NoArguments(f"'{too_large[0]}' would take {regions[too_large[0]][0]} elements")
    types = {p.name: p.type for p in function.params if p.pointer}
    memory = {n: Memory(types[n], count, origin, seed) for seed, (n, (count, origin)) in enumerate(regions.items())}
    read = {i.layout.array for p in summary.paths for i in p.inputs}
    outputs = {f.layout.array for p in summary.paths for f in p.funcs if f.output}
    accumulates = any(f.output and f.undefined for p in summary.paths for f in p.funcs)
    return Arguments(scalars, memory, tuple(n for n in memory if n in outputs), bool(read & outputs) or accumulates)


def contract_holds(summary: Summary, args: Arguments) -> bool:
    """Whether some path's run-time checks pass, so that the lifted code runs and not the original."""
    env: dict[str, Any] = dict(args.scalars)
    env |= {f"addr.{n}": np.uint64(m.pointer) for n, m in args.memory.items()}
    try:
        return any(bool(evaluate_expr(path_condition(summary, i), env)) for i in range(len(summary.paths)))
    except HalideError:
        return True  # a condition on the images' contents, which only the run decides


def _from_case(function: Function, case: Case, size: int) -> tuple[Scalars, dict[str, tuple[int, int]]]:
    names = [p.name for p in function.params if not p.pointer]
    scalars = case.scalars(names, size, size, 0, _Typical())
    for p in function.params:
        if not p.pointer and p.type.is_float() and p.name in case.ranges:
            low, high = case.ranges[p.name]
            scalars[p.name] = low + 0.7 * (high - low)
    regions = {}
    for n, image in case.pointers.items():
        rows, width, stride = image.box(scalars)
        m = image.margin
        regions[n] = ((rows + 2 * m - 1) * stride + width + 2 * m, m * stride + m)
    return scalars, regions


def _guessed(summary: Summary, size: int) -> tuple[Scalars, dict[str, tuple[int, int]]]:
    """Extents become `size` (their square for a function over one dimension), strides the rows' lengths."""
    function = summary.function
    path = max(summary.paths, key=lambda p: len(p.funcs))
    pointers = {p.name for p in function.params if p.pointer}
    layouts = [x for x in layouts_of(path) if x.array in pointers]
    extents = {n for x in layouts for d in x.dims for n in d.extent.names()}
    flat = all(len(x.dims) == 1 and len(x.dims[0].extent.names()) <= 1 for x in layouts)
    strides = {n for x in layouts for d in x.dims if d.stride is not None for n in d.stride.names()} - extents
    scalars: Scalars = {}
    for p in function.params:
        if p.pointer or p.name in strides:
            continue
        if p.name in extents:
            scalars[p.name] = size * size if flat else size
        else:
            scalars[p.name] = 0.7 if p.type.is_float() else 1 if p.type.is_bool() else 100
    for n in sorted(strides):
        scalars[n] = max(row_length(x, n, scalars | dict.fromkeys(strides, 0)) for x in layouts)
    regions: dict[str, tuple[int, int]] = {}
    for name in pointers:
        corners = [c for x in layouts if x.array == name for c in corners_of(x, scalars)]
        low, high = min(corners, default=0), max(corners, default=0)
        regions[name] = (max(high, 0) - min(low, 0) + 1, -min(low, 0))
    return scalars, regions
