"""Searches as reductions: what a function returns stays what it is, for all short inputs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from halide_core.ir.expr import Load
from halide_core.ir.structural import contains
from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Break, Function, Loop, Return, walk
from lifter.transforms.loops.eliminate_breaks import without_breaks
from lifter.transforms.loops.searches_for_places import without_places
from lifter.transforms.loops.searches_to_reductions import without_searches
from tests.c_files import function_of, names_of

FOLDER = Path(__file__).with_name("searches")
REWRITTEN, LEFT, PLACES, NO_PLACES = (FOLDER / f"{n}.cpp" for n in ("rewritten", "left", "places", "no_places"))
ENDED = FOLDER / "ended.cpp"


def _leaves(f: Function) -> int:
    loops = [s for s in walk(f.body) if isinstance(s, Loop)]
    return sum(isinstance(s, Break | Return) for loop in loops for s in walk(loop.body))


def _same(a: Function, b: Function) -> None:
    for n in range(5):
        for values in itertools.product(range(3), repeat=n):
            memory = np.array([*values, 2], np.uint8)
            results = [run(f, {"s": memory.copy(), "n": n}) for f in (a, b)]
            assert results[0] == results[1], (values, results)


@pytest.mark.parametrize("name", names_of(REWRITTEN))
def test_rewritten(name: str) -> None:
    before = function_of(REWRITTEN, name)
    after = without_searches(before)
    assert _leaves(before) > _leaves(after) == 0
    _same(before, after)


@pytest.mark.parametrize("name", names_of(LEFT))
def test_left(name: str) -> None:
    before = function_of(LEFT, name)
    after = without_searches(before)
    assert _leaves(after) == _leaves(before)
    _same(before, after)


@pytest.mark.parametrize("name", names_of(PLACES))
def test_places(name: str) -> None:
    before = function_of(PLACES, name)
    after = without_places(before)
    asked = [s.condition for s in walk(after.body) if isinstance(s, Loop)]
    assert after is not before and _leaves(after) == 0 and not any(contains(c, Load) for c in asked)
    _same(before, after)


@pytest.mark.parametrize("name", names_of(NO_PLACES))
def test_no_places(name: str) -> None:
    before = function_of(NO_PLACES, name)
    assert without_places(before) is before


@pytest.mark.parametrize("name", names_of(ENDED))
def test_ended_by_what_is_known(name: str) -> None:
    before = function_of(ENDED, name)
    after = replace(before, body=without_breaks(before.body))
    assert (_leaves(after) == 0) != name.endswith("_left") and _leaves(before) > 0
    for n, a, b in itertools.product(range(6), range(-2, 7), range(-1, 6)):
        results = []
        for f in (before, after):
            memory = np.zeros(8, np.uint8)
            results.append((run(f, {"d": memory, "n": n, "a": a, "b": b}), memory.tobytes()))
        assert results[0] == results[1], (n, a, b)
