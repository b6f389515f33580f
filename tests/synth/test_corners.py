"""A last pixel of the last row that is another one than the last of the other rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from synth.lift import lift_function

pytestmark = pytest.mark.few(4)

ROWS = """#include <cstdint>
static void row(uint8_t* d, const uint8_t* s, int w, int last) {{
    for (int x = last; x < w; x++, d += 2, s++) {{ d[0] = s[0]; d[1] = s[1] + {in_rows}; }}
    if (last) {{ d[0] = s[0]; d[1] = {in_corner}; }}
}}
void f(uint8_t* d, const uint8_t* s, int w, int h, int from, int to) {{
    for (int y = 0; y < h - 1; y++) row(d + y * to, s + y * from, w, 0);
    row(d + (h - 1) * to, s + (h - 1) * from, w, 1);
}}
"""


@pytest.mark.parametrize(("in_rows", "in_corner"), [("0", "7"), ("s[0]", "s[0]"), ("1", "s[0] / 2")])
def test_a_corner_of_its_own_reads_nothing_behind_the_image(tmp_path: Path, in_rows: str, in_corner: str) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(ROWS.format(in_rows=in_rows, in_corner=in_corner))
    f = next(f for f in parse_file(str(source)).functions if f.name == "f")
    found = lift_function(f)
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    (definition,) = func.definitions
    assert "select(z == (h - 1), w - 1, w)" in str(definition.value)
