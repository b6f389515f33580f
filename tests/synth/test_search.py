"""What is found and what is not: loops in every shape, and what must not be called verified."""

from __future__ import annotations

import pytest

from corpus.cases import CASES, ROOT
from lifter.frontend import parse_file
from synth.expression.grammar import Grammar
from synth.lift import lift_function
from synth.options import Options

pytestmark = pytest.mark.few(6)

PRELUDE = "#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n#include <algorithm>\ntypedef uint8_t u8;\n"

VERIFIED = {
    "kept from one iteration to the next": "void f(u8* p, int n) { int a = 7; for (int i = 0; i < n; i++) "
    "{ int c = p[i]; p[i] = (c + a) / 2; a = c; } }",
    "local changed twice after continue": "void f(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) "
    "{ if (s[i] < 10) continue; int v = s[i] * 3; if (v > 200) { v = 200; } d[i] = v; } }",
    "flattened": "void f(u8* d, const u8* s, int w, int h) { for (int i = 0; i < w * h; i++) d[i] = s[i] ^ 1; }",
    "reversed": "void f(u8* d, const u8* s, unsigned n) { for (unsigned i = n; i > 0; i--) d[n - i] = s[i - 1]; }",
    "strided": "void f(u8* d, const u8* s, int n) { for (int i = 0; i < n; i += 2) d[i] = s[i]; }",
    "narrow counter": "void f(u8* d, u8 n) { for (u8 i = 0; i < n; i++) d[i] = i; }",
    "odd tail": "void f(u8* d, const u8* s, size_t n) { for (size_t i = 0; i < (n & ~(size_t)1); i += 2) "
    "{ d[i] = s[i] >> 1; d[i + 1] = s[i + 1] >> 1; } if (n & 1) d[n - 1] = s[n - 1] >> 1; }",
    "peeled": "void f(u8* d, const u8* s, int n) { d[0] = s[0]; for (int i = 1; i < n - 1; i++) "
    "d[i] = (s[i - 1] + 2 * s[i] + s[i + 1]) >> 2; d[n - 1] = s[n - 1]; }",
    "cleared first": "void f(u8* d, const u8* s, int w, int h, int p) { for (int y = 0; y < h; y++) "
    "for (int x = 0; x < w; x++) d[y * p + x] = 0; for (int y = 1; y < h - 1; y++) for (int x = 1; x < w - 1; x++) "
    "d[y * p + x] = s[y * p + x]; }",
    "prefix sum": "void f(int* p, int n) { for (int i = 1; i < n; i++) p[i] += p[i - 1]; }",
    "recursive filter": "void f(float* d, const float* s, float a, int n) { float p = 0; for (int i = 0; i < n; i++) "
    "{ p = p * a + s[i] * (1 - a); d[i] = p; } }",
    "row scan": "void f(int* d, const u8* s, int w, int h) { for (int y = 0; y < h; y++) { int acc = 0; "
    "for (int x = 0; x < w; x++) { acc += s[y * w + x]; d[y * w + x] = acc; } } }",
    "shifted in place": "void f(u8* p, int n) { for (int i = 0; i < n - 1; i++) p[i] = p[i + 1]; }",
    "swap": "void f(u8* a, u8* b, int n) { for (int i = 0; i < n; i++) { u8 t = a[i]; a[i] = b[i]; b[i] = t; } }",
    "data choose an offset": "void f(u8* d, const u8* t, int n) { int lo = 0, hi = 1; "
    "if (t[0] > 3) { lo = 1; hi = 2; } for (int i = 0; i < n; i++) d[i] = t[i + lo] + hi; }",
    "modes": "void f(u8* d, const u8* s, const u8* m, int n, int mode) { for (int i = 0; i < n; i++) { int v = s[i]; "
    "if (mode == 2 && m[i] > 3) v = 255 - v; else if (mode == 1) v = v * m[2 * i] >> 8; d[i] = v; } }",
    "table by signed byte": "void f(u8* d, const signed char* s, const u8* t, int n) "
    "{ for (int i = 0; i < n; i++) d[i] = t[(unsigned char)s[i]]; }",
    "declared after continue": "void f(float* p, int n) { for (int i = 0; i < n; i++, p += 2) { "
    "if (p[1] == 0) continue; float t = 1 / p[1]; p[0] *= t; } }",
    "channels after their sum": "void f(u8* p, int n) { for (int i = 0; i < n; i++) { "
    "int m = (p[3 * i] + p[3 * i + 1] + p[3 * i + 2]) / 3; "
    "for (int c = 0; c < 3; c++) p[3 * i + c] = (p[3 * i + c] + m) / 2; } }",
    "channels of two layouts": "void f(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) "
    "for (int c = 0; c < 3; c++) d[3 * i + c] = s[4 * i + c] ^ s[4 * i + 3]; }",
    "mask of bits": "void f(u8* d, const u8* s, const u8* m, int n) { for (int i = 0; i < n; i++) "
    "if (m[i >> 3] & (128 >> (i & 7))) d[i] = s[i]; }",
    "large tiles": "void f(u8* d, const u8* s, int w, int h) { for (int t = 0; t < h; t += 64) "
    "for (int u = 0; u < w; u += 64) for (int y = t; y < std::min(t + 64, h); y++) "
    "for (int x = u; x < std::min(u + 64, w); x++) "
    "d[y * w + x] = s[y * w + x] ^ 1; }",
    "odd tail where the data say so": "void f(u8* d, const u8* s, int w, int h, int p) { for (int y = 0; y < h; y++) { "
    "int x; for (x = 0; x < w - (w & 1); x += 2) { if (s[x] < d[x]) d[x] = s[x]; if (s[x + 1] < d[x + 1]) d[x + 1] = "
    "s[x + 1]; } if (w & 1) if (s[x] < d[x]) d[x] = s[x]; d += p; s += p; } }",
    "a row filled anew": "void f(u8* d, const u8* s, int w, int h) { int* row = (int*)calloc(w, 4); "
    "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) row[x] = s[y * w + x] * 3; for (int x = 0; x < w; x++) "
    "d[y * w + x] = row[w - 1 - x] >> 1; } }",
    "two-dimensional table": "void f(u8* d, const u8* a, const u8* b, const u8* t, int n) "
    "{ for (int i = 0; i < n; i++) d[i] = t[a[i] * 256 + b[i]]; }",
    "unsigned range trick": "void f(u8* d, const u8* s, int w, int lo) { for (int x = 0; x < w; x++) "
    "if ((unsigned)(x - lo) < 10u) d[x] = s[x]; }",
    "update guarded by the counter": "void f(int* p, int n) { for (int i = 0; i < n; i++) "
    "if (i < n - 1) p[i + 1] += p[i]; }",
    "read guarded by the counter": "void f(int* p, int n) { for (int i = 0; i < n; i++) p[i] = i > 0 ? p[i - 1] : 0; }",
    "running index over continue": "void f(u8* d, const u8* s, int w, int h) { int i = 0; for (int y = 0; y < h; y++) "
    "{ if (y & 1) continue; for (int x = 0; x < w; x++) d[i++] = s[x]; } }",
    "read for some counters": "void f(u8* d, const u8* s, const u8* m, int n) { for (int i = 0; i < n; i++) "
    "d[i] = (m[i] & (i & 8)) ? s[i] : 0; }",
}

