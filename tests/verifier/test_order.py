"""Several stores to one array in one loop: as definitions after one another only where they cannot meet."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from synth.lift import lift_function

HEAD = "#include <cstdint>\n"
APART = {
    "two sums": """void f(const uint8_t* a, int n, uint64_t* s) {
        s[0] = 0; s[1] = 0;
        for (int i = 0; i < n; i++) { s[0] += a[i]; s[1] += a[i] * a[i]; } }""",
    "banks of a histogram": """void f(const uint8_t* a, int n, uint32_t* h) {
        for (int j = 0; j < 512; j++) h[j] = 0;
        for (int i = 0; i + 1 < n; i += 2) { h[a[i]]++; h[256 + a[i + 1]]++; } }""",
    "two counts of an iteration": """void f(const uint8_t* a, const uint8_t* b, int n, uint32_t* h) {
        for (int j = 0; j < 256; j++) h[j] = 0;
        for (int i = 0; i < n; i++) { h[a[i]]++; h[b[i]] += 2; } }""",
    "pairs, and the last one of an odd number": """void f(const uint8_t* a, int w, int h, uint32_t* count) {
        for (int j = 0; j < 256; j++) count[j] = 0;
        for (int y = 0; y < h; y++, a += w) {
            int x = 0;
            for (; x < (w & ~1); x += 2) { count[a[x]]++; count[a[x + 1]]++; }
            for (; x < w; x++) count[a[x]]++;
        } }""",
}
MEETING = {
    "marks, the later wins": """void f(const uint8_t* a, const uint8_t* b, int n, uint8_t* m) {
        for (int j = 0; j < 256; j++) m[j] = 0;
        for (int i = 0; i < n; i++) { m[a[i]] = 1; m[b[i]] = 2; } }""",
    "banks that overlap": """void f(const uint8_t* a, int n, uint32_t* h) {
        for (int j = 0; j < 512; j++) h[j] = 0;
        for (int i = 0; i + 1 < n; i += 2) { h[a[i]]++; h[255 + a[i + 1]] = 7; } }""",
    "a mark and a count": """void f(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
        for (int j = 0; j < 256; j++) m[j] = 0;
        for (int i = 0; i < n; i++) { m[a[i]] += 1; m[b[i]] = 2; } }""",
    "a sum and a product": """void f(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
        for (int j = 0; j < 256; j++) m[j] = 1;
        for (int i = 0; i < n; i++) { m[a[i]] += 1; m[b[i]] *= 3; } }""",
    "a count of a count": """void f(const uint8_t* a, const uint8_t* b, int n, uint32_t* m) {
        for (int j = 0; j < 256; j++) m[j] = 0;
        for (int i = 0; i < n; i++) { m[a[i]] += 1; m[b[i]] += m[3]; } }""",
    "sums of floats": """void f(const uint8_t* a, const uint8_t* b, int n, float* m) {
        for (int j = 0; j < 256; j++) m[j] = 0;
        for (int i = 0; i < n; i++) { m[a[i]] += 0.1f; m[b[i]] += 1e8f; } }""",
    "a running total of a sum": """void f(const uint8_t* a, int n, uint32_t* s) {
        s[0] = 0; s[1] = 0;
        for (int i = 0; i < n; i++) { s[0] += a[i]; s[1] += s[0]; } }""",
    "a start that another loop has given": """void f(uint8_t* s, uint8_t* t, int n) {
        for (int x = 0; x < 16; x++) t[x] = 1;
        for (int x = 16; x < n; x++) { t[x] = 2; s[x] = t[x & 15]; } }""",
    "an element that another loop has given": """void f(uint8_t* s, uint8_t* t, int n) {
        for (int x = 0; x < 1; x++) t[x] = 1;
        for (int x = 1; x < n; x++) { t[x] = 2; s[x] = t[0]; } }""",
    "a mark and a clearing": """void f(const uint8_t* a, int n, uint8_t* m) {
        for (int i = 0; i < n; i++) { m[i] = 0; m[a[i]] = 5; } }""",
}


def lifted(tmp_path, text):
    source = tmp_path / "source.cpp"
    source.write_text(HEAD + text + "\n")
    (f,) = parse_file(str(source)).functions
    return lift_function(f)


@pytest.mark.parametrize("name", sorted(APART))
def test_stores_that_cannot_meet(name, tmp_path) -> None:
    found = lifted(tmp_path, APART[name])
    assert found.status == "verified", found.reason


@pytest.mark.parametrize("name", sorted(MEETING))
def test_stores_that_may_meet(name, tmp_path) -> None:
    assert lifted(tmp_path, MEETING[name]).status != "verified"
