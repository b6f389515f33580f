"""Lifted functions against g++ on random inputs."""

from __future__ import annotations

import ctypes
import random
import tempfile
from functools import cache
from pathlib import Path

import pytest
from compiled_reference import CASES, check, compile_source

from lifter.frontend import FunctionError, parse_file
from lifter.ir.loop_ir import Function

pytestmark = pytest.mark.few(4)

FILES = (
    *("features.cpp", "c_features.c", "legacy.cpp", "views.cpp", "registers.cpp", "records.cpp", "containers.cpp"),
    "templates.cpp",
)
_ROUNDS = 40


@cache
def _lifted(file: str) -> dict[str, Function | FunctionError]:
    return {f.name: f for f in parse_file(str(CASES / file)).functions}


@cache
def _library(file: str) -> ctypes.CDLL:
    folder = Path(tempfile.mkdtemp())
    return compile_source(CASES / file, folder / f"{file}.so")


def _names() -> list[tuple[str, str]]:
    return [(file, name) for file in FILES for name, f in _lifted(file).items() if not f.internal]


@pytest.mark.parametrize(("file", "name"), _names())
def test_same_as_compiled(file: str, name: str) -> None:
    f = _lifted(file)[name]
    assert isinstance(f, Function), str(f.reason)
    rng = random.Random(name)
    for _ in range(_ROUNDS):
        check(_library(file), f, rng)
