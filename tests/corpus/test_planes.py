"""Planes that one loop sees as a row of elements and another by rows and columns."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from lifter.api import lift_file
from tests.corpus.beside import libraries

pytestmark = pytest.mark.long

HEAD = """#include <algorithm>
#include <cstdint>
#include <vector>
static int inside(int v, int n) { return std::max(0, std::min(v, n - 1)); }
"""
CASES = {
    "columns": "std::vector<int> t(w * h); for (int i = 0; i < w * h; i++) t[i] = s[i] * 3;"
    " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] = t[inside(y - 1, h) * w + x] >> 2;",
    "halves": "if (w < 2 || h < 2) return; std::vector<int> t((w / 2) * (h / 2)), u((w / 2) * (h / 2));"
    " for (int y = 0; y < h / 2; y++) for (int x = 0; x < w / 2; x++) t[y * (w / 2) + x] = s[2 * y * w + 2 * x];"
    " for (int i = 0; i < (w / 2) * (h / 2); i++) u[i] = t[i] + 1;"
    " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++)"
    " d[y * w + x] = u[inside(y / 2, h / 2) * (w / 2) + inside(x / 2, w / 2)];",
    "sum": "int total = 0; for (int i = 0; i < w * h; i++) total += s[i];"
    " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] = s[y * w + x] + total;",
    "disc": "static const int half[3] = {1, 2, 1}; for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {"
    " int best = 0; for (int j = -1; j <= 1; j++) for (int i = -half[j + 1]; i <= half[j + 1]; i++)"
    " best = std::max(best, (int)s[inside(y + j, h) * w + inside(x + i, w)]); d[y * w + x] = best; }",
    "quotient": "static const uint8_t table[8] = {9, 8, 7, 6, 5, 4, 3, 2}; for (int i = 0; i < w * h; i++)"
    " d[i] = table[inside((s[i] - 99) / 16, 8)];",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    head = "(uint8_t* d, const uint8_t* s, int w, int h)"
    bodies = (f"void {n}{head} {{ if (w < 0 || h < 0 || w > 999 || h > 999) return; {b} }}" for n, b in CASES.items())
    return libraries(tmp_path_factory.mktemp("planes"), HEAD + "\n".join(bodies))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 5), (64, 33)])
def test_results(found, case: str, size: tuple[int, int]) -> None:
    original, lifted, symbols = found
    w, h = size
    source = np.random.default_rng(w).integers(0, 256, w * h, np.uint8)
    results = []
    for library in (original, lifted):
        out = np.full(w * h + 8, 99, np.uint8)
        getattr(library, symbols[case])(ctypes.c_void_p(out.ctypes.data), ctypes.c_void_p(source.ctypes.data), w, h)
        results.append(out)
    assert np.array_equal(*results)
    assert w == 1 or not np.array_equal(results[0][: w * h], np.full(w * h, 99, np.uint8))


def test_rows_that_overlap_are_not_taken_apart(tmp_path) -> None:
    """Each element from the one before it: the order of a flat loop, which rows and columns would have as well, but
    not where the step is a row."""
    source = tmp_path / "f.cpp"
    source.write_text(
        HEAD + "void f(uint8_t* d, int w, int h) { for (int i = 1; i < w * h; i++) d[i] = d[i - 1] + d[i];"
        " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) d[y * w + x] ^= 1; }\n"
    )
    (function,) = lift_file(str(source), out=str(tmp_path), emit=(), run=False).functions
    assert function.status != "error", function.reason
