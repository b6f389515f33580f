"""Conditionals whose arms do the same are no paths of their own; arms that differ in anything are."""

from __future__ import annotations

import pytest

from lifter.frontend import parse_file
from lifter.symexec import execute

HEAD = """#include <cassert>
#include <cstdint>
static const uint8_t A[4] = {1, 2, 3, 4}, B[4] = {1, 2, 3, 5};
template <bool fast> void row(uint8_t* d, const uint8_t* s, int n) {
    assert(n >= 4);
    if (fast) assert((uintptr_t)d % 16 == 0);
    for (int i = 0; i < n; i++) d[i] = s[i] / 3;
}
"""


def paths(tmp_path, body: str):
    source = tmp_path / "f.cpp"
    source.write_text(f"{HEAD}void f(uint8_t* d, const uint8_t* s, int n, int m) {{ {body} }}\n")
    function = next(f for f in parse_file(str(source)).functions if f.name == "f")
    return execute(function)


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if ((uintptr_t)d % 16 == 0) row<true>(d, s, n); else row<false>(d, s, n);", 1),
        ("if (m) { int a = n; for (int i = 0; i < a; i++) d[i] = 1; } else { int b = n; for (int j = 0; j < b; j++) "
         "d[j] = 1; }", 1),
        ("if (m) for (int i = 0; i < n; i++) d[i] = 1; else for (int i = 0; i < n; i++) d[i] = 2;", 2),
        ("if (m) for (int i = 0; i < n; i++) d[i] = A[i & 3]; else for (int i = 0; i < n; i++) d[i] = B[i & 3];", 2),
        ("if (m) for (int i = 0; i < n; i++) d[i] = s[i]; else for (int i = 0; i < n; i++) s[i] ? d[i] = s[i] : 0;", 2),
        ("int a = 1, b = 2; if (m) for (int i = 0; i < n; i++) d[i] = a; else for (int i = 0; i < n; i++) d[i] = b;",
         2),
        ("int a = 1, b = 2; if (m) for (a = 0; a < n; a++) d[a] = 1; else for (b = 0; b < n; b++) d[b] = 1; d[n] = a;",
         2),
        ("if (m) for (int i = 0; i < n; i++) d[i] = 1; else for (int16_t i = 0; i < n; i++) d[i] = 1;", 2),
    ],
)  # fmt: skip
def test_paths(tmp_path, body: str, count: int) -> None:
    assert len(paths(tmp_path, body)) == count


def test_asserts_of_both_arms_stay(tmp_path) -> None:
    (path,) = paths(tmp_path, "if ((uintptr_t)d % 16 == 0) row<true>(d, s, n); else row<false>(d, s, n);")
    assert [str(c) for c, _ in path.asserts] == ["n >= 4"]


def test_asserts_of_both_arms_stay_where_they_are(tmp_path) -> None:
    inner = "if (m) row<{0}>(d, s, n); else for (int i = 0; i < n; i++) {{ assert(n >= 4); d[i] = 1; }}"
    arms = [inner.format(fast) for fast in ("true", "false")]
    found = paths(tmp_path, f"if ((uintptr_t)d % 16 == 0) {{ {arms[0]} }} else {{ {arms[1]} }}")
    assert [[str(c) for c, _ in p.asserts] for p in found] == [["n >= 4"], []]  # one in a loop is no item


def test_an_assert_of_one_arm_holds_under_its_condition(tmp_path) -> None:
    (path,) = paths(
        tmp_path,
        "if (m > 2) { assert(n > m); for (int i = 0; i < n; i++) d[i] = 1; }"
        "else for (int i = 0; i < n; i++) d[i] = 1;",
    )
    assert [str(c) for c, _ in path.asserts] == ["(m <= 2) || (n > m)"]


def test_an_assert_deeper_in_one_arm_is_dropped(tmp_path) -> None:
    (path,) = paths(
        tmp_path,
        "if (m > 2) for (int i = 0; i < n; i++) { assert(n > m); d[i] = 1; }"
        "else for (int i = 0; i < n; i++) d[i] = 1;",
    )
    assert path.asserts == ()
