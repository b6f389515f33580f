"""Expressions tried on small runs: equal ones look equal, others do not."""

from __future__ import annotations

from halide_core.ir.expr import BOOL, I32, LT, Add, Call, CallType, Expr, Max, Select, Sub, Variable, const
from halide_core.ir.types import Float, UInt
from synth.sampling.trial import Trial

X, W = Variable(I32, "x"), Variable(I32, "w")
POINTS = [{"x": x, "w": 9} for x in range(9)]


def image(at: Expr, name: str = "src", bits: int = 8) -> Expr:
    return Call(UInt(bits) if bits == 8 else Float(bits), name, (at,), CallType.IMAGE)


def before(x: Expr) -> Expr:
    return Sub(I32, x, const(1, I32))


def test_a_clamp_stands_for_a_choice() -> None:
    trial = Trial(POINTS)
    clamped = image(Max(I32, before(X), const(0, I32)))
    chosen = Select(UInt(8), LT(BOOL, X, const(1, I32)), image(X), image(before(X)))
    assert trial.outcome(clamped) == trial.outcome(chosen)
    assert trial.outcome(image(before(X))) != trial.outcome(chosen)
    assert trial.outcome(clamped) != trial.outcome(image(Max(I32, before(X), const(0, I32)), "other"))


def test_parameters_are_known_and_others_have_a_value() -> None:
    trial = Trial(POINTS)
    assert trial.outcome(Add(I32, X, W)) == trial.outcome(Add(I32, X, const(9, I32)))
    weight = Variable(Float(32), "weight")
    assert trial.outcome(weight) == trial.outcome(weight)
    assert trial.outcome(image(X, bits=32)) != trial.outcome(image(W, bits=32))


def test_nothing_is_said_without_points() -> None:
    assert Trial([]).outcome(X) is None
