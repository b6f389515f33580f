"""Stores that reach beyond what they are for, written over in the next iteration of an outer loop and after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute
from synth.lift import lift_function
from verifier.sign_queries import decided, follows

# A block of rows becomes columns of three bytes; the fourth byte of each is the next block's.
COLUMNS = """#include <cstdint>
void f(uint8_t* d, const uint8_t* s, int w, int h, int stride, int above) {{
    for (int y = 0; y < h - 1; y++) {{
        for (int x = 0; x < w; x++) {{
            uint8_t* q = d + x * stride + 3 * y;
            for (int c = 0; c < 3; c++) q[c] = s[(y * w + x) * 3 + c];
            q[3] = {spoiled};
        }}
    }}
    for ({last}; x++)
        for (int c = 0; c < 3; c++) d[x * stride + 3 * (h - 1) + c] = s[((h - 1) * w + x) * 3 + c];
}}
"""


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
def test_columns_written_beside_each_other(tmp_path: Path, last: str, spoiled: str, covered: bool) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(COLUMNS.format(last=last, spoiled=spoiled))
    (f,) = parse_file(str(source)).functions
    (path,) = execute(f, decided, follows)
    line = 1 + COLUMNS.splitlines().index("            q[3] = {spoiled};")
    assert covered == all(e.line != line for e in path.effects)
    if covered:
        found = lift_function(f)
        assert found.status == "verified", found.reason
        (func,) = found.summary.paths[0].funcs
        assert len(func.definitions) == 1


# A word of four bytes at every third: the fourth one of the last pixel stays, behind the row, unless `tail` is there.
WORDS = """#include <cstdint>
#include <cstring>
void f(uint8_t* d, const uint8_t* s, int w, int h, int stride, bool last) {{
    for (int y = 0; y < h; y++) {{
        uint8_t* q = d + y * stride;
        const uint8_t* p = s + y * stride * 2;
        for (int x = {start}; x < w; x++, q += 3, p += 4) memcpy(q, p, 4);
        {tail}
    }}
}}
"""


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
def test_words_that_reach_into_the_next_pixel(tmp_path: Path, start: str, tail: str, behind: int | None) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(WORDS.format(start=start, tail=tail))
    (f,) = parse_file(str(source)).functions
    paths = execute(f, decided, follows)
    ((inner, *beside),) = [p.effects for p in paths if p.effects]
    length = inner.loops[-1].trip.constant_value()
    assert (length, len(beside)) == ((4, 1 if tail else 0) if behind is None else (3, behind))
    assert all(len(e.loops) == 1 for e in beside)


def test_the_last_word_by_bytes_is_one_region(tmp_path: Path) -> None:
    source = tmp_path / "f.cpp"
    source.write_text(WORDS.format(start="1", tail="q[0] = p[0]; q[1] = p[1]; q[2] = p[2];"))
    found = lift_function(parse_file(str(source)).functions[0])
    assert found.status == "verified", found.reason
    (func,) = found.summary.paths[0].funcs
    assert [len(func.definitions), len(func.layout.dims)] == [1, 3]


@pytest.mark.parametrize("bound", ["9u", "a + 9u"])
def test_a_guard_that_wraps_stays(tmp_path: Path, bound: str) -> None:
    """a - b is at most 9 over the integers, where a <= b, and seldom so in unsigned arithmetic."""
    source = tmp_path / "f.cpp"
    source.write_text(
        "#include <cstdint>\n#include <cstring>\n"
        "void f(uint8_t* d, const uint8_t* s, int n, unsigned a, unsigned b) {\n    if (a > b) return;\n"
        "    for (int i = 0; i < n; i++) memcpy(d + 3 * i, s + 4 * i, 4);\n"
        f"    if (a - b <= {bound}) d[3 * n] = 7;\n}}\n"
    )
    (f,) = parse_file(str(source)).functions
    last = [e for p in execute(f, decided, follows) for e in p.effects if e.line == 6]
    assert last
    assert all(e.guard is not None for e in last)


def test_a_guard_of_sizes_that_wraps_stays(tmp_path: Path) -> None:
    """a + b is more than 9 over the integers, where a is, and not where it wraps at 64 bits."""
    source = tmp_path / "f.cpp"
    source.write_text(
        "#include <cstddef>\n#include <cstdint>\n#include <cstring>\n"
        "void f(uint8_t* d, const uint8_t* s, int n, size_t a, size_t b) {\n    if (a < 10) return;\n"
        "    for (int i = 0; i < n; i++) memcpy(d + 3 * i, s + 4 * i, 4);\n"
        "    if (a + b > 9) d[3 * n] = 7;\n}\n"
    )
    (f,) = parse_file(str(source)).functions
    last = [e for p in execute(f, decided, follows) for e in p.effects if e.line == 7]
    assert last
    assert all(e.guard is not None for e in last)
