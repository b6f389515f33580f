"""Drop-ins of what depends on order: outputs that lie where others still read, states carried in place, positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.original import compile_original
from lifter.api import FunctionReport, lift_file
from lifter.harness.compare import compare

pytestmark = pytest.mark.few(20)

PRELUDE = "#include <cmath>\n#include <cstdint>\n#include <cstdlib>\ntypedef uint8_t u8;\n"
KERNELS = {
    "exchange": "void f(u8* a, u8* b, int n) { for (int i = 0; i < n; i++) { u8 t = a[i]; a[i] = b[i]; b[i] = t; } }",
    "rotation": "void f(u8* a, u8* b, u8* c, int n) { for (int i = 0; i < n; i++) "
    "{ u8 t = a[i]; a[i] = b[i]; b[i] = c[i]; c[i] = t; } }",
    "in place beside a reader": "void f(u8* a, u8* b, int w, int h, int p) { for (int y = 0; y < h; y++) "
    "for (int x = 0; x < w; x++) { u8 t = a[y * p + x]; a[y * p + x] = t + 1; b[y * p + x] += t; } }",
    "one after the other": "void f(u8* a, u8* b, int n) { for (int i = 1; i < n; i++) b[i] = b[i] + a[i - 1]; "
    "for (int i = 1; i < n; i++) a[i] = 2 * a[i - 1] ^ b[i]; }",
    "each from the next one": "void f(u8* a, u8* b, u8* c, int n) { for (int i = 0; i < n; i++) "
    "{ c[i] ^= b[i + 1]; b[i] += a[i + 1]; a[i] = 3 * a[i]; } }",
    "a step of speed": "void f(float* w, float* v, const float* g, int n, float k) { for (int i = 0; i < n; i++) "
    "{ v[i] = k * v[i] - g[i]; w[i] += v[i]; } }",
    "a butterfly read by another": "void f(u8* a, u8* b, u8* c, int n) { for (int i = 0; i < n; i++) "
    "{ u8 s = a[i] + b[i], d = a[i] - b[i]; c[i] += a[i + 2]; a[i] = s; b[i] = d; } }",
    "of two widths": "void f(uint16_t* a, u8* b, int w, int h, int p) { for (int y = 0; y < h; y++) "
    "for (int x = 0; x < w; x++) { int k = y * p + x; uint16_t t = a[k]; a[k] = t + b[k]; b[k] = t >> 8; } }",
    "of two pitches": "void f(u8* a, u8* b, int w, int h, int p, int q) { for (int y = 0; y < h; y++) "
    "for (int x = 0; x < w; x++) { u8 t = a[y * p + x]; a[y * p + x] = b[y * q + x]; b[y * q + x] = t; } }",
    "turned": "void f(u8* a, u8* b, int n) { for (int i = 0; i < n; i++) { u8 t = a[i]; a[i] = b[n - 1 - i]; "
    "b[n - 1 - i] = t; } }",
    "pixels exchanged": "void f(u8* a, u8* b, int n) { for (int i = 0; i < n; i++) for (int c = 0; c < 3; c++) "
    "{ u8 t = a[3 * i + c]; a[3 * i + c] = b[3 * i + c] ^ 1; b[3 * i + c] = t; } }",
    "both ends exchanged": "void f(u8* a, int n) { for (int i = 0; i < n / 2; i++) "
    "{ u8 t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; } }",
    "rows upside down": "void f(uint16_t* a, int w, int h, int p) { for (int y = 0; y < h / 2; y++) "
    "for (int x = 0; x < w; x++) { uint16_t t = a[y * p + x]; a[y * p + x] = a[(h - 1 - y) * p + x]; "
    "a[(h - 1 - y) * p + x] = t; } }",
    "turned half way": "void f(float* a, int w, int h) { for (int i = 0; i < w * h / 2; i++) "
    "{ float t = a[i]; a[i] = a[w * h - 1 - i]; a[w * h - 1 - i] = t; } }",
    "returned": "int f(u8* a, int n) { if (n <= 0) return 0; int t = a[0]; "
    "for (int i = 0; i < n; i++) a[i] = a[i] + 1; return t; }",
    "three planes": "void f(u8* r, u8* g, u8* b, int n) { for (int i = 0; i < n; i++) "
    "{ int m = (r[i] + g[i] + b[i]) / 3; r[i] = r[i] + m; g[i] = g[i] + m; b[i] = b[i] + m; } }",
}
SCANS = {
    "window": "void f(u8* d, const u8* s, int n, int radius) { int size = 2 * radius + 1, sum = 0; "
    "for (int k = 0; k < size; k++) sum += s[k]; for (int x = radius; x < n - radius - 1; x++) "
    "{ d[x] = sum / size; sum += s[x + radius + 1] - s[x - radius]; } }",
    "stored before it is updated": "void f(u8* d, const u8* s, int n) { int sum = 0; for (int x = 0; x < n; x++) "
    "{ d[x + 3] = sum; sum += s[x + 3] - s[x]; } }",
    "two states in place": "void f(u8* p, int n) { int a = 0, b = 9; for (int i = 0; i < n; i++) "
    "{ a = (a * 3 + p[2 * i]) >> 2; b = (b + p[2 * i + 1]) >> 1; p[2 * i] = a; p[2 * i + 1] = b; } }",
    "read ahead in place": "void f(u8* p, int n) { int sum = 0; for (int x = 0; x < n; x++) "
    "{ sum = (sum + p[x + 2]) & 255; p[x] = sum; } }",
    "from the end in place": "void f(u8* p, int n) { int sum = 3; for (int x = n - 1; x >= 0; x--) "
    "{ sum = (sum + p[x]) & 255; p[x] = sum; } }",
    "rows in place": "void f(u8* p, int w, int h, int stride) { for (int y = 0; y < h; y++) { int state = 0; "
    "for (int x = 0; x < w; x++) { state = (state * 3 + p[y * stride + x]) >> 2; p[y * stride + x] = state; } } }",
    "columns in place": "void f(uint32_t* p, int w, int h) { for (int y = 1; y < h; y++) for (int x = 0; x < w; x++) "
    "p[y * w + x] += p[(y - 1) * w + x]; }",
    "carried and returned": "int f(const u8* s, u8* d, int n, int m) { int a = 1; for (int i = 0; i < m; i++) "
    "a = a * 3 + s[i]; for (int i = 0; i < n; i++) { d[i] = a; a = a * 5 + s[i]; } return a; }",
}
POSITIONS = {
    "sums of rows counted by size_t": "void f(const u8* s, size_t stride, size_t w, size_t h, uint64_t* sum) { "
    "*sum = 0; for (size_t y = 0; y < h; y++) { int row = 0; for (size_t x = 0; x < w; x++) row += s[x] * s[x]; "
    "*sum += row; s += stride; } }",
    "unsigned position": "void f(u8* d, const u8* s, int n, unsigned step) { unsigned at = step >> 1; "
    "for (int i = 0; i < n; i++) { d[i] = s[at >> 16]; at += step; } }",
    "row pointer up to its end": "void f(u8* d, const u8* s, int w, int h, int p) { "
    "for (const u8* e = s + h * p; s != e; s += p, d += p) for (int x = 0; x < w; x++) d[x] = s[x] ^ 1; }",
    "table by a difference": "void f(u8* d, const u8* a, const u8* t, int n) { for (int i = 1; i < n; i++) "
    "d[i] = t[abs(a[i] - a[i - 1])]; }",
}
ALL = KERNELS | SCANS | POSITIONS
MATHEMATICS = {
    "rounded": "void f(float* d, const float* s, int n) { for (int i = 0; i < n; i++) "
    "d[i] = std::round(8.0f * s[i]) + std::rint(4.0f * s[i]) + floorf(s[i]); }",
    "root": "void f(double* d, const double* s, int n) { for (int i = 0; i < n; i++) d[i] = std::sqrt(s[i]); }",
    "nearest": "void f(u8* d, const float* s, int n) { for (int i = 0; i < n; i++) "
    "d[i] = lroundf(s[i] * 5.0f + 3.0f); }",
}


NUMBERS = {kernel: f"f{k}" for k, kernel in enumerate(ALL | MATHEMATICS)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where the file of all functions is, and the original."""
    folder = tmp_path_factory.mktemp("order")
    texts = [text.replace(" f(", f" {NUMBERS[kernel]}(", 1) for kernel, text in (ALL | MATHEMATICS).items()]
    (folder / "f.cpp").write_text(PRELUDE + "\n".join(texts) + "\n")
    compile_original(folder / "f.cpp", (), folder / "original.so")
    return folder


@pytest.fixture(scope="module")
def reports(folder, request) -> dict[str, FunctionReport]:
    """Of those functions that the tests to be run are about."""
    own = [i for i in request.session.items if getattr(i, "originalname", "") == "test_same_as_the_original"]
    names = [NUMBERS[i.callspec.params["kernel"]] for i in own]
    found = lift_file(str(folder / "f.cpp"), functions=names, out=str(folder), emit=("shared",), run=False)
    assert len(found.functions) == len(names)
    return {f.name: f for f in found.functions}


@pytest.mark.parametrize("kernel", NUMBERS)
def test_same_as_the_original(kernel, folder, reports):
    function = reports[NUMBERS[kernel]]
    assert function.status == "verified", function.reason
    done = compare(function.lifted.summary, folder / "original.so", folder / "libf_lifted.so")
    assert not done.problems
    assert done.met > 30
