"""Sums that were written out are loops again, and what they add up is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.stmt import ForKind

TARGETS = ["host", "x86-64-linux-avx-avx2-f16c-fma-sse41", "x86-64-linux-sse41", "x86-64-linux"]


def _sum(terms: Callable[[Any, Any, Any], list[Any]], kind: Any) -> tuple[Any, Any, Any]:
    """A sum over rows of what two images hold beside each other."""
    a, b = hl.ImageParam(hl.UInt(8), 2, "a"), hl.ImageParam(hl.UInt(8), 2, "b")
    r, f = hl.RDom([(0, a.dim(1).extent())]), hl.Func("f")
    f[()] = hl.cast(kind, 3)
    total = f[()]
    for t in terms(a, b, r):
        total += t
    f[()] = total
    return a, b, f


def _square(a: Any, b: Any, x: int, r: Any) -> Any:
    d = hl.i32(a[x, r]) - hl.i32(b[x + 2, r])
    return d * d


@pytest.mark.parametrize("count", [4, 5, 8, 16, 19])
@pytest.mark.parametrize("target", TARGETS)
def test_neighbours_are_one_loop(count: int, target: str) -> None:
    """In whatever order they were added."""
    order = np.random.default_rng(count).permutation(count).tolist()
    a, b, f = _sum(lambda a, b, r: [_square(a, b, k, r) for k in order], hl.Int(32))
    apply_default_schedule(hl.Pipeline([f]), hl.Target(target))
    (update,) = f._function.updates
    assert update.domain is not None
    assert any(name.endswith("$roll0") for name, _, _ in update.domain.variables) or "$part" in str(update.values[0])
    rng = np.random.default_rng(7)
    for rows in (1, 2, 33, 700):
        p, q = rng.integers(0, 256, (2, rows, count + 5)).astype(np.uint8)
        a.set(p)
        b.set(q)
        differences = p[:, :count].astype(np.int64) - q[:, 2 : count + 2]
        found = int(np.asarray(f.realize(target=hl.Target(target))))
        assert found == 3 + int((differences**2).sum()), rows


def _uneven(a: Any, b: Any, r: Any) -> list[Any]:
    return [hl.i32(a[x, r]) for x in (0, 1, 2, 4)]


def _different(a: Any, b: Any, r: Any) -> list[Any]:
    return [hl.i32(a[x, r]) * (x + 1) for x in range(6)]


def _crossed(a: Any, b: Any, r: Any) -> list[Any]:
    return [hl.i32(a[x, r]) * hl.i32(b[7 - x, r]) for x in range(8)]


def _few(a: Any, b: Any, r: Any) -> list[Any]:
    return [hl.i32(a[x, r]) for x in range(3)]


@pytest.mark.parametrize("terms", [_uneven, _different, _crossed, _few])
def test_what_is_no_loop_stays(terms: Any) -> None:
    a, b, f = _sum(terms, hl.Int(32))
    before = f._function.updates[0].domain
    apply_default_schedule(hl.Pipeline([f]), hl.Target("host"))
    assert f._function.updates[0].domain is before
    p, q = np.random.default_rng(1).integers(0, 256, (2, 50, 12)).astype(np.uint8)
    a.set(p)
    b.set(q)
    wide, other = p.astype(np.int64), q.astype(np.int64)
    wanted = {
        "_uneven": wide[:, [0, 1, 2, 4]], "_different": wide[:, :6] * np.arange(1, 7),
        "_crossed": wide[:, :8] * other[:, 7::-1], "_few": wide[:, :3],
    }[terms.__name__]
    assert int(np.asarray(f.realize())) == 3 + int(wanted.sum())


def test_floats_keep_their_order() -> None:
    _, _, f = _sum(lambda a, b, r: [hl.f32(a[x, r]) / 3 for x in range(8)], hl.Float(32))
    before = f._function.updates[0].domain
    apply_default_schedule(hl.Pipeline([f]), hl.Target("host"))
    assert f._function.updates[0].domain is before


def test_updates_run_along_what_moves() -> None:
    """A weight that is the same for all lanes does not keep an update from running in vectors along its elements."""
    image, weights = hl.ImageParam(hl.Float(32), 2, "image"), hl.ImageParam(hl.Float(32), 1, "weights")
    x, f = hl.Var("x"), hl.Func("f")
    r = hl.RDom([(0, image.dim(1).extent())])
    f[x] = 0.0
    f[x] += image[x, r] * weights[r]
    apply_default_schedule(hl.Pipeline([f]), hl.Target("host"))
    (update,) = f._function.updates
    assert [d.var.startswith("x") for d in update.schedule.dims if d.kind is ForKind.VECTORIZED] == [True]
    rng = np.random.default_rng(2)
    for width, height in ((1, 1), (7, 3), (64, 9), (301, 20)):
        p, w = rng.normal(size=(height, width)).astype(np.float32), rng.normal(size=height).astype(np.float32)
        image.set(p)
        weights.set(w)
        wanted = np.zeros(width, np.float32)
        for row, weight in zip(p, w, strict=True):
            wanted = wanted + row * weight
        assert np.array_equal(np.asarray(f.realize([width])), wanted)
