"""Code chosen at run time or for special shapes: joined rows, streaming stores, tables, divisions, shared loops."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from guarded import at_end, at_start
from test_raw import SIZES, U8, H, W, X, Y, call, compiled, image, plane, wide

import halide_core as hl
from halide_core.aot.compile import RawBuffer, RawParam, Variant, compile_raw
from halide_core.autoschedule.rules.default import apply_default_schedule, small_reductions
from halide_core.ir.expr import I32, Variable

pytestmark = pytest.mark.few(3)

TARGETS = ["host", "x86-64-linux-avx2"]


def line(pointer: str, extent: Any = W) -> RawBuffer:
    return RawBuffer(pointer, wide(0), (wide(0),), (wide(extent),), (wide(1),))


@pytest.mark.parametrize("target", TARGETS)
def test_gaps_between_rows_stay(target: str) -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = hl.u8(255) - source[X, Y]
    buffers = {"src": plane("a", row=W + 1), "dst": plane("b", row=W + 2)}
    module = compiled(f, buffers, {"a": U8, "b": U8}, target=hl.Target(target))
    for width, height in SIZES:
        a, b = image(width + 1, height), np.full((height, width + 2), 7, np.uint8)
        call(module, [a, b], width, height)
        assert np.array_equal(b[:, :width], 255 - a[:, :width])
        assert (b[:, width:] == 7).all()


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("target", TARGETS)
def test_division_by_a_variable(bits: int, target: str) -> None:
    t = hl.UInt(bits)
    a, b = hl.ImageParam(t, 2, "p"), hl.ImageParam(t, 2, "q")
    f = hl.Func("dst")
    f[X, Y] = hl.cast(t, hl.i32(a[X, Y]) / hl.i32(b[X, Y]))
    names = {"p": plane("a"), "q": plane("b"), "dst": plane("c")}
    module = compiled(f, names, {"a": t, "b": t, "c": t}, target=hl.Target(target))
    kind = np.uint8 if bits == 8 else np.uint16
    if bits == 8:
        p, q = np.meshgrid(np.arange(256), np.arange(256))
    else:
        divisors = np.concatenate([np.arange(130), [255, 256, 257, 32767, 32768, 65534, 65535]])
        p, q = np.meshgrid(np.arange(65536), divisors)
    p, q = p.astype(kind), q.astype(kind)
    out = np.zeros_like(p)
    call(module, [p, q, out], p.shape[1], p.shape[0])
    assert np.array_equal(out, np.where(q == 0, 0, p // np.maximum(q, 1)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("stride", [2, 3, 4])
def test_strided_tails(stride: int, target: str) -> None:
    source = hl.ImageParam(U8, 1, "src")
    f = hl.Func("dst")
    f[X] = source[X * stride] + source[X * stride + 1]
    buffers = {"src": line("a", W * stride - stride + 2), "dst": line("b")}
    module = compiled(f, buffers, {"a": U8, "b": U8}, target=hl.Target(target))
    for width, place in itertools.product((1, 2, 5, 31, 33, 63, 64, 65, 100, 257), (at_end, at_start)):
        a = place(image(width * stride - stride + 2, 1)[0])
        b = place(np.zeros(width, np.uint8))
        call(module, [a, b], width, 1)
        assert np.array_equal(b, a[::stride][:width] + a[1::stride][:width])


@pytest.mark.parametrize("target", TARGETS)
def test_repeated_elements(target: str) -> None:
    source = hl.ImageParam(U8, 1, "src")
    f = hl.Func("dst")
    f[X] = source[X / 4]
    buffers = {"src": line("a", (W + 3) / 4), "dst": line("b")}
    module = compiled(f, buffers, {"a": U8, "b": U8}, target=hl.Target(target))
    for width in (1, 3, 4, 5, 63, 64, 65, 130, 260):
        a = at_end(image((width + 3) // 4, 1)[0])
        b = at_end(np.zeros(width, np.uint8))
        call(module, [a, b], width, 1)
        assert np.array_equal(b, np.repeat(a, 4)[:width])


@pytest.mark.parametrize("width", [5120, 5100])
def test_images_beyond_the_cache(width: int) -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X, Y] ^ hl.u8(0x5A)
    module = compiled(f, {"src": plane("a"), "dst": plane("b")}, {"a": U8, "b": U8})
    a = image(width, 2600)
    for shift in (0, 1):
        memory = np.zeros(a.size + 128, np.uint8)
        start = -memory.ctypes.data % 64 + shift
        b = memory[start : start + a.size].reshape(a.shape)
        call(module, [a, b], width, 2600)
        assert np.array_equal(b, a ^ 0x5A)
        assert not memory[:start].any() and not memory[start + a.size :].any()


@pytest.mark.parametrize("target", TARGETS)
def test_tables_computed_beforehand(target: str) -> None:
    source = hl.ImageParam(U8, 2, "src")
    table, f = hl.Func("table"), hl.Func("dst")
    table[X] = hl.u8((X * X * 7 + X * 3 + 11) / 300)
    f[X, Y] = table[hl.i32(source[X, Y])]
    module = compiled(f, {"src": plane("a"), "dst": plane("b")}, {"a": U8, "b": U8}, target=hl.Target(target))
    values = np.array([(x * x * 7 + x * 3 + 11) // 300 for x in range(256)]).astype(np.uint8)
    for width, height in SIZES:
        a, b = at_end(image(width, height)), at_end(np.zeros((height, width), np.uint8))
        call(module, [a, b], width, height)
        assert np.array_equal(b, values[a])


def test_running_sums() -> None:
    source = hl.ImageParam(U8, 1, "src")
    total, f = hl.Func("total"), hl.Func("dst")
    r = hl.RDom([(0, W)])
    total[X] = hl.u32(0)
    total[r[0] + 1] = total[r[0]] + hl.u32(source[r[0]])
    f[X] = total[X] + hl.u32(source[X])
    target = hl.get_host_target()
    buffers = {"src": line("a"), "dst": line("b")}
    pipeline = hl.Pipeline([f])
    apply_default_schedule(pipeline, target, set(), buffers)
    params = [RawParam("a", U8, True), RawParam("b", hl.UInt(32), True), RawParam("w", I32), RawParam("h", I32)]
    module = compile_raw("kernel", params, None, [Variant(W > 0, pipeline, buffers, {"w": W})], None, target)
    assert "malloc" not in module.assembly()
    for width in (1, 2, 3, 17, 1000):
        a, b = at_end(image(width, 1)[0]), at_end(np.zeros(width, np.uint32))
        call(module, [a, b], width, 1)
        assert np.array_equal(b, np.cumsum(a))


def test_outputs_that_share_loads() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f, g = hl.Func("low"), hl.Func("high")
    f[X, Y] = source[X, Y] & hl.u8(15)
    g[X, Y] = source[X, Y] >> 4
    target = hl.get_host_target()
    buffers = {"src": plane("a"), "low": plane("b"), "high": plane("c")}
    pipeline = hl.Pipeline([f, g])
    apply_default_schedule(pipeline, target, set(), buffers)
    params = [RawParam(n, U8, True) for n in "abc"] + [RawParam("w", I32), RawParam("h", I32)]
    module = compile_raw("kernel", params, None, [Variant((W > 0) & (H > 0), pipeline, buffers)], None, target)
    for width, height in SIZES:
        a = at_end(image(width, height))
        b, c = at_end(np.zeros_like(a)), at_end(np.zeros_like(a))
        call(module, [a, b, c], width, height)
        assert np.array_equal(b, a & 15) and np.array_equal(c, a >> 4)


def test_few_points_are_reduced_at_once() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    r = hl.RDom([(0, Variable(I32, "w")), (0, Variable(I32, "h"))])
    f[X] = hl.u32(0)
    f[hl.i32(source[r[0], r[1]])] += hl.u32(1)
    target = hl.get_host_target()
    pipeline = hl.Pipeline([f])
    buffers = {"src": plane("a"), "dst": line("b", 256)}
    assert small_reductions(pipeline, buffers) is not None
    apply_default_schedule(pipeline, target, set(), buffers, small=True)
    params = [RawParam("a", U8, True), RawParam("b", hl.UInt(32), True), RawParam("w", I32), RawParam("h", I32)]
    module = compile_raw("kernel", params, None, [Variant(W > 0, pipeline, buffers, {"w": W, "h": H})], None, target)
    for width, height in SIZES:
        a, b = at_end(image(width, height)), at_end(np.zeros(256, np.uint32))
        call(module, [a, b], width, height)
        assert np.array_equal(b, np.bincount(a.ravel(), minlength=256))


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_extremes_of_bytes_beside_wider_values(target: str, small: bool) -> None:
    """Starting values that no byte reaches, and no points at all."""
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    r = hl.RDom([(0, W), (0, H)])
    f[X] = hl.i32(1000)
    f[0] = hl.min(f[0], hl.i32(source[r[0], r[1]]))
    chosen = hl.Target(target)
    pipeline = hl.Pipeline([f])
    buffers = {"src": plane("a"), "dst": line("b", 1)}
    apply_default_schedule(pipeline, chosen, set(), buffers, small=small)
    params = [RawParam("a", U8, True), RawParam("b", I32, True), RawParam("w", I32), RawParam("h", I32)]
    variant = Variant(W >= 0, pipeline, buffers, {"w": W, "h": H})
    module = compile_raw("kernel", params, None, [variant], None, chosen)
    for width, height in [*SIZES, (0, 5), (5, 0), (1000, 70)]:
        a, b = at_end(image(width, height)), at_end(np.zeros(1, np.int32))
        call(module, [a, b], width, height)
        assert b[0] == (a.min() if a.size else 1000)