NOT_VERIFIED = {
    "counter wraps": "void f(u8* d, int n) { for (u8 i = 0; i < n; i++) d[i] = i; }",
    "cast in the step": "void f(u8* d, int n) { int i = 0; for (int k = 0; k < n; k++) "
    "{ d[i] = 1; i = (u8)(i + 1); } }",
    "later write differs": "void f(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) "
    "{ d[i] = s[i]; if (s[i] > 9) d[i + 1] = s[i] >> 1; } }",
    "data-dependent store": "void f(u8* d, const u8* s, const int* p, int n) "
    "{ for (int i = 0; i < n; i++) d[p[i]] = s[i]; }",
    "read beyond what was computed": "void f(u8* d, const u8* s, int n) { int* t = new int[n]; "
    "for (int i = 0; i < n; i++) t[i] = s[i]; for (int i = 0; i < n; i++) d[i] = t[i + 1]; }",
    "kept over continue": "void f(u8* d, const u8* s, int n) { int t; for (int i = 0; i < n; d[i] = t, i++) "
    "{ if (s[i] == 0) continue; t = s[i]; } }",
    "state from what it has stored": "void f(u8* p, int n) { int sum = 0; for (int x = 2; x < n; x++) "
    "{ sum = (sum + p[x - 2]) & 255; p[x] = sum; } }",
    "state from what it stores next": "void f(u8* p, int n) { int sum = 3; for (int x = 0; x < n; x++) "
    "{ p[2 * x + 2] = sum; sum = (sum + p[2 * x]) & 255; } }",
    "a row filled from its second element": "void f(u8* d, const u8* s, int w, int h) { int* row = (int*)calloc(w, 4); "
    "for (int y = 0; y < h; y++) { for (int x = 1; x < w; x++) row[x] = s[y * w + x]; "
    "for (int x = 0; x < w; x++) d[y * w + x] = row[x]; } }",
    "carried from row to row": "void f(int* o, int* p, const int* a, int n, int m) { int s = 7; "
    "for (int r = 0; r < m; r++) { p[r] = s; s = 0; for (int k = 0; k < n; k++) { s += a[k]; o[r * n + k] = s; } } }",
    "begun in the first row only": "void f(int* o, const int* a, const int* w, int n, int m) { int s; "
    "for (int r = 0; r < m; r++) { if (r == 0) s = 0; for (int j = 0; j < 3; j++) s += w[j]; "
    "for (int k = 0; k < n; k++) { s += a[k]; o[r * n + k] = s; } } }",
    "uninitialised": "int f(const u8* s, int n) { int a; for (int i = 0; i < n; i++) a += s[i]; return a; }",
}


