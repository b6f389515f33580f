"""What the paths of a function need for their own loops is found in one execution of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.symexec import execute, executor
from tests.c_files import function_of

SOURCE = Path(__file__).with_name("needs_of_arms.cpp")


def _executed(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[set[str]], int]:
    """The variables that each path carries, and how many executions found them."""
    count = 0
    run = executor._Statements.run

    def counted(self: executor._Statements) -> object:
        nonlocal count
        count += 1
        return run(self)

    monkeypatch.setattr(executor._Statements, "run", counted)
    return [{a.name for a in p.arrays.values()} for p in execute(function_of(SOURCE, name))], count


def test_arms_are_asked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _executed("Delayed", monkeypatch) == ([{"a"}, {"b"}, {"c"}], 2)


def test_what_arms_share_is_found_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    carried, count = _executed("Shared", monkeypatch)
    assert all({"a", "b"} <= names for names in carried) and count == 3
