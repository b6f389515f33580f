"""Guards whose arithmetic may wrap: neither taken for granted nor read as if it did not wrap."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from synth.lift import lift_function

HEAD = "#include <cstddef>\n#include <cstdint>\n"
WRONG_WITHOUT = {
    "a difference that wraps": "void f(uint8_t* d, unsigned n) { if (n - 1 > 5) d[0] = 1; }",
    "a difference of two sizes": "void f(uint8_t* d, size_t n, size_t m) { if (n - m > 5) d[3] = 1; }",
}
"""Stores that are not always made: a definition without the guard is wrong, and one with it reads what is not read."""
LAST_ROW = """void f(uint8_t* d, const uint8_t* s, size_t w, size_t h, size_t stride) {
    for (size_t y = 0; y < h; y++) {
        const uint8_t* below = y == h - 1 ? s + y * stride : s + (y + 1) * stride;
        for (size_t x = 0; x < w; x++) d[y * stride + x] = (uint8_t)(below[x] >> 1);
    }
}"""


def lifted(tmp_path, text):
    source = tmp_path / "source.cpp"
    source.write_text(HEAD + text + "\n")
    (f,) = parse_file(str(source)).functions
    return lift_function(f)


@pytest.mark.parametrize("name", sorted(WRONG_WITHOUT))
def test_a_guard_is_not_dropped(name, tmp_path) -> None:
    assert lifted(tmp_path, WRONG_WITHOUT[name]).status != "verified"


def test_a_size_minus_one_is_read_where_it_does_not_wrap(tmp_path) -> None:
    found = lifted(tmp_path, LAST_ROW)
    assert found.status == "verified", found.reason
