"""Elements of 8 and 16 bits at places that data say: the words that they lie in are gathered, whatever lies beside
them, and nothing beyond the page."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from guarded import at_end, at_start

import halide_core as hl
from halide_core.aot.compile import Module, RawBuffer, RawParam, Variant, compile_pipeline, compile_raw
from halide_core.backend.llvm_module import module_builder
from halide_core.ir.expr import I32, I64, Variable, const
from halide_core.ir.operators import cast_to

pytestmark = pytest.mark.few(8)

COUNT = Variable(I32, "n")
KINDS = {"uint8": hl.UInt(8), "int8": hl.Int(8), "uint16": hl.UInt(16), "int16": hl.Int(16), "float16": hl.Float(16)}
SIZES = (1, 7, 16, 33, 64, 200)


def _row(name: str) -> RawBuffer:
    count = cast_to(I64, COUNT)
    return RawBuffer(name, const(0, I64), (const(0, I64),), (count,), (const(1, I64),))


def _compiled(kind: str, index: hl.Type, plus: int) -> Module:
    t, x = KINDS[kind], hl.Var("x")
    s, p, d = hl.ImageParam(t, 1, "s"), hl.ImageParam(index, 1, "p"), hl.Func("d")
    place = hl.cast(hl.Int(32), p[x]) if index.bits < 32 or index.is_uint() else p[x]
    d[x] = s[place + plus]
    d.vectorize(x, 32, hl.TailStrategy.GuardWithIf)
    params = [RawParam("s", t, True), RawParam("p", index, True), RawParam("d", t, True), RawParam("n", I32)]
    buffers = {n: _row(n) for n in "spd"}
    target = hl.get_host_target()
    return compile_raw("kernel", params, None, [Variant(COUNT > 0, hl.Pipeline([d]), buffers, {})], None, target)


def _run(module: Module, s: int, p: np.ndarray[Any, Any], d: np.ndarray[Any, Any], n: int) -> None:
    kinds = [ctypes.c_void_p] * 3 + [ctypes.c_int]
    module.jit().function("kernel", None, *kinds)(s, p.ctypes.data, d.ctypes.data, n)


def _values(kind: str, n: int) -> np.ndarray[Any, Any]:
    raw = np.random.default_rng(n).integers(0, 256, n * np.dtype(kind).itemsize).astype(np.uint8)
    return raw.view(kind)


@pytest.mark.parametrize("index", ["int32", "uint8"])
@pytest.mark.parametrize("kind", KINDS)
def test_places(kind: str, index: str) -> None:
    """Memory that ends, or begins, at an unmapped page, at any alignment; places before the pointer, too."""
    index_type, plus = (hl.Int(32), 0) if index == "int32" else (hl.UInt(8), -3)
    module = _compiled(kind, index_type, plus)
    rng = np.random.default_rng(1)
    for n in SIZES:
        for size in (9, 10, 11, 12, 300):
            values = _values(kind, size)
            for held in (at_end(values), at_start(values)):
                for origin in range(4):
                    low, high = -origin - plus, size - origin - plus
                    low, high = (max(low, 0), min(high, 256)) if index == "uint8" else (low, high)
                    p = rng.integers(low, high, n).astype(index)
                    d = np.zeros(n, kind)
                    _run(module, held.ctypes.data + origin * held.itemsize, p, d, n)
                    wanted = values[p.astype(int) + plus + origin]
                    assert d.tobytes() == wanted.tobytes(), (n, size, origin)


def test_last_place_that_is_an_int() -> None:
    """The sum of an index and of how far the memory lies from a word does not overflow."""
    module = _compiled("uint8", hl.Int(32), 0)
    values = at_end(_values("uint8", 64))
    last = (1 << 31) - 1
    for shift in range(4):
        p = np.arange(last - 31, last + 1, dtype=np.int64).astype(np.int32)
        d = np.zeros(32, np.uint8)
        _run(module, values.ctypes.data + 63 - last - shift, p, d, 32)
        assert (d == values[32 - shift : 64 - shift]).all()


def test_only_where_words_are_gathered_at_once() -> None:
    assert module_builder(hl.Target("x86-64-linux-avx512_skylake")).gathers_words
    assert not module_builder(hl.Target("x86-64-linux-sse41-avx-f16c-fma-avx2")).gathers_words


def test_rows_that_begin_where_data_says_are_dense() -> None:
    """Data held between two coordinates adds to the others without wrapping: what lies beside it is one load."""
    x, y = hl.Var("x"), hl.Var("y")
    image, first = hl.ImageParam(hl.UInt(8), 1, "image"), hl.ImageParam(hl.Int(32), 1, "first")
    low, high = hl.Param(hl.Int(32), "low"), hl.Param(hl.Int(32), "high")
    machine = hl.Target("x86-64-linux-avx-avx2-f16c-fma-sse41")
    f = hl.Func("f")
    f[x, y] = image[x + hl.max(low, hl.min(first[y], high))]
    f.vectorize(x, 16, hl.TailStrategy.GuardWithIf)
    module = Module(machine)
    compile_pipeline(f._pipeline(), [image, first, low, high], "f", machine, module)
    assert "load <16 x i8>" in module.source()
    data = np.random.default_rng(3).integers(0, 256, 200).astype(np.uint8)
    starts = np.array([-(2**31), 2**31 - 1, 0, 5, 100, -7, 150, 33], np.int32)
    low.set(3)
    high.set(150)
    image.set(data)
    first.set(starts)
    wanted = np.array([data[s : s + 50] for s in np.clip(starts, 3, 150)])
    assert np.array_equal(np.asarray(f.realize([50, len(starts)], target=machine)), wanted)
