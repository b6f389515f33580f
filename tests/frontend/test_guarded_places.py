"""Stores of arms to one element that have other words for it, and guards that say no more than they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from halide_core.ir.expr import BOOL, EQ, LT, NE, And, Expr, Not, Or, Variable, const
from halide_core.ir.types import Int
from lifter.algebra.fold import is_tautology
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function
from lifter.symexec import execute
from lifter.symexec.guarded_places import exclude
from lifter.symexec.state import both
from verifier.sign_queries import decided, follows

SOURCE = Path(__file__).with_name("guarded_places.c")
FUNCTIONS = [f for f in parse_file(str(SOURCE)).functions if isinstance(f, Function)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_stores(function: Function) -> None:
    (path,) = execute(function, decided, follows)
    assert len(path.effects) == {"one": 1, "two": 2}[function.name.partition("_")[0]]
    if len(path.effects) == 1:
        assert path.effects[0].guard is None


def _is(name: str, value: int) -> Expr:
    return EQ(BOOL, Variable(Int(32), name), const(value, Int(32)))


def _is_not(name: str, value: int) -> Expr:
    return NE(BOOL, Variable(Int(32), name), const(value, Int(32)))


def test_what_is_denied_together() -> None:
    x, y = _is("x", 0), _is("y", 0)
    denied = Not(BOOL, And(BOOL, x, y))
    assert str(both(denied, y)) == "(x != 0) && (y == 0)"
    assert str(both(denied, _is("z", 0))) == "!((x == 0) && (y == 0)) && (z == 0)"


def test_tautologies() -> None:
    x, y = _is("x", 0), _is("y", 0)
    arms = Or(BOOL, Or(BOOL, y, And(BOOL, _is_not("y", 0), x)), And(BOOL, _is_not("x", 0), _is_not("y", 0)))
    assert is_tautology(arms)
    assert not is_tautology(Or(BOOL, x, y))
    assert not is_tautology(x)
    below = LT(BOOL, Variable(Int(32), "x"), Variable(Int(32), "y"))
    assert is_tautology(Or(BOOL, below, Not(BOOL, below)))


def test_guards_of_different_arms() -> None:
    x, y = _is("x", 0), _is("y", 0)
    assert exclude(And(BOOL, x, y), And(BOOL, _is_not("x", 0), _is("z", 1)))
    assert exclude(And(BOOL, x, y), Not(BOOL, And(BOOL, x, y)))
    assert not exclude(x, y)
    assert not exclude(x, None)
