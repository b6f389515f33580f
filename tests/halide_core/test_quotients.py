"""Quotients and remainders in vectors: exact at the ends of 32 bits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import halide_core as hl

X = hl.Var("x")
EDGES = [0, 1, 2, 3, 5, 7, 254, 255, 256, 257, 46340, 46341, 65535, 65536, 65537]
EDGES += [2**24 - 1, 2**24 + 1, 2**30, 2**31 - 2, 2**31 - 1]


def _pairs(signed: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    edges = [*EDGES, *(-e for e in EDGES), -(2**31)] if signed else [*EDGES, *(2**32 - 1 - e for e in EDGES)]
    pairs = list(itertools.product(edges, edges))
    info = np.iinfo(np.int32 if signed else np.uint32)
    for _ in range(4000):
        y = int(rng.integers(info.min, info.max + 1)) >> int(rng.integers(0, 32))
        q = int(rng.integers(info.min, info.max + 1)) // (abs(y) or 1)
        pairs += [(min(max(q * y + d, info.min), info.max), y) for d in (-1, 0, 1)]
    x, y = zip(*pairs, strict=True)
    return np.array(x, info.dtype), np.array(y, info.dtype)


def _to_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if y else 0


def _euclidean(x: int, y: int) -> int:
    return (x - x % abs(y)) // y if y else 0


@pytest.mark.parametrize("target", ["host", "x86-64-linux-avx-avx2", "x86-64-linux"])
@pytest.mark.parametrize("signed", [True, False])
def test_quotients(signed: bool, target: str) -> None:
    dividends, divisors = _pairs(signed)
    kind = hl.Int(32) if signed else hl.UInt(32)
    a, b = hl.ImageParam(kind, 1, "a"), hl.ImageParam(kind, 1, "b")
    a.set(dividends)
    b.set(divisors)
    f = hl.Func("f")
    f[X] = hl.Tuple(a[X] / b[X], a[X] % b[X], hl.div_round_to_zero(a[X], b[X]), hl.mod_round_to_zero(a[X], b[X]))
    f.vectorize(X, 16, hl.TailStrategy.GuardWithIf)
    found = [np.asarray(o).tolist() for o in f.realize([len(dividends)], target=hl.Target(target))]

    def wrapped(value: int) -> int:
        return (value + 2**31) % 2**32 - 2**31 if signed else value % 2**32

    for x, y, *got in zip(dividends.tolist(), divisors.tolist(), *found, strict=True):
        euclidean, to_zero = _euclidean(x, y), _to_zero(x, y)
        rest, signed_rest = (x - euclidean * y, x - to_zero * y) if y else (0, 0)
        assert got == [wrapped(euclidean), rest, wrapped(to_zero), signed_rest], (x, y)
