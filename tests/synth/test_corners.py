"""A last pixel of the last row that is another one than the last of the other rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from synth.lift import lift_function
from tests.c_files import function_of

pytestmark = pytest.mark.few(4)

SOURCE = Path(__file__).with_name("corners.cpp")


@pytest.mark.parametrize(("in_rows", "in_corner"), [("0", "7"), ("s[0]", "s[0]"), ("1", "s[0] / 2")])
def test_a_corner_of_its_own_reads_nothing_behind_the_image(in_rows: str, in_corner: str) -> None:
    found = lift_function(function_of(SOURCE, "corners", f"-DIN_ROWS={in_rows}", f"-DIN_CORNER={in_corner}"))
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    (definition,) = func.definitions
    assert "select(z == (h - 1), w - 1, w)" in str(definition.value)
