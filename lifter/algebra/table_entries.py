"""Entries of constant tables at places of a form: `taps[m * 6 + 1]` is one of every sixth."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lifter.algebra.polynomial import Poly


def ends_of(values: Sequence[int | float], place: Poly) -> tuple[int, int] | None:
    """The least and the greatest entry of a table of integers at places that are values of a polynomial, as far as its
    coefficients tell; None where there is none."""
    first = place.terms.get((), 0)
    step = math.gcd(*(c for m, c in place.terms.items() if m))
    entries = values[first % step :: step] if step else values[first : first + 1] if first >= 0 else ()
    return (int(min(entries)), int(max(entries))) if entries else None
