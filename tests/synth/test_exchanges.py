"""Elements exchanged in place, and addresses that run against their rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.lift import Lifted, lift_function
from tests.c_files import function_of

pytestmark = pytest.mark.few(3)

SOURCE = Path(__file__).with_name("exchanges.cpp")
EXCHANGES = {
    "first_and_third": "p_in(2 - x, y)",
    "both_pairs_of_four": "p_in(3 - x, y)",
    "row_reversed": "p_in((n - x) - 1)",
    "rows_reversed": "p_in((n - x) - 1, y)",
    "image_upside_down": "p_in(x, (h - y) - 1)",
}
OTHERWISE = ["each_pair_twice", "two_in_the_middle", "pixels_that_overlap", "below_the_diagonal"]


def lifted(name: str) -> Lifted:
    return lift_function(function_of(SOURCE, name))


@pytest.mark.parametrize("name", EXCHANGES)
def test_what_stays_between_is_part_of_the_region(name: str) -> None:
    found = lifted(name)
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert str(func.definitions[0].value) == EXCHANGES[name]


@pytest.mark.parametrize("name", OTHERWISE)
def test_other_exchanges_are_not_taken_for_these(name: str) -> None:
    assert lifted(name).status == "not_found"


def test_a_row_is_read_against_its_direction() -> None:
    found = lifted("image_turned_round")
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert str(func.definitions[0].value) == "s((w - x) - 1, (h - y) - 1)"
    assert [str(d.min) for d in found.summary.paths[0].inputs[0].layout.dims] == ["0", "0"]
