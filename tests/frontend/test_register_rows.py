"""Lanes of registers become loops, where the lanes compute the same and none reads what another one has stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute
from synth.lift import lift_function
from synth.options import Options

pytestmark = pytest.mark.few(4)

HEAD = f'#include "{Path(__file__).with_name("register_rows.h")}"\n'


def function(tmp_path, text: str):
    source = tmp_path / "f.cpp"
    source.write_text(HEAD + text + "\n")
    return next(f for f in parse_file(str(source), ("-msse4.2",)).functions if f.name == "f")


@pytest.mark.parametrize(
    ("statement", "trips"),
    [
        ("store(d + x, _mm_adds_epu8(load(s + x), load(s + x + 1)));", [16]),
        ("store(d + x, _mm_insert_epi8(load(s + x), 7, 0));", [15]),
        ("store(d + x, _mm_unpacklo_epi8(load(s + x), _mm_setzero_si128()));", [8, 8]),
        ("store(d + x, load(d + x + 1));", []),
        ("store(d + x, _mm_adds_epu8(load(d + x), load(s + x)));", [16]),
        ("if (d[x] > 9) store(d + x, load(s + x));", []),
        ("store(d + x, _mm_shuffle_epi8(load(s + x), _mm_setr_epi8(9, 1, 4, 0, 3, 8, 2, 2, 7, 6, 11, 5, 1, 1, 0, 3)));",
         []),
    ],
)  # fmt: skip
def test_loops(tmp_path, statement: str, trips: list[int]) -> None:
    head = "void f(uint8_t* d, const uint8_t* s, size_t n) "
    f = function(tmp_path, f"{head} {{ for (size_t x = 0; x < n; x += 16) {{ {statement} }} }}")
    (path,) = execute(f)
    found = [e.loops[-1].trip.constant_value() for e in path.effects if len(e.loops) > 1]
    assert found == trips
    assert sum(trips) + len(path.effects) - len(trips) == 16


def definitions_in_turn(found) -> bool:
    """Whether a Func is verified as several definitions, each of which goes on from what those before have stored."""
    if found.status != "verified":
        return False
    return any(len(f.definitions) > 1 for path in found.summary.paths for f in path.funcs)


ROWS = """void f(uint8_t* d, const uint8_t* s, size_t width, size_t height, size_t stride) {{
    size_t whole = width & ~size_t(15);
    R mask = shifted(_mm_set1_epi8(1), 16 - width + whole);
    for (size_t y = 0; y < height; y++, d += stride, s += stride) {{
        for (size_t x = 0; x < whole; x += 16) {{ {body} }}
        if (whole != width) {{ {tail} }}
    }}
}}"""
END = "size_t x = width - 16; "


@pytest.mark.parametrize(
    ("body", "tail", "status"),
    [
        # Tails that overlap: where the source is not changed; under a mask that leaves out what has been changed.
        ("store(d + x, _mm_subs_epu8(load(s + x), _mm_set1_epi8(1)));",
         "store(d + x, _mm_subs_epu8(load(s + x), _mm_set1_epi8(1)));", "verified"),
        ("store(d + x, _mm_subs_epu8(load(d + x), _mm_set1_epi8(1)));",
         "store(d + x, _mm_subs_epu8(load(d + x), mask));", "verified"),
        ("store(d + x, _mm_subs_epu8(load(d + x), _mm_set1_epi8(1)));",
         "store(d + x, _mm_subs_epu8(load(d + x), _mm_set1_epi8(1)));", "in turn"),
        ("store(d + x, _mm_subs_epu8(load(s + x), _mm_set1_epi8(1)));",
         "store(d + x, _mm_subs_epu8(load(s + x), _mm_set1_epi8(2)));", "in turn"),
    ],
)  # fmt: skip
def test_tails(tmp_path, body: str, tail: str, status: str) -> None:
    found = lift_function(function(tmp_path, ROWS.format(body=body, tail=END + tail)))
    assert (found.status == "verified") == (status != "not_found"), found.reason
    assert (status == "in turn") == definitions_in_turn(found)
    if status == "verified":
        (path,) = found.summary.paths
        # A mask may leave out what lies before the row, too.
        sizes = {i.text for i in path.contract if "16" in i.text}
        assert sizes == {"width >= 16"} or ("mask" in tail and not sizes)


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ("d[0] = 0; d[width - 1] = 0;", "verified"),  # written over in each row
        ("if (y & 1) d[0] = 0;", "not_found"),  # in every other one
        ("d[0] = d[1];", "in turn"),  # read meanwhile
    ],
)
def test_borders_written_over(tmp_path, last: str, status: str) -> None:
    statement = "store(d + x, _mm_avg_epu8(load(s + x), load(s + x + 1)));"
    found = lift_function(function(tmp_path, ROWS.format(body=statement, tail=END + statement).replace(
        "    }\n}", f"    {last} }}\n}}")))
    assert (found.status == "verified") == (status != "not_found"), found.reason
    assert (status == "in turn") == definitions_in_turn(found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("statement", "once"),
    [
        ("store(d + x, _mm_max_epu8(load(d + x), load(s + x)));", True),  # what is done twice changes nothing
        ("store(d + x, _mm_avg_epu8(load(d + x), load(s + x)));", False),
        ("store(d + x, _mm_max_epu8(load(d + x), load(d + x + 1)));", False),
    ],
)
def test_tails_in_place(tmp_path, statement: str, once: bool) -> None:
    found = lift_function(function(tmp_path, ROWS.format(body=statement, tail=END + statement)), Options(timeout=10))
    assert found.status == "verified" or not once, found.reason
    assert definitions_in_turn(found) or found.status != "verified" or once


def test_what_a_mask_keeps_is_what_was_read(tmp_path) -> None:
    """Under the mask the last register of a row brings back pixels as they were before the row was copied."""
    copy = "store(d + x, load(s + x));"
    tail = "store(d + x, _mm_blendv_epi8(old, load(s + x), mask));"
    text = ROWS.format(body=copy, tail=END + tail).replace("epi8(1)", "epi8(-1)")
    late = text.replace("if (whole", "R old = load(d + width - 16); if (whole")
    early = text.replace("for (size_t x", "R old = load(d + width - 16); for (size_t x")
    assert lift_function(function(tmp_path, late), Options(timeout=20)).status == "verified"
    assert lift_function(function(tmp_path, early), Options(timeout=20)).status != "verified"


@pytest.mark.parametrize(("behind", "verified"), [(0, True), (16, False)])
def test_outputs_that_read_each_other(tmp_path, behind: int, verified: bool) -> None:
    """Two planes that exchange their pixels, the last ones of each row under a mask; and one that runs behind."""
    body = f"R a = load(s + x), b = load(d + x - {behind}); store(s + x, b); store(d + x, a);"
    tail = "R a = load(s + x), b = load(d + x);"
    tail += "store(s + x, _mm_blendv_epi8(a, b, mask)); store(d + x, _mm_blendv_epi8(b, a, mask));"
    text = ROWS.format(body=body, tail=END + tail).replace("const ", "").replace("epi8(1)", "epi8(-1)")
    found = lift_function(function(tmp_path, text), Options(timeout=20))
    assert (found.status == "verified") == verified, found.reason
