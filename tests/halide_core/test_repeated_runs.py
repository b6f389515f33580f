"""What changes between two runs of a pipeline into the same Buffers must be seen by the second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl


class Pipe:
    """out(x) = in(x) * scale + 1 over eight values, run twice so that the second run follows from the first."""

    def __init__(self) -> None:
        self.x, self.scale = hl.Var("x"), hl.Param(hl.Int(32), "scale", 3)
        self.input = hl.ImageParam(hl.Int(32), 1, "input")
        self.first, self.f = hl.Func("first"), hl.Func("f")
        self.first[self.x] = self.input[self.x] * self.scale
        self.f[self.x] = self.first[self.x] + 1
        self.values = np.arange(8, dtype=np.int32)
        self.buffer, self.out = hl.Buffer(self.values), hl.Buffer(hl.Int(32), [8])
        self.input.set(self.buffer)
        self.pipeline = hl.Pipeline([self.f])
        for _ in range(3):
            self.run()

    def run(self) -> list[int]:
        self.out.fill(99)
        self.pipeline.realize(self.out)
        return [int(v) for v in np.asarray(self.out)]


CHANGES: dict[str, tuple[Callable[[Pipe], object], Callable[[int], int]]] = {
    "values": (lambda p: np.multiply(p.values, 2, out=p.values), lambda v: 6 * v + 1),
    "param": (lambda p: p.scale.set(5), lambda v: 5 * v + 1),
    "input": (lambda p: p.input.set(hl.Buffer(np.arange(8, 16, dtype=np.int32))), lambda v: 3 * (v + 8) + 1),
    "schedule": (lambda p: p.first.compute_root().vectorize(p.x, 4), lambda v: 3 * v + 1),
    "output": (lambda p: setattr(p, "out", hl.Buffer(np.zeros(16, np.int32)[::2])), lambda v: 3 * v + 1),
    "shared memory": (lambda p: setattr(p, "out", p.buffer), lambda v: 99 * 3 + 1),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_seen(name: str) -> None:
    change, wanted = CHANGES[name]
    p = Pipe()
    assert p.run() == [3 * v + 1 for v in range(8)]
    change(p)
    assert p.run() == [wanted(v) for v in range(8)]
    assert p.run() == [wanted(v) for v in range(8)]


def test_definition_is_seen() -> None:
    p = Pipe()
    p.f._function.frozen = False  # as if the compiler itself added the update
    p.f[p.x] += 10
    assert p.run() == [3 * v + 11 for v in range(8)]


REFUSED: dict[str, tuple[Callable[[Pipe], Any], str]] = {
    "range": (lambda p: p.scale.set_range(4, 9), "scale"),
    "min": (lambda p: p.buffer.set_min([1]), "before the min"),
    "constraint": (lambda p: p.input.dim(0).set_extent(9), "Constraint violated"),
    "output constraint": (lambda p: p.f.output_buffer().dim(0).set_extent(9), "Constraint violated"),
    "smaller": (lambda p: p.input.set(hl.Buffer(p.values[:7])), "beyond the max"),
    "type": (lambda p: setattr(p, "out", hl.Buffer(hl.UInt(32), [8])), "type"),
    "none": (lambda p: p.input.reset(), "nullptr"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_is_seen(name: str) -> None:
    change, message = REFUSED[name]
    p = Pipe()
    change(p)
    with pytest.raises(hl.HalideError, match=message):
        p.run()
    with pytest.raises(hl.HalideError, match=message):
        p.run()
