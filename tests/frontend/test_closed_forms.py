"""Steps at equal distances, and rows in pieces, have closed forms; other steps have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter import effects
from lifter.frontend import parse_file
from lifter.loops import Function, Unsupported
from lifter.poly import poly_text, to_poly
from lifter.symexec import execute

HEAD = "#include <cstdint>\n"
PARAMETERS = "const uint8_t* s, int ss, uint8_t* d, int ds, int w, int h, int t"


def path(tmp_path: Path, body: str) -> effects.Path:
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}void f({PARAMETERS}) {{ {body} }}\n")
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, Function)
    (only,) = execute(found)
    return only


def read(tmp_path: Path, step: str) -> str:
    """The element that is read, the rows' counter being `k`."""
    found = path(tmp_path, f"for (int y = 0; y < h; y++) {{ d[y] = s[0]; {step} }}")
    (e,) = found.effects
    (load,) = effects.loads(e.value)
    return poly_text(to_poly(load.index)).replace(e.counters[0], "k")


@pytest.mark.parametrize(
    ("step", "element"),
    [
        ("if (y & 1) s += ss;", "ss*k/2"),
        ("if (!(y & 1)) s += ss;", "ss*(k + 1)/2"),
        ("if ((y & 3) == 3) s += ss;", "ss*k/4"),
        ("if (y % 3 == 1) s += ss;", "ss*(k + 1)/3"),
        ("s += 2; if (y % 4 != 3) s += ss;", "k*ss + k*2 - ss*k/4"),
        ("if (y & 1) s += ss; if (y & 2) s++;", None),
        ("if ((y & (t - 1)) == t - 1) s += ss;", "ss*k/t"),
        ("if (y % t == 0) s += ss;", "ss*(k + t - 1)/t - ss*(t - 1)/t"),
        ("if (d[y]) s += ss;", None),
        ("if (y * y % 3 == 1) s += ss;", None),
        ("if (y & 4) s += ss;", None),
    ],
)
def test_steps(tmp_path: Path, step: str, element: str | None) -> None:
    if element is None:
        with pytest.raises(Unsupported):
            read(tmp_path, step)
    else:
        assert read(tmp_path, step) == element


def test_a_mask_asks_for_a_power_of_two(tmp_path: Path) -> None:
    body = "for (int y = 0; y < h; y++) { d[y] = s[0]; if ((y & (t - 1)) == t - 1) s += ss; }"
    assert [(str(c), line) for c, line in path(tmp_path, body).asserts] == [
        ("(int64(t) & (int64(t) - (int64)1)) == (int64)0", 0)
    ]


STRIP = "for (int x = 0; x < n; x++) row[x] = s[x] + 1; for (int x = 0; x < n; x++) d[x] = row[x] / 2;"


@pytest.mark.parametrize(
    "body",
    [
        f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} s += n; d += n; w -= n; }}",
        "for (int k = 0; k < w; k += 32, s += 32, d += 32) { uint16_t row[32]; "
        f"int n = w - k < 32 ? w - k : 32; {STRIP} }}",
    ],
)
def test_strips_are_rows(tmp_path: Path, body: str) -> None:
    found = path(tmp_path, body)
    assert [str(e.loops[0].trip) for e in found.effects] == ["w", "w"]
    assert [str(e.index) for e in found.effects] == [e.counters[0] for e in found.effects]
    assert found.apart == {frozenset("sd")}


@pytest.mark.parametrize(
    "body",
    [
        # What one strip leaves behind the next one reads.
        "uint16_t row[33] = {0}; while (w > 0) { int n = w > 32 ? 32 : w; for (int x = 0; x < n; x++) row[x] = s[x]; "
        "for (int x = 0; x < n; x++) d[x] = row[x + 1]; s += n; d += n; w -= n; }",
    ],
)
def test_strips_that_stay(tmp_path: Path, body: str) -> None:
    assert any(len(e.loops) == 2 for e in path(tmp_path, body).effects)


def test_what_a_last_strip_leaves_is_not_known(tmp_path: Path) -> None:
    body = f"uint16_t row[32]; while (w > 0) {{ int n = w > 32 ? 32 : w; {STRIP} s += n; d += n; w -= n; }} d[0] = 1;"
    with pytest.raises(Unsupported):
        path(tmp_path, body)
