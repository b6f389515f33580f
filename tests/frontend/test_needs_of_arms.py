"""What the paths of a function need for their own loops is found in one execution of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.frontend import FunctionError, parse_file
from lifter.symexec import execute, executor

DELAYED = """
void Delayed(const int* src, int* dst, int n, int mode) {
    if (mode == 1) {
        int a = 1;
        for (int i = 0; i < n; i++) { dst[i] = a; a = src[i] * 2; }
    } else if (mode == 2) {
        int b = 2;
        for (int i = 0; i < n; i++) { dst[i] = b; b = src[i] * 3; }
    } else {
        int c = 3;
        for (int i = 0; i < n; i++) { dst[i] = c; c = src[i] * 4; }
    }
}
"""

SHARED = """
void Shared(const int* src, int* dst, int n, int mode) {
    int a = 1, b = 2;
    if (mode == 1)
        for (int i = 0; i < n; i++) { dst[i] = a; a = src[i] * 2; }
    else
        for (int i = 0; i < n; i++) { dst[i] = a + b; b = src[i] * 3; }
    for (int i = 0; i < n; i++) { dst[i] += a; a = dst[i]; }
}
"""


def _executed(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[set[str]], int]:
    """The variables that each path carries, and how many executions found them."""
    count = 0
    run = executor._Statements.run

    def counted(self: executor._Statements) -> object:
        nonlocal count
        count += 1
        return run(self)

    monkeypatch.setattr(executor._Statements, "run", counted)
    source = folder / "source.cpp"
    source.write_text(text)
    (f,) = parse_file(str(source)).functions
    assert not isinstance(f, FunctionError)
    return [{a.name for a in p.arrays.values()} for p in execute(f)], count


def test_arms_are_asked_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _executed(tmp_path, DELAYED, monkeypatch) == ([{"a"}, {"b"}, {"c"}], 2)


def test_what_arms_share_is_found_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried, count = _executed(tmp_path, SHARED, monkeypatch)
    assert all({"a", "b"} <= names for names in carried) and count == 3
