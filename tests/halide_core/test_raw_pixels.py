"""Raw entry points over pixels: channels that are left out stay as they are, and slices of memory are worked on in
place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guarded import at_end
from test_raw import AVX2, SIZES, U8, H, W, call, compiled, wide

import halide_core as hl
from halide_core.aot.compile import RawBuffer
from tests.pairs import in_pairs

pytestmark = pytest.mark.few(5)

C, X, Y = hl.Var("c"), hl.Var("x"), hl.Var("y")


def pixels(pointer: str, size: int, channels: int, first: int = 0) -> RawBuffer:
    """Pixels of `size` elements, of which the first `channels` from `first` on are meant."""
    return RawBuffer(
        pointer, wide(first), (wide(0),) * 3, (wide(channels), wide(W), wide(H)),
        (wide(1), wide(size), wide(W) * size),
    )  # fmt: skip


TARGETS = ["host", AVX2, "x86-64-linux-sse41"]
# The size of a pixel, how many of its channels are meant, and the first of these.
PARTS = [(4, 3, 0), (4, 3, 1), (4, 2, 1), (4, 2, 2), (3, 2, 0), (3, 2, 1)]
KINDS = [hl.UInt(8), hl.UInt(16), hl.Float(32)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("target", "part", "number"), in_pairs(TARGETS, PARTS, range(len(KINDS))))
def test_other_channels_stay(target: str, part: tuple[int, int, int], number: int) -> None:
    (size, channels, first), kind = part, KINDS[number]
    source = hl.ImageParam(kind, 3, "src")
    f = hl.Func("dst")
    f[C, X, Y] = hl.select(C == 1, source[0, X, Y], source[C, X, Y] + 1)
    buffers = {"src": pixels("a", size, channels, first), "dst": pixels("b", size, channels, first)}
    module = compiled(f, buffers, {"a": kind, "b": kind}, target=hl.Target(target))
    dtype = {8: np.uint8, 16: np.uint16, 32: np.float32}[kind.bits]
    for width, height in SIZES:
        rng = np.random.default_rng(width)
        a, b = (at_end(rng.integers(0, 256, (height, width, size)).astype(dtype)) for _ in range(2))
        wanted = b.copy()
        part = a[..., first : first + channels]
        wanted[..., first : first + channels] = part + np.array(1, dtype)
        wanted[..., first + 1] = part[..., 0]
        call(module, [a, b], width, height)
        assert np.array_equal(b, wanted)


def through_temporary(offset: int = 0) -> tuple[hl.Func, hl.Func]:
    source = hl.ImageParam(U8, 3, "src")
    turned, f = hl.Func("turned"), hl.Func("dst")
    row = Y + offset if offset else Y
    turned[C, X, Y] = hl.select(C == 0, source[2, X, row], source[C - 1, X, row])
    f[C, X, Y] = turned[C, X, Y]
    return f, turned


@pytest.mark.parametrize("parallel", [False, True])
def test_slices_in_place(parallel: bool) -> None:
    f, turned = through_temporary()
    rows, y = hl.Var("rows"), hl.Var("inner")
    f.split(Y, rows, y, 4, hl.TailStrategy.GuardWithIf)
    if parallel:
        f.parallel(rows)
    turned.compute_at(f, rows)
    memory = pixels("a", 3, 3)
    module = compiled(f, {"src": memory, "dst": memory}, {"a": U8})
    for width, height in SIZES:
        a = at_end(np.random.default_rng(width).integers(0, 256, (height, width, 3)).astype(np.uint8))
        wanted = np.roll(a, 1, axis=2)
        call(module, [a], width, height)
        assert np.array_equal(a, wanted)


def shifted(f: hl.Func, turned: hl.Func) -> None:
    rows, y = hl.Var("rows"), hl.Var("inner")
    f.split(Y, rows, y, 4, hl.TailStrategy.ShiftInwards)
    turned.compute_at(f, rows)


def across(f: hl.Func, turned: hl.Func) -> None:
    outer, inner = hl.Var("outer"), hl.Var("inner")
    f.split(X, outer, inner, 8, hl.TailStrategy.GuardWithIf)
    f.reorder(inner, outer, Y, C)  # rows are run through once for each channel
    turned.compute_at(f, Y)


def neighbours(f: hl.Func, turned: hl.Func) -> None:
    turned.compute_at(f, Y)


@pytest.mark.parametrize(("schedule", "offset"), [(shifted, 0), (across, 0), (neighbours, 1)])
def test_other_slices_are_not_read(schedule: Any, offset: int) -> None:
    f, turned = through_temporary(offset)
    schedule(f, turned)
    memory = pixels("a", 3, 3)
    with pytest.raises(hl.HalideError, match=r"only point-wise reads are possible in place|works in place"):
        compiled(f, {"src": memory, "dst": memory}, {"a": U8})
