"""Items of contracts in the form that people would write."""

from __future__ import annotations

import itertools

from halide_core.ir.expr import I32
from lifter.algebra.polynomial import Poly, floor_div
from verifier.contract import without_quotient


def test_a_quotient_is_taken_out_of_a_comparison() -> None:
    n = Poly.variable("n", I32)
    assert without_quotient(floor_div(n, 2) - Poly.constant(1)) == n - Poly.constant(2)
    for divisor, factor, more, inside in itertools.product((2, 3, 4), (1, 2, 3), range(-9, 9), (-1, 0, 1, 5)):
        p = floor_div(n + Poly.constant(inside), divisor).scale(factor) + Poly.constant(more)
        q = without_quotient(p)
        assert q.coefficient("n") == Poly.constant(1)
        for value in range(-20, 21):
            holds = (value + inside) // divisor * factor + more >= 0
            assert (q.substitute({"n": Poly.constant(value)}).constant_value() >= 0) == holds
