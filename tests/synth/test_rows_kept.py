"""Local arrays that carry values from one iteration of a loop to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.lift import lift_function
from tests.c_files import function_of, functions_of

pytestmark = pytest.mark.few(6)

SOURCE = Path(__file__).with_name("rows_kept.cpp")
KEPT = {
    "a_ring_of_three_rows": {"ring": "int32(uint16(s(x, y)) * (uint16)3)", "d": "uint8(ring(x, y) - ring(x, y - 2))"},
    "rows_of_a_fixed_length_masked": {
        "rows": "int32((uint16)5 + uint16(s(x, max(y - 1, 0))))",
        "d": "uint8(rows(x, y + 1) * rows(x, y))",
    },
    "pointers_that_change_places": {"m": "int32(s(x, y))", "d": "uint8((m(x, y - 2) - m(x, y - 1)) + (2 * m(x, y)))"},
    "two_pointers_swapped": {"m": "int32(uint16(s(x, y)) / (uint16)3)", "d": "uint8(m(x, y - 1) + m(x, y))"},
    "a_row_read_before_it_is_stored_to": {
        "a": "int32(select(y == 0, (uint8)0, s(x, max(y - 1, 0))))",
        "d": "uint8(div_round_to_zero(a(x, y), 2))",
    },
    "two_parts_of_one_buffer": {"d": "uint8(a(x, y) ^ a_1(x, y))"},
    "sums_of_columns": {"d": "uint8(div_round_to_zero(a(x, y), 2))"},
    "rows_enter_and_leave_under_conditions": {"d": "uint8(a(x, y + 1))"},
    "columns_that_stay_as_they_were_filled": {"d": "uint8(div_round_to_zero(ring(x, y), 2))"},
    "arrays_whose_pointers_change_places": {
        "a": "int32(s(x, y))",
        "d": "uint8((a(x, y - 2) - a(x, y - 1)) + (2 * a(x, y)))",
    },
    "a_row_number_that_goes_round": {"d": "uint8(rows(x, y + 1) - rows(x, y))"},
    "a_row_number_that_is_turned_over": {"m": "int32(s(x, max(y - 1, 0)))", "d": "uint8(m(x, y + 1) - m(x, y))"},
    "the_first_row_a_copy": {"d": "uint8(m(x, y) - m(x, y + 1))"},
}
OTHERWISE = [
    "a_row_older_than_the_ring",
    "columns_that_are_stored_to_in_some_rows_only",
    "rows_that_change_places_now_and_then",
    "a_row_that_nothing_has_filled",
]


@pytest.mark.parametrize("name", KEPT)
def test_rows_of_iterations_are_rows_of_a_func(name: str) -> None:
    found = lift_function(function_of(SOURCE, name))
    assert found.status == "verified", found.reason
    values = {f.name: str(f.definitions[0].value) for f in found.summary.paths[0].funcs}
    assert {n: values[n] for n in KEPT[name]} == KEPT[name]


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_not_known_to_be_the_same_is_not_found(name: str) -> None:
    assert lift_function(functions_of(SOURCE)[name]).status in ("not_found", "unsupported")


def test_arrays_of_two_sizes_do_not_change_places() -> None:
    assert "arrays of different sizes" in str(functions_of(SOURCE)["arrays_of_two_sizes"])


def test_a_column_that_the_loop_leaves_out_keeps_what_it_had() -> None:
    """Its neighbour reads it in the iteration that stores to all others."""
    assert lift_function(function_of(SOURCE, "a_column_that_the_loop_leaves_out")).status == "not_found"
