"""Sums that are flushed after each block of a row, as sums over the row; and what is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.api import lift_file
from lifter.symexec import execute
from tests.c_files import function_of
from verifier.sign_queries import decided, follows

SOURCE = Path(__file__).with_name("blocks.cpp")
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


def defined(**changes: str) -> list[str]:
    """The names of the source as arguments for the compiler."""
    return [f"-D{name.upper()}={text}" for name, text in {**PLAIN, **changes}.items()]


def loops_of_sum(name: str, **changes: str) -> list[tuple[str, ...]]:
    (path,) = execute(function_of(SOURCE, name, *defined(**changes)), decided, follows)
    return [tuple(str(loop.trip) for loop in e.loops) for e in path.effects if e.array == "sum"]


@pytest.mark.parametrize("name", CHANGES)
def test_blocks_join_where_they_are_the_row(name: str) -> None:
    found = loops_of_sum("in_blocks", **CHANGES[name])
    assert (found[1:] == [("w",)]) == (name in JOINED)


def test_a_part_that_is_read_later_stays() -> None:
    assert loops_of_sum("with_the_last_part")[1:] != [("w",)]


def test_the_summary_is_that_of_one_loop(tmp_path: Path) -> None:
    args = defined(count="w / 16 + 1")
    names = ("in_blocks", "at_once")
    f, g = lift_file(str(SOURCE), functions=names, clang_args=args, out=str(tmp_path), run=False).functions
    assert [f.status, g.status] == ["verified", "verified"]
    assert [(s.roi, s.terms, s.expression) for s in f.stages] == [(s.roi, s.terms, s.expression) for s in g.stages]
    assert f.contract == g.contract
