"""Calls at the edges: numbers that only just fit, nothing to compute, memory that ends.  What is verified must do there
what the original does, which runs, or leave the call to it."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codegen.original import compile_original
from lifter.api import lift_file
from lifter.harness.side_by_side import bind

pytestmark = pytest.mark.few(12)

HEAD = "#include <algorithm>\n#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n#include <emmintrin.h>\n"
LANES = (
    "static int at(__m128i v) { return _mm_cvtsi128_si32(v); }\n"
    "static int hs(__m128i v) { return at(v) + at(_mm_srli_si128(v, 4)) + at(_mm_srli_si128(v, 8))"
    " + at(_mm_srli_si128(v, 12)); }\n"
)
"""The sum of four lanes."""
PAGE = mmap.PAGESIZE
NUMBERS = bytes((k * 37 + k // 11) % 251 % 23 for k in range(2 * PAGE))
MOST, FAR = (1 << 31) - 1, (1 << 64) - 1


class End(int):
    """A pointer to so many bytes, behind which nothing is mapped."""


class Memory:
    """Two pages of numbers, and one that may not be touched."""

    def __init__(self) -> None:
        self.block = mmap.mmap(-1, 3 * PAGE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.block))
        self.fill()
        libc = ctypes.CDLL(None)
        if libc.mprotect(ctypes.c_void_p(self.address + 2 * PAGE), ctypes.c_size_t(PAGE), 0):
            raise OSError("mprotect")

    def fill(self) -> None:
        """What every call starts with."""
        self.block[: 2 * PAGE] = NUMBERS

    def pointer(self, at: int | None) -> int | None:
        if at is None:
            return None
        return self.address + (2 * PAGE - at if isinstance(at, End) else PAGE + at)


Arguments = tuple[int | None, ...]
SAME, OTHER = 17, 18
"""Exit statuses; a function that is called may end its process with others."""


def problems(original: Any, changed: Any, function: Any, calls: Sequence[Arguments]) -> list[str]:
    """What is wrong with calls, each of which is made in both ways; "the original does not run" where it does not."""
    if _outcome(original, changed, function, calls) == SAME:
        return []
    found = []
    for call in calls:
        if _outcome(original, original, function, [call]) != SAME:
            found.append(f"{call}: the original does not run")
        elif (status := _outcome(original, changed, function, [call])) != SAME:
            found.append(f"{call}: {'another result' if status == OTHER else f'status {status}'}")
    return found or ["a call differs after others"]


def _outcome(original: Any, changed: Any, function: Any, calls: Sequence[Arguments]) -> int:
    """The exit status of a process that makes calls in both ways: SAME, OTHER where they differ, or how it ended.  One
    process for all: each is a copy of this one, which costs more than the calls."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    memory = Memory()
    for arguments in calls:
        signal.setitimer(signal.ITIMER_VIRTUAL, 20)  # processor time, however busy the machine is
        values = [memory.pointer(a) if p.pointer else a for p, a in zip(function.params, arguments, strict=True)]
        results = []
        for f in (original, changed):
            memory.fill()
            results.append((f(*values), memory.block[: 2 * PAGE]))
        if results[0] != results[1]:
            os._exit(OTHER)
    os._exit(SAME)


