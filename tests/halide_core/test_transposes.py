"""Transposed blocks, of sizes that are whole blocks and others."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core as hl

pytestmark = pytest.mark.few(3)

x, y, xo, xi, yo, yi = (hl.Var(n) for n in ("x", "y", "xo", "xi", "yo", "yi"))


SIZES = [(32, 48), (33, 47), (5, 64), (16, 3)]


@pytest.mark.parametrize("kind", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("side", [8, 16])
@pytest.mark.parametrize("width", [None, 16, 128])
def test_blocks(kind: str, side: int, width: int | None) -> None:
    """`width`: the extent of the rows that are read, where the compiler knows it."""
    source = np.random.default_rng(side).integers(0, 100, (300, 300)).astype(kind)
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.Buffer(source)[x, y]
    g.compute_root()
    if width is not None:
        g.bound_extent(x, width)
    f[x, y] = g[y, x] + hl.cast(g.type(), 1)
    f.split(x, xo, xi, side, hl.TailStrategy.GuardWithIf).split(y, yo, yi, side, hl.TailStrategy.GuardWithIf)
    f.reorder(xi, yi, xo, yo).vectorize(xi)
    for size in SIZES:
        if width is not None and width < size[1]:
            with pytest.raises(hl.HalideError, match="do not cover"):
                f.realize(list(size))
            continue
        wanted = source[: size[0], : size[1]].T + np.array(1, kind)
        assert np.array_equal(np.array(f.realize(list(size))), wanted), size


def test_in_the_memory_of_the_source() -> None:
    """What iterations store is what later ones load, as without vectors."""
    memory = np.arange(16 * 16, dtype=np.int32).reshape(16, 16)
    wanted = memory.copy()
    for row in range(16):
        wanted[row] = wanted[:, row]
    p, f = hl.ImageParam(hl.Int(32), 2), hl.Func("f")
    p.set(hl.Buffer(memory))
    f[x, y] = p[y, x]
    f.bound(x, 0, 16).bound(y, 0, 16).vectorize(x, 16)
    f.realize(hl.Buffer(memory))
    assert np.array_equal(memory, wanted)
