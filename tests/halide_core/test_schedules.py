"""Schedules in what the package `halide` cannot show: objects, deep pipelines, bounds of data-dependent reads."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl

pytestmark = pytest.mark.few(4)


@pytest.mark.skipif(shutil.which("g++") is None, reason="no linker")
def test_objects_check_what_a_schedule_requires(tmp_path: Path) -> None:
    x, p = hl.Var("x"), hl.Param(hl.Int(32), "which")
    f = hl.Func("dst")
    f[x] = x * p
    f.specialize(p == 3).vectorize(x, 4, hl.TailStrategy.GuardWithIf)
    f.specialize_fail("only 3 % will do")
    f.compile_to_object(str(tmp_path / "dst.o"), [p], "dst")
    library = tmp_path / "libdst.so"
    subprocess.run(["g++", "-shared", "-o", library, tmp_path / "dst.o", "-lpthread", "-lm"], check=True)
    run = ctypes.CDLL(str(library)).dst
    out = hl.Buffer(hl.Int(32), [7])
    assert run(3, ctypes.c_void_p(out._get_raw_halide_buffer_t())) == 0
    assert np.asarray(out).tolist() == [0, 3, 6, 9, 12, 15, 18]


@pytest.mark.long
def test_a_chain_of_200_funcs() -> None:
    x = hl.Var("x")
    f = hl.Func("f0")
    f[x] = x
    for k in range(1, 200):
        g = hl.Func(f"f{k}")
        g[x] = f[x] + f[x + 1] - k
        f.compute_root()
        f = g
    start = time.process_time()
    got = np.asarray(f.realize([3]))
    wanted = np.arange(300, dtype=np.int64)
    for k in range(1, 200):
        wanted = (wanted[:-1] + wanted[1:] - k) & 0xFFFFFFFF
    assert got.astype(np.uint32).tolist() == wanted[:3].tolist()
    assert time.process_time() - start < 60


@pytest.mark.long
def test_an_expression_3000_deep() -> None:
    x = hl.Var("x")
    f, e = hl.Func("f"), hl.i32(0) + x
    for k in range(3000):
        e = (e ^ k) + x
    f[x] = e
    got = np.asarray(f.realize([4])).astype(np.int64)
    wanted = np.arange(4, dtype=np.int64)
    for k in range(3000):
        wanted = (wanted ^ k) + np.arange(4)
    assert got.tolist() == wanted.tolist()


def test_reads_through_clamped_floats_are_bounded() -> None:
    x = hl.Var("x")
    source, table = hl.ImageParam(hl.Float(32), 1, "source"), hl.Func("table")
    table[x] = x * x
    f = hl.Func("f")
    f[x] = table[hl.i32(hl.clamp(source[x], hl.f32(0.0), hl.f32(1.0)) * hl.f32(15.5))]
    table.compute_root()
    data = np.array([-3.0, 0.0, 0.5, 1.0, 7.0, np.nan, np.inf, -np.inf], np.float32)
    source.set(hl.Buffer(data))
    got = np.asarray(f.realize([8])).tolist()
    assert got[:5] == [0, 0, 49, 225, 225] and got[6:] == [225, 0] and 0 <= got[5] <= 225


def _computed_in_lanes(vectors: str, stored: str, updated: bool) -> np.ndarray:
    """g(x) = f(x) + f(x + 1) + f(x + 2), f computed at each lane of the stages of g named in `vectors`."""
    x, y, xo, xi = (hl.Var(n) for n in ("x", "y", "xo", "xi"))
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = hl.clamp(x, 3, 17) * 7 + y
    if updated:
        f[x, y] += x
    g[x, y] = f[x, y] + f[x + 1, y]
    g[x, y] = g[x, y] + f[x + 2, y]
    h[x, y] = g[x, y]
    g.compute_root()
    for k, stage in enumerate((g, g.update())):
        stage.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)
        if str(k) in vectors:
            stage.vectorize(xi)
    {"root": f.store_root, "y": lambda: f.store_at(g, y), "xo": lambda: f.store_at(g, xo)}[stored]().compute_at(g, xi)
    return np.array(h.realize([21, 3]))


@pytest.mark.parametrize("stored", ["root", "y", "xo"])
@pytest.mark.parametrize("vectors", ["0", "1", "01"])
def test_lanes_that_compute_the_same_elements(vectors: str, stored: str) -> None:
    row = np.clip(np.arange(23), 3, 17) * 7
    wanted = [row[:-2] + row[1:-1] + row[2:] + 3 * y for y in range(3)]
    assert np.array_equal(_computed_in_lanes(vectors, stored, False), wanted)


@pytest.mark.parametrize("vectors", ["0", "1"])
def test_lanes_do_not_update_the_same_elements(vectors: str) -> None:
    """The package takes the first of these, and adds x to some elements twice."""
    with pytest.raises(hl.HalideError, match="stored outside the parallel or vectorized loop"):
        _computed_in_lanes(vectors, "root", True)


@pytest.mark.parametrize("divisor", [2, 3, 32])
@pytest.mark.parametrize("ahead", [0, 3])
def test_quotients_stay_within_what_guards_allow(divisor: int, ahead: int) -> None:
    """The input has the rows that are read and no more, wherever the last tile ends."""
    x, y, y_o, y_i = (hl.Var(n) for n in ("x", "y", "y_o", "y_i"))
    source = hl.ImageParam(hl.Int(32), 2, "source")
    tripled, added, one_more = (hl.Func(n) for n in ("tripled", "added", "one_more"))
    tripled[x, y] = source[x, y] * 3
    added[x, y] = tripled[x, (y + ahead) / divisor] + tripled[x, hl.i32(y) / divisor]
    one_more[x, y] = added[x, y] + 1
    one_more.split(y, y_o, y_i, 16, hl.TailStrategy.GuardWithIf)
    added.compute_at(one_more, y_i)
    tripled.compute_at(one_more, y_o)
    for rows in (1, 15, 16, 31, 37):
        data = np.arange(((rows - 1 + ahead) // divisor + 1) * 9, dtype=np.int32).reshape(-1, 9)
        source.set(hl.Buffer(data))
        k = np.arange(rows)
        expected = 3 * data[(k + ahead) // divisor] + 3 * data[k // divisor] + 1
        assert np.array_equal(np.array(one_more.realize([9, rows])), expected), rows
