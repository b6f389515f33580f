"""Raw entry points: a caller's own signature, with the default schedule, on memory that ends at unmapped pages."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from guarded import at_end, at_start

import halide_core as hl
from halide_core.aot.compile import Module, RawBuffer, RawParam, Variant, compile_raw
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.expr import I32, I64, Expr, Load, Variable, const
from halide_core.ir.operators import cast_to
from halide_core.ir.types import Type

pytestmark = pytest.mark.few(3)

X, Y, C = hl.Var("x"), hl.Var("y"), hl.Var("c")
W, H = Variable(I32, "w"), Variable(I32, "h")
U8 = hl.UInt(8)
SIZES = [(1, 1), (3, 2), (16, 5), (31, 7), (64, 3), (65, 4), (130, 9), (257, 33)]


def wide(value: Any) -> Expr:
    return const(value, I64) if isinstance(value, int) else cast_to(I64, value)


def plane(
    pointer: str, width: Any = W, height: Any = H, offset: Any = 0, row: Any = W, mins: Any = (0, 0)
) -> RawBuffer:
    """Rows of `row` elements."""
    mins_ = tuple(wide(m) for m in mins)
    return RawBuffer(pointer, wide(offset), mins_, (wide(width), wide(height)), (wide(1), wide(row)))


def compiled(
    f: hl.Func, buffers: dict[str, RawBuffer], pointers: dict[str, Type], result: Expr | None = None,
    result_type: Type | None = None, in_place: set[str] | None = None, target: hl.Target | None = None, **kwargs: Any,
) -> Module:  # fmt: skip
    """`f` under its default schedule as a function of the pointers, w and h."""
    chosen = target or hl.get_host_target()
    pipeline = hl.Pipeline([f])
    apply_default_schedule(pipeline, chosen, in_place or set(), buffers)
    params = [RawParam(n, t, True) for n, t in pointers.items()] + [RawParam("w", I32), RawParam("h", I32)]
    variant = Variant((W > 0) & (H > 0), pipeline, buffers, {}, result)
    return compile_raw("kernel", params, result_type, [variant], kwargs.get("fallback"), chosen)


def call(module: Module, arrays: list[np.ndarray[Any, Any]], width: int, height: int, result: Any = None) -> Any:
    kinds = [ctypes.c_void_p] * len(arrays) + [ctypes.c_int] * 2
    return module.jit().function("kernel", result, *kinds)(*(a.ctypes.data for a in arrays), width, height)


def image(width: int, height: int, seed: int = 1) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)


AVX2 = "x86-64-linux-avx2"


@pytest.mark.parametrize("target", ["host", AVX2, "x86-64-linux-sse41"])
@pytest.mark.parametrize("place", [at_end, at_start])
def test_pointwise_touches_nothing_outside(target: str, place: Callable[..., Any]) -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = hl.u8((hl.u16(source[X, Y]) * 3 + 7) / 5)
    module = compiled(f, {"src": plane("a"), "dst": plane("b")}, {"a": U8, "b": U8}, target=hl.Target(target))
    for width, height in SIZES:
        a = place(image(width, height))
        b = place(np.zeros_like(a))
        call(module, [a, b], width, height)
        assert np.array_equal(b, ((a.astype(np.uint16) * 3 + 7) // 5).astype(np.uint8))


def test_in_place_update() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = hl.saturating_add(source[X, Y], hl.u8(40))
    buffers = {"src": plane("a"), "dst": plane("a")}
    module = compiled(f, buffers, {"a": U8}, in_place={"dst"})
    for width, height in SIZES:
        a = at_end(image(width, height))
        wanted = np.minimum(a.astype(int) + 40, 255).astype(np.uint8)
        call(module, [a], width, height)
        assert np.array_equal(a, wanted)


def test_in_place_refuses_shifted_tails() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X, Y] + 1
    f.vectorize(X, 16, hl.TailStrategy.ShiftInwards)
    with pytest.raises(hl.HalideError, match="Func dst works in place, so the split of loop x"):
        compiled(f, {"src": plane("a"), "dst": plane("a")}, {"a": U8})


def blur(source: Any) -> hl.Func:
    rows, f = hl.Func("rows"), hl.Func("dst")
    v = [hl.u16(source[X + k, Y]) for k in (-1, 0, 1)]
    rows[X, Y] = v[0] + 2 * v[1] + v[2]
    f[X, Y] = hl.u8((rows[X, Y - 1] + 2 * rows[X, Y] + rows[X, Y + 1] + 8) / 16)
    return f


def numpy_blur(p: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    q = p.astype(np.uint16)
    r = q[:, :-2] + 2 * q[:, 1:-1] + q[:, 2:]
    return ((r[:-2] + 2 * r[1:-1] + r[2:] + 8) // 16).astype(np.uint8)


@pytest.mark.parametrize("target", ["host", AVX2])
def test_interior_stencil(target: str) -> None:
    f = blur(hl.ImageParam(U8, 2, "src"))
    interior = plane("b", W - 2, H - 2, 0, W, (1, 1))
    module = compiled(f, {"src": plane("a"), "dst": interior}, {"a": U8, "b": U8}, target=hl.Target(target))
    for width, height in SIZES:
        a = at_end(image(width, height))
        b = at_end(np.full_like(a, 9))
        call(module, [a, b], width, height)
        wanted = np.full_like(a, 9)
        if width > 2 and height > 2:
            wanted[1:-1, 1:-1] = numpy_blur(a)
        assert np.array_equal(b, wanted)


def test_clamped_stencil() -> None:
    source = hl.ImageParam(U8, 2, "src")
    clamped = hl.Func("clamped")
    w, h = source.width(), source.height()
    clamped[X, Y] = source[hl.clamp(X, 0, w - 1), hl.clamp(Y, 0, h - 1)]
    module = compiled(blur(clamped), {"src": plane("a"), "dst": plane("b")}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a, b = at_end(image(width, height)), at_start(np.zeros((height, width), np.uint8))
        call(module, [a, b], width, height)
        assert np.array_equal(b, numpy_blur(np.pad(a, 1, mode="edge")))


def total(kind: str) -> tuple[hl.Func, Callable[[Any], Any], Type]:
    source = hl.ImageParam(U8, 2, "src")
    r = hl.RDom([(0, source.width()), (0, source.height())], "r")
    f = hl.Func("out")
    t = hl.UInt(64) if kind == "sum64" else hl.UInt(32) if kind == "sum" else U8
    if kind == "max":
        f[()] = hl.u8(0)
        f[()] = hl.max(f[()], source[r.x, r.y])
        return f, np.max, t
    f[()] = hl.cast(t, 0)
    f[()] += hl.cast(t, source[r.x, r.y])
    return f, lambda a: a.sum(dtype=np.uint64), t


@pytest.mark.parametrize("kind", ["sum", "sum64", "max"])
def test_reduction_to_a_scalar(kind: str) -> None:
    f, wanted, t = total(kind)
    buffers = {"src": plane("a"), "out": RawBuffer("", wide(0), (), (), ())}
    module = compiled(f, buffers, {"a": U8}, Load(t, "out", const(0, I64)), t)
    kind_c = {8: ctypes.c_uint8, 32: ctypes.c_uint32, 64: ctypes.c_uint64}[t.bits]
    for width, height in [*SIZES, (1024, 700)]:
        a = at_end(image(width, height))
        assert call(module, [a], width, height, kind_c) == wanted(a)


def test_histogram() -> None:
    source = hl.ImageParam(U8, 2, "src")
    r = hl.RDom([(0, source.width()), (0, source.height())], "r")
    f = hl.Func("hist")
    f[X] = hl.undef(hl.UInt(32))
    f[hl.i32(source[r.x, r.y])] += hl.u32(1)
    buffers = {"src": plane("a"), "hist": RawBuffer("b", wide(0), (wide(0),), (wide(256),), (wide(1),))}
    module = compiled(f, buffers, {"a": U8, "b": hl.UInt(32)})
    for width, height in [*SIZES, (600, 400)]:
        a, b = at_end(image(width, height)), at_end(np.full(256, 5, np.uint32))
        call(module, [a, b], width, height)
        assert np.array_equal(b, 5 + np.bincount(a.ravel(), minlength=256))


@pytest.mark.parametrize("along", ["rows", "columns"])
def test_projections(along: str) -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("out")
    v = hl.Var("v")
    f[v] = hl.i32(0)
    if along == "rows":
        r = hl.RDom([(0, source.width())], "r")
        f[v] += hl.i32(source[r.x, v])
    else:
        r = hl.RDom([(0, source.height())], "r")
        f[v] += hl.i32(source[v, r.x])
    extent = H if along == "rows" else W
    buffers = {"src": plane("a"), "out": RawBuffer("b", wide(0), (wide(0),), (wide(extent),), (wide(1),))}
    module = compiled(f, buffers, {"a": U8, "b": I32})
    for width, height in [*SIZES, (1000, 300)]:
        a = at_end(image(width, height))
        b = at_end(np.zeros(height if along == "rows" else width, np.int32))
        call(module, [a, b], width, height)
        assert np.array_equal(b, a.sum(axis=1 if along == "rows" else 0))


def test_interleaved_channels() -> None:
    source = hl.ImageParam(U8, 3, "src")
    f = hl.Func("dst")
    f[C, X, Y] = hl.select(C == 1, source[2, X, Y], hl.u8(255) - source[C, X, Y])
    rgb = RawBuffer("a", wide(0), (wide(0),) * 3, (wide(3), wide(W), wide(H)), (wide(1), wide(3), wide(W) * 3))
    out = RawBuffer("b", *(getattr(rgb, n) for n in ("offset", "mins", "extents", "strides")))
    module = compiled(f, {"src": rgb, "dst": out}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a = at_end(image(3 * width, height).reshape(height, width, 3))
        b = at_end(np.zeros_like(a))
        call(module, [a, b], width, height)
        wanted = 255 - a
        wanted[..., 1] = a[..., 2]
        assert np.array_equal(b, wanted)


def test_grey_from_interleaved_channels() -> None:
    source = hl.ImageParam(U8, 3, "src")
    f = hl.Func("dst")
    c = [hl.u16(source[k, X, Y]) for k in range(3)]
    f[X, Y] = hl.u8((c[0] * 77 + c[1] * 150 + c[2] * 29) >> 8)
    rgb = RawBuffer("a", wide(0), (wide(0),) * 3, (wide(3), wide(W), wide(H)), (wide(1), wide(3), wide(W) * 3))
    module = compiled(f, {"src": rgb, "dst": plane("b")}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a = at_end(image(3 * width, height).reshape(height, width, 3))
        b = at_end(np.zeros((height, width), np.uint8))
        call(module, [a, b], width, height)
        p = a.astype(np.uint16)
        assert np.array_equal(b, ((p[..., 0] * 77 + p[..., 1] * 150 + p[..., 2] * 29) >> 8).astype(np.uint8))


def test_transpose() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[Y, X]
    module = compiled(f, {"src": plane("a"), "dst": plane("b", H, W, 0, H)}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a = at_end(image(width, height))
        b = at_end(np.zeros((width, height), np.uint8))
        call(module, [a, b], width, height)
        assert np.array_equal(b, a.T)


def test_fallback_is_called_when_no_condition_holds() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X, Y]
    seen: list[tuple[int, int]] = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
    def original(a: int, b: int, w: int, h: int) -> None:
        seen.append((w, h))

    import llvmlite.binding as llvm

    llvm.add_symbol("test_original_kernel", ctypes.cast(original, ctypes.c_void_p).value)
    buffers = {"src": plane("a"), "dst": plane("b")}
    module = compiled(f, buffers, {"a": U8, "b": U8}, fallback="test_original_kernel")
    a = image(5, 4)
    b = np.zeros_like(a)
    call(module, [a, b], 5, -4)
    assert seen == [(5, -4)] and not b.any()
    call(module, [a, b], 5, 4)
    assert seen == [(5, -4)] and np.array_equal(a, b)


def test_extent_beyond_32_bits_is_left_to_the_fallback() -> None:
    source = hl.ImageParam(U8, 1, "src")
    f = hl.Func("dst")
    f[X] = source[X]
    n = Variable(hl.UInt(64), "n")
    buffers = {
        k: RawBuffer(p, wide(0), (wide(0),), (cast_to(I64, n),), (wide(1),)) for k, p in (("src", "a"), ("dst", "b"))
    }
    pipeline = hl.Pipeline([f])
    apply_default_schedule(pipeline, hl.get_host_target(), set(), buffers)
    params = [RawParam("a", U8, True), RawParam("b", U8, True), RawParam("n", hl.UInt(64))]
    taken = Variant(n > hl.u64(0), pipeline, buffers, {}, const(1, I32))
    module = compile_raw("kernel", params, I32, [taken], None, hl.get_host_target())
    run = module.jit().function("kernel", ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
    a, b = image(100, 1), np.zeros((1, 100), np.uint8)
    assert run(a.ctypes.data, b.ctypes.data, (1 << 32) + 3) == 0 and not b.any()
    assert run(a.ctypes.data, b.ctypes.data, 100) == 1 and np.array_equal(a, b)


def test_strides_of_the_caller_replace_the_assumed_unit_stride() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X, Y] + 1
    turned = RawBuffer("a", wide(0), (wide(0), wide(0)), (wide(W), wide(H)), (wide(H), wide(1)))
    module = compiled(f, {"src": turned, "dst": plane("b")}, {"a": U8, "b": U8})
    a = at_end(image(33, 50))
    b = np.zeros((33, 50), np.uint8).T.copy()
    call(module, [a, b], 50, 33)
    assert np.array_equal(b.reshape(33, 50), (a.reshape(50, 33).T + 1).astype(np.uint8))


def test_backward_rows() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X, Y]
    last = wide(W) - 1
    back = RawBuffer("a", last, (wide(0), wide(0)), (wide(W), wide(H)), (wide(-1), wide(W)))
    module = compiled(f, {"src": back, "dst": plane("b")}, {"a": U8, "b": U8})
    for place in (at_end, at_start):
        for width, height in SIZES:
            a = place(image(width, height))
            b = at_end(np.zeros_like(a))
            call(module, [a, b], width, height)
            assert np.array_equal(b, a[:, ::-1])


def test_small_types_and_addresses_in_conditions() -> None:
    source = hl.ImageParam(U8, 1, "src")
    k, flag = hl.Param(hl.Int(8), "k"), hl.Param(hl.Bool(), "flag")
    f = hl.Func("dst")
    f[X] = hl.select(flag, source[X] + hl.u8(k), source[X])
    pipeline = hl.Pipeline([f])
    row = (wide(0), (wide(0),), (wide(W),), (wide(1),))
    buffers = {"src": RawBuffer("a", *row), "dst": RawBuffer("b", *row)}
    apply_default_schedule(pipeline, hl.get_host_target(), set(), buffers)
    a_end = Variable(hl.UInt(64), "addr.a") + hl.u64(W)
    condition = (W > 0) & (a_end <= Variable(hl.UInt(64), "addr.b"))
    # Params of these names may be in use elsewhere; these are then called otherwise.
    result = Variable(hl.Bool(), "flag")
    scalars = {k.name(): Variable(hl.Int(8), "k"), flag.name(): result}
    params = [RawParam("a", U8, True), RawParam("b", U8, True), RawParam("w", I32)]
    params += [RawParam("k", hl.Int(8)), RawParam("flag", hl.Bool())]
    variant = Variant(condition, pipeline, buffers, scalars, result)
    module = compile_raw("kernel", params, hl.Bool(), [variant], None, hl.get_host_target())
    kinds = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int8, ctypes.c_bool]
    run = module.jit().function("kernel", ctypes.c_bool, *kinds)
    memory = np.arange(200, dtype=np.uint8)
    base = memory.ctypes.data
    assert run(base, base + 100, 100, -3, True) is True
    assert np.array_equal(memory[100:], (np.arange(100) - 3).astype(np.uint8))
    assert run(base, base + 50, 100, -3, True) is False
    assert np.array_equal(memory[:100], np.arange(100))


def test_in_place_refuses_reads_of_other_elements() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = source[X + 1, Y]
    with pytest.raises(hl.HalideError, match="only point-wise reads are possible in place"):
        compiled(f, {"src": plane("a"), "dst": plane("a", W - 1)}, {"a": U8})


def test_channels_stored_by_separate_updates() -> None:
    source = hl.ImageParam(U8, 3, "src")
    f = hl.Func("dst")
    f[C, X, Y] = hl.undef(U8)
    for k in range(3):
        f[k, X, Y] = hl.u8(hl.i32(source[(k + 1) % 3, X, Y]) * (k + 1) / 4)
    rgb = RawBuffer("a", wide(0), (wide(0),) * 3, (wide(3), wide(W), wide(H)), (wide(1), wide(3), wide(W) * 3))
    out = RawBuffer("b", *(getattr(rgb, n) for n in ("offset", "mins", "extents", "strides")))
    module = compiled(f, {"src": rgb, "dst": out}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a = at_end(image(3 * width, height).reshape(height, width, 3))
        b = at_end(np.zeros_like(a))
        call(module, [a, b], width, height)
        wanted = (np.roll(a, -1, axis=2).astype(np.uint16) * np.array([1, 2, 3], np.uint16) // 4).astype(np.uint8)
        assert np.array_equal(b, wanted)


def test_one_row_at_a_time() -> None:
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[X, Y] = hl.u8(9)
    f[0, Y] = source[0, Y]
    f[X, 0] = source[X, 0] + 1
    module = compiled(f, {"src": plane("a"), "dst": plane("b")}, {"a": U8, "b": U8})
    for width, height in SIZES:
        a, b = at_end(image(width, height)), at_end(np.zeros((height, width), np.uint8))
        call(module, [a, b], width, height)
        wanted = np.full_like(a, 9)
        wanted[:, 0] = a[:, 0]
        wanted[0] = a[0] + 1
        assert np.array_equal(b, wanted)
