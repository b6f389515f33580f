"""Vectorized loops over quotients and remainders of coordinates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl

pytestmark = pytest.mark.few(3)

X = hl.Var("x")
TAILS = {"guard": hl.TailStrategy.GuardWithIf, "shift": hl.TailStrategy.ShiftInwards}


def run(f: hl.Func, low: int, width: int) -> list[Any]:
    out = hl.Buffer(f.type(), [width])
    out.set_min([low])
    f.realize(out)
    return list(np.asarray(out).tolist())


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("c", "lanes"), [(2, 16), (2, 8), (3, 12), (4, 32), (4, 8), (5, 16)])
@pytest.mark.parametrize("kind", [hl.UInt(8), hl.Int(16), hl.Float(32)], ids=str)
def test_loads_at_quotients(kind: hl.Type, c: int, lanes: int, tail: str) -> None:
    data = np.random.default_rng(0).integers(0, 60, 400).astype(str(kind))
    source = hl.ImageParam(kind, 1, "source")
    source.set(data)
    for shift in (-3, 0, 1, c - 1):
        f = hl.Func("f")
        parity = hl.cast(kind, X % c)
        f[X] = source[(X + shift) / c + 100] * 2 + source[(X + shift - 1) / c + 100] + parity
        f.vectorize(X, lanes, TAILS[tail])
        for low, width in ((0, 64), (-5, 37), (7, 33), (-64, 97)):
            wanted = []
            for x in range(low, low + width):
                first, second = data[(x + shift) // c + 100], data[(x + shift - 1) // c + 100]
                wanted.append((first * data.dtype.type(2) + second + data.dtype.type(x % c)).item())
            assert run(f, low, width) == wanted, (shift, low, width)


@pytest.mark.parametrize("c", [2, 4, 16])
def test_remainders_of_sums_that_wrap(c: int) -> None:
    f = hl.Func("f")
    f[X] = (X * 1_000_000_008 + 7 * X + 2_000_000_001) % c
    f.vectorize(X, 16)
    values = np.arange(64, dtype=np.int32)
    with np.errstate(over="ignore"):
        wanted = (values * np.int32(1_000_000_008) + 7 * values + np.int32(2_000_000_001)) % c
    assert run(f, 0, 64) == wanted.tolist()


def test_quotients_of_data_are_no_coordinates() -> None:
    """What is divided may be anything where it comes from an array."""
    source = hl.ImageParam(hl.Int(32), 1, "source")
    data = np.random.default_rng(1).integers(0, 100, 300).astype(np.int32)
    source.set(data)
    f = hl.Func("f")
    f[X] = source[hl.clamp((X + source[X]) / 2, 0, 299)]
    f.vectorize(X, 16)
    assert run(f, 0, 64) == [int(data[(x + data[x]) // 2]) for x in range(64)]


def test_loads_at_quotients_and_remainders_together() -> None:
    source = hl.ImageParam(hl.Int(32), 1, "source")
    data = np.random.default_rng(2).integers(0, 100, 300).astype(np.int32)
    source.set(data)
    f = hl.Func("f")
    f[X] = source[X / 2 - 1 + 2 * (X % 2) + 100] + 3 * source[X / 4 + (X + 1) % 2 + 100] + source[X - X / 2 + 100]
    f.vectorize(X, 16, hl.TailStrategy.GuardWithIf)
    for low, width in ((0, 64), (-7, 45), (3, 16)):
        wanted = [
            int(data[x // 2 - 1 + 2 * (x % 2) + 100] + 3 * data[x // 4 + (x + 1) % 2 + 100] + data[x - x // 2 + 100])
            for x in range(low, low + width)
        ]
        assert run(f, low, width) == wanted


@pytest.mark.parametrize("extent", [1, 7])
def test_clamps_that_an_inner_loop_moves(extent: int) -> None:
    """The vectorized loop stands around the reduction whose variable the clamped coordinate holds."""
    source = hl.ImageParam(hl.UInt(8), 1, "source")
    data = np.random.default_rng(3).integers(0, 256, 120).astype(np.uint8)
    source.set(data)
    edge = hl.BoundaryConditions.repeat_edge(source)
    r = hl.RDom([(-3, extent), (0, 3)])
    f = hl.Func("f")
    f[X] = hl.u16(0)
    f[X] += hl.u16(edge[X + 5 * r.x - 2 * r.y]) * hl.u16(r.y + 1)
    f.update().reorder(r.x, r.y, X).vectorize(X, 16, hl.TailStrategy.GuardWithIf)
    padded = lambda x: int(data[min(max(x, 0), 119)])  # noqa: E731
    for low, width in ((0, 120), (-40, 200), (30, 16)):
        wanted = [
            sum(padded(x + 5 * i - 2 * j) * (j + 1) for i in range(-3, extent - 3) for j in range(3))
            for x in range(low, low + width)
        ]
        assert run(f, low, width) == wanted


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize(("tile", "lanes"), [(16, 16), (16, 8), (16, 32), (4, 8), (8, 8), (12, 4)])
def test_tiles_whose_rows_are_dense(tile: int, lanes: int, tail: str) -> None:
    source = hl.ImageParam(hl.UInt(16), 2, "source")
    data = np.random.default_rng(3).integers(0, 1 << 16, (60, 16), np.uint16)  # tiles apart
    source.set(data)
    for shift in (0, 1, tile - 1, tile):
        f = hl.Func("f")
        f[X] = source[(X + shift) % tile, (X + shift) / tile + 20] + source[tile - 1 - X % tile, X / tile + 20]
        f.vectorize(X, lanes, TAILS[tail])
        for low, width in ((0, 64), (-5, 37), (7, 33), (-64, 97)):
            x = np.arange(low, low + width)
            wanted = data[(x + shift) // tile + 20, (x + shift) % tile] + data[x // tile + 20, tile - 1 - x % tile]
            assert run(f, low, width) == wanted.tolist(), (shift, low, width)


def test_rows_of_tiles_are_loaded_at_once(tmp_path: Path) -> None:
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    f = hl.Func("f")
    f[X] = source[X % 16, X / 16]
    f.bound(X, 0, 64)
    source.dim(0).set_stride(1)
    f.vectorize(X, 16, hl.TailStrategy.GuardWithIf)
    f.compile_to_lowered_stmt(str(tmp_path / "f.stmt"), [source], hl.StmtOutputFormat.Text)
    assert "source[ramp(" in (tmp_path / "f.stmt").read_text()
