"""Calls at the edges: numbers that only just fit, nothing to compute, memory that ends.  What is verified must do there
what the original does, which runs, or leave the call to it."""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from corpus.harness import bind, compile_original
from lifter.api import lift_file

HEAD = "#include <algorithm>\n#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n"
PAGE = mmap.PAGESIZE
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
        self.block[: 2 * PAGE] = bytes((k * 37 + k // 11) % 251 % 23 for k in range(2 * PAGE))

    def pointer(self, at: int | None) -> int | None:
        if at is None:
            return None
        return self.address + (2 * PAGE - at if isinstance(at, End) else PAGE + at)


def _outcome(original: Any, changed: Any, function: Any, arguments: tuple[int | None, ...]) -> int:
    """The exit status of a process that makes a call in both ways: 0 where they do the same, 2 where they differ."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(20)
    memory = Memory()
    values = [memory.pointer(a) if p.pointer else a for p, a in zip(function.params, arguments, strict=True)]
    results = []
    for f in (original, changed):
        memory.fill()
        results.append((f(*values), memory.block[: 2 * PAGE]))
        if f is original and changed is original:
            break
    os._exit(0 if results[0] == results[-1] else 2)


CASES: list[tuple[str, str, list[tuple[int | None, ...]], bool | None]] = [
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
]  # fmt: skip


@pytest.mark.parametrize(("text", "calls", "verified"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_edges(tmp_path: Path, text: str, calls: list[tuple[int | None, ...]], verified: bool | None) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(HEAD + text + "\n")
    (report,) = lift_file(str(source), out=str(tmp_path), emit=("shared",)).functions
    if report.lifted.status != "verified":
        assert not verified, report.lifted.reason
        return
    function = report.lifted.function
    original = bind(ctypes.CDLL(str(compile_original(source, tmp_path / "original.so"))), function)
    changed = bind(ctypes.CDLL(report.outputs["shared"]), function)
    for arguments in calls:
        assert _outcome(original, original, function, arguments) == 0, "the original does not run"
        assert _outcome(original, changed, function, arguments) == 0, arguments
