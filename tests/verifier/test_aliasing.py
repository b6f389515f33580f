"""Where the contract lets an input and the output be the same memory: only if nothing is read after a store there."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from synth.lift import lift_function

LOOP = "for (int x = 0; x < w; x++)"
MAY_BE_THE_SAME = {
    "one store": f"{LOOP} d[x] = a[x] + 1;",
    "an unrolled body": """int x = 0; for (; x + 1 < w; x += 2) { d[x] = a[x] + 1; d[x + 1] = a[x + 1] + 1; }
        if (x < w) d[x] = a[x] + 1;""",
}
MUST_BE_APART = {
    "a store that is overwritten": f"{LOOP} {{ d[x] = a[x] / 7; d[x] = a[x] + a[x]; }}",
    "a store under a condition read later": f"{LOOP} {{ d[x] = 7; if (a[x] > 4) d[x] = a[x]; }}",
    "an element read by the next store": f"""{LOOP} {{
        d[2 * x] = a[2 * x] + 1; d[2 * x + 1] = a[2 * x] ^ a[2 * x + 1]; }}""",
    "two loops": f"{LOOP} d[x] = a[x] + 1; {LOOP} d[x] = a[x] * 2;",
    "a neighbour": f"{LOOP} d[x] = a[x + 1];",
}


def contract(tmp_path: Path, body: str) -> list[str]:
    source = tmp_path / "source.cpp"
    source.write_text(f"#include <cstdint>\nvoid f(const uint8_t* a, uint8_t* d, int w) {{ {body} }}\n")
    (f,) = parse_file(str(source)).functions
    found = lift_function(f)  # type: ignore[arg-type]
    assert found.status == "verified" and found.summary is not None, found.reason
    return [i.text for p in found.summary.paths for i in p.contract if "overlap" in i.text]


@pytest.mark.parametrize("name", MAY_BE_THE_SAME)
def test_may_be_the_same(name: str, tmp_path: Path) -> None:
    assert contract(tmp_path, MAY_BE_THE_SAME[name]) == ["d and a do not overlap, or are the same"]


@pytest.mark.parametrize("name", MUST_BE_APART)
def test_must_be_apart(name: str, tmp_path: Path) -> None:
    assert contract(tmp_path, MUST_BE_APART[name]) == ["d and a do not overlap"]
