"""Arguments of float64 that functions are tried at: at random, and where they are hard."""

from __future__ import annotations

from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]
MATCHING = {4: np.float64, 8: np.longdouble}
"""What is exact enough to say how far a float of so many bytes is from the true value."""
SPECIAL = np.array(
    [
        *(0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 3, -3),
        *(5e-324, -5e-324, 2.3e-308, 1.79e308, -1.79e308),
        *(708, 708.0001, 709.78, 709.79, 710.4, 710.5, -708, -708.4, -744, -745.1, -745.2, -746, -1e30),
        *(0.7071067811865475, 0.7071067811865476, 1.4142135623730951, 1.4142135623730954, 0.41421356237309503),
        *(823548.9, 823549.1, -823549.1, 22, 0.625, 4, 5, 1 - 2**-53, 1 + 2**-52, 2.0**30, 2.0**-28, 1e-300, 1e300),
        # Next to multiples of pi/2 as no others of their size are.
        *(6381956970095103 * 2.0**797, 5319372648326541 * 2.0**-52 * 2.0**253, 3.1415926535897931, 1.5707963267948966),
    ],
    np.float64,
)


def of_double(name: str, r: np.random.Generator, count: int) -> list[Numbers]:
    """Special ones, all bits at random, several sizes, neighbours of multiples of pi/2, and of 1 and its like."""
    one = _numbers(r, count)
    if name not in ("pow", "atan2"):
        return [one]
    other = r.permutation(_numbers(r, count))
    special = len(SPECIAL)
    one[: special**2], other[: special**2] = np.repeat(SPECIAL, special), np.tile(SPECIAL, special)
    half = slice(count // 2, count)
    if name == "atan2":
        # Of all sizes, and not far from each other.
        size = r.integers(-1074, 1023, count - count // 2)
        one[half] = r.standard_normal(len(size)) * 2.0**size
        other[half] = r.standard_normal(len(size)) * 2.0 ** np.clip(size + r.integers(-60, 60, len(size)), -1074, 1022)
    else:
        one[half] = np.where(r.random(count - count // 2) < 0.5, r.uniform(0.6, 1.6, count - count // 2), one[half])
        with np.errstate(all="ignore"):
            other[half] = r.uniform(-746, 711, count - count // 2) / np.log(np.abs(one[half]))
    return [one, other]


def _numbers(r: np.random.Generator, count: int) -> Numbers:
    part = count // 8
    bits = r.integers(0, (1 << 64) - 1, part, dtype=np.uint64, endpoint=True).view(np.float64)
    usual = [r.uniform(-s, s, part) for s in (1.0, 5.0, 800.0)]
    near_1 = 1 + r.standard_normal(part) * 2.0 ** -r.integers(0, 50, part)
    sizes = r.standard_normal(part) * 2.0 ** r.integers(-60, 60, part)
    multiples = (r.integers(-(1 << 20), 1 << 20, part) * (np.longdouble(np.pi) / 2)).astype(np.float64)
    found = np.concatenate([SPECIAL, bits, *usual, near_1, sizes, multiples])
    return np.concatenate([found, r.uniform(-30, 30, max(count - len(found), 0))])[:count]
