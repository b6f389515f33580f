"""Arguments to time a function with: as someone knows, or guessed from what its summary reads and writes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.variants import path_condition
from halide_core.errors import HalideError
from halide_core.interp.expr import evaluate as evaluate_expr
from halide_core.ir.types import Type
from lifter.harness.argument_extents import NoArguments, Scalars
from lifter.harness.contents import fill, hold_between
from lifter.harness.draw_arguments import Draw, Drawer, Ranges
from lifter.ir.loop_ir import Function
from lifter.ir.names import address_name
from lifter.ir.summary import Summary

_PATTERN = 131071 * 8
"""Bytes of random contents that large images repeat: too long for a branch predictor to learn."""
MAX_ELEMENTS = 1 << 28
_REGISTER = 64
"""Elements around what originals with intrinsics read, which load whole registers."""
_TRIES = 100


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


Exactly = Callable[[int], tuple[Scalars, dict[str, tuple[int, int]]]]
"""For a size the scalars, and for each pointer how many elements lie behind it and how many of them before it."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a function's arguments beyond its summary."""

    ranges: Ranges = field(default_factory=dict)
    """Of scalars whose names say too little."""
    exactly: Exactly | None = None


def arguments(summary: Summary, size: int, known: Known | None = None) -> Arguments:
    """Arguments for images of size x size.  Raises NoArguments."""
    function = summary.function
    null: frozenset[str] = frozenset()
    if known is not None and known.exactly is not None:
        scalars, regions = known.exactly(size)
    else:
        drawer = Drawer(summary, known.ranges if known is not None else None)
        draw = _large(drawer, size)
        scalars, null = draw.scalars, draw.null
        spare = _REGISTER if function.uses_registers else 0
        regions = {n: (high - low + 2 * spare, spare - low) for n, (low, high) in drawer.regions(draw).items()}
    too_large = [n for n, (count, _) in regions.items() if count > MAX_ELEMENTS]
    if too_large:
        raise NoArguments(f"'{too_large[0]}' would take {regions[too_large[0]][0]} elements")
    types = {p.name: p.type for p in function.params if p.pointer}
    memory = {n: Memory(types[n], count, origin, seed) for seed, (n, (count, origin)) in enumerate(regions.items())}
    for m in function.measured:
        places = slice((m.first + regions[m.array][1]) % m.step, None, m.step)
        hold_between(memory[m.array].bytes, types[m.array], int(scalars[m.least]), int(scalars[m.most]), places)
    for n in null:
        memory[n].pointer = 0
    read = {i.layout.array for p in summary.paths for i in p.inputs}
    outputs = {f.layout.array for p in summary.paths for f in p.funcs if f.output}
    accumulates = any(f.output and f.undefined for p in summary.paths for f in p.funcs)
    return Arguments(scalars, memory, tuple(n for n in memory if n in outputs), bool(read & outputs) or accumulates)


def _large(drawer: Drawer, size: int) -> Draw:
    """Of some draws that meet the contract the one with the most elements, up to size x size pixels of four channels;
    where none does, of draws with longer rows, then of smaller ones.

    Raises NoArguments."""
    for side, pad in ((size, 0), (size, size), *((size >> k, 0) for k in range(1, size.bit_length()))):
        best: tuple[int, Draw] | None = None
        for seed in range(_TRIES):
            draw = drawer.scalars(side, side, pad, random.Random(seed))
            if draw.path is None or drawer.undefined(draw):
                continue
            most = max((high - low for low, high in drawer.regions(draw).values()), default=0)
            work = min(most, 4 * side * side)
            if most <= MAX_ELEMENTS and (best is None or work > best[0]):
                best = work, draw
        if best is not None:
            return best[1]
    raise NoArguments(f"none of {_TRIES} tries meets the contract, within {MAX_ELEMENTS} elements an image")


def contract_holds(summary: Summary, args: Arguments) -> bool:
    """Whether some path's run-time checks pass, so that the lifted code runs and not the original."""
    env: dict[str, Any] = dict(args.scalars)
    env |= {address_name(n): np.uint64(m.pointer) for n, m in args.memory.items()}
    try:
        return any(bool(evaluate_expr(path_condition(summary, i), env)) for i in range(len(summary.paths)))
    except HalideError:
        return True  # a condition on the images' contents, which only the run decides
