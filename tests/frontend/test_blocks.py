"""Sums that are flushed after each block of a row, as sums over the row; and what is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.api import lift_file
from lifter.frontend import Function, parse_file
from lifter.symexec import execute
from verifier.sign_queries import decided, follows

SUM = """#include <cstddef>
#include <cstdint>
uint64_t f(const uint8_t* a, size_t w) {{
    uint64_t sum = 0;
    for (size_t b = 0; b < {count}; b++) {{
        {part} part = {start};
        size_t end = {block} * b + {length} < w ? {block} * b + {length} : w;
        for (size_t c = {block} * b; c < end; c++) part = {old} + a[c];
        sum += part;
    }}
    return sum;
}}
"""
PLAIN = {"count": "(w + 255) / 256", "part": "uint16_t", "start": "0", "block": "256", "length": "256",
         "old": "part"}  # fmt: skip
CHANGES: dict[str, dict[str, str]] = {
    "plain": {},
    "a block too many": {"count": "w / 16 + 1"},
    "modulo": {"part": "uint64_t", "start": "0"},
    "a part that wraps": {"part": "uint8_t"},
    "a part that wraps in the last of many": {"part": "uint16_t", "block": "258", "length": "258",
                                              "count": "(w + 257) / 258"},
    "holes": {"length": "255"},
    "overlaps": {"length": "257"},
    "too few blocks": {"count": "w / 256"},
    "a start": {"start": "1"},
    "a part cut short": {"old": "(uint8_t)part"},
    "a part read as signed": {"old": "(int8_t)part"},
}  # fmt: skip
JOINED = {"plain", "a block too many", "modulo"}


def loops_of_sum(text: str, folder: Path) -> list[tuple[str, ...]]:
    source = folder / "f.cpp"
    source.write_text(text)
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    (path,) = execute(f, decided, follows)
    return [tuple(str(loop.trip) for loop in e.loops) for e in path.effects if e.array == "sum"]


@pytest.mark.parametrize("name", CHANGES)
def test_blocks_join_where_they_are_the_row(name: str, tmp_path: Path) -> None:
    found = loops_of_sum(SUM.format(**{**PLAIN, **CHANGES[name]}), tmp_path)
    assert (found[1:] == [("w",)]) == (name in JOINED)


def test_a_part_that_is_read_later_stays(tmp_path: Path) -> None:
    text = SUM.format(**PLAIN).replace("uint64_t sum = 0;", "uint64_t sum = 0, last = 0;")
    text = text.replace("sum += part;", "sum += part; last = part;").replace("return sum", "return sum + last")
    assert loops_of_sum(text, tmp_path)[1:] != [("w",)]


def test_the_summary_is_that_of_one_loop(tmp_path: Path) -> None:
    (tmp_path / "f.cpp").write_text(SUM.format(**{**PLAIN, "count": "w / 16 + 1"}))
    (tmp_path / "g.cpp").write_text(
        "#include <cstddef>\n#include <cstdint>\nuint64_t f(const uint8_t* a, size_t w) {\n"
        "    uint64_t sum = 0;\n    for (size_t c = 0; c < w; c++) sum += a[c];\n    return sum;\n}\n"
    )
    (f,), (g,) = (lift_file(str(tmp_path / n), out=str(tmp_path), run=False).functions for n in ("f.cpp", "g.cpp"))
    assert [f.status, g.status] == ["verified", "verified"]
    assert [(s.roi, s.terms, s.expression) for s in f.stages] == [(s.roi, s.terms, s.expression) for s in g.stages]
    assert f.contract == g.contract
