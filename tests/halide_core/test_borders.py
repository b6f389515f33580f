"""Vectors at borders: coordinates clamped and chosen, values chosen by column, where memory ends at unmapped pages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from guarded import at_end, at_start
from test_fast_paths import line
from test_raw import H as C
from test_raw import W as WIDTH
from test_raw import X

import halide_core as hl
from halide_core.aot.compile import RawParam, Variant, compile_raw
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.expr import I32
from tests.pairs import in_pairs

pytestmark = pytest.mark.few(6)

TARGETS = ["host", "x86-64-linux-avx2", "x86-64-linux-sse41"]
WIDTHS = [1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 128, 130, 257]
TYPES = {"uint8": hl.UInt(8), "uint16": hl.UInt(16), "int32": hl.Int(32), "float32": hl.Float(32)}
W, H = hl.Param(hl.Int(32), "w"), hl.Param(hl.Int(32), "h")
Numbers = np.ndarray[Any, Any]

# By name: the pipeline's value, and the element or the value of numpy's, over x, the width w and a parameter c <= w.
INDICES: dict[str, tuple[Callable[[Any, Any, Any], Any], Callable[[Numbers, int, int], Numbers]]] = {
    "repeated edge": (lambda x, w, c: hl.clamp(x + c - 3, 0, w - 1), lambda x, w, c: np.clip(x + c - 3, 0, w - 1)),
    "clamped below": (lambda x, w, c: hl.max(x - c, 0), lambda x, w, c: np.maximum(x - c, 0)),
    "clamped above": (lambda x, w, c: hl.min(x + c, w - 1), lambda x, w, c: np.minimum(x + c, w - 1)),
    "clamped to one element": (lambda x, w, c: hl.max(hl.min(x, c - 1), w - 1), lambda x, w, c: np.full_like(x, w - 1)),
    "backwards": (lambda x, w, c: hl.clamp(c - x, 0, w - 1), lambda x, w, c: np.clip(c - x, 0, w - 1)),
    "every other, clamped": (lambda x, w, c: hl.min(2 * x, w - 1), lambda x, w, c: np.minimum(2 * x, w - 1)),
    "pixels of four": (
        lambda x, w, c: hl.clamp(x / 4 + c - 1, 0, w / 4 - 1) * 4 + x % 4,
        lambda x, w, c: np.clip(x // 4 + c - 1, 0, w // 4 - 1) * 4 + x % 4,
    ),
    "pixels of three, backwards": (
        lambda x, w, c: hl.clamp((c - x) / 3 + 2, 0, w / 3 - 1) * 3 + x % 3,
        lambda x, w, c: np.clip((c - x) // 3 + 2, 0, w // 3 - 1) * 3 + x % 3,
    ),
    "first pixel": (lambda x, w, c: hl.select(x < c, x, x - c), lambda x, w, c: np.where(x < c, x, x - c)),
    "first and last pixel": (
        lambda x, w, c: hl.select(x < c, x, hl.select(x < w - c, x - c, x)),
        lambda x, w, c: np.where(x < c, x, np.where(x < w - c, x - c, x)),
    ),
    "mirrored halves": (
        lambda x, w, c: hl.select(x >= w - c, 2 * w - 2 * c - 1 - x + c - c, x),
        lambda x, w, c: np.where(x >= w - c, 2 * w - 2 * c - 1 - x, x),
    ),
    "wrapped": (
        lambda x, w, c: hl.select(x + c >= w, x + c - w, x + c), lambda x, w, c: np.where(x + c >= w, x + c - w, x + c)
    ),
}  # fmt: skip


def compiled(f: hl.Func, read: Any, written: Any, target: str) -> Callable[[Numbers, Numbers, int, int], Any]:
    """`f` under its default schedule as a function of two arrays, w and h."""
    pipeline, buffers = hl.Pipeline([f]), {"src": line("a"), "dst": line("b")}
    apply_default_schedule(pipeline, hl.Target(target), set(), buffers)
    params = [RawParam("a", read, True), RawParam("b", written, True), RawParam("w", I32), RawParam("h", I32)]
    variant = Variant(WIDTH > 0, pipeline, buffers, {"w": WIDTH, "h": C}, None)
    module = compile_raw("kernel", params, None, [variant], None, hl.Target(target)).jit()
    kernel = module.function("kernel", None, *[ctypes.c_void_p] * 2, *[ctypes.c_int] * 2)
    return lambda a, b, w, h: (module, kernel(a.ctypes.data, b.ctypes.data, w, h))


def arguments(width: int) -> list[int]:
    return sorted({0, 1, min(3, width), width // 2, width})


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "target", "kind"), in_pairs(list(INDICES), TARGETS, list(TYPES)))
def test_coordinates_at_borders(name: str, target: str, kind: str) -> None:
    """What lies outside is not touched; parameters for which the coordinates would are left out."""
    index, expected = INDICES[name]
    source = hl.ImageParam(TYPES[kind], 1, "src")
    f = hl.Func("dst")
    f[X] = source[index(X, W, H)] + source[X]
    run = compiled(f, TYPES[kind], TYPES[kind], target)
    rng = np.random.default_rng(7)
    tried = 0
    for width in WIDTHS:
        for c in arguments(width):
            at = expected(np.arange(width), width, c)
            if (at < 0).any() or (at >= width).any():
                continue
            tried += 1
            for place in (at_end, at_start):
                a = place(rng.integers(0, 100, width).astype(kind))
                b = place(np.zeros(width, kind))
                run(a, b, width, c)
                assert np.array_equal(b, a[at] + a), (width, c, place)
    assert tried >= len(WIDTHS)


@pytest.mark.parametrize("target", TARGETS)
def test_values_by_column(target: str) -> None:
    """First and last column apart, a range, one column, and what parameters say of columns that are not there."""
    source = hl.ImageParam(hl.UInt(8), 1, "src")
    f = hl.Func("dst")
    here = hl.i32(source[X])
    left, right = hl.i32(source[hl.max(X - 1, 0)]), hl.i32(source[hl.min(X + 1, W - 1)])
    inside = hl.select((X >= H) & (X < W - H), left + right, (X == 3) | (X == W - 2), left - right, here * 3)
    f[X] = hl.select(X == 0, here, X == W - 1, here + 1, inside)
    run = compiled(f, hl.UInt(8), hl.Int(32), target)
    rng = np.random.default_rng(11)
    for width in WIDTHS:
        for c in (1, 2, width // 3 + 1, width + 5):
            a = at_end(rng.integers(0, 256, width).astype(np.uint8))
            b = at_end(np.zeros(width, np.int32))
            run(a, b, width, c)
            x, v = np.arange(width), a.astype(np.int32)
            low, high = v[np.maximum(x - 1, 0)], v[np.minimum(x + 1, width - 1)]
            middle = np.where((x == 3) | (x == width - 2), low - high, v * 3)
            middle = np.where((x >= c) & (x < width - c), low + high, middle)
            wanted = np.where(x == 0, v, np.where(x == width - 1, v + 1, middle))
            assert np.array_equal(b, wanted), (width, c)
