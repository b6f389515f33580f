"""Several stores to one array in one loop: as definitions after one another only where they cannot meet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lifter.frontend import parse_file
from synth.lift import lift_function
from verifier.decide import verify_path

pytestmark = pytest.mark.few(3)

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
    "a sum of each row, started where it is added up": """void f(const uint8_t* a, int w, int h, int* s) {
        for (int y = 0; y < h; y++) { s[y] = 0; for (int x = 0; x < w; x++) s[y] += a[y * w + x]; } }""",
    "a sum that is scaled where it was added up": """void f(const float* a, const float* k, int n, int r, float* s) {
        for (int i = 0; i < n; i++) { s[i] = 0; for (int j = 0; j < r; j++) s[i] += a[i + j] * k[j]; s[i] *= 2; } }""",
    "a sum that is read where it was added up": """void f(const uint8_t* a, int w, int h, int* s, int* d) {
        for (int y = 0; y < h; y++) {
            s[y] = 0;
            for (int x = 0; x < w; x++) s[y] += a[y * w + x];
            d[y] = s[y] / w;
        } }""",
    "a histogram of each row": """void f(const uint8_t* a, int w, int h, uint32_t* s) {
        for (int y = 0; y < h; y++) {
            for (int b = 0; b < 256; b++) s[y * 256 + b] = 0;
            for (int x = 0; x < w; x++) s[y * 256 + a[y * w + x]]++;
        } }""",
    "both directions of a row, from its first pixel": """void f(const float* a, int w, int h, float k, float* d) {
        for (int y = 0; y < h; y++) {
            d[y * w] = a[y * w];
            for (int x = 1; x < w; x++) d[y * w + x] = d[y * w + x - 1] * k + a[y * w + x];
            for (int x = w - 2; x >= 0; x--) d[y * w + x] += d[y * w + x + 1] * k;
        } }""",
    "a border column beside sums of the rows above": """void f(const uint8_t* a, int w, int h, uint32_t* s) {
        int p = w + 1;
        for (int x = 0; x <= w; x++) s[x] = 0;
        for (int y = 1; y <= h; y++) {
            uint32_t row = 0;
            s[y * p] = 0;
            for (int x = 1; x <= w; x++) { row += a[(y - 1) * w + x - 1]; s[y * p + x] = s[(y - 1) * p + x] + row; }
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
    "a sum started again and again": """void f(const int* a, int n, int t, int* s) {
        for (int r = 0; r < t; r++)
            for (int i = 0; i < n; i++) { s[i] = r; for (int k = 0; k < 3; k++) s[i] += a[i * 3 + k]; } }""",
    "a sum that takes in the row above": """void f(const uint8_t* a, int w, int h, int* s) {
        for (int y = 1; y < h; y++) { s[y] = 0; for (int x = 0; x < w; x++) s[y] += a[x] + s[y - 1]; } }""",
    "sums that overlap": """void f(const uint8_t* a, int w, int h, int* s) {
        for (int y = 0; y < h; y++) { s[y] = 0; for (int x = 0; x < 3; x++) s[y + x] += a[y * w + x]; } }""",
    "a sum that is read before all of it is there": """void f(const uint8_t* a, int w, int h, int* s, int* d) {
        for (int y = 0; y < h; y++) {
            s[y] = 0;
            for (int x = 0; x < w; x++) { s[y] += a[y * w + x]; d[y * w + x] = s[y]; }
        } }""",
    "sums of other rows": """void f(const uint8_t* a, int w, int h, int* s, int* d) {
        for (int y = 0; y < h; y++) {
            s[y] = 0;
            for (int x = 0; x < w; x++) s[y] += a[y * w + x];
            d[y] = s[h - 1 - y];
        } }""",
    "a border column that the row above reaches": """void f(const uint8_t* a, int w, int h, uint32_t* s) {
        int p = w + 1;
        for (int x = 0; x <= w; x++) s[x] = 0;
        for (int y = 1; y <= h; y++) {
            s[y * p] = 0;
            for (int x = 1; x <= w + 1; x++) s[y * p + x] = s[(y - 1) * p + x] + a[(y - 1) * w + x - 1];
        } }""",
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


def test_updates_are_in_turn(tmp_path) -> None:
    found = lifted(tmp_path, APART["a sum that is scaled where it was added up"])
    path = found.summary.paths[0]
    (s,) = path.funcs
    start, add, scale = s.definitions
    nothing = replace(add, maps=())
    for turn in ((start, scale, add), (start, add), (start, add, scale, scale), (start, add, scale, nothing)):
        wrong = replace(path, funcs=(replace(s, definitions=turn),))
        assert not verify_path(found.summary.function, found.paths[0], wrong, 2.0).proved


@pytest.mark.parametrize("name", sorted(MEETING))
def test_stores_that_may_meet(name, tmp_path) -> None:
    assert lifted(tmp_path, MEETING[name]).status != "verified"
