"""a * b + c of floats, rounded once, over NumPy arrays.

float32 by way of float64, float64 by error-free transformations; both round what is wider to odd first, so that the
second rounding is that of the exact sum (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
algorithms using rounding to odd", IEEE Transactions on Computers 2008)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_SPLIT = 2.0**27 + 1
_LEAST, _GREATEST, _GREATEST_SUM = 2.0**-900, 2.0**960, 2.0**1000
"""Between these no product's error underflows, no half of a factor and no sum overflows."""


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of arrays of float32, or of float64."""
    a, b, c = np.broadcast_arrays(a, b, c)
    with np.errstate(all="ignore"):
        if a.dtype == np.float64:
            return _of_float64(a, b, c)
        # A product of two float32 is a float64.
        total, error = _sum(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64))
        return _rounded_to_odd(total, error).astype(a.dtype)


def _of_float64(a: Array, b: Array, c: Array) -> Array:
    product = a * b
    plain = np.asarray(product + c)
    low = _error_of_product(a, b, product)
    upper, rest = _sum(low, c)
    total, error = _sum(product, upper)
    found = total + _rounded_to_odd(*_sum(rest, error))
    size = np.abs(product)
    sound = (size >= _LEAST) & (size <= _GREATEST) & (np.abs(c) <= _GREATEST_SUM)
    sound &= (np.abs(a) <= _GREATEST) & (np.abs(b) <= _GREATEST)
    # What is zero, infinite or no number makes no error; a finite product may seem infinite.
    finite = np.isfinite(a) & np.isfinite(b)
    exact = (a == 0) | (b == 0) | ~finite | ~np.isfinite(c)
    found = np.asarray(np.where(exact, np.where(finite & ~np.isfinite(c), c, plain), found))
    for k in np.argwhere(~(sound | exact)):
        place = tuple(k)
        found[place] = _exactly(float(a[place]), float(b[place]), float(c[place]))
    return found


def _error_of_product(a: Array, b: Array, product: Array) -> Array:
    """Of factors in halves (Dekker)."""
    (p, q), (r, s) = _halves(a), _halves(b)
    return np.asarray(((p * r - product) + p * s + q * r) + q * s)


def _halves(a: Array) -> tuple[Array, Array]:
    scaled = a * _SPLIT
    head = scaled - (scaled - a)
    return head, a - head


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b and its error (Knuth)."""
    total = np.asarray(a + b)
    part = total - a
    return total, np.asarray((a - (total - part)) + (b - part))


def _rounded_to_odd(total: Array, error: Array) -> Array:
    """total + error: of the two numbers beside it the one whose last bit is set, where it is none itself."""
    bits = total.view(np.int64)
    wrong = np.isfinite(total) & (error != 0) & ((bits & 1) == 0)
    away = (error > 0) == (bits >= 0)
    return np.asarray(np.where(wrong, bits + np.where(away, 1, -1), bits).view(np.float64))


def _exactly(a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if not exact:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf
