"""Running a pipeline under one schedule after the other, at its estimated sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.kept import kept
from halide_core.dsl.buffer import Buffer
from halide_core.dsl.variables import PARAMS
from halide_core.function import Function, Image
from halide_core.interp.expr import dtype_of
from halide_core.ir.expr import const_value
from halide_core.jit import run
from halide_core.jit_code import Compiled
from halide_core.passes.realization_order import build_environment
from halide_core.target import Target


class Bench:
    """One pipeline at its estimated sizes on images of random values, the first of them those that are bound, if any.

    It is scheduled again and again; afterwards the Funcs are as they were."""

    def __init__(self, outputs: list[Function], target: Target, images: int = 1, seed: int = 0) -> None:
        self.functions, self.target = outputs, target
        environment = build_environment(outputs)
        self.order, self.images = environment.order, environment.images
        self._restore = kept(self.order)
        known = {n: PARAMS[n] for n in environment.parameters if n in PARAMS}
        values = {n: p.get() if p.get() is not None else p.estimated() for n, p in known.items()}
        # Params that are set, or else their estimates.
        self.scalars = {n: v for n, v in values.items() if v is not None}
        rng = np.random.default_rng(seed)
        self.inputs = [{i.name: _image(i, rng, k == 0) for i in self.images} for k in range(images)]
        self.results = self._buffers()
        self._compiled: dict[str, Compiled] = {}

    def compiled(self, schedule: Schedule) -> Compiled:
        """The code of a schedule.  Raises HalideError where it is refused."""
        name = repr(schedule.directives)
        if name not in self._compiled:
            with self.scheduled(schedule):
                # Partial results are Functions that only this schedule has.
                order = build_environment(self.functions).order
                made = Compiled(self.functions, order, self.images, self.target, True)
            if len(self._compiled) >= 4:
                self._compiled.pop(next(iter(self._compiled)))
            self._compiled[name] = made
        return self._compiled[name]

    @contextmanager
    def scheduled(self, schedule: Schedule) -> Iterator[None]:
        """Within, the Funcs have `schedule`."""
        try:
            schedule.apply({f.name: f for f in self.order})
            yield
        finally:
            self._restore()

    def run(self, code: Compiled, given: dict[str, Buffer]) -> list[Buffer]:
        """The outputs, in memory that the next run overwrites."""
        buffers = {a.name: given[a.name] for a in code.interface.inputs}
        buffers |= {a.name: b for a, b in zip(code.interface.outputs, self.results, strict=True)}
        run(code, buffers, self.scalars)
        return self.results

    def _buffers(self) -> list[Buffer]:
        out: list[Buffer] = []
        for f in self.functions:
            box = [_ends(f.estimates.get(a) or f.bounds[a]) for a in f.args]
            for t in f.types:
                b = Buffer(t, [extent for _, extent in box])
                b.set_min([low for low, _ in box])
                out.append(b)
        return out


def _ends(known: Any) -> tuple[int, int]:
    low, extent = (const_value(e) for e in known)
    assert low is not None and extent is not None  # the description has checked it
    return int(low), int(extent)


def _image(image: Image, rng: np.random.Generator, own: bool) -> Buffer:
    """The image that is bound, if `own`, else random values over the estimated box."""
    bound: Buffer | None = image.array
    if bound is not None and (own or not image.is_parameter):
        return bound
    if bound is not None:
        box = list(zip(bound.mins(), bound.extents(), strict=True))
    else:
        box = [_ends(image.estimates.get(d) or (image.fixed[f"min.{d}"], image.fixed[f"extent.{d}"]))
               for d in range(image.dimensions)]
    shape = [extent for _, extent in reversed(box)]
    dtype = np.dtype(dtype_of(image.type))
    if dtype.kind == "f":
        values = rng.random(shape).astype(dtype)
    else:
        top = 1 if dtype.kind == "b" else min(int(np.iinfo(dtype).max), 1 << 30)
        values = rng.integers(0, top, shape, endpoint=True).astype(dtype)
    made = Buffer(values)
    made.set_min([low for low, _ in box])
    return made
