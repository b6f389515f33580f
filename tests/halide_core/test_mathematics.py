"""Functions of float32, which are arithmetic: against double precision, the interpreter and the C library's special
values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.expr import evaluate
from halide_core.ir import expr as ir
from halide_core.ir.types import Float
from halide_core.mathematics import FUNCTIONS
from tests.halide_core.math_errors import EXACT, MOST, Numbers, computed, errors

SPECIAL = np.array(
    [
        *(0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38),
        *(88.7, 88.8, 89, -87.3, -87.4, -103, -103.9, -103.99999, -104, -104.00001, -104.5, -1e30),
        *(0.70710677, 0.7071068, 1.4142135, 1.4142137),
        *(12867, 12868, -12868, 87, -87, 0.625, 4, 5, 1 - 2**-24, 1 + 2**-23),
    ],
    np.float32,
)
NAMES = sorted(FUNCTIONS)


def arguments(name: str, count: int) -> list[Numbers]:
    """Special ones, all bits at random, those in the middle, and neighbours of multiples of pi/2."""
    r = np.random.default_rng(7)
    bits = r.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    around = (r.integers(-9000, 9000, count // 8) * (np.pi / 2)).astype(np.float32)
    usual = [r.uniform(-s, s, count // 2).astype(np.float32) for s in (1.0, 5.0, 100.0)]
    one = np.concatenate([SPECIAL, bits, around, *usual])
    if FUNCTIONS[name].arity == 1:
        return [one]
    pairs = [np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))]
    base = np.concatenate([r.uniform(0.6, 1.6, count), np.exp(r.uniform(-30, 30, count))]).astype(np.float32)
    with np.errstate(all="ignore"):
        power = (r.uniform(-88, 88, 2 * count) / np.log(base.astype(np.float64))).astype(np.float32)
    return [np.concatenate([a, b, c]) for a, b, c in zip(pairs, (one, r.permutation(one)), (base, power), strict=True)]


@pytest.mark.parametrize("name", NAMES)
def test_is_near_the_true_value(name: str) -> None:
    args = arguments(name, 50_000)
    found = computed(name, *args)
    assert errors(name, found, *args).max() <= MOST.get(name, 1.0)
    with np.errstate(all="ignore"):
        expected = EXACT[name](*(a.astype(np.float64) for a in args))
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("lanes", [1, 3, 16])
@pytest.mark.parametrize("target", ["host", "x86-64-linux", "x86-64-linux-sse41"])
def test_is_the_same_in_vectors(target: str, lanes: int) -> None:
    for name in NAMES:
        args = arguments(name, 500)
        assert np.array_equal(computed(name, *args, lanes=lanes, target=target), interpreted(name, *args), True), name


def interpreted(name: str, *args: Numbers) -> Numbers:
    parameters = [ir.Variable(Float(32), n) for n in ("x", "y")[: len(args)]]
    call = ir.intrinsic(name, Float(32), *parameters)
    return evaluate(call, dict(zip(("x", "y"), args, strict=False)))


def test_pow_of_what_is_no_ordinary_number() -> None:
    x, y = np.repeat(SPECIAL, len(SPECIAL)), np.tile(SPECIAL, len(SPECIAL))
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    found = computed("pow", x, y)
    special = ~np.isfinite(expected) | (expected == 0)
    assert np.array_equal(found[special], expected[special], equal_nan=True)


def test_the_c_library_is_apart() -> None:
    x = hl.Var("x")
    f = hl.Func()
    f[x] = hl.libm("exp", hl.f32(x) * hl.f32(0.01))
    a = np.arange(1000, dtype=np.float32) * np.float32(0.01)
    library = np.asarray(f.realize([1000]))
    assert errors("exp", library, a).max() < 1
    assert not np.array_equal(library, computed("exp", a))


def test_other_types_are_the_c_library() -> None:
    x = hl.Var("x")
    f: Any = hl.Func()
    f[x] = hl.sin(hl.f64(x) * 0.25)
    assert np.allclose(np.asarray(f.realize([100])), np.sin(np.arange(100) * 0.25), rtol=1e-15)
