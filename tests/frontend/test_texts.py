"""The loop language of small functions and the messages for unsupported ones, word for word.

With UPDATE_GOLDEN=1 in the environment the expected texts are written anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from compiled_reference import CASES

from lifter.frontend import FunctionError, parse_file
from lifter.ir.loop_printer import function_text


def _same_as_file(file: Path, actual: str) -> None:
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(actual)
    assert actual == file.read_text()


@pytest.mark.parametrize("name", ["golden"])
def test_loop_language(name: str) -> None:
    functions = parse_file(str(CASES / f"{name}.cpp")).functions
    texts = [
        f"{f.name}: {f.reason}\n" if isinstance(f, FunctionError) else function_text(f, lines=True) for f in functions
    ]
    _same_as_file(CASES / f"{name}.txt", "\n".join(texts))


def test_unsupported() -> None:
    functions = parse_file(str(CASES / "unsupported.cpp")).functions
    accepted = [f.name for f in functions if not isinstance(f, FunctionError)]
    assert accepted == []
    lines = [f"{f.name}: {f.reason}" for f in functions if isinstance(f, FunctionError)]
    _same_as_file(CASES / "unsupported.txt", "\n".join(lines) + "\n")
