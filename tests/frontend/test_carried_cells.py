"""In which loops a variable that has a cell is new: not in those whose iterations may read what earlier ones gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import Function, parse_file
from lifter.ir.loop_ir import Loop
from lifter.ir.upward_exposed import carried_around
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


@pytest.mark.parametrize(
    ("body", "carried"),
    [
        ("do { s = k; k++; } while (k < n); o[r] = s; ", False),
        ("do { if (a[k]) continue; s = k; } while (k++ < n); o[r] = s; ", True),
        ("do { if (a[k]) break; s = k; k++; } while (k < n); o[r] = s; ", True),
        ("while (k < n) { s = k; k++; } o[r] = s; ", True),
        ("while (s < n) { s = k; k++; } ", True),
        ("s = 1; while (s < n) { if (a[k]) continue; s = k; } ", False),
        ("if (a[r]) continue; s = 3; o[r] = s; ", False),
    ],
)
def test_what_iterations_read_of_earlier_ones(tmp_path: Path, body: str, carried: bool) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(
        f"void f(int* o, const int* a, int n, int m) {{ int s, k = 0; for (int r = 0; r < m; r++) {{ {body}}} }}\n"
    )
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    outer = next(s for s in f.body if isinstance(s, Loop))
    assert carried_around(outer, "s") == carried


def test_a_condition_reads_what_an_iteration_left_that_was_cut_short(tmp_path: Path) -> None:
    source = tmp_path / "f.cpp"
    body = "while (s < 9) { if (a[k]) continue; s = 3; o[0] = s; }"
    source.write_text(f"void f(int* o, const int* a, int k, int s) {{ {body} }}\n")
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    assert carried_around(next(s for s in f.body if isinstance(s, Loop)), "s")
