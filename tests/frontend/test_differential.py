"""Lifted functions against g++ on random inputs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from compiled_reference import CASES, check, compile_source

from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function

pytestmark = pytest.mark.few(4)

FILES = (
    *("features.cpp", "c_features.c", "legacy.cpp", "views.cpp", "registers.cpp", "records.cpp", "containers.cpp"),
    "templates.cpp",
)
_ROUNDS = 40


@pytest.mark.parametrize("file", FILES)
def test_same_as_compiled(file: str, tmp_path: Path) -> None:
    """Every function of a file, which is parsed and compiled once."""
    functions = [f for f in parse_file(str(CASES / file)).functions if not f.internal]
    assert functions
    library = compile_source(CASES / file, tmp_path / f"{file}.so")
    for f in functions:
        assert isinstance(f, Function), f"{f.name}: {f.reason}"
        rng = random.Random(f.name)
        for _ in range(_ROUNDS):
            check(library, f, rng)
