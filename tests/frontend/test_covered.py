"""Stores that reach beyond what they are for, written over in the next iteration of an outer loop and after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute
from synth.lift import decided, follows, lift_function

# A block of rows becomes columns of three bytes; the fourth byte of each is the next block's.
COLUMNS = """#include <cstdint>
void f(uint8_t* d, const uint8_t* s, int w, int h, int stride, int above) {{
    for (int y = 0; y < h - 1; y++) {{
        for (int x = 0; x < w; x++) {{
            uint8_t* q = d + x * stride + 3 * y;
            for (int c = 0; c < 3; c++) q[c] = s[(y * w + x) * 3 + c];
            q[3] = {spoiled};
        }}
    }}
    for ({last}; x++)
        for (int c = 0; c < 3; c++) d[x * stride + 3 * (h - 1) + c] = s[((h - 1) * w + x) * 3 + c];
}}
"""


@pytest.mark.parametrize(
    ("last", "spoiled", "covered"),
    [
        ("int x = 0; x < w", "7", True),
        ("int x = 0; x < w", "s[0]", True),
        ("int x = 1; x < w", "7", False),
        ("int x = 0; x < w - 1", "7", False),
        ("int x = 0; x < above", "7", False),
        ("int x = 0; x < w", "d[x]", False),
    ],
)
def test_columns_written_beside_each_other(tmp_path: Path, last: str, spoiled: str, covered: bool) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(COLUMNS.format(last=last, spoiled=spoiled))
    (f,) = parse_file(str(source)).functions
    (path,) = execute(f, decided, follows)
    line = 1 + COLUMNS.splitlines().index("            q[3] = {spoiled};")
    assert covered == all(e.line != line for e in path.effects)
    if covered:
        found = lift_function(f)
        assert found.status == "verified", found.reason
        (func,) = found.summary.paths[0].funcs
        assert len(func.definitions) == 1