def lift(tmp_path, code, options=None):
    source = tmp_path / "f.cpp"
    source.write_text(PRELUDE + code + "\n")
    (function,) = parse_file(str(source)).functions
    return lift_function(function, options)


@pytest.mark.parametrize("case", VERIFIED)
def test_verified(case, tmp_path):
    lifted = lift(tmp_path, VERIFIED[case])
    assert lifted.status == "verified", lifted.reason


@pytest.mark.parametrize("case", NOT_VERIFIED)
def test_not_verified(case, tmp_path):
    lifted = lift(tmp_path, NOT_VERIFIED[case])
    assert lifted.status in ("not_found", "unsupported")
    assert lifted.reason
    assert lifted.line >= 5


@pytest.mark.parametrize("name", ["Blur1x3", "LerpLayers", "MaskedDarken", "Threshold", "AddClamp"])
def test_from_terminals_and_operators_alone(name):
    functions = parse_file(str(ROOT / CASES[name].file)).functions
    function = next(f for f in functions if f.name == name)
    lifted = lift_function(function, Options(suggestions=False))
    assert lifted.status == "verified", lifted.reason


def test_a_grammar_restricts_the_search(tmp_path):
    code = "void f(u8* d, const u8* s, int n) { for (int i = 0; i < n; i++) d[i] = s[i] > 9 ? 255 : 0; }"
    assert lift(tmp_path, code, Options(suggestions=False)).status == "verified"
    few = Options(suggestions=False, grammar=Grammar(frozenset({"+"})))
    assert lift(tmp_path, code, few).status == "not_found"


def test_cheapest_forms(tmp_path):
    """Narrow types, saturating operations, division in place of its bit trick."""
    add = lift(tmp_path, "void f(u8* d, const u8* a, const u8* b, int n) { for (int i = 0; i < n; i++) "
                         "{ int t = a[i] + b[i]; d[i] = t > 255 ? 255 : t; } }")
    assert "saturating_add" in str(add.summary.paths[0].funcs[0].definitions[0].value)
    lerp = lift(tmp_path, "void f(u8* d, const u8* a, const u8* b, const u8* m, int n) { for (int i = 0; i < n; i++) "
                          "d[i] = (a[i] * m[i] + b[i] * (255 - m[i])) / 255; }")
    assert "int32" not in str(lerp.summary.paths[0].funcs[0].definitions[0].value).replace("uint32", "")
