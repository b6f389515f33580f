"""Accesses of several elements at once: where addresses are multiples of their bytes, and nowhere else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.gpu.multiples import needed_for
from halide_core.gpu.runtime import device_runtime
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, I32, I64, Variable, const
from tests.gpu.emulator.device import Emulator
from tests.gpu.running import TARGET

pytestmark = pytest.mark.few(4)

x, y, c, xo, xv, xi, yi = (hc.Var(n) for n in ("x", "y", "c", "xo", "xv", "xi", "yi"))
A, B, T = (Variable(I32, n) for n in ("a", "b", "t"))
SUMS = [
    A, A + T * 4, A + T * 2, A * T + B, ir.Min(I32, A, T * 8) + B, A - B * T + 12, (A + 4) * 2 + T * 4, A + 3,
    T * 6 + A * 2, ir.Cast(I64, A * 2 + T * 8), ir.Select(I32, ir.LT(BOOL, T, A), A, B * 4), A * B, (T + A) * 4,
    T % 4 + A, ir.Max(I32, A, B) * T,
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(SUMS)))
def test_what_is_needed_is_enough(k: int) -> None:
    e = SUMS[k]
    for multiple in (2, 4, 8, 16):
        needed = needed_for(e, multiple, {"a", "b"})
        if needed is None:
            continue
        steps = [range(-2 * n, 40, n) for n in (needed.get("a", 1), needed.get("b", 1))]
        for a, b, t in itertools.product(*steps, (-3, 0, 1, 2, 5)):
            assert int(evaluate(e, {"a": a, "b": b, "t": t})) % multiple == 0, (multiple, a, b, t)


def test_what_is_asked_for_is_no_more_than_that() -> None:
    assert needed_for(A + T * 4, 4, {"a"}) == {"a": 4}
    assert needed_for((A + T) * 4, 4, {"a"}) == {}
    assert needed_for(A * 2 + T * 8, 4, {"a"}) == {"a": 2}
    assert needed_for(A + T * 2, 4, {"a"}) is None
    assert needed_for(A + 3, 4, {"a"}) is None
    assert needed_for(const(12, I32), 4, set()) == {}


Make = Callable[[Any, bool], hc.Func]


def _vectors(source: Any, device: bool) -> hc.Func:
    f = hc.Func("f")
    f[x, y] = source[x, y] * 2 + 1
    return _scheduled(f).vectorize(xv) if device else f


def _unrolled_window(source: Any, device: bool) -> hc.Func:
    f = hc.Func("f")
    f[x, y] = source[x, y] + source[x + 1, y] * 3 + source[x + 2, y]
    return _scheduled(f, hc.TailStrategy.ShiftInwards).unroll(xv) if device else f


def _updated(source: Any, device: bool) -> hc.Func:
    """Each update reads what the one before stored, a thread its own elements."""
    f = hc.Func("f")
    f[x, y] = source[x, y]
    f[x, y] += source[x + 1, y] + source[x, y]
    g = hc.Func("g")
    g[x, y] = f[x, y] + f[x, y]
    for stage in (f.compute_root(), f.update()) if device else ():
        _scheduled(stage, hc.TailStrategy.RoundUp).unroll(xv)
    return g


def _between(source: Any, device: bool) -> hc.Func:
    """Storage of the device's own."""
    f, g = hc.Func("f"), hc.Func("g")
    g[x, y] = source[x, y] * 3
    f[x, y] = g[x, y] + g[x, y + 1]
    for s in (f, g.compute_root()) if device else ():
        _scheduled(s).vectorize(xv)
    return f


def _scheduled(stage: Any, tail: hc.TailStrategy = hc.TailStrategy.GuardWithIf) -> Any:
    stage.split(x, x, xv, 4, tail).reorder(xv, x, y)
    return stage.gpu_tile(x, y, xi, yi, 8, 4, hc.TailStrategy.GuardWithIf)


def _run(make: Make, kind: str, size: tuple[int, int], crop: int, device: bool) -> tuple[np.ndarray, int]:
    """The result for a part of an image that begins at column `crop`, and the accesses of 16 bytes."""
    numbers = np.arange((size[1] + 1) * (size[0] + 16)).reshape(size[1] + 1, -1).astype(kind)
    part = hc.Buffer(numbers).cropped(0, crop, size[0] + 4)
    part.set_min([0, 0])
    source = hc.ImageParam(part.type(), 2, "source")
    source.set(part)
    f = make(source, device)
    emulator = Emulator()
    with device_runtime(emulator):
        out = np.array(f.realize(list(size), hc.Target(TARGET if device else "host")))
    return out, sum(launch.counts.wide_accesses for launch in emulator.launches)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("make", [_vectors, _unrolled_window, _updated, _between])
@pytest.mark.parametrize("kind", ["float32", "uint8", "int16", "float64"])
def test_equals_the_host(make: Make, kind: str) -> None:
    """Whole rows, parts of them that begin anywhere, rows and sizes that are no multiples."""
    for size, crop in (((64, 6), 0), ((64, 6), 12), ((64, 6), 1), ((63, 5), 0), ((33, 4), 3)):
        wanted, _ = _run(make, kind, size, crop, False)
        found, wide = _run(make, kind, size, crop, True)
        assert np.array_equal(found, wanted), (size, crop)
        if kind == "float32":
            assert bool(wide) == (size[0] == 64), (size, crop)
