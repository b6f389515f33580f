"""Sums of products of 16 bits, which x86 makes two at a time: exact at the ends of the types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.aot.compile import Module, compile_pipeline

AVX2 = "x86-64-linux-avx-avx2-f16c-fma-sse41"
AVX512 = f"{AVX2}-avx512-avx512_skylake"
TARGETS = ["host", AVX2, "x86-64-linux-avx-sse41", "x86-64-linux-sse41", "x86-64-linux"]
LENGTHS = [1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100]
KINDS = [
    ("Int", 16, "Int", 16), ("UInt", 8, "Int", 16), ("UInt", 8, "UInt", 8), ("Int", 8, "UInt", 8), ("Int", 8, "Int", 8),
    ("UInt", 16, "Int", 16),
]  # fmt: skip


def _values(kind: Any, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Random numbers, both ends of the type more often than not."""
    rng = np.random.default_rng(seed)
    numpy_type = np.dtype(f"{'int' if kind.is_int() else 'uint'}{kind.bits}")
    info = np.iinfo(numpy_type)
    drawn = rng.integers(info.min, info.max + 1, count)
    ends = rng.choice([info.min, info.max], count)
    return np.where(rng.random(count) < 0.6, ends, drawn).astype(numpy_type)


def _dot(a: Any, b: Any, combined: Callable[[Any, Any], Any], lanes: int, kind: Any = None) -> Any:
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    f = hl.Func("dot")
    f[()] = hl.cast(kind or hl.Int(32), 5)
    f[()] += hl.cast(kind or hl.Int(32), combined(a[r], b[r]))
    f.update().atomic().vectorize(r, lanes, hl.TailStrategy.GuardWithIf)
    return f


def _wrapped(total: int) -> int:
    return (total + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kinds", KINDS, ids=str)
def test_products(kinds: tuple[str, int, str, int], target: str) -> None:
    one, other = getattr(hl, kinds[0])(kinds[1]), getattr(hl, kinds[2])(kinds[3])
    for lanes in (8, 16, 32):
        a, b = hl.ImageParam(one, 1, "a"), hl.ImageParam(other, 1, "b")
        f = _dot(a, b, lambda x, y: hl.i32(x) * hl.i32(y), lanes)
        for n in LENGTHS:
            p, q = _values(one, n, n), _values(other, n, 1000 + n)
            a.set(p)
            b.set(q)
            wanted = 5 + sum(int(x) * int(y) for x, y in zip(p, q, strict=True))
            assert int(np.asarray(f.realize(target=hl.Target(target)))) == _wrapped(wanted), (lanes, n)


@pytest.mark.parametrize("target", TARGETS)
def test_squares_of_differences_and_unsigned_sums(target: str) -> None:
    a, b = hl.ImageParam(hl.UInt(8), 1, "a"), hl.ImageParam(hl.UInt(8), 1, "b")

    def square(x: Any, y: Any) -> Any:
        d = hl.i16(x) - hl.i16(y)
        return hl.i32(d) * hl.i32(d)

    f, g = _dot(a, b, square, 16), _dot(a, b, lambda x, y: hl.u32(x) * hl.u32(y), 16, hl.UInt(32))
    for n in LENGTHS:
        p, q = _values(hl.UInt(8), n, n), _values(hl.UInt(8), n, 1000 + n)
        a.set(p)
        b.set(q)
        pairs = [(int(x), int(y)) for x, y in zip(p, q, strict=True)]
        found = [int(np.asarray(h.realize(target=hl.Target(target)))) for h in (f, g)]
        assert found == [5 + sum((x - y) ** 2 for x, y in pairs), 5 + sum(x * y for x, y in pairs)], n


@pytest.mark.parametrize(("target", "name"), [(TARGETS[1], "avx2.pmadd.wd"), (TARGETS[3], "sse2.pmadd.wd"),
                                              (AVX512, "avx512.pmaddw.d.512")])  # fmt: skip
def test_the_instruction_is_used(target: str, name: str) -> None:
    """For int16, under masks too; not where a factor may be beyond it."""
    found = []
    for kind in (hl.Int(16), hl.UInt(16)):
        a, b = hl.ImageParam(kind, 1, "a"), hl.ImageParam(hl.Int(16), 1, "b")
        machine = hl.Target(target)
        f = _dot(a, b, lambda x, y: hl.i32(x) * hl.i32(y), machine.vector_bytes // 2)
        module = Module(machine)
        compile_pipeline(f._pipeline(), [a, b], "dot", machine, module)
        found.append(f"@llvm.x86.{name}(" in module.source())
    assert found == [True, False]
