"""In which loops a variable that has a cell is new: not in those whose iterations may read what earlier ones gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import Function, parse_file
from lifter.symexec import execute
from verifier.sign_queries import decided, follows

HEAD = "void f(int* o, const int* a, int n, int m) { int s; for (int r = 0; r < m; r++) { "
SUM = "for (int k = 0; k < n; k++) { s += a[k]; o[r * n + k] = s; } "


@pytest.mark.parametrize(
    ("body", "depth"),
    [
        ("s = r; " + SUM, 1),
        ("if (r == 0) s = 0; " + SUM, 0),
        ("if (a[r]) s = 0; else s = 1; " + SUM, 1),
        ("if (a[r]) { s = 0; } else if (a[r] > 2) s = 1; " + SUM, 0),
        ("s = r; if (s > 4) { s = 2; } " + SUM, 1),
        ("if (a[r]) continue; s = 3; " + SUM, 1),
        ("if (a[r]) continue; if (r < 3) s = 3; " + SUM, 0),
        ("for (int c = 0; c < n; c++) s = c; " + SUM, 0),
        ("s = r; " + SUM + "} for (int r = 0; r < m; r++) { s = a[r]; " + SUM, 0),
        ("int c = 0; do { s = c; c++; } while (c < n); " + SUM, 1),
    ],
)
def test_loops_in_which_a_cell_is_new(tmp_path: Path, body: str, depth: int) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}{body}}} }}\n")
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    depths = {len(a.loops) for p in execute(f, decided, follows) for a in p.arrays.values() if a.name == "s"}
    assert depths == {depth}
