"""Memory that is aligned by hand is an array; the bits of a float are an integer."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import FunctionError, parse_file
from synth.lift import lift_function

HEAD = "#include <cstdint>\n#include <cstdlib>\n#include <cstring>\n"
ROWS = "for (int x = 0; x < n; x++) r[x] = s[x] / 2; for (int x = 0; x < n; x++) d[x] = r[n - 1 - x];"


def status(tmp_path: Path, body: str, parameters: str = "const uint8_t* s, uint8_t* d, int n") -> str:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}int f({parameters}) {{ {body} return 0; }}\n")
    (f,) = parse_file(str(source)).functions
    return str(f.reason) if isinstance(f, FunctionError) else lift_function(f).status


@pytest.mark.parametrize(
    "body",
    [
        f"void* m = malloc(n + 63); uint8_t* r = (uint8_t*)(((intptr_t)m + 63) & ~63); {ROWS} free(m);",
        f"void* m = malloc(n + 15); uint8_t* r = (uint8_t*)(((uintptr_t)m + 15) & ~(uintptr_t)15); {ROWS} free(m);",
        f"void* m = malloc(2 * n + 64); uint16_t* r = (uint16_t*)(((intptr_t)m + 64) & -64); {ROWS} free(m);",
        "size_t size = n; void* m = size > SIZE_MAX - 63 ? NULL : malloc(size + 63); "
        f"uint8_t* r = (uint8_t*)(((intptr_t)m + 63) & ~63); if (!r) return 1; {ROWS} free(m);",
    ],
)
def test_aligned(tmp_path: Path, body: str) -> None:
    assert status(tmp_path, body) == "verified"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("uint8_t* m = (uint8_t*)malloc(n + 63); uint8_t* r = (uint8_t*)(((intptr_t)m + 63) & ~63); "
         f"{ROWS} d[0] = m[0];",
         "memory 'm' both as it is and aligned"),
        (f"void* m = malloc(n + 63); uint8_t* r = (uint8_t*)(((intptr_t)m + 15) & ~63); {ROWS}", "made from a number"),
        (f"void* m = malloc(n + 63); uint8_t* r = (uint8_t*)m; {ROWS} d[0] = (uintptr_t)r & 15;",
         "address of m as a number"),
    ],
)  # fmt: skip
def test_other_addresses(tmp_path: Path, body: str, reason: str) -> None:
    assert reason in status(tmp_path, body)


def test_bits_of_floats(tmp_path: Path) -> None:
    parameters = "const float* s, float* d, int n"
    root = "float x = s[i]; int k = *(int*)&x; k = 0x5f3759df - (k >> 1); d[i] = *(float*)&k;"
    assert status(tmp_path, f"for (int i = 0; i < n; i++) {{ {root} }}", parameters) == "verified"
    other = "for (int i = 0; i < n; i++) d[i] = ((const int*)s)[i];"
    assert status(tmp_path, other, parameters) == "verified"
