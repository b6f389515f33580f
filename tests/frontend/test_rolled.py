"""Additions in a body of several and its remainder are one loop only where they are the same, in the same order."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute

HEAD = """#include <cstddef>
void f(float* s, size_t n, size_t m, float* d) { for (size_t j = 0; j < m; j++) { size_t i = 0; """
PAIR = "d[i + j] += s[i]; d[i + 1 + j] += s[i + 1];"
REST = "for (; i < n; i++) d[i + j] += s[i];"


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        (f"for (; i + 2 <= n; i += 2) {{ {PAIR} }} {REST}", 1),
        (f"for (; i + 2 <= n; i += 2) {{ {PAIR} }} for (; i < n; i++) d[i + j] += 2 * s[i];", 3),
        (f"for (; i + 2 <= n; i += 2) {{ d[i + 1 + j] += s[i + 1]; d[i + j] += s[i]; }} {REST}", 3),
        (f"for (; i + 2 <= n; i += 2) {{ {PAIR} s[i + 1] += 1; }} {REST}", 4),
        (f"for (; i + 2 <= n; i += 2) {{ {PAIR} }} i++; {REST}", 3),
        ("for (; i + 2 <= n; i += 2) { d[i] = s[i]; d[i + 1] = s[i + 1]; } for (; i < n; i++) d[i] = s[i];", 1),
    ],
)
def test_stores(tmp_path, body: str, stores: int) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {body} }} }}")
    (function,) = parse_file(str(source)).functions
    (path,) = execute(function)
    assert len(path.effects) == stores
