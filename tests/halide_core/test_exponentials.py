"""exp, log and pow of float32, which are arithmetic, against double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import halide_core as hl

Numbers = np.ndarray[Any, Any]
SPECIAL = np.array(
    [
        *(0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38),
        *(88.7, 88.8, 89, -87.3, -87.4, -103, -103.9, -104.5, 0.70710677, 0.7071068, 1.4142135, 1.4142137),
    ],
    np.float32,
)


def computed(f: Callable[..., Any], *arrays: Numbers) -> Numbers:
    """`f` of each element, in vectors and a tail of them."""
    x = hl.Var("x")
    images = [hl.ImageParam(hl.Float(32), 1) for _ in arrays]
    for image, a in zip(images, arrays, strict=True):
        image.set(hl.Buffer(a))
    out = hl.Func()
    out[x] = f(*(i[x] for i in images))
    out.vectorize(x, 8)
    return np.asarray(out.realize([len(arrays[0])])).copy()


def bits(count: int) -> Numbers:
    """Floats of random bits: of every size, NaN and subnormal numbers among them."""
    numbers = np.random.default_rng(7).integers(0, 1 << 32, count, dtype=np.uint64)
    return numbers.astype(np.uint32).view(np.float32)


def units(found: Numbers, expected: Numbers) -> float:
    """The greatest error in units in the last place; infinite where one is NaN or infinite and the other is not."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(np.float32)
        same = (np.isnan(found) & np.isnan(rounded)) | (found == rounded)
        error = np.abs(found.astype(np.float64) - expected) / np.spacing(np.abs(rounded)).astype(np.float64)
    return float(np.where(same, 0, np.where(np.isfinite(error), error, np.inf)).max())


def test_exp_and_log_are_within_one_unit() -> None:
    r = np.random.default_rng(1)
    for f, exact, usual in [(hl.exp, np.exp, (-105, 90)), (hl.log, np.log, (0.5, 2.0))]:
        a = np.concatenate([SPECIAL, bits(500_000), r.uniform(*usual, 500_000).astype(np.float32)])
        with np.errstate(all="ignore"):
            expected = exact(a.astype(np.float64))
        assert units(computed(f, a), expected) < 1


def test_pow_is_as_exact_as_its_logarithm() -> None:
    r = np.random.default_rng(2)
    x, y = r.uniform(0.001, 100, 500_000).astype(np.float32), r.uniform(-8, 8, 500_000).astype(np.float32)
    expected = np.power(x.astype(np.float64), y.astype(np.float64))
    assert np.abs(computed(hl.pow, x, y) / expected - 1).max() < 2e-7 * 8 * np.log(1000)


def test_pow_of_what_is_no_ordinary_number() -> None:
    x, y = np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    found = computed(hl.pow, x, y)
    left_out = (x == -np.inf) & (y != np.floor(y)) | (x == -1) & np.isinf(y)
    with np.errstate(all="ignore"):
        near = (found == expected) | (np.abs(found - expected) <= 1e-5 * np.abs(expected))
    assert ((np.isnan(found) & np.isnan(expected)) | near | left_out).all()
    assert np.isnan(found[left_out]).all()


def test_the_c_library_is_apart() -> None:
    x = hl.Var("x")
    f = hl.Func()
    f[x] = hl.libm("exp", hl.f32(x) * hl.f32(0.01))
    a = np.arange(1000, dtype=np.float32) * np.float32(0.01)
    assert np.array_equal(np.asarray(f.realize([1000])), computed(lambda v: hl.libm("exp", v), a))
    assert not np.array_equal(computed(lambda v: hl.libm("exp", v), a), computed(hl.exp, a))
