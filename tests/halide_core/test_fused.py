"""a * b + c, rounded once, as the interpreter has it: against fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from halide_core.interp.fused import fused_multiply_add

EDGES = (
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.0**-1022, 2.0**-540, 2.0**-126, 2.0**-149),
    *(1e-30, 2.0**64, 2.0**127, 2.0**512, 2.0**970, 2.0**1023, -1.7e308, 1 + 2.0**-23, 1 + 2.0**-52, 1 - 2.0**-53),
)


def _rounded(x: Fraction, t: type[np.floating]) -> float:
    """The nearest number of the type, ties to even."""
    if not x:
        return 0.0
    digits, least = (24, -149) if t is np.float32 else (53, -1074)
    size = abs(x)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    whole = round(x / unit)
    greatest = Fraction(float(np.finfo(t).max))
    found = whole * unit
    return math.copysign(math.inf if abs(found) > greatest else float(abs(found)), -1 if x < 0 else 1)


def _expected(a: float, b: float, c: float, t: type[np.floating]) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    # The sign of zero is that of a sum of zeros, or +.
    zero = math.copysign(1, a) * math.copysign(1, b) * 0.0 + c if a == 0 or b == 0 else 0.0
    return _rounded(exact, t) if exact else zero


def _numbers(t: type[np.floating]) -> list[np.ndarray]:
    r = np.random.default_rng(3)
    bits = np.uint32 if t is np.float32 else np.uint64
    edges = np.array(list(itertools.product(EDGES, repeat=3))).T
    whole = [r.integers(0, np.iinfo(bits).max, 3000, dtype=bits).view(t) for _ in range(3)]
    a, b = (r.standard_normal(3000) * 2.0 ** r.integers(-40, 40, 3000) for _ in range(2))
    near = -a * b * (1 + r.integers(-4, 5, 3000) * 2.0 ** -r.integers(20, 54, 3000))
    apart = a * b * 2.0 ** r.integers(-60, 60, 3000)
    with np.errstate(all="ignore"):
        sets = [edges, np.array([a, b, near]), np.array([a, b, apart]), np.array(whole)]
        return [np.concatenate([s[k].astype(t) for s in sets]) for k in range(3)]


@pytest.mark.parametrize("t", [np.float32, np.float64])
def test_is_rounded_once(t: type[np.floating]) -> None:
    a, b, c = _numbers(t)
    found = fused_multiply_add(a, b, c)
    with np.errstate(all="ignore"):
        expected = np.array([_expected(*map(float, n), t) for n in zip(a, b, c, strict=True)]).astype(t)
    nan = np.isnan(expected)
    assert np.array_equal(nan, np.isnan(found))
    assert found[~nan].tobytes() == expected[~nan].tobytes()
    with np.errstate(all="ignore"):
        assert (found != a * b + c)[~nan].sum() > 1000
