"""Stores that reach beyond what they are for, written over in the next iteration of an outer loop and after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.ir.effects import Effect
from lifter.ir.loop_ir import Function
from lifter.symexec import execute
from synth.lift import lift_function
from tests.c_files import function_of
from verifier.sign_queries import decided, follows

SOURCE = Path(__file__).with_name("covered.cpp")


def stored_by(f: Function, text: str) -> list[Effect]:
    """The stores of the only line with this text."""
    (line,) = (n for n, t in enumerate(SOURCE.read_text().splitlines(), 1) if text in t)
    return [e for p in execute(f, decided, follows) for e in p.effects if e.line == line]


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
def test_columns_written_beside_each_other(last: str, spoiled: str, covered: bool) -> None:
    f = function_of(SOURCE, "columns", f"-DLAST={last}", f"-DSPOILED={spoiled}")
    assert covered == (not stored_by(f, "q[3] = SPOILED"))
    if covered:
        found = lift_function(f)
        assert found.status == "verified", found.reason
        (func,) = found.summary.paths[0].funcs
        assert len(func.definitions) == 1


@pytest.mark.parametrize(
    ("start", "tail", "behind"),
    [
        ("0", "", 1),
        ("0", "if (w > 0) q[0] = 1;", 1),
        ("1", "q[1] = p[1];", 2),
        ("0", "q[0] = q[1];", None),
        ("0", "if (w > 0) d[y * stride] = 9;", 2),
    ],
)
def test_words_that_reach_into_the_next_pixel(start: str, tail: str, behind: int | None) -> None:
    f = function_of(SOURCE, "words", f"-DSTART={start}", f"-DTAIL={tail}")
    paths = execute(f, decided, follows)
    ((inner, *beside),) = [p.effects for p in paths if p.effects]
    length = inner.loops[-1].trip.constant_value()
    assert (length, len(beside)) == ((4, 1 if tail else 0) if behind is None else (3, behind))
    assert all(len(e.loops) == 1 for e in beside)


def test_the_last_word_by_bytes_is_one_region() -> None:
    tail = "q[0] = p[0]; q[1] = p[1]; q[2] = p[2];"
    found = lift_function(function_of(SOURCE, "words", "-DSTART=1", f"-DTAIL={tail}"))
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert [len(func.definitions), len(func.layout.dims)] == [1, 3]


@pytest.mark.parametrize("bound", ["9u", "a + 9u"])
def test_a_guard_that_wraps_stays(bound: str) -> None:
    last = stored_by(function_of(SOURCE, "difference_that_wraps", f"-DBOUND={bound}"), "if (a - b <= BOUND)")
    assert last and all(e.guard is not None for e in last)


def test_a_guard_of_sizes_that_wraps_stays() -> None:
    last = stored_by(function_of(SOURCE, "sum_of_sizes_that_wraps"), "if (a + b > 9)")
    assert last and all(e.guard is not None for e in last)
