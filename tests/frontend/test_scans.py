"""Local arrays that a recurrence computes: only one whose elements are read after they are written starts filled."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, int n) { int t[300]; if (n > 200) return; t[0] = s[0];"
STEP = "t[k + 1] = t[k] + s[k];"


@pytest.mark.parametrize(
    ("body", "widened"),
    [
        (f"for (int k = 0; k < n; k++) {STEP} for (int k = 0; k < n; k++) d[k] = t[k + 1];", True),
        (f"for (int k = 0; k < n; k++) {{ {STEP} d[k] = t[k + 1]; }}", True),
        (f"for (int k = 0; k < n; k++) {{ {STEP} d[k] = t[k]; }}", True),
        (f"for (int k = 0; k < n; k++) {{ {STEP} d[k] = t[k + 2]; }}", False),
        (f"for (int k = 0; k < n; k++) {{ {STEP} d[k] = t[n - k]; }}", False),
        (f"for (int k = 0; k < n; k++) {{ {STEP} for (int j = 0; j < 3; j++) d[3 * k + j] = t[k + j]; }}", False),
        (f"for (int k = 0; k < n; k++) {{ d[k] = t[k + 1]; {STEP} }}", False),
    ],
)
def test_start_of_a_recurrence(tmp_path, body: str, widened: bool) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {body} }}")
    (function,) = parse_file(str(source)).functions
    path = next(p for p in execute(function) if p.effects)
    first = next(e for e in path.effects if e.array == "t")
    assert bool(first.loops) == widened
