"""Elements exchanged in place, and addresses that run against their rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from synth.lift import Lifted, lift_function

pytestmark = pytest.mark.few(3)

EXCHANGES = {
    "p_in(2 - x, y)": """void f(uint8_t* p, int n) {
        for (int i = 0; i < n; i++, p += 3) { uint8_t t = p[0]; p[0] = p[2]; p[2] = t; } }""",
    "p_in(3 - x, y)": """void f(uint16_t* p, int n) {
        for (int i = 0; i < n; i++) { uint16_t t = p[7 * i]; p[7 * i] = p[7 * i + 3]; p[7 * i + 3] = t;
            t = p[7 * i + 1]; p[7 * i + 1] = p[7 * i + 2]; p[7 * i + 2] = t; } }""",
    "p_in((n - x) - 1)": """void f(float* p, int n) {
        for (int i = 0; i < n / 2; i++) { float t = p[i]; p[i] = p[n - 1 - i]; p[n - 1 - i] = t; } }""",
    "p_in((n - x) - 1, y)": """void f(uint8_t* p, int n, int h, int stride) {
        for (int y = 0; y < h; y++, p += stride)
            for (uint8_t *a = p, *b = p + n - 1; a < b; a++, b--) { uint8_t t = *a; *a = *b; *b = t; } }""",
    "p_in(x, (h - y) - 1)": """void f(uint8_t* p, int n, int h) {
        for (int y = 0; y < h / 2; y++)
            for (int x = 0; x < n; x++) {
                uint8_t t = p[y * n + x]; p[y * n + x] = p[(h - 1 - y) * n + x]; p[(h - 1 - y) * n + x] = t; } }""",
}
OTHERWISE = {
    "each pair twice": """void f(uint8_t* p, int n) {
        for (int i = 0; i < n; i++) { uint8_t t = p[i]; p[i] = p[n - 1 - i]; p[n - 1 - i] = t; } }""",
    "two in the middle": """void f(uint8_t* p, int n) {
        for (int i = 0; i < n / 2 - 1; i++) { uint8_t t = p[i]; p[i] = p[n - 1 - i]; p[n - 1 - i] = t; } }""",
    "pixels that overlap": """void f(uint8_t* p, int n) {
        for (int i = 0; i < n; i++) { uint8_t t = p[i]; p[i] = p[i + 2]; p[i + 2] = t; } }""",
    "below the diagonal": """void f(uint8_t* p, int n) {
        for (int y = 0; y < n; y++)
            for (int x = 0; x < y; x++) {
                uint8_t t = p[y * n + x]; p[y * n + x] = p[x * n + y]; p[x * n + y] = t; } }""",
}


def lifted(tmp_path: Path, text: str) -> Lifted:
    source = tmp_path / "source.cpp"
    source.write_text("#include <cstdint>\n" + text + "\n")
    (f,) = parse_file(str(source)).functions
    return lift_function(f)


@pytest.mark.parametrize("value", EXCHANGES)
def test_what_stays_between_is_part_of_the_region(tmp_path: Path, value: str) -> None:
    found = lifted(tmp_path, EXCHANGES[value])
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert str(func.definitions[0].value) == value


@pytest.mark.parametrize("name", OTHERWISE)
def test_other_exchanges_are_not_taken_for_these(tmp_path: Path, name: str) -> None:
    assert lifted(tmp_path, OTHERWISE[name]).status == "not_found"


def test_a_row_is_read_against_its_direction(tmp_path: Path) -> None:
    found = lifted(
        tmp_path,
        """void f(uint8_t* d, const uint8_t* s, int w, int h) {
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) d[y * w + x] = s[(h - 1 - y) * w + w - 1 - x]; }""",
    )
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert str(func.definitions[0].value) == "s((w - x) - 1, (h - y) - 1)"
    assert [str(d.min) for d in found.summary.paths[0].inputs[0].layout.dims] == ["0", "0"]