CASES: list[tuple[str, str, list[Arguments], bool | None]] = [
    # (name, source, calls, whether it is verified: None where it may be refused)
    ("a number made smaller in a minimum",
     "void f(uint8_t* d, const uint8_t* s, unsigned n) { int m = std::min((int)n, 100);"
     " for (int i = 0; i < m; i++) d[i] = s[i] + 1; }",
     [(0, 1000, 2**32 - 5), (0, 1000, 50), (0, 1000, 2**31)], True),
    ("a number made smaller in a count",
     "void f(uint8_t* d, unsigned n) { for (int i = 0; i < (int)n / 2; i++) d[i] = d[i] + 1; }",
     [(0, 2**32 - 1000000), (0, 40)], True),
    ("a number made smaller in an index",
     "void f(uint8_t* d, const uint8_t* s, int n, unsigned u) {"
     " for (int i = 0; i < n; i++) d[i] = s[std::min((int)u, i)] + 1; }",
     [(10, 20, 8, 2**32 - 5), (0, 500, 8, 4)], None),
    ("sizes of 64 bits in a minimum",
     "void f(uint8_t* d, const uint8_t* s, size_t n) { size_t m = std::min<size_t>(n, 4);"
     " for (size_t i = 0; i < m; i++) d[i] = s[i] + 1; }",
     [(0, 100, FAR), (0, 100, 3)], True),
    ("the less of two sizes",
     "void f(uint8_t* d, size_t n, size_t m) { for (size_t i = 0; i < std::min(n, m); i++) d[i] += 1; }",
     [(0, FAR, 5), (0, 5, FAR), (0, 1 << 63, 3), (0, 7, 9)], True),
    ("a count that coordinates only just hold",
     "uint32_t f(uint32_t c, int n) { uint32_t a = 0; for (int i = 0; i < n; i++) a += (i * c) ^ (i >> 3); return a; }",
     [(7, MOST), (7, 1000)], True),
    ("a temporary that a sum of nothing does not need",
     "void f(uint32_t* out, const uint8_t* s, int n) { uint32_t* t = (uint32_t*)malloc(sizeof(uint32_t) * 4 * n);"
     " for (int x = 0; x < 4 * n; x++) t[x] = s[x] * s[x] * 3 + s[x];"
     " uint32_t a = 0; for (int x = 0; x < n; x++) a += t[x] * t[x + 1] * t[x + 3]; *out = a; free(t); }",
     [(0, None, 0), (0, 400, 9)], True),
    ("a result that reads under a condition",
     "int f(const uint8_t* s, int n) { int t = 0; for (int i = 0; i < n; i++) t += s[i];"
     " return n > 3 ? t + s[2] : t; }",
     [(None, 0), (End(2), 2), (0, 9)], None),
    ("a result that reads another array",
     "int f(uint8_t* d, const uint8_t* s, const uint8_t* m, int n) {"
     " for (int i = 0; i < n; i++) d[i] = s[i] + 1; return n > 2 ? m[2] : 0; }",
     [(0, 400, None, 2), (0, 400, 800, 9)], None),
    ("a result read before it is stored over",
     "int f(uint8_t* d, const uint8_t* s, int n, int k) { int t = s[k];"
     " for (int i = 0; i < n; i++) d[i] = s[i] + 1; return t; }",
     [(24, 0, 20, 25), (0, 0, 20, 5), (0, 400, 20, 5)], True),
    ("a count under a condition on its loop",
     "void f(int* h, const uint8_t* s, int n, int k) { for (int i = 0; i < n; i++) if (i < k) h[s[i]]++; }",
     [(0, None, 20, 0), (0, End(5), 20, 5), (0, 1000, 20, 30)], None),
    ("a sum under a condition on its loop",
     "void f(int* d, int n, int k) { for (int i = 0; i < n; i++) if (i < k) d[0] += i; }",
     [(None, 20, 0), (0, 20, 5)], None),
    ("a count of numbers that are small enough",
     "void f(int* h, const uint8_t* s, int n) { for (int i = 0; i < n; i++) if (s[i] < 10) h[s[i]]++; }",
     [(End(40), 0, 60), (0, 1000, 60)], None),
    ("a table of small numbers",
     "void f(uint8_t* d, const uint8_t* s, const uint8_t* lut, int n) {"
     " for (int i = 0; i < n; i++) d[i] = s[i] < 10 ? lut[s[i]] : 0; }",
     [(400, 0, End(10), 60), (400, 0, 1000, 60)], None),
    ("a table for all but one number",
     "void f(uint8_t* d, const uint8_t* s, const uint8_t* lut, int n) {"
     " for (int i = 0; i < n; i++) d[i] = s[i] ? lut[s[i]] : 7; }",
     [(400, 0, 1000, 60)], True),
    ("a sum read before it goes on",
     "int f(const uint8_t* s, int n) { int acc = 0; for (int i = 0; i < n; i++) acc += s[i]; int v = acc;"
     " for (int i = 0; i < n; i++) acc += s[i] * (v & 3); return acc; }",
     [(0, 38), (0, 39), (0, 41)], None),
    ("a sum read before it goes on, in a scan",
     "void f(const uint8_t* s, int* out, int n) { int acc = 0; for (int i = 0; i < n; i++) acc += s[i]; int v = acc;"
     " for (int i = 0; i < n; i++) { acc += s[i]; out[i] = v + acc; } }",
     [(400, 0, 30)], None),
    ("an element read before it goes on",
     "void f(const uint8_t* s, int* out, int w, int h) { for (int y = 0; y < h; y++) { out[y] = 0;"
     " for (int x = 0; x < w; x++) out[y] += s[y * w + x];"
     " if (out[y] > 150) for (int x = 0; x < w; x++) out[y] -= s[y * w + x] >> 1; } }",
     [(400, 0, 20, 9)], None),
    ("an element kept while it goes on",
     "void f(const uint8_t* s, int* out, int w, int h) { for (int y = 0; y < h; y++) { int k[1]; k[0] = out[y];"
     " for (int x = 0; x < w; x++) out[y] += s[y * w + x] * k[0]; } }",
     [(400, 0, 3, 3)], None),
    ("a sum seen halfway",
     "void f(const uint8_t* s, int* v, int n) { int acc = 0; for (int x = 0; x < n; x++) acc += s[x]; v[0] = acc;"
     " for (int x = 0; x < n; x++) acc += s[x]; v[1] = acc; }",
     [(400, 0, 30)], None),
    ("a histogram copied halfway",
     "void f(const uint8_t* s, int* o, int n) { int t[32] = {0}; for (int x = 0; x < n; x++) t[s[x] & 31]++;"
     " for (int c = 0; c < 32; c++) o[c] = t[c]; for (int x = 0; x < n; x++) t[s[x + n] & 31]++;"
     " for (int c = 0; c < 32; c++) o[32 + c] = t[c]; }",
     [(1000, 0, 50)], None),
    ("a sum of a row seen halfway",
     "void f(const uint8_t* s, uint32_t* o, int w, int h) { for (int y = 0; y < h; y++) { o[y] = 0;"
     " for (int x = 0; x < w; x++) o[y] += s[y * w + x]; uint32_t v = o[y];"
     " for (int x = 0; x < w; x++) o[y] += 3 * s[y * w + x]; o[y] = o[y] * 5 + v; } }",
     [(400, 0, 20, 9)], None),
    ("a start that is a quotient",
     "void f(int* d, int n, int m) { int i = n / 2; for (int k = 0; k < m; k++) { d[k] = i; i++; } }",
     [(0, -9, 5), (0, 9, 5)], True),
    ("a start that is a remainder",
     "void f(int* d, int n, int m) { int i = n % 5; for (int k = 0; k < m; k++) { d[k] = i; i++; } }",
     [(0, -9, 5), (0, 9, 5)], True),
    ("a first number that is a quotient",
     "void f(int* d, const uint8_t* s, int n, int m) { for (int k = n / 2; k < 5; k++) d[0] += 1; }",
     [(0, 400, -9, 5), (0, 400, 4, 5)], True),
    ("an odd number below zero",
     "void f(int* d, int n) { int i = n / 2 * 2; if (n & 1) i++; d[0] = i; }",
     [(0, -9), (0, 9), (0, -8)], None),
    ("a start that wraps",
     "void f(uint32_t* d, const uint8_t* s, int n, unsigned q) { long i = (long)(q - 5u);"
     " for (int k = 0; k < n; k++) { d[k] = s[k] + (i >> 20); i++; } }",
     [(0, 400, 9, 0), (0, 400, 9, 77)], None),
    ("a start that is a quotient of wide numbers",
     "void f(int* d, const uint8_t* s, int n, int m) { int i = (int)((long)n * n / 1000000);"
     " for (int k = 0; k < m; k++) { d[k] = s[k] + i; i++; } }",
     [(0, 400, 99990, 9), (0, 400, 9, 9)], None),
    ("a step that is a quotient of wide numbers",
     "void f(int* d, const uint8_t* s, int n, int m) { int step = (int)(((long)n << 18) / (m + 100000)), x = 0;"
     " for (int k = 0; k < m; k++) { d[k] = s[k] + x; x += step; } }",
     [(0, 400, 30000, 9), (0, 400, 9, 9)], None),
    ("a count of wide steps",
     "int f(int* d, const uint8_t* s, long n, int m) { int c = 0;"
     " for (long i = 0; i < n; i += 1000000000) { d[c] = 5; c++; } return c; }",
     [(0, 400, 4999990000, 9), (0, 400, 9, 9)], None),
    ("a start that is shifted without a sign",
     "void f(int* d, const uint8_t* s, unsigned n, int m) { int i = (int)(n >> 16);"
     " for (int k = 0; k < m; k++) { d[k] = s[k] + i; i++; } }",
     [(0, 400, 3294967296, 9), (0, 400, 9, 9)], None),
    ("an element written twice in one step",
     "void f(const uint8_t* s, uint8_t* d, int n) { int i;"
     " for (i = 0; i + 1 < n; i += 2) { d[i] = s[i]; d[i + 1] = 7; d[i + 1] = s[i + 1]; }"
     " for (; i < n; i++) d[i] = s[i]; }",
     [(0, 0, 24), (0, 400, 24)], None),
    ("a comparison that wraps",
     "uint32_t f(const uint8_t* s, uint32_t* d, unsigned n) { uint32_t u = 1;"
     " for (unsigned i = n - 2; i < n; i++) { u = u * 3 + s[0]; d[0] = u; } return u; }",
     [(400, 0, 0), (400, 0, 1), (400, 0, 7)], None),
    ("a cell that the data let be",
     "void f(const uint8_t* s, int* d, int n) { int acc = 3;"
     " for (int i = 0; i < n; i++) { if (s[i] > 12) acc = acc * 3 + s[i]; d[i] = acc; } }",
     [(1000, 0, 6), (1000, 0, 40)], True),
    ("a row kept where the data let it be",
     "void f(uint8_t* d, const uint8_t* s, int w, int h) { uint8_t c[64] = {}; if (w < 1 || w > 60) return;"
     " for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) if (s[y * w + x] > 12) c[x] = s[y * w + x];"
     " for (int x = 0; x < w; x++) d[y * w + x] = c[x]; } }",
     [(0, 1000, 14, 9)], None),
    ("a row kept in every other one",
     "void f(uint8_t* d, const uint8_t* s, int w, int h) { uint8_t c[64] = {}; if (w < 1 || w > 60) return;"
     " for (int y = 0; y < h; y++) { if (y % 2 == 0) for (int x = 0; x < w; x++) c[x] = s[y * w + x];"
     " for (int x = 0; x < w; x++) d[y * w + x] = c[x] + s[y * w + x]; } }",
     [(0, 1000, 20, 8)], None),
    ("lanes read while they are added to",
     LANES + "void f(int* d, const int* s, int n, int m) { __m128i acc = _mm_setzero_si128();"
     " for (int i = 0; i < n; i++) { acc = _mm_add_epi32(acc, _mm_loadu_si128((const __m128i*)(s + 4 * i)));"
     " for (int j = 0; j < m; j++) d[i * m + j] = hs(acc); } }",
     [(0, 1000, 9, 9)], None),
    ("lanes with and without a sign",
     LANES + "int f(const uint8_t* s, int n) { __m128i acc = _mm_setzero_si128(), z = acc;"
     " for (int i = 0; i < n; i++)"
     " acc = _mm_add_epi16(acc, _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(s + (8 * i & 1023))), z));"
     " __m128i lo = _mm_unpacklo_epi16(acc, z), hi = _mm_srai_epi32(_mm_unpackhi_epi16(acc, acc), 16);"
     " return hs(_mm_add_epi32(lo, hi)); }",
     [(0, 60), (0, 4000)], None),
    ("a size that is cut to a buffer's",
     "void f(uint8_t* d, int n) { uint8_t t[256]; if (n > 256) n = 256; if (n < 1) return;"
     " for (int i = 0; i < n; i++) t[i] = d[i]; for (int i = 0; i < n; i++) d[i] = t[n - 1 - i]; }",
     [(End(40), 40), (End(255), 255), (End(256), 300), (0, 1), (None, 0)], True),
    ("a parameter that is carried on",
     "void f(uint8_t* d, const uint8_t* s, int n, int e) {"
     " for (int i = 0; i < n; i++) { e = (e * 3 + s[i]) >> 2; d[i] = e; } }",
     [(0, 1000, 40, 7), (None, None, 0, 7)], True),
    ("an output that may be missing",
     "void f(uint8_t* d, uint8_t* m, const uint8_t* s, int n) {"
     " for (int i = 0; i < n; i++) { d[i] = s[i] + 1; if (m) m[i] = s[i] > 9; } }",
     [(0, 400, 1000, 40), (0, None, 1000, 40), (0, 400, 0, 40)], True),
    ("a parameter named as what an output held",
     "void f(uint8_t* d, uint8_t* d_in, int n) { for (int i = 0; i < n; i++) { d[i] += 3; d_in[i] += d[i]; } }",
     [(0, 400, 40), (0, 400, 0)], True),
    ("a state that goes on from row to row",
     "int f(int* d, const uint8_t* s, int w, int h) { int a = 5;"
     " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { a = a * 3 % 1000 + s[y * w + x]; d[y * w + x] = a; }"
     " return a; }",
     [(0, 2000, 9, 7), (None, None, 0, 7), (None, None, 7, 0), (None, None, -3, -4), (0, 2000, 1, 1)], None),
    ("sums of nothing, where there is no place for them",
     "void f(int* r, const uint8_t* s, int w, int h) {"
     " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) r[y] += s[y * w + x]; }",
     [(None, None, 0, 3), (None, None, 40, 0), (0, 1000, 40, 3)], True),
    ("a total of nothing, without a place for it",
     "void f(int* t, const uint8_t* s, int n) { for (int i = 0; i < n; i++) *t += s[i]; }",
     [(None, None, 0), (0, 1000, 200)], True),
    ("a total of words of nothing, without a place for it",
     "void f(int* t, const int* s, int n) { for (int i = 0; i < n; i++) *t += s[i]; }",
     [(None, None, 0), (0, 1000, 200)], True),
    ("running sums of nothing beside another output",
     "void f(int* a, int* b, const uint8_t* s, int n, int m) { int acc = 0;"
     " for (int i = 0; i < n; i++) { acc += s[i]; a[i] = acc; } for (int j = 0; j < m; j++) b[j] = j * 3; }",
     [(None, 400, 0, 0, 12), (None, 400, None, 0, 12), (End(4), 400, End(1), 1, 3), (0, 400, 1000, 20, 12)], True),
    ("rows of four that follow each other",
     "void f(uint8_t* d, const uint8_t* s, int n, int st) {"
     " for (int y = 0; y < n; y++) for (int x = 0; x < 4; x++) d[y * st + x] = s[y * st + x] + 1; }",
     [(0, 1000, 3, 4), (0, 1000, 3, 9), (0, 1000, 20, 4)], True),
    ("three rows that follow each other",
     "void f(uint8_t* d, const uint8_t* s, int w) {"
     " for (int y = 0; y < 3; y++) for (int x = 0; x < w; x++) d[y * w + x] = s[y * w + x] + 1; }",
     [(0, 1000, 7), (0, 1000, 1), (0, 1000, 100)], True),
    ("colours of pixels that follow each other",
     "void f(uint8_t* d, const uint8_t* s, int n, int st) {"
     " for (int x = 0; x < n; x++) for (int c = 0; c < 3; c++) d[x * st + c] = s[x * st + c] * 2; }",
     [(0, 1000, 9, 3), (0, 1000, 9, 4)], True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "calls", "verified"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_edges(tmp_path: Path, text: str, calls: list[Arguments], verified: bool | None) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(HEAD + text + "\n")
    (report,) = lift_file(str(source), functions=["f"], out=str(tmp_path), emit=("shared",), run=False).functions
    if report.lifted.status != "verified":
        assert not verified, report.lifted.reason
        return
    function = report.lifted.function
    original = bind(ctypes.CDLL(str(compile_original(source, (), tmp_path / "original.so"))), function)
    changed = bind(ctypes.CDLL(report.outputs["shared"]), function)
    assert not problems(original, changed, function, calls)


def test_what_differs_is_told() -> None:
    """Each call by itself, where not all are the same."""

    def adds(more: int) -> Any:
        return lambda address, n: ctypes.memset(address, n + more, 1) and n

    function = SimpleNamespace(params=[SimpleNamespace(pointer=True), SimpleNamespace(pointer=False)])
    calls: list[Arguments] = [(0, 3), (0, 4), (9, 5)]
    assert problems(adds(1), adds(1), function, calls) == []
    wrong = problems(adds(1), lambda address, n: adds(2 if n == 4 else 1)(address, n), function, calls)
    assert wrong == ["(0, 4): another result"]
    ends = problems(lambda address, n: os._exit(n - 4), adds(0), function, [(0, 4), (0, 7)])
    assert ends == ["(0, 4): the original does not run", "(0, 7): the original does not run"]
