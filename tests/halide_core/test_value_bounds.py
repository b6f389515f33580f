"""What is known of the values of computed Funcs bounds what is read at places that they choose."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl

TABLE = np.arange(64, dtype=np.int32)[::-1].copy()


def read_at(place, table: int = 64, extent: int = 40) -> np.ndarray:
    """A table read at the places, which are computed for eight points at a time."""
    x = hl.Var("x")
    image, out = hl.ImageParam(hl.Int(32), 1, "table"), hl.Func("out")
    out[x] = image[place(x)]
    kept = hl.Buffer(TABLE[:table].copy())
    image.set(kept)
    out.vectorize(x, 8)
    return np.array(out.realize([extent]))


def test_a_clamp_in_a_stored_tuple() -> None:
    x, f = hl.Var("x"), hl.Func("f")
    f[x] = hl.Tuple([hl.f32(x) * hl.f32(0.5), hl.clamp(hl.i32(hl.f32(x) * hl.f32(0.75)), 0, 19)])
    f.compute_root()
    found = read_at(lambda x: f[x][1] + 1, table=21)
    assert found.tolist() == [62 - min(3 * k // 4, 19) for k in range(40)]


def test_a_position_that_updates_choose() -> None:
    x, f, g = hl.Var("x"), hl.Func("f"), hl.Func("g")
    r = hl.RDom([(0, 20)], "r")
    f[x] = (x * 37) % 11
    g[x] = hl.Tuple([hl.i32(0), hl.i32(11)])
    less = f[x + r.x] < g[x][1]
    g[x] = hl.Tuple([hl.select(less, r.x, g[x][0]), hl.select(less, f[x + r.x], g[x][1])])
    for h in (f, g):
        h.compute_root()
    values = [(k * 37) % 11 for k in range(60)]
    wanted = [63 - int(np.argmin(values[k:k + 20])) - min(values[k:k + 20]) for k in range(40)]
    assert read_at(lambda x: g[x][0] + g[x][1]).tolist() == wanted


def test_a_count_is_unbounded() -> None:
    x, f = hl.Var("x"), hl.Func("f")
    r = hl.RDom([(1, 9)], "r")
    f[x] = hl.i32(0)
    f[r.x] = f[r.x - 1] + 1
    f.compute_root()
    with pytest.raises(hl.HalideError, match="unbounded range"):
        read_at(lambda x: f[x])


@pytest.mark.parametrize("bits", [32, 64])
def test_negative_integers_wrap_as_unsigned_ones(bits: int) -> None:
    """A place that is made of them may be any: the storage has room for it."""
    x, y = hl.Var("x"), hl.Var("y")
    data = np.arange(64, dtype=np.uint8) * 5
    r = hl.RDom([(0, 8)])
    counts, out = hl.Func("counts"), hl.Func("out")
    value = hl.cast(hl.UInt(bits), hl.cast(hl.Int(64), hl.Buffer(data)[hl.clamp(x + r, 0, 63)]) - 200)
    counts[x, y] = 0
    counts[x, hl.clamp(hl.cast(hl.Int(32), hl.clamp(value, 0, 50)), 0, 7)] += 1
    out[x, y] = counts[x, y]
    counts.compute_root()
    wide = data.astype(np.int64)
    unsigned = np.uint32 if bits == 32 else np.uint64
    found = np.asarray(out.realize([16, 8]))
    for column in range(16):
        values = (wide[np.clip(np.arange(8) + column, 0, 63)] - 200).astype(unsigned)
        wanted = np.bincount(np.minimum(values, 7).astype(int), minlength=8)
        assert np.array_equal(found[:, column], wanted)
