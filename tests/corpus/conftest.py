"""The functions of the corpus that tests take, one by one."""

from __future__ import annotations

from corpus.cases import CASES
from corpus.manifest import sample


def pytest_generate_tests(metafunc):  # type: ignore[no-untyped-def]
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", sorted(CASES))
    if "entry" in metafunc.fixturenames:
        metafunc.parametrize("entry", [e for e in sample() if e.name not in CASES], ids=lambda e: e.name)
