"""Sums in the lanes of registers become sums over rows, where every lane is summed and none wraps."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import parse_file
from lifter.ir import effects
from lifter.ir.loop_ir import Function
from lifter.symexec import execute
from verifier.sign_queries import decided, follows

HEAD = f'#include "{Path(__file__).with_name("lane_sums.h")}"\n'


def path(tmp_path: Path, body: str) -> effects.Path:
    parameters = "uint64_t* out, const uint8_t* a, const uint8_t* b, size_t n, size_t h"
    text = f"void f({parameters}) {{ R z = _mm_setzero_si128(); {body} }}"
    source = tmp_path / "f.cpp"
    source.write_text(HEAD + text + "\n")
    found = next(f for f in parse_file(str(source), ["-msse4.1"]).functions if f.name == "f")
    assert isinstance(found, Function)
    (only,) = execute(found, decided, follows)
    return only


def sums(found: effects.Path) -> list[list[str]]:
    """How often each loop around an addition runs."""
    return [[str(loop.trip) for loop in e.loops] for e in found.effects if e.loops]


START = "R s = z; size_t m = n & ~size_t(15); R last = upper(_mm_set1_epi8(-1), 16 - n + m); "
BODY = "for (size_t x = 0; x < m; x += 16) s = _mm_add_epi64(s, sad(load(a + x), load(b + x))); "
END = (
    "if (m != n) s = _mm_add_epi64(s, "
    "sad(_mm_and_si128(last, load(a + n - 16)), _mm_and_si128(last, load(b + n - 16)))); "
)


@pytest.mark.parametrize(
    "body",
    [
        START + BODY + END + "*out = of(s);",
        START + BODY + END.replace("m != n", "n - m") + "*out = of(s);",
        START + BODY + END.replace("m != n", "n / 16 * 16 != n") + "*out = of(s);",
        "assert(n < 65536); R s = z; size_t x = 0; for (; x + 8 <= n; x += 8) s = _mm_add_epi32(s, madd(load(a + x))); "
        "*out = of(wide(s));",
    ],
)
def test_one_sum_over_a_row(tmp_path: Path, body: str) -> None:
    assert sums(path(tmp_path, body)) in ([["n"]], [["n/8*8"]])


def test_rows(tmp_path: Path) -> None:
    row = BODY.replace("_mm_add_epi64(s, sad(load(a + x), load(b + x)))", "_mm_add_epi32(s, madd(load(a + x)))")
    body = (
        "assert(n < 65536); size_t m = n & ~size_t(7); R t = z; for (size_t y = 0; y < h; y++, a += n) { R s = z; "
        f"{row.replace('16', '8')} t = _mm_add_epi64(t, wide(s)); }} *out = of(t);"
    )
    assert sums(path(tmp_path, body)) == [["h"], ["h", "n/8*8"], ["h"]]


@pytest.mark.parametrize(
    "body",
    [
        # The mask is another one, or lets another pixel through.
        START.replace("16 - n + m", "15 - n + m") + BODY + END + "*out = of(s);",
        START.replace("16 - n + m", "n - m") + BODY + END + "*out = of(s);",
        START + BODY + END.replace("m != n", "n & 7") + "*out = of(s);",
        START + BODY + END.replace("load(b + n - 16)", "load(b + n - 15)") + "*out = of(s);",
        START + BODY + END.replace("n - 16", "m - 16") + "*out = of(s);",
    ],
)
def test_ends_that_stay(tmp_path: Path, body: str) -> None:
    assert len(sums(path(tmp_path, body))) == 2


@pytest.mark.parametrize(
    "body",
    [
        # One lane only, lanes that are read before the end, or weighed.
        START + BODY + "*out = _mm_cvtsi128_si64(s);",
        START + BODY + "out[0] = of(s); out[1] = _mm_cvtsi128_si64(s);",
        START + BODY + "*out = _mm_extract_epi64(s, 0) + 2 * _mm_extract_epi64(s, 1);",
        START + BODY + "s = _mm_insert_epi64(s, 7, 1); for (size_t x = 0; x < m; x += 16) "
        "s = _mm_add_epi64(s, sad(load(b + x), _mm_slli_epi64(s, 1))); *out = of(s);",
    ],
)
def test_lanes_that_stay(tmp_path: Path, body: str) -> None:
    found = [e for e in path(tmp_path, body).effects if e.loops]
    assert all(len(e.loops) == 1 and str(e.loops[0].trip) == "n/16" for e in found)


def test_sums_beside_stores_to_what_they_read_stay(tmp_path: Path) -> None:
    loop = "for (size_t x = 0; x < n / 16 * 16; x += 16) { s = _mm_add_epi64(s, sad(load(c + x + 8), z)); "
    body = f"uint8_t* c = (uint8_t*)out; R s = z; {loop} _mm_storeu_si128((R*)(c + x), load(a + x)); }} c[n] = of(s);"
    assert not any(str(loop.trip) == "n/16*16" for e in path(tmp_path, body).effects for loop in e.loops)


def test_narrow_lanes_ask_for_sizes(tmp_path: Path) -> None:
    loop = "for (size_t x = 0; x + 8 <= n; x += 8) s = _mm_add_epi32(s, madd(load(a + x)));"
    body = f"R s = z; {loop} *out = of(wide(s));"
    found = path(tmp_path, body)
    assert sums(found) == [["n/8*8"]]
    assert found.asserts and all(line == 0 and "n" in str(c) for c, line in found.asserts)
