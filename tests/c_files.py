"""The C and C++ files that stand beside tests, and their functions by name."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from lifter.frontend import Function, FunctionError, parse_file


def names_of(source: Path) -> list[str]:
    """The functions that a file defines for others."""
    return re.findall(r"^(?!static)\w+ (\w+)\([^;{]*\{", source.read_text(), re.MULTILINE)


@functools.cache
def functions_of(source: Path, *flags: str) -> dict[str, Function | FunctionError]:
    """What is made of each function of a file, by its name; a process reads the file once."""
    return {f.name: f for f in parse_file(str(source), flags).functions}


def function_of(source: Path, name: str, *flags: str) -> Function:
    """The function of this name, which the front end takes."""
    found = functions_of(source, *flags)[name]
    assert isinstance(found, Function), found.reason
    return found
