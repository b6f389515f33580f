"""What is learned of allocated memory in one instance of a template holds in the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lifter.frontend import FunctionError, parse_file
from lifter.frontend.lowering import functions
from lifter.ir.loop_ir import Function

COMMON = """
#include <cstdint>
#include <cstdlib>

static void* Allocate(size_t size) {
    void* result = malloc(size);
    return result;
}
"""

INSTANCES = """
template <int step> void Smooth(const uint8_t* src, uint8_t* dst, size_t n) {
    uint16_t* sums = (uint16_t*)Allocate(2 * n);
    for (size_t i = 0; i < n; i++) sums[i] = src[i] * step;
    for (size_t i = 0; i < n; i++) dst[i] = sums[i] >> 3;
    free(sums);
}

void Choose(const uint8_t* src, uint8_t* dst, size_t n, int step) {
    switch (step) {
    case 1: Smooth<1>(src, dst, n); break;
    case 2: Smooth<2>(src, dst, n); break;
    case 3: Smooth<3>(src, dst, n); break;
    default: Smooth<4>(src, dst, n);
    }
}
"""

UNLIKE = """
void Both(const uint8_t* src, float* dst, size_t n) {
    uint16_t* a = (uint16_t*)Allocate(2 * n); float* b = (float*)Allocate(4 * n);
    for (size_t i = 0; i < n; i++) { a[i] = src[i] * 3; b[i] = src[i] * 0.5f; }
    for (size_t i = 0; i < n; i++) dst[i] = b[i] + a[i];
    free(a);
    free(b);
}
"""


def _read(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Function, int]:
    """The last function, and how often it was lowered."""
    count = 0
    lower = functions._lower

    def counted(*args: Any) -> Function:
        nonlocal count
        count += 1
        return lower(*args)

    monkeypatch.setattr(functions, "_lower", counted)
    source = folder / "source.cpp"
    source.write_text(COMMON + text)
    (f,) = parse_file(str(source), wanted=lambda _, internal: not internal).functions
    assert not isinstance(f, FunctionError), f.reason
    return f, count


def test_instances_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f, count = _read(tmp_path, INSTANCES, monkeypatch)
    assert {str(t) for n, t in f.arrays.items() if n.startswith("result")} == {"uint16"}
    assert sum(n.startswith("result") for n in f.arrays) == 4
    assert count == 2


def test_what_one_line_allocates_may_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f, _ = _read(tmp_path, UNLIKE, monkeypatch)
    assert {str(f.arrays["result"]), str(f.arrays["result_1"])} == {"uint16", "float32"}
