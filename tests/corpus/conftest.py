"""The functions of the corpus that tests take, one by one; `make quick` takes a dozen of each suite.

Their ids begin with their files, by which they are given to workers (`tests/conftest.py`)."""

from __future__ import annotations

import zlib

import pytest

from corpus.cases import CASES
from corpus.manifest import SUITES, sample
from tests.lifts import label

QUICK = 12
_SUITE = {e.name: e.suite for e in sample()} | {n: c.file.partition("/")[0] for n, c in CASES.items()}
_MIXED = sorted(_SUITE, key=lambda n: zlib.crc32(n.encode()))
_QUICK = {n for s in SUITES for n in [n for n in _MIXED if _SUITE[n] == s][:QUICK]}


def _marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return () if name in _QUICK else (pytest.mark.long,)


def pytest_generate_tests(metafunc):  # type: ignore[no-untyped-def]
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", [pytest.param(n, marks=_marks(n), id=label(n)) for n in sorted(CASES)])
    if "entry" in metafunc.fixturenames:
        entries = [e for e in sample() if e.name not in CASES]
        metafunc.parametrize("entry", [pytest.param(e, marks=_marks(e.name), id=label(e.name)) for e in entries])
