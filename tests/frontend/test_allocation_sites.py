"""What is learned of allocated memory in one instance of a template holds in the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lifter.frontend import FunctionError, parse_file
from lifter.frontend.lowering import functions
from lifter.ir.loop_ir import Function

SOURCE = Path(__file__).with_name("allocation_sites.cpp")


def _read(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Function, int]:
    """A function, and how often it was lowered."""
    count = 0
    lower = functions._lower

    def counted(*args: Any) -> Function:
        nonlocal count
        count += 1
        return lower(*args)

    monkeypatch.setattr(functions, "_lower", counted)
    (f,) = parse_file(str(SOURCE), wanted=lambda d, _: d.name == name).functions
    assert not isinstance(f, FunctionError), f.reason
    return f, count


def test_instances_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    f, count = _read("Choose", monkeypatch)
    assert {str(t) for n, t in f.arrays.items() if n.startswith("result")} == {"uint16"}
    assert sum(n.startswith("result") for n in f.arrays) == 4
    assert count == 2


def test_what_one_line_allocates_may_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    f, _ = _read("Both", monkeypatch)
    assert {str(f.arrays["result"]), str(f.arrays["result_1"])} == {"uint16", "float32"}
