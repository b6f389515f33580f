"""Guards whose arithmetic may wrap: neither taken for granted nor read as if it did not wrap."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.lift import lift_function
from tests.c_files import function_of

SOURCE = Path(__file__).with_name("guards.cpp")


@pytest.mark.parametrize("name", ["a_difference_of_two_sizes", "a_difference_that_wraps"])
def test_a_guard_is_not_dropped(name: str) -> None:
    """A definition without the guard is wrong, and one with it reads what is not read."""
    assert lift_function(function_of(SOURCE, name)).status != "verified"


def test_a_size_minus_one_is_read_where_it_does_not_wrap() -> None:
    found = lift_function(function_of(SOURCE, "last_row_read_twice"))
    assert found.status == "verified", found.reason
