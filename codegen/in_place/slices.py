"""Outputs that overwrite what they read: along which of their dimensions each slice is computed from itself alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import Var
from halide_core.function import Function, LoopLevel, TailStrategy
from halide_core.ir.expr import Call, CallType, Expr, Variable
from halide_core.ir.structural import post_order
from lifter.ir.summary import FuncSummary, InputSummary, Layout

# Bytes of slices that the stack holds, how many such blocks are worth a thread, and slices of unknown size that are.
_BLOCK_BYTES, _BLOCKS, _SLICES = 12288, 8, 8
# Bytes of a row that make up a strip of columns.
_COLUMN_BYTES = 256
# Channels that are no longer a few.
_MANY = 5


def independent_dimension(f: FuncSummary, value: Expr, inputs: Mapping[str, InputSummary]) -> str | None:
    """The outermost dimension of `f`, defined by `value`, along which each slice reads of the memory that it overwrites
    only that slice; None where there is none.  `inputs`: by name."""
    free = [d.name for d in f.layout.dims]
    reads = own_reads(f, value, inputs)
    if reads is None:
        return None
    for n in reads:
        own = [isinstance(a, Variable) and a.name == d.name for a, d in zip(n.args, f.layout.dims, strict=True)]
        free = [d.name for d, same in zip(f.layout.dims, own, strict=True) if same and d.name in free]
    return free[-1] if free else None


def own_reads(f: FuncSummary, value: Expr, inputs: Mapping[str, InputSummary]) -> list[Call] | None:
    """The reads in `value` of the memory that `f` overwrites; None where one of them is by other coordinates."""
    images = [n for n in post_order(value) if isinstance(n, Call) and n.call_type is CallType.IMAGE]
    found = [n for n in images if inputs[n.name].layout.array == f.layout.array]
    return found if all(alike(inputs[n.name].layout, f.layout) for n in found) else None


def alike(a: Layout, b: Layout) -> bool:
    """Whether coordinates in two layouts are the same element."""
    return a.offset == b.offset and [d.stride for d in a.dims] == [d.stride for d in b.dims]


def compute_in_strips(temporary: Function, output: Function, f: FuncSummary, dimension: str) -> None:
    """Computes `temporary`, of which `output` takes the values of `f`, within strips of slices along `dimension`."""
    others = [d.extent.constant_value() for d in f.layout.dims if d.name != dimension]
    level, stage = f"{dimension}$strip", Stage(output, 0)
    innermost = len(f.layout.dims) > 1 and f.layout.dims[0].name == dimension
    strips = [level]
    if None in others:
        slices = _COLUMN_BYTES // f.type.bytes() if innermost else _SLICES
        stage.split(Var(dimension), Var(level), Var(dimension), slices, TailStrategy.GuardWithIf)
    else:
        size = f.type.bytes() * math.prod(max(int(extent or 1), 1) for extent in others)
        slices = max(_BLOCK_BYTES // size, 1)
        stage.split(Var(dimension), Var(level), Var(dimension), slices * _BLOCKS, TailStrategy.GuardWithIf)
        level = f"{dimension}$block"
        stage.split(Var(dimension), Var(level), Var(dimension), slices, TailStrategy.GuardWithIf)
        strips.insert(0, level)
    if f.layout.dims[-1].name != dimension:  # a strip has slices of the other dimensions whole
        stage.reorder(*(Var(d.name) for d in f.layout.dims), *map(Var, strips))
    temporary.compute = temporary.store = LoopLevel(output.name, level)
    if len(f.layout.dims) > 1 and (f.layout.dims[0].extent.constant_value() or _MANY) < _MANY:
        # Planes, so that channels are taken apart and put together once each.
        order = temporary.storage_order
        order[0], order[1] = order[1], order[0]
