"""Local arrays that carry values from one iteration of a loop to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from synth.lift import Lifted, lift_function

pytestmark = pytest.mark.few(6)

HEAD = "void f(uint8_t* d, const uint8_t* s, int w, int h) {\n"
FILL = "for (int x = 0; x < w; x++) { a[x] = s[x]; b[x] = s[w + x]; }\n"
KEPT = {
    "a ring of three rows": (
        "int* ring = new int[3 * w]; for (int y = 0; y < h; y++) { int* row = ring + y % 3 * w;"
        "for (int x = 0; x < w; x++) row[x] = s[y * w + x] * 3;"
        "if (y >= 2) for (int x = 0; x < w; x++)"
        "  d[y * w + x] = (uint8_t)(row[x] - ring[(y - 2) % 3 * w + x]); } delete[] ring; }",
        {"ring": "int32(uint16(s(x, y)) * (uint16)3)", "d": "uint8(ring(x, y) - ring(x, y - 2))"},
    ),
    "rows of a fixed length, masked": (
        "int rows[2][640]; for (int x = 0; x < w; x++) rows[1][x] = 5 + s[x];"
        "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) rows[y & 1][x] = 5 + s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(rows[y & 1][x] * rows[(y + 1) & 1][x]); } }",
        {"rows": "int32((uint16)5 + uint16(s(x, max(y - 1, 0))))", "d": "uint8(rows(x, y + 1) * rows(x, y))"},
    ),
    "pointers that change places": (
        "int* m = new int[3 * w]; int *a = m, *b = a + w, *c = b + w;" + FILL
        + "for (int y = 2; y < h; y++) { for (int x = 0; x < w; x++) c[x] = s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x] + 2 * c[x]);"
        "int* t = a; a = b; b = c; c = t; } delete[] m; }",
        {"m": "int32(s(x, y))", "d": "uint8((m(x, y - 2) - m(x, y - 1)) + (2 * m(x, y)))"},
    ),
    "two pointers swapped": (
        "int* m = new int[2 * w]; int *a = m + w, *b = m; for (int x = 0; x < w; x++) a[x] = s[x] / 3;"
        "for (int y = 1; y < h; y++) { for (int x = 0; x < w; x++) { b[x] = s[y * w + x] / 3;"
        "d[y * w + x] = (uint8_t)(a[x] + b[x]); } std::swap(a, b); } delete[] m; }",
        {"m": "int32(uint16(s(x, y)) / (uint16)3)", "d": "uint8(m(x, y - 1) + m(x, y))"},
    ),
    "a row read before it is stored to": (
        "int* a = new int[w](); for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) {"
        "d[y * w + x] = (uint8_t)(a[x] / 2); a[x] = s[y * w + x]; } } delete[] a; }",
        {"a": "int32(select(y == 0, (uint8)0, s(x, max(y - 1, 0))))", "d": "uint8(div_round_to_zero(a(x, y), 2))"},
    ),
    "two parts of one buffer": (
        "int* a = new int[2 * w]; int* b = a + w;" + FILL
        + "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {"
        "d[y * w + x] = (uint8_t)(a[x] ^ b[x]); a[x] = b[x]; b[x] = s[y * w + x] | 1; } delete[] a; }",
        {"d": "uint8(a(x, y) ^ a_1(x, y))"},
    ),
    "sums of columns": (
        "int* a = new int[w]; for (int x = 0; x < w; x++) a[x] = s[x] + s[w + x];"
        "for (int y = 0; y + 2 < h; y++) { for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] / 2);"
        "for (int x = 0; x < w; x++) a[x] += s[(y + 2) * w + x] - s[y * w + x]; } delete[] a; }",
        {"d": "uint8(div_round_to_zero(a(x, y), 2))"},
    ),
    "rows enter and leave under conditions": (
        "int* a = new int[w](); for (int y = 0; y < h; y++) {"
        "if (y + 1 < h) for (int x = 0; x < w; x++) a[x] += s[(y + 1) * w + x];"
        "if (y > 1) for (int x = 0; x < w; x++) a[x] -= s[(y - 2) * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[x]; } delete[] a; }",
        {"d": "uint8(a(x, y + 1))"},
    ),
    "columns that stay as they were filled": (
        "int* ring = new int[2 * (w + 1)](); for (int y = 0; y < h; y++) {"
        "for (int x = 0; x < w; x++) ring[y % 2 * (w + 1) + x + 1] = s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(ring[y % 2 * (w + 1) + x] / 2); } delete[] ring; }",
        {"d": "uint8(div_round_to_zero(ring(x, y), 2))"},
    ),
    "arrays whose pointers change places": (
        "int* a = new int[w]; int* b = new int[w]; int* c = new int[w];" + FILL
        + "for (int y = 2; y < h; y++) { for (int x = 0; x < w; x++) c[x] = s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x] + 2 * c[x]);"
        "int* t = a; a = b; b = c; c = t; } delete[] a; delete[] b; delete[] c; }",
        {"a": "int32(s(x, y))", "d": "uint8((a(x, y - 2) - a(x, y - 1)) + (2 * a(x, y)))"},
    ),
    "a row number that goes round": (
        "int rows[3][100]; int now = 0; for (int x = 0; x < w; x++) rows[2][x] = 5;"
        "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) rows[now][x] = s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(rows[now][x] - rows[(now + 2) % 3][x]);"
        "if (++now == 3) now = 0; } }",
        {"d": "uint8(rows(x, y + 1) - rows(x, y))"},
    ),
    "a row number that is turned over": (
        "int* m = new int[2 * w]; unsigned i = 1; for (int x = 0; x < w; x++) m[x] = s[x];"
        "for (int y = 0; y < h; y++, i ^= 1) { for (int x = 0; x < w; x++) m[i * w + x] = s[y * w + x];"
        "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(m[i * w + x] - m[(i ^ 1) * w + x]); } delete[] m; }",
        {"m": "int32(s(x, max(y - 1, 0)))", "d": "uint8(m(x, y + 1) - m(x, y))"},
    ),
    "the first row a copy": (
        "int* m = new int[2 * w]; int *a = m, *b = m + w; for (int x = 0; x < w; x++) a[x] = s[x] + 1;"
        "memcpy(b, a, w * sizeof(int));"
        "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x]);"
        "for (int x = 0; x < w; x++) a[x] = s[y * w + x] + 1; std::swap(a, b); } delete[] m; }",
        {"d": "uint8(m(x, y) - m(x, y + 1))"},
    ),
}
OTHERWISE = {
    "a row older than the ring": "int* ring = new int[2 * w]; for (int y = 0; y < h; y++) {"
    "for (int x = 0; x < w; x++) ring[y % 2 * w + x] = s[y * w + x];"
    "if (y >= 1) for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)ring[(y + 3) % 4 * w + x]; } delete[] ring; }",
    "columns that are stored to in some rows only": "int* a = new int[w](); for (int y = 0; y < h; y++) {"
    "for (int x = y; x < w; x++) a[x] = s[y * w + x];"
    "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[w - 1 - x]; } delete[] a; }",
    "rows that change places now and then": "int* m = new int[2 * w](); int *a = m, *b = m + w;"
    "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) a[x] += s[y * w + x];"
    "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)(a[x] - b[x]); if (s[y]) std::swap(a, b); } delete[] m; }",
    "a row that nothing has filled": "int* a = new int[w]; for (int y = 0; y < h; y++) {"
    "for (int x = 0; x < w; x++) d[y * w + x] = (uint8_t)a[x];"
    "for (int x = 0; x < w; x++) a[x] = s[y * w + x]; } delete[] a; }",
}


def lifted(tmp_path: Path, body: str) -> Lifted:
    source = tmp_path / "source.cpp"
    source.write_text("#include <cstdint>\n#include <cstring>\n#include <utility>\n" + HEAD + body + "\n")
    (f,) = parse_file(str(source)).functions
    return lift_function(f)


@pytest.mark.parametrize("name", KEPT)
def test_rows_of_iterations_are_rows_of_a_func(tmp_path: Path, name: str) -> None:
    body, expected = KEPT[name]
    found = lifted(tmp_path, body)
    assert found.status == "verified", found.reason
    values = {f.name: str(f.definitions[0].value) for f in found.summary.paths[0].funcs}
    assert {n: values[n] for n in expected} == expected


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_not_known_to_be_the_same_is_not_found(tmp_path: Path, name: str) -> None:
    assert lifted(tmp_path, OTHERWISE[name]).status in ("not_found", "unsupported")


def test_arrays_of_two_sizes_do_not_change_places(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(
        "#include <utility>\nvoid f(int* d, int w) { int* a = new int[w]; int* b = new int[w + 1]; a[0] = 1;"
        "for (int y = 0; y < w; y++) { b[0] = y; d[y] = a[0] + b[0]; std::swap(a, b); } delete[] a; delete[] b; }\n"
    )
    (problem,) = parse_file(str(source)).functions
    assert "arrays of different sizes" in str(problem)


def test_a_column_that_the_loop_leaves_out_keeps_what_it_had(tmp_path: Path) -> None:
    """Its neighbour reads it in the iteration that stores to all others."""
    found = lifted(
        tmp_path,
        "int* a = new int[w]; for (int x = 0; x < w; x++) a[x] = s[x]; for (int y = 0; y < h; y++)"
        "for (int x = 1; x < w; x++) { a[x] = a[x] * 2 + s[y * w + x]; d[y * w + x] = (uint8_t)(a[x] - a[x - 1]); }"
        "delete[] a; }",
    )
    assert found.status == "not_found"
