"""What cannot be lifted is reported with its line and construct, and stops no other function of the file."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.few(3)

SOURCE = """\
#include <cstdint>
#include <cstdio>
#include <iostream>
extern uint8_t external(uint8_t x);
int recursion(int n) { return n < 2 ? 1 : n * recursion(n - 1); }
int jump(int n) {
    int i = 0;
again:
    i++;
    if (i < n) goto again;
    return i;
}
void changing(volatile uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }
void printing(const uint8_t* p, int n) {
    for (int i = 0; i < n; i++)
        printf("%d", p[i]);
}
void streaming(const uint8_t* p, int n) { for (int i = 0; i < n; i++) std::cout << p[i]; }
unsigned assembly(unsigned n) { asm("bswap %0" : "+r"(n)); return n; }
int pointer(int (*f)(int), int n) { return f(n); }
void permute(uint8_t* dst, const uint8_t* src, const int* perm, int n) {
    for (int i = 0; i < n; i++)
        dst[perm[i]] = src[i];
}
void bodiless(uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = external(p[i]); }
void invert(uint8_t* p, int n) { for (int i = 0; i < n; i++) p[i] = 255 - p[i]; }
"""

EXPECTED = {
    "recursion": (5, "recursion (call to 'recursion')"),
    "jump": (10, "goto"),
    "changing": (13, "volatile"),
    "printing": (16, "input/output function 'printf'"),
    "streaming": (18, "input/output function 'operator<<'"),
    "assembly": (19, "inline assembly"),
    "pointer": (20, "function pointer"),
    "permute": (23, "perm"),
    "bodiless": (25, "external function 'external' has no body here; give the file that defines it, or a model"),
}

EXTERNAL = """\
#include <cstdint>
unsigned UDIV255(unsigned x);
int HashFunction(int row, int col);
void scale(uint8_t* dst, const uint8_t* src, int opacity, int n) {
    for (int i = 0; i < n; i++) dst[i] = UDIV255(src[i] * opacity);
}
void noise(uint8_t* dst, const uint8_t* table, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) dst[r * stride + c] = table[HashFunction(r, c)];
}
"""

MODELS = """\
unsigned UDIV255(unsigned x) { return x / 255; }
int HashFunction(int row, int col) { return ((unsigned)row * 31u + (unsigned)col * 17u) & 255; }
"""


@pytest.fixture
def reported(lift, source):
    """The report of the file of unsupported constructs: by name, and the whole run."""
    run = lift(source("legacy.cpp", SOURCE), "--json")
    assert run.status == 1
    return {f["name"]: f for f in json.loads(run.out)["functions"]}, run


def test_line_and_construct(reported):
    functions, run = reported
    assert set(functions) == {*EXPECTED, "invert"}
    for name, (line, construct) in EXPECTED.items():
        f = functions[name]
        assert f["status"] in ("unsupported", "not_found"), name
        assert f["line"] == line, name
        assert construct in f["reason"], name
        assert f"legacy.cpp:{line}:{f['column']}: {f['status']}: {name}: {f['reason']}" in run.err
        assert not f["outputs"]


def test_the_others_are_lifted(reported, tmp_path):
    functions, run = reported
    assert functions["invert"]["status"] == "verified"
    assert (tmp_path / functions["invert"]["outputs"]["dsl"]).exists()
    assert run.err.rstrip().endswith("1 verified")


def test_selected_function_alone_decides(lift, source):
    assert lift(source("legacy.cpp", SOURCE), "-f", "invert").status == 0


def test_inferred_contract_is_named(lift, source):
    text = """\
#include <cstdint>
void darken(uint8_t* p, int rows, int cols, int rowBytes) {
    for (int r = 0; r < rows; r++, p += rowBytes)
        for (int c = 0; c < cols; c++) p[c] = p[c] / 2;
}
"""
    run = lift(source("legacy.cpp", text))
    assert run.status == 0
    assert "    cols <= rowBytes  (not stated in the source)\n" in run.err


def test_models_of_external_functions(lift, source):
    file, models = source("legacy.cpp", EXTERNAL), source("models.cpp", MODELS)
    without = lift(file)
    assert without.status == 1
    assert "call to external function 'UDIV255' has no body here" in without.err
    assert "call to external function 'HashFunction' has no body here" in without.err
    run = lift(file, "--model", models)
    assert run.status == 0
    assert "dst(x) = uint8(UDIV255(uint32(int32(terms[0]) * terms[1])))" in run.err
    assert "terms = [table(HashFunction(y, x))]" in run.err
