"""A loop over the channels of a pixel is unrolled where other pixels of the array are written channel by channel."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, int n) "
OUT = "for (int i = 0; i < n; i++) { d[2 * i] = s[i]; d[2 * i + 1] = s[i + 1]; }"


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        (f"{OUT} for (int c = 0; c < 2; c++) d[2 * n + c] = s[n];", 4),
        (f"{OUT} for (int c = 0; c < 20; c++) d[2 * n + c] = s[n];", 3),  # a row
        ("for (int i = 0; i < n; i++) d[i] = s[i]; for (int c = 0; c < 2; c++) d[n + c] = s[n];", 2),
        ("for (int i = 0; i < n; i++) for (int c = 0; c < 2; c++) d[2 * i + c] = s[i + c];", 1),
    ],
)
def test_stores(tmp_path, body: str, stores: int) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {{ {body} }}\n")
    (function,) = parse_file(str(source)).functions
    (path,) = execute(function)
    assert len(path.effects) == stores
