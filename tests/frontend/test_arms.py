"""Two loops that a condition chooses from are one with a choice, where nothing can tell the difference."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute

HEAD = "#include <cstdint>\nvoid f(uint8_t* d, const uint8_t* s, uint8_t* e, int n, int h, int m) "
BOTH = "for (int y = 0; y < h; y++) if (y < m) {{ {} }} else {{ {} }}"


def effects(tmp_path, body: str):
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD} {{ {body} }}\n")
    (function,) = parse_file(str(source)).functions
    (path,) = execute(function)
    return path.effects


def row(value: str, n: str = "n", array: str = "d", place: str = "x") -> str:
    return f"for (int x = 0; x < {n}; x++) {array}[y * n + {place}] = {value};"


@pytest.mark.parametrize(
    ("one", "other", "stores"),
    [
        (row("1"), row("s[x]"), 1),
        (row("d[y * n + x] + 1"), row("d[y * n + x] / 2"), 1),
        (row("1") + row("2", array="e"), row("s[x]") + row("3", array="e"), 2),
        (row("1", n="n - 1"), row("s[x]"), 2),  # fewer elements
        (row("1"), row("s[x]", place="n - 1 - x"), 2),  # in another order
        (row("d[y * n + n - 1 - x]"), row("s[x]"), 2),  # reads what its loop writes
        (row("1") + row("d[y * n + n - 1 - x]", array="e"), row("2") + row("3", array="e"), 3),  # read in between
        ("for (int x = 0; x < n; x++) if (s[x]) d[y * n + x] = 1;", row("s[x]"), 1),
    ],
)
def test_stores(tmp_path, one: str, other: str, stores: int) -> None:
    assert len(effects(tmp_path, BOTH.format(one, other))) == stores


def test_the_guard_of_both_stays(tmp_path) -> None:
    inner = f"if (y < 3) {{ {row('1')} }} else {{ {row('2')} }}"
    (e,) = effects(tmp_path, f"for (int y = 0; y < h; y++) if (y != m) {{ {inner} }}")
    assert str(e.guard) == "k.1 != m"
    assert str(e.value).startswith("select(k.1 < 3")
