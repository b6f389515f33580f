"""Several stores to one array in one loop: as definitions after one another only where they cannot meet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synth.lift import lift_function
from tests.c_files import function_of, names_of
from verifier.decide import verify_path

pytestmark = pytest.mark.few(3)

APART = Path(__file__).with_name("stores_apart.cpp")
MEETING = Path(__file__).with_name("stores_that_meet.cpp")


@pytest.mark.parametrize("name", names_of(APART))
def test_stores_that_cannot_meet(name: str) -> None:
    found = lift_function(function_of(APART, name))
    assert found.status == "verified", found.reason


def test_updates_are_in_turn() -> None:
    found = lift_function(function_of(APART, "a_sum_that_is_scaled_where_it_was_added_up"))
    path = found.summary.paths[0]
    (s,) = path.funcs
    start, add, scale = s.definitions
    nothing = replace(add, maps=())
    for turn in ((start, scale, add), (start, add), (start, add, scale, scale), (start, add, scale, nothing)):
        wrong = replace(path, funcs=(replace(s, definitions=turn),))
        assert not verify_path(found.summary.function, found.paths[0], wrong, 2.0).proved


@pytest.mark.parametrize("name", names_of(MEETING))
def test_stores_that_may_meet(name: str) -> None:
    assert lift_function(function_of(MEETING, name)).status != "verified"
