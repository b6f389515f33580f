"""Elements of local arrays: one that was given once is its value; no other is."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.ir.effects import loads
from lifter.ir.names import array_of
from lifter.symexec import execute

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, int n, int a) { int t[4]; "


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("t[0] = a; t[1] = 2 * a; for (int i = 0; i < n; i++) d[i] = t[1];", True),
        ("t[1] = a; for (int i = 0; i < n; i++) { t[0] = i; for (int j = 0; j < 9; j++) d[9 * i + j] = t[0]; }", True),
        ("t[1] = a; for (int i = 0; i < n; i++) { d[i] = t[1]; t[1] = i; }", False),
        ("t[1] = a; for (int i = 0; i < n; i++) { if (s[i]) t[1] = 7; d[i] = t[1]; }", False),
        ("t[1] = a; for (int i = 0; i < n; i++) { d[i] = t[1]; t[i & 3] = 5; }", False),
        ("t[1] = a; for (int i = 0; i < n; i++) t[1] = i; for (int i = 0; i < n; i++) d[i] = t[1];", False),
        ("t[1] = s[0] | s[1] << 8; for (int i = 0; i < n; i++) d[i] = t[1];", True),
        ("t[1] = d[0]; for (int i = 0; i < n; i++) d[i] = t[1];", False),  # which the loop changes
        ("for (int i = 0; i < n; i++) { t[1] = s[i]; for (int j = 0; j < 9; j++) d[9 * i + j] = t[1]; t[1]++; }", True),
    ],
)
def test_elements(tmp_path, body: str, known: bool) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {body} }}")
    (function,) = parse_file(str(source)).functions
    for path in execute(function):
        for e in (e for e in path.effects if e.array == "d"):
            read = any(array_of(n) == "t" for n in loads(e.value))
            assert read != known, str(e.value)
