"""Whether the compiler takes a schedule: it is applied, lowered, and taken back.

Lowering a pipeline of a hundred Funcs takes longer than finding its schedule.  Of large ones loops are made, which is
where most schedules are refused, and code where these do not show that blocks have room for what they share."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from functools import partial

from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.footprints import Number, compiled
from halide_core.autoschedule.auto_gpu.block_sizes import (
    Limits,
    TooManyThreads,
    check_blocks,
    check_launches,
    check_written,
)
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.kept import kept
from halide_core.compiler_memory import frugal
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.gpu.capability import MOST_THREADS, most_shared
from halide_core.gpu.nests import check_nests, check_target
from halide_core.gpu.padding import pad_shared
from halide_core.ir.box import Box
from halide_core.passes.bound_extents import bound_extents
from halide_core.passes.boxes import boxes_touched
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions
from halide_core.passes.whole_blocks import whole_blocks
from halide_core.passes.wrap_calls import wrap_calls
from halide_core.target import Target

_MANY = 20
"""Funcs beyond which a pipeline is large."""
_MOST_BOXES = 40
"""Funcs of a pipeline of which it is told what it reads: that takes minutes for a pyramid of fifty."""


BEYOND = "more of an image is read than there is"
"""A refusal that names no Func: tails of tiles whose bounds are not exact."""


def refusal_of(
    outputs: list[Function], schedule: Schedule, target: Target, description: Description | None = None
) -> str | TooManyThreads | None:
    """Why a pipeline without a schedule cannot have this one, in the compiler's words; None where it can.

    With its `description`: `BEYOND` where images of the estimated sizes would not do, and what is too large for a block
    at these sizes."""
    from halide_core.backend.ptx import check  # the compiler is loaded only where it is needed
    from halide_core.lower import lower

    order = build_environment(outputs).order
    restore = kept(order)
    try:
        schedule.apply({f.name: f for f in order})
        scheduled = build_environment(outputs).order
        values = description.values if description is not None else {}
        limits = Limits(MOST_THREADS, most_shared(target))
        check_target(scheduled, target)
        touched, fits = _checked_loops(scheduled, outputs, values, limits, len(scheduled) <= _MOST_BOXES)
        if len(scheduled) <= _MANY or not fits:
            lowered = lower(outputs, target)
            for kernel in lowered.kernels:
                check(kernel)
            check_launches(lowered.stmt, {k.name: k for k in lowered.kernels}, values, limits)
        if description is not None and any(map(partial(_is_beyond, description), touched, touched.values())):
            return BEYOND
    except TooManyThreads as problem:
        return problem
    except HalideError as problem:
        return str(problem)
    finally:
        restore()
    return None


@frugal
@on_deep_stack(lambda order, *_, **__: is_deep(order))
def _checked_loops(
    order: list[Function], outputs: list[Function], values: Mapping[str, Number], limits: Limits, boxes: bool
) -> tuple[dict[str, Box], bool]:
    """What the loops of a schedule read and write, by name, if `boxes`, and whether blocks are sure to have room for
    what they share.  Raises HalideError for loops that no device runs, and where blocks have too many threads at sizes
    that have these `values`.  `order` says how large the pipeline is, and how deep its expressions are."""
    wrap_calls(outputs)
    context = Context()
    loops = schedule_functions(build_environment(outputs).order, outputs, context)
    check_nests(loops)
    fits = check_blocks(loops, values, limits)
    # As the compiler goes on: constants bound what is written out and what blocks keep, in rows that may be longer.
    bounded = bound_extents(whole_blocks(loops))
    check_written(bounded)
    if not fits and len(order) > _MANY:
        fits = check_blocks(pad_shared(bounded), values, limits, padded=True)
    return boxes_touched(loops, context.promises, None, context.known) if boxes else {}, fits


def _is_beyond(description: Description, name: str, box: Box) -> bool:
    """Whether a box of an image is not within the image."""
    if name not in description.images:
        return False
    for (low, high), (first, last) in zip(box.dims, description.images[name], strict=True):
        for end, limit, sign in ((low, first, -1), (high, last, 1)):
            place = compiled(end) if end is not None else None
            if place is None:
                continue  # where data say what is read, they do so under any schedule
            with contextlib.suppress(KeyError):
                if sign * (float(place(description.values)) - limit) > 0:
                    return True
    return False


def named(text: str, names: Sequence[str]) -> list[str]:
    """The Func that a refusal is about: the first one that it names."""
    at = {n: m.start() for n in names if (m := re.search(rf"(?<![A-Za-z0-9]){re.escape(n)}(?![A-Za-z0-9])", text))}
    return [min(at, key=lambda n: (at[n], -len(n)))] if at else []
