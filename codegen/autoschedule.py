"""Autoschedulers for lifted functions: paths of plain images, with a check at run time that no more is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codegen.pipeline import BuiltPath
from halide_core.aot.compile import RawBuffer
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.methods import method
from halide_core.autoschedule.rules.default import rewrite_for_layouts
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as E
from halide_core.ir.box import Box
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, substitute, variables
from halide_core.passes.boxes import boxes_touched
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context, metadata
from halide_core.passes.schedule_functions import schedule_functions
from lifter.algebra.fold import all_hold
from lifter.ir.summary import Summary

NAMES = ("default", "Reuse2019", "TreeSearch", "AutoGPU")
"""What functions may be scheduled by, AutoGPU on a device alone; a search that runs candidates
would have no images to run them on."""
# What images and other numbers are taken to be.
_SIDE, _OTHER = 1024, 4


def autoschedule(built: BuiltPath, summary: Summary, number: int, target: Any, name: str) -> Expr | None:
    """Schedules a path by the autoscheduler `name`; returns the condition, over the function's parameters, under which
    it reads nothing that it does not read unscheduled.  None, the path left in whatever state, where that does not
    apply: memory that is shared, results that are no images, rows that are not dense, what the method refuses."""
    path = summary.paths[number]
    if built.in_place or path.result is not None or any(i.may_coincide for i in path.contract):
        return None
    if not all(b.strides and const_value(b.strides[0]) == 1 for b in built.buffers.values()):
        return None
    outputs: list[Function] = built.pipeline.functions()
    rewrite_for_layouts(outputs, outputs, built.layouts())
    try:
        before = _touched(outputs)
        if not _estimated(built, outputs):
            return None
        schedule = method(name)(outputs, target, {})
        if not _bounds_hold(schedule, built):
            return None
        schedule.apply({f.name: f for f in build_environment(outputs).order})
        after = _touched(outputs)
    except HalideError:
        # The default schedule has no such limits.
        return None
    return _within(built, before, after)


def _touched(outputs: list[Function]) -> dict[str, Box]:
    context = Context()
    order = build_environment(outputs).order
    return boxes_touched(schedule_functions(order, outputs, context), context.promises)


def _estimated(built: BuiltPath, outputs: list[Function]) -> bool:
    """Gives outputs, images and parameters their likely sizes; whether these make sense."""
    named = set().union(*(variables(e) for b in built.buffers.values() for e in (*b.extents, *b.strides)), set())
    values = {n: _SIDE if n in named else _OTHER for n in _parameters(built)}
    for f in outputs:
        for a, (low, extent) in zip(f.args, _box(built.buffers[f.name], values), strict=True):
            if not 0 < extent < 1 << 16:
                return False
            f.estimates[a] = const(low, I32), const(extent, I32)
    for image in built.images:
        for d, (low, extent) in enumerate(_box(built.buffers[image.name], values)):
            if not 0 < extent < 1 << 16:
                return False
            image.estimates[d] = const(low, I32), const(extent, I32)
    _state_strides(built, outputs)
    for param in built.keep:
        source = built.scalars[param.name()]
        if isinstance(source, Variable) and not param.type().is_float():
            param.set_estimate(values.get(source.name, _OTHER))
    return True


def _state_strides(built: BuiltPath, outputs: list[Function]) -> None:
    """States the strides that are known, as a user would: methods tell interleaved channels by them."""
    images = {i.name: i.fixed for i in built.images}
    images |= {f.name: built.funcs[f.name].output_buffer()._image.fixed for f in outputs if len(f.types) == 1}
    for name, fixed in images.items():
        strides = map(const_value, built.buffers[name].strides)
        fixed |= {f"stride.{d}": const(s, I32) for d, s in enumerate(strides) if s is not None}


def _parameters(built: BuiltPath) -> set[str]:
    found: set[str] = set()
    for e in (*built.scalars.values(), *(e for b in built.buffers.values() for e in _numbers(b))):
        found |= set(variables(e))
    return found


def _numbers(b: RawBuffer) -> Sequence[Expr]:
    return (*b.mins, *b.extents, *b.strides)


def _box(b: RawBuffer, values: dict[str, int]) -> list[tuple[int, int]]:
    return [
        (int(evaluate(low, values).item()), int(evaluate(extent, values).item()))
        for low, extent in zip(b.mins, b.extents, strict=True)
    ]


def _bounds_hold(schedule: Schedule, built: BuiltPath) -> bool:
    """Whether what the schedule takes dimensions to be is what they are at all sizes."""
    for d in schedule.directives:
        if d.method != "bound":
            continue
        buffer = built.buffers.get(d.func)
        args = built.funcs[d.func]._function.args if d.func in built.funcs else ()
        name = getattr(d.args[0], "name", "")
        if buffer is None or name not in args:
            return False
        k = args.index(name)
        if (const_value(buffer.mins[k]), const_value(buffer.extents[k])) != (d.args[1], d.args[2]):
            return False
    return True


def _within(built: BuiltPath, before: dict[str, Box], after: dict[str, Box]) -> Expr | None:
    """Whether the boxes `after` lie in those `before`, for every image."""
    known: dict[str, Expr] = dict(built.scalars)
    for name, b in built.buffers.items():
        for d, (low, extent) in enumerate(zip(b.mins, b.extents, strict=True)):
            known[metadata(name, "min", d).name] = E.Cast(I32, low)
            known[metadata(name, "extent", d).name] = E.Cast(I32, extent)
    parts: list[Expr] = []
    for image in built.images:
        if image.name not in after:
            continue
        for (start, stop), (first, last) in zip(after[image.name].dims, before[image.name].dims, strict=True):
            for less, more in ((first, start), (stop, last)):
                if less is None or more is None:
                    # Where data say what is read, they do so under any schedule.
                    if less is not more:
                        return None
                    continue
                if key(less) != key(more):
                    parts.append(simplify(substitute(E.LE(BOOL, less, more), known)))
    held = all_hold([p for p in parts if const_value(p) != 1])
    names = _parameters(built)
    return held if set(variables(held)) <= names else None
