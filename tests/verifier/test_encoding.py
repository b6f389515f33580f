"""The Z3 encoding and the reference interpreter give integer expressions the same value, edge values included."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halide_core.interp.expr import evaluate
from halide_core.ir.expr import Variable, const, intrinsic
from halide_core.ir.structural import post_order
from halide_core.ir.types import Bool
from verifier.smt import Proved, Query, Refuted, ValueEncoder, prove

sys.path.insert(0, str(Path(__file__).parents[1] / "halide_core"))
from expressions import INTEGERS, edge_values, expressions


@st.composite
def valued(draw):
    """An expression over integers, and a value for each of its variables."""
    e = draw(expressions(draw(st.sampled_from([*INTEGERS, Bool()])), 3))
    names = {n.name: n for n in post_order(e) if isinstance(n, Variable)}
    values = {n: draw(st.sampled_from(list(edge_values(v.type)))) for n, v in names.items()}
    return e, names, values


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(valued())
def test_encoding_agrees_with_the_interpreter(case):
    e, names, values = case
    if any(n.type.is_float() for n in post_order(e)):
        return  # floats are uninterpreted in the proof
    expected = np.asarray(evaluate(e, values)).item()
    encoder = ValueEncoder()
    facts = tuple(encoder.equal(v, const(values[n].item(), v.type)) for n, v in names.items())
    answer = prove(Query(facts, encoder.equal(e, const(expected, e.type))), 20.0)
    assert isinstance(answer, Proved), (str(e), values, expected, answer)


def test_the_three_answers():
    encoder = ValueEncoder()
    x = Variable(INTEGERS[0], "x")
    assert isinstance(prove(Query((), encoder.equal(x, x))), Proved)
    refuted = prove(Query((), encoder.equal(x, const(3, x.type))))
    assert isinstance(refuted, Refuted)
    assert refuted.model["x"] != 3


def test_rounding_shifts_past_the_width():
    for t in (INTEGERS[0], INTEGERS[1]):
        x, n = Variable(t, "x"), Variable(t, "n")
        e = intrinsic("rounding_shift_right", t, x, n)
        for value in (t.min(), t.max(), 1):
            for amount in (7, 8, 9, 10, 17, 18, 19, 64, 100, 127):
                encoder = ValueEncoder()
                facts = (encoder.equal(x, const(value, t)), encoder.equal(n, const(amount, t)))
                exact = t.wrap((value + (1 << amount - 1)) >> amount)
                assert isinstance(prove(Query(facts, encoder.equal(e, const(exact, t)))), Proved), (value, amount)
                assert np.asarray(evaluate(e, {"x": value, "n": amount})).item() == exact
