"""Conditionals that only change how a nest runs are no forks; those that change what it does are."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.ir import effects
from lifter.ir.loop_ir import Function
from lifter.symexec import execute
from synth.lift import lift_function
from verifier.sign_queries import decided, follows

HEAD = "#include <climits>\n#include <cstddef>\n#include <cstdint>\n"
PARAMETERS = "const uint8_t* s, int ss, uint8_t* d, int ds, int w, int h, int m"
CHECKS = "if (w <= 0 || h <= 0) return; "
ROWS = "for (int y = 0; y < h; y++) { for (int x = 0; x < w; x++) d[x] = 255 - s[x]; s += ss; d += ds; }"
PAIRS = (
    "for (int y = 0; y < h; y++) { int x = 0; for (; x < w - 1; x += 2) { d[x] = s[x] / 3; d[x + 1] = s[x + 1] / 3; } "
    "if (w & 1) d[x] = s[x] / 3; s += ss; d += ds; }"
)
AS_ONE = "{ w *= h; h = 1; ss = ds = 0; } "
FLIP = "if (h < 0) { h = -h; s += (ptrdiff_t)(h - 1) * ss; ss = -ss; } "


def function(tmp_path: Path, body: str) -> Function:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}void f({PARAMETERS}) {{ {body} }}\n")
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, Function)
    return found


def paths(tmp_path: Path, body: str) -> list[effects.Path]:
    """The paths on which something is stored."""
    return [p for p in execute(function(tmp_path, body), decided, follows) if p.effects]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (CHECKS + "if (ss == w && ds == w) " + AS_ONE + ROWS, 1),
        (CHECKS + "if (ss == w && ds == w && (ptrdiff_t)w * h <= INT_MAX) " + AS_ONE + PAIRS, 1),
        (CHECKS + "if (ss * 2 == w * 2 && ds * 2 == w * 2) " + AS_ONE + ROWS, 1),
        ("if (w <= 0 || h == 0 || h == INT_MIN) return; " + FLIP + "if (ss == w && ds == w) " + AS_ONE + ROWS, 2),
        (CHECKS + "if (ss == w && ds == w) { for (int i = 0; i < w * h; i++) d[i] = 255 - s[i]; } else { "
         + ROWS + " }", 1),
        (CHECKS + "if (!(ss == w && ds == w)) { " + ROWS
         + " } else { for (int i = 0; i < w * h; i++) d[i] = 255 - s[i]; }", 1),
        # The destination's rows need not lie one behind the other.
        (CHECKS + "if (ss == w) " + AS_ONE + ROWS, 2),
        (CHECKS + "if (ss == w && ds == m) " + AS_ONE + ROWS, 2),
        (CHECKS + "if (ss == w && ds == w) { w *= h - 1; h = 1; ss = ds = 0; } " + ROWS, 2),
        (CHECKS + "if (ss == w && ds == w) { for (int i = 0; i < w * h; i++) d[i] = 254 - s[i]; } else { "
         + ROWS + " }", 2),
        (CHECKS + "if (ss == w && ds == w) { for (int i = w * h - 1; i >= 0; i--) d[i] = 255 - s[i]; } else { "
         + ROWS + " }", 2),
        # What is stored may depend on where the rows are.
        (CHECKS + "if (ss == w && ds == w) " + AS_ONE + "for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) "
         "d[y * ds + x] = s[y * ss + x] + x;", 2),
        (CHECKS + "if (ss == w && ds == w) " + AS_ONE + ROWS + " d[0] = w;", 2),
    ],
)  # fmt: skip
def test_paths(tmp_path: Path, body: str, count: int) -> None:
    assert len(paths(tmp_path, body)) == count


def test_the_condition_is_no_part_of_the_path(tmp_path: Path) -> None:
    (path,) = paths(tmp_path, CHECKS + "if (ss == w && ds == w) " + AS_ONE + ROWS)
    assert [str(c) for c in path.conditions] == ["w > 0", "h > 0"]


def test_what_only_one_arm_promises_is_not_promised(tmp_path: Path) -> None:
    (path,) = paths(tmp_path, CHECKS + "if (ss == w && ds == w) " + AS_ONE + ROWS)
    assert not [o for o in path.obligations if o.obligation.type is not None and o.obligation.type.is_int()]


def test_where_an_image_is_its_own_destination_the_original_does_the_nothing(tmp_path: Path) -> None:
    (path,) = paths(tmp_path, "if (s == d && ss == ds) return; " + ROWS)
    assert [line for _, line in path.asserts] == [0]
    lifted = lift_function(function(tmp_path, "if (s == d && ss == ds) return; " + ROWS))
    assert lifted.status == "verified" and lifted.summary is not None
    assert "!(addr.s == addr.d && ss == ds)" in [i.text for i in lifted.summary.paths[0].contract]


def test_loops_chosen_inside_a_loop(tmp_path: Path) -> None:
    body = (
        "for (int y = 0; y < h; y++) { int k = m; if (k == 0) { for (int x = 0; x < w; x++) d[x] = s[x]; } "
        "else { for (int x = 0; x < w; x++) d[x] = s[x] * k; } s += ss; d += ds; }"
    )
    assert len(paths(tmp_path, body)) == 2
    assert len(paths(tmp_path, CHECKS + "if (ss == w && ds == w) " + AS_ONE + body)) == 2
