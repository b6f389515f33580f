"""What set_stride and set_bounds state of buffers: code is made for it, and what they do not hold for is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.function import schedule_key
from halide_core.ir import stmt as st
from halide_core.lower import lower

WIDTH = 37


def pixels(order: str = "cxy") -> tuple[Any, Any]:
    """A Func over three interleaved channels, and its vectors along pixels."""
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    f = hl.Func("pixels")
    f[[{"x": x, "y": y, "c": c}[o] for o in order]] = hl.u8(3 * x + 5 * y + 7 * c)
    buffer = f.output_buffer()
    buffer.dim(order.index("x")).set_stride(3)
    buffer.dim(order.index("c")).set_stride(1).set_bounds(0, 3)
    f.reorder(c, x, y).unroll(c).vectorize(x, 16)
    return f, buffer


def values(height: int = 5) -> np.ndarray[Any, Any]:
    y, x, c = np.mgrid[:height, :WIDTH, :3]
    return (3 * x + 5 * y + 7 * c).astype(np.uint8)


@pytest.mark.parametrize("order", ["cxy", "xyc"])
def test_channels_are_stored_together(order: str) -> None:
    f, _ = pixels(order)
    lowered = lower([f._function], hl.get_host_target())
    assert any(isinstance(s, st.Stores) for s in statements(lowered.stmt))
    out = np.zeros((5, WIDTH, 3), np.uint8)
    f.realize(hl.Buffer(out if order == "cxy" else np.moveaxis(out, 2, 0)))
    assert np.array_equal(out, values())


def statements(s: st.Stmt) -> list[st.Stmt]:
    return [s, *(n for b in st.bodies(s) for n in statements(b))]


def test_other_layouts_are_refused() -> None:
    f, _ = pixels("xyc")
    with pytest.raises(hl.HalideError, match=r"Constraint violated: pixels\S*\.stride\.0"):
        f.realize(hl.Buffer(np.zeros((3, 5, WIDTH), np.uint8)))
    f.realize(hl.Buffer(np.moveaxis(np.zeros((5, WIDTH, 3), np.uint8), 2, 0)))


def test_what_is_stated_later_counts() -> None:
    x, c = hl.Var("x"), hl.Var("c")
    f = hl.Func("f")
    f[x, c] = hl.i32(x + 10 * c)
    f.realize([4, 3])
    before = schedule_key(f._function)
    f.output_buffer().dim(1).set_bounds(0, 2)
    assert schedule_key(f._function) != before
    with pytest.raises(hl.HalideError, match="extent"):
        f.realize([4, 3])
    assert np.array_equal(np.array(f.realize([4, 2])), [[0, 1, 2, 3], [10, 11, 12, 13]])


@pytest.mark.parametrize("written", [False, True])
def test_any_stride_will_do_for_a_single_element(written: bool) -> None:
    """Also where its coordinate is not 0: nothing beside it is read or written."""
    x, c = hl.Var("x"), hl.Var("c")
    memory = np.arange(64, dtype=np.uint8)
    # One pixel, three elements in a column of rows of eight.
    pixel = hl.Buffer(np.lib.stride_tricks.as_strided(memory[10:], shape=(3, 1), strides=(1, 8)))
    pixel.set_min([5, 0])
    f = hl.Func("f")
    if written:
        f[x, c] = hl.u8(100 + x + 10 * c)
        stated = f.output_buffer()
    else:
        source = hl.ImageParam(hl.UInt(8), 2, "source")
        source.set(pixel)
        f[x, c] = source[x + 5, c]
        stated = source
    stated.dim(0).set_stride(3)
    stated.dim(1).set_stride(1)
    if written:
        f.realize(pixel)
        expected = np.arange(64, dtype=np.uint8)
        expected[10:13] = 105, 115, 125
        assert np.array_equal(memory, expected)
    else:
        assert np.array_equal(np.array(f.realize([1, 3])).ravel(), [10, 11, 12])


def test_bounds_of_outputs_of_several_values() -> None:
    x, y = hl.Var("x"), hl.Var("y")
    f = hl.Func("f")
    f[x, y] = (hl.i32(x + y), hl.u8(x))
    for buffer in f.output_buffers():
        buffer.dim(1).set_bounds(0, 2)
    first, second = f.realize([4, 2])
    assert np.array_equal(np.array(first), [[0, 1, 2, 3], [1, 2, 3, 4]])
    assert np.array_equal(np.array(second), [[0, 1, 2, 3]] * 2)
    with pytest.raises(hl.HalideError, match=r"Constraint violated: f\S*\.extent\.1 \(3\) == 2"):
        f.realize([4, 3])
