"""Loops left by `break`: drop-ins beside the originals, and what has no closed form."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from lifter.api import lift_file
from tests.corpus.beside import libraries

pytestmark = pytest.mark.few(3)

CLOSED = {
    "before": "for (int i = 0;; i++) { if (i >= n) break; d[i] = 255 - s[i]; }",
    "last": "int i = 0; if (n <= 0) return; while (true) { d[i] = s[i] >> 1; if (++i == n) break; }",
    "bounded": "for (int i = 0; i < n; i++) { if (i == stop) break; d[i] = s[i] ^ 255; }",
    "between": "for (int i = 0; i < n; i++) { d[2 * i] = s[i]; if (i == n - 1) break; d[2 * i + 1] = s[i + 1]; }",
    "otherwise": "int i = 0; while (i < n) { if (i != stop) { d[i] = s[i] / 3; i++; } else break; }",
    "two": "for (int i = 0; i < n; i++) { if (i == stop) break; if (i > 20) break; d[i] = s[i]; }",
    "rows": "for (int y = 0; y < 4; y++) { if (y == stop) break; for (int x = 0; x < n; x++) d[y * 40 + x] = s[x]; }",
    "counted": "do { if (n <= 0) break; *d++ = *s++ / 2; } while (--n);",
}
OPEN = {
    "data": "for (int i = 0; i < n; i++) { if (s[i] == 0) break; d[i] = s[i]; }",
    "sum": "int t = 0; for (int i = 0; i < n; i++) { t += s[i]; if (t > 500) break; d[i] = s[i]; }",
    "skipped": "for (int i = 0; i < n; i++) { if (s[i] == 0) continue; if (i == stop) break; d[i] = s[i]; }",
}
HEAD = "#include <cstdint>\n"


def _text(bodies: dict[str, str]) -> str:
    head = "(uint8_t* d, const uint8_t* s, int n, int stop)"
    return HEAD + "\n".join(f"void {name}{head} {{ {body} }}" for name, body in bodies.items())


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return libraries(tmp_path_factory.mktemp("breaks"), _text(CLOSED))


@pytest.mark.parametrize("case", CLOSED)
def test_closed(pair, case: str) -> None:
    original, lifted, symbols = pair
    rng = np.random.default_rng(len(case))
    for n in (0, 1, 2, 5, 6, 17, 40):
        for stop in (-1, 0, 1, 3, n - 1, n, n + 1, 100):
            data, source = rng.integers(0, 256, 170, np.uint8), rng.integers(0, 256, 64, np.uint8)
            results = []
            for library in (original, lifted):
                out = data.copy()
                address, given = ctypes.c_void_p(out.ctypes.data), ctypes.c_void_p(source.ctypes.data)
                getattr(library, symbols[case])(address, given, n, stop)
                results.append(out)
            assert np.array_equal(*results), (n, stop)


def test_open(tmp_path) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(_text(OPEN))
    report = lift_file(str(source), out=str(tmp_path), run=False)
    assert {f.name: f.reason for f in report.functions} == dict.fromkeys(OPEN, "break out of a loop")
