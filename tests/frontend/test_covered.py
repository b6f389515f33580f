"""Stores that the next iteration stores over are left out, where nothing reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter import effects
from lifter.frontend import parse_file
from lifter.loops import Function
from lifter.symexec import execute

LOOP = "int x = 0; for (; x < n - 1; x++) { d[2 * x] = s[x]; d[2 * x + 1] = s[x] / 2; d[2 * x + 2] = 9; } "


def path(tmp_path: Path, body: str) -> effects.Path:
    source = tmp_path / "f.cpp"
    source.write_text(f"#include <cstdint>\nvoid f(uint8_t* d, uint8_t* e, const uint8_t* s, int n) {{ {body} }}\n")
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, Function)
    (only,) = execute(found)
    return only


def test_left_out(tmp_path: Path) -> None:
    found = path(tmp_path, LOOP + "d[2 * x] = s[x]; d[2 * x + 1] = s[x] / 2;")
    assert [str(e.value) for e in found.effects if e.loops and str(e.value).startswith("(uint8)")] == []
    assert len(found.effects) == 4 and found.apart == {frozenset("ds")}


@pytest.mark.parametrize(
    "body",
    [
        LOOP,  # the last one is seen
        LOOP + "d[2 * x + 1] = s[x];",
        LOOP + "if (s[0]) d[2 * x] = s[x];",
        LOOP.replace("d[2 * x] = s[x];", "if (s[x]) d[2 * x] = s[x];") + "d[2 * x] = s[x];",
        LOOP.replace("2 * x + 2", "2 * x + 3") + "d[2 * x] = s[x];",
        LOOP + "e[0] = d[0]; d[2 * x] = s[x];",
        LOOP.replace("= 9", "= 9; e[x] = d[2 * x + 7]") + "d[2 * x] = s[x];",
    ],
)
def test_seen(tmp_path: Path, body: str) -> None:
    found = path(tmp_path, body)
    assert any(e.loops and str(e.value) == "(uint8)9" for e in found.effects)
